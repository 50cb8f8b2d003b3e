//! The ring of the last blocks' VRF outputs.

use crate::{pallet::*, Contribution};
use assay_primitives::{traits::BlockEntropy, BlockNumber};
use frame_support::traits::Get;
use sp_runtime::traits::SaturatedConversion;

impl<T: Config> Pallet<T> {
	/// The current height.
	pub(crate) fn now() -> BlockNumber {
		frame_system::Pallet::<T>::block_number().saturated_into()
	}

	/// Records the current block's output, if it has one, and drops the oldest.
	pub(crate) fn record_entropy() {
		let now = Self::now();
		if let Some((author, output)) = T::Entropy::current() {
			Entropy::<T>::insert(now, Contribution { author, output });
		}
		if let Some(oldest) = now.checked_sub(T::EntropyKept::get()) {
			Entropy::<T>::remove(oldest);
		}
	}
}
