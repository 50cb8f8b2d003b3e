//! What falls due with time.

use crate::{AgendaOf, Config, Due, Error, Event, Jobs, Pallet, Searches, Tasks, WeightInfo};
use assay_primitives::{
	market::MatchEnd,
	traits::Audits,
	work::{JobId, Reason, TaskId, TaskStatus},
	BlockNumber,
};
use frame_support::{
	pallet_prelude::{DispatchResult, Get},
	storage::with_storage_layer,
	weights::{Weight, WeightMeter},
};
use sp_runtime::{Perbill, SaturatedConversion};

/// Tasks of a closed job removed in one step.
pub(crate) const PURGE_STEP: u32 = 32;
/// Blocks after which a step that failed on a defect is tried again.
pub(crate) const RETRY: BlockNumber = 100;
/// Most of a block that the agenda takes.
const AGENDA_SHARE: Perbill = Perbill::from_percent(25);
/// Most of a block that searches for machines take.
pub(crate) const SEARCH_SHARE: Perbill = Perbill::from_percent(15);

/// What one step of a queue costs beside its work.
pub(crate) fn overhead<T: Config>() -> Weight {
	T::DbWeight::get().reads_writes(2, 2)
}

impl<T: Config> Pallet<T> {
	/// The current height.
	pub(crate) fn now() -> BlockNumber {
		frame_system::Pallet::<T>::block_number().saturated_into()
	}

	/// Puts something down for a block.
	pub(crate) fn put_down(due: BlockNumber, item: Due) {
		AgendaOf::<T>::put(Self::now(), due, item);
	}

	/// Weight of the worst agenda item.
	pub(crate) fn step_weight() -> Weight {
		T::WeightInfo::advance()
			.saturating_add(T::Audits::close_weight().max(T::Audits::deliver_weight()))
			.max(T::WeightInfo::lapse())
			.max(T::WeightInfo::purge(PURGE_STEP))
			.max(Self::step_group_weight())
	}

	/// Works off what is due, within a share of the block.
	pub(crate) fn work_agenda(meter: &mut WeightMeter) {
		Self::within(AGENDA_SHARE, meter, |meter| {
			AgendaOf::<T>::run(
				Self::now(),
				meter,
				overhead::<T>(),
				|_| Self::step_weight(),
				|_, item| {
					let result = with_storage_layer(|| match item {
						Due::Task(id, turn) => Self::on_due(id, turn),
						Due::Purge(job, from) => Self::purge(job, from, PURGE_STEP),
						Due::Group(job, index) => Self::step_group(job, index),
					});
					if let Err(error) = result {
						log_failure(&item, error);
						Self::put_down(Self::now().saturating_add(RETRY), item);
					}
					None
				},
			);
		});
	}

	/// Runs `work` with a meter of at most `share` of a block.
	pub(crate) fn within(
		share: Perbill,
		meter: &mut WeightMeter,
		work: impl FnOnce(&mut WeightMeter),
	) {
		let most = share * T::BlockWeights::get().max_block;
		let mut limited = WeightMeter::with_limit(meter.remaining().min(most));
		work(&mut limited);
		meter.consume(limited.consumed());
	}

	/// Panics at start-up, in tests and when a runtime is built, if a step does not fit its share.
	pub(crate) fn check_shares() {
		let block = T::BlockWeights::get().max_block;
		let own = overhead::<T>().saturating_mul(2);
		let step = Self::step_weight().saturating_add(own);
		assert!(step.all_lte(AGENDA_SHARE * block), "job-escrow: a step must fit its share");
		let own = Self::search_overhead().saturating_mul(2);
		let search = Self::most_search_weight().saturating_add(own);
		assert!(search.all_lte(SEARCH_SHARE * block), "job-escrow: a search must fit its share");
	}

	fn on_due(id: TaskId, turn: u32) -> DispatchResult {
		match Tasks::<T>::get(id.job, id.index) {
			Some(task) if task.turn == turn => match Self::do_advance(id) {
				Err(error) if error == Error::<T>::NothingDue.into() => Ok(()),
				other => other,
			},
			_ => Ok(()),
		}
	}

	pub(crate) fn do_advance(id: TaskId) -> DispatchResult {
		let mut job = Jobs::<T>::get(id.job).ok_or(Error::<T>::UnknownJob)?;
		let mut task = Tasks::<T>::get(id.job, id.index).ok_or(Error::<T>::UnknownTask)?;
		let now = Self::now();
		match task.status {
			TaskStatus::Open if Self::is_out_of_time(id, &job) => {
				Self::give_up(id, &mut job, &mut task)?
			}
			TaskStatus::Open => {
				if !Self::may_search(id.job) || !Self::try_match(id, &job, &mut task)? {
					return Err(Error::<T>::NothingDue.into());
				}
			}
			TaskStatus::Offered { until } if now > until => {
				let end = MatchEnd::NotTaken { lapsed: true };
				Self::requeue(id, &mut job, &mut task, end, Reason::Lapsed)?
			}
			TaskStatus::Running { due } if now > due => {
				Self::requeue(id, &mut job, &mut task, MatchEnd::Missed, Reason::DeadlineMissed)?
			}
			TaskStatus::Passed { settles_at } if now >= settles_at => {
				Self::end_window(id, &mut job, &mut task)?
			}
			_ => return Err(Error::<T>::NothingDue.into()),
		}
		Tasks::<T>::insert(id.job, id.index, task);
		Self::store_job(id.job, job);
		Ok(())
	}

	/// Removes a closed job's tasks from `from` on, `step` at a time, then the job.
	pub(crate) fn purge(id: JobId, from: u32, step: u32) -> DispatchResult {
		let Some(job) = Jobs::<T>::get(id) else { return Ok(()) };
		let slots = job.spec.slots();
		let to = from.saturating_add(step).min(slots);
		for index in from..to {
			Tasks::<T>::remove(id, index);
		}
		if to < slots {
			Self::put_down(Self::now().saturating_add(1), Due::Purge(id, to));
		} else {
			Jobs::<T>::remove(id);
			// A last turn may still be put down; without a record it comes to nothing.
			Searches::<T>::remove(id);
			Self::deposit_event(Event::Purged { job: id });
		}
		Ok(())
	}
}

pub(crate) fn log_failure(item: &impl core::fmt::Debug, error: sp_runtime::DispatchError) {
	frame_support::__private::log::error!(
		target: "runtime::job-escrow",
		"{item:?} failed and will be tried again: {error:?}"
	);
}
