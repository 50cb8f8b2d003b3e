//! Demands: who may make them, who answers them, what silence costs.

use crate::{mock::*, *};
use assay_compute::{
	audit::{self as audits, MemorySource},
	proof::{
		demand::{self, Opening, Walk},
		OpenNode,
	},
	Trace,
};
use assay_primitives::{
	auditor::SeatId,
	demand::{answer_key, Wanted, MAX_SEAT_DEMANDS},
	traits::{Audits as _, Terms},
	work::{Assurance, AuditOutcome, Commitment, Depth, Offence, TaskId, Verdict},
	Balance, Root, ASY,
};
use codec::{DecodeAll, Encode};
use frame_support::{
	assert_noop, assert_ok,
	traits::{
		fungible::{hold::Inspect as _, Inspect as _, Mutate as _},
		tokens::Preservation,
	},
};
use sp_core::Pair;
use sp_runtime::{
	transaction_validity::{InvalidTransaction, TransactionValidityError},
	DispatchResult,
};

/// A row of the product, of which the lie is one.
const ROW: Wanted = Wanted::Row { node: 2, row: 0 };

fn optimistic() -> Terms {
	Terms { assurance: Assurance::Optimistic, ..terms(1) }
}

/// A lie that nobody is drawn to look at.
fn unaudited(task: TaskId) {
	assert_eq!(Verification::open(task, claim(), &optimistic()), Ok(false));
}

/// A lie that was committed to by its output alone.
fn without_trace(task: TaskId) {
	let mut claim = claim();
	claim.commitment.trace_root = None;
	assert_eq!(Verification::open(task, claim, &optimistic()), Ok(false));
}

fn node(wanted: &Wanted) -> Vec<u8> {
	let program = program(1).validate().unwrap();
	let about = wanted.place().and_then(|place| place.node());
	about.map(|node| OpenNode::of(&program, node).unwrap().encode()).unwrap_or_default()
}

fn demand_as(who: AccountId, task: TaskId, wanted: Wanted) -> DispatchResult {
	let opened = node(&wanted).try_into().unwrap();
	Verification::demand(RuntimeOrigin::signed(who), task, wanted, opened)
}

fn compute_claim(trace: &Trace) -> audits::Claim {
	audits::Claim::new(vec![trace.roots()[0]], &trace.commit())
}

/// What the worker has to say to a demand about a trace.
fn opening(trace: &Trace, wanted: Wanted) -> Vec<u8> {
	let Some(place) = wanted.place() else { return trace.commit().trace_root.encode() };
	let program = program(1).validate().unwrap();
	let mut source = MemorySource::new(trace);
	demand::open(&program, &compute_claim(trace), &place, &mut source).unwrap().encode()
}

fn answer_as(who: AccountId, task: TaskId, demander: AccountId, answer: Vec<u8>) -> DispatchResult {
	let answer = answer.try_into().unwrap();
	Verification::answer(RuntimeOrigin::signed(who), task, demander, answer)
}

fn held(who: AccountId) -> Balance {
	Balances::balance_on_hold(&HoldReason::DemandBond.into(), &who)
}

/// Price of a row of the product, from what its answer may have at the most.
fn price() -> Balance {
	let shape = program(1).validate().unwrap().output_shape();
	ASY + 1_000 * Balance::from(demand::largest_opening(3, shape))
}

#[test]
fn an_answer_is_paid_for_and_the_task_goes_on() {
	test(|| {
		unaudited(task(1));
		assert_ok!(demand_as(REPORTER, task(1), ROW));
		assert_eq!(held(REPORTER), price());
		assert_eq!((case(task(1)).pending, case(task(1)).strangers), (1, 1));
		let until = now() + params().demand_window;
		assert!(events().contains(&Event::Demanded {
			task: task(1),
			by: REPORTER,
			wanted: ROW,
			until
		}));
		let view = Verification::demanded(task(1)).pop().unwrap();
		assert_eq!((view.by, view.wanted, view.until), (REPORTER, ROW, until));
		assert_ok!(answer_as(HOT, task(1), REPORTER, opening(&lie(), ROW)));
		assert_eq!(held(REPORTER), 0);
		assert_eq!(Balances::balance(&HOT), ASY + price());
		assert_eq!(Balances::balance(&REPORTER), 100 * ASY - price());
		assert_eq!((case(task(1)).pending, case(task(1)).strangers), (0, 0));
		assert!(Verification::demanded(task(1)).is_empty());
		run_to(until + 2);
		assert!(Convicted::get().is_empty());
	});
}

