//! Which audits are being worked on and which are done.

use crate::{
	results::{is_final, Results},
	turns::Provider,
	watch::Watch,
};
use assay_primitives::{auditor::AuditReply, BlockNumber};
use lru::LruCache;
use std::{
	collections::HashMap,
	num::NonZeroUsize,
	sync::{Arc, Mutex, MutexGuard, PoisonError},
	time::{Duration, Instant},
};

/// Hash of what makes an audit the same one.
pub type Key = [u8; 32];

/// One asking for an audit.
#[derive(Clone, Debug)]
pub struct Asked {
	/// Which audit.
	pub key: Key,
	/// Whose work is audited.
	pub provider: Provider,
	/// Last block of the round.
	pub deadline: BlockNumber,
	/// Time until then.
	pub left: Duration,
	/// Hash of what was opened on the chain for it so far.
	pub answers: Key,
	/// How long what was found holds; none if it would be found for ever.
	pub lasts: Option<Duration>,
}

/// How many audits are taken on, and for how long.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
	/// Audits accepted and not yet done; of one provider at most half of them, or one. If there are as
	/// many, one that waits makes room for a provider that has fewer.
	pub max_active: usize,
	/// Replies kept.
	pub max_results: usize,
	/// How long a reply stands that is not final.
	pub retry_after: Duration,
	/// Longest time of an audit.
	pub longest: Duration,
	/// Time after which nobody wants an audit that nobody asks for.
	pub patience: Duration,
}

/// A bounded table of audits.
pub struct Jobs {
	table: Mutex<Table>,
	/// Final replies that outlive a restart.
	results: Option<Mutex<Results>>,
	bounds: Bounds,
}

struct Table {
	active: HashMap<Key, Place>,
	done: LruCache<Key, Done>,
	arrivals: u64,
}

/// The place of an audit that is accepted and not yet done.
struct Place {
	provider: Provider,
	watch: Arc<Watch>,
	arrival: u64,
}

struct Done {
	reply: AuditReply,
	at: Instant,
	/// Of the round that it was done for.
	deadline: BlockNumber,
	/// What was opened then.
	answers: Key,
}

/// What is to be done about a request.
pub enum Entry {
	/// This is the answer.
	Reply(AuditReply),
	/// There is no place for it now: the asker is to ask again.
	Full,
	/// It is new: work on it.
	Start(Active),
}

/// An audit being worked on. Dropped without an outcome, as when it panics, it is refused.
pub struct Active {
	jobs: Arc<Jobs>,
	asked: Asked,
	watch: Arc<Watch>,
	outcome: Outcome,
}

enum Outcome {
	/// It did not come to its end.
	BrokenOff,
	/// There is nothing to tell.
	Nothing,
	Reply(AuditReply),
}

impl Jobs {
	pub fn new(bounds: Bounds, results: Option<Results>) -> Self {
		let done =
			LruCache::new(NonZeroUsize::new(bounds.max_results).unwrap_or(NonZeroUsize::MIN));
		let table = Mutex::new(Table { active: HashMap::new(), done, arrivals: 0 });
		Self { table, results: results.map(Mutex::new), bounds }
	}

	/// Looks an audit up, and takes it on if it is new and there is room.
	pub fn enter(self: &Arc<Self>, asked: Asked) -> Entry {
		let mut table = self.lock();
		if let Some(place) = table.active.get(&asked.key) {
			place.watch.ask(asked.left);
			return Entry::Reply(AuditReply::Pending);
		}
		if let Some(done) = table.done.get(&asked.key) {
			if done.stands(&asked, self.bounds.retry_after) {
				return Entry::Reply(done.reply.clone());
			}
		}
		// Little is read, and once.
		let results = self.results().filter(|_| asked.lasts.is_none());
		if let Some(reply) = results.and_then(|mut results| results.get(&asked.key)) {
			let Asked { key, deadline, answers, .. } = asked;
			let done = Done { reply: reply.clone(), at: Instant::now(), deadline, answers };
			table.done.put(key, done);
			return Entry::Reply(reply);
		}
		if asked.left.is_zero() {
			return Entry::Reply(AuditReply::Expired);
		}
		let own = table.active.values().filter(|place| place.provider == asked.provider).count();
		let max = self.bounds.max_active;
		if own >= max.div_ceil(2) || (table.active.len() >= max && !table.make_room(own)) {
			return Entry::Full;
		}
		let Bounds { longest, patience, .. } = self.bounds;
		let watch = Arc::new(Watch::new(asked.left, longest, patience));
		let (provider, arrival) = (asked.provider.clone(), table.arrivals);
		table.arrivals = arrival.wrapping_add(1);
		table.active.insert(asked.key, Place { provider, watch: watch.clone(), arrival });
		Entry::Start(Active { jobs: self.clone(), asked, watch, outcome: Outcome::BrokenOff })
	}

