//! Hashes of many messages of one length: the rows of a tensor, the pairs of a tree's level.

use super::{hash::Tag, Root};
use crate::exec::for_each_chunk;
use alloc::{vec, vec::Vec};

/// Bytes that one thread hashes at a time.
const PIECE: usize = 128 * 1024;

/// H(tag ‖ row) of each whole row of `width` bytes, on all threads of the current pool under `std`.
pub(super) fn hash_rows(tag: Tag, width: usize, data: &[u8]) -> Vec<Root> {
	let width = width.max(1);
	let mut hashes = vec![[0; 32]; data.len() / width];
	// A multiple of the lanes that are hashed together.
	let rows = PIECE.div_ceil(width).next_multiple_of(8);
	for_each_chunk(hashes.as_flattened_mut(), rows.saturating_mul(32), |index, hashes| {
		let first = index.saturating_mul(rows).saturating_mul(width);
		let hashes = hashes.as_chunks_mut::<32>().0;
		hash_piece(tag, width, data.get(first..).unwrap_or(&[]), hashes);
	});
	hashes
}

/// As many rows as there are places for their hashes.
fn hash_piece(tag: Tag, width: usize, data: &[u8], hashes: &mut [Root]) {
	let grouped = hash_groups(tag, width, data, hashes);
	// The hash is fastest over bytes that it is given at once, the tag among them.
	let mut message = Vec::with_capacity(width.saturating_add(1));
	for (hash, row) in hashes.iter_mut().zip(data.chunks_exact(width)).skip(grouped) {
		message.clear();
		message.push(tag as u8);
		message.extend_from_slice(row);
		*hash = *blake3::hash(&message).as_bytes();
	}
}

/// Hashes rows side by side, as many as fill whole groups, where the processor can; says how many.
#[cfg(all(feature = "std", target_arch = "x86_64"))]
fn hash_groups(tag: Tag, width: usize, data: &[u8], hashes: &mut [Root]) -> usize {
	use super::lanes::{detected, hash, LANES, MAX_WIDTH};
	if !detected() || width > MAX_WIDTH {
		return 0;
	}
	let (groups, _) = hashes.as_chunks_mut::<LANES>();
	let grouped = groups.len().saturating_mul(LANES);
	let mut rows = data.chunks_exact(width);
	for hashes in groups {
		let rows = core::array::from_fn(|_| rows.next().unwrap_or(&[]));
		// SAFETY: the processor has AVX2.
		#[allow(unsafe_code)]
		unsafe {
			hash(tag as u8, rows, hashes)
		};
	}
	grouped
}

#[cfg(not(all(feature = "std", target_arch = "x86_64")))]
fn hash_groups(_: Tag, _: usize, _: &[u8], _: &mut [Root]) -> usize {
	0
}
