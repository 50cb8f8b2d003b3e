//! Products of integer matrices with one vector over the field: what a projection spends its time
//! on. A field element is split into signed digits so small that machine integers hold long sums of
//! products exactly; only the sums are reduced. The inner loops use wrapping operators, which by these
//! bounds never wrap, because checked ones would keep the compiler from vectorising them.
//!
//! Everything here is as secret as the vector, and is overwritten when it is dropped.

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

/// Adds to one tile of columns after another, in parallel under `std`.
fn each_tile<T: Send>(tiles: &mut [T], work: impl Fn(usize, &mut T) + Send + Sync) {
	#[cfg(feature = "std")]
	{
		use rayon::prelude::*;
		if rayon::current_num_threads() > 1 {
			tiles.par_iter_mut().enumerate().for_each(|(index, tile)| work(index, tile));
			return;
		}
	}
	tiles.iter_mut().enumerate().for_each(|(index, tile)| work(index, tile));
}
