//! Payouts that could not be delivered.

use super::id;
use crate::{
	chain::{
		self,
		runtime_types::{assay_runtime::RuntimeCall, pallet_emissions, pallet_job_escrow},
	},
	Error, Outcome, Submitter,
};
use assay_primitives::Balance;

impl Submitter {
	/// Collects payouts that could not be delivered to this account, those of jobs and those of
	/// emission. Either may have none: see [`claimed`] for what came of it.
	pub async fn claim(&self) -> Result<Outcome, Error> {
		let calls = vec![
			RuntimeCall::JobEscrow(pallet_job_escrow::pallet::Call::claim),
			RuntimeCall::Emissions(pallet_emissions::pallet::Call::claim {
				provider: id(self.account()),
			}),
		];
		// Goes on where the first has nothing to collect.
		self.submit(&chain::tx().utility().force_batch(calls)).await
	}
}

/// What [`Submitter::claim`] collected, in planck.
pub fn claimed(outcome: &Outcome) -> Balance {
	let job = outcome.find::<chain::job_escrow::events::Claimed>().map_or(0, |e| e.amount);
	let era = outcome.find::<chain::emissions::events::Claimed>().map_or(0, |e| e.amount);
	job.saturating_add(era)
}
