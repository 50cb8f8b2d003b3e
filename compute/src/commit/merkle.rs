//! Merkle trees in the shape of RFC 6962: n leaves split at the largest power of two below n. One
//! leaf is its own root, and there is no tree of none.

use super::{
	hash::{hash, Tag},
	many::hash_rows,
	position::Position,
	Root,
};
use alloc::vec::Vec;

/// Longest path: indices are 32 bits.
pub const MAX_PATH: usize = 32;

pub(super) fn inner(left: &Root, right: &Root) -> Root {
	hash(Tag::Inner, &[left, right])
}

/// Builds a root from leaves in order, keeping one hash per level.
#[derive(Clone, Debug, Default)]
pub struct Stack {
	/// Roots of complete subtrees, largest first, with their heights.
	subtrees: Vec<(u32, Root)>,
}

impl Stack {
	/// Appends the next leaf.
	pub fn push(&mut self, leaf: Root) {
		self.push_subtree(0, leaf);
	}

	/// Appends many leaves; where they complete subtrees, these are hashed side by side.
	pub fn extend(&mut self, mut leaves: &[Root]) {
		while let Some(whole) = leaves.len().checked_ilog2() {
			// The smallest subtree so far says how the next leaf is aligned.
			let aligned = self.subtrees.last().map_or(whole, |(height, _)| *height);
			let height = whole.min(aligned);
			let (now, later) = leaves.split_at(1usize.checked_shl(height).unwrap_or(1));
			self.push_subtree(height, root_of(now.to_vec()));
			leaves = later;
		}
	}

	/// Appends the root of a complete subtree of 2^`height` leaves.
	fn push_subtree(&mut self, mut height: u32, mut node: Root) {
		while let Some((_, left)) = self.subtrees.pop_if(|(h, _)| *h == height) {
			node = inner(&left, &node);
			height = height.saturating_add(1);
		}
		self.subtrees.push((height, node));
	}

	/// The root; `None` without leaves.
	pub fn finish(mut self) -> Option<Root> {
		let (_, mut node) = self.subtrees.pop()?;
		while let Some((_, left)) = self.subtrees.pop() {
			node = inner(&left, &node);
		}
		Some(node)
	}
}

/// The level above: hashes of pairs, and an odd last node as it is. Doing this until one is left
/// gives the shape of RFC 6962.
fn level_above(level: &[Root]) -> Vec<Root> {
	let (pairs, odd) = level.as_chunks::<2>();
	let mut above = hash_rows(Tag::Inner, 64, pairs.as_flattened().as_flattened());
	above.extend(odd);
	above
}

/// The root over `leaves`; all zeros without leaves, which no valid commitment has.
pub(super) fn root_of(mut leaves: Vec<Root>) -> Root {
	while leaves.len() > 1 {
		leaves = level_above(&leaves);
	}
	leaves.first().copied().unwrap_or_default()
}

/// The same without holding all leaves at once.
pub(super) fn root(leaves: impl IntoIterator<Item = Root>) -> Root {
	let mut stack = Stack::default();
	for leaf in leaves {
		stack.push(leaf);
	}
	stack.finish().unwrap_or_default()
}

/// All hashes of a tree, level by level, leaves first: twice the leaves' memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
	levels: Vec<Vec<Root>>,
}

impl Tree {
	/// The tree over `leaves`. Without leaves its root is all zeros, which no commitment has.
	pub fn new(leaves: Vec<Root>) -> Self {
		let mut levels = Vec::new();
		let mut level = leaves;
		while level.len() > 1 {
			let above = level_above(&level);
			levels.push(core::mem::replace(&mut level, above));
		}
		levels.push(level);
		Tree { levels }
	}

	/// The root over the leaves.
	pub fn root(&self) -> Root {
		self.levels.last().and_then(|top| top.first()).copied().unwrap_or_default()
	}

	/// Number of leaves.
	pub fn leaves(&self) -> u32 {
		self.levels.first().map_or(0, Vec::len) as u32
	}

	/// The hash at `index` of `level` (0 = leaves): the root of leaves
	/// `index << level .. (index + 1) << level`, as far as there are any.
	pub fn node(&self, level: u32, index: u32) -> Option<Root> {
		self.levels.get(level as usize)?.get(index as usize).copied()
	}

	/// The siblings from leaf `index` up to the root; `None` past the last leaf.
	pub fn prove(&self, index: u32) -> Option<Vec<Root>> {
		self.prove_at(Position { level: 0, index })
	}

	/// The siblings from a position up to the root; `None` unless it exists.
	pub fn prove_at(&self, at: Position) -> Option<Vec<Root>> {
		if !at.exists(self.leaves()) {
			return None;
		}
		let mut index = at.index as usize;
		let mut path = Vec::new();
		for level in self.levels.iter().skip(at.level.into()) {
			// An odd last node has no sibling on its level.
			path.extend(level.get(index ^ 1));
			index >>= 1;
		}
		Some(path)
	}
}

/// One step of a path, from the leaf up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathStep {
	/// Whether the sibling is the left one of the pair.
	pub sibling_is_left: bool,
	/// Leaves below the sibling: `start..start + count`.
	pub start: u32,
	/// Number of leaves below the sibling.
	pub count: u32,
}

/// The steps from leaf `index` of `count` up to the root; `None` unless `index < count`. They
/// follow from these two numbers alone, never from a proof.
pub fn steps(index: u32, count: u32) -> Option<Vec<PathStep>> {
	if index >= count {
		return None;
	}
	let mut steps = Vec::with_capacity(MAX_PATH);
	let (mut start, mut left) = (0u32, count);
	while left > 1 {
		let split = largest_power_of_two_below(left);
		let middle = start.saturating_add(split);
		let right = left.saturating_sub(split);
		if index < middle {
			steps.push(PathStep { sibling_is_left: false, start: middle, count: right });
			left = split;
		} else {
			steps.push(PathStep { sibling_is_left: true, start, count: split });
			start = middle;
			left = right;
		}
	}
	steps.reverse();
	Some(steps)
}

/// For n ≥ 2.
fn largest_power_of_two_below(n: u32) -> u32 {
	1u32.checked_shl(n.saturating_sub(1).checked_ilog2().unwrap_or(0)).unwrap_or(1)
}

/// The root that `path` leads to from `leaf` at `index` of `count`; `None` if the index is out of
/// range or the path's length is not exactly the one that follows from index and count.
pub fn root_from_path(leaf: Root, index: u32, count: u32, path: &[Root]) -> Option<Root> {
	let steps = steps(index, count)?;
	if steps.len() != path.len() {
		return None;
	}
	Some(steps.iter().zip(path).fold(leaf, |node, (step, sibling)| {
		if step.sibling_is_left {
			inner(sibling, &node)
		} else {
			inner(&node, sibling)
		}
	}))
}