#[test]
fn anyone_who_can_may_answer() {
	test(|| {
		unaudited(task(1));
		assert_ok!(demand_as(REPORTER, task(1), ROW));
		assert_ok!(answer_as(OTHER, task(1), REPORTER, opening(&lie(), ROW)));
		assert_eq!(Balances::balance(&OTHER), 100 * ASY + price());
	});
}

#[test]
fn silence_is_a_conviction_that_leaves_no_one_richer() {
	test(|| {
		unaudited(task(1));
		assert_ok!(demand_as(REPORTER, task(1), ROW));
		run(params().demand_window);
		assert!(Cases::<Test>::contains_key(task(1)));
		run(1);
		assert_eq!(Convicted::get(), [(task(1), Offence::Withheld(ROW), false)]);
		assert!(!Cases::<Test>::contains_key(task(1)));
		assert_eq!(Balances::balance(&REPORTER), 100 * ASY);
		run(params().report_window + 2);
		assert!(Rewarded::get().is_empty());
		assert_noop!(
			answer_as(HOT, task(1), REPORTER, opening(&lie(), ROW)),
			Error::<Test>::NoDemand
		);
	});
}

#[test]
fn the_last_block_is_not_too_late_to_answer() {
	test(|| {
		unaudited(task(1));
		assert_ok!(demand_as(REPORTER, task(1), ROW));
		run(params().demand_window);
		assert_ok!(answer_as(HOT, task(1), REPORTER, opening(&lie(), ROW)));
		run(2);
		assert!(Convicted::get().is_empty());
	});
}

#[test]
fn only_what_was_demanded_is_an_answer() {
	test(|| {
		unaudited(task(1));
		assert_ok!(demand_as(REPORTER, task(1), ROW));
		let right = opening(&lie(), ROW);
		let mut long = right.clone();
		long.push(0);
		let mut flipped = right.clone();
		*flipped.last_mut().unwrap() ^= 1;
		for wrong in [
			vec![],
			vec![0xff; 64],
			right[..right.len() - 1].to_vec(),
			long,
			flipped,
			// Another trace's, and another place of this one.
			opening(&trace(), ROW),
			opening(&lie(), Wanted::Row { node: 1, row: 0 }),
			opening(&lie(), Wanted::Tensors { level: 2, index: 0 }),
			lie().commit().trace_root.encode(),
		] {
			assert_noop!(answer_as(HOT, task(1), REPORTER, wrong), Error::<Test>::NotAnAnswer);
		}
		assert_noop!(answer_as(HOT, task(1), OTHER, right.clone()), Error::<Test>::NoDemand);
		assert_noop!(answer_as(HOT, task(2), REPORTER, right), Error::<Test>::NoDemand);
		run(params().demand_window + 1);
		assert_eq!(Convicted::get().len(), 1);
	});
}

#[test]
fn nobody_is_asked_for_what_there_is_not() {
	test(|| {
		unaudited(task(1));
		let ask = |wanted: Wanted, opened: Vec<u8>| {
			let opened = opened.try_into().unwrap();
			Verification::demand(RuntimeOrigin::signed(REPORTER), task(1), wanted, opened)
		};
		let shown = node(&ROW);
		for (wanted, opened) in [
			(Wanted::Row { node: 2, row: 1 }, shown.clone()),
			(Wanted::Row { node: 3, row: 0 }, shown.clone()),
			// Another node than the one shown, none shown, and one shown in vain.
			(Wanted::Row { node: 1, row: 2 }, shown.clone()),
			(ROW, vec![]),
			(ROW, vec![0xff; 100]),
			(ROW, [shown.clone(), vec![0]].concat()),
			(Wanted::Tensors { level: 2, index: 0 }, shown.clone()),
			(Wanted::Tensors { level: 3, index: 0 }, vec![]),
			(Wanted::Tensors { level: 0, index: 3 }, vec![]),
			(Wanted::Rows { node: 2, level: 9, index: 0 }, shown.clone()),
			(Wanted::Trace, shown),
		] {
			assert_noop!(ask(wanted, opened), Error::<Test>::NoSuchPlace);
		}
		assert_noop!(ask(Wanted::Trace, vec![]), Error::<Test>::TraceKnown);
		assert_noop!(demand_as(REPORTER, task(2), ROW), Error::<Test>::NotOpen);
		assert_noop!(demand_as(POOR, task(1), ROW), sp_runtime::TokenError::FundsUnavailable);
	});
}

