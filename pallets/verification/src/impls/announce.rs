//! Announcements: where auditors serve the outputs that they keep as custodians.

use super::attest::not_now;
use crate::{pallet::*, Auditor, Custodian, ANNOUNCEMENT_AGE, ANNOUNCEMENT_GAP};
use assay_primitives::{
	auditor::{AuditorId, AuditorSignature, SignedAnnouncement},
	url::{self, Url},
	BlockNumber,
};
use codec::Encode;
use frame_support::{
	dispatch::DispatchResult, ensure, pallet_prelude::TransactionValidityWithRefund,
};
use sp_application_crypto::RuntimeAppPublic;
use sp_runtime::transaction_validity::{InvalidTransaction, TransactionSource};

impl<T: Config> Pallet<T> {
	/// What an auditor signs to announce.
	pub(crate) fn signed_announcement(url: &Url, at: BlockNumber) -> SignedAnnouncement {
		SignedAnnouncement { genesis: Self::genesis(), url: url.to_vec(), at }
	}

	/// First block at which the account may announce again.
	pub(crate) fn may_announce_from(account: &T::AccountId) -> BlockNumber {
		Custodians::<T>::get(account).map_or(0, |last| last.at.saturating_add(ANNOUNCEMENT_GAP))
	}

	/// Whose announcement it is, if it may be made now.
	fn to_announce(
		auditor: &AuditorId,
		url: &Url,
		at: BlockNumber,
	) -> Result<T::AccountId, Error<T>> {
		let now = Self::now();
		ensure!(at <= now, Error::<T>::TooEarly);
		ensure!(now.saturating_sub(at) <= ANNOUNCEMENT_AGE, Error::<T>::TooLate);
		ensure!(url.is_empty() || url::check(url).is_ok(), Error::<T>::BadUrl);
		let account = Auditors::<T>::get()
			.into_iter()
			.find_map(|Auditor { id, account, .. }| (id == *auditor).then_some(account))
			.ok_or(Error::<T>::NotAnAuditor)?;
		ensure!(Bonds::<T>::contains_key(&account), Error::<T>::NotAnAuditor);
		ensure!(at >= Self::may_announce_from(&account), Error::<T>::TooLate);
		Ok(account)
	}

	/// Lets an announcement into the pool and into blocks. Cheap checks first, the signature last.
	pub(crate) fn authorize_announce(
		_source: TransactionSource,
		auditor: &AuditorId,
		url: &Url,
		at: &BlockNumber,
		signature: &AuditorSignature,
	) -> TransactionValidityWithRefund {
		Self::to_announce(auditor, url, *at).map_err(not_now)?;
		let message = Self::signed_announcement(url, *at).encode();
		if !auditor.verify(&message, signature) {
			return Err(InvalidTransaction::BadProof.into());
		}
		Self::valid("assay/announce", auditor, at.saturating_add(ANNOUNCEMENT_AGE))
	}

	pub(crate) fn do_announce(auditor: &AuditorId, url: Url, at: BlockNumber) -> DispatchResult {
		let account = Self::to_announce(auditor, &url, at)?;
		Auditors::<T>::mutate(|auditors| {
			let own = auditors.iter_mut().filter(|other| other.account == account);
			own.for_each(|own| own.keeps = !url.is_empty());
			Keepers::<T>::put(keepers(auditors));
		});
		Custodians::<T>::insert(&account, Custodian { url: url.clone(), at });
		Self::deposit_event(Event::CustodianAnnounced { auditor: account, url });
		Ok(())
	}
}

/// How many of them keep outputs.
pub(crate) fn keepers<AccountId>(auditors: &[Auditor<AccountId>]) -> u32 {
	auditors.iter().filter(|auditor| auditor.keeps).count() as u32
}
