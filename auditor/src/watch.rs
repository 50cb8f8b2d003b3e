//! For how long an audit is worth going on with.

use std::{
	sync::{
		atomic::{AtomicBool, Ordering::Relaxed},
		Mutex, MutexGuard, PoisonError,
	},
	time::Duration,
};
use tokio::time::{sleep_until, Instant};

/// How often somebody who waits looks whether the service has been stopped.
const LOOK: Duration = Duration::from_millis(500);
/// Most of the time that is left that somebody may take to give what is fetched at a time: then it is
/// late enough to say that it does not give, and early enough to be heard. What it does give has to
/// be checked in the rest.
const FETCH_SHARE: f64 = 0.7;
/// The same of whoever is not the last that may give it: the rest is for another way.
const FIRST_SHARE: f64 = 0.5;

/// What it means if something is not to be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lacking {
	/// The audit does without, or has it from another.
	Elsewhere,
	/// The worker has to open it on the chain.
	Demanded,
	/// It is said of the worker that it does not give it.
	Nowhere,
}

/// Why an audit is given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Over {
	/// Its round takes no attestation any more, or it has had the longest time there is.
	#[error("its time is over")]
	Expired,
	/// Nobody has asked for it for a while: its round was decided without it.
	#[error("nobody asks for it any more")]
	Abandoned,
	/// It waited, and its place went to an audit of a provider that had fewer.
	#[error("its place went to another provider's")]
	Displaced,
	/// The service is being stopped.
	#[error("the service is stopping")]
	Stopped,
}

/// The time an audit has, shared by those who ask for it and those who work on it.
#[derive(Debug)]
pub struct Watch {
	state: Mutex<State>,
	/// The deadline is never later than this.
	latest: Instant,
	/// The time that there was when it began.
	whole: Duration,
	/// Time without being asked for after which nobody wants it.
	patience: Duration,
	/// Whether it waits for a turn.
	waiting: AtomicBool,
}

#[derive(Debug)]
struct State {
	deadline: Instant,
	asked: Instant,
	/// Once it is over it remains so, whatever is asked.
	over: Option<Over>,
}

impl Watch {
	/// An audit that is asked for now and has `left` until its round is over, at most `longest`.
	pub fn new(left: Duration, longest: Duration, patience: Duration) -> Self {
		let now = Instant::now();
		let latest = later(now, longest);
		let deadline = later(now, left).min(latest);
		let state = Mutex::new(State { deadline, asked: now, over: None });
		let whole = deadline.duration_since(now);
		Self { state, latest, whole, patience, waiting: AtomicBool::new(true) }
	}

	/// The time that is left.
	pub fn left(&self) -> Duration {
		self.lock().deadline.saturating_duration_since(Instant::now())
	}

	/// Time that somebody is given from now on for what it should give in `wanted`: that, but only a
	/// share of what is left. Where half of the audit's time was over before, the share might be too
	/// little for anybody: if a worker is to be blamed for it, it has all of the rest then, and if the
	/// audit ends first, that says nothing of the worker.
	pub fn fetch_time(&self, wanted: Duration, lacking: Lacking) -> Duration {
		let left = self.left();
		match lacking {
			Lacking::Nowhere if left < self.whole / 2 => wanted,
			Lacking::Nowhere | Lacking::Demanded => wanted.min(left.mul_f64(FETCH_SHARE)),
			Lacking::Elsewhere => wanted.min(left.mul_f64(FIRST_SHARE)),
		}
	}

	/// Notes whether the audit waits for a turn.
	pub fn set_waiting(&self, waiting: bool) {
		self.waiting.store(waiting, Relaxed);
	}

	/// Whether the audit waits for a turn, be it the first or a later one.
	pub fn is_waiting(&self) -> bool {
		self.waiting.load(Relaxed)
	}

	/// It is asked for again, with what is now known of the time left: blocks may be late.
	pub fn ask(&self, left: Duration) {
		let mut state = self.lock();
		state.asked = Instant::now();
		state.deadline = later(state.asked, left).min(self.latest);
	}

	/// Whoever still works on it is to stop.
	pub fn stop(&self) {
		self.lock().over.get_or_insert(Over::Stopped);
	}

	/// Its place is another's now.
	pub fn displace(&self) {
		self.lock().over.get_or_insert(Over::Displaced);
	}

