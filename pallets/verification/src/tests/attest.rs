//! Attestations: who may seal and open them, when, and how often.

use crate::{mock::*, *};
use assay_primitives::{
	auditor::{seal, SeatId},
	traits::Audits as _,
	work::{AuditOutcome, Offence, Place, Verdict},
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
const FUTURE: TransactionValidityError =
	TransactionValidityError::Invalid(InvalidTransaction::Future);
const BAD_PROOF: TransactionValidityError =
	TransactionValidityError::Invalid(InvalidTransaction::BadProof);

/// The right call of the seat's own auditor.
fn sealing(number: u8, verdict: Verdict) -> RuntimeCall {
	let seat = seat(task(1), number);
	seal_call(seat, verdict, holder(seat))
}

fn opening(number: u8, verdict: Verdict) -> RuntimeCall {
	open_call(seat(task(1), number), verdict)
}

#[test]
fn a_drawn_auditor_seals_and_opens_without_fee() {
	test(|| {
		let drawn = open_and_draw(task(1), 3);
		let call = sealing(1, Verdict::Valid);
		let validity = validate(call.clone()).unwrap();
		assert_eq!(validity.provides, [("assay/seal", seat(task(1), 1)).encode()]);
		assert!(validity.requires.is_empty());
		assert!(validity.propagate);
		// The window is 10 blocks and this is its first.
		assert_eq!(validity.longevity, 11);
		// An account without a planck does not matter: there is none.
		assert_ok!(submit(call).unwrap());
		assert!(events().contains(&Event::Sealed { task: task(1), auditor: drawn[1] }));
		assert_eq!(seats(task(1)).unwrap()[1].vote, None);

		// Nobody's verdict is known before all are sealed.
		assert_eq!(refused(opening(1, Verdict::Valid)), FUTURE);
		seal_verdict(task(1), 0, Verdict::Valid);
		seal_verdict(task(1), 2, Verdict::Unavailable);
		let call = opening(1, Verdict::Valid);
		let validity = validate(call.clone()).unwrap();
		assert_eq!(validity.provides, [("assay/open", seat(task(1), 1)).encode()]);
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
fn verdicts_may_be_opened_once_none_can_be_sealed_any_more() {
	test(|| {
		open_and_draw(task(1), 3);
		seal_verdict(task(1), 0, Verdict::Valid);
		run_to(voting(task(1)).unwrap().seals_until);
		assert_eq!(refused(opening(0, Verdict::Valid)), FUTURE);
		next_block();
		assert_eq!(refused(sealing(1, Verdict::Valid)), STALE);
		assert_ok!(validate(opening(0, Verdict::Valid)));
		// Who has not sealed has nothing to open.
		assert_eq!(refused(opening(1, Verdict::Valid)), STALE);
		run_to(voting(task(1)).unwrap().opens_until);
		assert_eq!(validate(opening(0, Verdict::Valid)).unwrap().longevity, 1);
		let late = opening(0, Verdict::Valid);
		// Late even if the agenda has not come to it.
		next_block_with(Default::default());
		assert_eq!(refused(late), STALE);
	});
}

#[test]
fn the_dispatch_alone_lets_nobody_in() {
	test(|| {
		let drawn = open_and_draw(task(1), 1);
		let call = sealing(0, Verdict::Valid);
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
		assert_eq!(seats(task(1)).unwrap()[0].sealed, None);
		assert_noop!(
			Verification::open_verdict(
				RuntimeOrigin::signed(drawn[0]),
				seat(task(1), 0),
				Verdict::Valid,
				Default::default(),
				SALT
			)
			.map_err(|e| e.error),
			DispatchError::BadOrigin
		);
	});
}

#[test]
fn nobody_seals_or_opens_twice() {
	test(|| {
		open_and_draw(task(1), 3);
		let same = sealing(0, Verdict::Valid);
		let other = sealing(0, Verdict::Unavailable);
		// In the pool the two exclude each other.
		assert_eq!(
			validate(same.clone()).unwrap().provides,
			validate(other.clone()).unwrap().provides
		);
		for number in 0..3 {
			seal_verdict(task(1), number, Verdict::Valid);
		}
		assert_eq!(refused(same), STALE);
		assert_eq!(refused(other), STALE);
		open_verdict(task(1), 0, Verdict::Valid);
		assert_eq!(refused(opening(0, Verdict::Valid)), STALE);
		assert_eq!(seats(task(1)).unwrap()[0].vote, Some(Verdict::Valid));
	});
}

#[test]
fn only_what_was_sealed_can_be_opened() {
	test(|| {
		open_and_draw(task(1), 3);
		for number in 0..3 {
			seal_verdict(task(1), number, Verdict::Valid);
		}
		let id = seat(task(1), 0);
		let with = |verdict, proof: Vec<u8>, salt| {
			let proof = proof.try_into().unwrap();
			Call::<Test>::open_verdict { seat: id, verdict, proof, salt }.into()
		};
		for wrong in [
			with(Verdict::Unavailable, vec![], SALT),
			with(Verdict::Invalid(WRONG), proof(), SALT),
			with(Verdict::Valid, vec![1], SALT),
			with(Verdict::Valid, vec![], [8; 32]),
		] {
			assert_eq!(refused(wrong), BAD_PROOF);
		}
		assert_ok!(validate(with(Verdict::Valid, vec![], SALT)));
	});
}

#[test]
fn a_copied_seal_opens_nothing() {
	test(|| {
		let drawn = open_and_draw(task(1), 3);
		let first = seat(task(1), 0);
		let copied = seal(&key(drawn[0]), &first, &Verdict::Valid, &[], &SALT);
		for number in 0..3 {
			// Two copy what the first has sealed, and sign it themselves.
			let seat = SeatId { number, ..first };
			let message = Verification::signed_seal(seat, copied).encode();
			let signature = pair(drawn[usize::from(number)]).sign(&message);
			let call = Call::<Test>::seal_verdict { seat, seal: copied, signature };
			assert_ok!(submit(call.into()).unwrap());
		}
		open_verdict(task(1), 0, Verdict::Valid);
		// They see the verdict and the salt now; it does not help them.
		assert_eq!(refused(opening(1, Verdict::Valid)), BAD_PROOF);
		assert_eq!(refused(opening(2, Verdict::Valid)), BAD_PROOF);
	});
}

#[test]
fn another_signature_is_refused() {
	test(|| {
		let drawn = open_and_draw(task(1), 3);
		let id = seat(task(1), 0);
		// Another drawn auditor for this seat, one that was not drawn, and a stranger's key.
		let undrawn = (1..=9).find(|a| !drawn.contains(a)).unwrap();
		for signer in [drawn[1], undrawn, 999] {
			assert_eq!(refused(seal_call(id, Verdict::Valid, signer)), BAD_PROOF);
		}
		let beyond = SeatId { number: 3, ..id };
		assert_eq!(refused(seal_call(beyond, Verdict::Valid, drawn[0])), BAD_PROOF);
		// What was signed is another chain's, another seat's or another seal.
		let sealed = seal(&key(drawn[0]), &id, &Verdict::Valid, &[], &SALT);
		let said = Verification::signed_seal(id, sealed);
		let with = |message: assay_primitives::auditor::SignedSeal| {
			let signature = pair(drawn[0]).sign(&message.encode());
			RuntimeCall::from(Call::<Test>::seal_verdict { seat: id, seal: sealed, signature })
		};
		let mut chain = said.clone();
		chain.genesis = Default::default();
		let mut other_task = said.clone();
		other_task.seat.task = task(2);
		let mut attempt = said.clone();
		attempt.seat.submitted_at += 1;
		let mut round = said.clone();
		round.seat.round = 1;
		let mut number = said.clone();
		number.seat.number = 1;
		let mut other = said.clone();
		other.seal = Default::default();
		for wrong in [chain, other_task, attempt, round, number, other] {
			assert_eq!(refused(with(wrong)), BAD_PROOF);
		}
		assert_ok!(validate(with(said)));
	});
}

#[test]
fn before_the_draw_and_for_unknown_tasks_nothing_is_let_in() {
	test(|| {
		open(task(1), 3);
		let id = seat(task(1), 0);
		assert_eq!(refused(seal_call(id, Verdict::Valid, 1)), STALE);
		assert_eq!(refused(seal_call(SeatId { task: task(9), ..id }, Verdict::Valid, 1)), STALE);
		assert_eq!(refused(open_call(id, Verdict::Valid)), STALE);
	});
}

#[test]
fn another_round_is_refused() {
	test(|| {
		let drawn = open_and_draw(task(1), 3);
		let id = seat(task(1), 0);
		let next = SeatId { round: 1, ..id };
		assert_eq!(refused(seal_call(next, Verdict::Valid, drawn[0])), STALE);
		let late = sealing(0, Verdict::Valid);
		run(params().audit_window + 1);
		let redrawn = run_until_drawn(task(1));
		assert_eq!(audit(task(1)).round, 1);
		assert!(!redrawn.contains(&drawn[0]));
		// What was signed in round 0 does not count in round 1, under either number.
		assert_eq!(refused(late), STALE);
		assert_eq!(refused(seal_call(next, Verdict::Valid, drawn[0])), BAD_PROOF);
		assert_eq!(refused(seal_call(id, Verdict::Valid, redrawn[0])), STALE);
	});
}

#[test]
fn an_attestation_of_one_attempt_is_worth_nothing_in_another() {
	test(|| {
		set_auditors(1..=3);
		open_and_draw(task(1), 3);
		let calls = (0..3).map(|n| sealing(n, Verdict::Valid)).collect::<Vec<_>>();
		vote(task(1), &[Verdict::Unavailable; 3]);
		for call in &calls {
			assert_eq!(refused(call.clone()), STALE);
		}
		// The same task, the same auditors, round 0 again.
		next_block();
		open_and_draw(task(1), 3);
		for call in calls {
			assert_eq!(refused(call), STALE);
		}
		assert_eq!(outcomes(task(1)), [AuditOutcome::Failed(Verdict::Unavailable)]);
	});
}

#[test]
fn replay_after_the_conclusion_is_stale() {
	test(|| {
		open_and_draw(task(1), 1);
		let sealing = sealing(0, Verdict::Valid);
		let opening = opening(0, Verdict::Valid);
		vote(task(1), &[Verdict::Valid]);
		assert_eq!(outcomes(task(1)), [AuditOutcome::Passed]);
		assert_eq!(refused(sealing), STALE);
		assert_eq!(refused(opening), STALE);
		assert_eq!(Concluded::get().len(), 1);
	});
}

#[test]
fn dispatch_checks_the_state_itself() {
	test(|| {
		open_and_draw(task(1), 3);
		let id = seat(task(1), 0);
		let seal = |seat| {
			let origin = frame_system::RawOrigin::Authorized.into();
			let signature = pair(1).sign(b"not looked at");
			Verification::seal_verdict(origin, seat, Default::default(), signature)
		};
		let open = |seat| {
			let origin = frame_system::RawOrigin::Authorized.into();
			Verification::open_verdict(origin, seat, Verdict::Valid, Default::default(), SALT)
				.map_err(|e| e.error)
		};
		let attempt = SeatId { submitted_at: id.submitted_at + 1, ..id };
		assert_noop!(seal(attempt), Error::<Test>::NotUnderAudit);
		assert_noop!(seal(SeatId { round: 1, ..id }), Error::<Test>::WrongRound);
		assert_noop!(seal(SeatId { number: 3, ..id }), Error::<Test>::NoSuchSeat);
		assert_noop!(open(id), Error::<Test>::NotSealed);
		assert_ok!(seal(id));
		assert_noop!(seal(id), Error::<Test>::AlreadySealed);
		assert_noop!(open(id), Error::<Test>::TooEarly);
		for _ in 0..=params().audit_window {
			next_block_with(Default::default());
		}
		assert_noop!(seal(SeatId { number: 1, ..id }), Error::<Test>::TooLate);
		assert_noop!(open(id), Error::<Test>::WrongSeal);
		for _ in 0..=params().opening_window {
			next_block_with(Default::default());
		}
		assert_noop!(open(id), Error::<Test>::TooLate);
	});
}

#[test]
fn seats_outlive_the_session() {
	test(|| {
		let drawn = open_and_draw(task(1), 3);
		set_auditors(20..=29);
		vote(task(1), &[Verdict::Valid; 3]);
		assert_eq!(Concluded::get(), [(task(1), AuditOutcome::Passed, drawn)]);
	});
}

#[test]
fn one_accusation_with_its_proof_convicts_whatever_others_say() {
	test(|| {
		let drawn = open_and_draw(task(1), 3);
		let sealed_at = now();
		seal_verdict(task(1), 0, Verdict::Valid);
		seal_verdict(task(1), 1, Verdict::Valid);
		seal_verdict(task(1), 2, Verdict::Invalid(WRONG));
		open_verdict(task(1), 0, Verdict::Valid);
		open_verdict(task(1), 1, Verdict::Valid);
		// Two of three are no end while a third has yet to speak.
		assert!(Concluded::get().is_empty());
		open_verdict(task(1), 2, Verdict::Invalid(WRONG));
		let Offence::Wrong(fault) = Convicted::get()[0].1 else { panic!("not withheld") };
		assert_eq!((fault.place, Convicted::get()[0].2), (WRONG, true));
		assert!(Concluded::get().is_empty());
		assert!(!Cases::<Test>::contains_key(task(1)) && !Audits::<Test>::contains_key(task(1)));
		// Who said that it was right, unseen, pays for that.
		let bonds = drawn.iter().map(|auditor| Bonds::<Test>::get(auditor).unwrap());
		let bonds = bonds.map(|bond| (bond.amount, bond.at_risk)).collect::<Vec<_>>();
		let slashed = (AUDITOR_BOND - DEPOSIT, 0);
		assert_eq!(bonds, [slashed, slashed, (AUDITOR_BOND, 0)]);
		let conviction = Convictions::<Test>::get(task(1), 1).unwrap();
		assert_eq!((conviction.challenger, conviction.since), (drawn[2], sealed_at));
		run(params().report_window + 1);
		assert_eq!(Rewarded::get(), [(drawn[2], REWARD)]);
	});
}

#[test]
fn an_accusation_that_does_not_hold_costs_the_deposit() {
	test(|| {
		let drawn = open_and_draw(task(1), 3);
		let elsewhere = Place { col: 0, ..WRONG };
		vote(task(1), &[Verdict::Valid, Verdict::Valid, Verdict::Invalid(elsewhere)]);
		assert!(Convicted::get().is_empty());
		// Two of three are no quorum of three.
		assert_eq!(audit(task(1)).round, 1);
		assert_eq!(Bonds::<Test>::get(drawn[2]).unwrap().amount, AUDITOR_BOND - DEPOSIT);
		assert_eq!(Destroyed::get(), DEPOSIT);
		assert_eq!(Bonds::<Test>::get(drawn[0]).unwrap().at_risk, 0);
	});
}

#[test]
fn who_vouches_has_its_deposit_at_risk_until_the_window_closes() {
	test(|| {
		let drawn = open_and_draw(task(1), 3);
		vote(task(1), &[Verdict::Valid; 3]);
		let risk = |auditor| Bonds::<Test>::get(auditor).unwrap().at_risk;
		assert!(drawn.iter().all(|auditor| risk(*auditor) == DEPOSIT));
		run_to(1 + params().challenge_window);
		assert_eq!(Verification::open_until(task(1)), None);
		Verification::close(task(1));
		assert!(drawn.iter().all(|auditor| risk(*auditor) == 0));
		assert!(!Cases::<Test>::contains_key(task(1)));
	});
}
