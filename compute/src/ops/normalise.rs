//! Layer norm and root-mean-square norm of one row.

use super::{
	bytes::{i32s, put_i32},
	round::floor_div,
};

const CENTRED_MIN: i64 = -(1 << 23);
const CENTRED_MAX: i64 = (1 << 23) - 1;
const NORMAL_MIN: i64 = -(1 << 15);
const NORMAL_MAX: i64 = (1 << 15) - 1;

#[inline(always)]
pub(crate) fn row_norm(x: &[u8], gain: &[u8], bias: &[u8], shift: u8, out: &mut [u8]) {
	// At most 131,072 elements of 32 bits: sums stay within 2^49.
	let n = i32s(x).len() as i64;
	let sum = i32s(x).map(i64::from).fold(0, i64::wrapping_add);
	let mean = floor_div(sum.wrapping_mul(2).wrapping_add(n), n.wrapping_mul(2));
	let centre = move |x: i32| i64::from(x).wrapping_sub(mean).clamp(CENTRED_MIN, CENTRED_MAX);
	let deviation = root_mean_square(i32s(x).map(centre), n);
	let values = i32s(x)
		.zip(i32s(gain))
		.zip(i32s(bias))
		.map(|((x, gain), bias)| scale(centre(x), deviation, shift, gain).wrapping_add(bias));
	put_i32(out, values);
}

#[inline(always)]
pub(crate) fn row_rms(x: &[u8], gain: &[u8], shift: u8, out: &mut [u8]) {
	let clamp = |x: i32| i64::from(x).clamp(CENTRED_MIN, CENTRED_MAX);
	let root = root_mean_square(i32s(x).map(clamp), i32s(x).len() as i64);
	put_i32(out, i32s(x).zip(i32s(gain)).map(|(x, gain)| scale(clamp(x), root, shift, gain)));
}

/// max(1, isqrt(floor(Σ c² / n))). Squares are at most 2^46, so 131,072 of them reach 2^63: one
/// more than i64 holds.
#[inline(always)]
fn root_mean_square(values: impl Iterator<Item = i64>, n: i64) -> i64 {
	let squares = values.map(|c| c.wrapping_mul(c) as u64).fold(0, u64::wrapping_add);
	(squares / n.max(1) as u64).isqrt().max(1) as i64
}

/// wrap32(clamp(floor((c·2^shift + floor(d/2)) / d), −2^15, 2^15 − 1) · gain). The numerator is at
/// most 2^39.
#[inline(always)]
fn scale(c: i64, d: i64, shift: u8, gain: i32) -> i32 {
	let scaled = (c << (shift & 31)).wrapping_add(d / 2);
	let z = floor_div(scaled, d).clamp(NORMAL_MIN, NORMAL_MAX);
	(z as i32).wrapping_mul(gain)
}
