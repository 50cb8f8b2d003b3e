//! What a worker claims, and the checks that need no tensor bytes.

use super::verdict::{Fault, Stop};
use crate::{trace_root, Commitment, Node, Root, ValidProgram};
use alloc::{format, vec::Vec};

/// A worker's claim for one task of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
	/// The task's input roots, in node order.
	pub input_roots: Vec<Root>,
	/// The tensor root claimed for the output.
	pub output_root: Root,
	/// The commitment to all tensor roots.
	pub trace_root: Root,
}

impl Claim {
	/// What an honest worker claims for a task with these inputs.
	pub fn new(input_roots: Vec<Root>, commitment: &Commitment) -> Self {
		Claim {
			input_roots,
			output_root: commitment.output_root,
			trace_root: commitment.trace_root,
		}
	}

	/// The tensor roots are the committed ones, and as many as there are nodes and inputs.
	pub(super) fn check_roots(&self, program: &ValidProgram, roots: &[Root]) -> Result<(), Stop> {
		let unavailable = |why| Err(Stop::Unavailable(why));
		if roots.len() != program.nodes().len() {
			let (got, want) = (roots.len(), program.nodes().len());
			return unavailable(format!("{got} tensor roots for {want} nodes"));
		}
		let (got, want) = (self.input_roots.len(), program.inputs().len());
		if got != want {
			return unavailable(format!("the claim names {got} inputs, the program has {want}"));
		}
		if trace_root(roots) != self.trace_root {
			return unavailable("the tensor roots are not those of the committed trace".into());
		}
		Ok(())
	}

	/// The root that an input or const must have; `None` for computed nodes. `inputs` counts the
	/// inputs met so far.
	pub(crate) fn declared(&self, node: &Node, inputs: &mut usize) -> Option<Root> {
		match node {
			Node::Const { root, .. } => Some(*root),
			Node::Input { .. } => {
				let root = self.input_roots.get(*inputs).copied();
				*inputs = inputs.saturating_add(1);
				root
			}
			_ => None,
		}
	}

	/// The output claimed is the last node's.
	pub(super) fn check_output(&self, program: &ValidProgram, roots: &[Root]) -> Result<(), Stop> {
		match roots.last() {
			Some(root) if *root == self.output_root => Ok(()),
			_ => Err(Stop::Fault(Fault::output(program.output()))),
		}
	}
}
