//! The right to use the device, which executes one task at a time: whose deadline comes first has it
//! first.

use crate::backlog::Backlog;
use assay_primitives::work::TaskId;
use std::{
	collections::BTreeSet,
	sync::{Arc, Mutex, MutexGuard, PoisonError},
	time::{Duration, Instant},
};
use tokio::{sync::Notify, time::timeout};

/// How often somebody who waits for a task that is not here yet looks whether it still has to.
const LOOK: Duration = Duration::from_millis(200);

/// The device and those who wait for it.
pub struct Device {
	backlog: Arc<Backlog>,
	state: Mutex<State>,
	changed: Notify,
}

#[derive(Default)]
struct State {
	busy: bool,
	waiting: BTreeSet<Place>,
	arrivals: u64,
}

/// A place in the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
	due: Instant,
	arrival: u64,
}

/// Leaves the queue when dropped, as when the task is not to be done any more.
struct InQueue<'d> {
	device: &'d Device,
	place: Place,
}

/// The right to use the device, until dropped.
pub struct Held(Arc<Device>);

impl Device {
	/// A free device, for the tasks of a backlog.
	pub fn new(backlog: Arc<Backlog>) -> Arc<Self> {
		Arc::new(Self { backlog, state: Mutex::default(), changed: Notify::new() })
	}

	/// Waits until a task that is due then may be executed: until no other that is due before waits,
	/// and none that is taken on would be late for it.
	pub async fn take(self: &Arc<Self>, task: TaskId, due: Instant) -> Held {
		let queued = self.enter(due);
		loop {
			// Before looking, so that no change is missed.
			let changed = self.changed.notified();
			if self.try_take(task, queued.place) {
				return Held(self.clone());
			}
			let _ = timeout(LOOK, changed).await;
		}
	}

	fn enter(&self, due: Instant) -> InQueue<'_> {
		let mut state = self.lock();
		let place = Place { due, arrival: state.arrivals };
		state.arrivals = state.arrivals.wrapping_add(1);
		state.waiting.insert(place);
		InQueue { device: self, place }
	}

	fn try_take(&self, task: TaskId, place: Place) -> bool {
		let mut state = self.lock();
		let may =
			!state.busy && state.waiting.first() == Some(&place) && self.backlog.may_begin(task);
		state.busy |= may;
		may
	}

	fn lock(&self) -> MutexGuard<'_, State> {
		self.state.lock().unwrap_or_else(PoisonError::into_inner)
	}
}

impl Drop for InQueue<'_> {
	fn drop(&mut self) {
		self.device.lock().waiting.remove(&self.place);
		self.device.changed.notify_waiters();
	}
}

impl Drop for Held {
	fn drop(&mut self) {
		self.0.lock().busy = false;
		self.0.changed.notify_waiters();
	}
}