#[test]
fn one_at_a_time_and_a_bounded_number_of_strangers() {
	test(|| {
		unaudited(task(1));
		assert_ok!(demand_as(REPORTER, task(1), ROW));
		assert_noop!(demand_as(REPORTER, task(1), ROW), Error::<Test>::AlreadyDemanded);
		let strangers = (1..u64::from(MAX_STRANGERS)).map(|n| 2_000 + n).collect::<Vec<_>>();
		for stranger in &strangers {
			let to_spend = Preservation::Preserve;
			assert_ok!(Balances::transfer(&OWNER, stranger, 10 * ASY, to_spend));
			assert_ok!(demand_as(*stranger, task(1), ROW));
		}
		assert_noop!(demand_as(OTHER, task(1), ROW), Error::<Test>::TooManyDemands);
		// They do not keep the buyer from it.
		assert_ok!(demand_as(BUYER, task(1), ROW));
		assert_ok!(answer_as(HOT, task(1), REPORTER, opening(&lie(), ROW)));
		assert_ok!(demand_as(OTHER, task(1), ROW));
		for demander in strangers.into_iter().chain([OTHER, BUYER]) {
			assert_ok!(answer_as(HOT, task(1), demander, opening(&lie(), ROW)));
		}
		assert_eq!((case(task(1)).pending, case(task(1)).strangers), (0, 0));
	});
}

#[test]
fn strangers_move_the_window_only_so_often_and_the_buyer_as_often_as_it_takes() {
	test(|| {
		unaudited(task(1));
		let close = |who| {
			run_to(case(task(1)).closes_at - 1);
			let before = case(task(1)).closes_at;
			let made = demand_as(who, task(1), ROW);
			if made.is_ok() {
				assert!(case(task(1)).closes_at > before);
				assert_ok!(answer_as(HOT, task(1), who, opening(&lie(), ROW)));
			}
			made
		};
		for _ in 0..params().max_moves {
			assert_ok!(close(REPORTER));
		}
		assert_eq!(close(REPORTER), Err(Error::<Test>::TooLate.into()));
		for _ in 0..MAX_SEAT_DEMANDS {
			assert_ok!(close(BUYER));
		}
		assert_eq!(close(BUYER), Err(Error::<Test>::TooLate.into()));
		assert_eq!(Verification::open_until(task(1)), Some(case(task(1)).closes_at.max(now() + 1)));
	});
}

#[test]
fn what_an_earlier_attempt_owed_is_given_back() {
	test(|| {
		unaudited(task(1));
		assert_ok!(demand_as(REPORTER, task(1), ROW));
		assert_ok!(demand_as(OTHER, task(1), ROW));
		// Another lie about the first attempt ends it.
		run(params().demand_window + 1);
		assert_eq!(Convicted::get().len(), 1);
		assert_eq!((held(REPORTER), held(OTHER)), (0, 0));
		assert!(events().contains(&Event::DemandVoid { task: task(1), by: OTHER }));
		unaudited(task(1));
		assert_ok!(demand_as(REPORTER, task(1), ROW));
		assert_ok!(answer_as(HOT, task(1), REPORTER, opening(&lie(), ROW)));
	});
}

