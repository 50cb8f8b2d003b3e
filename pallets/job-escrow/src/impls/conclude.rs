//! What becomes of audits.

use crate::{Config, Due, Error, Event, Jobs, Pallet, Parameters, Tasks, Totals, WeightInfo};
use alloc::vec::Vec;
use assay_primitives::{
	market::MatchEnd,
	traits::AuditSink,
	work::{Assurance, AuditOutcome, Reason, TaskId, TaskStatus},
	Balance,
};
use frame_support::{
	pallet_prelude::{DispatchResult, Get},
	storage::with_storage_layer,
	weights::Weight,
};

impl<T: Config> AuditSink<T::AccountId> for Pallet<T> {
	fn concluded(task: TaskId, outcome: AuditOutcome, attesters: Vec<T::AccountId>) {
		let result = with_storage_layer(|| Self::do_conclude(task, outcome, attesters));
		if let Err(error) = result {
			frame_support::defensive!("an audit's end could not be booked", error);
		}
	}

	fn concluded_weight(attesters: u32) -> Weight {
		T::WeightInfo::conclude(attesters)
	}
}

impl<T: Config> Pallet<T> {
	fn do_conclude(
		id: TaskId,
		outcome: AuditOutcome,
		attesters: Vec<T::AccountId>,
	) -> DispatchResult {
		let mut job = Jobs::<T>::get(id.job).ok_or(Error::<T>::UnknownJob)?;
		let mut task = Tasks::<T>::get(id.job, id.index).ok_or(Error::<T>::UnknownTask)?;
		let TaskStatus::Auditing { submitted_at } = task.status else {
			return Err(Error::<T>::WrongState.into());
		};
		// Each seat has its share of one run's fee: who attested is paid, whatever he found. What
		// absent auditors leave stays with the buyer, but for a result that could not be judged:
		// there it goes to the treasury, or making auditors work in vain would cost nothing.
		let Assurance::Audited { auditors } = job.spec.assurance;
		let share = job.audit_fee.checked_div(auditors.into()).unwrap_or(0);
		let mut fee: Balance = 0;
		for attester in attesters.iter().take(auditors.into()) {
			Self::pay(&job.owner, &mut task, attester, share)?;
			fee = fee.saturating_add(share);
		}
		if let AuditOutcome::Inconclusive = outcome {
			let rest = job.audit_fee.saturating_sub(fee);
			Self::pay(&job.owner, &mut task, &T::Treasury::get(), rest)?;
			fee = fee.saturating_add(rest);
		}
		job.money.audit = job.money.audit.saturating_add(fee);
		Self::deposit_event(Event::Audited { task: id, outcome, fee });

		let now = Self::now();
		match outcome {
			AuditOutcome::Passed => {
				let window = Parameters::<T>::get().challenge_window;
				let settles_at = submitted_at.saturating_add(window).max(now.saturating_add(1));
				Self::turn_to(id, &mut task, TaskStatus::Passed { settles_at });
				Self::put_down(settles_at, Due::Task(id, task.turn));
			}
			AuditOutcome::Failed(_) | AuditOutcome::Inconclusive => {
				let end = match outcome {
					AuditOutcome::Failed(_) => {
						Totals::<T>::mutate(|t| {
							t.audits_failed = t.audits_failed.saturating_add(1)
						});
						MatchEnd::Failed
					}
					_ => MatchEnd::Released,
				};
				Self::requeue(id, &mut job, &mut task, end, Reason::Audit(outcome))?;
			}
		}
		Tasks::<T>::insert(id.job, id.index, task);
		Self::store_job(id.job, job);
		Ok(())
	}
}
