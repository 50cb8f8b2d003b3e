//! What becomes of replicas once they are open.

use super::round::Round;
use crate::{Agreed, Config, Error, Event, Job, Pallet, Parameters, Task, Totals};
use alloc::vec::Vec;
use assay_primitives::{
	market::MatchEnd,
	replication::majority,
	traits::{Audits, Supply},
	work::{Assurance, Reason, TaskId, TaskStatus},
};
use frame_support::pallet_prelude::DispatchResult;
use sp_runtime::Permill;

impl<T: Config> Round<T> {
	/// Who agrees with the majority waits for its pay; who does not, or did not open in time, loses a
	/// part of its collateral. Without a majority whoever opened goes free, and there is another round.
	/// One that is trusted `alone` needs no majority, and earns no trust.
	pub(super) fn decide(&mut self, alone: bool) -> DispatchResult {
		let Assurance::Replicated { replicas, tolerance, .. } = self.job.spec.assurance else {
			return Err(Error::<T>::Inconsistent.into());
		};
		let outcome = |replica: usize| self.group.seals.get(replica)?.as_ref()?.outcome.clone();
		let found: Vec<_> = (0..self.slots.len()).map(outcome).collect();
		let outcomes: Vec<_> = found.iter().flatten().cloned().collect();
		let agreeing = majority(&outcomes, if alone { 1 } else { replicas }, tolerance);
		let is_decided = agreeing.is_some();
		// One vote for each that is open, if there is a majority.
		let mut votes = agreeing.into_iter().flatten();
		let mut paid = 0u32;
		for ((id, task), found) in self.slots.iter_mut().zip(found) {
			if !matches!(task.status, TaskStatus::Opening { .. }) {
				continue;
			}
			let (end, reason) = match found.map(|_| votes.next()) {
				Some(Some(true)) => {
					paid = paid.saturating_add(1);
					if !alone {
						Pallet::<T>::trust(task);
					}
					Pallet::<T>::pass_replica(*id, &self.job, task)?;
					continue;
				}
				Some(Some(false)) => (MatchEnd::Failed, Reason::Outvoted),
				Some(None) => (MatchEnd::Released, Reason::NoMajority),
				None => (MatchEnd::Missed, Reason::NotOpened),
			};
			if end != MatchEnd::Released {
				let part = Parameters::<T>::get().replication.slash;
				Pallet::<T>::slash(*id, task, part)?;
			}
			if is_decided {
				Pallet::<T>::end_match(*id, task, end)?;
				Pallet::<T>::refund(*id, &mut self.job, task, reason)?;
			} else {
				Pallet::<T>::leave_round(*id, task, end, reason)?;
			}
		}
		if !is_decided {
			return self.again();
		}
		Pallet::<T>::deposit_event(Event::Agreed { task: self.name(), replicas: paid });
		self.end(Reason::NotNeeded)
	}
}

impl<T: Config> Pallet<T> {
	/// A replica is to be paid once its challenge window is over: what a majority says may yet be
	/// proved wrong.
	fn pass_replica(id: TaskId, job: &Job<T>, task: &mut Task<T>) -> DispatchResult {
		let engaged = task.engaged.as_ref().ok_or(Error::<T>::Inconsistent)?;
		let commitment = engaged.commitment.ok_or(Error::<T>::Inconsistent)?;
		let (claim, terms) = Self::claimed(job, engaged, commitment);
		T::Audits::open(id, claim, &terms)?;
		Self::pass(id, task);
		Ok(())
	}

	/// The provider has agreed with a majority once more.
	fn trust(task: &Task<T>) {
		if let Some(engaged) = &task.engaged {
			Agreed::<T>::mutate(&engaged.provider, |agreed| *agreed = agreed.saturating_add(1));
		}
	}

	/// The provider has to earn all trust anew.
	pub(crate) fn distrust(provider: &T::AccountId) {
		Agreed::<T>::remove(provider);
	}

	/// Burns a `part` of the collateral, which makes nobody richer: a vote is no proof.
	pub(crate) fn slash(id: TaskId, task: &mut Task<T>, part: Permill) -> DispatchResult {
		let engaged = task.engaged.as_mut().ok_or(Error::<T>::Inconsistent)?;
		let part = part.mul_floor(engaged.collateral);
		let provider = engaged.provider.clone();
		let burned = T::Supply::forfeit(&provider, part, &Self::pot());
		engaged.collateral = engaged.collateral.saturating_sub(burned);
		Self::burn_from_pot(burned)?;
		Self::distrust(&provider);
		Totals::<T>::mutate(|t| t.forfeited = t.forfeited.saturating_add(burned));
		Self::deposit_event(Event::Slashed { task: id, provider, burned });
		Ok(())
	}
}
