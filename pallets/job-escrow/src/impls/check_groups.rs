//! What must hold of replicated tasks at every block.

#![cfg(any(test, feature = "try-runtime"))]

use crate::{
	AgendaItems, Config, Due, Group, GroupOf, Groups, Job, Jobs, Pallet, Stage, Task, Tasks,
};
use alloc::{collections::btree_set::BTreeSet, vec::Vec};
use assay_primitives::work::{JobId, TaskIndex, TaskStatus};
use codec::Encode;
use frame_support::ensure;
use sp_runtime::TryRuntimeError;

/// Whether a status is one of a group that is not decided.
fn is_of_group(status: TaskStatus) -> bool {
	!matches!(
		status,
		TaskStatus::Auditing { .. }
			| TaskStatus::Passed { .. }
			| TaskStatus::Delivering { .. }
			| TaskStatus::Settled { .. }
			| TaskStatus::Refunded { .. }
	)
}

impl<T: Config> Pallet<T> {
	/// Every slot that is not decided has its group, every group its slots, and each is where the
	/// other says.
	pub(crate) fn check_groups() -> Result<(), TryRuntimeError> {
		let steps: BTreeSet<_> = AgendaItems::<T>::iter_values()
			.filter_map(|due| match due {
				Due::Group(job, index) => Some((job, index)),
				_ => None,
			})
			.collect();
		for (id, index, group) in Groups::<T>::iter() {
			let job = Jobs::<T>::get(id).ok_or("a group without its job")?;
			ensure!(index < job.spec.groups(), "a group lies outside its job");
			Self::check_group(id, index, &job, group, steps.contains(&(id, index)))?;
		}
		for (id, slot, task) in Tasks::<T>::iter() {
			let job = Jobs::<T>::get(id).ok_or("a task without its job")?;
			let is_replica = matches!(
				task.status,
				TaskStatus::Standby | TaskStatus::Sealed { .. } | TaskStatus::Opening { .. }
			);
			match job.spec.group_of(slot) {
				None => ensure!(!is_replica, "a replica of a job that is not replicated"),
				Some((index, _)) => ensure!(
					is_of_group(task.status) == Groups::<T>::contains_key(id, index),
					"a replica is decided and its group is not, or the other way round"
				),
			}
		}
		Ok(())
	}

	fn check_group(
		id: JobId,
		index: TaskIndex,
		job: &Job<T>,
		group: GroupOf<T>,
		has_step: bool,
	) -> Result<(), TryRuntimeError> {
		let Group { first, stage, seals } = group;
		let slots: Vec<Task<T>> =
			Self::slots_of(job, index).filter_map(|slot| Tasks::<T>::get(id, slot)).collect();
		ensure!(slots.len() == job.spec.assurance.slots() as usize, "a group lacks slots");
		ensure!(seals.len() == slots.len(), "not a place for a seal for each slot");
		let first = slots.get(first as usize).ok_or("no such replica goes first")?;
		let providers: Vec<_> = slots
			.iter()
			.filter_map(|task| Some(task.engaged.as_ref()?.provider.encode()))
			.collect();
		let distinct: BTreeSet<_> = providers.iter().collect();
		ensure!(distinct.len() == providers.len(), "a provider has two slots of a task");
		for (task, seal) in slots.iter().zip(&seals) {
			let is_opening = matches!(task.status, TaskStatus::Opening { .. });
			let is_sealed = is_opening || matches!(task.status, TaskStatus::Sealed { .. });
			ensure!(seal.is_some() == is_sealed, "a seal without its status, or the reverse");
			let outcome = seal.as_ref().and_then(|seal| seal.outcome.as_ref());
			ensure!(outcome.is_none() || is_opening, "a seal was opened too early");
			let shown = task.engaged.as_ref().and_then(|engaged| engaged.commitment);
			ensure!(shown == outcome.map(|o| o.commitment), "not what was opened is shown");
			ensure!(
				is_opening == (is_sealed && matches!(stage, Stage::Opening { .. })),
				"a seal is to be opened when no other is"
			);
		}
		let others = || slots.iter().enumerate().filter(|(i, _)| *i != group.first as usize);
		let others_wait = others().all(|(_, task)| task.status == TaskStatus::Standby);
		let is_sealed = matches!(first.status, TaskStatus::Sealed { .. });
		match stage {
			Stage::First => {
				ensure!(others_wait, "a replica does not wait for the first");
				let is_due = is_sealed || first.status == TaskStatus::Standby;
				ensure!(has_step || !is_due, "a first replica without an end");
			}
			Stage::Drawing(_) => {
				ensure!(others_wait && is_sealed, "a lot is cast on what is not sealed alone");
				ensure!(has_step, "a lot without an end");
			}
			Stage::Replicating { until } => {
				// Once the search is over, what is still offered or done ends by its own time, and then
				// has the group looked at.
				let is_busy = |task: &Task<T>| {
					matches!(task.status, TaskStatus::Offered { .. } | TaskStatus::Running { .. })
				};
				let is_over = Self::now() > until;
				ensure!(
					has_step || (is_over && slots.iter().any(is_busy)),
					"replicas without an end"
				);
			}
			Stage::Opening { .. } => {
				let is_quiet = |task: &Task<T>| {
					matches!(task.status, TaskStatus::Opening { .. } | TaskStatus::Standby)
				};
				ensure!(slots.iter().all(is_quiet), "replicas are opened while others are done");
				ensure!(has_step, "an opening without an end");
			}
		}
		Ok(())
	}
}