#[test]
fn a_trace_is_owed_when_it_is_demanded() {
	test(|| {
		without_trace(task(1));
		assert_noop!(demand_as(REPORTER, task(1), ROW), Error::<Test>::NoTrace);
		assert_ok!(demand_as(REPORTER, task(1), Wanted::Trace));
		assert_eq!(held(REPORTER), ASY);
		let root = lie().commit().trace_root;
		// Nobody else can commit the worker to anything.
		assert_noop!(
			answer_as(OTHER, task(1), REPORTER, root.encode()),
			Error::<Test>::NotTheWorker
		);
		assert_noop!(answer_as(HOT, task(1), REPORTER, vec![1; 31]), Error::<Test>::NotAnAnswer);
		assert_ok!(answer_as(HOT, task(1), REPORTER, root.encode()));
		let known = Commitment { trace_root: Some(root.into()), ..claim().commitment };
		assert_eq!(Verification::challenge(task(1)).unwrap().commitment, known);
		assert_ok!(demand_as(REPORTER, task(1), ROW));
		assert_ok!(answer_as(OTHER, task(1), REPORTER, opening(&lie(), ROW)));
	});
}

#[test]
fn a_trace_withheld_convicts() {
	test(|| {
		without_trace(task(1));
		assert_ok!(demand_as(REPORTER, task(1), Wanted::Trace));
		run(params().demand_window + 1);
		assert_eq!(Convicted::get(), [(task(1), Offence::Withheld(Wanted::Trace), false)]);
	});
}

#[test]
fn a_trace_given_once_is_the_answer_to_all_who_wait_for_it() {
	test(|| {
		without_trace(task(1));
		let root = lie().commit().trace_root.encode();
		for who in [REPORTER, OTHER, BUYER] {
			assert_ok!(demand_as(who, task(1), Wanted::Trace));
		}
		assert_ok!(answer_as(HOT, task(1), REPORTER, root.clone()));
		// Another trace is no answer any more; the same one may come from anyone.
		let other = trace().commit().trace_root.encode();
		assert_noop!(answer_as(HOT, task(1), OTHER, other), Error::<Test>::NotAnAnswer);
		assert_ok!(answer_as(REPORTER, task(1), OTHER, root));
		run(params().demand_window + 1);
		assert!(Convicted::get().is_empty());
		assert_eq!((held(BUYER), case(task(1)).pending), (0, 0));
		assert_eq!(Balances::balance(&BUYER), 100 * ASY);
	});
}

#[test]
fn a_wrong_trace_given_later_is_proved_wrong() {
	test(|| {
		without_trace(task(1));
		assert_eq!(
			Verification::judge(
				&claim().program,
				&claim().inputs,
				&case(task(1)).known(),
				&proof()
			),
			Err(Rejection::NotProved)
		);
		assert_ok!(demand_as(REPORTER, task(1), Wanted::Trace));
		assert_ok!(answer_as(HOT, task(1), REPORTER, lie().commit().trace_root.encode()));
		let seal = report_seal(&REPORTER, task(1), case(task(1)).submitted_at, &proof(), &SALT);
		assert_ok!(Verification::commit_report(RuntimeOrigin::signed(REPORTER), task(1), seal));
		run(2);
		let proof = proof().try_into().unwrap();
		let origin = RuntimeOrigin::signed(REPORTER);
		assert_ok!(Verification::report_fraud(origin, task(1), proof, SALT));
		assert!(matches!(Convicted::get()[..], [(_, Offence::Wrong(_), true)]));
	});
}

#[test]
fn a_result_without_trace_is_only_for_those_who_execute_again() {
	test(|| {
		let mut claim = claim();
		claim.commitment.trace_root = None;
		for depth in [Depth::Projection, Depth::Spot] {
			let at_least = sp_runtime::Permill::one();
			let assurance = Assurance::Audited { auditors: 1, depth, at_least };
			let terms = Terms { assurance, ..terms(1) };
			assert_noop!(
				Verification::open(task(1), claim.clone(), &terms),
				Error::<Test>::NoTrace
			);
		}
		assert_ok!(Verification::open(task(1), claim, &replayed(1)));
	});
}

/// Terms of tasks that auditors execute again.
fn replayed(auditors: u8) -> Terms {
	let at_least = sp_runtime::Permill::one();
	let assurance = Assurance::Audited { auditors, depth: Depth::Replay, at_least };
	Terms { assurance, ..terms(auditors) }
}

