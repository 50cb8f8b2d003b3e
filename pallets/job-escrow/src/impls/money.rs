//! Every movement of escrow.

use crate::{Claimable, Config, Error, Event, HoldReason, Pallet, Task, Totals};
use assay_primitives::{traits::WorkLedger, Balance};
use frame_support::{
	pallet_prelude::{DispatchResult, Get},
	traits::{
		fungible::{hold::Mutate as _, Mutate as _},
		tokens::{Fortitude, Precision, Preservation, Restriction},
	},
};
use sp_runtime::{traits::AccountIdConversion, DispatchError};

impl<T: Config> Pallet<T> {
	/// The account that keeps payouts which could not be delivered.
	pub fn pot() -> T::AccountId {
		T::PalletId::get().into_account_truncating()
	}

	/// Holds `amount` of the buyer's balance as escrow.
	pub(crate) fn hold(owner: &T::AccountId, amount: Balance) -> DispatchResult {
		T::Currency::hold(&HoldReason::Escrow.into(), owner, amount)
	}

	/// Pays `amount` out of the buyer's escrow. What the receiver cannot take becomes a claim, so
	/// that a payout never blocks others.
	pub(crate) fn pay(
		owner: &T::AccountId,
		task: &mut Task<T>,
		to: &T::AccountId,
		amount: Balance,
	) -> DispatchResult {
		if amount == 0 {
			return Ok(());
		}
		Self::take(task, amount)?;
		if Self::transfer(owner, to, amount).is_err() {
			Self::transfer(owner, &Self::pot(), amount)?;
			Claimable::<T>::mutate(to, |claim| *claim = claim.saturating_add(amount));
			Self::deposit_event(Event::PayoutDeferred { account: to.clone(), amount });
		}
		Ok(())
	}

	/// Burns `amount` of the buyer's escrow.
	pub(crate) fn burn(
		owner: &T::AccountId,
		task: &mut Task<T>,
		amount: Balance,
	) -> DispatchResult {
		if amount == 0 {
			return Ok(());
		}
		Self::take(task, amount)?;
		T::Currency::burn_held(
			&HoldReason::Escrow.into(),
			owner,
			amount,
			Precision::Exact,
			Fortitude::Force,
		)?;
		Ok(())
	}

	/// Returns all that is left of a task's escrow to the buyer.
	pub(crate) fn release_rest(
		owner: &T::AccountId,
		task: &mut Task<T>,
	) -> Result<Balance, DispatchError> {
		let amount = task.held;
		if amount > 0 {
			Self::take(task, amount)?;
			T::Currency::release(&HoldReason::Escrow.into(), owner, amount, Precision::Exact)?;
		}
		Ok(amount)
	}

	/// Pays `amount` from the pallet's account. What the receiver cannot take becomes a claim.
	pub(crate) fn pay_from_pot(to: &T::AccountId, amount: Balance) -> DispatchResult {
		if amount == 0 {
			return Ok(());
		}
		let pot = Self::pot();
		if T::Currency::transfer(&pot, to, amount, Preservation::Preserve).is_err() {
			Claimable::<T>::mutate(to, |claim| *claim = claim.saturating_add(amount));
			Self::deposit_event(Event::PayoutDeferred { account: to.clone(), amount });
		}
		Ok(())
	}

	/// Burns `amount` of the pallet's account.
	pub(crate) fn burn_from_pot(amount: Balance) -> DispatchResult {
		if amount == 0 {
			return Ok(());
		}
		let (keep, precision) = (Preservation::Preserve, Precision::Exact);
		let burned =
			T::Currency::burn_from(&Self::pot(), amount, keep, precision, Fortitude::Polite)?;
		T::Ledger::destroyed(burned);
		Ok(())
	}

	pub(crate) fn do_claim(account: T::AccountId) -> DispatchResult {
		let amount = Claimable::<T>::take(&account);
		frame_support::ensure!(amount > 0, Error::<T>::NothingToClaim);
		T::Currency::transfer(&Self::pot(), &account, amount, Preservation::Preserve)?;
		Self::deposit_event(Event::Claimed { account, amount });
		Ok(())
	}

	/// Takes `amount` off what is held for a task.
	fn take(task: &mut Task<T>, amount: Balance) -> DispatchResult {
		task.held = task.held.checked_sub(amount).ok_or(Error::<T>::Inconsistent)?;
		Totals::<T>::mutate(|t| t.escrow = t.escrow.saturating_sub(amount));
		Ok(())
	}

	fn transfer(owner: &T::AccountId, to: &T::AccountId, amount: Balance) -> DispatchResult {
		T::Currency::transfer_on_hold(
			&HoldReason::Escrow.into(),
			owner,
			to,
			amount,
			Precision::Exact,
			Restriction::Free,
			Fortitude::Force,
		)?;
		Ok(())
	}
}
