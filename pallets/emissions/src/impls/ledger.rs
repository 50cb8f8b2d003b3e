//! What was burned, by work and by wrongdoing.

use crate::{BurnedBy, Config, CurrentEra, Pallet, Total};
use assay_primitives::{traits::WorkLedger, Balance};

impl<T: Config> WorkLedger<T::AccountId> for Pallet<T> {
	fn burned(provider: &T::AccountId, amount: Balance) {
		CurrentEra::<T>::mutate(|era| {
			// No more than there ever is can be burned; the cut keeps sum and parts together.
			let amount = amount.min(Balance::MAX.saturating_sub(era.burned));
			if amount == 0 {
				return;
			}
			era.burned = era.burned.saturating_add(amount);
			BurnedBy::<T>::mutate(era.index, provider, |burned| {
				*burned = burned.saturating_add(amount)
			});
		});
	}

	fn destroyed(amount: Balance) {
		Total::<T>::mutate(|total| total.destroyed = total.destroyed.saturating_add(amount));
	}
}
