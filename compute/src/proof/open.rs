//! What a fraud proof holds.

use crate::{audit::OpenRow, commit::prove_node, Node, Root, Shape, ValidProgram};
use alloc::vec::Vec;
use codec::{Decode, DecodeWithMemTracking, Encode};

/// Evidence of one fault.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode, DecodeWithMemTracking)]
pub enum FraudProof {
	/// An element is not the exact result of its committed operands.
	#[codec(index = 0)]
	Element {
		/// The node at fault.
		node: u32,
		/// Row of the wrong element.
		row: u32,
		/// Its column.
		col: u32,
		/// The node, opened.
		opened: OpenNode,
		/// The node's operands in slot order, as far as they are needed.
		operands: Vec<OpenOperand>,
		/// The committed row that holds the element.
		claimed: OpenTensor,
	},
	/// The committed root of an input or const is not the declared one.
	#[codec(index = 1)]
	Declared {
		/// The input or const.
		node: u32,
		/// The node, opened.
		opened: OpenNode,
		/// Its committed tensor root.
		root: Root,
		/// Path from there to the trace root.
		path: Vec<Root>,
	},
	/// The claimed output is not the committed result of the last node.
	#[codec(index = 2)]
	Output {
		/// The last node's committed tensor root.
		root: Root,
		/// Path from there to the trace root.
		path: Vec<Root>,
	},
}

/// A node of the program with the shape of its result.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode, DecodeWithMemTracking)]
pub struct OpenNode {
	/// The operation.
	pub node: Node,
	/// Shape of its result.
	pub shape: Shape,
	/// Path to the program's id.
	pub path: Vec<Root>,
}

impl OpenNode {
	/// Opens a node of a program; `None` if there is none of this index.
	pub fn of(program: &ValidProgram, index: u32) -> Option<Self> {
		let at = index as usize;
		let (node, shape) = program.nodes().get(at).zip(program.shapes().get(at))?;
		let path = prove_node(program, index)?;
		Some(Self { node: node.clone(), shape: *shape, path })
	}
}

/// One operand: its shape, and one of its rows if that is needed.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode, DecodeWithMemTracking)]
pub struct OpenOperand {
	/// The operand's node.
	pub opened: OpenNode,
	/// The row of it that the element depends on; which one follows from the operation.
	pub row: Option<OpenTensor>,
}

/// One row of one tensor of the trace.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode, DecodeWithMemTracking)]
pub struct OpenTensor {
	/// The tensor's committed root.
	pub root: Root,
	/// Path from there to the trace root.
	pub path: Vec<Root>,
	/// The row and its path to the tensor's root.
	pub row: OpenRow,
}
