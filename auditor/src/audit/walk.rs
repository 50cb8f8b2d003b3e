//! From a trace that is not the exact one to a proof, by what is opened on the chain.

use super::{alone::demand, found::Found};
use crate::source::HeldTrace;
use assay_compute::{
	audit::Claim,
	proof::{
		demand::{Next, Opening, Walk},
		verify, CannotProve, Rejected, Statement,
	},
	tensor_root, Node, Observer, Prepared, Root, Tensor, Trace, ValidProgram,
};
use codec::{DecodeAll, Encode};
use std::collections::BTreeMap;

/// The one right trace.
pub struct Exact {
	pub roots: Vec<Root>,
	/// Its tensors, if they are kept.
	pub trace: Trace,
}

/// Executes a program on these inputs and constants.
pub fn exact(
	program: &ValidProgram,
	given: BTreeMap<u32, Tensor>,
	keep: bool,
	observer: &mut dyn Observer,
) -> Result<Exact, String> {
	let is_const =
		|node: &u32| matches!(program.nodes().get(*node as usize), Some(Node::Const { .. }));
	let (consts, inputs): (BTreeMap<_, _>, _) =
		given.into_iter().partition(|(node, _)| is_const(node));
	let prepared = Prepared::new(program, consts).map_err(|error| error.to_string())?;
	let (mut roots, mut tensors) = (Vec::new(), Vec::new());
	let run = prepared.run(inputs, &mut |node, tensor| {
		roots.push(tensor_root(tensor));
		if keep {
			tensors.push(tensor.clone());
		}
		observer.node_done(node, program.len())
	});
	run.map_err(|error| error.to_string())?;
	Ok(Exact { roots, trace: Trace { tensors } })
}

/// Walks as far as the answers lead.
pub fn walk(
	program: &ValidProgram,
	claim: &Claim,
	exact: &Exact,
	answers: &[Vec<u8>],
) -> Result<Found, String> {
	let mut held = HeldTrace { roots: &exact.roots, trace: &exact.trace };
	let mut walk = Walk::new(program, claim, &mut held).map_err(|error| error.to_string())?;
	// The trace's root, if it had to be demanded, is known by now.
	for answer in answers.iter().filter(|answer| **answer != claim.trace_root) {
		let opening = Opening::decode_all(&mut &answer[..])
			.map_err(|_| "an answer on the chain is none".to_owned())?;
		match walk.answer(&opening, &mut held) {
			// Of another kind of place: it was demanded before inputs were to be had.
			Err(CannotProve::Rejected(Rejected::Opening)) => {}
			other => other.map_err(|error| format!("an answer on the chain: {error}"))?,
		}
	}
	match walk.next() {
		Next::Agreed => Ok(Found::Right),
		Next::Wanted(place) => Ok(demand(program, place.into())),
		Next::Proved(proof) => {
			let id = program.id();
			let inputs: Vec<u32> = program.inputs().into_iter().map(|(node, _)| node).collect();
			let nodes = program.len();
			let statement = Statement { program: &id, nodes, inputs: &inputs, claim };
			let fault = verify(&statement, proof).map_err(|error| error.to_string())?;
			Ok(Found::Wrong(fault, proof.encode()))
		}
	}
}
