//! Validity, decided once from the declared shapes alone.

use super::{infer, Costs, Invalid, Program, MAX_NODES};
use crate::{commit, Node, Root, Shape};
use alloc::{vec, vec::Vec};

/// A program that is not valid, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidProgram {
	/// The node at fault; `None` when it is the program as a whole.
	pub node: Option<u32>,
	/// What is wrong with it.
	pub reason: Invalid,
}

impl core::fmt::Display for InvalidProgram {
	fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
		match self.node {
			Some(node) => write!(f, "node {node}: {}", self.reason),
			None => self.reason.fmt(f),
		}
	}
}

impl core::error::Error for InvalidProgram {}

/// A program whose references, shapes, types and limits all hold. Executing it can fail only for
/// want of its tensors or of memory. Says nothing of cost: bound [`costs`](Self::costs).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValidProgram {
	nodes: Vec<Node>,
	shapes: Vec<Shape>,
	costs: Costs,
	id: Root,
}

impl ValidProgram {
	pub(super) fn new(program: Program) -> Result<Self, InvalidProgram> {
		let nodes = program.nodes;
		let whole = |reason| InvalidProgram { node: None, reason };
		if nodes.is_empty() {
			return Err(whole(Invalid::NoNodes));
		}
		if nodes.len() > MAX_NODES {
			return Err(whole(Invalid::TooManyNodes(nodes.len() as u64)));
		}
		let mut shapes = Vec::with_capacity(nodes.len());
		let mut used = vec![false; nodes.len()];
		let mut costs = Costs::default();
		let mut operands = Vec::new();
		for (index, node) in (0u32..).zip(&nodes) {
			let at = |reason| InvalidProgram { node: Some(index), reason };
			let shape = |reference: u32| shapes.get(reference as usize).copied();
			let out = infer::infer(node, shape).map_err(at)?;
			operands.clear();
			operands.extend(node.operands().filter_map(shape));
			costs.add(node, &operands, out);
			for operand in node.operands() {
				if let Some(used) = used.get_mut(operand as usize) {
					*used = true;
				}
			}
			shapes.push(out);
		}
		// The output is the one node that nothing needs to use.
		if let Some(dead) = used.iter().rev().skip(1).rev().position(|used| !used) {
			return Err(InvalidProgram { node: Some(dead as u32), reason: Invalid::Unused });
		}
		let id = commit::program_id(&nodes, &shapes);
		Ok(ValidProgram { nodes, shapes, costs, id })
	}

	/// The nodes in order.
	pub fn nodes(&self) -> &[Node] {
		&self.nodes
	}

	/// The shape of every node's result, in order.
	pub fn shapes(&self) -> &[Shape] {
		&self.shapes
	}

	/// Number of nodes, at least 1.
	pub fn len(&self) -> u32 {
		self.nodes.len() as u32
	}

	/// Always false; a valid program has nodes.
	pub fn is_empty(&self) -> bool {
		self.nodes.is_empty()
	}

	/// What one execution costs.
	pub fn costs(&self) -> &Costs {
		&self.costs
	}

	/// The commitment to nodes and shapes that names this program.
	pub fn id(&self) -> Root {
		self.id
	}

	/// A node with the shapes around it; `None` past the end.
	pub fn step(&self, node: u32) -> Option<crate::Step<'_>> {
		let op = self.nodes.get(node as usize)?;
		let out = self.shapes.get(node as usize).copied()?;
		let operands = op.operands().map(|o| self.shapes.get(o as usize).copied());
		Some(crate::Step { node: op, operands: operands.collect::<Option<Vec<_>>>()?, out })
	}

	/// Inputs in node order: node and shape.
	pub fn inputs(&self) -> Vec<(u32, Shape)> {
		let pairs = (0u32..).zip(&self.nodes).zip(&self.shapes);
		pairs
			.filter(|((_, node), _)| matches!(node, Node::Input { .. }))
			.map(|((index, _), shape)| (index, *shape))
			.collect()
	}

	/// Consts in node order: node, shape and declared tensor root.
	pub fn consts(&self) -> Vec<(u32, Shape, Root)> {
		let pairs = (0u32..).zip(&self.nodes).zip(&self.shapes);
		pairs
			.filter_map(|((index, node), shape)| match node {
				Node::Const { root, .. } => Some((index, *shape, *root)),
				_ => None,
			})
			.collect()
	}

	/// Index of the last node, whose result is the output.
	pub fn output(&self) -> u32 {
		self.len().saturating_sub(1)
	}

	/// Shape of the output.
	pub fn output_shape(&self) -> Shape {
		self.shapes.last().copied().unwrap_or(Shape::new(crate::Dtype::I8, 1, 1))
	}

	/// The program as it was before validation.
	pub fn into_program(self) -> Program {
		Program { nodes: self.nodes }
	}

	/// The canonical SCALE encoding.
	pub fn encode(&self) -> Vec<u8> {
		codec::Encode::encode(&self.nodes)
	}
}
