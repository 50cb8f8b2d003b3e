//! Posting and cancelling jobs.

use crate::{
	Config, Error, Event, Groups, Job, JobSpec, Jobs, NextJob, Pallet, Parameters, Params, Search,
	Searches, Task, Tasks, Totals,
};
use assay_primitives::{
	traits::{Audits, Programs},
	url,
	views::{JobMoney, TaskCounts},
	work::{Custody, JobId, Reason, TaskId, TaskStatus},
	Balance,
};
use frame_support::{
	ensure,
	pallet_prelude::{DispatchResult, DispatchResultWithPostInfo, Get},
};

impl<T: Config> Pallet<T> {
	pub(crate) fn do_post(owner: T::AccountId, spec: JobSpec<T::AccountId>) -> DispatchResult {
		let params = Parameters::<T>::get();
		let program = T::Programs::info(&spec.program).ok_or(Error::<T>::UnknownProgram)?;
		ensure!(spec.is_replicable(), Error::<T>::NotReplicable);
		let slots = spec.slots();
		ensure!(slots > 0 && slots <= T::MaxTasks::get(), Error::<T>::TaskCount);
		ensure!(url::check(&spec.data_url).is_ok(), Error::<T>::BadUrl);
		ensure!(
			spec.deadline >= params.min_deadline && spec.deadline <= params.max_deadline,
			Error::<T>::DeadlineOutOfRange
		);
		ensure!(
			spec.lifetime > 0 && spec.lifetime <= params.max_lifetime,
			Error::<T>::LifetimeOutOfRange
		);
		ensure!(spec.max_price > 0, Error::<T>::ZeroPrice);

		let audit_fee = T::Audits::fee(&program.costs, &spec.assurance, spec.value)?;
		let custody = T::Audits::custody(&program)?;
		let per_task = Self::escrow_per_task(spec.max_price, audit_fee, &custody, params.runs)
			.ok_or(Error::<T>::AmountTooLarge)?;
		let escrow = per_task.checked_mul(slots.into()).ok_or(Error::<T>::AmountTooLarge)?;
		// What a lie would gain, at most twice the price and the value, must be a number.
		let twice = spec.max_price.checked_mul(2).ok_or(Error::<T>::AmountTooLarge)?;
		spec.value.checked_add(twice).ok_or(Error::<T>::AmountTooLarge)?;
		Self::hold(&owner, escrow)?;
		T::Programs::hold(&spec.program)?;

		let now = Self::now();
		let job = NextJob::<T>::mutate(|next| {
			let job = *next;
			*next = next.saturating_add(1);
			job
		});
		let tasks = spec.tasks;
		Self::form_groups(job, &spec);
		for index in 0..slots {
			Tasks::<T>::insert(
				job,
				index,
				Task {
					status: Self::status_at_first(&spec, index),
					turn: 0,
					engaged: None,
					attempts: 0,
					refused: Default::default(),
					held: per_task,
				},
			);
		}
		let first = (0..slots).step_by(spec.assurance.slots() as usize);
		let mut search = Search::of(first, now);
		search.put(job, now);
		Searches::<T>::insert(job, search);
		let expires_at = now.saturating_add(spec.lifetime);
		Jobs::<T>::insert(
			job,
			Job {
				owner: owner.clone(),
				spec,
				audit_fee,
				custody,
				runs: params.runs,
				posted_at: now,
				expires_at,
				closed_at: None,
				money: JobMoney { escrow, ..Default::default() },
				counts: TaskCounts { live: slots, ..Default::default() },
			},
		);
		Totals::<T>::mutate(|t| {
			t.posted = t.posted.saturating_add(1);
			t.escrow = t.escrow.saturating_add(escrow);
		});
		Self::deposit_event(Event::Posted { job, owner, tasks, escrow });
		Ok(())
	}

	pub(crate) fn do_cancel(owner: T::AccountId, id: JobId) -> DispatchResultWithPostInfo {
		let now = Self::now();
		let mut job = Jobs::<T>::get(id).ok_or(Error::<T>::UnknownJob)?;
		ensure!(job.owner == owner, Error::<T>::NotOwner);
		// Tasks that come back later find the job expired.
		job.expires_at = job.expires_at.min(now);
		let slots = job.spec.slots();
		// What replicas of a task there are take their course once one is accepted.
		let mut is_under_way = false;
		for index in 0..slots {
			if let Some((of, 0)) = job.spec.group_of(index) {
				is_under_way = Self::is_under_way(id, &job, of);
				if !is_under_way {
					Groups::<T>::remove(id, of);
				}
			}
			if is_under_way {
				continue;
			}
			let Some(mut task) = Tasks::<T>::get(id, index) else { continue };
			match task.status {
				TaskStatus::Open | TaskStatus::Standby => {}
				TaskStatus::Offered { .. } => {
					Self::withdraw_offer(TaskId { job: id, index }, &mut task)
				}
				_ => continue,
			}
			Self::refund(TaskId { job: id, index }, &mut job, &mut task, Reason::Cancelled)?;
			Tasks::<T>::insert(id, index, task);
		}
		let groups = job.spec.groups();
		Self::store_job(id, job);
		Ok(Some(Self::cancel_weight(slots, groups)).into())
	}

	pub(crate) fn do_set_parameters(params: Params) -> DispatchResult {
		ensure!(params.valid(), Error::<T>::BadParameters);
		Parameters::<T>::put(&params);
		Self::deposit_event(Event::ParametersSet { params });
		Ok(())
	}

	/// Escrow of one task: its highest price, and for every run it may take the audit fee and the
	/// custody of its output.
	fn escrow_per_task(
		max_price: Balance,
		audit_fee: Balance,
		custody: &Custody,
		runs: u8,
	) -> Option<Balance> {
		let run = audit_fee.checked_add(custody.most()?)?;
		max_price.checked_add(run.checked_mul(runs.into())?)
	}
}
