//! The set of auditors.

use crate::{mock::*, *};
use frame_support::traits::OneSessionHandler;

#[test]
fn the_set_follows_the_session() {
	test(|| {
		assert_eq!(Verification::auditors_count(), 9);
		set_auditors(3..=5);
		let set = Auditors::<Test>::get();
		assert_eq!(set.iter().map(|a| a.account).collect::<Vec<_>>(), [3, 4, 5]);
		assert!(set.iter().all(|a| a.id == key(a.account)));
		assert_eq!(Verification::auditors_count(), 3);
	});
}

#[test]
fn genesis_sets_the_first_session() {
	test(|| {
		let set = [(7u64, key(7))];
		Verification::on_genesis_session(set.iter().map(|(a, k)| (a, k.clone())));
		assert_eq!(Auditors::<Test>::get()[0].account, 7);
	});
}

#[test]
fn a_set_over_the_bound_is_cut() {
	test(|| {
		let one = key(1);
		let set = (0..1_500u64).map(|a| (a, one.clone())).collect::<Vec<_>>();
		Verification::on_genesis_session(set.iter().map(|(a, k)| (a, k.clone())));
		assert_eq!(Verification::auditors_count(), 1_000);
		assert_eq!(Auditors::<Test>::get().last().unwrap().account, 999);
	});
}
