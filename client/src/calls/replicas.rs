//! Replicated tasks.

use crate::{chain, Error, Outcome, Submitter};
use assay_primitives::{replication, work::TaskId, Root};
use subxt::utils::Static;

impl Submitter {
	/// Seals what a replica found, as a provider's hot key. It must be opened with
	/// [`Submitter::open_result`].
	pub async fn seal_result(&self, task: TaskId, seal: Root) -> Result<Outcome, Error> {
		self.submit(&chain::tx().job_escrow().seal_result(task.job, task.index, seal)).await
	}

	/// Opens what was sealed, as a provider's hot key.
	pub async fn open_result(
		&self,
		task: TaskId,
		outcome: replication::Outcome,
		salt: replication::Salt,
	) -> Result<Outcome, Error> {
		let outcome = Static(outcome);
		let call = chain::tx().job_escrow().open_result(task.job, task.index, outcome, salt);
		self.submit(&call).await
	}
}
