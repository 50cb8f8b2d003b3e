//! How tasks and jobs end.

use crate::{Config, Due, Engaged, Error, Event, Job, Jobs, Pallet, Parameters, Task, Totals};
use assay_primitives::{
	market::MatchEnd,
	traits::{Programs, Supply, WorkLedger},
	work::{JobId, Reason, TaskId, TaskStatus},
};
use frame_support::pallet_prelude::{DispatchResult, Get};

impl<T: Config> Pallet<T> {
	/// Pays a task whose audit passed and whose window is over.
	pub(crate) fn settle(id: TaskId, job: &mut Job<T>, task: &mut Task<T>) -> DispatchResult {
		let engaged = task.engaged.clone().ok_or(Error::<T>::Inconsistent)?;
		let params = Parameters::<T>::get();
		let fee = params.fee.mul_floor(engaged.price);
		let burned = params.burned.mul_floor(fee);
		let to_treasury = fee.saturating_sub(burned);
		let paid = engaged.price.saturating_sub(fee);

		Self::pay(&job.owner, task, &engaged.provider, paid)?;
		Self::pay(&job.owner, task, &T::Treasury::get(), to_treasury)?;
		Self::burn(&job.owner, task, burned)?;
		let refunded = Self::release_rest(&job.owner, task)?;
		T::Ledger::burned(&engaged.provider, burned);

		Engaged::<T>::remove(&engaged.provider, id);
		T::Supply::release(
			&engaged.provider,
			engaged.machine,
			engaged.collateral,
			MatchEnd::Settled,
		);
		job.money.paid = job.money.paid.saturating_add(paid);
		job.money.fees = job.money.fees.saturating_add(fee);
		job.money.burned = job.money.burned.saturating_add(burned);
		job.money.refunded = job.money.refunded.saturating_add(refunded);
		job.counts.settled = job.counts.settled.saturating_add(1);
		job.counts.live = job.counts.live.saturating_sub(1);
		Totals::<T>::mutate(|t| {
			t.settled = t.settled.saturating_add(1);
			t.paid = t.paid.saturating_add(paid);
			t.burned = t.burned.saturating_add(burned);
		});
		Self::turn_to(id, task, TaskStatus::Settled { at: Self::now() });
		Self::deposit_event(Event::Settled {
			task: id,
			provider: engaged.provider,
			paid,
			fee,
			burned,
			refunded,
		});
		Ok(())
	}

	/// Returns an unmatched task's escrow to the buyer and ends the task.
	pub(crate) fn refund(
		id: TaskId,
		job: &mut Job<T>,
		task: &mut Task<T>,
		reason: Reason,
	) -> DispatchResult {
		let amount = Self::release_rest(&job.owner, task)?;
		job.money.refunded = job.money.refunded.saturating_add(amount);
		job.counts.refunded = job.counts.refunded.saturating_add(1);
		job.counts.live = job.counts.live.saturating_sub(1);
		Totals::<T>::mutate(|t| t.refunded = t.refunded.saturating_add(1));
		Self::turn_to(id, task, TaskStatus::Refunded { at: Self::now(), reason });
		Self::deposit_event(Event::Refunded { task: id, amount, reason });
		Ok(())
	}

	/// Stores a job, closing it if its last task has ended.
	pub(crate) fn store_job(id: JobId, mut job: Job<T>) {
		if job.counts.live == 0 && job.closed_at.is_none() {
			let now = Self::now();
			job.closed_at = Some(now);
			T::Programs::unhold(&job.spec.program);
			Totals::<T>::mutate(|t| t.closed = t.closed.saturating_add(1));
			let due = now.saturating_add(Parameters::<T>::get().retention);
			Self::put_down(due, Due::Purge(id, 0));
			Self::deposit_event(Event::Closed { job: id });
		}
		Jobs::<T>::insert(id, job);
	}

	/// Changes a task's status; agenda entries made before become stale.
	pub(crate) fn turn_to(id: TaskId, task: &mut Task<T>, status: TaskStatus) {
		Self::moved(id, task.status, status);
		task.status = status;
		task.turn = task.turn.wrapping_add(1);
	}
}
