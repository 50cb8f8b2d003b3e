//! An audit without the worker: the program is executed again, and what was committed to is opened on
//! the chain as far as it takes to prove a lie.
//!
//! Nothing is kept between two demands but constants: when an answer has come, the audit is done again
//! from the start, which is at most as often as a seat may demand.

use super::{
	fetch::Named,
	found::Found,
	size::cost,
	walk::{exact, walk},
	Auditing, Stop, Subject, Work,
};
use crate::{pace::AtPace, source::Endpoint, watch::Lacking};
use assay_compute::{proof::OpenNode, Node, Root, Tensor, ValidProgram};
use assay_primitives::{auditor::Demanded, demand::Wanted, work::Depth};
use codec::Encode;
use rand::{rngs::OsRng, RngCore};
use std::collections::{BTreeMap, HashSet};

impl Auditing {
	/// Executes the program on what is had `from` somebody, and compares with what was committed to and
	/// what the worker's `answers` have opened of it.
	pub(super) async fn alone(
		&self,
		work: &mut Work,
		from: Vec<Endpoint>,
		subject: Subject,
		answers: Vec<Vec<u8>>,
	) -> Result<Found, Stop> {
		let program = &subject.program;
		let mebibytes = match self.replay_size(program) {
			Ok(mebibytes) => mebibytes,
			Err(why) => return Ok(Found::Unavailable(format!("not served, and {why}"))),
		};
		work.claimant.cost = cost(program, Depth::Replay);
		let memory = work.turn(&self.memory, mebibytes).await;
		let given = subject.given();
		let wanted: Vec<Named> = given.values().copied().collect();
		let consts: Vec<Root> = program.consts().into_iter().map(|(_, _, root)| root).collect();
		let gathered = self.gather(work, &from, Lacking::Demanded, &wanted, &consts).await?;
		if !gathered.missing.is_empty() {
			let missing = gathered.missing.into_iter().collect();
			return instead(&subject, &given, &missing, &answers, gathered.why);
		}
		let tensors = gathered.tensors;
		let given: BTreeMap<u32, Tensor> = given
			.into_iter()
			.filter_map(|(node, named)| Some((node, tensors.get(&named)?.clone())))
			.collect();
		drop(tensors);
		let pace = self.pace(work).await;
		self.compute(memory, pace.clone(), move || {
			let Subject { program, output_root, .. } = &subject;
			let claim = subject.claim();
			// Without a trace to walk in no tensor is needed again.
			let exact = exact(program, given, claim.is_some(), &mut AtPace(&pace))?;
			match claim {
				None if exact.roots.last() == Some(output_root) => Ok(Found::Right),
				None => Ok(demand(program, Wanted::Trace)),
				Some(claim) => Ok(walk(program, &claim, &exact, &answers)?),
			}
		})
		.await
	}
}

/// What is done where nobody gives what the program is executed on: the worker, who should keep its
/// inputs, has to open one row of one on the chain. If it does, it is none that withholds, but nobody
/// can audit it either.
fn instead(
	subject: &Subject,
	given: &BTreeMap<u32, Named>,
	missing: &HashSet<Named>,
	answers: &[Vec<u8>],
	why: String,
) -> Result<Found, Stop> {
	let program = &subject.program;
	let Some(trace_root) = subject.trace_root else { return Ok(demand(program, Wanted::Trace)) };
	// The trace's root itself is no place in it.
	if answers.iter().any(|answer| *answer != trace_root) {
		return Ok(Found::Unavailable(why));
	}
	let nodes = given.iter().filter(|(_, named)| missing.contains(*named));
	let nodes: Vec<(u32, Named)> = nodes.map(|(node, named)| (*node, *named)).collect();
	let is_input =
		|node: u32| matches!(program.nodes().get(node as usize), Some(Node::Input { .. }));
	// A constant is its buyer's to serve as well; an input is the task's own.
	let inputs: Vec<_> = nodes.iter().filter(|(node, _)| is_input(*node)).copied().collect();
	let nodes = if inputs.is_empty() { nodes } else { inputs };
	let Some((node, (_, shape))) = pick(nodes.len() as u64)?.and_then(|at| nodes.get(at as usize))
	else {
		return Ok(Found::Unavailable(why));
	};
	match pick(shape.rows.into())? {
		Some(row) => Ok(demand(program, Wanted::Row { node: *node, row: row as u32 })),
		None => Ok(Found::Unavailable(why)),
	}
}

/// One of so many, that nobody else can know.
fn pick(count: u64) -> Result<Option<u64>, Stop> {
	let mut secret = [0; 8];
	OsRng.try_fill_bytes(&mut secret).map_err(|error| Stop::Refused(error.to_string()))?;
	Ok(u64::from_le_bytes(secret).checked_rem(count))
}

/// Demands this, with the node shown that it is about.
pub fn demand(program: &ValidProgram, wanted: Wanted) -> Found {
	let node = wanted.place().and_then(|place| place.node());
	let opened = node.and_then(|node| OpenNode::of(program, node));
	let opened = opened.map(|opened| opened.encode()).unwrap_or_default();
	Found::Demand(Demanded { wanted, opened })
}
