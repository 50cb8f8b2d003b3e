//! Nobody is paid for an output that the buyer does not get, and nobody is robbed by a buyer who says
//! nothing.

use super::*;
use crate::{Parameters, Totals};
use assay_primitives::work::{
	Assurance,
	Delivery::{Doubted, Held, Inconclusive, Undelivered},
	Depth, JobId,
};
use sp_runtime::Permill;

const EACH: Balance = ASY / 100;
const COLLATERAL: Balance = PRICE * STAKE_RATIO;

fn free(who: AccountId) -> Balance {
	Balances::free_balance(who)
}

fn acknowledge(who: AccountId, job: JobId, tasks: &[u32]) -> sp_runtime::DispatchResult {
	let tasks = tasks.to_vec().try_into().unwrap();
	JobEscrow::acknowledge(RuntimeOrigin::signed(who), job, tasks)
}

fn is_delivered(index: u32) -> bool {
	task(index).engaged.unwrap().delivered
}

/// Brings an optimistic job to the end of its window; custodians have a fee and say nothing yet.
fn to_custody() {
	state(|s| (s.custody_fee, s.custodians_find) = (EACH, Some(None)));
	let mut job = spec(1);
	job.assurance = Assurance::Optimistic;
	assert_ok!(JobEscrow::post(RuntimeOrigin::signed(BUYER), job));
	pass(1);
	accept(0);
	submit(0);
	pass(WINDOW);
	assert!(matches!(task(0).status, TaskStatus::Delivering { .. }));
}

#[test]
fn escrow_covers_two_quorums_for_every_run() {
	build_and_execute(|| {
		state(|s| s.custody_fee = EACH);
		post(2);
		assert_eq!(held(), 2 * (3 * ASY + 2 * (FEE + 2 * 3 * EACH)));
	});
}

/// Custodians are asked, and paid, only for what nobody is known to have.
#[test]
fn an_audit_of_the_whole_result_is_delivery() {
	build_and_execute(|| {
		state(|s| (s.custody_fee, s.custodians_find) = (EACH, Some(None)));
		let before = free(BUYER);
		to_audit();
		conclude(0, AuditOutcome::Passed, vec![AUDITOR]);
		assert!(is_delivered(0));
		pass(WINDOW);
		assert!(matches!(task(0).status, TaskStatus::Settled { .. }));
		assert_eq!(free(BUYER), before - PRICE - FEE);
	});
}

#[test]
fn a_look_at_a_few_rows_is_none() {
	build_and_execute(|| {
		state(|s| s.custodians_find = Some(None));
		let mut job = spec(1);
		job.assurance =
			Assurance::Audited { auditors: 1, depth: Depth::Spot, at_least: Permill::one() };
		assert_ok!(JobEscrow::post(RuntimeOrigin::signed(BUYER), job));
		pass(1);
		accept(0);
		submit(0);
		conclude(0, AuditOutcome::Passed, vec![AUDITOR]);
		assert!(!is_delivered(0));
		pass(WINDOW);
		assert!(matches!(task(0).status, TaskStatus::Delivering { .. }));
	});
}

#[test]
fn what_the_lot_spared_is_not_delivered_either() {
	build_and_execute(|| {
		state(|s| s.custodians_find = Some(None));
		to_audit();
		conclude(0, AuditOutcome::Spared, vec![]);
		pass(WINDOW);
		assert!(matches!(task(0).status, TaskStatus::Delivering { .. }));
	});
}

#[test]
fn a_buyer_who_acknowledges_pays_no_custodians() {
	build_and_execute(|| {
		state(|s| (s.custody_fee, s.custodians_find) = (EACH, Some(None)));
		let before = free(BUYER);
		let mut job = spec(2);
		job.assurance = Assurance::Optimistic;
		assert_ok!(JobEscrow::post(RuntimeOrigin::signed(BUYER), job));
		pass(1);
		for index in 0..2 {
			accept(index);
			submit(index);
		}
		assert_ok!(acknowledge(BUYER, 0, &[0, 1]));
		let event = |index| Event::Acknowledged { task: TaskId { job: 0, index } }.into();
		System::assert_has_event(event(0));
		System::assert_last_event(event(1));
		// Once is enough.
		let events = System::event_count();
		assert_ok!(acknowledge(BUYER, 0, &[1, 1, 0]));
		assert_eq!(System::event_count(), events);
		pass(WINDOW);
		assert!((0..2).all(|index| matches!(task(index).status, TaskStatus::Settled { .. })));
		assert_eq!(free(BUYER), before - 2 * PRICE);
	});
}

