//! The commitment to every tensor of one execution.

use super::{
	hash::{hash, Tag},
	merkle::{self, Tree},
	position::{root_from_opening, Position},
	Root,
};
use alloc::vec::Vec;

/// H(trace leaf tag ‖ tensor root).
pub(crate) fn trace_leaf(tensor_root: &Root) -> Root {
	hash(Tag::TraceLeaf, &[tensor_root])
}

/// The root over the tensor roots of all nodes in order, inputs and consts included.
pub fn trace_root(tensor_roots: &[Root]) -> Root {
	merkle::root(tensor_roots.iter().map(trace_leaf))
}

/// The tree over the tensor roots, to open many of them.
pub(crate) fn trace_tree(tensor_roots: &[Root]) -> Tree {
	Tree::new(tensor_roots.iter().map(trace_leaf).collect())
}

/// The path that opens `node`; `None` past the last node.
pub fn prove_trace(tensor_roots: &[Root], node: u32) -> Option<Vec<Root>> {
	trace_tree(tensor_roots).prove(node)
}

/// Whether `tensor_root` is the one committed for `node` of `count`.
pub fn verify_trace(
	trace_root: &Root,
	count: u32,
	node: u32,
	tensor_root: &Root,
	path: &[Root],
) -> bool {
	merkle::root_from_path(trace_leaf(tensor_root), node, count, path).as_ref() == Some(trace_root)
}

/// Whether `below` is what the opening of a position in the tree over the tensor roots of `count`
/// nodes shows: tensor roots themselves where [it shows leaves](Position::shows_leaves), else the
/// hashes of subtrees. Strict, as [`verify_trace`].
pub fn verify_trace_at(
	trace_root: &Root,
	count: u32,
	at: Position,
	below: &[Root],
	path: &[Root],
) -> bool {
	let hash = |below: &Root| if at.shows_leaves() { trace_leaf(below) } else { *below };
	root_from_opening(below, hash, at, count, path).as_ref() == Some(trace_root)
}
