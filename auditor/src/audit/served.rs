//! Audits of the trace that a worker serves.

use super::{
	fetch::Named,
	found::{check_roots, found, Found},
	size::cost,
	Auditing, Sources, Stop, Subject, Work,
};
use crate::{
	pace::{AtPace, Pace},
	source::{Endpoint, Fetching, RemoteTrace},
	turns::Turn,
	watch::Lacking,
};
use assay_compute::{
	audit::{self, replay, spot},
	Root, Tensor,
};
use assay_primitives::work::Depth;
use rand::{rngs::OsRng, RngCore};
use std::{collections::BTreeMap, sync::Arc};

/// An audit of a trace whose roots are known.
pub(super) struct Served<'s> {
	pub subject: &'s Subject,
	pub claim: audit::Claim,
	pub roots: Vec<Root>,
	pub worker: Endpoint,
	pub buyer: Option<Endpoint>,
	/// What it means if the worker does not go on serving.
	pub lacking: Lacking,
}

impl Auditing {
	/// Audits what the worker serves. What it does not serve makes the audit end as `Unavailable`.
	pub(super) async fn served(
		&self,
		work: &mut Work,
		sources: &Sources,
		subject: &Subject,
		claim: audit::Claim,
		mebibytes: u64,
		turn: Turn,
	) -> Result<Found, Stop> {
		let program = &subject.program;
		let Some(worker) = sources.worker.clone() else {
			return Ok(Found::Unavailable("there is no worker to ask".into()));
		};
		let (fetcher, base) = (&worker.fetcher, &worker.base);
		let (trace_root, nodes) = (claim.trace_root, program.len());
		let roots = worker.get(|| fetcher.trace(base, &trace_root, nodes)).await?;
		if let Some(lie) = check_roots(program, &claim, &roots).map_err(Stop::Refused)? {
			return Ok(lie);
		}
		drop(turn);
		work.claimant.cost = cost(program, subject.depth);
		// Where this machine executes again, nothing is said of a worker by what it does not serve.
		let lacking = match self.replay_size(program) {
			Ok(_) => Lacking::Elsewhere,
			Err(_) => Lacking::Nowhere,
		};
		let buyer = sources.buyer.clone();
		let served = Served { subject, claim, roots, worker, buyer, lacking };
		// Memory before the turn to fetch: who waits for memory must not keep others from fetching.
		let memory = work.turn(&self.memory, mebibytes).await;
		match subject.depth {
			Depth::Projection => self.project(work, served, memory).await,
			Depth::Replay => self.replay(work, served, memory).await,
			Depth::Spot => self.spot(work, served, memory).await,
			Depth::Custody => Err(Stop::Refused("a custodian looks at nothing else".into())),
		}
	}

	/// Executes the program again and compares.
	async fn replay(
		&self,
		work: &mut Work,
		served: Served<'_>,
		memory: Turn,
	) -> Result<Found, Stop> {
		let program = served.subject.program.clone();
		let given = served.subject.given();
		let wanted: Vec<Named> = given.values().copied().collect();
		let consts: Vec<Root> = program.consts().into_iter().map(|(_, _, root)| root).collect();
		let worker = [served.worker.clone()];
		let gathered = self.gather(work, &worker, served.lacking, &wanted, &consts).await?;
		let tensors = gathered.complete()?;
		let given: BTreeMap<u32, Tensor> = given
			.into_iter()
			.filter_map(|(node, named)| Some((node, tensors.get(&named)?.clone())))
			.collect();
		drop(tensors);
		let pace = self.pace(work).await;
		let claim = served.claim.clone();
		let mut source = self.remote(work, served, pace.clone());
		self.compute(memory, pace.clone(), move || {
			let mut pace = AtPace(&pace);
			let verdict = replay::audit_with(&program, &claim, &given, &mut source, &mut pace);
			match found(&program, &claim, verdict, &mut source)? {
				// Not the worker's fault: it gave all that was asked.
				Found::Unavailable(why) if !source.has_failed() => Err(Stop::Refused(why)),
				found => Ok(found),
			}
		})
		.await
	}

	/// Recomputes a few rows.
	async fn spot(&self, work: &mut Work, served: Served<'_>, memory: Turn) -> Result<Found, Stop> {
		let pace = self.pace(work).await;
		let (program, claim) = (served.subject.program.clone(), served.claim.clone());
		let mut source = self.remote(work, served, pace.clone());
		let depth = self.config.spot;
		self.compute(memory, pace, move || {
			let mut secret = [0; 32];
			OsRng.try_fill_bytes(&mut secret).map_err(|error| error.to_string())?;
			let verdict = spot::audit(&program, &claim, depth, &secret, &mut source);
			match found(&program, &claim, verdict, &mut source)? {
				Found::Unavailable(why) if !source.has_failed() => Err(Stop::Refused(why)),
				found => Ok(found),
			}
		})
		.await
	}

	/// The committed trace, of which rows are fetched as they are asked for.
	fn remote(&self, work: &Work, served: Served<'_>, pace: Arc<Pace>) -> RemoteTrace {
		let Served { subject, roots, worker, lacking, .. } = served;
		let fetching = Fetching {
			within: self.config.fetch_time,
			lacking,
			watch: work.watch.clone(),
			pace,
			turns: self.fetching.clone(),
			claimant: work.claimant.clone(),
		};
		RemoteTrace::new(worker, roots, subject.program.shapes().to_vec(), fetching)
	}
}

impl Subject {
	/// The tensors that are given and not computed, by node.
	pub fn given(&self) -> BTreeMap<u32, Named> {
		let inputs = self.program.inputs().into_iter().zip(&self.inputs);
		let inputs = inputs.map(|((node, shape), root)| (node, (*root, shape)));
		let consts = self.program.consts().into_iter();
		inputs.chain(consts.map(|(node, shape, root)| (node, (root, shape)))).collect()
	}
}
