//! Open tasks look for machines.
//!
//! Jobs take turns, each turn one search. A task that was matched gives its job another turn in the
//! same block, behind all other jobs; a job whose tasks nobody takes looks ever more rarely.

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
	/// All of `tasks` tasks are open.
	pub(crate) fn all(tasks: u32, due: BlockNumber) -> Self {
		let mut search = Self { open: BoundedVec::default(), next: 0, misses: 0, due };
		(0..tasks).for_each(|index| search.set(index, true));
		search
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
	/// A task came back to the market: it looks for a machine in the next block.
	pub(crate) fn opened(id: TaskId) {
		let soon = Self::now().saturating_add(1);
		let mut search = Searches::<T>::get(id.job).unwrap_or_else(|| Search::all(0, 0));
		search.set(id.index, true);
		if search.due != soon {
			search.due = SearchOf::<T>::put(Self::now(), soon, id.job);
		}
		Searches::<T>::insert(id.job, search);
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

	/// Gives jobs with open tasks their turns, within a share of the block.
	pub(crate) fn work_search(meter: &mut WeightMeter) {
		Self::within(SEARCH_SHARE, meter, |meter| {
			let weight = |job: &JobId| match Jobs::<T>::get(job) {
				Some(job) => Self::turn_weight()
					.saturating_add(T::Supply::best_weight(&job.spec.requirements)),
				None => Self::turn_weight(),
			};
			let own = overhead::<T>().saturating_add(T::DbWeight::get().reads(2));
			SearchOf::<T>::run(Self::now(), meter, own, weight, |due, job| {
				Self::take_turn(due, job).then_some(job)
			});
		});
	}

	/// Looks for a machine for one of the job's open tasks. Returns whether the job is to have
	/// another turn in this block.
	fn take_turn(due: BlockNumber, id: JobId) -> bool {
		let Some(mut search) = Searches::<T>::get(id) else { return false };
		if search.due != due {
			// The turn was put forward.
			return false;
		}
		let Some(index) = search.first() else {
			Searches::<T>::remove(id);
			return false;
		};
		let now = Self::now();
		search.next = index.saturating_add(1);
		search.due = now;
		Searches::<T>::insert(id, search);

		let task = TaskId { job: id, index };
		let result = with_storage_layer(|| Self::do_advance(task));
		Searches::<T>::mutate_extant(id, |search| match result {
			Ok(()) => {
				search.misses = 0;
				true
			}
			Err(error) if error == Error::<T>::NothingDue.into() => {
				search.misses = search.misses.saturating_add(1);
				// Where a task that nobody has refused finds no machine, no other finds one.
				let picky = Tasks::<T>::get(id, index).is_some_and(|t| !t.refused.is_empty());
				if picky && search.misses < search.count() {
					return true;
				}
				search.misses = 0;
				search.due = SearchOf::<T>::put(now, Self::next_turn(id), id);
				false
			}
			Err(error) => {
				log_failure(&task, error);
				search.due = SearchOf::<T>::put(now, now.saturating_add(RETRY), id);
				false
			}
		})
	}

	/// When a job that found no machine looks again: after half the time that it has waited
	/// already, within bounds, and once more when it expires.
	fn next_turn(id: JobId) -> BlockNumber {
		let now = Self::now();
		let least = Parameters::<T>::get().match_interval;
		Jobs::<T>::get(id).map_or(now, |job| {
			let wait = (now.saturating_sub(job.posted_at) / 2).min(MAX_WAIT).max(least);
			now.saturating_add(wait).min(job.expires_at)
		})
	}
}
