//! Offers: accepted only once all that the task needs is here and checked.

use super::{time_within, Context, Outcome, StepError};
use crate::{
	chain::{Call, Chain},
	journal::Entry,
	runner::{Prepared, Refusal},
};
use assay_client::Amount;
use assay_primitives::{views::TaskView, BlockNumber};
use std::{fmt::Display, time::Instant};

impl<C: Chain> Context<C> {
	pub(super) async fn take_up(
		&self,
		view: &TaskView,
		until: BlockNumber,
	) -> Result<Outcome, StepError> {
		if self.stop.is_set() {
			return Ok(Outcome::Waits);
		}
		let Some(job) = self.chain.job(view.id.job).await? else { return Ok(Outcome::Waits) };
		let price = view.matched.as_ref().map_or(0, |matched| matched.price);
		tracing::info!("offered until block {until} for {} by {}", Amount(price), job.owner);
		let begun = Instant::now();
		let allowed = time_within(job.deadline, self.chain.block_time());
		let adding = self.collecting.read().await;
		let prepared = tokio::select! {
			prepared = self.runner.prepare(&job, view.id, allowed) => prepared,
			() = self.past(until) => {
				tracing::warn!("the offer lapsed before all was fetched and checked");
				return Ok(Outcome::Waits);
			},
			() = self.stop.wait() => return Ok(Outcome::Waits),
		};
		let Prepared { inputs, path } = match prepared {
			Ok(prepared) => prepared,
			Err(refusal) => {
				let out_of_reach = matches!(refusal, Refusal::OutOfReach(_));
				// Nothing of it is to be kept.
				drop(adding);
				return self.decline(view, refusal, out_of_reach).await;
			}
		};
		tracing::info!(
			"{} inputs and the program are here, in {:.2?}",
			inputs.len(),
			begun.elapsed()
		);
		// From here on what was fetched has a name in the journal, and stays. A node that lags may
		// show as offered what is long executed: that must not be forgotten.
		let entry = Entry::prepared(&job, view, inputs.clone());
		if !self.journal.get(view.id).is_some_and(|known| known.is_further(&entry)) {
			self.journal.save(entry).await?;
		}
		drop(adding);
		let begun = Instant::now();
		match self.send(Call::Accept { task: view.id, inputs, path }).await {
			Ok(outcome) => {
				tracing::info!("accepted, in {:.2?}", begun.elapsed());
				Ok(outcome)
			}
			// These do not pass by waiting, and a lapsed offer counts against the machine.
			Err(StepError::Chain(error))
				if matches!(
					error.module_error(),
					Some("InsufficientStake" | "WrongInputs" | "UnknownProgram")
				) =>
			{
				self.decline(view, error, false).await
			}
			Err(error) => Err(error),
		}
	}

	async fn decline(
		&self,
		view: &TaskView,
		why: impl Display,
		out_of_reach: bool,
	) -> Result<Outcome, StepError> {
		tracing::warn!("declined: {why}");
		self.quota.release(view.id);
		self.backlog.release(view.id);
		let outcome = self.send(Call::Decline { task: view.id }).await?;
		self.tally.add(out_of_reach);
		Ok(outcome)
	}
}
