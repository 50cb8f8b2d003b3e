//! Payouts of eras that have ended.

use super::Steps;
use crate::{
	BurnedBy, Claimable, Config, CurrentEra, EraIndex, Error, Event, NextPayout, Pallet, Payout,
	Payouts, Total, WeightInfo,
};
use assay_primitives::Balance;
use frame_support::{ensure, traits::fungible::Mutate};
use sp_runtime::{helpers_128bit::multiply_by_rational_with_rounding, DispatchResult, Rounding};

impl<T: Config> Pallet<T> {
	/// Pays the eras that have ended, oldest first.
	pub(crate) fn pay_eras(steps: &mut Steps) {
		let current = CurrentEra::<T>::get().index;
		let first = NextPayout::<T>::get();
		let mut era = first;
		while era < current && Self::pay_era(era, steps) {
			era = era.saturating_add(1);
		}
		if era != first {
			NextPayout::<T>::put(era);
		}
	}

	/// Pays an era's providers; returns whether all of them were.
	fn pay_era(era: EraIndex, steps: &mut Steps) -> bool {
		if !steps.take(T::WeightInfo::close_era()) {
			return false;
		}
		let Some(mut payout) = Payouts::<T>::get(era) else { return true };
		let mut unpaid = BurnedBy::<T>::drain_prefix(era);
		loop {
			if !steps.take(T::WeightInfo::pay()) {
				Payouts::<T>::insert(era, payout);
				return false;
			}
			let Some((provider, burned)) = unpaid.next() else { break };
			Self::pay(era, &mut payout, provider, burned);
		}
		Self::close_era(era, payout);
		true
	}

	/// Pays one provider its share, or leaves it to be claimed.
	pub(crate) fn pay(era: EraIndex, payout: &mut Payout, provider: T::AccountId, burned: Balance) {
		let amount =
			share(payout.pool, burned, payout.burned).min(payout.pool.saturating_sub(payout.paid));
		payout.done = payout.done.saturating_add(burned);
		payout.paid = payout.paid.saturating_add(amount);
		if amount == 0 {
			return;
		}
		let minted = T::Currency::mint_into(&provider, amount).is_ok();
		Total::<T>::mutate(|total| {
			let sum = if minted { &mut total.minted } else { &mut total.claimable };
			*sum = sum.saturating_add(amount);
		});
		if minted {
			Self::deposit_event(Event::Minted { era, provider, amount });
		} else {
			Claimable::<T>::mutate(&provider, |sum| *sum = sum.saturating_add(amount));
			Self::deposit_event(Event::Deferred { era, provider, amount });
		}
	}

	/// Moves what rounding left of the pool to the reserve and forgets the era.
	pub(crate) fn close_era(era: EraIndex, payout: Payout) {
		Payouts::<T>::remove(era);
		let remainder = payout.pool.saturating_sub(payout.paid);
		Total::<T>::mutate(|total| total.reserve = total.reserve.saturating_add(remainder));
		Self::deposit_event(Event::EraPaid { era, paid: payout.paid, remainder });
	}

	pub(crate) fn do_claim(provider: T::AccountId) -> DispatchResult {
		let amount = Claimable::<T>::get(&provider);
		ensure!(amount > 0, Error::<T>::NothingToClaim);
		T::Currency::mint_into(&provider, amount)?;
		Claimable::<T>::remove(&provider);
		Total::<T>::mutate(|total| {
			total.claimable = total.claimable.saturating_sub(amount);
			total.minted = total.minted.saturating_add(amount);
		});
		Self::deposit_event(Event::Claimed { provider, amount });
		Ok(())
	}
}

/// ⌊pool × part ÷ whole⌋, nought where there is no whole.
fn share(pool: Balance, part: Balance, whole: Balance) -> Balance {
	multiply_by_rational_with_rounding(pool, part, whole, Rounding::Down).unwrap_or(0)
}
