//! Something scarce, handed out by urgency and in fair shares.

use assay_primitives::BlockNumber;
use std::{
	collections::{BTreeMap, HashMap},
	sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tokio::sync::oneshot;

/// Whose work something is: a provider's SCALE-encoded account.
pub type Provider = Arc<[u8]>;

/// Who wants something, and how urgently.
#[derive(Clone, Debug)]
pub struct Claimant {
	/// Whose work is audited.
	pub provider: Provider,
	/// Last block of the round: the earliest comes first.
	pub deadline: BlockNumber,
	/// About how many operations the audit takes: among equal deadlines the least comes first.
	pub cost: u128,
}

/// A number of places, bytes or the like.
///
/// Of those who wait, the first in urgency gets what is free, but:
/// - nobody waits for somebody else who wants more than is free;
/// - no provider holds more than its share, though always one thing;
/// - no provider is served twice in a row while another's is waiting.
#[derive(Debug)]
pub struct Turns {
	capacity: u64,
	/// Most that one provider holds of it.
	share: u64,
	state: Mutex<State>,
}

#[derive(Debug)]
struct State {
	free: u64,
	held: HashMap<Provider, u64>,
	/// Who was served last.
	last: Option<Provider>,
	waiting: BTreeMap<Rank, Waiting>,
	arrivals: u64,
}

/// A place in the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
	deadline: BlockNumber,
	cost: u128,
	arrival: u64,
}

#[derive(Debug)]
struct Waiting {
	provider: Provider,
	amount: u64,
	wake: oneshot::Sender<Turn>,
}

/// A part of what there is; given back when dropped.
#[derive(Debug)]
pub struct Turn {
	turns: Arc<Turns>,
	provider: Provider,
	amount: u64,
}

/// Leaves the queue when dropped, as when the audit is given up.
struct InQueue<'t> {
	turns: &'t Turns,
	rank: Rank,
}

impl Turns {
	/// There are `capacity` of them, at least one, of which one provider holds at most half.
	pub fn new(capacity: u64) -> Arc<Self> {
		Self::with_share(capacity, capacity.div_ceil(2))
	}

	/// There are `capacity` of them, at least one, of which one provider holds at most `share`.
	pub fn with_share(capacity: u64, share: u64) -> Arc<Self> {
		let capacity = capacity.max(1);
		let state = State {
			free: capacity,
			held: HashMap::new(),
			last: None,
			waiting: BTreeMap::new(),
			arrivals: 0,
		};
		Arc::new(Self { capacity, share, state: Mutex::new(state) })
	}

	/// Waits for `amount` of them, or for all if there are fewer.
	pub async fn take(self: &Arc<Self>, claimant: &Claimant, amount: u64) -> Turn {
		let amount = amount.min(self.capacity);
		loop {
			let (wake, woken) = oneshot::channel();
			let rank = self.enter(claimant, amount, wake);
			let _in_queue = InQueue { turns: self, rank };
			self.hand_out();
			// Who is in the queue is woken with a turn.
			if let Ok(turn) = woken.await {
				return turn;
			}
		}
	}

	/// How many wait.
	pub fn waiting(&self) -> usize {
		self.lock().waiting.len()
	}

	/// How much is held.
	pub fn held(&self) -> u64 {
		self.capacity.saturating_sub(self.lock().free)
	}

	fn enter(&self, claimant: &Claimant, amount: u64, wake: oneshot::Sender<Turn>) -> Rank {
		let mut state = self.lock();
		let Claimant { provider, deadline, cost } = claimant.clone();
		let rank = Rank { deadline, cost, arrival: state.arrivals };
		state.arrivals = state.arrivals.wrapping_add(1);
		state.waiting.insert(rank, Waiting { provider, amount, wake });
		rank
	}

	/// Serves all who can be served.
	fn hand_out(self: &Arc<Self>) {
		loop {
			let next = self.lock().serve(self.share);
			let Some(Waiting { provider, amount, wake }) = next else { return };
			// If it has been given up meanwhile, the turn comes back at once. Not under the lock,
			// which giving back takes.
			drop(wake.send(Turn { turns: self.clone(), provider, amount }));
		}
	}

	fn lock(&self) -> MutexGuard<'_, State> {
		self.state.lock().unwrap_or_else(PoisonError::into_inner)
	}
}

impl State {
	/// Takes the next who can be served out of the queue.
	fn serve(&mut self, share: u64) -> Option<Waiting> {
		let may = |waiting: &Waiting| {
			let held = self.held.get(&waiting.provider).copied().unwrap_or(0);
			waiting.amount <= self.free
				&& (held == 0 || held.saturating_add(waiting.amount) <= share)
		};
		let (rank, _) = self.waiting.iter().filter(|(_, waiting)| may(waiting)).min_by_key(
			|(rank, waiting)| (self.last.as_ref() == Some(&waiting.provider), **rank),
		)?;
		let rank = *rank;
		let waiting = self.waiting.remove(&rank)?;
		self.free = self.free.saturating_sub(waiting.amount);
		let held = self.held.entry(waiting.provider.clone()).or_default();
		*held = held.saturating_add(waiting.amount);
		self.last = Some(waiting.provider.clone());
		Some(waiting)
	}
}

impl Turn {
	/// Whether another provider's waits for this.
	pub fn is_wanted(&self) -> bool {
		self.turns.lock().waiting.values().any(|waiting| waiting.provider != self.provider)
	}
}

impl Drop for Turn {
	fn drop(&mut self) {
		{
			let mut state = self.turns.lock();
			state.free = state.free.saturating_add(self.amount);
			if let Some(held) = state.held.get_mut(&self.provider) {
				*held = held.saturating_sub(self.amount);
				if *held == 0 {
					state.held.remove(&self.provider);
				}
			}
		}
		self.turns.hand_out();
	}
}

