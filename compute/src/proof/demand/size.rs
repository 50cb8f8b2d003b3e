//! How large answers can be.

use crate::{
	commit::{height, OPENED_LEVELS},
	Shape, MAX_NODE_BYTES,
};

/// Bytes of a hash.
const HASH: u64 = 32;

/// Bytes of the encoding of a list of `count` items of `size` bytes: a SCALE compact length, then
/// the items.
fn list(count: u64, size: u64) -> u64 {
	let length: u64 = match count {
		0..=0x3F => 1,
		0x40..=0x3FFF => 2,
		0x4000..=0x3FFF_FFFF => 4,
		_ => 9,
	};
	length.saturating_add(count.saturating_mul(size))
}

/// The longest path in a tree of `count` leaves.
fn path(count: u32) -> u64 {
	list(height(count).into(), HASH)
}

/// The largest total of the hashes below a position and of its path, in a tree of `count` leaves.
fn below(count: u32) -> u64 {
	// Below a higher position there are no more hashes, above it fewer.
	let level = height(count).min(OPENED_LEVELS);
	let shown = 1u64.checked_shl(level.into()).unwrap_or(u64::MAX).min(count.into());
	let path = height(count).saturating_sub(level);
	list(shown, HASH).saturating_add(list(path.into(), HASH))
}

/// The longest encoding, in bytes, of an [`Opening`](super::Opening) of a place in a program of so
/// many nodes, where the node it is about has a result of `shape`. Price a demand and its bond by
/// it, and refuse longer answers unread.
pub fn largest_opening(nodes: u32, shape: Shape) -> u64 {
	// Kind of opening; the node with its shape's 9 bytes and its path; the tensor root and its
	// path.
	let opened = (MAX_NODE_BYTES as u64).saturating_add(9).saturating_add(path(nodes));
	let tensor = opened.saturating_add(HASH).saturating_add(path(nodes));
	let row = list(shape.row_bytes().into(), 1).saturating_add(path(shape.rows));
	let about_rows = tensor.saturating_add(row.max(below(shape.rows)));
	about_rows.max(below(nodes)).saturating_add(1)
}
