//! Delivery: nobody is paid for an output that the buyer does not get (DESIGN §4.8).
//!
//! The buyer says that it has it, or auditors had it when they audited the whole result. Of any
//! other, custodians fetch the output once the window is over: with a quorum that has it the task is
//! paid. Where two quorums could not have it the provider is not, and a part of its collateral is
//! burned, which makes nobody richer: what nobody could have is a statement, never proof.

use crate::{Config, Error, Event, Jobs, Pallet, Parameters, Task, Tasks};
use alloc::vec::Vec;
use assay_primitives::{
	market::MatchEnd,
	traits::Audits,
	work::{Delivery, JobId, Reason, TaskId, TaskIndex, TaskStatus},
	Balance,
};
use frame_support::{ensure, pallet_prelude::DispatchResult};
use sp_runtime::DispatchError;

impl<T: Config> Pallet<T> {
	/// Notes that the buyer has the outputs of these tasks. What it said before counts once.
	pub(crate) fn do_acknowledge(
		owner: T::AccountId,
		job: JobId,
		tasks: &[TaskIndex],
	) -> DispatchResult {
		let record = Jobs::<T>::get(job).ok_or(Error::<T>::UnknownJob)?;
		ensure!(record.owner == owner, Error::<T>::NotOwner);
		for index in tasks {
			let mut task = Tasks::<T>::get(job, index).ok_or(Error::<T>::UnknownTask)?;
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
			if engaged.delivered {
				continue;
			}
			engaged.delivered = true;
			Tasks::<T>::insert(job, index, task);
			Self::deposit_event(Event::Acknowledged { task: TaskId { job, index: *index } });
		}
		Ok(())
	}

	/// The window of a result that stands is over: it settles if it is delivered.
	pub(crate) fn end_window(
		id: TaskId,
		job: &mut crate::Job<T>,
		task: &mut Task<T>,
	) -> DispatchResult {
		if T::Audits::open_until(id).is_some() {
			// A challenge has moved the end of the window.
			Self::pass(id, task);
			return Ok(());
		}
		if task.engaged.as_ref().is_some_and(|engaged| engaged.delivered) {
			T::Audits::close(id);
			return Self::settle(id, job, task);
		}
		T::Audits::deliver(id, job.custody.custodians)?;
		Self::turn_to(id, task, TaskStatus::Delivering { since: Self::now() });
		Ok(())
	}

	/// What custodians found. Returns whether the result stands.
	pub(crate) fn do_deliver(
		id: TaskId,
		found: Delivery,
		custodians: Vec<T::AccountId>,
	) -> Result<bool, DispatchError> {
		let mut job = Jobs::<T>::get(id.job).ok_or(Error::<T>::UnknownJob)?;
		let mut task = Tasks::<T>::get(id.job, id.index).ok_or(Error::<T>::UnknownTask)?;
		let TaskStatus::Delivering { .. } = task.status else {
			return Err(Error::<T>::WrongState.into());
		};
		let mut fee: Balance = 0;
		for custodian in custodians.iter().take(job.custody.custodians.into()) {
			Self::pay(&job.owner, &mut task, custodian, job.custody.fee)?;
			fee = fee.saturating_add(job.custody.fee);
		}
		job.money.audit = job.money.audit.saturating_add(fee);
		let engaged = task.engaged.as_mut().ok_or(Error::<T>::Inconsistent)?;
		engaged.audit_paid = engaged.audit_paid.saturating_add(fee);
		// What the buyer has said meanwhile goes before what anybody else says.
		engaged.delivered |= found == Delivery::Held;
		let is_delivered = engaged.delivered;
		Self::deposit_event(Event::Delivered { task: id, found, fee });

		let stands = match found {
			Delivery::Doubted => true,
			_ if is_delivered => {
				Self::pass(id, &mut task);
				true
			}
			Delivery::Undelivered => {
				let part = Parameters::<T>::get().undelivered;
				Self::slash(id, &mut task, part)?;
				let end = MatchEnd::Failed;
				Self::requeue(id, &mut job, &mut task, end, Reason::Undelivered)?;
				false
			}
			Delivery::Held | Delivery::Inconclusive => {
				let end = MatchEnd::Released;
				Self::requeue(id, &mut job, &mut task, end, Reason::NoCustody)?;
				false
			}
		};
		Tasks::<T>::insert(id.job, id.index, task);
		Self::store_job(id.job, job);
		Ok(stands)
	}
}
