//! Reports of fraud: who may make them, what they cost, and who is paid.

use crate::{mock::*, *};
use assay_primitives::{
	auditor::Salt,
	traits::{Audits as _, Programs as _},
	work::{AuditOutcome, FaultKind, Offence, TaskId, Verdict},
	Root, ASY,
};
use codec::{DecodeAll, Encode};
use frame_support::{
	assert_noop, assert_ok,
	traits::fungible::{hold::Inspect as _, Inspect as _},
};
use sp_runtime::DispatchResult;

fn seal_of(reporter: AccountId, task: TaskId, proof: &[u8], salt: &Salt) -> Root {
	report_seal(&reporter, task, case(task).submitted_at, proof, salt)
}

fn commit(reporter: AccountId, task: TaskId, proof: &[u8]) -> DispatchResult {
	let seal = seal_of(reporter, task, proof, &SALT);
	Verification::commit_report(RuntimeOrigin::signed(reporter), task, seal)
}

fn report(reporter: AccountId, task: TaskId, proof: Vec<u8>) -> DispatchResult {
	let proof = proof.try_into().unwrap();
	Verification::report_fraud(RuntimeOrigin::signed(reporter), task, proof, SALT)
}

fn bonded(reporter: AccountId) -> u128 {
	Balances::balance_on_hold(&HoldReason::ReportBond.into(), &reporter)
}

/// A lie that nobody is drawn to look at.
fn unaudited(task: TaskId) {
	let terms = assay_primitives::traits::Terms {
		assurance: assay_primitives::work::Assurance::Optimistic,
		..terms(1)
	};
	assert_eq!(Verification::open(task, claim(), &terms), Ok(false));
}

#[test]
fn a_proof_convicts_at_once_and_is_rewarded_later() {
	test(|| {
		unaudited(task(1));
		assert_ok!(commit(REPORTER, task(1), &proof()));
		assert_eq!(bonded(REPORTER), BOND);
		assert_eq!(case(task(1)).pending, 1);
		run(2);
		assert_ok!(report(REPORTER, task(1), proof()));
		let [(convicted, Offence::Wrong(fault), true)] = Convicted::get()[..] else { panic!() };
		assert_eq!((convicted, fault.place, fault.kind), (task(1), WRONG, FaultKind::Element));
		assert_eq!(bonded(REPORTER), 0);
		assert!(!Cases::<Test>::contains_key(task(1)));
		assert!(Rewarded::get().is_empty());
		run(params().report_window + 1);
		assert_eq!(Rewarded::get(), [(REPORTER, REWARD)]);
		assert_eq!(Convictions::<Test>::iter().count(), 0);
		assert_eq!(Balances::balance(&REPORTER), 100 * ASY);
	});
}

#[test]
fn a_proof_against_the_truth_costs_its_sender() {
	test(|| {
		let terms = assay_primitives::traits::Terms {
			assurance: assay_primitives::work::Assurance::Optimistic,
			..terms(1)
		};
		assert_ok!(Verification::open(task(1), claim_of(&trace()), &terms));
		for (wrong, why) in [
			(proof(), Rejection::NotProved),
			(vec![], Rejection::NotUnderstood),
			(vec![0xff; 100], Rejection::NotUnderstood),
			([proof(), vec![0]].concat(), Rejection::NotUnderstood),
		] {
			assert_ok!(commit(REPORTER, task(1), &wrong));
			run(2);
			assert_ok!(report(REPORTER, task(1), wrong));
			assert!(events().contains(&Event::ReportRejected {
				task: task(1),
				reporter: REPORTER,
				why,
				burned: BOND
			}));
		}
		assert_eq!(Destroyed::get(), 4 * BOND);
		assert_eq!(case(task(1)).pending, 0);
		assert!(Convicted::get().is_empty());
	});
}

#[test]
fn a_proof_of_what_is_right_shows_no_fault() {
	test(|| {
		unaudited(task(1));
		// The first element of the same row is right.
		let mut shown = assay_compute::proof::FraudProof::decode_all(&mut &proof()[..]).unwrap();
		if let assay_compute::proof::FraudProof::Element { col, .. } = &mut shown {
			*col = 0;
		}
		assert_ok!(commit(REPORTER, task(1), &shown.encode()));
		run(2);
		assert_ok!(report(REPORTER, task(1), shown.encode()));
		assert!(events().iter().any(|e| matches!(
			e,
			Event::ReportRejected { why: Rejection::NoFault | Rejection::NotProved, .. }
		)));
		assert!(Convicted::get().is_empty());
	});
}

#[test]
fn a_proof_seen_in_the_pool_is_of_no_use_to_others() {
	test(|| {
		unaudited(task(1));
		assert_ok!(commit(REPORTER, task(1), &proof()));
		run(2);
		// A thief sees the proof in the pool and gets his own transactions in first.
		assert_noop!(report(OTHER, task(1), proof()), Error::<Test>::NoReport);
		assert_ok!(commit(OTHER, task(1), &proof()));
		assert_noop!(report(OTHER, task(1), proof()), Error::<Test>::TooEarly);
		assert_ok!(report(REPORTER, task(1), proof()));
		run(2);
		// His proof holds, and is the later one.
		assert_ok!(report(OTHER, task(1), proof()));
		assert_eq!((bonded(OTHER), bonded(REPORTER)), (0, 0));
		run(params().report_window);
		assert_eq!(Rewarded::get(), [(REPORTER, REWARD)]);
	});
}

