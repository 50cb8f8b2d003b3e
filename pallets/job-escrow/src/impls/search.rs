//! Open tasks look for machines.
//!
//! Jobs take turns, each turn one search. A task that was matched gives its job another turn in the
//! same block, behind all other jobs, until it has a few offers that nobody has accepted yet: with each
//! task that is accepted it may have one more. A job whose offers are declined or lapse looks ever more
//! rarely, and not at once at the provider that did not take one. So a job that nobody can do holds a
//! few slots at a time, for ever less of the time, however many machines there are. One that finds no
//! machine at all waits no longer than a few intervals, however long it has waited.

use super::agenda::{log_failure, overhead, RETRY, SEARCH_SHARE};
use crate::{
	Config, Error, Jobs, Pallet, Parameters, Search, SearchOf, Searches, Tasks, WeightInfo,
};
use assay_primitives::{
	traits::Supply,
	work::{JobId, TaskId, TaskIndex, TaskStatus},
	BlockNumber,
};
use frame_support::{
	pallet_prelude::Get,
	storage::with_storage_layer,
	weights::{Weight, WeightMeter},
	BoundedVec,
};

/// Offers that a job may have, beside as many as tasks of it were accepted, before they are accepted.
const FIRST_OFFERS: u32 = 2;
/// Most match intervals between two searches of a job whose offers nobody refuses: who posts the same
/// job again is not to be before those who wait.
const MAX_INTERVALS: BlockNumber = 4;
/// Most blocks between two searches of any job: an hour.
const MAX_WAIT: BlockNumber = 600;

impl<T: Config> Search<T> {
	/// These tasks are open, none has looked for a machine yet, and no turn is put down.
	pub(crate) fn of(open: impl Iterator<Item = TaskIndex>, now: BlockNumber) -> Self {
		let mut search = Self {
			open: BoundedVec::default(),
			avoid: BoundedVec::default(),
			next: 0,
			misses: 0,
			offered: 0,
			accepted: 0,
			refusals: 0,
			since: now,
			due: BlockNumber::MAX,
			turn: 0,
		};
		open.for_each(|index| search.set(index, true));
		search
	}

	/// Puts the next turn down for a block; one put down before becomes stale.
	pub(crate) fn put(&mut self, job: JobId, due: BlockNumber) {
		self.turn = self.turn.wrapping_add(1);
		self.due = SearchOf::<T>::put(Pallet::<T>::now(), due, (job, self.turn));
	}

	/// Puts the next turn down for a block, if that is before the one put down.
	fn put_forward(&mut self, job: JobId, due: BlockNumber) {
		if due < self.due {
			self.put(job, due);
		}
	}

	/// Whether the job has all the offers that it may have, until one of them is accepted or ends.
	fn is_held_back(&self) -> bool {
		self.offered >= FIRST_OFFERS.saturating_add(self.accepted)
	}

	/// Blocks to the next turn after a search without a match.
	fn wait(&self, now: BlockNumber, interval: BlockNumber) -> BlockNumber {
		let patient = interval.saturating_mul(MAX_INTERVALS).min(MAX_WAIT);
		let waited = now.saturating_sub(self.since) / 2;
		waited.min(patient).max(interval).max(self.penalty())
	}

	/// Least blocks to the next turn after refusals: one after the first in a row, twice as many after
	/// each further one.
	fn penalty(&self) -> BlockNumber {
		match self.refusals.checked_sub(1) {
			Some(further) => 1u32.checked_shl(further).unwrap_or(MAX_WAIT).min(MAX_WAIT),
			None => 0,
		}
	}

	/// The provider did not take one of the job's tasks: before others had a chance, it is not to be
	/// offered the next. All that it was offered and did not take is one refusal.
	fn shun(&mut self, provider: &T::AccountId) {
		if self.avoid.contains(provider) {
			return;
		}
		self.refusals = self.refusals.saturating_add(1);
		if self.avoid.is_full() {
			self.avoid.remove(0);
		}
		// There is room: the bound is at least one, and a full list just lost its oldest.
		let _ = self.avoid.try_push(provider.clone());
	}

