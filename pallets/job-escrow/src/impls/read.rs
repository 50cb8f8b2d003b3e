//! What others read of jobs.

use crate::{Config, Engaged, Job, Jobs, NextJob, Pallet, Task, Tasks};
use alloc::vec::Vec;
use assay_primitives::{
	url::Url,
	views::MAX_PAGE,
	work::{JobId, TaskId, TaskIndex},
};

/// Most numbers looked at for one page: removed jobs leave gaps.
const MAX_SCAN: u64 = 1_000;
/// Most tasks listed of one provider.
const MAX_ENGAGED: usize = 1_000;

impl<T: Config> Pallet<T> {
	/// The provider that a live task is matched to.
	pub fn provider_on(id: TaskId) -> Option<T::AccountId> {
		Tasks::<T>::get(id.job, id.index)?.engaged.map(|e| e.provider)
	}

	/// Jobs below `before`, newest first, and where the next page begins.
	pub fn jobs_page(before: Option<JobId>, limit: u32) -> (Vec<(JobId, Job<T>)>, Option<JobId>) {
		let end = before.unwrap_or(JobId::MAX).min(NextJob::<T>::get());
		let limit = limit.min(MAX_PAGE) as usize;
		let mut jobs = Vec::new();
		let mut next = end;
		for id in (end.saturating_sub(MAX_SCAN)..end).rev() {
			if jobs.len() >= limit {
				break;
			}
			next = id;
			jobs.extend(Jobs::<T>::get(id).map(|job| (id, job)));
		}
		(jobs, Some(next).filter(|next| *next > 0))
	}

	/// Tasks of a job from `start` on.
	pub fn tasks_page(job: JobId, start: TaskIndex, limit: u32) -> Vec<(TaskId, Task<T>)> {
		let Some(tasks) = Jobs::<T>::get(job).map(|j| j.spec.slots()) else {
			return Vec::new();
		};
		(start..tasks)
			.take(limit.min(MAX_PAGE) as usize)
			.filter_map(|index| Tasks::<T>::get(job, index).map(|t| (TaskId { job, index }, t)))
			.collect()
	}

	/// Live tasks that a provider is matched to.
	pub fn tasks_of(provider: &T::AccountId) -> Vec<(TaskId, Task<T>)> {
		Self::engagements(provider)
			.into_iter()
			.filter_map(|id| Tasks::<T>::get(id.job, id.index).map(|task| (id, task)))
			.collect()
	}

	/// Which tasks these are.
	pub fn engagements(provider: &T::AccountId) -> Vec<TaskId> {
		Engaged::<T>::iter_key_prefix(provider).take(MAX_ENGAGED).collect()
	}

	/// Who posted a job, and where its data is served.
	pub fn buyer_of(job: JobId) -> Option<(T::AccountId, Url)> {
		Jobs::<T>::get(job).map(|job| (job.owner, job.spec.data_url))
	}
}
