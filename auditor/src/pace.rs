//! What an audit that computes asks between two nodes: may it go on?

use crate::{
	turns::{Claimant, Turn, Turns},
	watch::Watch,
};
use assay_compute::Observer;
use std::{
	sync::{Arc, Mutex, MutexGuard, PoisonError},
	time::{Duration, Instant},
};
use tokio::runtime::Handle;

/// The right to compute, held for as long as it lasts. Blocks: for threads outside the runtime only.
#[derive(Debug)]
pub struct Pace {
	watch: Arc<Watch>,
	turns: Arc<Turns>,
	claimant: Claimant,
	/// Time after which the turn is another provider's, if one waits.
	slice: Duration,
	runtime: Handle,
	/// The turn and since when it is held.
	turn: Mutex<Option<(Turn, Instant)>>,
	/// Time without a turn since it was let go, and when that was.
	idle: Mutex<(Duration, Option<Instant>)>,
}

impl Pace {
	/// Begins with a `turn` of `turns`; call within the runtime.
	pub fn new(
		turn: Turn,
		watch: Arc<Watch>,
		turns: Arc<Turns>,
		claimant: Claimant,
		slice: Duration,
	) -> Self {
		let pace = Self::idle(watch, turns, claimant, slice);
		*pace.held() = Some((turn, Instant::now()));
		*pace.idle_since() = (Duration::ZERO, None);
		pace
	}

	/// Begins without a turn, which [`resume`](Self::resume) waits for; call within the runtime.
	pub fn idle(watch: Arc<Watch>, turns: Arc<Turns>, claimant: Claimant, slice: Duration) -> Self {
		let (turn, idle) = (Mutex::new(None), Mutex::new((Duration::ZERO, Some(Instant::now()))));
		Self { watch, turns, claimant, slice, runtime: Handle::current(), turn, idle }
	}

	/// Whether to go on computing. Lets another provider's audit have its turn first, if this one
	/// has had its slice.
	pub fn go_on(&self) -> bool {
		if self.watch.over().is_some() {
			return false;
		}
		let mut held = self.held();
		let has_had_enough =
			|(turn, since): &mut (Turn, Instant)| since.elapsed() >= self.slice && turn.is_wanted();
		if held.take_if(has_had_enough).is_none() {
			return true;
		}
		self.wait(&mut held)
	}

	/// Ends the computing: whatever follows waits for the network.
	pub fn let_go(&self) {
		self.held().take();
		self.idle_since().1.get_or_insert_with(Instant::now);
	}

	/// Goes on computing when its turn comes; `false` if the audit is over before.
	pub fn resume(&self) -> bool {
		let mut held = self.held();
		if held.is_some() {
			return self.watch.over().is_none();
		}
		self.watch.set_waiting(true);
		let has_turn = self.wait(&mut held);
		self.watch.set_waiting(false);
		let mut idle = self.idle_since();
		let more = idle.1.take().map(|since| since.elapsed()).unwrap_or_default();
		idle.0 = idle.0.saturating_add(more);
		has_turn
	}

	/// For how long it was let go.
	pub fn idled(&self) -> Duration {
		let (before, since) = *self.idle_since();
		before.saturating_add(since.map(|since| since.elapsed()).unwrap_or_default())
	}

	/// Waits for a turn.
	fn wait(&self, held: &mut Option<(Turn, Instant)>) -> bool {
		let turn = self.runtime.block_on(async {
			tokio::select! {
				_ = self.watch.ended() => None,
				turn = self.turns.take(&self.claimant, 1) => Some(turn),
			}
		});
		*held = turn.map(|turn| (turn, Instant::now()));
		held.is_some()
	}

	fn idle_since(&self) -> MutexGuard<'_, (Duration, Option<Instant>)> {
		self.idle.lock().unwrap_or_else(PoisonError::into_inner)
	}

	fn held(&self) -> MutexGuard<'_, Option<(Turn, Instant)>> {
		self.turn.lock().unwrap_or_else(PoisonError::into_inner)
	}
}

/// The pace as a run's or an audit's observer.
pub struct AtPace<'p>(pub &'p Pace);

impl Observer for AtPace<'_> {
	fn node_done(&mut self, _: u32, _: u32) -> bool {
		self.0.go_on()
	}
}

#[cfg(test)]
mod tests {
	use super::*;
	use crate::watch::Over;
	use futures::{poll, FutureExt};
	use tokio::task::spawn_blocking;