#[test]
fn a_stolen_seal_cannot_be_opened() {
	test(|| {
		unaudited(task(1));
		let seal = seal_of(REPORTER, task(1), &proof(), &SALT);
		assert_ok!(Verification::commit_report(RuntimeOrigin::signed(OTHER), task(1), seal));
		run(2);
		assert_noop!(report(OTHER, task(1), proof()), Error::<Test>::WrongSeal);
	});
}

#[test]
fn whoever_sealed_first_is_paid_though_he_opens_later() {
	test(|| {
		unaudited(task(1));
		assert_ok!(commit(REPORTER, task(1), &proof()));
		run(1);
		assert_ok!(commit(OTHER, task(1), &proof()));
		run(2);
		assert_ok!(report(OTHER, task(1), proof()));
		run(3);
		assert_ok!(report(REPORTER, task(1), proof()));
		assert_eq!(Convicted::get().len(), 1);
		run(params().report_window);
		assert_eq!(Rewarded::get(), [(REPORTER, REWARD)]);
		assert_eq!((bonded(OTHER), bonded(REPORTER)), (0, 0));
	});
}

#[test]
fn an_earlier_seal_without_a_proof_takes_nothing() {
	test(|| {
		unaudited(task(1));
		assert_ok!(commit(OTHER, task(1), b"nothing"));
		assert_ok!(commit(REPORTER, task(1), &proof()));
		run(2);
		assert_ok!(report(REPORTER, task(1), proof()));
		assert_ok!(report(OTHER, task(1), b"nothing".to_vec()));
		assert_eq!(Destroyed::get(), BOND);
		run(params().report_window + 1);
		assert_eq!(Rewarded::get(), [(REPORTER, REWARD)]);
	});
}

#[test]
fn silence_after_a_seal_costs_the_bond_and_the_window_waits_for_it() {
	test(|| {
		unaudited(task(1));
		let closes_at = case(task(1)).closes_at;
		run_to(closes_at - 3);
		assert_ok!(commit(REPORTER, task(1), &proof()));
		let until = now() + params().report_window;
		assert_eq!(case(task(1)).closes_at, until + params().report_grace + 1);
		run_to(closes_at);
		assert_eq!(Verification::open_until(task(1)), Some(case(task(1)).closes_at));
		run_to(until);
		assert_eq!(bonded(REPORTER), BOND);
		next_block();
		assert_eq!((bonded(REPORTER), Destroyed::get()), (0, BOND));
		assert_noop!(report(REPORTER, task(1), proof()), Error::<Test>::NoReport);
		run_to(case(task(1)).closes_at);
		assert_eq!(Verification::open_until(task(1)), None);
	});
}

#[test]
fn the_window_is_moved_only_so_often() {
	test(|| {
		unaudited(task(1));
		for moved in 1..=3 {
			run_to(case(task(1)).closes_at - 1);
			assert_ok!(commit(REPORTER, task(1), b"junk"));
			assert_eq!(case(task(1)).moved, moved);
			run(params().report_window + 1);
		}
		let closes_at = case(task(1)).closes_at;
		run_to(closes_at - 1);
		assert_noop!(commit(REPORTER, task(1), b"junk"), Error::<Test>::TooLate);
		next_block();
		assert_eq!(Verification::open_until(task(1)), None);
		assert_eq!(Destroyed::get(), 3 * BOND);
	});
}

#[test]
fn junk_keeps_nobody_from_reporting() {
	test(|| {
		unaudited(task(1));
		// Any number of accounts may seal junk; each pays for it.
		for account in 2_000..2_050 {
			assert_ok!(Balances::force_set_balance(RuntimeOrigin::root(), account, 11 * ASY));
		}
		let before = Balances::total_issuance();
		for account in 2_000..2_050 {
			assert_ok!(commit(account, task(1), b"junk"));
		}
		assert_ok!(commit(REPORTER, task(1), &proof()));
		run(2);
		assert_ok!(report(REPORTER, task(1), proof()));
		assert_eq!(Convicted::get().len(), 1);
		run(params().report_window + 1);
		assert_eq!(Rewarded::get(), [(REPORTER, REWARD)]);
		// What they were about was decided; they have their bonds back.
		assert_eq!(Balances::total_issuance(), before);
		assert_eq!(Reports::<Test>::iter().count(), 0);
		// Undo what the test gave them, so that the sum of all money is genesis again.
		for account in 2_000..2_050 {
			assert_ok!(Balances::force_set_balance(RuntimeOrigin::root(), account, 0));
		}
	});
}

