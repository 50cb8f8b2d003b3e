//! The upper part of a tensor's hash tree: opens any row with the bytes of the rows beside it.

use super::{
	merkle::{self, Tree},
	tensor::{row_leaves, seal},
	Root,
};
use crate::Shape;
use alloc::vec::Vec;
use core::ops::Range;

/// Most bytes of a group, if that is more than one row.
const GROUP_BYTES: u32 = 64 * 1024;
/// Most rows of a group.
const GROUP_ROWS: u32 = 4096;

/// The hashes of a tensor's tree above groups of its rows. It is built from one group at a time and
/// takes a small part of the memory of a [`RowTree`](super::RowTree), and of the tensor's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupTree {
	shape: Shape,
	root: Root,
	tree: Tree,
}

impl GroupTree {
	/// Hashes a tensor of `shape`, of which `read` gives the bytes of some rows. It is asked for each
	/// row once, in order. Whether what it gave is the tensor that was meant, the root tells.
	pub fn build<E>(
		shape: Shape,
		mut read: impl FnMut(Range<u32>) -> Result<Vec<u8>, E>,
	) -> Result<Self, E> {
		let mut roots = Vec::new();
		let mut next = 0;
		while next < shape.rows {
			let rows = group_of(shape, next);
			next = rows.end;
			roots.push(merkle::root_of(row_leaves(shape, &read(rows)?)));
		}
		let tree = Tree::new(roots);
		Ok(GroupTree { shape, root: seal(shape, &tree.root()), tree })
	}

	/// The tensor root.
	pub fn root(&self) -> Root {
		self.root
	}

	/// Bytes that the hashes take.
	pub fn bytes(&self) -> u64 {
		u64::from(self.tree.leaves()).saturating_mul(64)
	}

	/// The rows whose bytes are needed to open `row`.
	pub fn group_of(&self, row: u32) -> Range<u32> {
		group_of(self.shape, row)
	}

	/// The path that opens `row`, with the bytes of its group; `None` past the last row.
	pub fn prove(&self, row: u32, group: &[u8]) -> Option<Vec<Root>> {
		let rows = self.group_of(row);
		let within = Tree::new(row_leaves(self.shape, group));
		let mut path = within.prove(row.checked_sub(rows.start)?)?;
		let above = row.checked_div(rows_per_group(self.shape))?;
		path.extend(self.tree.prove(above)?);
		Some(path)
	}
}

/// A power of two, so that the groups' roots are a level of the tree.
fn rows_per_group(shape: Shape) -> u32 {
	let most = GROUP_BYTES.checked_div(shape.row_bytes()).unwrap_or(1).clamp(1, GROUP_ROWS);
	1u32.checked_shl(most.checked_ilog2().unwrap_or(0)).unwrap_or(1)
}

fn group_of(shape: Shape, row: u32) -> Range<u32> {
	let rows = rows_per_group(shape);
	let start = row.saturating_sub(row.checked_rem(rows).unwrap_or(0));
	start..start.saturating_add(rows).min(shape.rows)
}
