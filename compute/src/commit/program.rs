//! The commitment to a program, of which proofs open only the nodes they need.

use super::{
	hash::{hash, Tag},
	merkle::{self, Tree},
	Root,
};
use crate::{Node, Shape, ValidProgram};
use alloc::vec::Vec;
use codec::Encode;

fn leaf(node: &Node, shape: Shape) -> Root {
	node.using_encoded(|bytes| hash(Tag::ProgramLeaf, &[bytes, &shape.header()]))
}

fn seal(count: u32, nodes: &Root) -> Root {
	hash(Tag::Program, &[&count.to_le_bytes(), nodes])
}

/// The id of the program with these nodes and the shapes of their results.
pub fn program_id(nodes: &[Node], shapes: &[Shape]) -> Root {
	let leaves = nodes.iter().zip(shapes).map(|(node, shape)| leaf(node, *shape));
	seal(nodes.len() as u32, &merkle::root(leaves))
}

/// The tree over a program's nodes, to open many of them.
pub(crate) fn node_tree(program: &ValidProgram) -> Tree {
	let pairs = program.nodes().iter().zip(program.shapes());
	Tree::new(pairs.map(|(node, shape)| leaf(node, *shape)).collect())
}

/// The path that opens node `index` of a program; `None` past the last node.
pub fn prove_node(program: &ValidProgram, index: u32) -> Option<Vec<Root>> {
	node_tree(program).prove(index)
}

/// Whether `node`, with a result of `shape`, is number `index` of the `count` nodes of program `id`.
pub fn verify_node(
	id: &Root,
	count: u32,
	index: u32,
	node: &Node,
	shape: Shape,
	path: &[Root],
) -> bool {
	merkle::root_from_path(leaf(node, shape), index, count, path)
		.is_some_and(|nodes| seal(count, &nodes) == *id)
}
