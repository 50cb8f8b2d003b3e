//! Demanding on the chain what a provider does not serve.

use super::{named, subject::Subject};
use crate::{context::Context, progress};
use anyhow::bail;
use assay_client::{Answer, Submitter};
use assay_compute::proof::{
	demand::{verify_opening, Opening},
	Statement,
};
use assay_primitives::{demand::Wanted, BlockNumber};
use codec::DecodeAll;

/// How a demand ended.
pub enum Ended {
	/// It was opened: the answer's bytes.
	Opened(Vec<u8>),
	/// The trace root was given.
	TraceGiven,
	/// The provider was convicted, and of what.
	Convicted(&'static str),
}

impl Subject {
	/// Demands this of the provider, and waits for what becomes of it.
	pub async fn demand(
		&self,
		context: &Context,
		submitter: &Submitter,
		wanted: Wanted,
		opened: Vec<u8>,
	) -> anyhow::Result<Ended> {
		let task = self.view.id;
		let submitted_at = self.challenge()?.submitted_at;
		// The audit took its time. Of another attempt at the task it says nothing.
		let now = submitter.client().challenge(task).await?;
		if now.is_none_or(|now| now.submitted_at != submitted_at) {
			bail!("the result was decided meanwhile");
		}
		// An account has one demand at a time. What an earlier run wanted need not be demanded again.
		let pending = self.pending(submitter).await?;
		let from = match pending {
			Some((earlier, from)) if earlier == wanted => from,
			_ => {
				if let Some((earlier, from)) = pending {
					let answer = self.wait(context, submitter, &earlier, from).await?;
					if let Answer::Convicted { withheld } = answer {
						return Ok(convicted(withheld));
					}
				}
				let what = format!("demanding {}", named(&wanted));
				let demanding = submitter.demand(task, wanted, opened);
				match context.waiting(&what, demanding).await {
					Ok(outcome) => outcome.block.number,
					// Given to another in the same moment.
					Err(error) if error.module_error() == Some("TraceKnown") => {
						return Ok(Ended::TraceGiven);
					}
					Err(error) => return Err(error.into()),
				}
			}
		};
		match (self.wait(context, submitter, &wanted, from).await?, wanted.place()) {
			(Answer::Convicted { withheld }, _) => Ok(convicted(withheld)),
			(Answer::Void, _) => bail!("the result was decided meanwhile"),
			(Answer::Trace, _) | (Answer::Opened(_), None) => Ok(Ended::TraceGiven),
			(Answer::Opened(answers), Some(place)) => {
				for answer in answers {
					let Ok(opening) = Opening::decode_all(&mut &answer[..]) else { continue };
					let right = |statement: &Statement<'_>| {
						verify_opening(statement, &place, &opening).is_ok()
					};
					if self.state(context, right).await? {
						return Ok(Ended::Opened(answer));
					}
				}
				bail!("the answer is not in the transaction that gave it")
			}
		}
	}

	/// What this account waits for already, in a block in which it does.
	async fn pending(
		&self,
		submitter: &Submitter,
	) -> anyhow::Result<Option<(Wanted, BlockNumber)>> {
		let here = submitter.client().pinned().await?;
		let demands = here.demands_on(&self.matched.provider).await?;
		let (task, by) = (self.view.id, submitter.account());
		let own = demands.iter().find(|demand| demand.task == task && demand.by == *by);
		Ok(match own {
			Some(demand) => Some((demand.wanted, here.block().await?.number)),
			None => None,
		})
	}

	async fn wait(
		&self,
		context: &Context,
		submitter: &Submitter,
		wanted: &Wanted,
		from: BlockNumber,
	) -> anyhow::Result<Answer> {
		let what = format!("waiting for {} to be opened …", named(wanted));
		let spinner = progress::spinner(context.output, what);
		let answer = submitter.client().answer_to(self.view.id, submitter.account(), from).await;
		spinner.finish_and_clear();
		Ok(answer?)
	}
}

fn convicted(withheld: bool) -> Ended {
	Ended::Convicted(if withheld { "convicted: withheld" } else { "convicted: wrong" })
}