#[test]
fn custodians_that_have_it_are_paid_and_then_the_provider() {
	build_and_execute(|| {
		let before = free(BUYER);
		to_custody();
		deliver(0, Held);
		assert_eq!((free(AUDITOR), free(AUDITOR + 1)), (ASY + EACH, ASY + EACH));
		let task_id = TaskId { job: 0, index: 0 };
		System::assert_last_event(
			Event::Delivered { task: task_id, found: Held, fee: 2 * EACH }.into(),
		);
		pass(1);
		assert!(matches!(task(0).status, TaskStatus::Settled { .. }));
		// The third was absent: its fee stays with the buyer.
		assert_eq!(free(BUYER), before - PRICE - 2 * EACH);
		assert_eq!(free(PROVIDER), PRICE - PRICE / 20);
		assert_eq!(Jobs::<Test>::get(0).unwrap().money.audit, 2 * EACH);
		assert!(state(|s| s.windows.is_empty()));
	});
}

/// The provider did the work and sits on it: it is not paid, and loses a part of its stake.
#[test]
fn what_two_quorums_could_not_have_is_not_paid() {
	build_and_execute(|| {
		let before = free(BUYER);
		to_custody();
		deliver(0, Doubted);
		assert!(matches!(task(0).status, TaskStatus::Delivering { .. }));
		deliver(0, Undelivered);
		let burned = COLLATERAL / 25;
		assert_eq!(state(|s| s.destroyed), burned);
		assert_eq!(Totals::<Test>::get().forfeited, burned);
		assert_eq!(state(|s| s.locked[&PROVIDER]), 0);
		assert_eq!(state(|s| s.ends.clone()), [(PROVIDER, MatchEnd::Failed)]);
		assert_eq!(free(PROVIDER), 0);
		// Back on the market, for another provider, with what escrow is left.
		assert_eq!(task(0).status, TaskStatus::Open);
		assert_eq!(task(0).refused.to_vec(), [PROVIDER]);
		assert_eq!(held(), 3 * ASY + 2 * 2 * 3 * EACH - 2 * 2 * EACH);
		assert_eq!(free(BUYER) + held(), before - 2 * 2 * EACH);
	});
}

#[test]
fn without_a_quorum_nobody_is_paid_and_nobody_is_slashed() {
	build_and_execute(|| {
		to_custody();
		deliver(0, Inconclusive);
		assert_eq!(task(0).status, TaskStatus::Open);
		assert_eq!(state(|s| s.destroyed), 0);
		assert_eq!(state(|s| s.ends.clone()), [(PROVIDER, MatchEnd::Released)]);
		assert_eq!(free(PROVIDER), 0);
	});
}

/// What the buyer says goes before what custodians say, in whichever order.
#[test]
fn an_acknowledgement_in_custody_counts() {
	for found in [Held, Undelivered, Inconclusive] {
		build_and_execute(|| {
			to_custody();
			deliver(0, Doubted);
			assert_ok!(acknowledge(BUYER, 0, &[0]));
			deliver(0, found);
			pass(1);
			assert!(matches!(task(0).status, TaskStatus::Settled { .. }), "{found:?}");
			assert_eq!(state(|s| s.destroyed), 0);
		});
	}
}

/// An acknowledgement is of one result: the next provider's is another.
#[test]
fn it_does_not_outlive_the_run() {
	build_and_execute(|| {
		state(|s| s.custodians_find = Some(None));
		to_audit();
		assert_ok!(acknowledge(BUYER, 0, &[0]));
		conclude(0, WRONG, vec![AUDITOR]);
		state(|s| s.asks.insert(PROVIDER + 1, PRICE));
		pass(1);
		assert_eq!(task(0).engaged.unwrap().provider, PROVIDER + 1);
		assert!(!is_delivered(0));
	});
}

