//! What is taken on and not yet done, and whether a further task would be done in time.

use crate::speed::{Load, Speed};
use assay_primitives::work::TaskId;
use std::{
	collections::{BTreeMap, BTreeSet},
	sync::{Arc, Mutex, MutexGuard, PoisonError},
	time::{Duration, Instant},
};

/// By how much estimates may be exceeded.
const SLACK: f64 = 1.5;

/// A task that would not be done in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
	"its deadline is out of reach: it takes about {takes:.1?}, and the tasks before it {queued:.1?}; \
	 with slack {needed:.1?}, and there are {allowed:.1?}"
)]
pub struct OutOfReach {
	/// What it takes itself.
	pub takes: Duration,
	/// What those before it take.
	pub queued: Duration,
	/// Both, with slack.
	pub needed: Duration,
	/// Time from its acceptance to its deadline.
	pub allowed: Duration,
}

/// Tasks taken on, one of which is executed at a time.
pub struct Backlog {
	speed: Speed,
	tasks: Mutex<BTreeMap<TaskId, Item>>,
}

struct Item {
	load: Load,
	/// Since when it is executed.
	begun: Option<Instant>,
}

impl Backlog {
	/// An empty one, of a machine of that speed.
	pub fn new(speed: Speed) -> Arc<Self> {
		Arc::new(Self { speed, tasks: Mutex::default() })
	}

	/// Whether an offered task would be done within `allowed` from now, after all that are taken on.
	pub fn check(&self, task: TaskId, load: &Load, allowed: Duration) -> Result<(), OutOfReach> {
		self.judge(&self.lock(), task, load, allowed)
	}

	/// Adds an offered task, if it would be done in time. A task that is there already is judged
	/// again.
	pub fn admit(&self, task: TaskId, load: &Load, allowed: Duration) -> Result<(), OutOfReach> {
		let mut tasks = self.lock();
		self.judge(&tasks, task, load, allowed)?;
		tasks.entry(task).or_insert(Item { load: *load, begun: None });
		Ok(())
	}

	fn judge(
		&self,
		tasks: &BTreeMap<TaskId, Item>,
		task: TaskId,
		load: &Load,
		allowed: Duration,
	) -> Result<(), OutOfReach> {
		let others = tasks.iter().filter(|(other, _)| **other != task);
		let queued = others.map(|(_, item)| self.left(item)).fold(Duration::ZERO, add);
		let takes = self.speed.estimate(load);
		let needed = times(add(queued, takes), SLACK);
		if needed > allowed {
			return Err(OutOfReach { takes, queued, needed, allowed });
		}
		Ok(())
	}

	/// Adds a task that is already taken on, in time or not.
	pub fn insist(&self, task: TaskId, load: &Load) {
		self.lock().entry(task).or_insert(Item { load: *load, begun: None });
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

fn add(a: Duration, b: Duration) -> Duration {
	a.saturating_add(b)
}

fn times(duration: Duration, factor: f64) -> Duration {
	Duration::try_from_secs_f64(duration.as_secs_f64() * factor).unwrap_or(Duration::MAX)
}