#[test]
fn reports_at_wrong_times_are_refused() {
	test(|| {
		let none = RuntimeOrigin::signed(REPORTER);
		assert_noop!(
			Verification::commit_report(none, task(1), Default::default()),
			Error::<Test>::NotOpen
		);
		unaudited(task(1));
		assert_noop!(report(REPORTER, task(1), proof()), Error::<Test>::NoReport);
		assert_noop!(commit(POOR, task(1), &proof()), sp_runtime::TokenError::FundsUnavailable);
		assert_ok!(commit(REPORTER, task(1), &proof()));
		assert_noop!(commit(REPORTER, task(1), &proof()), Error::<Test>::AlreadyReported);
		assert_noop!(report(REPORTER, task(1), proof()), Error::<Test>::TooEarly);
		run(1);
		assert_noop!(report(REPORTER, task(1), proof()), Error::<Test>::TooEarly);
		for _ in 0..params().report_window {
			next_block_with(Default::default());
		}
		assert_noop!(report(REPORTER, task(1), proof()), Error::<Test>::TooLate);
		next_block();
		assert_eq!(bonded(REPORTER), 0);
		// Once the result stands, there is nothing to report.
		run_to(case(task(1)).closes_at);
		Verification::close(task(1));
		let signed = RuntimeOrigin::signed(REPORTER);
		assert_noop!(
			Verification::commit_report(signed, task(1), Default::default()),
			Error::<Test>::NotOpen
		);
	});
}

#[test]
fn vouching_for_a_lie_costs_the_deposit() {
	test(|| {
		let drawn = open_and_draw(task(1), 3);
		vote(task(1), &[Verdict::Valid; 3]);
		assert_eq!(outcomes(task(1)), [AuditOutcome::Passed]);
		assert_ok!(commit(REPORTER, task(1), &proof()));
		run(2);
		assert_ok!(report(REPORTER, task(1), proof()));
		for auditor in &drawn {
			let bond = Bonds::<Test>::get(auditor).unwrap();
			assert_eq!((bond.amount, bond.at_risk), (AUDITOR_BOND - DEPOSIT, 0));
			assert!(events().contains(&Event::AuditorSlashed {
				task: task(1),
				auditor: *auditor,
				amount: DEPOSIT
			}));
		}
		assert_eq!(Destroyed::get(), 3 * DEPOSIT);
	});
}

#[test]
fn a_lie_ends_as_nothing_less_while_a_report_is_sealed() {
	test(|| {
		open_and_draw(task(1), 3);
		assert_ok!(commit(REPORTER, task(1), &proof()));
		// The worker has stopped serving: all auditors say so, and would end the case.
		vote(task(1), &[Verdict::Unavailable; 3]);
		assert!(Concluded::get().is_empty());
		run(2);
		assert_ok!(report(REPORTER, task(1), proof()));
		assert_eq!(Convicted::get().len(), 1);
		assert!(Concluded::get().is_empty());
		assert_eq!(Verification::audits_open(), 0);
	});
}

#[test]
fn an_end_that_waited_for_junk_is_told_after_it() {
	test(|| {
		let drawn = open_and_draw(task(1), 3);
		assert_ok!(commit(REPORTER, task(1), b"junk"));
		vote(task(1), &[Verdict::Unavailable; 3]);
		assert!(Concluded::get().is_empty());
		run(params().report_window + 1);
		let failed = AuditOutcome::Failed(Verdict::Unavailable);
		assert_eq!(Concluded::get(), [(task(1), failed, drawn)]);
		assert!(!Cases::<Test>::contains_key(task(1)));
	});
}

#[test]
fn a_report_about_one_attempt_does_not_touch_the_next() {
	test(|| {
		unaudited(task(1));
		assert_ok!(commit(REPORTER, task(1), &proof()));
		assert_ok!(commit(OTHER, task(1), &proof()));
		run(2);
		assert_ok!(report(REPORTER, task(1), proof()));
		// The next attempt is honest.
		let terms = assay_primitives::traits::Terms {
			assurance: assay_primitives::work::Assurance::Optimistic,
			..terms(1)
		};
		assert_ok!(Verification::open(task(1), claim_of(&trace()), &terms));
		assert_ok!(report(OTHER, task(1), proof()));
		assert_eq!(Convicted::get().len(), 1);
		assert_eq!(case(task(1)).pending, 0);
		// An account with a report about the first attempt may have one about the second.
		assert_ok!(commit(OTHER, task(1), &proof()));
		run(params().report_window + 1);
		assert_eq!(Destroyed::get(), BOND);
	});
}

#[test]
fn a_program_stays_until_convictions_are_paid_out() {
	test(|| {
		unaudited(task(1));
		assert_ok!(commit(REPORTER, task(1), &proof()));
		run(2);
		assert_ok!(report(REPORTER, task(1), proof()));
		let program = claim().program;
		let remove = || Verification::remove_program(RuntimeOrigin::signed(FOUNDER), program);
		// The job that named it is gone.
		Verification::unhold(&program);
		assert_noop!(remove(), Error::<Test>::InUse);
		run(params().report_window + 1);
		assert_ok!(remove());
	});
}