/// Saying that it has the output does not waive anything else.
#[test]
fn a_lie_that_was_acknowledged_is_a_lie() {
	build_and_execute(|| {
		to_audit();
		assert_ok!(acknowledge(BUYER, 0, &[0]));
		assert!(matches!(task(0).status, TaskStatus::Auditing { .. }));
		conclude(0, AuditOutcome::Passed, vec![AUDITOR]);
		assert_eq!(convict(0, true), COLLATERAL / 2 - FEE / 2);
		assert_eq!(task(0).status, TaskStatus::Open);
	});
}

#[test]
fn a_lie_is_convicted_in_custody() {
	build_and_execute(|| {
		to_custody();
		deliver(0, Doubted);
		// Made whole for what custodians cost.
		assert_eq!(convict(0, true), (COLLATERAL - 2 * EACH) / 2);
		assert_eq!(task(0).status, TaskStatus::Open);
	});
}

#[test]
fn only_the_buyer_can_acknowledge_and_only_what_stands() {
	build_and_execute(|| {
		assert_noop!(acknowledge(BUYER, 0, &[0]), Error::<Test>::UnknownJob);
		post(2);
		pass(1);
		accept(0);
		assert_noop!(acknowledge(OTHER, 0, &[0]), Error::<Test>::NotOwner);
		assert_noop!(acknowledge(PROVIDER, 0, &[0]), Error::<Test>::NotOwner);
		assert_noop!(acknowledge(BUYER, 0, &[0]), Error::<Test>::WrongState);
		submit(0);
		assert_noop!(acknowledge(BUYER, 0, &[0, 2]), Error::<Test>::UnknownTask);
		// All or nothing.
		assert_eq!(
			frame_support::storage::with_storage_layer(|| acknowledge(BUYER, 0, &[0, 1])),
			Err(Error::<Test>::WrongState.into())
		);
		assert!(!is_delivered(0));
		assert_ok!(acknowledge(BUYER, 0, &[]));
		assert_ok!(acknowledge(BUYER, 0, &[0]));
		conclude(0, AuditOutcome::Passed, vec![AUDITOR]);
		pass(WINDOW);
		assert_noop!(acknowledge(BUYER, 0, &[0]), Error::<Test>::WrongState);
	});
}

#[test]
fn nobody_loses_more_than_a_quarter_by_what_custodians_say() {
	build_and_execute(|| {
		let with = |percent| {
			let undelivered = Permill::from_percent(percent);
			let params = crate::Params { undelivered, ..params() };
			JobEscrow::set_parameters(RuntimeOrigin::root(), params)
		};
		assert_ok!(with(25));
		assert_noop!(with(26), Error::<Test>::BadParameters);
		assert_eq!(Parameters::<Test>::get().undelivered, Permill::from_percent(25));
	});
}

/// The terms in force when the job was posted count.
#[test]
fn a_posted_job_keeps_its_custody() {
	build_and_execute(|| {
		to_custody();
		state(|s| s.custody_fee = 7 * EACH);
		deliver(0, Held);
		assert_eq!(free(AUDITOR), ASY + EACH);
	});
}

/// A fee too small for an account that does not exist waits to be claimed, and holds nothing up.
#[test]
fn a_custodian_without_an_account_claims_its_fee_later() {
	build_and_execute(|| {
		to_custody();
		Jobs::<Test>::mutate_extant(0, |job| job.custody.fee = EXISTENTIAL / 2);
		let (nobody, id) = (999, TaskId { job: 0, index: 0 });
		assert!(JobEscrow::delivered(id, Held, vec![nobody]));
		assert_eq!(free(nobody), 0);
		assert_eq!(crate::Claimable::<Test>::get(nobody), EXISTENTIAL / 2);
		pass(1);
		assert!(matches!(task(0).status, TaskStatus::Settled { .. }));
	});
}