	/// Audits being worked on.
	pub fn active(&self) -> usize {
		self.lock().active.len()
	}

	fn results(&self) -> Option<MutexGuard<'_, Results>> {
		let results = self.results.as_ref()?;
		Some(results.lock().unwrap_or_else(PoisonError::into_inner))
	}

	fn lock(&self) -> MutexGuard<'_, Table> {
		self.table.lock().unwrap_or_else(PoisonError::into_inner)
	}
}

impl Table {
	/// Has an audit leave for one of a provider that has `own`: the newest that waits for a turn, of the
	/// provider that has most, if that is more by two at least. Whether there was one.
	fn make_room(&mut self, own: usize) -> bool {
		let mut counts = HashMap::<&Provider, usize>::new();
		for place in self.active.values() {
			let count = counts.entry(&place.provider).or_default();
			*count = count.saturating_add(1);
		}
		let waiting = self.active.iter().filter(|(_, place)| place.watch.is_waiting());
		let leaver = waiting
			.filter_map(|(key, place)| Some((*counts.get(&place.provider)?, place.arrival, *key)))
			.filter(|(count, ..)| *count > own.saturating_add(1))
			.max();
		let place = leaver.and_then(|(.., key)| self.active.remove(&key));
		place.map(|place| place.watch.displace()).is_some()
	}
}

impl Done {
	/// Whether the same audit would end in the same way for ever, or was tried with the same answers
	/// for the same round a short while ago. A demand puts the end of its round off, so it stands
	/// within the round and for a while beyond. Whatever holds for a while only is looked at again.
	fn stands(&self, asked: &Asked, retry_after: Duration) -> bool {
		let same_round = self.deadline == asked.deadline;
		let recent = self.at.elapsed() < retry_after;
		match self.reply {
			_ if asked.lasts.is_some_and(|lasts| self.at.elapsed() >= lasts) => false,
			_ if asked.lasts.is_none() && is_final(&self.reply) => true,
			_ if self.answers != asked.answers => false,
			AuditReply::Demand(_) => same_round || recent,
			_ => same_round && recent,
		}
	}
}

impl Active {
	/// How long the work is worth going on with.
	pub fn watch(&self) -> Arc<Watch> {
		self.watch.clone()
	}

	/// The work is done; without a reply nothing is kept of it.
	pub fn finish(mut self, reply: Option<AuditReply>) {
		self.outcome = reply.map_or(Outcome::Nothing, Outcome::Reply);
	}
}

impl Drop for Active {
	fn drop(&mut self) {
		// Whatever still computes for it ends too.
		self.watch.stop();
		let Asked { key, deadline, answers, lasts, .. } = self.asked;
		let results = self.jobs.results().filter(|_| lasts.is_none());
		if let (Outcome::Reply(reply), Some(mut results)) = (&self.outcome, results) {
			results.put(&key, reply);
		}
		let mut table = self.jobs.lock();
		// Its place may be gone, and a later try have one.
		if table.active.get(&key).is_some_and(|place| Arc::ptr_eq(&place.watch, &self.watch)) {
			table.active.remove(&key);
		}
		let reply = match std::mem::replace(&mut self.outcome, Outcome::Nothing) {
			Outcome::BrokenOff => AuditReply::Refused("the audit was broken off".into()),
			Outcome::Nothing => return,
			Outcome::Reply(reply) => reply,
		};
		table.done.put(key, Done { reply, at: Instant::now(), deadline, answers });
	}
}

#[cfg(test)]
mod tests {
	use super::*;
	use crate::watch::Over;
	use assay_primitives::auditor::Finding;

	const VALID: AuditReply = AuditReply::Done(Finding::Right);
	const UNAVAILABLE: AuditReply = AuditReply::Done(Finding::Unavailable);
	const LONG: Duration = Duration::from_secs(600);

	fn jobs(max_active: usize, max_results: usize, retry_after: Duration) -> Arc<Jobs> {
		let (longest, patience) = (LONG, LONG);
		let bounds = Bounds { max_active, max_results, retry_after, longest, patience };
		Arc::new(Jobs::new(bounds, None))
	}

	/// Those of a service that has this folder.
	fn jobs_in(folder: &std::path::Path) -> Arc<Jobs> {
		let (retry_after, longest, patience) = (LONG, LONG, LONG);
		let bounds = Bounds { max_active: 8, max_results: 8, retry_after, longest, patience };
		let results = Results::open(folder.into(), bounds.max_results).unwrap();
		Arc::new(Jobs::new(bounds, Some(results)))
	}

	/// An audit of a provider of its own.
	fn asked(key: u8) -> Asked {
		let (key, provider) = ([key; 32], [key].into());
		Asked { key, provider, deadline: 10, left: LONG, answers: [0; 32], lasts: None }
	}

