//! Ends of eras.

use super::Steps;
use crate::{
	Config, CurrentEra, Era, Event, Pallet, Parameters, Params, Payout, Payouts, Total, WeightInfo,
};
use assay_primitives::BlockNumber;
use sp_runtime::PerThing;

impl<T: Config> Pallet<T> {
	/// Ends the era under way if its time has passed, and those that would have followed it.
	pub(crate) fn end_eras(now: BlockNumber, steps: &mut Steps) {
		let params = Parameters::<T>::get();
		let mut era = CurrentEra::<T>::get();
		while now.saturating_sub(era.started_at) >= params.era_length.max(1)
			&& steps.take(T::WeightInfo::end_era())
		{
			era = Self::end_era(era, &params);
		}
	}

	/// Ends `era`, opens its payout, and starts the next.
	pub(crate) fn end_era(era: Era, params: &Params) -> Era {
		// The last era that can be numbered has no end.
		let Some(index) = era.index.checked_add(1) else { return era };
		let pool = era.cap.min(params.kappa.mul_floor(era.burned));
		let reserve_added = era.cap.saturating_sub(pool);
		if era.burned > 0 {
			let payout = Payout { pool, burned: era.burned, done: 0, paid: 0 };
			Payouts::<T>::insert(era.index, payout);
		}
		Total::<T>::mutate(|total| {
			total.scheduled = total.scheduled.saturating_add(era.cap);
			total.burned = total.burned.saturating_add(era.burned);
			total.reserve = total.reserve.saturating_add(reserve_added);
		});
		let next = Era {
			index,
			started_at: era.started_at.saturating_add(params.era_length.max(1)),
			burned: 0,
			cap: params.decay.left_from_one().mul_floor(era.cap),
		};
		CurrentEra::<T>::put(next);
		Self::deposit_event(Event::EraEnded {
			era: era.index,
			burned: era.burned,
			pool,
			reserve_added,
		});
		next
	}
}
