//! What a provider's worker does with its tasks.

use crate::{
	Config, Due, Engagement, Error, Event, InputRoots, Job, Jobs, Pallet, Parameters, Task,
	TaskPath, Tasks,
};
use assay_primitives::{
	market::MatchEnd,
	traits::{Audits, Programs, Supply, Terms},
	work::{Claim, Commitment, Reason, TaskId, TaskStatus},
	Balance,
};
use frame_support::{ensure, pallet_prelude::DispatchResult};
use sp_runtime::DispatchError;

impl<T: Config> Pallet<T> {
	pub(crate) fn do_accept(
		hot: T::AccountId,
		id: TaskId,
		inputs: InputRoots,
		path: TaskPath,
	) -> DispatchResult {
		let job = Jobs::<T>::get(id.job).ok_or(Error::<T>::UnknownJob)?;
		let mut task = Self::task_of(&hot, id)?;
		let TaskStatus::Offered { until } = task.status else {
			return Err(Error::<T>::WrongState.into());
		};
		let now = Self::now();
		ensure!(now <= until, Error::<T>::OfferLapsed);
		let program = T::Programs::info(&job.spec.program).ok_or(Error::<T>::UnknownProgram)?;
		ensure!(inputs.len() as u32 == program.inputs, Error::<T>::WrongInputs);
		ensure!(
			T::Programs::verify_inputs(
				&job.spec.tasks_root,
				job.spec.tasks,
				job.spec.assurance.place(id.index).0,
				&inputs,
				&path
			),
			Error::<T>::WrongInputs
		);
		let engaged = task.engaged.as_mut().ok_or(Error::<T>::Inconsistent)?;
		let collateral = engaged.pledge;
		T::Supply::lock(&engaged.provider, collateral)?;
		engaged.collateral = collateral;
		engaged.inputs = inputs;
		let provider = engaged.provider.clone();
		let due = now.saturating_add(job.spec.deadline);
		Self::turn_to(id, &mut task, TaskStatus::Running { due });
		Self::put_down(due.saturating_add(1), Due::Task(id, task.turn));
		Tasks::<T>::insert(id.job, id.index, task);
		Self::stir_group_of(id, &job);
		Self::taken(id.job);
		Self::deposit_event(Event::Accepted { task: id, provider, collateral, due });
		Ok(())
	}

	pub(crate) fn do_decline(hot: T::AccountId, id: TaskId) -> DispatchResult {
		let mut task = Self::task_of(&hot, id)?;
		ensure!(matches!(task.status, TaskStatus::Offered { .. }), Error::<T>::WrongState);
		let mut job = Jobs::<T>::get(id.job).ok_or(Error::<T>::UnknownJob)?;
		let end = MatchEnd::NotTaken { lapsed: false };
		Self::requeue(id, &mut job, &mut task, end, Reason::Declined)?;
		Tasks::<T>::insert(id.job, id.index, task);
		Self::store_job(id.job, job);
		Ok(())
	}

	pub(crate) fn do_submit(
		hot: T::AccountId,
		id: TaskId,
		commitment: Commitment,
	) -> DispatchResult {
		let job = Jobs::<T>::get(id.job).ok_or(Error::<T>::UnknownJob)?;
		ensure!(!job.spec.is_replicated(), Error::<T>::MustBeSealed);
		let mut task = Self::task_of(&hot, id)?;
		let TaskStatus::Running { due } = task.status else {
			return Err(Error::<T>::WrongState.into());
		};
		let now = Self::now();
		ensure!(now <= due, Error::<T>::DeadlinePassed);
		let engaged = task.engaged.as_mut().ok_or(Error::<T>::Inconsistent)?;
		let (claim, terms) = Self::claimed(&job, engaged, commitment);
		engaged.commitment = Some(commitment);
		let provider = engaged.provider.clone();
		if T::Audits::open(id, claim, &terms)? {
			Self::turn_to(id, &mut task, TaskStatus::Auditing { submitted_at: now });
		} else {
			Self::pass(id, &mut task);
		}
		Tasks::<T>::insert(id.job, id.index, task);
		Self::deposit_event(Event::Submitted { task: id, provider, commitment });
		Ok(())
	}

	pub(crate) fn do_abandon(hot: T::AccountId, id: TaskId) -> DispatchResult {
		let mut task = Self::task_of(&hot, id)?;
		ensure!(matches!(task.status, TaskStatus::Running { .. }), Error::<T>::WrongState);
		let mut job = Jobs::<T>::get(id.job).ok_or(Error::<T>::UnknownJob)?;
		Self::requeue(id, &mut job, &mut task, MatchEnd::Missed, Reason::Abandoned)?;
		Tasks::<T>::insert(id.job, id.index, task);
		Self::store_job(id.job, job);
		Ok(())
	}

	/// What is claimed of a task, and what rests on it.
	pub(crate) fn claimed(
		job: &Job<T>,
		engaged: &Engagement<T::AccountId>,
		commitment: Commitment,
	) -> (Claim, Terms) {
		let inputs = engaged.inputs.to_vec();
		let terms = Terms {
			assurance: job.spec.assurance,
			gain: Self::gain(job, engaged.price),
			collateral: engaged.collateral,
		};
		(Claim { program: job.spec.program, inputs, commitment }, terms)
	}

	/// What a lie would gain in a task of this price, in planck.
	fn gain(job: &Job<T>, price: Balance) -> Balance {
		let premium = Parameters::<T>::get().premium().mul_ceil(price);
		price.saturating_add(premium).saturating_add(job.spec.value)
	}

	/// The task, if `hot` acts for the provider it is matched to and it has not ended.
	pub(crate) fn task_of(hot: &T::AccountId, id: TaskId) -> Result<Task<T>, DispatchError> {
		let provider = T::Supply::provider_of(hot).ok_or(Error::<T>::NotHotKey)?;
		ensure!(Jobs::<T>::contains_key(id.job), Error::<T>::UnknownJob);
		let task = Tasks::<T>::get(id.job, id.index).ok_or(Error::<T>::UnknownTask)?;
		let yours = task.engaged.as_ref().is_some_and(|e| e.provider == provider);
		ensure!(yours, Error::<T>::NotYours);
		Ok(task)
	}
}
