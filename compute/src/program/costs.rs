//! What a program costs, known from its shapes alone.

use crate::{Dtype, Node, Shape};
use codec::{Decode, Encode, MaxEncodedLen};

/// Costs of one execution. Sums of a valid program stay far below `u128::MAX`; they saturate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Encode, Decode, MaxEncodedLen)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "std", serde(deny_unknown_fields))]
pub struct Costs {
	/// Multiply–accumulates: Σ m·n·k over `matmul_t`.
	pub macs: u128,
	/// Result elements of all other ops but `input` and `const` (operand elements for `row_argmax`
	/// and `row_absmax`).
	pub elements: u128,
	/// Bytes of every node's result.
	pub trace_bytes: u128,
	/// Bytes of the consts.
	pub const_bytes: u128,
	/// Rows of every node's result.
	pub leaves: u128,
}

impl Costs {
	/// Adds one node with the shapes of its operands, in slot order, and of its result.
	pub(super) fn add(&mut self, node: &Node, operands: &[Shape], out: Shape) {
		let first = operands.first().copied().unwrap_or(Shape::new(Dtype::I8, 0, 0));
		let mut elements = out.elements();
		match node {
			Node::Input { .. } => elements = 0,
			Node::Const { .. } => {
				elements = 0;
				self.const_bytes = self.const_bytes.saturating_add(out.bytes().into());
			}
			Node::MatmulT { .. } => {
				elements = 0;
				let macs = u128::from(out.elements()).saturating_mul(first.cols.into());
				self.macs = self.macs.saturating_add(macs);
			}
			Node::RowArgmax { .. } | Node::RowAbsmax { .. } => elements = first.elements(),
			_ => {}
		}
		self.elements = self.elements.saturating_add(elements.into());
		self.trace_bytes = self.trace_bytes.saturating_add(out.bytes().into());
		self.leaves = self.leaves.saturating_add(out.rows.into());
	}
}
