//! Places inside a tree, and opening them by the hashes a few levels below.

use super::{
	merkle::{self, Tree},
	Root,
};
use alloc::vec::Vec;

/// Levels that an opening goes below its position: at most 2^8 hashes, 8 KiB.
pub const OPENED_LEVELS: u8 = 8;

/// A subtree: the one over leaves `index << level .. (index + 1) << level`, as far as there are
/// any.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
	/// Levels above the leaves, which are level 0.
	pub level: u8,
	/// Number of subtrees of this level to its left.
	pub index: u32,
}

/// Number of subtrees of `level` in a tree of `count` leaves.
pub fn width(count: u32, level: u8) -> u32 {
	match 1u64.checked_shl(level.into()) {
		Some(leaves) => u64::from(count).div_ceil(leaves) as u32,
		None => u32::from(count > 0),
	}
}

/// Level of the root over `count` leaves: the longest path.
pub fn height(count: u32) -> u8 {
	count.checked_sub(1).and_then(u32::checked_ilog2).map_or(0, |log| (log as u8).saturating_add(1))
}

impl Position {
	/// The root of a tree of `count` leaves.
	pub fn root(count: u32) -> Self {
		Position { level: height(count), index: 0 }
	}

	/// Whether a tree of `count` leaves has such a subtree. Each has one name only: an odd last
	/// node, which stands for itself on the levels above, is named where it is made.
	pub fn exists(self, count: u32) -> bool {
		let first = self.first();
		match self.level.checked_sub(1) {
			None => first < u64::from(count),
			// More leaves than half, so it has two children.
			Some(below) => {
				let half = 1u64.checked_shl(below.into()).unwrap_or(u64::MAX);
				first.saturating_add(half) < u64::from(count)
			}
		}
	}

	/// The same subtree by the one name that [exists](Self::exists).
	pub fn canonical(mut self, count: u32) -> Self {
		while self.level > 0 && !self.exists(count) {
			self.level = self.level.saturating_sub(1);
			self.index = self.index.saturating_mul(2);
		}
		self
	}

	/// Its first leaf.
	fn first(self) -> u64 {
		let leaves = 1u64.checked_shl(self.level.into()).unwrap_or(u64::MAX);
		u64::from(self.index).saturating_mul(leaves)
	}

	/// Levels that its opening goes down: [`OPENED_LEVELS`] or to the leaves.
	pub fn depth(self) -> u8 {
		self.level.min(OPENED_LEVELS)
	}

	/// Whether its opening shows leaves.
	pub fn shows_leaves(self) -> bool {
		self.level <= OPENED_LEVELS
	}

	/// Number of places that its opening shows where none is missing.
	fn most_below(self) -> u32 {
		1u32.checked_shl(self.depth().into()).unwrap_or(u32::MAX)
	}

	/// The first place that its opening shows.
	pub fn first_below(self) -> Self {
		let level = self.level.saturating_sub(self.depth());
		Position { level, index: self.index.saturating_mul(self.most_below()) }
	}

	/// Number of places that its opening shows, in a tree of `count` leaves.
	pub fn places_below(self, count: u32) -> u32 {
		let first = self.first_below();
		width(count, first.level).saturating_sub(first.index).min(self.most_below())
	}
}

impl Tree {
	/// The hashes that the opening of a position shows, and the siblings from it up to the root;
	/// `None` unless it [exists](Position::exists).
	pub fn open(&self, at: Position) -> Option<(Vec<Root>, Vec<Root>)> {
		let count = self.leaves();
		if !at.exists(count) {
			return None;
		}
		let first = at.first_below();
		let end = first.index.saturating_add(at.places_below(count));
		let below = (first.index..end).map(|index| self.node(first.level.into(), index));
		Some((below.collect::<Option<Vec<_>>>()?, self.prove_at(at)?))
	}
}

/// The root of a tree of `count` leaves to which the opening of a position leads. `None` unless the
/// position exists and both numbers of hashes are the ones that follow from it and `count`. `hash`
/// gives the tree's hash of what is shown.
pub(super) fn root_from_opening(
	below: &[Root],
	hash: impl Fn(&Root) -> Root,
	at: Position,
	count: u32,
	path: &[Root],
) -> Option<Root> {
	if !at.exists(count) || below.len() as u64 != u64::from(at.places_below(count)) {
		return None;
	}
	let subtree = merkle::root_of(below.iter().map(hash).collect());
	// Subtrees of one level are leaves of the tree above them.
	merkle::root_from_path(subtree, at.index, width(count, at.level), path)
}
