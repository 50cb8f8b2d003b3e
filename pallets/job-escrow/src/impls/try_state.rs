//! What must hold of the pallet's records at every block.

#![cfg(any(test, feature = "try-runtime"))]

use crate::{
	Claimable, Config, Engaged, HoldReason, Jobs, NextJob, Pallet, SearchItems, Searches, Tasks,
	Totals,
};
use alloc::collections::{btree_map::BTreeMap, btree_set::BTreeSet};
use assay_primitives::{
	work::{TaskId, TaskStatus},
	Balance,
};
use codec::Encode;
use frame_support::{
	ensure,
	traits::fungible::{hold::Inspect as _, Inspect as _},
};
use sp_runtime::TryRuntimeError;

impl<T: Config> Pallet<T> {
	/// Checks every invariant of the pallet's own records and of the balances they explain.
	pub fn do_try_state() -> Result<(), TryRuntimeError> {
		let mut held_by_owner: BTreeMap<_, (T::AccountId, Balance)> = BTreeMap::new();
		let mut engaged = BTreeSet::new();
		let turns: BTreeSet<_> =
			SearchItems::<T>::iter().map(|(due, _, turn)| (due, turn)).collect();
		ensure!(
			Searches::<T>::iter_keys().all(Jobs::<T>::contains_key),
			"a job that is gone looks for machines"
		);
		let mut live_jobs = 0u64;
		let mut escrow: Balance = 0;
		for (id, job) in Jobs::<T>::iter() {
			ensure!(id < NextJob::<T>::get(), "a job has a number not yet given");
			let (mut live, mut settled, mut refunded, mut held) = (0, 0, 0, 0 as Balance);
			let mut offered = 0;
			let mut seen = 0;
			let search = Searches::<T>::get(id);
			for (index, task) in Tasks::<T>::iter_prefix(id) {
				seen += 1;
				ensure!(index < job.spec.slots(), "a task lies outside its job");
				held += task.held;
				let task_id = TaskId { job: id, index };
				let open = matches!(task.status, TaskStatus::Open);
				ensure!(
					search.as_ref().is_some_and(|s| s.is_open(index)) == open,
					"an open task does not look for a machine, or another does"
				);
				match task.status {
					TaskStatus::Settled { .. } => {
						settled += 1;
						ensure!(task.held == 0, "a settled task holds escrow");
					}
					TaskStatus::Refunded { .. } => {
						refunded += 1;
						ensure!(task.held == 0, "a refunded task holds escrow");
						ensure!(task.engaged.is_none(), "a refunded task is engaged");
					}
					TaskStatus::Open | TaskStatus::Standby => {
						live += 1;
						ensure!(task.engaged.is_none(), "an open task is engaged");
					}
					_ => {
						live += 1;
						let e = task.engaged.as_ref().ok_or("a matched task names nobody")?;
						engaged.insert((e.provider.encode(), task_id));
						ensure!(e.price <= job.spec.max_price, "a price is above the limit");
						ensure!(task.held >= e.price, "a matched task cannot pay its price");
						let accepted = !matches!(task.status, TaskStatus::Offered { .. });
						offered += u32::from(!accepted);
						let locked = if accepted { e.pledge } else { 0 };
						ensure!(e.collateral == locked, "not the collateral that was pledged");
					}
				}
			}
			let search = search.ok_or("nothing is kept of a job's search")?;
			ensure!(
				search.count() == 0 || turns.contains(&(search.due, (id, search.turn))),
				"a job that looks for machines has no turn put down"
			);
			ensure!(search.offered == offered, "the count of a job's offers is wrong");
			if job.closed_at.is_none() {
				ensure!(seen == job.spec.slots(), "a live job lacks tasks");
				ensure!(
					(live, settled, refunded)
						== (job.counts.live, job.counts.settled, job.counts.refunded),
					"a job's counts are wrong"
				);
				live_jobs += 1;
			} else {
				ensure!(live == 0 && job.counts.live == 0, "a closed job has live tasks");
			}
			let m = &job.money;
			ensure!(
				m.escrow == m.paid + m.fees + m.audit + m.refunded + held,
				"a job's sums do not add up to its escrow"
			);
			ensure!(m.burned <= m.fees, "more was burned than taken in fees");
			let entry = held_by_owner.entry(job.owner.encode()).or_insert((job.owner.clone(), 0));
			entry.1 += held;
			escrow += held;
		}
		for (owner, held) in held_by_owner.values() {
			ensure!(
				T::Currency::balance_on_hold(&HoldReason::Escrow.into(), owner) == *held,
				"a buyer's balance on hold is not the sum of its tasks' escrow"
			);
		}
		let listed: BTreeSet<_> =
			Engaged::<T>::iter().map(|(who, id, ())| (who.encode(), id)).collect();
		ensure!(listed == engaged, "the list of engagements is wrong");
		Self::check_groups()?;
		let totals = Totals::<T>::get();
		ensure!(totals.escrow == escrow, "the sum of all escrow is wrong");
		ensure!(totals.posted == NextJob::<T>::get(), "the count of jobs is wrong");
		ensure!(
			totals.posted.checked_sub(totals.closed) == Some(live_jobs),
			"the count of closed jobs is wrong"
		);
		let claims = Claimable::<T>::iter().fold(0 as Balance, |sum, (_, claim)| sum + claim);
		ensure!(
			T::Currency::balance(&Self::pot())
				>= claims + totals.rewards + T::Currency::minimum_balance(),
			"the pot does not cover the claims on it and what is set aside"
		);
		Ok(())
	}
}
