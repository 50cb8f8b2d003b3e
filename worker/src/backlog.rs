//! What is taken on and not yet done, and whether a further task would be done in time.

use crate::{
	speed::{Load, Speed},
	task_name,
};
use assay_primitives::work::TaskId;
use std::{
	collections::{BTreeMap, BTreeSet},
	sync::{Arc, Mutex, MutexGuard, PoisonError},
	time::{Duration, Instant},
};

/// By how much estimates may be exceeded.
const SLACK: f64 = 1.5;

/// Why a task is not taken on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OutOfReach {
	/// It would not be done in time.
	#[error(
		"its deadline is out of reach: it takes about {takes:.1?}, and the tasks before it \
		 {queued:.1?}; with slack {needed:.1?}, and there are {allowed:.1?}"
	)]
	Own {
		/// What it takes itself.
		takes: Duration,
		/// What those before it take.
		queued: Duration,
		/// Both, with slack.
		needed: Duration,
		/// Time from its acceptance to its deadline.
		allowed: Duration,
	},
	/// Another, which is taken on, would not.
	#[error(
		"it would put the deadline of {} out of reach: it takes about {takes:.1?} and comes first; with \
		 slack the other needs {needed:.1?}, and there are {allowed:.1?}", name(.other)
	)]
	Other {
		/// What it takes itself.
		takes: Duration,
		/// The other.
		other: TaskId,
		/// What the other and all before it would take, with slack.
		needed: Duration,
		/// Time to the other's deadline.
		allowed: Duration,
	},
}

/// Tasks taken on, one of which is executed at a time: of those that have not begun, the one that is
/// due first.
pub struct Backlog {
	speed: Speed,
	tasks: Mutex<BTreeMap<TaskId, Item>>,
}

struct Item {
	load: Load,
	/// When it has to be done.
	due: Instant,
	/// Since when it is executed.
	begun: Option<Instant>,
}

impl Item {
	/// In which order tasks are executed.
	fn rank(&self) -> (bool, Instant) {
		(self.begun.is_none(), self.due)
	}
}

impl Backlog {
	/// An empty one, of a machine of that speed.
	pub fn new(speed: Speed) -> Arc<Self> {
		Arc::new(Self { speed, tasks: Mutex::default() })
	}

	/// Whether an offered task would be done within `allowed` from now, after those taken on that are
	/// due before, and without keeping those that are due later from being done in time.
	pub fn check(&self, task: TaskId, load: &Load, allowed: Duration) -> Result<(), OutOfReach> {
		self.judge(&self.lock(), task, load, allowed)
	}

	/// Adds an offered task, if all would be done in time. A task that is there already is judged
	/// again.
	pub fn admit(&self, task: TaskId, load: &Load, allowed: Duration) -> Result<(), OutOfReach> {
		let mut tasks = self.lock();
		self.judge(&tasks, task, load, allowed)?;
		let item = Item { load: *load, due: later(Instant::now(), allowed), begun: None };
		tasks.entry(task).or_insert(item);
		Ok(())
	}

	fn judge(
		&self,
		tasks: &BTreeMap<TaskId, Item>,
		task: TaskId,
		load: &Load,
		allowed: Duration,
	) -> Result<(), OutOfReach> {
		let now = Instant::now();
		let takes = self.speed.estimate(load);
		let rank = (true, later(now, allowed));
		let others = in_order(tasks, task);
		let (before, behind) = others.split_at(others.partition_point(|o| o.1.rank() <= rank));
		let queued = before.iter().map(|(_, item)| self.left(item)).fold(Duration::ZERO, add);
		let needed = times(add(queued, takes), SLACK);
		if needed > allowed {
			return Err(OutOfReach::Own { takes, queued, needed, allowed });
		}
		match self.first_late(now, queued, takes, behind) {
			Some((other, needed, allowed)) => {
				Err(OutOfReach::Other { takes, other, needed, allowed })
			}
			None => Ok(()),
		}
	}

