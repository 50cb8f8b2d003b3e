//! Products with i8 matrices.

use super::{combine, digits, each_tile, fast, threads};
use alloc::{vec, vec::Vec};
use zeroize::Zeroize;

/// Digits of 16 bits: a product with an i8 is at most 2^22, so an i32 holds 256 of them (2^30).
pub(super) const DIGITS: usize = 4;
/// Terms of such a sum.
pub(super) const TERMS: usize = 256;
/// Rows that are folded together: sums are read and written once for all of them.
pub(super) const ROWS: usize = 8;
/// Columns that are folded together: their sums stay in the first-level cache.
const TILE: usize = 512;
/// Bytes of a matrix, for each thread, that are gone through tile by tile before its next rows.
const BLOCK: usize = 128 * 1024;

/// A vector over the field, ready for products with i8 rows.
pub(crate) struct NarrowVector {
	digits: [Vec<i16>; DIGITS],
}

impl NarrowVector {
	pub(crate) fn new(vector: &[u64]) -> Self {
		// Of the right size at once, so that growing leaves no copies behind.
		let mut split: [Vec<i16>; DIGITS] =
			core::array::from_fn(|_| Vec::with_capacity(vector.len()));
		for value in vector {
			let digits = digits::<DIGITS>(*value as i64, 16);
			for (split, digit) in split.iter_mut().zip(digits) {
				split.push(digit as i16);
			}
		}
		NarrowVector { digits: split }
	}

	/// Bytes it takes in memory.
	pub(crate) fn bytes(&self) -> usize {
		self.digits.iter().map(|digits| digits.len().saturating_mul(2)).sum()
	}

	/// Σ row\[t\]·vector\[t\].
	pub(crate) fn dot(&self, row: &[i8]) -> u64 {
		let digits = self.digits.each_ref().map(|digits| &digits[..]);
		combine(&dot(row, digits), 16)
	}
}

#[cfg(test)]
impl NarrowVector {
	/// [`dot`](Self::dot) without the kernels of this processor.
	pub(super) fn portable_dot(&self, row: &[i8]) -> u64 {
		let digits = self.digits.each_ref().map(|digits| &digits[..]);
		combine(&portable_dot(row, digits), 16)
	}
}

impl Drop for NarrowVector {
	fn drop(&mut self) {
		self.digits.zeroize();
	}
}

/// Mᵀ·v for an i8 matrix M whose rows come block by block.
pub(crate) struct NarrowFold {
	width: usize,
	/// Rows so far.
	rows: usize,
	tiles: Vec<Tile>,
}

impl NarrowFold {
	/// For rows of `width` elements.
	pub(crate) fn new(width: usize) -> Self {
		let tile = |first: usize| Tile::new(TILE.min(width - first));
		NarrowFold { width, rows: 0, tiles: (0..width).step_by(TILE).map(tile).collect() }
	}

	/// Adds the next whole rows, each times its element of `vector`.
	pub(crate) fn push(&mut self, rows: &[i8], vector: &NarrowVector) {
		let width = self.width.max(1);
		let at_once = BLOCK.saturating_mul(threads()) / width;
		let at_once = at_once.max(1).saturating_mul(width);
		for block in rows.chunks(at_once) {
			let first = self.rows;
			let count = (block.len() / width).min(vector.digits[0].len().saturating_sub(first));
			if count == 0 {
				break;
			}
			let digits = vector.digits.each_ref().map(|d| &d[first..first + count]);
			each_tile(&mut self.tiles, |index, tile| {
				tile.add(&block[index * TILE..], width, digits)
			});
			self.rows += count;
		}
	}

	/// Mᵀ·v.
	pub(crate) fn finish(mut self) -> Vec<u64> {
		let mut folded = Vec::with_capacity(self.width);
		for tile in &mut self.tiles {
			tile.flush();
			folded.extend(tile.sums.iter().map(|sums| combine(sums, 16)));
		}
		folded
	}
}