	/// Why the audit is to be given up, if it is.
	pub fn over(&self) -> Option<Over> {
		let now = Instant::now();
		let mut state = self.lock();
		if state.over.is_none() {
			if now >= state.deadline {
				state.over = Some(Over::Expired);
			} else if now >= later(state.asked, self.patience) {
				state.over = Some(Over::Abandoned);
			}
		}
		state.over
	}

	/// Waits until the audit is to be given up.
	pub async fn ended(&self) -> Over {
		loop {
			if let Some(over) = self.over() {
				return over;
			}
			let look = later(Instant::now(), LOOK);
			let next = {
				let state = self.lock();
				state.deadline.min(later(state.asked, self.patience)).min(look)
			};
			sleep_until(next).await;
		}
	}

	fn lock(&self) -> MutexGuard<'_, State> {
		self.state.lock().unwrap_or_else(PoisonError::into_inner)
	}
}

/// `from` and some time, or a time far away if that cannot be represented.
fn later(from: Instant, by: Duration) -> Instant {
	const FAR: Duration = Duration::from_secs(365 * 24 * 3_600);
	from + by.min(FAR)
}

#[cfg(test)]
mod tests {
	use super::*;

	const LONG: Duration = Duration::from_secs(3_600);
	const SHORT: Duration = Duration::from_millis(50);

	#[tokio::test]
	async fn it_ends_with_its_round() {
		let begun = Instant::now();
		let watch = Watch::new(SHORT, LONG, LONG);
		assert_eq!(watch.over(), None);
		assert_eq!(watch.ended().await, Over::Expired);
		assert!(begun.elapsed() >= SHORT && begun.elapsed() < LOOK);
	}

	#[test]
	fn who_asks_again_may_know_better() {
		let watch = Watch::new(SHORT, LONG, LONG);
		watch.ask(LONG);
		std::thread::sleep(SHORT);
		assert_eq!(watch.over(), None);
		watch.ask(Duration::ZERO);
		assert_eq!(watch.over(), Some(Over::Expired));
		// Those who work on it have stopped by now.
		watch.ask(LONG);
		assert_eq!(watch.over(), Some(Over::Expired));
	}

	#[test]
	fn no_round_has_more_time_than_the_longest() {
		let watch = Watch::new(LONG, SHORT, LONG);
		watch.ask(LONG);
		std::thread::sleep(SHORT);
		assert_eq!(watch.over(), Some(Over::Expired));
		let huge = Watch::new(Duration::MAX, Duration::MAX, Duration::MAX);
		assert_eq!(huge.over(), None);
	}

	#[tokio::test]
	async fn what_nobody_asks_for_is_abandoned() {
		let watch = Watch::new(LONG, LONG, SHORT * 10);
		for _ in 0..12 {
			tokio::time::sleep(SHORT).await;
			watch.ask(LONG);
		}
		assert_eq!(watch.over(), None);
		assert_eq!(watch.ended().await, Over::Abandoned);
	}

	#[test]
	fn a_worker_has_a_share_of_the_time_or_what_it_should_take() {
		let begun = Duration::from_secs(100);
		let near = |time: Duration, seconds| time.abs_diff(Duration::from_secs(seconds)) < SHORT;
		let watch = Watch::new(begun, LONG, LONG);
		assert!(near(watch.left(), 100));
		let time = |wanted| watch.fetch_time(wanted, Lacking::Nowhere);
		assert!(near(time(Duration::from_secs(20)), 20));
		assert!(near(time(LONG), 70));
		watch.ask(Duration::from_secs(60));
		assert!(near(time(LONG), 42));
		// Too late to blame anybody whom the rest does not suffice.
		watch.ask(Duration::from_secs(40));
		assert_eq!(time(LONG), LONG);
		assert!(near(time(Duration::from_secs(20)), 20));
		// Nobody is blamed where there is another way, for which there must be time.
		assert!(near(watch.fetch_time(LONG, Lacking::Demanded), 28));
		assert!(near(watch.fetch_time(LONG, Lacking::Elsewhere), 20));
	}

	#[tokio::test]
	async fn those_who_wait_hear_of_a_stop() {
		let watch = Watch::new(LONG, LONG, LONG);
		let stop = async {
			tokio::time::sleep(SHORT).await;
			watch.stop();
		};
		let (over, ()) = tokio::join!(watch.ended(), stop);
		assert_eq!(over, Over::Stopped);
	}
}
