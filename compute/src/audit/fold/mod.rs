//! Products of integer matrices with one vector over the field: what a projection spends its time
//! on. A field element is split into signed digits so small that machine integers hold long sums of
//! products exactly; only the sums are reduced. The inner loops use wrapping operators, which by
//! these bounds never wrap, because checked ones would keep the compiler from vectorising them.
//!
//! Everything here is as secret as the vector, and is overwritten when it is dropped.

#[cfg(all(feature = "std", target_arch = "x86_64"))]
mod avx2;
mod fast;
mod narrow;
mod wide;

pub(super) use narrow::{NarrowFold, NarrowVector};
pub(super) use wide::{WideFold, WideVector};

use super::field;

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

/// Threads that share the tiles.
fn threads() -> usize {
	#[cfg(feature = "std")]
	return rayon::current_num_threads();
	#[cfg(not(feature = "std"))]
	1
}

/// Adds to one tile of columns after another, in parallel under `std`.
fn each_tile<T: Send>(tiles: &mut [T], work: impl Fn(usize, &mut T) + Send + Sync) {
	#[cfg(feature = "std")]
	{
		use rayon::prelude::*;
		if threads() > 1 {
			tiles.par_iter_mut().enumerate().for_each(|(index, tile)| work(index, tile));
			return;
		}
	}
	tiles.iter_mut().enumerate().for_each(|(index, tile)| work(index, tile));
}

#[cfg(test)]
mod tests {
	use super::*;
	use alloc::vec::Vec;

	/// Elements of the field and of matrices, many of them extreme.
	struct Values(u64);

	impl Values {
		fn next(&mut self) -> u64 {
			self.0 = self.0.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
			self.0 ^ (self.0 >> 29)
		}

		fn vector(&mut self, len: usize, extreme: bool) -> Vec<u64> {
			let of = |x: u64| match (extreme, x % 4) {
				(true, 0) => field::P - 1,
				// All its digits of 16 bits are the lowest or highest possible.
				(true, 1) => 0x0FFF_7FFF_8000_8000,
				(true, _) => 0x1000_8000_8000_8000 - (x % 2),
				_ => field::reduce(x),
			};
			(0..len).map(|_| of(self.next())).collect()
		}

		fn matrix(&mut self, len: usize, min: i32, extreme: bool) -> Vec<i32> {
			let of = |x: u64| match (extreme, x % 5) {
				(true, 0) => -(min + 1),
				(true, _) => min,
				_ => (x as i32).clamp(min, -(min + 1)),
			};
			(0..len).map(|_| of(self.next())).collect()
		}
	}

	/// Σ x·v over the field, in 128 bits.
	fn sum(terms: impl Iterator<Item = (i32, u64)>) -> u64 {
		let p = i128::from(field::P);
		let reduced = |(x, v): (i32, u64)| (i128::from(x) * i128::from(v)).rem_euclid(p);
		(terms.map(reduced).fold(0, |sum, term| (sum + term) % p)) as u64
	}

	/// Dot products with every row, and the fold of all rows in blocks of `block`.
	fn check(rows: usize, width: usize, block: usize, extreme: bool) {
		let mut values = Values((rows * 1_000_003 + width * 17 + block) as u64);
		let (along, down) = (values.vector(width, extreme), values.vector(rows, extreme));
		for min in [-128, i32::MIN] {
			let matrix = values.matrix(rows * width, min, extreme);
			let of_row = |row: &[i32]| sum(row.iter().copied().zip(along.iter().copied()));
			let dots: Vec<u64> = matrix.chunks(width).map(of_row).collect();
			let of_col = |col: usize| {
				sum(matrix.iter().copied().skip(col).step_by(width).zip(down.iter().copied()))
			};
			let folds: Vec<u64> = (0..width).map(of_col).collect();
			let what = alloc::format!("{rows} rows of {width} by {block} from {min}");
			if min == -128 {
				let matrix: Vec<i8> = matrix.iter().map(|x| *x as i8).collect();
				let (along, down) = (NarrowVector::new(&along), NarrowVector::new(&down));
				let got: Vec<u64> = matrix.chunks(width).map(|row| along.dot(row)).collect();
				assert_eq!(got, dots, "{what}");
				let mut fold = NarrowFold::new(width);
				matrix.chunks(block * width).for_each(|rows| fold.push(rows, &down));
				assert_eq!(fold.finish(), folds, "{what}");
			} else {
				let bytes: Vec<u8> = matrix.iter().flat_map(|x| x.to_le_bytes()).collect();
				let (along, down) = (WideVector::new(&along), WideVector::new(&down));
				let got: Vec<u64> = bytes.chunks(4 * width).map(|row| along.dot(row)).collect();
				assert_eq!(got, dots, "{what}");
				let mut fold = WideFold::new(width);
				bytes.chunks(4 * block * width).for_each(|rows| fold.push(rows, &down));
				assert_eq!(fold.finish(), folds, "{what}");
			}
		}
	}

	#[test]
	fn sums_are_exact_over_the_field() {
		for extreme in [false, true] {
			for width in (1..40).chain([511, 512, 513, 530, 1_040]) {
				check(11, width, 3, extreme);
			}
			for rows in [1, 7, 8, 9, 255, 256, 257, 264, 600] {
				check(rows, 21, 1_000, extreme);
				check(rows, 5, 10, extreme);
			}
			// Longer than one lane may sum.
			check(2, 2_048 * 4 + 2_050, 2, extreme);
			check(2_048 * 2 + 9, 9, 700, extreme);
		}
	}

	/// The kernels for every processor, where faster ones stand before them.
	#[test]
	fn portable_sums_are_exact() {
		let mut values = Values(5);
		let vector = values.vector(700, true);
		let row = values.matrix(700, -128, true);
		let want = sum(row.iter().copied().zip(vector.iter().copied()));
		let row: Vec<i8> = row.iter().map(|x| *x as i8).collect();
		assert_eq!(NarrowVector::new(&vector).portable_dot(&row), want);
		let vector = values.vector(5_000, true);
		let row = values.matrix(5_000, i32::MIN, true);
		let want = sum(row.iter().copied().zip(vector.iter().copied()));
		let row: Vec<u8> = row.iter().flat_map(|x| x.to_le_bytes()).collect();
		assert_eq!(WideVector::new(&vector).portable_dot(&row), want);
	}
}
