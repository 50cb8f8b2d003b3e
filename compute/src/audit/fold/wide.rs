//! Products with i32 matrices.

use super::{combine, digits, each_tile, fast};
use crate::audit::field;
use alloc::{vec, vec::Vec};
use zeroize::Zeroize;

/// Digits of 21 bits: a product with an i32 is at most 2^51, so an i64 holds 2,048 (2^62).
pub(super) const DIGITS: usize = 3;
/// Bits of a digit.
pub(super) const BITS: u32 = 21;
/// Terms of such a sum.
pub(super) const TERMS: usize = 2_048;
/// Columns that are folded together: their sums stay in the first-level cache.
const TILE: usize = 512;

/// A vector over the field, ready for products with i32 rows.
pub(crate) struct WideVector {
	digits: [Vec<i32>; DIGITS],
}

impl WideVector {
	pub(crate) fn new(vector: &[u64]) -> Self {
		let mut split: [Vec<i32>; DIGITS] =
			core::array::from_fn(|_| Vec::with_capacity(vector.len()));
		for value in vector {
			for (split, digit) in split.iter_mut().zip(digits::<DIGITS>(*value as i64, BITS)) {
				split.push(digit);
			}
		}
		WideVector { digits: split }
	}

	/// Bytes it takes in memory.
	pub(crate) fn bytes(&self) -> usize {
		self.digits.iter().map(|digits| digits.len().saturating_mul(4)).sum()
	}

	/// Σ row\[t\]·vector\[t\] for the bytes of an i32 row.
	pub(crate) fn dot(&self, row: &[u8]) -> u64 {
		dot(row.as_chunks::<4>().0, self.digits.each_ref().map(|digits| &digits[..]))
	}
}

#[cfg(test)]
impl WideVector {
	/// [`dot`](Self::dot) without the kernels of this processor.
	pub(super) fn portable_dot(&self, row: &[u8]) -> u64 {
		portable_dot(row.as_chunks::<4>().0, self.digits.each_ref().map(|digits| &digits[..]))
	}
}

impl Drop for WideVector {
	fn drop(&mut self) {
		self.digits.zeroize();
	}
}

/// Mᵀ·v for an i32 matrix M whose rows come block by block.
pub(crate) struct WideFold {
	width: usize,
	/// Rows so far.
	rows: usize,
	tiles: Vec<Tile>,
}

impl WideFold {
	/// For rows of `width` elements.
	pub(crate) fn new(width: usize) -> Self {
		let tile = |first: usize| Tile::new(TILE.min(width - first));
		WideFold { width, rows: 0, tiles: (0..width).step_by(TILE).map(tile).collect() }
	}

	/// Adds the next whole rows, as bytes, each times its element of `vector`.
	pub(crate) fn push(&mut self, rows: &[u8], vector: &WideVector) {
		let width = self.width.max(1);
		let rows = rows.as_chunks::<4>().0;
		let first = self.rows;
		let count = (rows.len() / width).min(vector.digits[0].len().saturating_sub(first));
		if count == 0 {
			return;
		}
		let digits = vector.digits.each_ref().map(|d| &d[first..first + count]);
		each_tile(&mut self.tiles, |index, tile| tile.add(&rows[index * TILE..], width, digits));
		self.rows += count;
	}

	/// Mᵀ·v.
	pub(crate) fn finish(mut self) -> Vec<u64> {
		let mut folded = Vec::with_capacity(self.width);
		for tile in &mut self.tiles {
			tile.flush();
			folded.append(&mut tile.sums);
		}
		folded
	}
}

/// Sums of a few neighbouring columns.
struct Tile {
	sums: Vec<u64>,
	/// Sums of the last `terms` rows, digit by digit.
	partial: Vec<i64>,
	terms: usize,
}

impl Tile {
	fn new(width: usize) -> Self {
		Tile { sums: vec![0; width], partial: vec![0; DIGITS * width], terms: 0 }
	}

	/// Adds rows `stride` apart, of which `matrix` begins with the first one's part.
	fn add(&mut self, matrix: &[[u8; 4]], stride: usize, digits: [&[i32]; DIGITS]) {
		let width = self.sums.len();
		for row in 0..digits[0].len() {
			if self.terms == TERMS {
				self.flush();
			}
			let part = &matrix[row * stride..row * stride + width];
			add_scaled(&mut self.partial, part, &digits.map(|digits| digits[row]));
			self.terms += 1;
		}
	}

	fn flush(&mut self) {
		let width = self.sums.len();
		for (column, sum) in self.sums.iter_mut().enumerate() {
			let partial = core::array::from_fn(|d| self.partial[d * width + column]);
			*sum = field::add(*sum, combine::<DIGITS>(&partial, BITS));
		}
		self.partial.fill(0);
		self.terms = 0;
	}
}

impl Drop for Tile {
	fn drop(&mut self) {
		self.sums.zeroize();
		self.partial.zeroize();
	}
}

/// Σ row\[t\]·vector\[t\] of a vector with these digits.
fn dot(row: &[[u8; 4]], digits: [&[i32]; DIGITS]) -> u64 {
	let (sum, done) = fast::wide_dot(row, digits);
	field::add(sum, portable_dot(&row[done..], digits.map(|digits| &digits[done..])))
}

vectorised! {
	fn portable_dot(row: &[[u8; 4]], digits: [&[i32]; DIGITS]) -> u64 {
		let [d0, d1, d2] = digits;
		let mut total = 0;
		for (index, row) in row.chunks(TERMS).enumerate() {
			let start = index * TERMS;
			let end = start + row.len();
			let mut sums = [0i64; DIGITS];
			let digits = d0[start..end].iter().zip(&d1[start..end]).zip(&d2[start..end]);
			for (x, ((d0, d1), d2)) in row.iter().zip(digits) {
				let x = i64::from(i32::from_le_bytes(*x));
				for (sum, digit) in sums.iter_mut().zip([d0, d1, d2]) {
					*sum = sum.wrapping_add(x.wrapping_mul(i64::from(*digit)));
				}
			}
			total = field::add(total, combine(&sums, BITS));
		}
		total
	}
}

vectorised! {
	/// partial[d][t] += row[t]·digits[d].
	fn add_scaled(partial: &mut [i64], row: &[[u8; 4]], digits: &[i32; DIGITS]) {
		for (partial, digit) in partial.chunks_exact_mut(row.len().max(1)).zip(digits) {
			for (partial, x) in partial.iter_mut().zip(row) {
				let x = i64::from(i32::from_le_bytes(*x));
				*partial = partial.wrapping_add(x.wrapping_mul(i64::from(*digit)));
			}
		}
	}
}
