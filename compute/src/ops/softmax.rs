//! Softmax of one row through a table of exponentials.

use super::{bytes::i32s, round::rshr_unsigned};

/// From this width on, a row's 256 possible results are computed once and looked up.
const TABLE_WIDTH: usize = 256;

#[inline(always)]
pub(crate) fn row_softmax(x: &[u8], table: &[u8], mult: u32, shift: u8, out: &mut [u8]) {
	let mut exps = [0u64; 256];
	for (exp, entry) in exps.iter_mut().zip(i32s(table)) {
		*exp = entry.clamp(0, 65_535) as u64;
	}
	let max = i32s(x).max().unwrap_or(0);
	// The distance to the maximum first stands where the result will.
	for (out, x) in out.iter_mut().zip(i32s(x)) {
		// A difference of two i32, at most 2^32 − 1, so the product fits 64 bits.
		let below = u64::from(max.wrapping_sub(x) as u32);
		*out = rshr_unsigned(below.wrapping_mul(u64::from(mult)), shift).min(255) as u8;
	}
	// At most 131,072 · 65,535.
	let sum = out.iter().map(|d| exps[usize::from(*d)]).fold(0, u64::wrapping_add).max(1);
	let value = |e: u64| (e.wrapping_mul(254).wrapping_add(sum) / sum.wrapping_mul(2)) as u8;
	if out.len() < TABLE_WIDTH {
		for out in out {
			*out = value(exps[usize::from(*out)]);
		}
	} else {
		let values = exps.map(value);
		for out in out {
			*out = values[usize::from(*out)];
		}
	}
}
