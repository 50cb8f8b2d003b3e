//! The kernels of this processor, as far as it has any. Each does the whole vectors at the
//! beginning and says how many columns these are; the rest is the caller's.

#![cfg_attr(not(all(feature = "std", target_arch = "x86_64")), allow(unused_variables))]

use super::{narrow, wide};

/// partial\[d\]\[t\] += Σ rows\[j\]\[t\]·digits\[d\]\[j\].
pub(super) fn add_rows(
	partial: &mut [i32],
	rows: [&[i8]; narrow::ROWS],
	digits: &[[i16; narrow::ROWS]; narrow::DIGITS],
) -> usize {
	#[cfg(all(feature = "std", target_arch = "x86_64"))]
	if super::avx2::detected() {
		// SAFETY: the processor has AVX2.
		#[allow(unsafe_code)]
		return unsafe { super::avx2::add_rows(partial, rows, digits) };
	}
	0
}

/// Σ row\[t\]·digits\[d\]\[t\].
pub(super) fn narrow_dot(
	row: &[i8],
	digits: [&[i16]; narrow::DIGITS],
) -> ([i64; narrow::DIGITS], usize) {
	#[cfg(all(feature = "std", target_arch = "x86_64"))]
	if super::avx2::detected() {
		// SAFETY: the processor has AVX2.
		#[allow(unsafe_code)]
		return unsafe { super::avx2::narrow_dot(row, digits) };
	}
	([0; narrow::DIGITS], 0)
}

/// Σ row\[t\]·vector\[t\] of a vector with these digits.
pub(super) fn wide_dot(row: &[[u8; 4]], digits: [&[i32]; wide::DIGITS]) -> (u64, usize) {
	#[cfg(all(feature = "std", target_arch = "x86_64"))]
	if super::avx2::detected() {
		use super::{avx2, combine, field};
		let whole = row.len() - row.len() % 8;
		let mut total = 0;
		for first in (0..whole).step_by(avx2::WIDE_TERMS) {
			let end = whole.min(first + avx2::WIDE_TERMS);
			let row = row[first..end].as_flattened().as_chunks().0;
			let digits = digits.map(|digits| digits[first..end].as_chunks().0);
			// SAFETY: the processor has AVX2.
			#[allow(unsafe_code)]
			let lanes = unsafe { avx2::wide_dot(row, digits) };
			for lane in 0..4 {
				total = field::add(total, combine(&lanes.map(|lanes| lanes[lane]), wide::BITS));
			}
		}
		return (total, whole);
	}
	(0, 0)
}
