//! Tensor roots, and the proofs that open single rows of them.

use super::{
	hash::{hash, Tag},
	many::hash_rows,
	merkle::{self, Tree},
	position::{root_from_opening, Position},
	Root,
};
use crate::{Shape, Tensor};
use alloc::vec::Vec;

/// H(row tag ‖ bytes of the row).
pub(super) fn row_leaf(row: &[u8]) -> Root {
	hash(Tag::Row, &[row])
}

/// H(tensor tag ‖ dtype ‖ rows ‖ cols ‖ root over the rows).
pub(super) fn seal(shape: Shape, rows: &Root) -> Root {
	hash(Tag::Tensor, &[&shape.header(), rows])
}

/// The commitment to a tensor. Uses all threads of the current pool under `std`.
pub fn tensor_root(tensor: &Tensor) -> Root {
	tensor_root_of(tensor.shape(), tensor.data())
}

/// The root of the tensor of `shape` with these bytes; those after the last whole row are left
/// out, so the caller checks the length.
pub fn tensor_root_of(shape: Shape, data: &[u8]) -> Root {
	seal(shape, &merkle::root_of(row_leaves(shape, data)))
}

pub(super) fn row_leaves(shape: Shape, data: &[u8]) -> Vec<Root> {
	hash_rows(Tag::Row, shape.row_bytes() as usize, data)
}

/// All hashes of one tensor's tree, to open any of its rows: 64 bytes a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowTree {
	shape: Shape,
	root: Root,
	tree: Tree,
}

impl RowTree {
	/// Hashes all rows of a tensor.
	pub fn new(tensor: &Tensor) -> Self {
		let shape = tensor.shape();
		let tree = Tree::new(row_leaves(shape, tensor.data()));
		RowTree { shape, root: seal(shape, &tree.root()), tree }
	}

	/// The tensor root.
	pub fn root(&self) -> Root {
		self.root
	}

	/// The tensor's shape.
	pub fn shape(&self) -> Shape {
		self.shape
	}

	/// The Merkle tree over the row leaves.
	pub fn tree(&self) -> &Tree {
		&self.tree
	}

	/// The path that opens `row`; `None` past the last row.
	pub fn prove(&self, row: u32) -> Option<Vec<Root>> {
		self.tree.prove(row)
	}
}

/// Whether `row_bytes` is row `row` of the tensor of `shape` with this `root`. Strict: the row's
/// length, the index and the path's exact length follow from `shape`, never from the proof.
pub fn verify_row(root: &Root, shape: Shape, row: u32, row_bytes: &[u8], path: &[Root]) -> bool {
	shape.check().is_ok()
		&& row_bytes.len() as u64 == u64::from(shape.row_bytes())
		&& merkle::root_from_path(row_leaf(row_bytes), row, shape.rows, path)
			.is_some_and(|rows| seal(shape, &rows) == *root)
}

/// Whether `below` are the hashes that the opening of a position in the row tree of the tensor of
/// `shape` with this `root` shows: those of rows where [it shows leaves](Position::shows_leaves).
/// Strict, as [`verify_row`].
pub fn verify_rows_at(
	root: &Root,
	shape: Shape,
	at: Position,
	below: &[Root],
	path: &[Root],
) -> bool {
	shape.check().is_ok()
		&& root_from_opening(below, |hash| *hash, at, shape.rows, path)
			.is_some_and(|rows| seal(shape, &rows) == *root)
}
