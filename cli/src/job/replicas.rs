//! Replicated tasks, which have a slot for each replica.

use assay_primitives::{
	views::{JobView, TaskView},
	work::{Assurance, TaskIndex, TaskStatus},
};

/// A slot for people: its task and, if the job is replicated, its replica.
pub fn label(assurance: &Assurance, slot: TaskIndex) -> String {
	match (assurance, assurance.place(slot)) {
		(Assurance::Replicated { .. }, (task, replica)) => format!("{task} replica {replica}"),
		(_, (task, _)) => task.to_string(),
	}
}

/// Slots of all of a job's tasks.
pub fn slots(job: &JobView) -> u64 {
	u64::from(job.tasks) * u64::from(job.assurance.slots())
}

/// For each task of a job its settled slots.
pub fn settled<'a>(job: &JobView, slots: &'a [TaskView]) -> Vec<(TaskIndex, Vec<&'a TaskView>)> {
	by_task(job, slots, |status| matches!(status, TaskStatus::Settled { .. }))
}

/// For each task of a job the slots whose results stand, paid or to be paid.
pub fn standing<'a>(job: &JobView, slots: &'a [TaskView]) -> Vec<(TaskIndex, Vec<&'a TaskView>)> {
	by_task(job, slots, |status| {
		matches!(status, TaskStatus::Settled { .. }) || is_awaiting_payment(status)
	})
}

/// Whether a result stands and is not paid yet: for this its delivery may be acknowledged.
pub fn is_awaiting_payment(status: &TaskStatus) -> bool {
	matches!(status, TaskStatus::Passed { .. } | TaskStatus::Delivering { .. })
}

fn by_task<'a>(
	job: &JobView,
	slots: &'a [TaskView],
	which: impl Fn(&TaskStatus) -> bool,
) -> Vec<(TaskIndex, Vec<&'a TaskView>)> {
	let mut tasks: Vec<_> = (0..job.tasks).map(|task| (task, Vec::new())).collect();
	for slot in slots.iter().filter(|slot| which(&slot.status)) {
		let (task, _) = job.assurance.place(slot.id.index);
		if let Some((_, settled)) = tasks.get_mut(task as usize) {
			settled.push(slot);
		}
	}
	tasks
}

/// Whether somebody was paid for each task. Of a replicated one, some slots are refunded even so.
pub fn all_settled(job: &JobView, slots: &[TaskView]) -> bool {
	settled(job, slots).iter().all(|(_, settled)| !settled.is_empty())
}
