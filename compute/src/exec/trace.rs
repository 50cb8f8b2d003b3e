//! What an execution leaves behind, and the commitment to it.

use crate::{tensor_root, trace_root, Node, Root, Tensor, ValidProgram};
use alloc::vec::Vec;

/// Every tensor of one execution, one per node in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
	/// The tensors.
	pub tensors: Vec<Tensor>,
}

/// What a worker commits to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commitment {
	/// Tensor root of every node in order.
	pub tensor_roots: Vec<Root>,
	/// The root over them.
	pub trace_root: Root,
	/// Tensor root of the last node.
	pub output_root: Root,
}

impl Commitment {
	/// The commitment to these tensor roots.
	pub fn new(tensor_roots: Vec<Root>) -> Self {
		let trace_root = trace_root(&tensor_roots);
		let output_root = tensor_roots.last().copied().unwrap_or_default();
		Commitment { tensor_roots, trace_root, output_root }
	}
}

impl Trace {
	/// Tensor root of every node in order.
	pub fn roots(&self) -> Vec<Root> {
		self.tensors.iter().map(tensor_root).collect()
	}

	/// The commitment, hashing every tensor.
	pub fn commit(&self) -> Commitment {
		Commitment::new(self.roots())
	}

	/// The commitment of a trace that [`execute`](crate::execute) made for `program`: consts were
	/// checked against their declared roots then, which stand for them here without hashing the
	/// weights again.
	pub fn commit_executed(&self, program: &ValidProgram) -> Commitment {
		let roots = self.tensors.iter().zip(program.nodes()).map(|(tensor, node)| match node {
			Node::Const { root, .. } => *root,
			_ => tensor_root(tensor),
		});
		Commitment::new(roots.collect())
	}

	/// The last node's tensor.
	pub fn output(&self) -> Option<&Tensor> {
		self.tensors.last()
	}
}
