//! Which requests are being worked on and which are done.

use assay_primitives::{auditor::AuditReply, work::Verdict};
use lru::LruCache;
use std::{
	collections::HashSet,
	num::NonZeroUsize,
	sync::{Arc, Mutex, MutexGuard, PoisonError},
	time::{Duration, Instant},
};

/// Hash of a request.
pub type Key = [u8; 32];

/// A bounded table of requests.
pub struct Jobs {
	table: Mutex<Table>,
	max_active: usize,
	retry_after: Duration,
}

struct Table {
	active: HashSet<Key>,
	done: LruCache<Key, (AuditReply, Instant)>,
}

/// What is to be done about a request.
pub enum Entry {
	/// This is the answer.
	Reply(AuditReply),
	/// It is new: work on it.
	Start(Active),
}

/// A request being worked on. Dropped without an outcome, as when the audit panics, it is refused.
pub struct Active {
	jobs: Arc<Jobs>,
	key: Key,
	outcome: Option<AuditReply>,
}

impl Jobs {
	pub fn new(max_active: usize, max_results: usize, retry_after: Duration) -> Self {
		let done = LruCache::new(NonZeroUsize::new(max_results).unwrap_or(NonZeroUsize::MIN));
		let table = Mutex::new(Table { active: HashSet::new(), done });
		Self { table, max_active, retry_after }
	}

	/// Looks a request up, and takes it on if it is new and there is room.
	pub fn enter(self: &Arc<Self>, key: Key) -> Entry {
		let mut table = self.lock();
		if table.active.contains(&key) {
			return Entry::Reply(AuditReply::Pending);
		}
		if let Some((reply, at)) = table.done.get(&key) {
			if is_final(reply) || at.elapsed() < self.retry_after {
				return Entry::Reply(reply.clone());
			}
		}
		// No room: the asker will ask again, as it does for an audit under way.
		if table.active.len() >= self.max_active {
			return Entry::Reply(AuditReply::Pending);
		}
		table.active.insert(key);
		Entry::Start(Active { jobs: self.clone(), key, outcome: None })
	}

	/// Requests being worked on.
	pub fn active(&self) -> usize {
		self.lock().active.len()
	}

	fn lock(&self) -> MutexGuard<'_, Table> {
		self.table.lock().unwrap_or_else(PoisonError::into_inner)
	}
}

impl Active {
	/// The work is done.
	pub fn finish(mut self, reply: AuditReply) {
		self.outcome = Some(reply);
	}
}

impl Drop for Active {
	fn drop(&mut self) {
		let refused = || AuditReply::Refused("the audit was broken off".into());
		let reply = self.outcome.take().unwrap_or_else(refused);
		let mut table = self.jobs.lock();
		table.active.remove(&self.key);
		table.done.put(self.key, (reply, Instant::now()));
	}
}

/// Whether the same audit would end in the same way for ever.
fn is_final(reply: &AuditReply) -> bool {
	matches!(reply, AuditReply::Done(Verdict::Valid | Verdict::Invalid(_)))
}

#[cfg(test)]
mod tests {
	use super::*;

	const VALID: AuditReply = AuditReply::Done(Verdict::Valid);
	const UNAVAILABLE: AuditReply = AuditReply::Done(Verdict::Unavailable);

	fn start(jobs: &Arc<Jobs>, key: u8) -> Active {
		match jobs.enter([key; 32]) {
			Entry::Start(active) => active,
			Entry::Reply(reply) => panic!("{reply:?}"),
		}
	}

	fn reply(jobs: &Arc<Jobs>, key: u8) -> AuditReply {
		match jobs.enter([key; 32]) {
			Entry::Reply(reply) => reply,
			Entry::Start(_) => panic!("started"),
		}
	}

	#[test]
	fn a_request_is_worked_on_once() {
		let jobs = Arc::new(Jobs::new(8, 8, Duration::ZERO));
		let active = start(&jobs, 1);
		assert_eq!(reply(&jobs, 1), AuditReply::Pending);
		active.finish(VALID);
		assert_eq!(reply(&jobs, 1), VALID);
		assert_eq!(jobs.active(), 0);
	}

	#[test]
	fn active_requests_and_results_are_bounded() {
		let jobs = Arc::new(Jobs::new(2, 2, Duration::ZERO));
		let (first, _second) = (start(&jobs, 1), start(&jobs, 2));
		assert_eq!(reply(&jobs, 3), AuditReply::Pending);
		assert_eq!(jobs.active(), 2);
		first.finish(VALID);
		start(&jobs, 3).finish(VALID);
		start(&jobs, 4).finish(VALID);
		// The oldest result has made room.
		drop(start(&jobs, 1));
	}

	#[test]
	fn what_may_change_is_tried_again_after_a_while() {
		let jobs = Arc::new(Jobs::new(2, 8, Duration::from_millis(40)));
		start(&jobs, 1).finish(UNAVAILABLE);
		drop(start(&jobs, 2));
		assert_eq!(reply(&jobs, 1), UNAVAILABLE);
		assert!(matches!(reply(&jobs, 2), AuditReply::Refused(_)));
		std::thread::sleep(Duration::from_millis(60));
		start(&jobs, 1).finish(VALID);
		start(&jobs, 2).finish(VALID);
		std::thread::sleep(Duration::from_millis(60));
		assert_eq!((reply(&jobs, 1), reply(&jobs, 2)), (VALID, VALID));
	}
}
