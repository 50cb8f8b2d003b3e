//! Whether an output is to be had: who is asked, what a quorum decides, and what nobody can make of it.

use crate::{mock::*, *};
use assay_primitives::{
	traits::{Audits as _, Terms},
	work::{
		Assurance, Custody,
		Delivery::{self, Doubted, Held, Inconclusive, Undelivered},
		Depth, ProgramInfo, TaskId,
		Verdict::{Abstained, Invalid, Unavailable, Valid},
	},
	Balance, Root,
};
use frame_support::{assert_noop, assert_ok};
use sp_runtime::{DispatchError, Permill};

/// A lie whose window is over; nobody was to audit it.
fn opened() -> TaskId {
	let terms = Terms { assurance: Assurance::Optimistic, ..terms(1) };
	assert_eq!(Verification::open(task(1), claim(), &terms), Ok(false));
	run(params().challenge_window);
	assert_eq!(Verification::open_until(task(1)), None);
	task(1)
}

/// The same in custody, with its custodians drawn.
fn in_custody() -> Vec<AccountId> {
	let task = opened();
	assert_ok!(Verification::deliver(task, 3));
	assert!(events().contains(&Event::CustodyOpened { task, custodians: 3 }));
	run_until_drawn(task)
}

fn found() -> Vec<Delivery> {
	Delivered::get().into_iter().map(|(_, found, _)| found).collect()
}

fn risk(of: AccountId) -> Balance {
	Bonds::<Test>::get(of).unwrap().at_risk
}

#[test]
fn custody_costs_by_the_output() {
	test(|| {
		let of = |output_bytes| {
			let info = Programs::<Test>::iter_values().next().unwrap().info;
			Verification::custody(&ProgramInfo { output_bytes, ..info })
		};
		assert_eq!(of(0), Ok(Custody { custodians: 3, fee: 50 }));
		assert_eq!(of(1), Ok(Custody { custodians: 3, fee: 57 }));
		assert_eq!(of(1 << 20), Ok(Custody { custodians: 3, fee: 57 }));
		let error = |error: Error<Test>| Err(DispatchError::from(error));
		assert_eq!(of((1 << 20) + 1), error(Error::OutputTooLarge));
		set_auditors(1..=2);
		assert_eq!(of(0), error(Error::NotEnoughCustodians));
		Parameters::<Test>::mutate(|p| p.custody_base = Balance::MAX);
		set_auditors(1..=3);
		assert!(of(1).is_err());
	});
}

#[test]
fn the_output_of_a_program_is_its_last_tensor() {
	test(|| {
		let program = program(1).validate().unwrap();
		let info = Programs::<Test>::get(Root::from(program.id())).unwrap().info;
		// One row of 4 inputs, and as many outputs of 4 bytes as its shape says: worked out by hand.
		assert_eq!(info.output_bytes, program.output_shape().bytes());
		assert_eq!(u64::from(trace().tensors.last().unwrap().shape().rows), 1);
		assert_eq!(info.output_bytes, trace().tensors.last().unwrap().data().len() as u64);
	});
}

#[test]
fn no_job_can_ask_for_custody_as_its_audit() {
	test(|| {
		let assurance =
			Assurance::Audited { auditors: 1, depth: Depth::Custody, at_least: Permill::one() };
		let costs = Default::default();
		let error = Err(Error::<Test>::DepthTooShallow.into());
		assert_eq!(Verification::fee(&costs, &assurance, 0), error);
	});
}

/// One of three that is absent, or lies, keeps nobody from being paid.
#[test]
fn a_majority_that_has_it_is_enough() {
	test(|| {
		let drawn = in_custody();
		let before = risk(drawn[2]);
		vote(task(1), &[Valid, Unavailable, Valid]);
		assert_eq!(Delivered::get(), [(task(1), Held, drawn.clone())]);
		// The case stands, and nobody answers for what is in the output: it is a lie.
		assert!(Cases::<Test>::contains_key(task(1)));
		assert!(case(task(1)).vouched.is_empty());
		assert_eq!(before, DEPOSIT);
		assert!(drawn.iter().all(|auditor| risk(*auditor) == 0));
		assert_eq!(Verification::audits_open(), 0);
	});
}

