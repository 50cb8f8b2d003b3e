//! The set of auditors follows the session.

use super::announce::keepers;
use crate::{pallet::*, Auditor, LOG_TARGET};
use assay_primitives::auditor::AuditorId;
use frame_support::{
	traits::{Get, OneSessionHandler},
	BoundedVec,
};
use sp_runtime::BoundToRuntimeAppPublic;

impl<T: Config> BoundToRuntimeAppPublic for Pallet<T> {
	type Public = AuditorId;
}

impl<T: Config> OneSessionHandler<T::AccountId> for Pallet<T> {
	type Key = AuditorId;

	fn on_genesis_session<'a, I>(validators: I)
	where
		I: Iterator<Item = (&'a T::AccountId, Self::Key)> + 'a,
	{
		Self::set_auditors(validators);
	}

	fn on_new_session<'a, I>(_changed: bool, validators: I, _queued: I)
	where
		I: Iterator<Item = (&'a T::AccountId, Self::Key)> + 'a,
	{
		// Who has put up too little would never take a seat, and must not be counted on.
		let deposit = Parameters::<T>::get().auditor_deposit;
		let bonded = move |account: &T::AccountId| {
			Bonds::<T>::get(account).unwrap_or_default().amount >= deposit
		};
		Self::set_auditors(validators.filter(move |(account, _)| bonded(account)));
	}

	fn on_disabled(_validator_index: u32) {}
}

impl<T: Config> Pallet<T> {
	fn set_auditors<'a>(validators: impl Iterator<Item = (&'a T::AccountId, AuditorId)> + 'a)
	where
		T::AccountId: 'a,
	{
		let max = T::MaxAuditors::get() as usize;
		let auditors = validators
			.take(max.saturating_add(1))
			.map(|(account, id)| {
				let keeps = Custodians::<T>::get(account).is_some_and(|it| !it.url.is_empty());
				Auditor { id, account: account.clone(), keeps }
			})
			.collect::<alloc::vec::Vec<_>>();
		if auditors.len() > max {
			log::warn!(target: LOG_TARGET, "more than {max} validators; the rest will not audit");
		}
		let auditors = BoundedVec::truncate_from(auditors);
		Keepers::<T>::put(keepers(&auditors));
		Auditors::<T>::put(auditors);
	}
}
