//! What falls due with time.

use crate::{AgendaOf, Config, Due, Error, Event, Jobs, Pallet, Parameters, Tasks, WeightInfo};
use assay_primitives::{
	market::MatchEnd,
	traits::Supply,
	work::{JobId, Reason, TaskId, TaskStatus},
	BlockNumber,
};
use frame_support::{
	pallet_prelude::{DispatchResult, Get},
	storage::with_storage_layer,
	weights::{Weight, WeightMeter},
};
use sp_runtime::SaturatedConversion;

/// Tasks of a closed job removed in one step.
pub(crate) const PURGE_STEP: u32 = 32;
/// Blocks after which a step that failed on a defect is tried again.
const RETRY: BlockNumber = 100;

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
			.saturating_add(T::Supply::best_weight())
			.max(T::WeightInfo::purge(PURGE_STEP))
	}

	/// Works off what is due, as far as the meter allows.
	pub(crate) fn work_agenda(meter: &mut WeightMeter) {
		let overhead = T::DbWeight::get().reads_writes(2, 2);
		AgendaOf::<T>::run(Self::now(), meter, overhead, Self::step_weight(), |_, item| {
			let result = with_storage_layer(|| match item {
				Due::Task(id, turn) => Self::on_due(id, turn),
				Due::Purge(job, from) => Self::purge(job, from),
			});
			if let Err(error) = result {
				log_failure(&item, error);
				Self::put_down(Self::now().saturating_add(RETRY), item);
			}
		});
	}

	fn on_due(id: TaskId, turn: u32) -> DispatchResult {
		match Tasks::<T>::get(id.job, id.index) {
			Some(task) if task.turn == turn => match Self::do_advance(id) {
				// An open task that no machine takes now: look again later.
				Err(error) if error == Error::<T>::NothingDue.into() => {
					if matches!(task.status, TaskStatus::Open) {
						let wait = Parameters::<T>::get().match_interval;
						Self::put_down(Self::now().saturating_add(wait), Due::Task(id, turn));
					}
					Ok(())
				}
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
			TaskStatus::Open if now >= job.expires_at => {
				Self::refund(id, &mut job, &mut task, Reason::Expired)?
			}
			TaskStatus::Open => {
				if !Self::try_match(id, &job, &mut task)? {
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
				Self::settle(id, &mut job, &mut task)?
			}
			_ => return Err(Error::<T>::NothingDue.into()),
		}
		Tasks::<T>::insert(id.job, id.index, task);
		Self::store_job(id.job, job);
		Ok(())
	}

	/// Removes a closed job's tasks from `from` on, a step at a time, then the job.
	fn purge(id: JobId, from: u32) -> DispatchResult {
		let Some(job) = Jobs::<T>::get(id) else { return Ok(()) };
		let to = from.saturating_add(PURGE_STEP).min(job.spec.tasks);
		for index in from..to {
			Tasks::<T>::remove(id, index);
		}
		if to < job.spec.tasks {
			Self::put_down(Self::now().saturating_add(1), Due::Purge(id, to));
		} else {
			Jobs::<T>::remove(id);
			Self::deposit_event(Event::Purged { job: id });
		}
		Ok(())
	}
}

fn log_failure(item: &Due, error: sp_runtime::DispatchError) {
	frame_support::__private::log::error!(
		target: "runtime::job-escrow",
		"{item:?} failed and will be tried again: {error:?}"
	);
}
