//! What a provider's worker does with a replica: seals what it found, and opens it once all have.

use crate::{Config, Error, Event, Groups, Jobs, Pallet, Sealed, Tasks};
use assay_primitives::{
	replication::{seal, Outcome, Salt},
	work::{Assurance, TaskId, TaskStatus},
	Root,
};
use frame_support::{ensure, pallet_prelude::DispatchResult};

impl<T: Config> Pallet<T> {
	pub(crate) fn do_seal(hot: T::AccountId, id: TaskId, seal: Root) -> DispatchResult {
		let mut task = Self::task_of(&hot, id)?;
		let job = Jobs::<T>::get(id.job).ok_or(Error::<T>::UnknownJob)?;
		let (index, replica) = job.spec.group_of(id.index).ok_or(Error::<T>::NotReplicated)?;
		let TaskStatus::Running { due } = task.status else {
			return Err(Error::<T>::WrongState.into());
		};
		let now = Self::now();
		ensure!(now <= due, Error::<T>::DeadlinePassed);
		let engaged = task.engaged.as_ref().ok_or(Error::<T>::Inconsistent)?;
		let provider = engaged.provider.clone();
		let mut group = Groups::<T>::get(id.job, index).ok_or(Error::<T>::Inconsistent)?;
		let place = group.seals.get_mut(replica).ok_or(Error::<T>::Inconsistent)?;
		*place = Some(Sealed { seal, outcome: None });
		Groups::<T>::insert(id.job, index, group);
		Self::turn_to(id, &mut task, TaskStatus::Sealed { at: now });
		Tasks::<T>::insert(id.job, id.index, task);
		Self::stir(id.job, index);
		Self::deposit_event(Event::Sealed { task: id, provider });
		Ok(())
	}

	pub(crate) fn do_open(
		hot: T::AccountId,
		id: TaskId,
		outcome: Outcome,
		salt: Salt,
	) -> DispatchResult {
		let mut task = Self::task_of(&hot, id)?;
		let job = Jobs::<T>::get(id.job).ok_or(Error::<T>::UnknownJob)?;
		let Assurance::Replicated { tolerance, .. } = job.spec.assurance else {
			return Err(Error::<T>::NotReplicated.into());
		};
		let (index, replica) = job.spec.group_of(id.index).ok_or(Error::<T>::NotReplicated)?;
		let TaskStatus::Opening { until } = task.status else {
			return Err(Error::<T>::WrongState.into());
		};
		ensure!(Self::now() <= until, Error::<T>::DeadlinePassed);
		ensure!(outcome.fits(tolerance), Error::<T>::WrongSummary);
		let engaged = task.engaged.as_mut().ok_or(Error::<T>::Inconsistent)?;
		let (provider, commitment) = (engaged.provider.clone(), outcome.commitment);
		let mut group = Groups::<T>::get(id.job, index).ok_or(Error::<T>::Inconsistent)?;
		let sealed = group.seals.get_mut(replica).and_then(Option::as_mut);
		let sealed = sealed.ok_or(Error::<T>::Inconsistent)?;
		ensure!(sealed.outcome.is_none(), Error::<T>::AlreadyOpened);
		ensure!(sealed.seal == seal(&provider, id, &outcome, &salt), Error::<T>::WrongSeal);
		sealed.outcome = Some(outcome);
		let all_open = group.is_open();
		Groups::<T>::insert(id.job, index, group);
		engaged.commitment = Some(commitment);
		Tasks::<T>::insert(id.job, id.index, task);
		if all_open {
			Self::stir(id.job, index);
		}
		Self::deposit_event(Event::Opened { task: id, provider, commitment });
		Ok(())
	}
}
