//! What the pallet does, by topic.

mod ask;
mod machine;
mod provider;
mod stake;
mod supply;
#[cfg(any(feature = "try-runtime", test))]
mod try_state;
mod view;

use crate::{Config, Error, Label, Machine, Machines, Pallet, Params, Provider, Providers};
use assay_primitives::{market::MachineId, Balance, BlockNumber};
use frame_support::ensure;
use sp_runtime::{traits::SaturatedConversion, DispatchResult};

impl<T: Config> Pallet<T> {
	/// Height as the records keep it.
	pub(crate) fn now() -> BlockNumber {
		frame_system::Pallet::<T>::block_number().saturated_into()
	}

	/// The provider, unless it has deregistered.
	pub(crate) fn active(who: &T::AccountId) -> Result<Provider<T>, Error<T>> {
		let provider = Providers::<T>::get(who).ok_or(Error::<T>::NotRegistered)?;
		ensure!(provider.is_active(), Error::<T>::Leaving);
		Ok(provider)
	}

	/// One of a provider's machines.
	pub(crate) fn machine(who: &T::AccountId, id: MachineId) -> Result<Machine, Error<T>> {
		Machines::<T>::get(who, id).ok_or(Error::<T>::UnknownMachine)
	}

	/// Least stake of a provider with this many machines.
	pub(crate) fn least_stake(machines: u32) -> Balance {
		crate::Parameters::<T>::get().min_stake.saturating_mul(machines.max(1).into())
	}

	pub(crate) fn ensure_label(label: &Label) -> DispatchResult {
		let text = core::str::from_utf8(label).map_err(|_| Error::<T>::InvalidLabel)?;
		ensure!(!text.chars().any(char::is_control), Error::<T>::InvalidLabel);
		Ok(())
	}

	pub(crate) fn do_set_parameters(params: Params) -> DispatchResult {
		ensure!(params.is_valid(), Error::<T>::InvalidParameters);
		crate::Parameters::<T>::put(params);
		Self::deposit_event(crate::Event::ParametersSet { params });
		Ok(())
	}
}
