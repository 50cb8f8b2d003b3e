//! What auditors put up against being absent or lying.

use crate::{pallet::*, Bond};
use assay_primitives::{traits::WorkLedger, work::TaskId, Balance};
use frame_support::{
	ensure,
	traits::{
		fungible::hold::Mutate,
		tokens::{Fortitude, Precision},
	},
};
use sp_runtime::DispatchResult;

impl<T: Config> Pallet<T> {
	pub(crate) fn do_bond(who: T::AccountId, amount: Balance) -> DispatchResult {
		ensure!(amount > 0, Error::<T>::ZeroAmount);
		T::Currency::hold(&HoldReason::AuditorBond.into(), &who, amount)?;
		Bonds::<T>::mutate(&who, |bond| {
			let bond = bond.get_or_insert_default();
			bond.amount = bond.amount.saturating_add(amount);
		});
		Self::deposit_event(Event::Bonded { auditor: who, amount });
		Ok(())
	}

	pub(crate) fn do_unbond(who: T::AccountId, amount: Balance) -> DispatchResult {
		ensure!(amount > 0, Error::<T>::ZeroAmount);
		let mut bond = Bonds::<T>::get(&who).ok_or(Error::<T>::BondAtRisk)?;
		ensure!(amount <= bond.free(), Error::<T>::BondAtRisk);
		T::Currency::release(&HoldReason::AuditorBond.into(), &who, amount, Precision::Exact)?;
		bond.amount = bond.amount.saturating_sub(amount);
		Self::store_bond(&who, bond);
		Self::deposit_event(Event::Unbonded { auditor: who, amount });
		Ok(())
	}

	/// Puts `deposit` of the auditor's bond at risk; false if it has not so much free.
	pub(crate) fn put_at_risk(who: &T::AccountId, deposit: Balance) -> bool {
		let Some(mut bond) = Bonds::<T>::get(who) else { return deposit == 0 };
		if bond.free() < deposit {
			return false;
		}
		bond.at_risk = bond.at_risk.saturating_add(deposit);
		Bonds::<T>::insert(who, bond);
		true
	}

	/// Takes `deposit` out of risk again.
	pub(crate) fn clear_risk(who: &T::AccountId, deposit: Balance) {
		if let Some(mut bond) = Bonds::<T>::get(who) {
			bond.at_risk = bond.at_risk.saturating_sub(deposit);
			Self::store_bond(who, bond);
		}
	}

	/// Burns a deposit that was at risk.
	pub(crate) fn slash_auditor(task: TaskId, who: &T::AccountId, deposit: Balance) {
		let Some(mut bond) = Bonds::<T>::get(who) else { return };
		let reason = HoldReason::AuditorBond.into();
		let (precision, force) = (Precision::BestEffort, Fortitude::Force);
		match T::Currency::burn_held(&reason, who, deposit, precision, force) {
			Ok(burned) => {
				T::Ledger::destroyed(burned);
				bond.amount = bond.amount.saturating_sub(burned);
				bond.at_risk = bond.at_risk.saturating_sub(deposit);
				Self::store_bond(who, bond);
				Self::deposit_event(Event::AuditorSlashed {
					task,
					auditor: who.clone(),
					amount: burned,
				});
			}
			Err(error) => {
				frame_support::defensive!("an auditor's bond is not on hold", error);
			}
		}
	}

	fn store_bond(who: &T::AccountId, bond: Bond) {
		if bond.amount == 0 {
			Custodians::<T>::remove(who);
		}
		Bonds::<T>::set(who, (bond.amount > 0).then_some(bond));
	}
}
