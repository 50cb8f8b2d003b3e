//! Announcements of custody: who may make them, when, and what they change.

use crate::{mock::*, *};
use assay_primitives::{
	auditor::SignedAnnouncement, traits::Audits as _, url::Url, BlockNumber, Root,
};
use codec::Encode;
use frame_support::{assert_err, assert_ok};
use sp_core::Pair;
use sp_runtime::transaction_validity::{InvalidTransaction, TransactionValidityError};

fn url(url: &str) -> Url {
	url.as_bytes().to_vec().try_into().unwrap()
}

/// The call by which `auditor` says this, signed by `signer`.
fn call_by(signer: AccountId, auditor: AccountId, said: &str, at: BlockNumber) -> RuntimeCall {
	let genesis = Root::repeat_byte(0x6e);
	let message = SignedAnnouncement { genesis, url: said.into(), at }.encode();
	let signature = pair(signer).sign(&message);
	Call::<Test>::announce { auditor: key(auditor), url: url(said), at, signature }.into()
}

fn announce(auditor: AccountId, said: &str) -> Result<(), TransactionValidityError> {
	submit(call_by(auditor, auditor, said, now())).map(|dispatched| {
		assert_ok!(dispatched);
	})
}

fn kept_at(auditor: AccountId) -> Option<String> {
	let custodian = Custodians::<Test>::get(auditor)?;
	Some(String::from_utf8(custodian.url.into_inner()).unwrap())
}

#[test]
fn an_auditor_says_where_it_keeps_outputs() {
	test(|| {
		run(ANNOUNCEMENT_GAP);
		assert_ok!(announce(1, "https://one.example:8443/kept"));
		assert_eq!(kept_at(1).as_deref(), Some("https://one.example:8443/kept"));
		let told =
			Event::CustodianAnnounced { auditor: 1, url: url("https://one.example:8443/kept") };
		assert!(events().contains(&told));
		assert!(
			Verification::custodians(100).contains(&(1, "https://one.example:8443/kept".into()))
		);
		assert_eq!(Verification::custodians(7).len(), 7);
	});
}

#[test]
fn only_who_keeps_outputs_is_a_custodian() {
	test(|| {
		run(ANNOUNCEMENT_GAP);
		for auditor in 1..=6 {
			assert_ok!(announce(auditor, ""));
		}
		assert_eq!(Keepers::<Test>::get(), 3);
		assert_eq!(Verification::custodians(100).len(), 54);
		// It counts in the next session too.
		set_auditors([1, 2, 7, 8, 9]);
		assert_eq!(Keepers::<Test>::get(), 3);
		let info = Programs::<Test>::iter_values().next().unwrap().info;
		assert_ok!(Verification::custody(&info));
		set_auditors([1, 2, 7, 8]);
		assert_err!(Verification::custody(&info), Error::<Test>::NotEnoughCustodians);
	});
}

#[test]
fn it_takes_the_auditor_s_own_signature_of_just_this() {
	test(|| {
		run(ANNOUNCEMENT_GAP);
		let bad = TransactionValidityError::Invalid(InvalidTransaction::BadProof);
		assert_eq!(submit(call_by(2, 1, "http://two.example", now())).unwrap_err(), bad);
		let own = call_by(1, 1, "http://one.example", now());
		let RuntimeCall::Verification(Call::announce { auditor, signature, at, .. }) = own else {
			panic!("no announcement")
		};
		let other = Call::announce {
			auditor: auditor.clone(),
			url: url("http://evil.example"),
			at,
			signature: signature.clone(),
		};
		assert_eq!(submit(other.into()).unwrap_err(), bad);
		let earlier =
			Call::announce { auditor, url: url("http://one.example"), at: at - 1, signature };
		assert!(submit(earlier.into()).is_err());
		// No other origin will do.
		let call = call_by(1, 1, "http://one.example", now());
		use frame_support::traits::UnfilteredDispatchable;
		assert!(call.dispatch_bypass_filter(RuntimeOrigin::signed(1)).is_err());
		assert_eq!(kept_at(1).as_deref(), Some("http://custodian.example"));
	});
}

#[test]
fn it_takes_an_auditor_of_the_session_with_a_bond() {
	test(|| {
		run(ANNOUNCEMENT_GAP);
		// Has a bond, and is not of the session.
		assert!(announce(12, "http://twelve.example").is_err());
		// Is of the session, and has taken its bond back: with it goes what it had announced.
		assert_ok!(Verification::unbond(RuntimeOrigin::signed(2), AUDITOR_BOND));
		assert_eq!(kept_at(2), None);
		assert!(announce(2, "http://two.example").is_err());
	});
}

#[test]
fn what_is_no_base_url_is_not_announced() {
	test(|| {
		run(ANNOUNCEMENT_GAP);
		let long = format!("http://{}", "a".repeat(249));
		assert_ok!(announce(1, &long));
		for ugly in
			["ftp://one.example", "http://", "http://one.example:0", "http://u@one.example", "x"]
		{
			assert!(announce(2, ugly).is_err(), "{ugly}");
		}
		assert_eq!(kept_at(2).as_deref(), Some("http://custodian.example"));
	});
}

/// It costs no fee, and so there is a limit of it; and nobody can make an old one again.
#[test]
fn one_in_a_while_and_none_twice() {
	test(|| {
		// Mock auditors announced in block 1.
		run_to(1 + ANNOUNCEMENT_GAP - 1);
		assert!(announce(1, "http://one.example").is_err());
		next_block();
		let first = call_by(1, 1, "http://one.example", now());
		let at = now();
		assert_ok!(submit(first.clone()).unwrap());
		assert!(submit(first.clone()).is_err());
		assert!(announce(1, "http://other.example").is_err());
		run_to(at + ANNOUNCEMENT_GAP);
		assert!(submit(first.clone()).is_err());
		// It is withdrawn, and still the old one is of no use.
		assert_ok!(announce(1, ""));
		assert!(submit(first.clone()).is_err());
		run(ANNOUNCEMENT_GAP);
		assert!(submit(first).is_err());
		assert_eq!(kept_at(1).as_deref(), Some(""));
		assert_ok!(announce(1, "http://again.example"));
	});
}

#[test]
fn it_is_made_soon_after_it_is_signed() {
	test(|| {
		run(100);
		let call = |at| call_by(1, 1, "http://one.example", at);
		assert_eq!(
			submit(call(now() + 1)).unwrap_err(),
			TransactionValidityError::Invalid(InvalidTransaction::Future)
		);
		assert!(submit(call(now() - ANNOUNCEMENT_AGE - 1)).is_err());
		let valid = validate(call(now() - ANNOUNCEMENT_AGE)).unwrap();
		assert_eq!(valid.longevity, 1);
		assert_ok!(submit(call(now() - ANNOUNCEMENT_AGE)).unwrap());
	});
}
