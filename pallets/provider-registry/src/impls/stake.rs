//! Stake in and out.

use crate::{
	Config, Error, Event, HoldReason, HotKeys, Pallet, Parameters, Providers, Standing, Total,
};
use assay_primitives::Balance;
use frame_support::{
	ensure,
	traits::{fungible::MutateHold, tokens::Precision},
};
use sp_runtime::DispatchResult;

impl<T: Config> Pallet<T> {
	pub(crate) fn do_bond_extra(who: T::AccountId, amount: Balance) -> DispatchResult {
		let mut provider = Self::active(&who)?;
		ensure!(amount > 0, Error::<T>::ZeroAmount);
		T::Currency::hold(&HoldReason::Stake.into(), &who, amount)?;
		provider.stake = provider.stake.saturating_add(amount);
		Providers::<T>::insert(&who, provider);
		Total::<T>::mutate(|total| total.staked = total.staked.saturating_add(amount));
		Self::deposit_event(Event::Bonded { provider: who, amount });
		Ok(())
	}

	pub(crate) fn do_unbond(who: T::AccountId, amount: Balance) -> DispatchResult {
		let mut provider = Self::active(&who)?;
		ensure!(amount > 0, Error::<T>::ZeroAmount);
		ensure!(amount <= provider.free(), Error::<T>::StakeLocked);
		let rest = provider.stake.saturating_sub(amount);
		ensure!(rest >= Self::least_stake(provider.machines), Error::<T>::StakeTooLow);
		let until = Self::now().saturating_add(Parameters::<T>::get().unbonding_period);
		ensure!(provider.start_unbonding(amount, until), Error::<T>::TooManyUnbonding);
		Providers::<T>::insert(&who, provider);
		Total::<T>::mutate(|total| total.staked = total.staked.saturating_sub(amount));
		Self::deposit_event(Event::Unbonded { provider: who, amount, until });
		Ok(())
	}

	pub(crate) fn do_withdraw_unbonded(who: T::AccountId) -> DispatchResult {
		let mut provider = Providers::<T>::get(&who).ok_or(Error::<T>::NotRegistered)?;
		let amount = provider.take_unbonded(Self::now());
		ensure!(amount > 0, Error::<T>::NothingUnbonded);
		T::Currency::release(&HoldReason::Stake.into(), &who, amount, Precision::Exact)?;
		Self::deposit_event(Event::Withdrawn { provider: who.clone(), amount });
		if provider.standing == Standing::Leaving && provider.unbonding.is_empty() {
			HotKeys::<T>::remove(&provider.hot_key);
			Providers::<T>::remove(&who);
			Self::deposit_event(Event::Left { provider: who });
		} else {
			Providers::<T>::insert(&who, provider);
		}
		Ok(())
	}
}
