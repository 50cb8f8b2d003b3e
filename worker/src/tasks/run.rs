//! Accepted tasks: executed once, and what the journal names is submitted.

use super::{time_within, Context, Outcome, StepError};
use crate::{
	chain::{Call, Chain},
	journal::{Entry, Stage},
	runner::{Extent, Failure, Made},
};
use assay_primitives::{
	views::{JobView, TaskView},
	work::{Assurance, Commitment},
	BlockNumber,
};
use std::time::Instant;

impl<C: Chain> Context<C> {
	pub(super) async fn run(
		&self,
		view: &TaskView,
		due: BlockNumber,
	) -> Result<Outcome, StepError> {
		let height = *self.chain.heights().borrow();
		if height >= due {
			tracing::warn!("the deadline, block {due}, has passed");
			return Ok(Outcome::Waits);
		}
		let Some(job) = self.chain.job(view.id.job).await? else { return Ok(Outcome::Waits) };
		let known = self.journal.get(view.id).filter(|entry| entry.is_run(&job, view, due));
		let mut entry = known.unwrap_or_else(|| Entry::prepared(&job, view, view.inputs.clone()));
		entry.due = Some(due);
		entry.ended_at = None;
		self.journal.save(entry.clone()).await?;

		let commitment = match self.made(&job, &entry).await? {
			Some(commitment) => commitment,
			None => {
				let extent = Extent::of(&job.assurance);
				let left = time_within(due.saturating_sub(height), self.chain.block_time());
				let by = Instant::now() + left;
				let made = tokio::select! {
					made = self.runner.perform(&job, view.id, &entry.inputs, extent, by) => made,
					() = self.past(due) => {
						tracing::warn!("the deadline, block {due}, passed before it was done");
						return Ok(Outcome::Waits);
					},
					() = self.stop.wait() => return Ok(Outcome::Waits),
				};
				let Made { commitment: made, unnamed } = match made {
					Ok(made) => made,
					Err(Failure::Lasting(why)) => return self.abandon(view, why).await,
					Err(failure) => return Err(StepError::Work(failure.to_string())),
				};
				match entry.commitment() {
					Some(known) if known != made => {
						let why = "executing again gave another result than was written down: \
							this machine's results cannot be trusted";
						return self.abandon(view, why.into()).await;
					}
					Some(_) => {}
					None => {
						entry.stage = Stage::Committed(made);
						self.journal.save(entry.clone()).await?;
					}
				}
				// It has a name now, and stays.
				drop(unnamed);
				made
			}
		};
		if let Assurance::Replicated { tolerance, .. } = job.assurance {
			return self.seal(view, entry, commitment, tolerance).await;
		}
		let begun = Instant::now();
		let outcome = self.send(Call::Submit { task: view.id, commitment }).await?;
		tracing::info!(
			"submitted output {:#x}, trace {}, in {:.2?}",
			commitment.output_root,
			commitment.trace_root.map_or("on demand".into(), |root| format!("{root:#x}")),
			begun.elapsed()
		);
		entry.stage = Stage::Submitted(commitment);
		self.journal.save(entry).await?;
		Ok(outcome)
	}

	/// What the journal says was made, if the store still has all of it.
	async fn made(&self, job: &JobView, entry: &Entry) -> Result<Option<Commitment>, StepError> {
		let Some(commitment) = entry.commitment() else { return Ok(None) };
		if self.runner.holds(job, commitment).await? {
			tracing::info!("was executed before; the trace is in the store");
			return Ok(Some(commitment));
		}
		tracing::warn!("was executed before, but its trace is no longer whole: executing again");
		Ok(None)
	}

	async fn abandon(&self, view: &TaskView, why: String) -> Result<Outcome, StepError> {
		tracing::error!("abandoned: {why}");
		self.send(Call::Abandon { task: view.id }).await
	}
}
