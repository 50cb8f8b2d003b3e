//! Deciding a fraud proof.

use super::open::{FraudProof, OpenNode, OpenOperand, OpenTensor};
use crate::{
	audit::{Claim, Fault, FaultKind, Place},
	commit::{verify_node, verify_row, verify_trace},
	ops::bytes,
	Node, Root, RowError, Shape, Step,
};
use alloc::vec::Vec;

/// What a proof is held against: all that the chain knows of a task.
#[derive(Clone, Copy, Debug)]
pub struct Statement<'a> {
	/// The program's id.
	pub program: &'a Root,
	/// Number of its nodes.
	pub nodes: u32,
	/// Its inputs' nodes, in order.
	pub inputs: &'a [u32],
	/// What the worker claimed.
	pub claim: &'a Claim,
}

/// Why a proof proves nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Rejected {
	/// A node does not open to the program's id.
	#[error("node {0} does not open to the program's id")]
	Program(u32),
	/// A tensor root does not open to the trace root.
	#[error("the tensor of node {0} does not open to the trace root")]
	Trace(u32),
	/// A row does not open to its tensor's root.
	#[error("row {row} of node {node} does not open to its tensor's root")]
	Row {
		/// The node.
		node: u32,
		/// The row.
		row: u32,
	},
	/// A row or a shape that the element depends on is missing.
	#[error("operand {0} is not opened")]
	Missing(u32),
	/// The result has no such place.
	#[error("the place lies outside the result")]
	Place,
	/// Inputs and consts are declared, all others computed; the proof has it the other way.
	#[error("node {0} is not of the kind that the proof is about")]
	Kind(u32),
	/// The opening is not of the kind that is wanted, or what opens the node is missing or surplus.
	#[error("something else is opened than what is wanted")]
	Opening,
	/// The hashes below a position do not lead to the root above it.
	#[error("the hashes below the position do not lead to the committed root")]
	Hashes,
	/// What is opened is right.
	#[error("there is no fault: what is opened is right")]
	NoFault,
}

/// Decides whether `proof` shows that the claim is wrong, and where. Never panics, whatever it is
/// given; costs a hash of every byte opened and the work of one row.
pub fn verify(statement: &Statement<'_>, proof: &FraudProof) -> Result<Fault, Rejected> {
	match proof {
		FraudProof::Element { node, row, col, opened, operands, claimed } => {
			let step = statement.step(*node, opened, operands)?;
			let inside = *row < step.out.rows && *col < step.out.cols;
			if !inside {
				return Err(Rejected::Place);
			}
			let row_bytes = statement.row(*node, step.out, *row, claimed)?;
			let given = bytes::element(row_bytes, step.out.dtype, *col).ok_or(Rejected::Place)?;
			let exact = statement.element(*node, &step, (*row, *col), operands)?;
			if exact == given {
				return Err(Rejected::NoFault);
			}
			Ok(Fault { node: *node, row: *row, col: *col, kind: FaultKind::Element })
		}
		FraudProof::Declared { node, opened, root, path } => {
			statement.open(*node, opened)?;
			let declared = match &opened.node {
				Node::Const { root, .. } => *root,
				Node::Input { .. } => {
					let place = statement.inputs.iter().position(|input| input == node);
					let root = place.and_then(|place| statement.claim.input_roots.get(place));
					*root.ok_or(Rejected::Kind(*node))?
				}
				_ => return Err(Rejected::Kind(*node)),
			};
			statement.trace(*node, root, path)?;
			if declared == *root {
				return Err(Rejected::NoFault);
			}
			Ok(Fault { node: *node, row: 0, col: 0, kind: FaultKind::Root })
		}
		FraudProof::Output { root, path } => {
			let last = statement.nodes.saturating_sub(1);
			statement.trace(last, root, path)?;
			if statement.claim.output_root == *root {
				return Err(Rejected::NoFault);
			}
			Ok(Fault { node: last, row: 0, col: 0, kind: FaultKind::Output })
		}
	}
}

impl Statement<'_> {
	pub(super) fn open(&self, index: u32, opened: &OpenNode) -> Result<(), Rejected> {
		let OpenNode { node, shape, path } = opened;
		if verify_node(self.program, self.nodes, index, node, *shape, path) {
			Ok(())
		} else {
			Err(Rejected::Program(index))
		}
	}

	pub(super) fn trace(&self, node: u32, root: &Root, path: &[Root]) -> Result<(), Rejected> {
		if verify_trace(&self.claim.trace_root, self.nodes, node, root, path) {
			Ok(())
		} else {
			Err(Rejected::Trace(node))
		}
	}

	/// The bytes of a committed row.
	pub(super) fn row<'o>(
		&self,
		node: u32,
		shape: Shape,
		row: u32,
		open: &'o OpenTensor,
	) -> Result<&'o [u8], Rejected> {
		self.trace(node, &open.root, &open.path)?;
		if verify_row(&open.root, shape, row, &open.row.bytes, &open.row.path) {
			Ok(&open.row.bytes)
		} else {
			Err(Rejected::Row { node, row })
		}
	}

	/// The node with the shapes of those operands that are opened.
	fn step<'o>(
		&self,
		index: u32,
		opened: &'o OpenNode,
		operands: &[OpenOperand],
	) -> Result<Step<'o>, Rejected> {
		self.open(index, opened)?;
		let mut shapes = Vec::new();
		for (operand, open) in opened.node.operands().zip(operands) {
			self.open(operand, &open.opened)?;
			shapes.push(open.opened.shape);
		}
		Ok(Step { node: &opened.node, operands: shapes, out: opened.shape })
	}

	/// The exact element, from opened rows.
	fn element(
		&self,
		index: u32,
		step: &Step<'_>,
		(row, col): Place,
		operands: &[OpenOperand],
	) -> Result<i32, Rejected> {
		let nodes: Vec<u32> = step.node.operands().collect();
		let fetch = |slot: u32, row: u32| {
			let missing = Rejected::Missing(slot);
			let at = slot as usize;
			let (node, operand) = nodes.get(at).zip(operands.get(at)).ok_or(missing)?;
			let open = operand.row.as_ref().ok_or(missing)?;
			self.row(*node, operand.opened.shape, row, open)
		};
		step.element(row, col, fetch).map_err(|error| match error {
			RowError::Fetch(rejected) => rejected,
			RowError::NotComputed => Rejected::Kind(index),
			RowError::OutOfRange => Rejected::Place,
			RowError::Operand { slot } => Rejected::Missing(slot),
		})
	}
}
