//! What is demanded of submitted results is opened on the chain: who does not forfeits all that a lie
//! would.

use super::{Context, Outcome, StepError};
use crate::{
	chain::{has_moved_on, Call, Chain},
	journal::Entry,
	runner::{Extent, Made},
	task_name,
};
use assay_primitives::{
	demand::DemandView,
	views::JobView,
	work::{Commitment, TaskId},
	AccountId, BlockNumber, Root,
};
use codec::Encode;
use std::{
	collections::{BTreeMap, BTreeSet, HashMap},
	sync::Arc,
	time::{Duration, Instant},
};
use tokio::task::{Id, JoinSet};
use tracing::Instrument;

/// What tells one demand from another.
type Key = (TaskId, AccountId, BlockNumber);

/// Demands being answered.
#[derive(Default)]
pub struct Answers {
	steps: JoinSet<()>,
	busy: HashMap<Id, Key>,
	/// When each may be tried again: the chain takes a while to show that one is answered.
	next: BTreeMap<Key, Instant>,
}

impl Answers {
	/// Answers those that are not being answered.
	pub fn look<C: Chain>(&mut self, context: &Arc<Context<C>>, demands: Vec<DemandView>) {
		while let Some(ended) = self.steps.try_join_next_with_id() {
			let id = match &ended {
				Ok((id, ())) => *id,
				Err(error) => error.id(),
			};
			self.busy.remove(&id);
		}
		let wanted: BTreeSet<Key> = demands.iter().map(key).collect();
		self.next.retain(|key, _| wanted.contains(key));
		let busy: BTreeSet<Key> = self.busy.values().cloned().collect();
		for demand in demands {
			let key = key(&demand);
			let later = self.next.get(&key).is_some_and(|next| *next > Instant::now());
			if later || busy.contains(&key) {
				continue;
			}
			self.next.insert(key.clone(), Instant::now() + context.times.settle);
			let span = tracing::info_span!("demand", id = task_name(demand.task));
			let context = context.clone();
			let answer = async move { context.answer(demand).await };
			self.busy.insert(self.steps.spawn(answer.instrument(span)).id(), key);
		}
	}

	/// Lets answers under way be sent, for a while.
	pub async fn finish(&mut self, grace: Duration) {
		let all = async { while self.steps.join_next().await.is_some() {} };
		if tokio::time::timeout(grace, all).await.is_err() {
			self.steps.shutdown().await;
		}
	}
}

fn key(demand: &DemandView) -> Key {
	(demand.task, demand.by.clone(), demand.until)
}

impl<C: Chain> Context<C> {
	/// Answers a demand. Logs what went wrong.
	async fn answer(&self, demand: DemandView) {
		let DemandView { by, wanted, until, .. } = &demand;
		tracing::info!("{by} demands {wanted:?}, to be answered by block {until}");
		match self.try_answer(&demand).await {
			Ok(Outcome::Acted) => tracing::info!("answered"),
			Ok(_) => {}
			Err(StepError::Chain(error)) if has_moved_on(&error) => {
				tracing::info!("it is answered or decided: {error}")
			}
			Err(error) => tracing::warn!("cannot answer: {error}; will try again"),
		}
	}

	async fn try_answer(&self, demand: &DemandView) -> Result<Outcome, StepError> {
		let DemandView { task, by, wanted, .. } = demand;
		let Some(job) = self.chain.job(task.job).await? else { return Ok(Outcome::Waits) };
		let Some(view) = self.chain.task(*task).await? else { return Ok(Outcome::Waits) };
		let Some(commitment) = view.commitment else { return Ok(Outcome::Waits) };
		let known = self.journal.get(*task).filter(|entry| entry.commitment() == Some(commitment));
		let entry = known.ok_or_else(|| {
			// Looking at the task, which comes before, writes it down.
			StepError::Work("the journal does not name what was submitted yet".into())
		})?;
		let trace_root = self.trace(&job, &entry, commitment).await?;
		let answer = match wanted.place() {
			None => trace_root.encode(),
			Some(place) => {
				let Commitment { output_root, .. } = commitment;
				let given = Commitment { output_root, trace_root: Some(trace_root) };
				let opened = self.runner.open(&job, &entry.inputs, given, place).await;
				opened.map_err(|failure| StepError::Work(failure.to_string()))?
			}
		};
		self.send(Call::Answer { task: *task, by: by.clone(), answer }).await
	}

	/// The root of a trace that the store has: executes again if it has not.
	async fn trace(
		&self,
		job: &JobView,
		entry: &Entry,
		commitment: Commitment,
	) -> Result<Root, StepError> {
		let owed = entry.owed().unwrap_or(commitment);
		if let Some(root) = owed.trace_root {
			if self.runner.holds(job, owed).await? {
				return Ok(root);
			}
		}
		tracing::info!("executing again for the whole of the trace");
		// It is owed already.
		let due = Instant::now();
		let made = tokio::select! {
			made = self.runner.perform(job, entry.task, &entry.inputs, Extent::Trace, due) => made,
			() = self.stop.wait() => return Err(StepError::Work("stopped".into())),
		};
		let Made { commitment: made, unnamed } =
			made.map_err(|failure| StepError::Work(failure.to_string()))?;
		let Some(root) = made.trace_root else {
			return Err(StepError::Work("it has no trace".into()));
		};
		if made.output_root != commitment.output_root || owed.trace_root.is_some_and(|r| r != root)
		{
			tracing::error!("executing again gave another result than was submitted");
		}
		if owed.trace_root.is_none() {
			// On the disk before anybody else has it: a kill in between must not give another.
			let entry = Entry { trace: Some(root), ..entry.clone() };
			self.journal.save(entry).await?;
		}
		drop(unnamed);
		Ok(owed.trace_root.unwrap_or(root))
	}
}
