//! Finding machines for tasks.

use super::group::Next;
use crate::{
	Config, Due, Engaged, Engagement, Error, Event, Job, Pallet, Parameters, Searches, Task,
};
use assay_primitives::{
	market::{MatchEnd, Quote, Work},
	traits::{Audits, Programs, Supply},
	work::{Mode, Reason, TaskId, TaskStatus},
};
use sp_runtime::DispatchError;

impl<T: Config> Pallet<T> {
	/// Offers an open task to a machine. `Ok(false)` if no machine takes it now.
	pub(crate) fn try_match(
		id: TaskId,
		job: &Job<T>,
		task: &mut Task<T>,
	) -> Result<bool, DispatchError> {
		let program = T::Programs::info(&job.spec.program).ok_or(Error::<T>::UnknownProgram)?;
		let Some(stake_percent) = T::Audits::least_stake_percent(&job.spec.assurance) else {
			return Ok(false);
		};
		let params = Parameters::<T>::get();
		let work = Work {
			costs: program.costs,
			value: job.spec.value,
			deadline: job.spec.deadline,
			premium: params.premium(),
			stake_percent,
		};
		let mut refused =
			Searches::<T>::get(id.job).map(|s| s.avoid.into_inner()).unwrap_or_default();
		let quote = match &job.spec.mode {
			Mode::Direct { provider, .. } if refused.contains(provider) => None,
			Mode::Direct { provider, machine } => {
				T::Supply::quote(provider, *machine, &job.spec.requirements, &work)
					.ok()
					.filter(|q| q.price <= job.spec.max_price)
			}
			Mode::BestAsk => {
				refused.extend(task.refused.iter().cloned());
				refused.extend(Self::beside(id, job));
				T::Supply::best(&job.spec.requirements, &work, job.spec.max_price, &refused)
			}
		};
		let Some(Quote { provider, machine, price, collateral }) = quote else { return Ok(false) };
		T::Supply::reserve(&provider, machine)?;
		let until = Self::now().saturating_add(params.offer_window);
		Engaged::<T>::insert(&provider, id, ());
		task.engaged = Some(Engagement {
			provider: provider.clone(),
			machine,
			price,
			pledge: collateral,
			collateral: 0,
			audit_paid: 0,
			inputs: Default::default(),
			commitment: None,
			delivered: false,
		});
		Self::turn_to(id, task, TaskStatus::Offered { until });
		Self::put_down(until.saturating_add(1), Due::Task(id, task.turn));
		Self::deposit_event(Event::Offered { task: id, provider, machine, price, until });
		Ok(true)
	}

	/// Whether a direct job's only machine has refused this task, so that it never will match.
	pub(crate) fn hopeless(job: &Job<T>, task: &Task<T>) -> bool {
		matches!(&job.spec.mode, Mode::Direct { provider, .. } if task.refused.contains(provider))
	}

	/// Takes an offer back for the buyer's reasons.
	pub(crate) fn withdraw_offer(id: TaskId, task: &mut Task<T>) {
		if let Some(engaged) = task.engaged.take() {
			Engaged::<T>::remove(&engaged.provider, id);
			T::Supply::release(
				&engaged.provider,
				engaged.machine,
				0,
				MatchEnd::NotTaken { lapsed: false },
			);
		}
	}

	/// Ends a match without payment, and brings the task back to the market, or its money to the buyer if it has no run or time left.
	pub(crate) fn requeue(
		id: TaskId,
		job: &mut Job<T>,
		task: &mut Task<T>,
		end: MatchEnd,
		reason: Reason,
	) -> Result<(), DispatchError> {
		let provider = Self::end_match(id, task, end)?;
		let next = Self::next_of(id, job, task);
		match next {
			Next::End => Self::refund(id, job, task, reason)?,
			Next::Standby => {
				Self::turn_to(id, task, TaskStatus::Standby);
				Self::stir_group_of(id, job);
			}
			Next::Open => Self::turn_to(id, task, TaskStatus::Open),
		}
		if next != Next::End {
			let provider = provider.clone();
			Self::deposit_event(Event::Requeued { task: id, provider, reason });
		}
		let is_open = next == Next::Open;
		match end {
			MatchEnd::NotTaken { .. } => Self::not_taken(id, is_open, &provider),
			_ if is_open => Self::reopened(id),
			_ => {}
		}
		Ok(())
	}

	/// Ends a match without payment: frees the machine, counts the attempt if a run was begun, and
	/// does not offer the task to this provider next time. Returns whose it was.
	pub(crate) fn end_match(
		id: TaskId,
		task: &mut Task<T>,
		end: MatchEnd,
	) -> Result<T::AccountId, Error<T>> {
		let engaged = task.engaged.take().ok_or(Error::<T>::Inconsistent)?;
		Engaged::<T>::remove(&engaged.provider, id);
		T::Supply::release(&engaged.provider, engaged.machine, engaged.collateral, end);
		if !matches!(end, MatchEnd::NotTaken { .. }) {
			task.attempts = task.attempts.saturating_add(1);
		}
		if task.refused.is_full() {
			task.refused.remove(0);
		}
		// There is room: the bound is at least one, and a full list just lost its oldest.
		let _ = task.refused.try_push(engaged.provider.clone());
		Ok(engaged.provider)
	}
}
