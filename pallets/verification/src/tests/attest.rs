//! Attestations: who may make them, when, and how often.

use crate::{mock::*, *};
use assay_primitives::{
	traits::Audits as _,
	work::{AuditOutcome, Place, Verdict},
};
use codec::Encode;
use frame_support::{assert_err, assert_noop, assert_ok};
use sp_core::Pair;
use sp_runtime::{
	testing::UintAuthorityId,
	transaction_validity::{InvalidTransaction, TransactionValidityError, UnknownTransaction},
	DispatchError,
};

fn refused(call: RuntimeCall) -> TransactionValidityError {
	let by_pool = validate(call.clone()).expect_err("the pool refuses");
	let by_block = submit(call).expect_err("a block refuses");
	assert_eq!(by_pool, by_block);
	by_block
}

const STALE: TransactionValidityError =
	TransactionValidityError::Invalid(InvalidTransaction::Stale);
const BAD_PROOF: TransactionValidityError =
	TransactionValidityError::Invalid(InvalidTransaction::BadProof);

#[test]
fn a_drawn_auditor_attests_without_fee() {
	test(|| {
		let drawn = open_and_draw(task(1), 3);
		let call = honest_call(task(1), 1, Verdict::Valid);
		let validity = validate(call.clone()).unwrap();
		let submitted_at = audit(task(1)).submitted_at;
		assert_eq!(
			validity.provides,
			[("assay/attest", (task(1), submitted_at, 0u8, 1u8)).encode()]
		);
		assert!(validity.requires.is_empty());
		assert!(validity.propagate);
		// The window is 10 blocks and this is its first.
		assert_eq!(validity.longevity, 11);

		// An account without a planck does not matter: there is none.
		assert_ok!(submit(call).unwrap());
		assert!(events().contains(&Event::Attested {
			task: task(1),
			auditor: drawn[1],
			verdict: Verdict::Valid
		}));
		assert_eq!(seats(task(1)).unwrap()[1].vote, Some(Verdict::Valid));
		assert!(!Duties::<Test>::contains_key(key(drawn[1]), task(1)));
		assert!(Duties::<Test>::contains_key(key(drawn[0]), task(1)));
	});
}

#[test]
fn the_dispatch_alone_lets_nobody_in() {
	test(|| {
		let drawn = open_and_draw(task(1), 1);
		let call = honest_call(task(1), 0, Verdict::Valid);
		let signed = Extrinsic::new_signed(
			call.clone(),
			drawn[0],
			UintAuthorityId(drawn[0]),
			Extension::new(),
		);
		assert_err!(apply(signed).unwrap().map_err(|e| e.error), DispatchError::BadOrigin);
		// The pool does not let a bare transaction in, and a block gets nothing out of one.
		let bare = Extrinsic::new_bare(call);
		assert_eq!(
			validate_extrinsic(bare.clone()),
			Err(UnknownTransaction::NoUnsignedValidator.into())
		);
		assert_err!(apply(bare).unwrap().map_err(|e| e.error), DispatchError::BadOrigin);
		assert_eq!(seats(task(1)).unwrap()[0].vote, None);
	});
}

#[test]
fn nobody_attests_twice() {
	test(|| {
		open_and_draw(task(1), 3);
		let same = honest_call(task(1), 0, Verdict::Valid);
		let other = honest_call(task(1), 0, Verdict::Unavailable);
		// In the pool the two exclude each other.
		assert_eq!(
			validate(same.clone()).unwrap().provides,
			validate(other.clone()).unwrap().provides
		);
		vote(task(1), 0, Verdict::Valid);
		assert_eq!(refused(same), STALE);
		assert_eq!(refused(other), STALE);
		assert_eq!(seats(task(1)).unwrap()[0].vote, Some(Verdict::Valid));
	});
}

#[test]
fn another_signature_is_refused() {
	test(|| {
		let drawn = open_and_draw(task(1), 3);
		let at = audit(task(1)).submitted_at;
		let stranger = (1..=9).find(|a| !drawn.contains(a)).unwrap();
		// Not drawn; drawn, but for another seat.
		assert_eq!(refused(attest_call(task(1), at, 0, 0, Verdict::Valid, stranger)), BAD_PROOF);
		assert_eq!(refused(attest_call(task(1), at, 0, 0, Verdict::Valid, drawn[1])), BAD_PROOF);
		// No such seat.
		for seat in [3, 15, 255] {
			assert_eq!(
				refused(attest_call(task(1), at, 0, seat, Verdict::Valid, drawn[0])),
				BAD_PROOF
			);
		}
	});
}

#[test]
fn a_signature_is_bound_to_all_that_was_attested() {
	test(|| {
		let drawn = open_and_draw(task(1), 3);
		let submitted_at = audit(task(1)).submitted_at;
		let sign = |attestation: assay_primitives::auditor::Attestation| {
			pair(drawn[0]).sign(&attestation.encode())
		};
		let said = Verification::attestation(task(1), submitted_at, 0, Verdict::Valid);
		let with = |signature| {
			RuntimeCall::from(Call::<Test>::attest {
				task: task(1),
				submitted_at,
				round: 0,
				seat: 0,
				verdict: Verdict::Valid,
				signature,
			})
		};
		let mut chain = said.clone();
		chain.genesis = Default::default();
		let mut other_task = said.clone();
		other_task.task = task(2);
		let mut attempt = said.clone();
		attempt.submitted_at += 1;
		let mut round = said.clone();
		round.round = 1;
		let mut verdict = said.clone();
		verdict.verdict = Verdict::Unavailable;
		for wrong in [chain, other_task, attempt, round, verdict] {
			assert_eq!(refused(with(sign(wrong))), BAD_PROOF);
		}
		assert_ok!(validate(with(sign(said))));
	});
}

