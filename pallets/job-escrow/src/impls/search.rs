//! Open tasks look for machines.
//!
//! Jobs take turns, each turn one search. A task that was matched gives its job another turn in the
//! same block, behind all other jobs; a job whose tasks nobody takes looks ever more rarely. A provider
//! that does not take one of a job's tasks is not offered the next at once, or a job that nobody can do
//! would hold all slots in turn.

use super::agenda::{log_failure, overhead, RETRY, SEARCH_SHARE};
use crate::{
	Config, Error, Jobs, Pallet, Parameters, Search, SearchOf, Searches, Tasks, WeightInfo,
};
use assay_primitives::{
	traits::Supply,
	work::{JobId, TaskId, TaskIndex},
	BlockNumber,
};
use frame_support::{
	pallet_prelude::Get,
	storage::with_storage_layer,
	weights::{Weight, WeightMeter},
	BoundedVec,
};

/// Most blocks between two searches of a job: an hour.
const MAX_WAIT: BlockNumber = 600;

impl<T: Config> Search<T> {
	/// The first `tasks` tasks are open, none has looked for a machine yet, and no turn is put down.
	pub(crate) fn of(tasks: u32, now: BlockNumber) -> Self {
		let mut search = Self {
			open: BoundedVec::default(),
			avoid: BoundedVec::default(),
			next: 0,
			misses: 0,
			since: now,
			due: BlockNumber::MAX,
			turn: 0,
		};
		(0..tasks).for_each(|index| search.set(index, true));
		search
	}

	/// Puts the next turn down for a block; one put down before becomes stale.
	pub(crate) fn put(&mut self, job: JobId, due: BlockNumber) {
		self.turn = self.turn.wrapping_add(1);
		self.due = SearchOf::<T>::put(Pallet::<T>::now(), due, (job, self.turn));
	}

	/// The provider did not take one of the job's tasks: before others had a chance, it is not to be
	/// offered the next.
	fn shun(&mut self, provider: &T::AccountId) {
		if self.avoid.contains(provider) {
			return;
		}
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
	/// A task came back to the market and looks for a machine in the next block. If its provider did not
	/// take it, the job avoids that provider, whose slot others have first, until a search has found no
	/// other.
	pub(crate) fn opened(id: TaskId, not_taken_by: Option<&T::AccountId>) {
		let now = Self::now();
		let mut search = Searches::<T>::get(id.job).unwrap_or_else(|| Search::of(0, now));
		search.set(id.index, true);
		match not_taken_by {
			Some(provider) => search.shun(provider),
			None => search.since = now,
		}
		let due = now.saturating_add(1);
		if due < search.due {
			search.put(id.job, due);
		}
		Searches::<T>::insert(id.job, search);
	}

	/// A task was accepted: the job is one that somebody does, and looks on at short intervals.
	pub(crate) fn taken(job: JobId) {
		let now = Self::now();
		Searches::<T>::mutate_extant(job, |search| search.since = now);
	}

	/// A task left the market.
	pub(crate) fn left(id: TaskId) {
		Searches::<T>::mutate_extant(id.job, |search| search.set(id.index, false));
	}

	/// Most weight of one turn.
	pub(crate) fn most_search_weight() -> Weight {
		Self::turn_weight().saturating_add(T::Supply::most_weight())
	}

	/// Weight of one turn without the search itself.
	fn turn_weight() -> Weight {
		// The job and its requirements are read before, its open tasks read and written around it.
		T::WeightInfo::advance().saturating_add(T::DbWeight::get().reads_writes(5, 3))
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
			Searches::<T>::remove(id);
			return None;
		};
		let now = Self::now();
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
				let picky = Tasks::<T>::get(id, index).is_some_and(|t| !t.refused.is_empty());
				if picky && search.misses < search.count() {
					return Some(search.turn);
				}
				search.misses = 0;
				search.avoid = Default::default();
				let due = Self::next_turn(id, search.since);
				search.put(id, due);
				None
			}
			Err(error) => {
				log_failure(&task, error);
				search.put(id, now.saturating_add(RETRY));
				None
			}
		})
	}

	/// When a job that found no machine looks again: after half the time since somebody last took one of
	/// its tasks, within bounds, and once more when it expires.
	fn next_turn(id: JobId, since: BlockNumber) -> BlockNumber {
		let now = Self::now();
		let least = Parameters::<T>::get().match_interval;
		let wait = (now.saturating_sub(since) / 2).min(MAX_WAIT).max(least);
		let due = now.saturating_add(wait);
		Jobs::<T>::get(id).map_or(due, |job| due.min(job.expires_at))
	}
}
