//! A program with all that one task of it needs.

use assay_compute::{audit::Claim, Commitment, Node, Prepared, Program, Tensor, ValidProgram};
use std::collections::BTreeMap;

pub struct Task {
	pub name: String,
	pub program: ValidProgram,
	pub consts: BTreeMap<u32, Tensor>,
	pub inputs: BTreeMap<u32, Tensor>,
}

/// Bytes of a task, and of what an audit of it moves.
pub struct Sizes {
	/// Inputs, constants and output: what the job itself moves.
	pub own: f64,
	pub consts: f64,
	pub inputs: f64,
	/// Every tensor.
	pub trace: f64,
	/// The roots of all tensors.
	pub roots: f64,
}

impl Task {
	/// Sorts the tensors given into constants and inputs.
	pub fn new(
		name: impl Into<String>,
		program: Program,
		tensors: BTreeMap<u32, Tensor>,
	) -> Result<Self, String> {
		let program = program.validate().map_err(|error| error.to_string())?;
		let is_const =
			|node: &u32| matches!(program.nodes().get(*node as usize), Some(Node::Const { .. }));
		let (consts, inputs) = tensors.into_iter().partition(|(node, _)| is_const(node));
		Ok(Task { name: name.into(), program, consts, inputs })
	}

	pub fn prepare(&self) -> Result<Prepared<'_>, String> {
		Prepared::new(&self.program, self.consts.clone()).map_err(|error| error.to_string())
	}

	/// What an honest worker claims.
	pub fn claim(&self, commitment: &Commitment) -> Claim {
		let inputs = self.program.inputs().into_iter();
		let roots = inputs.filter_map(|(node, _)| commitment.tensor_roots.get(node as usize));
		Claim::new(roots.copied().collect(), commitment)
	}

	pub fn sizes(&self) -> Sizes {
		let bytes = |tensors: &BTreeMap<u32, Tensor>| {
			tensors.values().map(|tensor| tensor.data().len() as f64).sum::<f64>()
		};
		let (inputs, consts) = (bytes(&self.inputs), bytes(&self.consts));
		let own = inputs + consts + self.program.output_shape().bytes() as f64;
		let trace = self.program.costs().trace_bytes as f64;
		let roots = 32.0 * f64::from(self.program.len());
		Sizes { own, consts, inputs, trace, roots }
	}
}