#[test]
fn whoever_is_absent_pays_for_it() {
	test(|| {
		let drawn = in_custody();
		vote(task(1), &[Valid, Valid]);
		run(params().opening_window + 1);
		assert_eq!(Delivered::get(), [(task(1), Held, drawn[..2].to_vec())]);
		assert_eq!(Destroyed::get(), DEPOSIT);
	});
}

#[test]
fn two_quorums_with_nobody_in_both_are_needed_to_say_that_it_is_not_there() {
	test(|| {
		let first = in_custody();
		let round = audit(task(1)).round;
		vote(task(1), &[Unavailable; 3]);
		assert_eq!(Delivered::get(), [(task(1), Doubted, first.clone())]);
		assert!(Cases::<Test>::contains_key(task(1)));
		let second = run_until_drawn(task(1));
		assert!(second.iter().all(|auditor| !first.contains(auditor)));
		assert!(audit(task(1)).round > round);
		vote(task(1), &[Unavailable, Valid, Unavailable]);
		assert_eq!(found(), [Doubted, Undelivered]);
		assert_eq!(Delivered::get()[1].2, second);
		assert!(!Cases::<Test>::contains_key(task(1)));
		assert_eq!(Verification::audits_failed(), 0);
		// Nothing more comes of it, and the task can be submitted again.
		run(100);
		assert_eq!(found().len(), 2);
		open(task(1), 1);
	});
}

#[test]
fn a_second_quorum_that_has_it_ends_the_doubt() {
	test(|| {
		in_custody();
		vote(task(1), &[Unavailable; 3]);
		run_until_drawn(task(1));
		vote(task(1), &[Valid; 3]);
		assert_eq!(found(), [Doubted, Held]);
		assert!(Cases::<Test>::contains_key(task(1)));
	});
}

/// With too few auditors for two quorums nobody is slashed on the word of one.
#[test]
fn the_same_custodians_are_never_asked_twice() {
	test(|| {
		set_auditors(1..=5);
		in_custody();
		vote(task(1), &[Unavailable; 3]);
		run(params().draw_timeout);
		assert_eq!(found(), [Doubted, Inconclusive]);
		assert!(!Cases::<Test>::contains_key(task(1)));
	});
}

/// Silence never becomes payment.
#[test]
fn custody_that_nobody_takes_on_is_inconclusive() {
	test(|| {
		in_custody();
		let mut rounds = vec![];
		while Audits::<Test>::contains_key(task(1)) {
			rounds.push(audit(task(1)).round);
			next_block();
		}
		rounds.dedup();
		assert_eq!(rounds, [8, 9, 10, 11]);
		assert_eq!(found(), [Inconclusive]);
		// Three of each round were absent.
		assert_eq!(Destroyed::get(), 12 * DEPOSIT);
	});
}

#[test]
fn abstaining_decides_nothing() {
	test(|| {
		let first = in_custody();
		vote(task(1), &[Valid, Abstained, Abstained]);
		assert_eq!(found(), []);
		let second = run_until_drawn(task(1));
		assert!(second.iter().all(|auditor| !first.contains(auditor)));
	});
}

/// A result that its buyer has acknowledged meanwhile stands, whatever custodians say.
#[test]
fn the_sink_says_whether_the_result_stands() {
	test(|| {
		in_custody();
		Acknowledged::set(true);
		vote(task(1), &[Unavailable; 3]);
		run_until_drawn(task(1));
		vote(task(1), &[Unavailable; 3]);
		assert_eq!(found(), [Doubted, Undelivered]);
		assert!(Cases::<Test>::contains_key(task(1)));
	});
}

