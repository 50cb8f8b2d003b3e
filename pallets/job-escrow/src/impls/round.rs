//! Rounds of replicated tasks, step by step.
//!
//! A round begins with one replica. Where its provider has not agreed with majorities for long, the
//! others are sought as soon as it is accepted; else a lot decides, once it is sealed, of entropy that
//! nobody knew when it was. When all that could be had are sealed, they are opened, and the round is
//! decided: with a majority the task is, without one another round begins, as long as there are runs
//! and time. Slots are changed by their own calls and deadlines; what follows for the group is done
//! here, in the next block, off the agenda.

use crate::{
	Agreed, Config, Due, Error, Event, GroupOf, Groups, Job, Jobs, Pallet, Parameters, Stage, Task,
	Tasks,
};
use alloc::vec::Vec;
use assay_primitives::{
	market::MatchEnd,
	replication,
	traits::{Cast, Lots},
	work::{Assurance, JobId, Reason, TaskId, TaskIndex, TaskStatus},
	BlockNumber,
};
use frame_support::pallet_prelude::DispatchResult;
use sp_runtime::{DispatchError, Perquintill};

/// A replicated task with all that belongs to it.
pub(crate) struct Round<T: Config> {
	id: JobId,
	index: TaskIndex,
	pub(super) job: Job<T>,
	pub(super) group: GroupOf<T>,
	pub(super) slots: Vec<(TaskId, Task<T>)>,
	/// Whether the task is decided, so that nothing is left of the group.
	pub(super) is_over: bool,
}

impl<T: Config> Pallet<T> {
	/// Moves a replicated task on, if it is not decided. What is not due is left as it is.
	pub(crate) fn step_group(id: JobId, index: TaskIndex) -> DispatchResult {
		let Some(group) = Groups::<T>::get(id, index) else { return Ok(()) };
		let mut round = Round::<T>::load(id, index, group)?;
		round.go_on()?;
		round.store();
		Ok(())
	}
}

impl<T: Config> Round<T> {
	fn load(id: JobId, index: TaskIndex, group: GroupOf<T>) -> Result<Self, DispatchError> {
		let job = Jobs::<T>::get(id).ok_or(Error::<T>::UnknownJob)?;
		let slots = Pallet::<T>::slots_of(&job, index)
			.map(|slot| {
				let task = Tasks::<T>::get(id, slot).ok_or(Error::<T>::UnknownTask)?;
				Ok((TaskId { job: id, index: slot }, task))
			})
			.collect::<Result<_, Error<T>>>()?;
		Ok(Self { id, index, job, group, slots, is_over: false })
	}

	fn store(self) {
		for (id, task) in self.slots {
			Tasks::<T>::insert(id.job, id.index, task);
		}
		match self.is_over {
			true => Groups::<T>::remove(self.id, self.index),
			false => Groups::<T>::insert(self.id, self.index, self.group),
		}
		Pallet::<T>::store_job(self.id, self.job);
	}

	fn go_on(&mut self) -> DispatchResult {
		match self.group.stage.clone() {
			Stage::First => self.after_first(),
			Stage::Drawing(lot) => self.draw(lot),
			Stage::Replicating { until } => self.gather(until),
			Stage::Opening { until, alone } => {
				if self.group.is_open() || Pallet::<T>::now() > until {
					self.decide(alone)?;
				}
				Ok(())
			}
		}
	}

	/// The first replica has moved on.
	fn after_first(&mut self) -> DispatchResult {
		match self.first()?.1.status {
			TaskStatus::Running { .. } | TaskStatus::Sealed { .. } if self.rate()?.is_one() => {
				self.replicate()
			}
			TaskStatus::Sealed { .. } => self.draw(T::Lots::begin()),
			TaskStatus::Standby => self.again(),
			_ => Ok(()),
		}
	}

	/// Casts the lot, or puts down when to try again.
	fn draw(&mut self, mut lot: <T::Lots as Lots>::Lot) -> DispatchResult {
		let (id, _) = self.first()?;
		match T::Lots::cast(&mut lot, *id, self.rate()?) {
			Cast::Wait(block) => {
				self.group.stage = Stage::Drawing(lot);
				self.look_in(block);
				Ok(())
			}
			Cast::Fell(true) => self.replicate(),
			Cast::Fell(false) => {
				Pallet::<T>::deposit_event(Event::Trusted { task: self.name() });
				self.open(true);
				Ok(())
			}
		}
	}