	fn start_as(jobs: &Arc<Jobs>, asked: Asked) -> Active {
		match jobs.enter(asked) {
			Entry::Start(active) => active,
			Entry::Reply(reply) => panic!("{reply:?}"),
			Entry::Full => panic!("full"),
		}
	}

	fn start(jobs: &Arc<Jobs>, key: u8) -> Active {
		start_as(jobs, asked(key))
	}

	fn reply(jobs: &Arc<Jobs>, key: u8) -> AuditReply {
		match jobs.enter(asked(key)) {
			Entry::Reply(reply) => reply,
			Entry::Start(_) => panic!("started"),
			Entry::Full => panic!("full"),
		}
	}

	fn is_full(jobs: &Arc<Jobs>, asked: Asked) -> bool {
		matches!(jobs.enter(asked), Entry::Full)
	}

	#[test]
	fn an_audit_is_worked_on_once() {
		let jobs = jobs(8, 8, Duration::ZERO);
		let active = start(&jobs, 1);
		assert_eq!(reply(&jobs, 1), AuditReply::Pending);
		active.finish(Some(VALID));
		assert_eq!(reply(&jobs, 1), VALID);
		assert_eq!(jobs.active(), 0);
	}

	/// What a restart loses is work under way, and what may change.
	#[test]
	fn a_restart_loses_no_final_reply() {
		let dir = tempfile::tempdir().unwrap();
		let before = jobs_in(dir.path());
		start(&before, 1).finish(Some(VALID));
		start(&before, 2).finish(Some(UNAVAILABLE));
		start(&before, 3).finish(None);
		let under_way = start(&before, 4);
		let after = jobs_in(dir.path());
		assert_eq!(reply(&after, 1), VALID);
		// Late as it may be, in another round too.
		let late = Asked { left: Duration::ZERO, deadline: 99, answers: [3; 32], ..asked(1) };
		assert!(matches!(after.enter(late), Entry::Reply(VALID)));
		for key in 2..=4 {
			start(&after, key).finish(Some(VALID));
		}
		drop(under_way);
		assert_eq!(after.active(), 0);
	}

	#[test]
	fn active_audits_and_results_are_bounded() {
		let jobs = jobs(2, 2, Duration::ZERO);
		let (first, _second) = (start(&jobs, 1), start(&jobs, 2));
		assert!(is_full(&jobs, asked(3)));
		assert_eq!(jobs.active(), 2);
		first.finish(Some(VALID));
		start(&jobs, 3).finish(Some(VALID));
		start(&jobs, 4).finish(Some(VALID));
		// The oldest result has made room.
		drop(start(&jobs, 1));
	}

	#[test]
	fn one_provider_has_at_most_half_of_the_places() {
		let jobs = jobs(4, 8, Duration::ZERO);
		let of_one = |key| Asked { provider: [0].into(), ..asked(key) };
		let (first, _second) = (start_as(&jobs, of_one(1)), start_as(&jobs, of_one(2)));
		assert!(is_full(&jobs, of_one(3)));
		let _other = start(&jobs, 4);
		first.finish(Some(VALID));
		start_as(&jobs, of_one(3)).finish(Some(VALID));
	}

	/// Two that fill all places with what waits do not keep a third out, nor does it take theirs at work.
	#[test]
	fn what_waits_makes_room_for_a_provider_that_has_fewer() {
		let jobs = jobs(8, 8, LONG);
		let of = |provider: u8, key| Asked { provider: [provider].into(), ..asked(key) };
		let held: Vec<_> = (0..8).map(|n| start_as(&jobs, of(100 + n % 2, n))).collect();
		held[6].watch().set_waiting(false);
		let third = start_as(&jobs, of(102, 20));
		// The newest of those that have most; of the other's the newest but one is the newest waiting.
		assert_eq!(held[7].watch().over(), Some(Over::Displaced));
		let fourth = start_as(&jobs, of(102, 21));
		assert_eq!(held[4].watch().over(), Some(Over::Displaced));
		assert_eq!(jobs.active(), 8);
		assert!(held[..7].iter().filter(|a| a.watch().over().is_some()).count() == 1);
		// All have about the same now: nobody makes room any more.
		assert!(is_full(&jobs, of(102, 22)) && is_full(&jobs, of(100, 23)));
		// One that was displaced leaves the table alone, also if it has come back meanwhile.
		fourth.finish(None);
		let again = start_as(&jobs, of(101, 7));
		let mut held = held;
		held.pop().unwrap().finish(None);
		assert_eq!((reply(&jobs, 7), jobs.active()), (AuditReply::Pending, 8));
		drop((again, third));
	}

