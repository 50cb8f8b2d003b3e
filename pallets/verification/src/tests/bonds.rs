//! Auditors' bonds.

use crate::{mock::*, *};
use assay_primitives::{work::Verdict, ASY};
use frame_support::{assert_noop, assert_ok, traits::fungible::hold::Inspect as _};

fn held(auditor: AccountId) -> u128 {
	Balances::balance_on_hold(&HoldReason::AuditorBond.into(), &auditor)
}

#[test]
fn bonds_are_put_up_and_taken_back() {
	test(|| {
		assert_ok!(Verification::bond(RuntimeOrigin::signed(OTHER), 3 * ASY));
		assert_ok!(Verification::bond(RuntimeOrigin::signed(OTHER), ASY));
		assert_eq!(held(OTHER), 4 * ASY);
		assert_ok!(Verification::unbond(RuntimeOrigin::signed(OTHER), ASY));
		assert_eq!(Bonds::<Test>::get(OTHER), Some(Bond { amount: 3 * ASY, at_risk: 0 }));
		assert_ok!(Verification::unbond(RuntimeOrigin::signed(OTHER), 3 * ASY));
		assert_eq!((Bonds::<Test>::get(OTHER), held(OTHER)), (None, 0));
		let other = || RuntimeOrigin::signed(OTHER);
		assert_noop!(Verification::unbond(other(), 1), Error::<Test>::BondAtRisk);
		assert_noop!(Verification::unbond(other(), 0), Error::<Test>::ZeroAmount);
		assert_noop!(Verification::bond(other(), 0), Error::<Test>::ZeroAmount);
		assert_noop!(
			Verification::bond(other(), 1_000 * ASY),
			sp_runtime::TokenError::FundsUnavailable
		);
	});
}

#[test]
fn what_is_at_risk_cannot_be_taken_back() {
	test(|| {
		let drawn = open_and_draw(task(1), 1)[0];
		let signed = || RuntimeOrigin::signed(drawn);
		assert_noop!(Verification::unbond(signed(), AUDITOR_BOND), Error::<Test>::BondAtRisk);
		assert_ok!(Verification::unbond(signed(), AUDITOR_BOND - DEPOSIT));
		assert_noop!(Verification::unbond(signed(), 1), Error::<Test>::BondAtRisk);
		// Vouching keeps it at risk.
		vote(task(1), &[Verdict::Valid]);
		assert_noop!(Verification::unbond(signed(), 1), Error::<Test>::BondAtRisk);
	});
}

#[test]
fn the_absent_lose_their_deposit_and_the_others_none() {
	test(|| {
		let drawn = open_and_draw(task(1), 3);
		// One seals and opens, one seals only, one does nothing.
		seal_verdict(task(1), 0, Verdict::Valid);
		seal_verdict(task(1), 1, Verdict::Valid);
		run_to(voting(task(1)).unwrap().seals_until + 1);
		open_verdict(task(1), 0, Verdict::Valid);
		run(params().opening_window);
		let bonds = drawn.iter().map(|a| Bonds::<Test>::get(a).unwrap()).collect::<Vec<_>>();
		assert_eq!(bonds[0], Bond { amount: AUDITOR_BOND, at_risk: 0 });
		assert_eq!(bonds[1], Bond { amount: AUDITOR_BOND - DEPOSIT, at_risk: 0 });
		assert_eq!(bonds[2], Bond { amount: AUDITOR_BOND - DEPOSIT, at_risk: 0 });
		assert_eq!(Destroyed::get(), 2 * DEPOSIT);
	});
}

#[test]
fn who_cannot_put_up_a_deposit_is_not_drawn() {
	test(|| {
		for auditor in 1..=6 {
			assert_ok!(Verification::unbond(RuntimeOrigin::signed(auditor), AUDITOR_BOND));
		}
		for job in 0..10 {
			let mut drawn = open_and_draw(task(job), 3);
			drawn.sort();
			assert_eq!(drawn, [7, 8, 9]);
			vote(task(job), &[Verdict::Valid; 3]);
		}
	});
}

/// Many cheap tasks take up the auditors' bonds, but keep no other task from being audited.
#[test]
fn auditors_whose_bonds_are_taken_up_are_drawn_all_the_same() {
	test(|| {
		set_auditors(1..=3);
		for auditor in 1..=3 {
			let rest = AUDITOR_BOND - 2 * DEPOSIT - DEPOSIT / 2;
			assert_ok!(Verification::unbond(RuntimeOrigin::signed(auditor), rest));
		}
		for job in 1..=4 {
			open(task(job), 3);
		}
		let deposits = |job| {
			run_until_drawn(task(job));
			let seats = seats(task(job)).unwrap();
			seats.into_iter().map(|seat| seat.deposit).collect::<Vec<_>>()
		};
		assert_eq!(deposits(1), [DEPOSIT; 3]);
		assert_eq!(deposits(2), [DEPOSIT; 3]);
		assert_eq!(deposits(3), [DEPOSIT / 2; 3]);
		assert_eq!(deposits(4), [0; 3]);
		// Free ones come first.
		assert_ok!(Verification::bond(RuntimeOrigin::signed(2), DEPOSIT));
		open_and_draw(task(5), 1);
		assert_eq!(holder(seat(task(5), 0)), 2);
		vote(task(4), &[Verdict::Valid; 3]);
	});
}

#[test]
fn a_task_waits_for_as_many_auditors_with_a_bond_as_were_paid_for() {
	test(|| {
		for auditor in 3..=9 {
			assert_ok!(Verification::unbond(RuntimeOrigin::signed(auditor), AUDITOR_BOND));
		}
		open(task(20), 3);
		run(20);
		assert_eq!(seats(task(20)), None);
		assert_eq!(Bonds::<Test>::get(1).unwrap().at_risk, 0);
	});
}

#[test]
fn a_new_session_counts_only_who_has_put_up_a_deposit() {
	test(|| {
		set_auditors([1, 2, 3, OTHER]);
		assert_eq!(Verification::auditors_count(), 3);
		assert_ok!(Verification::bond(RuntimeOrigin::signed(OTHER), DEPOSIT));
		set_auditors([1, 2, 3, OTHER]);
		assert_eq!(Verification::auditors_count(), 4);
	});
}