fn demand_call(seat: SeatId, number: u8, wanted: Wanted, signer: AccountId) -> RuntimeCall {
	let message = Verification::signed_demand(seat, number, wanted).encode();
	let signature = pair(signer).sign(&message);
	let opened = node(&wanted).try_into().unwrap();
	Call::<Test>::demand_as_auditor { seat, wanted, opened, signature }.into()
}

fn demand_seat(seat: SeatId, wanted: Wanted) {
	let number = seats(seat.task).unwrap()[usize::from(seat.number)].demands;
	let call = demand_call(seat, number, wanted, holder(seat));
	submit(call).expect("let in").expect("dispatched");
}

#[test]
fn an_auditor_walks_to_the_proof_by_demands_alone() {
	let mut ext = new_test_ext();
	ext.execute_with(|| {
		let drawn = open_and_draw(task(1), 1);
		let seat = seat(task(1), 0);
		let program = program(1).validate().unwrap();
		let claim = compute_claim(&lie());
		let mut exact = MemorySource::new(&trace());
		let mut walk = Walk::new(&program, &claim, &mut exact).unwrap();
		let mut demands = 0;
		let proof = loop {
			let wanted = match walk.next() {
				demand::Next::Wanted(wanted) => Wanted::from(wanted),
				demand::Next::Proved(proof) => break proof.encode(),
				demand::Next::Agreed => panic!("it is a lie"),
			};
			demand_seat(seat, wanted);
			demands += 1;
			let voting = voting(task(1)).unwrap();
			assert_eq!(voting.seals_until, now() + params().demand_window + params().audit_window);
			run(3);
			let answer = opening(&lie(), wanted);
			assert_ok!(answer_as(HOT, task(1), drawn[0], answer.clone()));
			let hash = Root::from(sp_io::hashing::blake2_256(&answer));
			assert_eq!(seats(task(1)).unwrap()[0].answers.last(), Some(&hash));
			// It can go on and must, but not for as long as if nobody had answered.
			assert_eq!(
				crate::mock::voting(task(1)).unwrap().seals_until,
				now() + params().audit_window
			);
			walk.answer(&Opening::decode_all(&mut &answer[..]).unwrap(), &mut exact).unwrap();
		};
		assert_eq!(demands, 2);
		assert_eq!(proof, crate::mock::proof());
	});
	// The answers lie where the node's off-chain worker finds them, until the round is over.
	let answer = opening(&lie(), ROW);
	let hash = Root::from(sp_io::hashing::blake2_256(&answer));
	let key = ext.execute_with(|| answer_key(&seat(task(1), 0), &hash));
	ext.persist_offchain_overlay();
	assert_eq!(ext.offchain_db().get(&key), Some(answer));
	ext.execute_with(|| {
		vote(task(1), &[Verdict::Invalid(WRONG)]);
		assert!(matches!(Convicted::get()[..], [(_, Offence::Wrong(_), true)]));
		Verification::do_try_state().unwrap();
	});
	ext.persist_offchain_overlay();
	assert_eq!(ext.offchain_db().get(&key), None);
}

#[test]
fn an_auditor_pays_nothing_and_a_silent_worker_is_convicted() {
	test(|| {
		let drawn = open_and_draw(task(1), 2);
		demand_seat(seat(task(1), 0), ROW);
		assert_eq!(held(drawn[0]), 0);
		// The other says that it is right, and the round waits for the first all the same.
		seal_verdict(task(1), 1, Verdict::Valid);
		run(params().demand_window);
		assert!(Convicted::get().is_empty());
		run(1);
		assert_eq!(Convicted::get(), [(task(1), Offence::Withheld(ROW), false)]);
		assert!(Audits::<Test>::get(task(1)).is_none());
		// Withholding proves nothing about the result: nobody who vouched for it is at fault.
		for auditor in drawn {
			assert_eq!(
				Bonds::<Test>::get(auditor),
				Some(Bond { amount: AUDITOR_BOND, at_risk: 0 })
			);
		}
	});
}