/// What was sealed in an audit of the same result is no vote of a custodian, and the other way round.
#[test]
fn rounds_of_custody_are_none_of_the_audit() {
	test(|| {
		let drawn = open_and_draw(task(1), 3);
		let in_audit = seat(task(1), 0);
		vote(task(1), &[Valid; 3]);
		run(params().challenge_window);
		assert_eq!(case(task(1)).vouched.len(), 3);
		assert_ok!(Verification::deliver(task(1), 3));
		run_until_drawn(task(1));
		let in_custody = seat(task(1), 0);
		assert_ne!(in_audit, in_custody);
		let replayed = seal_call(in_audit, Valid, drawn[0]);
		assert!(submit(replayed).is_err());
		// Those who vouched still answer for the result, and are free once it stands.
		vote(task(1), &[Valid; 3]);
		assert_eq!(case(task(1)).vouched.len(), 3);
		Verification::close(task(1));
		assert!((1..=9).all(|auditor| risk(auditor) == 0));
	});
}

/// A lie that is proved while custodians are asked is a lie, and costs them nothing.
#[test]
fn a_lie_is_proved_in_custody_too() {
	test(|| {
		let drawn = in_custody();
		seal_verdict(task(1), 0, Invalid(WRONG));
		seal_verdict(task(1), 1, Valid);
		seal_verdict(task(1), 2, Valid);
		open_verdict(task(1), 1, Valid);
		open_verdict(task(1), 0, Invalid(WRONG));
		assert_eq!(Convicted::get().len(), 1);
		assert_eq!(found(), []);
		assert!(drawn.iter().all(|auditor| risk(*auditor) == 0));
		assert_eq!(Destroyed::get(), 0);
		assert!(!Audits::<Test>::contains_key(task(1)));
	});
}

#[test]
fn custody_is_of_a_result_that_stands_and_not_in_audit() {
	test(|| {
		let deliver = || Verification::deliver(task(1), 3);
		assert_noop!(deliver(), Error::<Test>::NotOpen);
		open(task(1), 3);
		assert_noop!(deliver(), Error::<Test>::AlreadyOpen);
		run_until_drawn(task(1));
		vote(task(1), &[Valid; 3]);
		assert_ok!(deliver());
		assert_noop!(deliver(), Error::<Test>::AlreadyOpen);
	});
}

/// Its window is over, and a sealed report ends before anything else does.
#[test]
fn an_end_without_payment_waits_for_sealed_reports() {
	test(|| {
		set_auditors(1..=5);
		let task = opened();
		assert_ok!(Verification::deliver(task, 3));
		run_until_drawn(task);
		Cases::<Test>::mutate_extant(task, |case| case.closes_at = now() + 40);
		let salt = SALT;
		let sealed = report_seal(&REPORTER, task, case(task).submitted_at, &proof(), &salt);
		assert_ok!(Verification::commit_report(RuntimeOrigin::signed(REPORTER), task, sealed));
		vote(task, &[Unavailable; 3]);
		run(5);
		assert_eq!(found(), [Doubted]);
		let proof = proof().try_into().unwrap();
		assert_ok!(Verification::report_fraud(RuntimeOrigin::signed(REPORTER), task, proof, salt));
		assert_eq!(Convicted::get().len(), 1);
		run(100);
		assert_eq!(found(), [Doubted]);
	});
}

/// Whoever keeps nothing is not asked to, in neither quorum, however few do.
#[test]
fn only_those_who_keep_outputs_are_drawn() {
	test(|| {
		for auditor in [2, 4, 6] {
			Custodians::<Test>::mutate_extant(auditor, |it| it.url = Default::default());
		}
		set_auditors(1..=9);
		for job in 1..=8 {
			let terms = Terms { assurance: Assurance::Optimistic, ..terms(1) };
			assert_eq!(Verification::open(task(job), claim(), &terms), Ok(false));
		}
		run(params().challenge_window);
		for job in 1..=8 {
			assert_ok!(Verification::deliver(task(job), 3));
			let first = run_until_drawn(task(job));
			vote(task(job), &[Unavailable; 3]);
			let second = run_until_drawn(task(job));
			let drawn = [first, second].concat();
			assert_eq!(drawn.len(), 6);
			assert!(drawn.iter().all(|auditor| ![2, 4, 6].contains(auditor)), "{drawn:?}");
			vote(task(job), &[Valid; 3]);
		}
		// Audits are everybody's.
		set_auditors([2, 4, 6]);
		open_and_draw(task(20), 3);
	});
}