	/// Notes whether a task is open.
	pub(crate) fn set(&mut self, index: TaskIndex, open: bool) {
		let (byte, bit) = (index as usize / 8, 1u8 << (index % 8));
		while self.open.len() <= byte {
			if self.open.try_push(0).is_err() {
				// Not reached: there are no more tasks than the bound, and eight of them in a byte.
				return;
			}
		}
		if let Some(byte) = self.open.get_mut(byte) {
			*byte = if open { *byte | bit } else { *byte & !bit };
		}
	}

	/// Whether a task is noted as open.
	pub(crate) fn is_open(&self, index: TaskIndex) -> bool {
		self.open.get(index as usize / 8).is_some_and(|byte| byte & (1 << (index % 8)) != 0)
	}

	/// Number of open tasks.
	pub(crate) fn count(&self) -> u32 {
		self.open.iter().fold(0, |sum, byte| sum.saturating_add(byte.count_ones()))
	}

	/// The first open task from `next` on, and then from the first task on.
	fn first(&self) -> Option<TaskIndex> {
		let end = (self.open.len() as u32).saturating_mul(8);
		let start = self.next.min(end);
		(start..end).chain(0..start).find(|index| self.is_open(*index))
	}
}

impl<T: Config> Pallet<T> {
	/// A task that somebody had accepted came back to the market, and looks for a machine in the next
	/// block.
	pub(crate) fn reopened(id: TaskId) {
		let now = Self::now();
		Searches::<T>::mutate_extant(id.job, |search| {
			search.set(id.index, true);
			search.since = now;
			search.put_forward(id.job, now.saturating_add(1));
		});
	}

	/// A provider did not take a task, which is open again or has ended. The job looks on after a while
	/// that grows with each that does not, and avoids that provider, whose slot others have first, until
	/// a search has found no other.
	pub(crate) fn not_taken(id: TaskId, is_open: bool, by: &T::AccountId) {
		let now = Self::now();
		Searches::<T>::mutate_extant(id.job, |search| {
			search.set(id.index, is_open);
			search.shun(by);
			let due = now.saturating_add(search.penalty().max(1));
			// Replicas of tasks under way are sought beyond that.
			let expires_at = Jobs::<T>::get(id.job).map(|job| job.expires_at);
			let due = expires_at.filter(|at| now < *at).map_or(due, |at| due.min(at));
			// Whatever turn is put down already may be too early.
			if search.count() > 0 && due != search.due {
				search.put(id.job, due);
			}
		});
	}

	/// A task leaves a status, for another one.
	pub(crate) fn moved(id: TaskId, from: TaskStatus, to: TaskStatus) {
		let is_offer = |status| matches!(status, TaskStatus::Offered { .. });
		if !matches!(from, TaskStatus::Open) && !is_offer(from) {
			return;
		}
		Searches::<T>::mutate_extant(id.job, |search| {
			if is_offer(from) {
				search.offered = search.offered.saturating_sub(1);
			} else {
				search.set(id.index, false);
			}
			if is_offer(to) {
				search.offered = search.offered.saturating_add(1);
			}
		});
	}

	/// A task was accepted: the job is one that somebody does. It looks on at short intervals; at once
	/// if it was held back.
	pub(crate) fn taken(job: JobId) {
		let now = Self::now();
		let interval = Parameters::<T>::get().match_interval;
		Searches::<T>::mutate_extant(job, |search| {
			// As it stood when this one was an offer.
			search.offered = search.offered.saturating_add(1);
			let wait = if search.is_held_back() { 1 } else { interval };
			search.offered = search.offered.saturating_sub(1);
			search.accepted = search.accepted.saturating_add(1);
			(search.since, search.refusals) = (now, 0);
			if search.count() > 0 {
				search.put_forward(job, now.saturating_add(wait));
			}
		});
	}