#[test]
fn a_seat_demands_only_as_itself_and_a_few_times() {
	test(|| {
		open_and_draw(task(1), 2);
		let (first, second) = (seat(task(1), 0), seat(task(1), 1));
		let bad = |error: InvalidTransaction| Err(TransactionValidityError::Invalid(error));
		let by_other = demand_call(first, 0, ROW, holder(second));
		assert_eq!(validate(by_other).map(drop), bad(InvalidTransaction::BadProof));
		let numbered = demand_call(first, 1, ROW, holder(first));
		assert_eq!(validate(numbered).map(drop), bad(InvalidTransaction::BadProof));
		let call = demand_call(first, 0, ROW, holder(first));
		assert_ok!(validate(call.clone()));
		submit(call.clone()).unwrap().unwrap();
		// Not twice, and not another while the first waits.
		assert_eq!(validate(call.clone()).map(drop), bad(InvalidTransaction::Stale));
		let another = demand_call(first, 1, Wanted::Row { node: 1, row: 0 }, holder(first));
		assert_eq!(validate(another).map(drop), bad(InvalidTransaction::Stale));
		assert_ok!(answer_as(HOT, task(1), holder(first), opening(&lie(), ROW)));
		assert_eq!(validate(call).map(drop), bad(InvalidTransaction::BadProof));
		for _ in 1..MAX_SEAT_DEMANDS {
			demand_seat(first, ROW);
			assert_ok!(answer_as(HOT, task(1), holder(first), opening(&lie(), ROW)));
		}
		let more = demand_call(first, MAX_SEAT_DEMANDS as u8, ROW, holder(first));
		assert_eq!(validate(more).map(drop), bad(InvalidTransaction::ExhaustsResources));
		// What is sealed needs nothing any more.
		seal_verdict(task(1), 1, Verdict::Valid);
		let late = demand_call(second, 0, ROW, holder(second));
		assert_eq!(validate(late).map(drop), bad(InvalidTransaction::Stale));
	});
}

#[test]
fn an_unavailable_result_waits_for_what_is_demanded() {
	test(|| {
		open_and_draw(task(1), 1);
		assert_ok!(demand_as(REPORTER, task(1), ROW));
		vote(task(1), &[Verdict::Unavailable]);
		assert!(outcomes(task(1)).is_empty());
		assert!(matches!(audit(task(1)).stage, Stage::Ended(_)));
		run(params().demand_window + 1);
		assert_eq!(Convicted::get(), [(task(1), Offence::Withheld(ROW), false)]);
		assert!(outcomes(task(1)).is_empty());

		open_and_draw(task(2), 1);
		assert_ok!(demand_as(REPORTER, task(2), ROW));
		vote(task(2), &[Verdict::Unavailable]);
		assert_ok!(answer_as(HOT, task(2), REPORTER, opening(&lie(), ROW)));
		assert_eq!(outcomes(task(2)), [AuditOutcome::Failed(Verdict::Unavailable)]);
	});
}

#[test]
fn who_vouched_for_an_output_does_not_answer_for_a_trace_given_later() {
	test(|| {
		let mut claim = claim();
		claim.commitment.trace_root = None;
		assert_ok!(Verification::open(task(1), claim, &replayed(1)));
		let drawn = run_until_drawn(task(1));
		vote(task(1), &[Verdict::Valid]);
		assert_eq!(outcomes(task(1)), [AuditOutcome::Passed]);
		assert_ok!(demand_as(REPORTER, task(1), Wanted::Trace));
		assert_ok!(answer_as(HOT, task(1), REPORTER, lie().commit().trace_root.encode()));
		let seal = report_seal(&REPORTER, task(1), case(task(1)).submitted_at, &proof(), &SALT);
		assert_ok!(Verification::commit_report(RuntimeOrigin::signed(REPORTER), task(1), seal));
		run(2);
		let proof = proof().try_into().unwrap();
		let origin = RuntimeOrigin::signed(REPORTER);
		assert_ok!(Verification::report_fraud(origin, task(1), proof, SALT));
		assert_eq!(Convicted::get().len(), 1);
		assert_eq!(Bonds::<Test>::get(drawn[0]).unwrap().amount, AUDITOR_BOND);
	});
}
