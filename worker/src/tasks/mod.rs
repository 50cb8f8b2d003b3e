//! What is done about a task, by where it stands on chain.

mod answer;
mod keep;
mod offer;
mod replica;
mod run;

pub use answer::Answers;
pub use keep::{collect, note_ended};
pub use replica::summarise;

use crate::{
	backlog::Backlog,
	chain::{has_moved_on, Call, Chain, ChainError},
	config::Times,
	journal::Journal,
	quota::Quota,
	runner::Runner,
	stop::Stop,
	tally::Tally,
	task_name,
};
use assay_data::Store;
use assay_primitives::{views::TaskView, work::TaskStatus, BlockNumber};
use std::{sync::Arc, time::Duration};
use tokio::sync::RwLock;

/// Blocks of a deadline in which nothing is executed: until the acceptance is final, and while the
/// result is submitted.
const LOST_BLOCKS: BlockNumber = 4;

/// What all tasks share.
pub struct Context<C> {
	/// The chain, signing with the hot key.
	pub chain: C,
	/// Does the work.
	pub runner: Box<dyn Runner>,
	/// What was done so far.
	pub journal: Journal,
	/// What is kept and served.
	pub store: Store,
	/// Room in the store.
	pub quota: Arc<Quota>,
	/// What is taken on and not yet done.
	pub backlog: Arc<Backlog>,
	/// How many offers were declined.
	pub tally: Tally,
	/// Held shared while the store has things that are needed and that the journal does not name
	/// yet, and exclusively while what it does not name is removed.
	pub collecting: Arc<RwLock<()>>,
	/// How long things take.
	pub times: Times,
	/// Set when everything is to stop.
	pub stop: Stop,
}

/// What came of looking at a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
	/// A call succeeded: the chain shows the task elsewhere by now.
	Acted,
	/// There is nothing to do until the chain shows the task elsewhere.
	Waits,
	/// It did not work; another try may.
	Failed,
}

/// Why a step failed.
#[derive(Debug, thiserror::Error)]
pub enum StepError {
	/// The chain did not take or answer something.
	#[error(transparent)]
	Chain(#[from] ChainError),
	/// The journal cannot be written: nothing may be done that it does not name.
	#[error("cannot write the journal: {0}")]
	Journal(#[from] std::io::Error),
	/// The store failed.
	#[error(transparent)]
	Store(#[from] assay_data::StoreError),
	/// The work failed.
	#[error("{0}")]
	Work(String),
}

impl<C: Chain> Context<C> {
	/// Does what is next for a task. Logs what went wrong.
	pub async fn advance(&self, view: TaskView) -> Outcome {
		let step = match view.status {
			TaskStatus::Offered { until } => self.take_up(&view, until).await,
			TaskStatus::Running { due } => self.run(&view, due).await,
			TaskStatus::Auditing { .. }
			| TaskStatus::Passed { .. }
			| TaskStatus::Delivering { .. } => self.hold(&view).await,
			TaskStatus::Opening { until } => self.open(&view, until).await,
			TaskStatus::Open
			| TaskStatus::Settled { .. }
			| TaskStatus::Refunded { .. }
			| TaskStatus::Standby
			| TaskStatus::Sealed { .. } => Ok(Outcome::Waits),
		};
		match step {
			Ok(outcome) => outcome,
			Err(StepError::Chain(error)) if has_moved_on(&error) => {
				tracing::info!("the task has moved on: {error}");
				Outcome::Failed
			}
			Err(error) if self.stop.is_set() => {
				tracing::debug!("{error}");
				Outcome::Failed
			}
			Err(error) => {
				tracing::warn!("{error}; will try again");
				Outcome::Failed
			}
		}
	}

	async fn send(&self, call: Call) -> Result<Outcome, StepError> {
		self.chain.send(call).await?;
		Ok(Outcome::Acted)
	}

	/// Resolves when the chain is past a height.
	async fn past(&self, height: BlockNumber) {
		let mut heights = self.chain.heights();
		if heights.wait_for(|now| *now > height).await.is_err() {
			// Nobody counts any more.
			std::future::pending::<()>().await;
		}
	}
}

/// The span in which everything about a task is logged.
pub fn span(view: &TaskView) -> tracing::Span {
	tracing::info_span!("task", id = task_name(view.id))
}

/// Time for the work of a task that is due after so many blocks.
fn time_within(deadline: BlockNumber, block_time: Duration) -> Duration {
	let lost = LOST_BLOCKS.min(deadline / 2);
	block_time.saturating_mul(deadline.saturating_sub(lost))
}
