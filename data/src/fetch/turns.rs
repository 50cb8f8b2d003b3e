//! Fetches at a time from one origin, so that no other side holds many.

use std::{
	collections::HashMap,
	sync::{Arc, Mutex, PoisonError},
};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Who may fetch now, by origin.
pub struct Turns {
	each: usize,
	origins: Mutex<HashMap<String, Arc<Semaphore>>>,
}

impl Turns {
	/// At most `each` fetches at a time from each origin, one at least.
	pub fn new(each: usize) -> Self {
		let each = each.clamp(1, Semaphore::MAX_PERMITS);
		Self { each, origins: Mutex::default() }
	}

	/// Waits for a turn at an origin, which lasts until what is returned is dropped.
	pub async fn wait(&self, origin: String) -> Option<OwnedSemaphorePermit> {
		let turns = {
			let mut origins = self.origins.lock().unwrap_or_else(PoisonError::into_inner);
			// Forget those that nobody fetches from.
			origins.retain(|_, turns| Arc::strong_count(turns) > 1);
			origins.entry(origin).or_insert_with(|| Arc::new(Semaphore::new(self.each))).clone()
		};
		// The semaphore is never closed.
		turns.acquire_owned().await.ok()
	}
}