	/// Whether an open task may look for a machine now: in its job's turn, or beside it if nobody has
	/// refused the job lately and it has not all the offers that it may have.
	pub(crate) fn may_search(job: JobId) -> bool {
		Searches::<T>::get(job).is_none_or(|search| {
			let is_its_turn = search.due <= Self::now();
			!search.is_held_back() && (is_its_turn || search.refusals == 0)
		})
	}

	/// Most weight of one turn.
	pub(crate) fn most_search_weight() -> Weight {
		Self::turn_weight().saturating_add(T::Supply::most_weight())
	}

	/// Weight of one turn without the search itself.
	fn turn_weight() -> Weight {
		// The job and its requirements are read before, its open tasks read and written around it.
		T::WeightInfo::advance()
			.saturating_add(T::DbWeight::get().reads_writes(5, 3))
			.saturating_add(Self::beside_weight())
	}

	/// What one step of the queue costs beside the turn: the job and the size of the market are read
	/// for the turn's weight.
	pub(crate) fn search_overhead() -> Weight {
		overhead::<T>().saturating_add(T::DbWeight::get().reads(2))
	}

	/// Gives jobs with open tasks their turns, within a share of the block.
	pub(crate) fn work_search(meter: &mut WeightMeter) {
		Self::within(SEARCH_SHARE, meter, |meter| {
			let weight = |(job, _): &(JobId, u32)| match Jobs::<T>::get(job) {
				Some(job) => Self::turn_weight()
					.saturating_add(T::Supply::best_weight(&job.spec.requirements)),
				None => Self::turn_weight(),
			};
			SearchOf::<T>::run(
				Self::now(),
				meter,
				Self::search_overhead(),
				weight,
				|_, (job, turn)| Self::take_turn(job, turn).map(|turn| (job, turn)),
			);
		});
	}

	/// Looks for a machine for one of the job's open tasks. Returns the job's next turn if it is to
	/// have one in this block.
	fn take_turn(id: JobId, turn: u32) -> Option<u32> {
		let mut search = Searches::<T>::get(id)?;
		if search.turn != turn {
			// The turn was put forward.
			return None;
		}
		let Some(index) = search.first() else {
			// Tasks that come back put a turn down.
			search.due = BlockNumber::MAX;
			Searches::<T>::insert(id, search);
			return None;
		};
		let now = Self::now();
		let job = Jobs::<T>::get(id)?;
		// Replicas of tasks under way are sought beyond that.
		let expires_at = if now < job.expires_at { job.expires_at } else { BlockNumber::MAX };
		if search.is_held_back() && now < job.expires_at {
			// Until then one of the offers ends, if only because it lapses.
			let window = Parameters::<T>::get().offer_window;
			search.put(id, now.saturating_add(window).saturating_add(1).min(expires_at));
			Searches::<T>::insert(id, search);
			return None;
		}
		search.next = index.saturating_add(1);
		search.turn = turn.wrapping_add(1);
		search.due = now;
		Searches::<T>::insert(id, search);

		let task = TaskId { job: id, index };
		let result = with_storage_layer(|| Self::do_advance(task));
		Searches::<T>::mutate_extant(id, |search| match result {
			Ok(()) => {
				search.misses = 0;
				Some(search.turn)
			}
			Err(error) if error == Error::<T>::NothingDue.into() => {
				search.misses = search.misses.saturating_add(1);
				// Where a task that nobody has refused finds no machine, no other finds one.
				let picky = job.spec.is_replicated()
					|| Tasks::<T>::get(id, index).is_some_and(|t| !t.refused.is_empty());
				if picky && search.misses < search.count() {
					return Some(search.turn);
				}
				search.misses = 0;
				search.avoid = Default::default();
				let interval = Parameters::<T>::get().match_interval;
				search.put(id, now.saturating_add(search.wait(now, interval)).min(expires_at));
				None
			}
			Err(error) => {
				log_failure(&task, error);
				search.put(id, now.saturating_add(RETRY));
				None
			}
		})
	}
}
