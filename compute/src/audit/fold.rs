//! Products of integer matrices with one vector over the field: what a projection spends its time
//! on. A field element is split into signed digits so small that machine integers hold long sums of
//! products exactly; only the sums are reduced. The inner loops use wrapping operators, which by these
//! bounds never wrap, because checked ones would keep the compiler from vectorising them.

use super::field;
use alloc::{vec, vec::Vec};

/// Digits of 16 bits, for products with i8: |product| ≤ 2^22, so an i32 holds 256 of them (2^30).
const NARROW: usize = 4;
/// Terms of such a sum.
const NARROW_TERMS: usize = 256;
/// Digits of 21 bits, for products with i32: |product| ≤ 2^51, so an i64 holds 2,048 (2^62).
const WIDE: usize = 3;
/// Terms of such a sum.
const WIDE_TERMS: usize = 2_048;
/// Columns whose sums are kept at hand while a matrix is folded from the left.
const TILE: usize = 512;

/// Splits a field element into `N` signed digits of `bits` bits, lowest first, each of magnitude at
/// most 2^(bits − 1).
fn digits<const N: usize>(mut value: i64, bits: u32) -> [i32; N] {
	let mut digits = [0; N];
	for digit in &mut digits {
		let low = (value << (64 - bits)) >> (64 - bits);
		*digit = low as i32;
		value = (value - low) >> bits;
	}
	debug_assert_eq!(value, 0);
	digits
}

/// Σ sums\[d\] · 2^(bits·d) over the field.
fn combine<const N: usize>(sums: &[i64; N], bits: u32) -> u64 {
	sums.iter()
		.rev()
		.fold(0, |value, sum| field::add(field::mul(value, 1 << bits), field::residue(*sum)))
}

/// A vector over the field, ready for products with i8 rows.
pub(super) struct NarrowVector {
	digits: [Vec<i16>; NARROW],
}

impl NarrowVector {
	pub(super) fn new(vector: &[u64]) -> Self {
		let mut split: [Vec<i16>; NARROW] = Default::default();
		for value in vector {
			let digits = digits::<NARROW>(*value as i64, 16);
			for (split, digit) in split.iter_mut().zip(digits) {
				split.push(digit as i16);
			}
		}
		NarrowVector { digits: split }
	}

	/// Σ row\[t\]·vector\[t\].
	pub(super) fn dot(&self, row: &[i8]) -> u64 {
		let [d0, d1, d2, d3] = &self.digits;
		combine(&narrow_dot(row, d0, d1, d2, d3), 16)
	}

	/// The same for every column: Σ matrix\[j, t\]·vector\[j\] for each column t of a tile, where
	/// `matrix` begins at the tile's first column and its rows are `stride` apart.
	pub(super) fn columns(&self, matrix: &[i8], stride: usize, width: usize) -> Vec<u64> {
		let mut sums = vec![[0i64; NARROW]; width];
		let mut partial = vec![0i32; NARROW * width];
		let rows = self.digits[0].len();
		for first in (0..rows).step_by(NARROW_TERMS) {
			partial.fill(0);
			for j in first..rows.min(first + NARROW_TERMS) {
				let row = &matrix[j * stride..j * stride + width];
				add_scaled(&mut partial, row, &self.digits.each_ref().map(|d| d[j]));
			}
			for (d, partial) in partial.chunks_exact(width).enumerate() {
				for (sums, partial) in sums.iter_mut().zip(partial) {
					sums[d] += i64::from(*partial);
				}
			}
		}
		sums.iter().map(|sums| combine(sums, 16)).collect()
	}
}

vectorised! {
	fn narrow_dot(row: &[i8], d0: &[i16], d1: &[i16], d2: &[i16], d3: &[i16]) -> [i64; NARROW] {
		let mut sums = [0i64; NARROW];
		for (index, row) in row.chunks(NARROW_TERMS).enumerate() {
			let start = index * NARROW_TERMS;
			for (sum, digits) in sums.iter_mut().zip([d0, d1, d2, d3]) {
				let digits = &digits[start..start + row.len()];
				let products = row.iter().zip(digits).map(|(x, d)| i32::from(*x) * i32::from(*d));
				*sum += i64::from(products.fold(0, i32::wrapping_add));
			}
		}
		sums
	}
}

vectorised! {
	/// partial[d][t] += row[t]·digits[d].
	fn add_scaled(partial: &mut [i32], row: &[i8], digits: &[i16; NARROW]) {
		for (partial, digit) in partial.chunks_exact_mut(row.len().max(1)).zip(digits) {
			for (partial, x) in partial.iter_mut().zip(row) {
				*partial = partial.wrapping_add(i32::from(*x).wrapping_mul(i32::from(*digit)));
			}
		}
	}
}

/// A vector over the field, ready for products with i32 rows.
pub(super) struct WideVector {
	digits: [Vec<i32>; WIDE],
}

impl WideVector {
	pub(super) fn new(vector: &[u64]) -> Self {
		let mut split: [Vec<i32>; WIDE] = Default::default();
		for value in vector {
			for (split, digit) in split.iter_mut().zip(digits::<WIDE>(*value as i64, 21)) {
				split.push(digit);
			}
		}
		WideVector { digits: split }
	}

	/// Σ row\[t\]·vector\[t\] for the bytes of an i32 row.
	pub(super) fn dot(&self, row: &[u8]) -> u64 {
		let [d0, d1, d2] = &self.digits;
		wide_dot(row, d0, d1, d2)
	}
}

vectorised! {
	fn wide_dot(row: &[u8], d0: &[i32], d1: &[i32], d2: &[i32]) -> u64 {
		let mut total = 0;
		for (index, row) in row.as_chunks::<4>().0.chunks(WIDE_TERMS).enumerate() {
			let start = index * WIDE_TERMS;
			let end = start + row.len();
			let mut sums = [0i64; WIDE];
			let digits = d0[start..end].iter().zip(&d1[start..end]).zip(&d2[start..end]);
			for (x, ((d0, d1), d2)) in row.iter().zip(digits) {
				let x = i64::from(i32::from_le_bytes(*x));
				for (sum, digit) in sums.iter_mut().zip([d0, d1, d2]) {
					*sum = sum.wrapping_add(x.wrapping_mul(i64::from(*digit)));
				}
			}
			total = field::add(total, combine(&sums, 21));
		}
		total
	}
}

/// Bᵀ·r for b: n × k, in parallel over tiles of columns.
pub(super) fn fold_columns(b: &[i8], k: usize, r: &NarrowVector) -> Vec<u64> {
	let tile = |first: usize| r.columns(&b[first..], k, TILE.min(k - first));
	let tiles = (0..k).step_by(TILE).collect::<Vec<_>>();
	#[cfg(feature = "std")]
	{
		use rayon::prelude::*;
		tiles.into_par_iter().flat_map_iter(tile).collect()
	}
	#[cfg(not(feature = "std"))]
	tiles.into_iter().flat_map(tile).collect()
}