	/// Whether a task may be executed now: none that is due before, but is not here yet, as when its
	/// acceptance is under way, would be late for it.
	pub fn may_begin(&self, task: TaskId) -> bool {
		let tasks = self.lock();
		let Some(own) = tasks.get(&task) else { return true };
		let mut others = in_order(&tasks, task);
		others.retain(|(_, item)| item.begun.is_none() && item.rank() < own.rank());
		let takes = self.left(own);
		self.first_late(Instant::now(), Duration::ZERO, takes, &others).is_none()
	}

	/// Of tasks in the order of their execution, the first that something before them that `takes` so
	/// long keeps from being done in time: the task, what it needs with slack, and what it has. Before
	/// all of them come others that take `queued`. Who would be late anyhow does not count.
	fn first_late(
		&self,
		now: Instant,
		queued: Duration,
		takes: Duration,
		tasks: &[(TaskId, &Item)],
	) -> Option<(TaskId, Duration, Duration)> {
		let mut without = queued;
		tasks.iter().find_map(|(task, item)| {
			without = add(without, self.left(item));
			let needed = times(add(without, takes), SLACK);
			let allowed = item.due.saturating_duration_since(now);
			(needed > allowed && without <= allowed).then_some((*task, needed, allowed))
		})
	}

	/// Adds a task that is already taken on and has to be done by then, in time or not.
	pub fn insist(&self, task: TaskId, load: &Load, due: Instant) {
		let item = Item { load: *load, due, begun: None };
		self.lock().entry(task).and_modify(|item| item.due = due).or_insert(item);
	}

	/// The task is executed from now on, until what is returned is dropped.
	pub fn begin(self: &Arc<Self>, task: TaskId) -> Working {
		if let Some(item) = self.lock().get_mut(&task) {
			item.begun = Some(Instant::now());
		}
		Working { backlog: self.clone(), task }
	}

	/// The task is not to be done any more.
	pub fn release(&self, task: TaskId) {
		self.lock().remove(&task);
	}

	/// Forgets all but these tasks.
	pub fn retain(&self, live: &BTreeSet<TaskId>) {
		self.lock().retain(|task, _| live.contains(task));
	}

	fn left(&self, item: &Item) -> Duration {
		let done = item.begun.map_or(Duration::ZERO, |begun| begun.elapsed());
		self.speed.estimate(&item.load).saturating_sub(done)
	}

	fn lock(&self) -> MutexGuard<'_, BTreeMap<TaskId, Item>> {
		self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
	}
}

/// A task being executed.
pub struct Working {
	backlog: Arc<Backlog>,
	task: TaskId,
}

impl Working {
	/// It is done: it leaves the backlog, and the next estimates profit from the time that the work
	/// took, waits not counted.
	pub fn done(self, took: Duration) {
		if let Some(item) = self.backlog.lock().remove(&self.task) {
			self.backlog.speed.learn(&item.load, took);
		}
	}
}

impl Drop for Working {
	/// Not done, it has to begin anew.
	fn drop(&mut self) {
		if let Some(item) = self.backlog.lock().get_mut(&self.task) {
			item.begun = None;
		}
	}
}

/// All but one, in the order of their execution.
fn in_order(tasks: &BTreeMap<TaskId, Item>, but: TaskId) -> Vec<(TaskId, &Item)> {
	let others = tasks.iter().filter(|(other, _)| **other != but);
	let mut others: Vec<_> = others.map(|(task, item)| (*task, item)).collect();
	others.sort_by_key(|(_, item)| item.rank());
	others
}

/// `from` and some time, or a time far away if that cannot be represented.
fn later(from: Instant, by: Duration) -> Instant {
	const FAR: Duration = Duration::from_secs(365 * 24 * 3_600);
	from + by.min(FAR)
}

fn name(task: &TaskId) -> String {
	task_name(*task)
}

fn add(a: Duration, b: Duration) -> Duration {
	a.saturating_add(b)
}

fn times(duration: Duration, factor: f64) -> Duration {
	Duration::try_from_secs_f64(duration.as_secs_f64() * factor).unwrap_or(Duration::MAX)
}
