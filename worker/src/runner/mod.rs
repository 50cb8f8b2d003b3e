//! How tasks of each kind of workload are prepared and done.

mod limits;
mod open;
mod program;
mod supply;

pub use limits::{Exceeded, Limits};
pub use program::ProgramRunner;
pub use supply::{on_disk, Missing, Supply};

use crate::{backlog::OutOfReach, quota::NoRoom, sabotage::SabotageError};
use assay_compute::proof::demand;
use assay_data::StoreError;
use assay_primitives::{
	views::JobView,
	work::{Assurance, Commitment, Depth, TaskId},
	Root,
};
use futures::future::BoxFuture;
use std::time::{Duration, Instant};
use tokio::sync::OwnedRwLockReadGuard;

/// A kind of workload: knows what its tasks need, does them, and keeps what others may ask for.
pub trait Runner: Send + Sync + 'static {
	/// Fetches and checks all that a task needs and keeps it in the store, and makes sure that it
	/// would be done within `allowed` from its acceptance. Moves nothing on chain.
	fn prepare<'a>(
		&'a self,
		job: &'a JobView,
		task: TaskId,
		allowed: Duration,
	) -> BoxFuture<'a, Result<Prepared, Refusal>>;

	/// Does a task with these inputs, which has to be done by `due`, and keeps what stands behind
	/// `extent`. Dropping the future stops it.
	fn perform<'a>(
		&'a self,
		job: &'a JobView,
		task: TaskId,
		inputs: &'a [Root],
		extent: Extent,
		due: Instant,
	) -> BoxFuture<'a, Result<Made, Failure>>;

	/// Opens a place of a trace that the store has. The encoding of the opening.
	fn open<'a>(
		&'a self,
		job: &'a JobView,
		inputs: &'a [Root],
		commitment: Commitment,
		place: demand::Wanted,
	) -> BoxFuture<'a, Result<Vec<u8>, Failure>>;

	/// Whether the store has all that stands behind a commitment.
	fn holds<'a>(
		&'a self,
		job: &'a JobView,
		commitment: Commitment,
	) -> BoxFuture<'a, Result<bool, StoreError>>;
}

/// How much of a run is committed to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
	/// Every tensor.
	Trace,
	/// The output alone: the trace is owed only when it is demanded, and costs nothing until then.
	Output,
}

impl Extent {
	/// The least that a job takes.
	pub fn of(assurance: &Assurance) -> Self {
		match assurance {
			Assurance::Optimistic
			| Assurance::Audited { depth: Depth::Replay, .. }
			| Assurance::Replicated { .. } => Self::Output,
			Assurance::Audited { .. } => Self::Trace,
		}
	}
}

/// A task that can be accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prepared {
	/// Roots of its inputs, in node order.
	pub inputs: Vec<Root>,
	/// Path from the task to the job's tasks root.
	pub path: Vec<Root>,
}

/// A task that was done.
#[derive(Debug)]
pub struct Made {
	/// What stands for its trace, which is in the store.
	pub commitment: Commitment,
	/// Until this is dropped nothing is removed from the store. Drop it once the journal names the
	/// commitment: before, the trace is needed by nobody as far as anybody can tell.
	pub unnamed: OwnedRwLockReadGuard<()>,
}

/// Why a task is not taken on.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
	/// Something it needs is not to be had, or is not what it should be.
	#[error(transparent)]
	Missing(#[from] Missing),
	/// It is too large.
	#[error(transparent)]
	Exceeded(#[from] Exceeded),
	/// It would not be done in time.
	#[error(transparent)]
	OutOfReach(#[from] OutOfReach),
	/// There is no room for it.
	#[error(transparent)]
	NoRoom(#[from] NoRoom),
	/// The job's list names another number of inputs than the program has.
	#[error("the job's list gives the task {given} inputs, its program has {declared}")]
	Inputs {
		/// Inputs listed.
		given: usize,
		/// Inputs of the program.
		declared: usize,
	},
	/// The development flag does not fit it.
	#[error(transparent)]
	Sabotage(#[from] SabotageError),
}

/// Why an accepted task was not done.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
	/// It was stopped.
	#[error("stopped")]
	Stopped,
	/// Another try may go better.
	#[error("{0}")]
	Passing(String),
	/// No other try will.
	#[error("{0}")]
	Lasting(String),
}

impl From<Missing> for Failure {
	fn from(missing: Missing) -> Self {
		Self::Passing(missing.to_string())
	}
}

impl From<StoreError> for Failure {
	fn from(error: StoreError) -> Self {
		Self::Passing(error.to_string())
	}
}
