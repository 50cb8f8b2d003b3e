//! What the pallet does, by topic.

mod era;
mod ledger;
mod pay;
#[cfg(any(feature = "try-runtime", test))]
mod try_state;

use crate::{
	Config, CurrentEra, Error, Event, Figures, Pallet, Parameters, Params, Total, WeightInfo,
};
use assay_primitives::BlockNumber;
use frame_support::{
	ensure,
	traits::Get,
	weights::{Weight, WeightMeter},
};
use sp_runtime::DispatchResult;

impl<T: Config> Pallet<T> {
	/// Ends eras that are over, then pays, as far as the block has room.
	pub(crate) fn do_poll(now: BlockNumber, meter: &mut WeightMeter) {
		if meter.try_consume(T::WeightInfo::on_poll_base()).is_err() {
			return;
		}
		let mut steps = Steps { meter, left: T::MaxPayoutsPerBlock::get() };
		Self::end_eras(now, &mut steps);
		Self::pay_eras(&mut steps);
	}

	pub(crate) fn do_set_parameters(params: Params) -> DispatchResult {
		ensure!(params.is_valid(), Error::<T>::InvalidParameters);
		if params.initial_cap != Parameters::<T>::get().initial_cap {
			CurrentEra::<T>::mutate(|era| era.cap = params.initial_cap);
		}
		Parameters::<T>::put(params);
		Self::deposit_event(Event::ParametersSet { params });
		Ok(())
	}

	/// Figures for the network's statistics.
	pub fn figures() -> Figures {
		let era = CurrentEra::<T>::get();
		let total = Total::<T>::get();
		Figures {
			era: era.index,
			era_burned: era.burned,
			era_cap: era.cap,
			burned: total.burned.saturating_add(era.burned),
			destroyed: total.destroyed,
			minted: total.minted,
			reserve: total.reserve,
		}
	}
}

/// What one block still has room for.
pub(crate) struct Steps<'a> {
	meter: &'a mut WeightMeter,
	left: u32,
}

impl Steps<'_> {
	/// Takes one step of this weight, or says that there is no room.
	fn take(&mut self, weight: Weight) -> bool {
		let fits = self.left > 0 && self.meter.try_consume(weight).is_ok();
		if fits {
			self.left = self.left.saturating_sub(1);
		}
		fits
	}
}
