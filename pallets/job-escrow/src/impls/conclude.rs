//! What becomes of audits and challenges.

use crate::{Config, Due, Error, Event, Jobs, Pallet, Task, Tasks, Totals, WeightInfo};
use alloc::vec::Vec;
use assay_primitives::{
	honesty::CHALLENGER_SHARE,
	market::MatchEnd,
	traits::{AuditSink, Audits, Supply},
	work::{Assurance, AuditOutcome, Delivery, Offence, Reason, TaskId, TaskStatus},
	Balance,
};
use frame_support::{
	ensure,
	pallet_prelude::{DispatchResult, Get},
	storage::with_storage_layer,
	weights::Weight,
};
use sp_runtime::DispatchError;

impl<T: Config> AuditSink<T::AccountId> for Pallet<T> {
	fn convicted(task: TaskId, offence: Offence, challenged: bool) -> Balance {
		let result = with_storage_layer(|| Self::do_convict(task, offence, challenged));
		result.unwrap_or_else(|error| {
			frame_support::defensive!("a conviction could not be booked", error);
			0
		})
	}

	fn convicted_weight() -> Weight {
		T::WeightInfo::convict()
	}

	fn reward(challenger: &T::AccountId, amount: Balance) {
		let result = with_storage_layer(|| Self::pay_reward(challenger, amount));
		if let Err(error) = result {
			frame_support::defensive!("a reward could not be paid", error);
		}
	}

	fn reward_weight() -> Weight {
		T::WeightInfo::reward()
	}

	fn concluded(task: TaskId, outcome: AuditOutcome, attesters: Vec<T::AccountId>) {
		let result = with_storage_layer(|| Self::do_conclude(task, outcome, attesters));
		if let Err(error) = result {
			frame_support::defensive!("an audit's end could not be booked", error);
		}
	}

	fn concluded_weight(attesters: u32) -> Weight {
		T::WeightInfo::conclude(attesters)
	}

	fn delivered(task: TaskId, found: Delivery, custodians: Vec<T::AccountId>) -> bool {
		let result = with_storage_layer(|| Self::do_deliver(task, found, custodians));
		result.unwrap_or_else(|error| {
			frame_support::defensive!("what custodians found could not be booked", error);
			true
		})
	}

	fn delivered_weight(custodians: u32) -> Weight {
		T::WeightInfo::deliver(custodians)
	}
}

impl<T: Config> Pallet<T> {
	/// Lets a task wait for the end of its window.
	pub(crate) fn pass(id: TaskId, task: &mut Task<T>) {
		let next = Self::now().saturating_add(1);
		let settles_at = T::Audits::open_until(id).unwrap_or(next);
		Self::turn_to(id, task, TaskStatus::Passed { settles_at });
		Self::put_down(settles_at, Due::Task(id, task.turn));
	}

	/// The provider forfeits its collateral: the buyer is made whole for the value declared and the
	/// audit fees spent, of the rest the challenger's share is set aside, and what remains is burned.
	/// The task goes back to the market. Returns what was set aside.
	fn do_convict(
		id: TaskId,
		offence: Offence,
		challenged: bool,
	) -> Result<Balance, DispatchError> {
		let mut job = Jobs::<T>::get(id.job).ok_or(Error::<T>::UnknownJob)?;
		let mut task = Tasks::<T>::get(id.job, id.index).ok_or(Error::<T>::UnknownTask)?;
		ensure!(
			matches!(
				task.status,
				TaskStatus::Auditing { .. }
					| TaskStatus::Passed { .. }
					| TaskStatus::Delivering { .. }
			),
			Error::<T>::WrongState
		);
		let engaged = task.engaged.as_mut().ok_or(Error::<T>::Inconsistent)?;
		let provider = engaged.provider.clone();
		let collateral = core::mem::take(&mut engaged.collateral);
		let forfeit = T::Supply::forfeit(&provider, collateral, &Self::pot());
		let owed = job.spec.value.saturating_add(engaged.audit_paid);
		let compensation = owed.min(forfeit);
		let rest = forfeit.saturating_sub(compensation);
		let reward = if challenged { CHALLENGER_SHARE.mul_floor(rest) } else { 0 };
		let burned = rest.saturating_sub(reward);

		Self::distrust(&provider);
		Self::pay_from_pot(&job.owner, compensation)?;
		Self::burn_from_pot(burned)?;
		job.money.compensated = job.money.compensated.saturating_add(compensation);
		Totals::<T>::mutate(|t| {
			t.convictions = t.convictions.saturating_add(1);
			t.forfeited = t.forfeited.saturating_add(forfeit);
			t.rewards = t.rewards.saturating_add(reward);
		});
		Self::deposit_event(Event::Convicted {
			task: id,
			provider,
			offence,
			forfeit,
			compensation,
			reward,
			burned,
		});
		Self::requeue(id, &mut job, &mut task, MatchEnd::Failed, Reason::Convicted(offence))?;
		Tasks::<T>::insert(id.job, id.index, task);
		Self::store_job(id.job, job);
		Ok(reward)
	}

	fn pay_reward(challenger: &T::AccountId, amount: Balance) -> DispatchResult {
		Self::pay_from_pot(challenger, amount)?;
		Totals::<T>::mutate(|t| t.rewards = t.rewards.saturating_sub(amount));
		Ok(())
	}

	fn do_conclude(
		id: TaskId,
		outcome: AuditOutcome,
		attesters: Vec<T::AccountId>,
	) -> DispatchResult {
		let mut job = Jobs::<T>::get(id.job).ok_or(Error::<T>::UnknownJob)?;
		let mut task = Tasks::<T>::get(id.job, id.index).ok_or(Error::<T>::UnknownTask)?;
		let TaskStatus::Auditing { .. } = task.status else {
			return Err(Error::<T>::WrongState.into());
		};
		// Each seat has its share of one run's fee: who attested is paid, whatever he found. What
		// absent auditors leave stays with the buyer, but for a result that could not be judged:
		// there it goes to the treasury, or making auditors work in vain would cost nothing.
		let auditors = job.spec.assurance.auditors();
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
		if let Some(engaged) = &mut task.engaged {
			engaged.audit_paid = engaged.audit_paid.saturating_add(fee);
			// Whoever attested to the whole of a result has had its output.
			let whole =
				matches!(job.spec.assurance, Assurance::Audited { depth, .. } if depth.vouches());
			engaged.delivered |= whole && outcome == AuditOutcome::Passed;
		}
		Self::deposit_event(Event::Audited { task: id, outcome, fee });

		match outcome {
			AuditOutcome::Passed | AuditOutcome::Spared => Self::pass(id, &mut task),
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