impl Drop for InQueue<'_> {
	fn drop(&mut self) {
		self.turns.lock().waiting.remove(&self.rank);
	}
}

#[cfg(test)]
mod tests {
	use super::*;
	use futures::{
		future::{BoxFuture, FutureExt},
		poll,
	};
	use std::task::Poll;

	fn claimant(provider: u8, deadline: BlockNumber, cost: u128) -> Claimant {
		Claimant { provider: [provider].into(), deadline, cost }
	}

	/// Asks in this order while nothing is free, and says in which order the asking are served.
	async fn order(held_by: u8, asking: &[(u8, BlockNumber, u128)]) -> Vec<usize> {
		let turns = Turns::new(1);
		let first = turns.take(&claimant(held_by, 0, 0), 1).await;
		let mut waiting: Vec<(usize, BoxFuture<'static, Turn>)> = Vec::new();
		for (index, (provider, deadline, cost)) in asking.iter().enumerate() {
			let (turns, claimant) = (turns.clone(), claimant(*provider, *deadline, *cost));
			let mut take = async move { turns.take(&claimant, 1).await }.boxed();
			assert!(poll!(&mut take).is_pending());
			waiting.push((index, take));
		}
		assert_eq!(turns.waiting(), asking.len());
		drop(first);
		let mut served = Vec::new();
		while !waiting.is_empty() {
			let mut still = Vec::new();
			let mut turn = None;
			for (index, mut take) in waiting {
				match poll!(&mut take) {
					Poll::Ready(got) => {
						assert!(turn.is_none(), "one at a time");
						served.push(index);
						turn = Some(got);
					}
					Poll::Pending => still.push((index, take)),
				}
			}
			waiting = still;
			assert!(turn.is_some(), "somebody is served");
		}
		assert_eq!((turns.waiting(), turns.held()), (0, 0));
		served
	}

	#[tokio::test]
	async fn the_earliest_deadline_comes_first_then_the_least_cost_then_the_first_to_ask() {
		let asking = [(1, 30, 1), (2, 20, 9), (3, 20, 5), (4, 10, 99), (5, 20, 5), (6, 40, 0)];
		assert_eq!(order(9, &asking).await, [3, 2, 4, 1, 0, 5]);
	}

	#[tokio::test]
	async fn no_provider_is_served_twice_in_a_row_while_others_wait() {
		// The one with the most urgent work, all of it, takes turns with the others.
		let asking = [(1, 10, 0), (1, 11, 0), (1, 12, 0), (2, 90, 0), (3, 80, 0)];
		assert_eq!(order(9, &asking).await, [0, 4, 1, 3, 2]);
		assert_eq!(order(1, &asking).await, [4, 0, 3, 1, 2]);
		// Alone it takes them all.
		assert_eq!(order(1, &asking[..3]).await, [0, 1, 2]);
	}

	#[tokio::test]
	async fn no_provider_holds_more_than_half() {
		let turns = Turns::new(4);
		let (one, other) = (claimant(1, 10, 0), claimant(2, 99, 0));
		let held = [turns.take(&one, 1).await, turns.take(&one, 1).await];
		assert!(turns.take(&one, 1).now_or_never().is_none());
		// What has been given up waits no more.
		assert_eq!(turns.waiting(), 0);
		let others = [turns.take(&other, 1).await, turns.take(&other, 1).await];
		assert_eq!(turns.held(), 4);
		drop(others);
		assert!(turns.take(&one, 1).now_or_never().is_none());
		drop(held);
		assert!(turns.take(&one, 2).now_or_never().is_some());
		assert_eq!(turns.held(), 0);
	}

	#[tokio::test]
	async fn one_thing_may_be_larger_than_a_share() {
		let turns = Turns::new(10);
		let (one, other) = (claimant(1, 10, 0), claimant(2, 20, 0));
		let large = turns.take(&one, 8).await;
		assert!(turns.take(&one, 1).now_or_never().is_none());
		// Somebody who wants more than is free holds nobody up.
		let third = claimant(3, 1, 0);
		let mut more = turns.take(&third, 3).boxed();
		assert!(poll!(&mut more).is_pending());
		assert!(turns.take(&other, 2).now_or_never().is_some());
		drop(large);
		assert_eq!(more.await.amount, 3);
		// More than there is means all.
		assert_eq!(turns.take(&one, 99).await.amount, 10);
	}

	#[tokio::test]
	async fn a_turn_is_wanted_by_others_only() {
		let turns = Turns::new(1);
		let held = turns.take(&claimant(1, 10, 0), 1).await;
		let own = claimant(1, 1, 0);
		let mut same = turns.take(&own, 1).boxed();
		assert!(poll!(&mut same).is_pending());
		assert!(!held.is_wanted());
		let others = claimant(2, 99, 0);
		let mut other = turns.take(&others, 1).boxed();
		assert!(poll!(&mut other).is_pending());
		assert!(held.is_wanted());
		drop(held);
		assert!(poll!(&mut other).is_ready());
	}

	/// A turn that was handed to somebody who has just given up comes back.
	#[tokio::test]
	async fn no_turn_is_lost_on_those_who_leave() {
		let turns = Turns::new(1);
		let (one, other) = (claimant(1, 10, 0), claimant(2, 20, 0));
		let held = turns.take(&one, 1).await;
		let mut leaving = turns.take(&other, 1).boxed();
		assert!(poll!(&mut leaving).is_pending());
		drop(held);
		drop(leaving);
		assert_eq!(turns.held(), 0);
		assert!(turns.take(&one, 1).now_or_never().is_some());
	}
}
