//! Making a fraud proof of what an audit found.

use super::{
	maker::{unavailable, Maker, Roots},
	open::FraudProof,
	verify::{verify, Rejected, Statement},
};
use crate::{
	audit::{Claim, Fault, FaultKind, TraceSource},
	ValidProgram,
};
use alloc::{string::String, vec::Vec};

/// Why there is no proof, or no opening.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CannotProve {
	/// What it has to open could not be had.
	#[error("node {node}: {why}")]
	Unavailable {
		/// The node.
		node: u32,
		/// Why.
		why: String,
	},
	/// The place is not in the program.
	#[error("the program has no such place")]
	NoPlace,
	/// The proof shows no fault, or the opening does not open the place.
	#[error("it would not hold: {0}")]
	Rejected(#[from] Rejected),
}

/// Proves a fault that an audit found, from the committed data. What is returned is verified.
pub fn prove<S: TraceSource>(
	program: &ValidProgram,
	claim: &Claim,
	fault: &Fault,
	source: &mut S,
) -> Result<FraudProof, CannotProve> {
	let roots = held_roots(program, source)?;
	let mut maker = Maker::new(program, &roots, source);
	let proof = match fault.kind {
		FaultKind::Element => maker.element(fault)?,
		FaultKind::Root => maker.declared(fault.node)?,
		FaultKind::Output => maker.output()?,
	};
	with_statement(program, claim, |statement| verify(statement, &proof))?;
	Ok(proof)
}

/// The roots of all tensors that a source holds.
pub(super) fn held_roots<S: TraceSource>(
	program: &ValidProgram,
	source: &mut S,
) -> Result<Roots, CannotProve> {
	let root = |node| source.tensor_root(node).map_err(|error| unavailable(node, &error));
	Ok(Roots::new((0..program.len()).map(root).collect::<Result<_, _>>()?))
}

/// Decides something as the chain would, of which this is all that it knows.
pub(super) fn with_statement<T>(
	program: &ValidProgram,
	claim: &Claim,
	decide: impl FnOnce(&Statement<'_>) -> T,
) -> T {
	let inputs: Vec<u32> = program.inputs().into_iter().map(|(node, _)| node).collect();
	let id = program.id();
	decide(&Statement { program: &id, nodes: program.len(), inputs: &inputs, claim })
}