#[test]
fn before_the_draw_and_for_unknown_tasks_nothing_is_let_in() {
	test(|| {
		open(task(1), 3);
		let at = audit(task(1)).submitted_at;
		assert_eq!(refused(attest_call(task(1), at, 0, 0, Verdict::Valid, 1)), STALE);
		assert_eq!(refused(attest_call(task(9), at, 0, 0, Verdict::Valid, 1)), STALE);
	});
}

#[test]
fn another_round_is_refused() {
	test(|| {
		let drawn = open_and_draw(task(1), 3);
		let at = audit(task(1)).submitted_at;
		assert_eq!(refused(attest_call(task(1), at, 1, 0, Verdict::Valid, drawn[0])), STALE);
		let late = honest_call(task(1), 0, Verdict::Valid);
		run(params().audit_window + 1);
		let redrawn = run_until_drawn(task(1));
		assert_eq!(audit(task(1)).round, 1);
		assert!(!redrawn.contains(&drawn[0]));
		// What was signed in round 0 does not count in round 1, under either number.
		assert_eq!(refused(late), STALE);
		assert_eq!(refused(attest_call(task(1), at, 1, 0, Verdict::Valid, drawn[0])), BAD_PROOF);
		assert_eq!(refused(attest_call(task(1), at, 0, 0, Verdict::Valid, redrawn[0])), STALE);
	});
}

#[test]
fn the_deadline_is_the_last_block() {
	test(|| {
		open_and_draw(task(1), 3);
		let Stage::Voting(voting) = audit(task(1)).stage else { panic!() };
		run_to(voting.deadline);
		let validity = validate(honest_call(task(1), 0, Verdict::Valid)).unwrap();
		assert_eq!(validity.longevity, 1);
		vote(task(1), 0, Verdict::Valid);
		let late = honest_call(task(1), 1, Verdict::Valid);
		// Late even if the agenda has not come to it.
		next_block_with(Default::default());
		assert_eq!(refused(late.clone()), STALE);
		next_block();
		assert_eq!(refused(late), STALE);
		assert_eq!(audit(task(1)).round, 1);
	});
}

#[test]
fn an_attestation_of_one_attempt_is_worth_nothing_in_another() {
	test(|| {
		set_auditors(1..=3);
		open_and_draw(task(1), 3);
		let calls = (0..3).map(|s| honest_call(task(1), s, Verdict::Valid)).collect::<Vec<_>>();
		Verification::forget(task(1));
		for call in &calls {
			assert_eq!(refused(call.clone()), STALE);
		}
		// The same task, the same auditors, round 0 again.
		let second = open_and_draw(task(1), 3);
		for call in calls {
			assert_eq!(refused(call), STALE);
		}
		// Old signatures under the new attempt's block.
		let at = audit(task(1)).submitted_at;
		let old = Verification::attestation(task(1), 1, 0, Verdict::Valid).encode();
		let signature = pair(second[0]).sign(&old);
		assert_eq!(
			refused(
				Call::<Test>::attest {
					task: task(1),
					submitted_at: at,
					round: 0,
					seat: 0,
					verdict: Verdict::Valid,
					signature
				}
				.into()
			),
			BAD_PROOF
		);
		assert!(Concluded::get().is_empty());
	});
}

#[test]
fn replay_after_the_conclusion_is_stale() {
	test(|| {
		open_and_draw(task(1), 1);
		let call = honest_call(task(1), 0, Verdict::Valid);
		assert_ok!(submit(call.clone()).unwrap());
		assert_eq!(outcomes(task(1)), [AuditOutcome::Passed]);
		assert_eq!(refused(call), STALE);
		assert_eq!(Concluded::get().len(), 1);
	});
}

#[test]
fn dispatch_checks_the_state_itself() {
	test(|| {
		open_and_draw(task(1), 3);
		let at = audit(task(1)).submitted_at;
		let attest = |submitted_at, round, seat| {
			Verification::attest(
				frame_system::RawOrigin::Authorized.into(),
				task(1),
				submitted_at,
				round,
				seat,
				Verdict::Valid,
				pair(1).sign(b"not looked at"),
			)
		};
		assert_noop!(attest(at + 1, 0, 0), Error::<Test>::NotUnderAudit);
		assert_noop!(attest(at, 1, 0), Error::<Test>::WrongRound);
		assert_noop!(attest(at, 0, 3), Error::<Test>::NoSuchSeat);
		assert_ok!(attest(at, 0, 0));
		assert_noop!(attest(at, 0, 0), Error::<Test>::AlreadyAttested);
		for _ in 0..=params().audit_window {
			next_block_with(Default::default());
		}
		assert_noop!(attest(at, 0, 1), Error::<Test>::TooLate);
	});
}

#[test]
fn seats_outlive_the_session() {
	test(|| {
		let drawn = open_and_draw(task(1), 3);
		set_auditors(20..=29);
		for seat in 0..3 {
			vote(task(1), seat, Verdict::Valid);
		}
		assert_eq!(Concluded::get(), [(task(1), AuditOutcome::Passed, drawn)]);
	});
}

#[test]
fn weight_of_the_conclusion_is_given_back_where_there_is_none() {
	test(|| {
		open_and_draw(task(1), 3);
		let declared = frame_support::dispatch::GetDispatchInfo::get_dispatch_info(&honest_call(
			task(1),
			0,
			Verdict::Invalid(Place { node: 1, row: 2, col: 3 }),
		))
		.call_weight;
		let post = submit(honest_call(task(1), 0, Verdict::Valid)).unwrap().unwrap();
		let authorize = <() as WeightInfo>::authorize_attest();
		assert!(
			post.actual_weight.unwrap().ref_time() < declared.ref_time() + authorize.ref_time()
		);
	});
}
