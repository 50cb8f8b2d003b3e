//! What is different about a task that is one of several replicas.

use crate::{
	Config, Due, Event, Group, Groups, Job, JobSpec, Pallet, Stage, Task, Tasks, WeightInfo,
};
use alloc::vec::Vec;
use assay_primitives::{
	market::MatchEnd,
	replication::MAX_REPLICAS,
	traits::Lots,
	work::{Assurance, JobId, Mode, Reason, TaskId, TaskIndex, TaskStatus},
};
use frame_support::{pallet_prelude::DispatchResult, traits::Get, weights::Weight};

/// Where a task goes when its match has ended without payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
	/// Back to the market.
	Open,
	/// Nowhere, as long as its group does without it.
	Standby,
	/// Its money goes back to the buyer.
	End,
}

impl<AccountId> JobSpec<AccountId> {
	/// Whether the job can be replicated as it asks, if it does: several providers do not fit into
	/// one machine.
	pub(crate) fn is_replicable(&self) -> bool {
		let Assurance::Replicated { replicas, .. } = self.assurance else { return true };
		(2..=MAX_REPLICAS).contains(&replicas.into()) && matches!(self.mode, Mode::BestAsk)
	}
}

impl<T: Config> Pallet<T> {
	/// Has a group looked at in the next block.
	pub(crate) fn stir(job: JobId, index: TaskIndex) {
		Self::put_down(Self::now().saturating_add(1), Due::Group(job, index));
	}

	/// Has the group of a slot looked at in the next block, if it is of one.
	pub(crate) fn stir_group_of(id: TaskId, job: &Job<T>) {
		if let Some((index, _)) = job.spec.group_of(id.index) {
			Self::stir(id.job, index);
		}
	}

	/// Makes the groups of a new job.
	pub(crate) fn form_groups(job: JobId, spec: &JobSpec<T::AccountId>) {
		for index in 0..spec.groups() {
			Groups::<T>::insert(job, index, Group::new(spec.assurance.slots()));
		}
	}

	/// The status of a new job's slot.
	pub(crate) fn status_at_first(spec: &JobSpec<T::AccountId>, slot: TaskIndex) -> TaskStatus {
		match spec.assurance.place(slot) {
			(_, 0) => TaskStatus::Open,
			_ => TaskStatus::Standby,
		}
	}

	/// Whether there is no time left to find a machine for an open task. Of a task that somebody has
	/// accepted once, further replicas are sought whether or not the buyer still wants it: it must not
	/// see results and deny their majority.
	pub(crate) fn is_out_of_time(id: TaskId, job: &Job<T>) -> bool {
		let now = Self::now();
		let expired = now >= job.expires_at;
		let Some((index, _)) = job.spec.group_of(id.index) else { return expired };
		match Groups::<T>::get(id.job, index).map(|group| group.stage) {
			Some(Stage::First) => expired,
			Some(Stage::Replicating { until }) => now > until,
			Some(Stage::Drawing(_) | Stage::Opening { .. }) | None => true,
		}
	}

	/// Where a task goes next.
	pub(crate) fn next_of(id: TaskId, job: &Job<T>, task: &Task<T>) -> Next {
		let ends =
			task.attempts >= job.runs || Self::is_out_of_time(id, job) || Self::hopeless(job, task);
		match job.spec.group_of(id.index) {
			Some((index, _)) if !Groups::<T>::contains_key(id.job, index) => Next::End,
			Some(_) if ends => Next::Standby,
			None if ends => Next::End,
			_ => Next::Open,
		}
	}

	/// Ends the search for a machine for a task that is out of time.
	pub(crate) fn give_up(id: TaskId, job: &mut Job<T>, task: &mut Task<T>) -> DispatchResult {
		let Some((index, _)) = job.spec.group_of(id.index) else {
			return Self::refund(id, job, task, Reason::Expired);
		};
		Self::turn_to(id, task, TaskStatus::Standby);
		Self::stir(id.job, index);
		Ok(())
	}

	/// Providers that have another slot of the same task.
	pub(crate) fn beside(id: TaskId, job: &Job<T>) -> Vec<T::AccountId> {
		let Some((index, _)) = job.spec.group_of(id.index) else { return Vec::new() };
		Self::slots_of(job, index)
			.filter(|slot| *slot != id.index)
			.filter_map(|slot| Tasks::<T>::get(id.job, slot)?.engaged)
			.map(|engaged| engaged.provider)
			.collect()
	}

	/// The slots of a task.
	pub(crate) fn slots_of(job: &Job<T>, index: TaskIndex) -> core::ops::Range<TaskIndex> {
		let slots = job.spec.assurance.slots();
		let from = index.saturating_mul(slots);
		from..from.saturating_add(slots)
	}

	/// Whether somebody has accepted a replica of the task in this round, so that it takes its course.
	pub(crate) fn is_under_way(id: JobId, job: &Job<T>, index: TaskIndex) -> bool {
		let Some(group) = Groups::<T>::get(id, index) else { return true };
		let first = Self::slots_of(job, index).start.saturating_add(group.first);
		let idle = Tasks::<T>::get(id, first).is_some_and(|task| {
			matches!(
				task.status,
				TaskStatus::Open | TaskStatus::Offered { .. } | TaskStatus::Standby
			)
		});
		!(idle && group.stage == Stage::First)
	}

	/// A replica's match ends, and with it its part in this round.
	pub(crate) fn leave_round(
		id: TaskId,
		task: &mut Task<T>,
		end: MatchEnd,
		reason: Reason,
	) -> DispatchResult {
		let provider = Self::end_match(id, task, end)?;
		Self::turn_to(id, task, TaskStatus::Standby);
		Self::deposit_event(Event::Requeued { task: id, provider, reason });
		Ok(())
	}

	/// Weight of `post`.
	pub(crate) fn post_weight(spec: &JobSpec<T::AccountId>) -> Weight {
		let most = T::MaxTasks::get();
		// A group is a record as a task is.
		T::WeightInfo::post(spec.slots().min(most).saturating_add(spec.groups().min(most)))
	}

	/// Weight of `cancel`.
	pub(crate) fn cancel_weight(slots: u32, groups: u32) -> Weight {
		let groups = u64::from(groups);
		let reads = groups.saturating_mul(2);
		T::WeightInfo::cancel(slots).saturating_add(T::DbWeight::get().reads_writes(reads, groups))
	}

	/// Weight of a step of a group.
	pub(crate) fn step_group_weight() -> Weight {
		T::WeightInfo::decide(MAX_REPLICAS).saturating_add(T::Lots::cast_weight())
	}

	/// What a search reads beside that of a task that is not replicated.
	pub(crate) fn beside_weight() -> Weight {
		T::DbWeight::get().reads(u64::from(MAX_REPLICAS).saturating_add(1))
	}
}
