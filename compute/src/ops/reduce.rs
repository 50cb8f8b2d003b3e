//! Operations that make one element of a row, and the product of two rows.

use super::{
	bytes::{i32s, i8s, put_i32, put_i8},
	round::{clamp8, floor_div},
};
use crate::Dtype;

/// Σ a[t]·b[t] of two i8 rows. Wraps, which for at most 131,071 terms it never does.
#[inline(always)]
pub(crate) fn dot(a: &[u8], b: &[u8]) -> i32 {
	let products = i8s(a).zip(i8s(b)).map(|(a, b)| i32::from(a).wrapping_mul(i32::from(b)));
	products.fold(0, i32::wrapping_add)
}

/// Lowest index of the maximum.
#[inline(always)]
pub(crate) fn row_argmax(x: &[u8], dtype: Dtype) -> i32 {
	match dtype {
		Dtype::I8 => argmax(i8s(x)),
		Dtype::I32 => argmax(i32s(x)),
	}
}

#[inline(always)]
fn argmax<T: Ord>(mut values: impl Iterator<Item = T> + Clone) -> i32 {
	let Some(max) = values.clone().max() else { return 0 };
	values.position(|v| v == max).unwrap_or(0) as i32
}

/// Largest magnitude, from 1 to 2^31 − 1.
#[inline(always)]
pub(crate) fn row_absmax(x: &[u8]) -> i32 {
	let max = i32s(x).map(i32::unsigned_abs).max().unwrap_or(0);
	max.clamp(1, i32::MAX as u32) as i32
}

#[inline(always)]
pub(crate) fn row_quant(x: &[u8], out: &mut [u8]) {
	let s = i64::from(row_absmax(x));
	// Numerators are below 2^40.
	let scaled = |x: i32| i64::from(x).wrapping_mul(254).wrapping_add(s);
	put_i8(out, i32s(x).map(|x| clamp8(floor_div(scaled(x), s.wrapping_mul(2)))));
}

/// A result of one column.
#[inline(always)]
pub(crate) fn put_one(out: &mut [u8], value: i32) {
	put_i32(out, core::iter::once(value));
}
