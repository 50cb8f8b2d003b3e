//! What an audit comes to, and the proof of a lie.

use crate::source::HeldTrace;
use assay_compute::{
	audit::{self, Fault, FaultKind, TraceSource},
	proof::{prove, CannotProve},
	Node, Root, Trace, ValidProgram,
};
use assay_primitives::auditor::Demanded;
use codec::Encode;

/// What an audit came to.
pub enum Found {
	/// Nothing wrong.
	Right,
	/// A lie, and the encoded proof of it.
	Wrong(Fault, Vec<u8>),
	/// It cannot go on before this is opened on the chain.
	Demand(Demanded),
	/// It does not get what it needs.
	Unavailable(String),
}

/// Proves what a verdict says, from where the audit had its data.
pub fn found<S: TraceSource>(
	program: &ValidProgram,
	claim: &audit::Claim,
	verdict: audit::Verdict,
	source: &mut S,
) -> Result<Found, String> {
	let fault = match verdict {
		audit::Verdict::Valid => return Ok(Found::Right),
		audit::Verdict::Unavailable(why) => return Ok(Found::Unavailable(why)),
		audit::Verdict::Invalid(fault) => fault,
	};
	match prove(program, claim, &fault, source) {
		Ok(proof) => Ok(Found::Wrong(fault, proof.encode())),
		Err(why @ CannotProve::Unavailable { .. }) => Ok(Found::Unavailable(why.to_string())),
		Err(why) => Err(format!("{fault}, but {why}")),
	}
}

/// Holds the committed roots against those that the chain and the program declare: lies that need
/// no tensor to be seen, found before anything large is fetched. `None`: there is no such lie.
pub fn check_roots(
	program: &ValidProgram,
	claim: &audit::Claim,
	roots: &[Root],
) -> Result<Option<Found>, String> {
	let mut inputs = claim.input_roots.iter();
	for ((index, node), committed) in (0..).zip(program.nodes()).zip(roots) {
		let declared = match node {
			Node::Input { .. } => inputs.next(),
			Node::Const { root, .. } => Some(root),
			_ => continue,
		};
		if declared != Some(committed) {
			return declared_otherwise(program, claim, roots, index, FaultKind::Root).map(Some);
		}
	}
	match roots.last() {
		Some(root) if *root == claim.output_root => Ok(None),
		_ => {
			declared_otherwise(program, claim, roots, program.output(), FaultKind::Output).map(Some)
		}
	}
}

/// A root that was committed to and is not the declared one. It takes no tensor to prove.
fn declared_otherwise(
	program: &ValidProgram,
	claim: &audit::Claim,
	roots: &[Root],
	node: u32,
	kind: FaultKind,
) -> Result<Found, String> {
	let trace = Trace { tensors: Vec::new() };
	let mut source = HeldTrace { roots, trace: &trace };
	let verdict = audit::Verdict::Invalid(Fault { node, row: 0, col: 0, kind });
	match found(program, claim, verdict, &mut source)? {
		Found::Unavailable(why) => Err(why),
		found => Ok(found),
	}
}
