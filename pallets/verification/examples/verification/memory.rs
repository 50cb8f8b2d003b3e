//! How fast memory is copied.

use crate::measure::{seconds, turns};
use std::hint::black_box;

/// Bytes copied in a second, at best.
pub fn copied(bytes: usize) -> f64 {
	let from = vec![1u8; bytes];
	let mut to = vec![2u8; bytes];
	let mut copy = || seconds(|| black_box(&mut to[..]).copy_from_slice(black_box(&from))).0;
	let first = copy();
	// A tenth of the turns of a measurement is plenty for a copy.
	let best = (0..turns(10.0 * first)).map(|_| copy()).fold(first, f64::min);
	bytes as f64 / best
}
