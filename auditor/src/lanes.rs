//! How many fetches at a time a worker's data plane stands: one that others keep busy may have fewer
//! connections to spare than an audit would use.

use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{Semaphore, SemaphorePermit};

/// Fetches at a time from one worker for one audit.
pub struct Lanes {
	free: Semaphore,
	open: Mutex<usize>,
}

/// The right to fetch one thing, until dropped.
pub struct Lane<'l> {
	lanes: &'l Lanes,
	permit: Option<SemaphorePermit<'l>>,
}

impl Lanes {
	/// At most so many, one at least.
	pub fn new(count: usize) -> Arc<Self> {
		let count = count.clamp(1, Semaphore::MAX_PERMITS);
		Arc::new(Self { free: Semaphore::new(count), open: Mutex::new(count) })
	}

	/// Waits until one is free.
	pub async fn enter(&self) -> Lane<'_> {
		// The semaphore is never closed.
		Lane { lanes: self, permit: self.free.acquire().await.ok() }
	}
}

impl Lane<'_> {
	/// It was one too many: from now on there is one fewer, though never none.
	pub fn close(self) {
		let mut open = self.lanes.open.lock().unwrap_or_else(PoisonError::into_inner);
		if let Some(permit) = self.permit.filter(|_| *open > 1) {
			permit.forget();
			*open -= 1;
		}
	}
}

#[cfg(test)]
mod tests {
	use super::*;
	use futures::FutureExt;

	#[tokio::test]
	async fn those_that_were_too_many_are_closed_but_not_the_last() {
		let lanes = Lanes::new(3);
		let held = [lanes.enter().await, lanes.enter().await, lanes.enter().await];
		assert!(lanes.enter().now_or_never().is_none());
		let [first, second, third] = held;
		first.close();
		assert!(lanes.enter().now_or_never().is_none());
		drop(second);
		drop(third);
		let _held = [lanes.enter().await, lanes.enter().await];
		assert!(lanes.enter().now_or_never().is_none());
		drop(_held);
		for _ in 0..5 {
			lanes.enter().await.close();
		}
		let _last = lanes.enter().await;
		assert!(lanes.enter().now_or_never().is_none());
	}
}