/// Sums of a few neighbouring columns.
struct Tile {
	sums: Vec<[i64; DIGITS]>,
	/// Sums of the last `terms` rows, digit by digit.
	partial: Vec<i32>,
	terms: usize,
}

impl Tile {
	fn new(width: usize) -> Self {
		Tile { sums: vec![[0; DIGITS]; width], partial: vec![0; DIGITS * width], terms: 0 }
	}

	/// Adds rows `stride` apart, of which `matrix` begins with the first one's part.
	fn add(&mut self, matrix: &[i8], stride: usize, digits: [&[i16]; DIGITS]) {
		let width = self.sums.len();
		let row = |row: usize| &matrix[row * stride..row * stride + width];
		let rows = digits[0].len();
		let mut next = 0;
		while next < rows {
			let together = ROWS.min(rows - next);
			if self.terms + together > TERMS {
				self.flush();
			}
			let scales = digits.map(|digits| &digits[next..next + together]);
			match scales.map(|scales| scales.first_chunk::<ROWS>().copied()) {
				[Some(a), Some(b), Some(c), Some(d)] => {
					let rows = core::array::from_fn(|j| row(next + j));
					add_rows(&mut self.partial, rows, &[a, b, c, d]);
				}
				_ => {
					for j in 0..together {
						let scales = scales.map(|scales| scales[j]);
						add_scaled(&mut self.partial, width, 0, row(next + j), &scales);
					}
				}
			}
			self.terms += together;
			next += together;
		}
	}

	fn flush(&mut self) {
		for (d, partial) in self.partial.chunks_exact(self.sums.len()).enumerate() {
			for (sums, partial) in self.sums.iter_mut().zip(partial) {
				sums[d] += i64::from(*partial);
			}
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

/// partial\[d\]\[t\] += Σ rows\[j\]\[t\]·digits\[d\]\[j\].
fn add_rows(partial: &mut [i32], rows: [&[i8]; ROWS], digits: &[[i16; ROWS]; DIGITS]) {
	let width = rows[0].len();
	let done = fast::add_rows(partial, rows, digits);
	if done < width {
		for (j, row) in rows.into_iter().enumerate() {
			add_scaled(partial, width, done, &row[done..], &digits.map(|digits| digits[j]));
		}
	}
}

/// Σ row\[t\]·digits\[d\]\[t\].
fn dot(row: &[i8], digits: [&[i16]; DIGITS]) -> [i64; DIGITS] {
	let (mut sums, done) = fast::narrow_dot(row, digits);
	let rest = portable_dot(&row[done..], digits.map(|digits| &digits[done..]));
	for (sum, rest) in sums.iter_mut().zip(rest) {
		*sum += rest;
	}
	sums
}

vectorised! {
	fn portable_dot(row: &[i8], digits: [&[i16]; DIGITS]) -> [i64; DIGITS] {
		let mut sums = [0i64; DIGITS];
		for (index, row) in row.chunks(TERMS).enumerate() {
			let start = index * TERMS;
			for (sum, digits) in sums.iter_mut().zip(digits) {
				let digits = &digits[start..start + row.len()];
				let products = row.iter().zip(digits).map(|(x, d)| i32::from(*x) * i32::from(*d));
				*sum += i64::from(products.fold(0, i32::wrapping_add));
			}
		}
		sums
	}
}

vectorised! {
	/// partial\[d\]\[first + t\] += row\[t\]·digits\[d\].
	fn add_scaled(
		partial: &mut [i32],
		width: usize,
		first: usize,
		row: &[i8],
		digits: &[i16; DIGITS],
	) {
		for (partial, digit) in partial.chunks_exact_mut(width.max(1)).zip(digits) {
			for (partial, x) in partial[first..].iter_mut().zip(row) {
				*partial = partial.wrapping_add(i32::from(*x).wrapping_mul(i32::from(*digit)));
			}
		}
	}
}