	/// Seeks machines for all replicas.
	fn replicate(&mut self) -> DispatchResult {
		let window = Parameters::<T>::get().replication.seek_window;
		let until = Pallet::<T>::now().saturating_add(window);
		self.group.stage = Stage::Replicating { until };
		self.look_in(until.saturating_add(1));
		Pallet::<T>::deposit_event(Event::Replicating { task: self.name(), until });
		let runs = self.job.runs;
		for (id, task) in &mut self.slots {
			if task.status == TaskStatus::Standby && task.attempts < runs {
				Pallet::<T>::turn_to(*id, task, TaskStatus::Open);
				Pallet::<T>::reopened(*id);
			}
		}
		self.gather(until)
	}

	/// Goes on to the opening once all that can be had are sealed.
	fn gather(&mut self, until: BlockNumber) -> DispatchResult {
		let is_late = Pallet::<T>::now() > until;
		for (id, task) in &mut self.slots {
			if is_late && task.status == TaskStatus::Open {
				Pallet::<T>::turn_to(*id, task, TaskStatus::Standby);
			}
		}
		let is_busy = |status| {
			matches!(
				status,
				TaskStatus::Open | TaskStatus::Offered { .. } | TaskStatus::Running { .. }
			)
		};
		if self.slots.iter().any(|(_, task)| is_busy(task.status)) {
			return Ok(());
		}
		if self.is_majority(self.group.seals.iter().flatten().count()) {
			self.open(false);
			return Ok(());
		}
		// There can be no majority: nobody shows what it found for nothing.
		for (id, task) in &mut self.slots {
			if matches!(task.status, TaskStatus::Sealed { .. }) {
				Pallet::<T>::leave_round(*id, task, MatchEnd::Released, Reason::NoMajority)?;
			}
		}
		self.again()
	}

	/// Has what was sealed opened.
	fn open(&mut self, alone: bool) {
		let window = Parameters::<T>::get().replication.opening_window;
		let until = Pallet::<T>::now().saturating_add(window);
		self.group.stage = Stage::Opening { until, alone };
		self.look_in(until.saturating_add(1));
		for (id, task) in &mut self.slots {
			if matches!(task.status, TaskStatus::Sealed { .. }) {
				Pallet::<T>::turn_to(*id, task, TaskStatus::Opening { until });
			}
		}
	}

	/// Begins another round, if a majority can still come together and the buyer still wants it; else
	/// the money goes back. Every slot is on standby.
	pub(super) fn again(&mut self) -> DispatchResult {
		self.group.seals.iter_mut().for_each(|seal| *seal = None);
		let has_expired = Pallet::<T>::now() >= self.job.expires_at;
		let runs = self.job.runs;
		let able = self.slots.iter().filter(|(_, task)| task.attempts < runs).count();
		if has_expired || !self.is_majority(able) {
			let reason = if has_expired { Reason::Expired } else { Reason::NoMajority };
			return self.end(reason);
		}
		let next = self.slots.iter().position(|(_, task)| task.attempts < runs).unwrap_or(0);
		self.group.first = next as u32;
		self.group.stage = Stage::First;
		if let Some((id, task)) = self.slots.get_mut(next) {
			Pallet::<T>::turn_to(*id, task, TaskStatus::Open);
			Pallet::<T>::reopened(*id);
		}
		Ok(())
	}

	/// The task is decided: what nobody is paid for goes back to the buyer.
	pub(super) fn end(&mut self, reason: Reason) -> DispatchResult {
		for (id, task) in &mut self.slots {
			if task.status == TaskStatus::Standby {
				Pallet::<T>::refund(*id, &mut self.job, task, reason)?;
			}
		}
		self.is_over = true;
		Ok(())
	}

	/// How often the first replica's provider is not trusted.
	fn rate(&self) -> Result<Perquintill, DispatchError> {
		let Assurance::Replicated { at_least, .. } = self.job.spec.assurance else {
			return Err(Error::<T>::Inconsistent.into());
		};
		let engaged = self.first()?.1.engaged.as_ref().ok_or(Error::<T>::Inconsistent)?;
		let floor = Parameters::<T>::get().replication.floor;
		Ok(replication::rate(Agreed::<T>::get(&engaged.provider), at_least.max(floor)))
	}

	fn first(&self) -> Result<&(TaskId, Task<T>), Error<T>> {
		self.slots.get(self.group.first as usize).ok_or(Error::<T>::Inconsistent)
	}

	/// The task's first slot, after which it is named in events.
	pub(super) fn name(&self) -> TaskId {
		TaskId { job: self.id, index: Pallet::<T>::slots_of(&self.job, self.index).start }
	}

	pub(super) fn is_majority(&self, of: usize) -> bool {
		of > self.slots.len() / 2
	}

	fn look_in(&self, block: BlockNumber) {
		Pallet::<T>::put_down(block, Due::Group(self.id, self.index));
	}
}