	const LONG: Duration = Duration::from_secs(600);

	fn claimant(provider: u8) -> Claimant {
		Claimant { provider: [provider].into(), deadline: provider.into(), cost: 0 }
	}

	async fn pace(turns: &Arc<Turns>, slice: Duration) -> (Arc<Watch>, Arc<Pace>) {
		let watch = Arc::new(Watch::new(LONG, LONG, LONG));
		let turn = turns.take(&claimant(1), 1).await;
		let pace = Pace::new(turn, watch.clone(), turns.clone(), claimant(1), slice);
		(watch, Arc::new(pace))
	}

	#[tokio::test]
	async fn it_ends_with_the_audit() {
		let turns = Turns::new(1);
		let (watch, pace) = pace(&turns, LONG).await;
		assert!(pace.go_on());
		watch.ask(Duration::ZERO);
		assert_eq!(watch.over(), Some(Over::Expired));
		assert!(!pace.go_on());
		drop(pace);
		assert_eq!(turns.held(), 0);
	}

	/// An audit of any length gives way to another provider's, and goes on afterwards.
	#[tokio::test(flavor = "multi_thread")]
	async fn after_its_slice_the_turn_is_anothers() {
		let turns = Turns::new(1);
		let (_watch, pace) = pace(&turns, Duration::ZERO).await;
		let other = claimant(2);
		let mut waiting = turns.take(&other, 1).boxed();
		assert!(poll!(&mut waiting).is_pending());
		let going_on = spawn_blocking(move || pace.go_on());
		let turn = waiting.await;
		tokio::time::sleep(Duration::from_millis(50)).await;
		assert!(!going_on.is_finished());
		drop(turn);
		assert!(going_on.await.unwrap());
	}

	#[tokio::test(flavor = "multi_thread")]
	async fn before_its_slice_is_over_nobody_has_it() {
		let turns = Turns::new(1);
		let (_watch, pace) = pace(&turns, LONG).await;
		let other = claimant(2);
		let mut waiting = turns.take(&other, 1).boxed();
		assert!(poll!(&mut waiting).is_pending());
		let pace = spawn_blocking(move || pace.go_on().then_some(pace)).await.unwrap().unwrap();
		assert!(poll!(&mut waiting).is_pending());
		pace.let_go();
		assert!(waiting.now_or_never().is_some());
	}

	/// Who fetches lets others compute, and goes on when it is its turn again.
	#[tokio::test(flavor = "multi_thread")]
	async fn what_was_let_go_is_taken_up_again() {
		let turns = Turns::new(1);
		let watch = Arc::new(Watch::new(LONG, LONG, LONG));
		let pace = Pace::idle(watch.clone(), turns.clone(), claimant(1), LONG);
		assert_eq!(turns.held(), 0);
		let pace = Arc::new(pace);
		let resume = |pace: &Arc<Pace>| {
			let pace = pace.clone();
			spawn_blocking(move || pace.resume())
		};
		assert!(resume(&pace).await.unwrap());
		assert_eq!((turns.held(), watch.is_waiting()), (1, false));
		let idled = pace.idled();
		tokio::time::sleep(Duration::from_millis(30)).await;
		assert_eq!(pace.idled(), idled);
		pace.let_go();
		let turn = turns.take(&claimant(2), 1).await;
		let resumed = resume(&pace);
		tokio::time::sleep(Duration::from_millis(50)).await;
		assert!(!resumed.is_finished() && watch.is_waiting());
		drop(turn);
		assert!(resumed.await.unwrap());
		assert!(pace.idled() >= idled + Duration::from_millis(50));
		pace.let_go();
		let _turn = turns.take(&claimant(2), 1).await;
		let resumed = resume(&pace);
		watch.stop();
		assert!(!resumed.await.unwrap());
	}

	#[tokio::test(flavor = "multi_thread")]
	async fn who_waits_for_its_next_turn_ends_with_the_audit() {
		let turns = Turns::new(1);
		let (watch, pace) = pace(&turns, Duration::ZERO).await;
		let other = claimant(2);
		let mut waiting = turns.take(&other, 1).boxed();
		assert!(poll!(&mut waiting).is_pending());
		let going_on = spawn_blocking(move || pace.go_on());
		let _turn = waiting.await;
		watch.stop();
		assert!(!going_on.await.unwrap());
	}
}
