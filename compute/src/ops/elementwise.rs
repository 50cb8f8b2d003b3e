//! Operations in which each element depends on its column alone.

use super::{
	bytes::{i32s, i8s, put_i32, put_i8},
	round::{clamp32, clamp8, rshr},
};

#[inline(always)]
pub(crate) fn requant(x: &[u8], bias: &[u8], mult: &[u8], shift: u8, out: &mut [u8]) {
	let values = i32s(x).zip(i32s(bias)).zip(i32s(mult)).map(|((x, bias), mult)| {
		let (x, bias, mult) = (i64::from(x), i64::from(bias), i64::from(mult));
		// (x + bias)·mult as two products of 32 bits, which processors have. Only −2^32 · −2^31 =
		// 2^63 leaves i64, and only it wraps to −2^63. One less than 2^63 rounds to the same result
		// for every shift from 1 to 62, and clamps to the same one for 0.
		let product = match x.wrapping_mul(mult).wrapping_add(bias.wrapping_mul(mult)) {
			i64::MIN => i64::MAX,
			product => product,
		};
		clamp8(rshr(product, shift))
	});
	put_i8(out, values);
}

#[inline(always)]
pub(crate) fn lut(x: &[u8], table: &[u8], out: &mut [u8]) {
	let Ok(table) = <&[u8; 256]>::try_from(table) else { return };
	// The table is indexed by x + 128, which is x's bits with the sign flipped.
	for (out, x) in out.iter_mut().zip(x) {
		*out = table[usize::from(x ^ 0x80)];
	}
}

#[inline(always)]
pub(crate) fn add(a: &[u8], b: &[u8], out: &mut [u8]) {
	put_i32(out, i32s(a).zip(i32s(b)).map(|(a, b)| a.wrapping_add(b)));
}

#[inline(always)]
pub(crate) fn mul(a: &[u8], b: &[u8], out: &mut [u8]) {
	put_i32(out, i8s(a).zip(i8s(b)).map(|(a, b)| i32::from(a).wrapping_mul(i32::from(b))));
}

#[inline(always)]
pub(crate) fn widen(x: &[u8], mult: &[u8], out: &mut [u8]) {
	put_i32(out, i8s(x).zip(i32s(mult)).map(|(x, mult)| i32::from(x).wrapping_mul(mult)));
}

#[inline(always)]
pub(crate) fn row_scale(x: &[u8], scale: i32, shift: u8, out: &mut [u8]) {
	let scale = i64::from(scale);
	// Products are at most 2^62.
	put_i32(out, i32s(x).map(|x| clamp32(rshr(i64::from(x).wrapping_mul(scale), shift))));
}

#[inline(always)]
pub(crate) fn col_scale(x: &[u8], mult: &[u8], shift: u8, out: &mut [u8]) {
	put_i32(
		out,
		i32s(x).zip(i32s(mult)).map(|(x, mult)| {
			// At most 2^62.
			clamp32(rshr(i64::from(x).wrapping_mul(i64::from(mult)), shift))
		}),
	);
}