	#[test]
	fn what_may_change_is_tried_again_after_a_while() {
		let jobs = jobs(2, 8, Duration::from_millis(40));
		start(&jobs, 1).finish(Some(UNAVAILABLE));
		drop(start(&jobs, 2));
		assert_eq!(reply(&jobs, 1), UNAVAILABLE);
		assert!(matches!(reply(&jobs, 2), AuditReply::Refused(_)));
		std::thread::sleep(Duration::from_millis(60));
		start(&jobs, 1).finish(Some(VALID));
		start(&jobs, 2).finish(Some(VALID));
		std::thread::sleep(Duration::from_millis(60));
		assert_eq!((reply(&jobs, 1), reply(&jobs, 2)), (VALID, VALID));
	}

	/// A custodian that vouched for an output has it for a while only.
	#[test]
	fn what_holds_for_a_while_is_looked_at_again() {
		let dir = tempfile::tempdir().unwrap();
		let kept = |key| Asked { lasts: Some(LONG), ..asked(key) };
		let jobs = jobs_in(dir.path());
		start_as(&jobs, kept(1)).finish(Some(VALID));
		assert!(matches!(jobs.enter(kept(1)), Entry::Reply(VALID)));
		// In the next round, later than it lasts, or after a restart.
		start_as(&jobs, Asked { deadline: 20, ..kept(1) }).finish(None);
		start_as(&jobs, Asked { lasts: Some(Duration::ZERO), ..kept(1) }).finish(None);
		drop(start_as(&jobs_in(dir.path()), kept(1)));
	}

	#[test]
	fn what_may_change_is_tried_again_in_the_next_round() {
		let jobs = jobs(8, 8, LONG);
		start(&jobs, 1).finish(Some(AuditReply::Expired));
		start(&jobs, 2).finish(Some(VALID));
		assert_eq!((reply(&jobs, 1), reply(&jobs, 2)), (AuditReply::Expired, VALID));
		let next = |key| Asked { deadline: 20, ..asked(key) };
		start_as(&jobs, next(1)).finish(Some(VALID));
		assert!(matches!(jobs.enter(next(2)), Entry::Reply(VALID)));
	}

	#[test]
	fn a_demand_stands_until_it_is_answered() {
		let demand = || {
			let wanted = assay_primitives::demand::Wanted::Trace;
			AuditReply::Demand(assay_primitives::auditor::Demanded { wanted, opened: vec![] })
		};
		let jobs = jobs(8, 8, Duration::from_millis(40));
		start(&jobs, 1).finish(Some(demand()));
		assert_eq!(reply(&jobs, 1), demand());
		// It has put the end of the round off.
		let later = |answers| Asked { deadline: 900, answers: [answers; 32], ..asked(1) };
		assert!(matches!(jobs.enter(later(0)), Entry::Reply(AuditReply::Demand(_))));
		// What it does not wait for any more is tried again now and then.
		std::thread::sleep(Duration::from_millis(60));
		assert_eq!(reply(&jobs, 1), demand());
		start_as(&jobs, later(0)).finish(Some(demand()));
		// The answer is there, and then the next one.
		start_as(&jobs, later(1)).finish(Some(demand()));
		assert!(matches!(jobs.enter(later(1)), Entry::Reply(AuditReply::Demand(_))));
		start_as(&jobs, later(2)).finish(Some(UNAVAILABLE));
		assert!(matches!(jobs.enter(later(2)), Entry::Reply(UNAVAILABLE)));
		start_as(&jobs, later(3)).finish(Some(VALID));
		assert!(matches!(jobs.enter(later(2)), Entry::Reply(VALID)));
	}

	#[test]
	fn what_is_too_late_is_not_begun() {
		let jobs = jobs(8, 8, LONG);
		let late = |key| Asked { left: Duration::ZERO, ..asked(key) };
		assert!(matches!(jobs.enter(late(1)), Entry::Reply(AuditReply::Expired)));
		assert_eq!(jobs.active(), 0);
		// What is known is known.
		start(&jobs, 1).finish(Some(VALID));
		assert!(matches!(jobs.enter(late(1)), Entry::Reply(VALID)));
	}

	#[test]
	fn asking_says_how_much_time_there_is() {
		let jobs = jobs(8, 8, LONG);
		let active = start(&jobs, 1);
		let watch = active.watch();
		assert_eq!(watch.over(), None);
		jobs.enter(Asked { left: Duration::ZERO, ..asked(1) });
		assert_eq!(watch.over(), Some(Over::Expired));
		// An audit that has ended ends whatever still works on it.
		active.finish(Some(VALID));
		let active = start(&jobs, 2);
		let watch = active.watch();
		// Nothing is kept where there is nothing to tell.
		active.finish(None);
		assert_eq!(watch.over(), Some(Over::Stopped));
		drop(start(&jobs, 2));
	}
}
