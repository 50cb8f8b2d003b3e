//! Submitted tasks are held and served; what ended tasks needed goes after a while.

use super::{Context, Outcome, StepError};
use crate::{
	chain::{Chain, ChainError},
	journal::{unix_now, Entry, Stage},
	runner::{on_disk, Extent},
	task_name,
};
use assay_client::Amount;
use assay_data::store::{Keep, Removed};
use assay_primitives::{
	views::TaskView,
	work::{TaskId, TaskStatus},
};
use std::{
	collections::BTreeSet,
	time::{Duration, Instant},
};

impl<C: Chain> Context<C> {
	/// A task whose result is on chain: makes sure that all of it can be served.
	pub(super) async fn hold(&self, view: &TaskView) -> Result<Outcome, StepError> {
		let (Some(job), Some(commitment)) = (self.chain.job(view.id.job).await?, view.commitment)
		else {
			return Ok(Outcome::Waits);
		};
		match view.status {
			TaskStatus::Passed { settles_at } => {
				tracing::info!("the audit passed; settles at block {settles_at}")
			}
			TaskStatus::Delivering { .. } => tracing::info!("custodians fetch the output"),
			_ => tracing::info!("being audited"),
		}
		let known = self.journal.get(view.id).filter(|entry| {
			entry.commitment() == Some(commitment)
				&& entry.program == job.program
				&& entry.inputs == view.inputs
		});
		let mut entry = known.unwrap_or_else(|| Entry::prepared(&job, view, view.inputs.clone()));
		entry.stage = Stage::Submitted(commitment);
		entry.ended_at = None;
		let owed = entry.owed().unwrap_or(commitment);
		self.journal.save(entry).await?;
		if self.runner.holds(&job, owed).await? {
			return Ok(Outcome::Waits);
		}
		tracing::warn!("its trace is no longer whole: executing again to serve it");
		// It should be there by now, and auditors may be asking for it.
		let due = Instant::now();
		let extent = if owed.trace_root.is_some() { Extent::Trace } else { Extent::Output };
		let made = tokio::select! {
			made = self.runner.perform(&job, view.id, &view.inputs, extent, due) => made,
			() = self.stop.wait() => return Ok(Outcome::Waits),
		};
		match made {
			Ok(made) if made.commitment == owed => Ok(Outcome::Waits),
			Ok(_) => {
				tracing::error!("executing again gave another result than was submitted");
				Ok(Outcome::Waits)
			}
			Err(failure) => Err(StepError::Work(failure.to_string())),
		}
	}
}

/// Notes in the journal which tasks have ended, and forgets those that ended long enough ago.
pub async fn note_ended<C: Chain>(
	cx: &Context<C>,
	live: &BTreeSet<TaskId>,
) -> Result<(), StepError> {
	let now = unix_now();
	for mut entry in cx.journal.all() {
		if live.contains(&entry.task) {
			continue;
		}
		match entry.ended_at {
			None => {
				let end = how_it_ended(&cx.chain, entry.task).await?;
				tracing::info!(id = task_name(entry.task), "{end}");
				if entry.commitment().is_none() {
					// Nothing came of it that anybody could ask for.
					cx.journal.remove(entry.task).await?;
					continue;
				}
				entry.ended_at = Some(now);
				cx.journal.save(entry).await?;
			}
			Some(at) if now.saturating_sub(at) >= cx.times.retention.as_secs() => {
				cx.journal.remove(entry.task).await?
			}
			Some(_) => {}
		}
	}
	Ok(())
}

async fn how_it_ended<C: Chain>(chain: &C, task: TaskId) -> Result<String, ChainError> {
	Ok(match chain.task(task).await?.map(|view| (view.status, view.matched)) {
		Some((TaskStatus::Settled { at }, Some(matched))) => {
			format!("settled in block {at} for {}, less the network's fee", Amount(matched.price))
		}
		Some((TaskStatus::Settled { at }, None)) => format!("settled in block {at}"),
		Some((TaskStatus::Refunded { at, reason }, _)) => {
			format!("refunded to the buyer in block {at}: {reason:?}")
		}
		Some(_) => "back on the market".into(),
		None => "no longer on the chain".into(),
	})
}

/// Removes from the store what no live task needs, and no ended one that is still kept. `None`: now
/// is no time for it, since offers are being looked at or a trace is being stored, and the journal
/// does not name yet what they need.
pub async fn collect<C: Chain>(cx: &Context<C>) -> Result<Option<Removed>, StepError> {
	let Ok(alone) = cx.collecting.clone().try_write_owned() else { return Ok(None) };
	let entries = cx.journal.all();
	let min_age: Duration = cx.times.collect_age;
	let removed = on_disk(&cx.store, move |store| {
		// Until it is done, even if nobody waits any more.
		let _alone = alone;
		let mut keep = Keep::default();
		for entry in entries {
			keep.add_program(store, entry.program.0)?;
			keep.tasks.insert(entry.tasks_root.0);
			keep.tensors.extend(entry.inputs.iter().map(|root| root.0));
			if let Some(commitment) = entry.owed() {
				keep.tensors.insert(commitment.output_root.0);
				if let Some(trace_root) = commitment.trace_root {
					keep.add_trace(store, trace_root.0)?;
				}
			}
		}
		store.collect(&keep, min_age)
	})
	.await?;
	Ok(Some(removed))
}
