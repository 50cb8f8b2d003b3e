//! Replicated tasks: sealing, opening, majorities, trust, and whoever hopes to gain by them.

use super::*;
use crate::{Agreed, Groups, HoldReason, Stage, Totals};
use assay_primitives::{
	replication::{seal, Outcome, Salt, MAX_REPLICAS},
	work::{Assurance, Delivery},
	BlockNumber, Root,
};
use frame_support::assert_noop as refused;
use sp_runtime::Permill;

const SALT: Salt = [7; 32];
const DEADLINE: BlockNumber = 10;
/// What one slot has in escrow.
const EACH: Balance = 3 * ASY;
const NETWORK_FEE: Balance = PRICE / 20;
/// A twentieth of the collateral.
const SLASH: Balance = PRICE * STAKE_RATIO / 20;

fn replicated(replicas: u8, tolerance: u32, at_least: u32) -> Assurance {
	Assurance::Replicated { replicas, tolerance, at_least: Permill::from_percent(at_least) }
}

/// Posts a job of so many tasks, of so many replicas each.
fn post_as(tasks: u32, assurance: Assurance) {
	let mut spec = spec(tasks);
	(spec.assurance, spec.deadline) = (assurance, DEADLINE);
	assert_ok!(JobEscrow::post(RuntimeOrigin::signed(BUYER), spec));
}

/// Has so many providers ask the same price.
fn providers(count: u64) {
	state(|s| s.asks.extend((0..count).map(|n| (PROVIDER + n, PRICE))));
}

fn result(output: u8) -> Outcome {
	let commitment = assay_primitives::work::Commitment {
		output_root: Root::repeat_byte(output),
		..commitment()
	};
	Outcome { commitment, summary: Default::default() }
}

fn about(value: i32) -> Outcome {
	Outcome { summary: vec![value].try_into().unwrap(), ..result(value as u8) }
}

fn slot(index: u32) -> TaskId {
	TaskId { job: 0, index }
}

/// The provider of a slot.
fn on(index: u32) -> AccountId {
	task(index).engaged.expect("the slot is matched").provider
}

fn hot(index: u32) -> RuntimeOrigin {
	RuntimeOrigin::signed(on(index) + 100)
}

/// Whoever a slot is offered to accepts it.
fn take(index: u32) {
	let replicas = Jobs::<Test>::get(0).unwrap().spec.assurance.slots();
	let inputs = vec![input(index / replicas)].try_into().unwrap();
	assert_ok!(JobEscrow::accept(hot(index), 0, index, inputs, Default::default()));
}

fn seal_it(index: u32, outcome: &Outcome) {
	let seal = seal(&on(index), slot(index), outcome, &SALT);
	assert_ok!(JobEscrow::seal_result(hot(index), 0, index, seal));
}

fn open_it(index: u32, outcome: Outcome) {
	assert_ok!(JobEscrow::open_result(hot(index), 0, index, outcome, SALT));
}

/// Brings a task of three replicas to its opening, all of them sealed.
fn to_opening(outcomes: &[Outcome]) {
	let replicas = outcomes.len() as u32;
	providers(replicas.into());
	post_as(1, replicated(replicas as u8, u32::from(!outcomes[0].summary.is_empty()), 0));
	to_sealed(0, outcomes);
	pass(1);
	assert!((0..replicas).all(|i| matches!(task(i).status, TaskStatus::Opening { .. })));
}

/// Has all replicas of a task done and sealed.
fn to_sealed(first: u32, outcomes: &[Outcome]) {
	pass(1);
	take(first);
	for index in first..first + outcomes.len() as u32 {
		// Sought as soon as the first is accepted, as there is no trust yet; no more than a few at once.
		for _ in 0..4 {
			if task(index).engaged.is_none() {
				pass(1);
			}
		}
		if !matches!(task(index).status, TaskStatus::Running { .. }) {
			take(index);
		}
	}
	for (index, outcome) in (first..).zip(outcomes) {
		seal_it(index, outcome);
	}
}

fn refunded_for(index: u32) -> Reason {
	let TaskStatus::Refunded { reason, .. } = task(index).status else {
		panic!("{:?}", task(index).status)
	};
	reason
}

/// The sums of a closed job of one owner: to the planck, who has what.
fn check_closed(slots: u32, paid: u32, slashed: u32) {
	assert!(Jobs::<Test>::get(0).unwrap().closed_at.is_some());
	let money = Jobs::<Test>::get(0).unwrap().money;
	let (slots, paid) = (Balance::from(slots), Balance::from(paid));
	assert_eq!(money.escrow, slots * EACH);
	assert_eq!(money.paid, paid * (PRICE - NETWORK_FEE));
	assert_eq!(money.fees, paid * NETWORK_FEE);
	assert_eq!(money.audit, 0);
	assert_eq!(money.compensated, 0);
	assert_eq!(money.refunded, slots * EACH - paid * PRICE);
	assert_eq!(held(), 0);
	assert_eq!(Balances::free_balance(BUYER), 10_000 * ASY - paid * PRICE);
	assert_eq!(state(|s| s.destroyed), Balance::from(slashed) * SLASH);
	assert_eq!(Totals::<Test>::get().forfeited, Balance::from(slashed) * SLASH);
	assert_eq!(Balances::free_balance(VAULT), STAKE - Balance::from(slashed) * SLASH);
	assert!(state(|s| s.locked.values().all(|locked| *locked == 0)));
	assert!(state(|s| s.reserved.values().all(|reserved| *reserved == 0)));
	assert_eq!(Groups::<Test>::iter().count(), 0);
}

#[test]
fn replicas_that_agree_are_paid_each() {
	build_and_execute(|| {
		providers(3);
		post_as(1, replicated(3, 0, 0));
		assert_eq!(held(), 3 * EACH);
		pass(1);
		assert!(matches!(task(0).status, TaskStatus::Offered { .. }));
		assert_eq!([task(1).status, task(2).status], [TaskStatus::Standby; 2]);
		take(0);
		pass(2);
		take(1);
		take(2);
		assert_eq!([on(0), on(1), on(2)], [PROVIDER, PROVIDER + 1, PROVIDER + 2]);
		seal_it(1, &result(1));
		seal_it(2, &result(1));
		pass(1);
		refused!(JobEscrow::open_result(hot(1), 0, 1, result(1), SALT), Error::<Test>::WrongState);
		assert!(task(1).engaged.unwrap().commitment.is_none());
		seal_it(0, &result(1));
		pass(1);
		(0..3).for_each(|index| open_it(index, result(1)));
		pass(1);
		System::assert_has_event(Event::Agreed { task: slot(0), replicas: 3 }.into());
		assert!((0..3).all(|index| matches!(task(index).status, TaskStatus::Passed { .. })));
		assert_eq!(state(|s| s.audits.len()), 3, "each may yet be proved wrong");
		pass(WINDOW + 1);
		check_closed(3, 3, 0);
		for n in 0..3 {
			assert_eq!(Balances::free_balance(PROVIDER + n), PRICE - NETWORK_FEE);
			assert_eq!(Agreed::<Test>::get(PROVIDER + n), 1);
		}
		assert_eq!(state(|s| s.program_users), 0);
	});
}

#[test]
fn custodians_fetch_what_replicas_have_agreed_on() {
	build_and_execute(|| {
		state(|s| s.custodians_find = Some(None));
		to_opening(&[result(1), result(1)]);
		(0..2).for_each(|index| open_it(index, result(1)));
		pass(WINDOW + 1);
		let is_fetched = |index| matches!(task(index).status, TaskStatus::Delivering { .. });
		assert!((0..2).all(is_fetched), "the task is decided, and nobody is paid yet");
		state(|s| s.custodians_find = Some(Some(Delivery::Held)));
		pass(2);
		check_closed(2, 2, 0);
	});
}

#[test]
fn who_is_outvoted_is_unpaid_and_loses_a_part() {
	build_and_execute(|| {
		Agreed::<Test>::insert(PROVIDER + 1, 9);
		to_opening(&[result(1), result(2), result(1)]);
		(0..3).for_each(|index| open_it(index, result([1, 2, 1][index as usize])));
		pass(WINDOW + 2);
		assert_eq!(refunded_for(1), Reason::Outvoted);
		check_closed(3, 2, 1);
		assert_eq!(Balances::free_balance(PROVIDER + 1), 0);
		assert_eq!(Agreed::<Test>::get(PROVIDER + 1), 0, "trust is lost at once");
		assert_eq!(Agreed::<Test>::get(PROVIDER + 2), 1);
		assert!(state(|s| s.ends.contains(&(PROVIDER + 1, MatchEnd::Failed))));
		System::assert_has_event(
			Event::Slashed { task: slot(1), provider: PROVIDER + 1, burned: SLASH }.into(),
		);
	});
}

#[test]
fn two_that_collude_outvote_an_honest_one() {
	// What a vote cannot do. All that is lost by it is the graded part.
	build_and_execute(|| {
		to_opening(&[result(9), result(1), result(9)]);
		open_it(0, result(9));
		open_it(1, result(1));
		open_it(2, result(9));
		pass(1);
		assert_eq!(refunded_for(1), Reason::Outvoted);
		// But a proof says more than a majority: both lose all that they have at risk.
		for index in [0, 2] {
			convict(index, false);
			assert!(matches!(refunded_for(index), Reason::Convicted(_)), "no further run");
			assert_eq!(Agreed::<Test>::get(PROVIDER + u64::from(index)), 0);
		}
		assert_eq!(Totals::<Test>::get().forfeited, SLASH + 2 * PRICE * STAKE_RATIO);
		assert_eq!(held(), 0);
		assert!(Jobs::<Test>::get(0).unwrap().closed_at.is_some());
	});
}

#[test]
fn a_copied_seal_cannot_be_opened() {
	build_and_execute(|| {
		providers(3);
		post_as(1, replicated(3, 0, 0));
		pass(1);
		take(0);
		pass(2);
		take(1);
		take(2);
		let copied = seal(&on(0), slot(0), &result(1), &SALT);
		seal_it(0, &result(1));
		assert_ok!(JobEscrow::seal_result(hot(1), 0, 1, copied));
		seal_it(2, &result(1));
		pass(1);
		open_it(0, result(1));
		// The outcome and the salt are public now.
		let copy = || JobEscrow::open_result(hot(1), 0, 1, result(1), SALT);
		refused!(copy(), Error::<Test>::WrongSeal);
		open_it(2, result(1));
		pass(9);
		assert_eq!(refunded_for(1), Reason::NotOpened);
		pass(WINDOW + 1);
		check_closed(3, 2, 1);
		assert!(state(|s| s.ends.contains(&(PROVIDER + 1, MatchEnd::Missed))));
	});
}

#[test]
fn seals_are_opened_once_in_time_and_by_whose_they_are() {
	build_and_execute(|| {
		to_opening(&[result(1), result(1), result(1)]);
		refused!(JobEscrow::open_result(hot(0), 0, 1, result(1), SALT), Error::<Test>::NotYours);
		refused!(
			JobEscrow::open_result(RuntimeOrigin::signed(BUYER), 0, 1, result(1), SALT),
			Error::<Test>::NotHotKey
		);
		refused!(
			JobEscrow::open_result(hot(0), 0, 0, result(1), [8; 32]),
			Error::<Test>::WrongSeal
		);
		refused!(JobEscrow::open_result(hot(0), 0, 0, result(2), SALT), Error::<Test>::WrongSeal);
		refused!(JobEscrow::open_result(hot(0), 0, 0, about(1), SALT), Error::<Test>::WrongSummary);
		open_it(0, result(1));
		refused!(
			JobEscrow::open_result(hot(0), 0, 0, result(1), SALT),
			Error::<Test>::AlreadyOpened
		);
		refused!(JobEscrow::seal_result(hot(0), 0, 0, Root::zero()), Error::<Test>::WrongState);
		open_it(1, result(1));
		let TaskStatus::Opening { until } = task(2).status else { panic!() };
		let late = hot(2);
		System::set_block_number(until + 1);
		refused!(
			JobEscrow::open_result(late, 0, 2, result(1), SALT),
			Error::<Test>::DeadlinePassed
		);
		pass(WINDOW + 2);
		check_closed(3, 2, 1);
	});
}

#[test]
fn a_seal_is_made_in_time_or_not_at_all() {
	build_and_execute(|| {
		providers(3);
		post_as(1, replicated(3, 0, 0));
		pass(1);
		take(0);
		let TaskStatus::Running { due } = task(0).status else { panic!() };
		System::set_block_number(due + 1);
		refused!(JobEscrow::seal_result(hot(0), 0, 0, Root::zero()), Error::<Test>::DeadlinePassed);
	});
}

#[test]
fn calls_are_for_jobs_of_their_kind() {
	build_and_execute(|| {
		post(1);
		post_as(1, replicated(2, 0, 0));
		pass(1);
		accept(0);
		refused!(JobEscrow::seal_result(hot(0), 0, 0, Root::zero()), Error::<Test>::NotReplicated);
		refused!(
			JobEscrow::open_result(hot(0), 0, 0, result(1), SALT),
			Error::<Test>::NotReplicated
		);
		refused!(
			JobEscrow::submit(RuntimeOrigin::signed(HOT), 1, 0, commitment()),
			Error::<Test>::MustBeSealed
		);
	});
}

#[test]
fn jobs_that_cannot_be_replicated_are_refused() {
	build_and_execute(|| {
		let post = |assurance, mode, tasks| {
			let mut spec = spec(tasks);
			(spec.assurance, spec.mode) = (assurance, mode);
			JobEscrow::post(RuntimeOrigin::signed(BUYER), spec)
		};
		let most = MAX_REPLICAS as u8;
		for replicas in [0, 1, most + 1, 255] {
			let assurance = replicated(replicas, 0, 0);
			refused!(post(assurance, Mode::BestAsk, 1), Error::<Test>::NotReplicable);
		}
		let direct = Mode::Direct { provider: PROVIDER, machine: 0 };
		refused!(post(replicated(3, 0, 0), direct, 1), Error::<Test>::NotReplicable);
		// At most 100 slots in all.
		refused!(post(replicated(most, 0, 0), Mode::BestAsk, 15), Error::<Test>::TaskCount);
		refused!(post(replicated(2, 0, 0), Mode::BestAsk, u32::MAX), Error::<Test>::TaskCount);
		assert_ok!(post(replicated(most, 0, 0), Mode::BestAsk, 14));
		assert_eq!(held(), 98 * EACH);
	});
}

#[test]
fn no_provider_has_two_slots_of_a_task() {
	build_and_execute(|| {
		providers(2);
		post_as(1, replicated(3, 0, 0));
		pass(1);
		take(0);
		pass(2);
		take(1);
		pass(6);
		// The third finds nobody, as there are but two.
		assert_eq!((on(0), on(1)), (PROVIDER, PROVIDER + 1));
		assert!(task(2).engaged.is_none() && task(2).status == TaskStatus::Open);
	});
}

#[test]
fn an_absent_replica_does_not_hold_up_the_others() {
	build_and_execute(|| {
		providers(2);
		post_as(1, replicated(3, 0, 0));
		pass(1);
		take(0);
		pass(2);
		take(1);
		seal_it(0, &result(1));
		seal_it(1, &result(1));
		pass(28);
		assert!(matches!(task(0).status, TaskStatus::Sealed { .. }));
		assert_eq!(task(2).status, TaskStatus::Open);
		pass(2);
		assert_eq!(task(2).status, TaskStatus::Standby);
		open_it(0, result(1));
		open_it(1, result(1));
		pass(WINDOW + 2);
		assert_eq!(refunded_for(2), Reason::NotNeeded);
		check_closed(3, 2, 0);
	});
}

#[test]
fn a_missed_deadline_has_another_provider_do_it() {
	build_and_execute(|| {
		providers(4);
		post_as(1, replicated(3, 0, 0));
		pass(1);
		take(0);
		pass(2);
		take(1);
		take(2);
		seal_it(0, &result(1));
		seal_it(1, &result(1));
		let absent = on(2);
		pass(DEADLINE + 2);
		assert!(state(|s| s.ends.contains(&(absent, MatchEnd::Missed))));
		assert_eq!((on(2), task(2).attempts), (PROVIDER + 3, 1));
		take(2);
		seal_it(2, &result(1));
		pass(1);
		(0..3).for_each(|index| open_it(index, result(1)));
		pass(WINDOW + 2);
		check_closed(3, 3, 0);
	});
}

#[test]
fn alone_among_absent_ones_a_replica_shows_nothing_and_loses_nothing() {
	build_and_execute(|| {
		providers(1);
		post_as(1, replicated(3, 0, 0));
		pass(1);
		take(0);
		seal_it(0, &result(1));
		pass(40);
		assert!(state(|s| s.ends.contains(&(PROVIDER, MatchEnd::Released))));
		assert!(state(|s| s.audits.is_empty()));
		// Another round, which nobody takes, until the job expires.
		assert_eq!(task(0).status, TaskStatus::Open);
		pass(165);
		assert!((0..3).all(|index| refunded_for(index) == Reason::Expired));
		check_closed(3, 0, 0);
	});
}

#[test]
fn without_a_majority_nobody_is_to_blame_and_it_is_done_again() {
	build_and_execute(|| {
		to_opening(&[result(1), result(2), result(3)]);
		(0..3).for_each(|index| open_it(index, result(index as u8 + 1)));
		pass(1);
		assert_eq!(state(|s| s.destroyed), 0);
		assert_eq!(state(|s| s.ends.clone()).len(), 3);
		assert!(state(|s| s.ends.iter().all(|(_, end)| *end == MatchEnd::Released)));
		assert_eq!([1, 2].map(|index| task(index).status), [TaskStatus::Standby; 2]);
		assert!((0..3).all(|index| task(index).attempts == 1));
		// Others do it, and agree.
		state(|s| s.asks.clear());
		state(|s| s.asks.extend((3..6).map(|n| (PROVIDER + n, PRICE))));
		to_sealed(0, &[result(1), result(1), result(1)]);
		pass(1);
		(0..3).for_each(|index| open_it(index, result(1)));
		pass(WINDOW + 2);
		check_closed(3, 3, 0);
	});
}

#[test]
fn after_all_runs_without_a_majority_the_buyer_is_refunded() {
	build_and_execute(|| {
		to_opening(&[result(1), result(2)]);
		open_it(0, result(1));
		open_it(1, result(2));
		pass(1);
		providers(4);
		to_sealed(0, &[result(1), result(2)]);
		pass(1);
		open_it(0, result(1));
		open_it(1, result(2));
		pass(1);
		assert!((0..2).all(|index| refunded_for(index) == Reason::NoMajority));
		check_closed(2, 0, 0);
	});
}

#[test]
fn who_does_not_open_pays_even_without_a_majority() {
	build_and_execute(|| {
		to_opening(&[result(1), result(2), result(3)]);
		open_it(0, result(1));
		let silent = [on(1), on(2)];
		pass(9);
		assert_eq!(state(|s| s.destroyed), 2 * SLASH);
		assert!(silent.iter().all(|who| state(|s| s.ends.contains(&(*who, MatchEnd::Missed)))));
		assert!(state(|s| s.ends.contains(&(PROVIDER, MatchEnd::Released))));
		assert!(matches!(task(0).status, TaskStatus::Open | TaskStatus::Offered { .. }));
	});
}

#[test]
fn within_the_tolerance_is_agreement() {
	build_and_execute(|| {
		// One apart is within; two apart are joined by the one between them.
		to_opening(&[about(10), about(11), about(12)]);
		(0..3).for_each(|index| open_it(index, about(10 + index as i32)));
		pass(WINDOW + 2);
		check_closed(3, 3, 0);
	});
}

#[test]
fn beyond_the_tolerance_is_not() {
	build_and_execute(|| {
		to_opening(&[about(10), about(12), about(11 - 2)]);
		refused!(
			JobEscrow::open_result(hot(0), 0, 0, result(10), SALT),
			Error::<Test>::WrongSummary
		);
		open_it(0, about(10));
		open_it(1, about(12));
		open_it(2, about(9));
		pass(WINDOW + 2);
		assert_eq!(refunded_for(1), Reason::Outvoted);
		check_closed(3, 2, 1);
	});
}

/// A provider that has agreed often enough to be trusted has accepted and sealed; a lot decides.
fn to_lot(agreed: u32, at_least: u32) {
	Agreed::<Test>::insert(PROVIDER, agreed);
	providers(3);
	post_as(1, replicated(3, 0, at_least));
	pass(1);
	take(0);
	pass(3);
	assert_eq!(task(1).status, TaskStatus::Standby);
	seal_it(0, &result(1));
	pass(5);
	assert!(matches!(Groups::<Test>::get(0, 0).unwrap().stage, Stage::Drawing(_)));
	assert!(matches!(task(0).status, TaskStatus::Sealed { .. }));
}

#[test]
fn who_is_trusted_does_it_alone() {
	build_and_execute(|| {
		to_lot(10, 0);
		state(|s| s.lot = Some(false));
		pass(1);
		System::assert_has_event(Event::Trusted { task: slot(0) }.into());
		assert_eq!(state(|s| s.rates.clone()), [sp_runtime::Perquintill::from_percent(10)]);
		open_it(0, result(1));
		pass(1);
		assert!([1, 2].iter().all(|index| refunded_for(*index) == Reason::NotNeeded));
		assert_eq!(held(), EACH);
		pass(WINDOW + 1);
		check_closed(3, 1, 0);
		assert_eq!(Agreed::<Test>::get(PROVIDER), 10, "only what is replicated earns trust");
	});
}

#[test]
fn trust_is_tested_at_the_floor_and_as_the_buyer_wants() {
	for (agreed, at_least, percent) in [(1_000, 0, 5), (20, 0, 5), (10, 50, 50), (12, 1, 8)] {
		build_and_execute(|| {
			to_lot(agreed, at_least);
			state(|s| s.lot = Some(true));
			pass(1);
			let rate = state(|s| s.rates.clone())[0];
			assert_eq!(rate.deconstruct() / 10_000_000_000_000_000, percent);
			pass(1);
			take(1);
			take(2);
			[1, 2].iter().for_each(|index| seal_it(*index, &result(1)));
			pass(1);
			(0..3).for_each(|index| open_it(index, result(1)));
			pass(WINDOW + 2);
			check_closed(3, 3, 0);
			assert_eq!(Agreed::<Test>::get(PROVIDER), agreed + 1);
		});
	}
	// A buyer that wants all replicated waits for no lot.
	build_and_execute(|| {
		Agreed::<Test>::insert(PROVIDER, 1_000);
		providers(3);
		post_as(1, replicated(3, 0, 100));
		to_sealed(0, &[result(1), result(1), result(1)]);
		assert!(state(|s| s.rates.is_empty()));
	});
}

#[test]
fn who_is_trusted_and_does_not_open_is_trusted_no_more() {
	build_and_execute(|| {
		to_lot(50, 0);
		state(|s| s.lot = Some(false));
		pass(1);
		pass(9);
		assert_eq!(state(|s| s.destroyed), SLASH);
		assert_eq!(Agreed::<Test>::get(PROVIDER), 0);
		// Nothing was lost: another does it, and is not trusted.
		pass(1);
		assert_eq!(on(0), PROVIDER + 1);
		take(0);
		pass(2);
		assert!(matches!(task(1).status, TaskStatus::Offered { .. }));
	});
}

#[test]
fn trust_lost_between_acceptance_and_seal_counts() {
	build_and_execute(|| {
		Agreed::<Test>::insert(PROVIDER, 50);
		providers(3);
		post_as(1, replicated(3, 0, 0));
		pass(1);
		take(0);
		pass(2);
		Agreed::<Test>::remove(PROVIDER);
		seal_it(0, &result(1));
		pass(1);
		assert!(matches!(Groups::<Test>::get(0, 0).unwrap().stage, Stage::Replicating { .. }));
	});
}

#[test]
fn a_buyer_cannot_see_results_and_deny_their_majority() {
	build_and_execute(|| {
		providers(3);
		post_as(2, replicated(3, 0, 0));
		pass(1);
		take(0);
		pass(1);
		// Two more replicas of the first task are sought, none of the second has been taken.
		assert_ok!(JobEscrow::cancel(RuntimeOrigin::signed(BUYER), 0));
		assert!((3..6).all(|index| refunded_for(index) == Reason::Cancelled));
		assert_eq!(held(), 3 * EACH);
		pass(6);
		take(1);
		take(2);
		(0..3).for_each(|index| seal_it(index, &result(1)));
		assert_ok!(JobEscrow::cancel(RuntimeOrigin::signed(BUYER), 0));
		pass(1);
		assert_ok!(JobEscrow::cancel(RuntimeOrigin::signed(BUYER), 0));
		(0..3).for_each(|index| open_it(index, result(1)));
		pass(WINDOW + 2);
		check_closed(6, 3, 0);
	});
}

#[test]
fn a_job_that_was_cancelled_has_no_further_round() {
	build_and_execute(|| {
		to_opening(&[result(1), result(2)]);
		assert_ok!(JobEscrow::cancel(RuntimeOrigin::signed(BUYER), 0));
		open_it(0, result(1));
		open_it(1, result(2));
		pass(1);
		assert!((0..2).all(|index| refunded_for(index) == Reason::Expired));
		check_closed(2, 0, 0);
	});
}

#[test]
fn cancelled_before_anybody_accepts_all_of_it_goes_back() {
	build_and_execute(|| {
		providers(3);
		post_as(3, replicated(3, 0, 0));
		pass(1);
		assert_ok!(JobEscrow::cancel(RuntimeOrigin::signed(BUYER), 0));
		assert!((0..9).all(|index| refunded_for(index) == Reason::Cancelled));
		check_closed(9, 0, 0);
		assert!(Groups::<Test>::iter().next().is_none());
	});
}

#[test]
fn what_nobody_takes_expires() {
	build_and_execute(|| {
		state(|s| s.asks.clear());
		post_as(2, replicated(3, 0, 0));
		pass(202);
		assert!((0..6).all(|index| refunded_for(index) == Reason::Expired));
		check_closed(6, 0, 0);
	});
}

#[test]
fn a_short_lifetime_does_not_cut_replicas_off() {
	build_and_execute(|| {
		providers(3);
		let mut spec = spec(1);
		(spec.assurance, spec.lifetime) = (replicated(3, 0, 0), 2);
		assert_ok!(JobEscrow::post(RuntimeOrigin::signed(BUYER), spec));
		pass(1);
		take(0);
		pass(5);
		take(1);
		take(2);
		(0..3).for_each(|index| seal_it(index, &result(1)));
		pass(1);
		(0..3).for_each(|index| open_it(index, result(1)));
		pass(WINDOW + 2);
		check_closed(3, 3, 0);
	});
}

#[test]
fn a_declined_replica_is_offered_to_others() {
	build_and_execute(|| {
		providers(4);
		post_as(1, replicated(3, 0, 0));
		pass(1);
		assert_ok!(JobEscrow::decline(hot(0), 0, 0));
		pass(3);
		assert_eq!(on(0), PROVIDER + 1);
		take(0);
		assert_ok!(JobEscrow::abandon(hot(0), 0, 0));
		pass(3);
		assert_ne!(on(0), PROVIDER + 1);
		take(0);
	});
}

#[test]
fn a_first_replica_out_of_runs_makes_room_for_another() {
	build_and_execute(|| {
		providers(6);
		post_as(1, replicated(3, 0, 0));
		pass(1);
		take(0);
		pass(2);
		take(1);
		take(2);
		for run in 1..=2u8 {
			if run == 2 {
				pass(2);
				take(0);
			}
			assert_ok!(JobEscrow::abandon(hot(0), 0, 0));
			assert_eq!(task(0).attempts, run);
		}
		assert_eq!(task(0).status, TaskStatus::Standby);
		// The others, which were sought when the first was accepted, do without it.
		[1, 2].iter().for_each(|index| seal_it(*index, &result(1)));
		pass(1);
		open_it(1, result(1));
		open_it(2, result(1));
		pass(WINDOW + 2);
		assert_eq!(refunded_for(0), Reason::NotNeeded);
		check_closed(3, 2, 0);
	});
}

#[test]
fn the_part_that_a_vote_costs_is_bounded() {
	build_and_execute(|| {
		let set = |change: fn(&mut crate::Replication)| {
			let mut params = params();
			change(&mut params.replication);
			JobEscrow::set_parameters(RuntimeOrigin::root(), params)
		};
		for bad in [
			(|r| r.slash = Permill::from_percent(26)) as fn(&mut crate::Replication),
			|r| r.floor = Permill::zero(),
			|r| r.seek_window = 0,
			|r| r.opening_window = 0,
		] {
			refused!(set(bad), Error::<Test>::BadParameters);
		}
		assert_ok!(set(|r| r.slash = Permill::zero()));
		// Then a vote costs nothing but the pay.
		to_opening(&[result(1), result(2), result(1)]);
		(0..3).for_each(|index| open_it(index, result([1, 2, 1][index as usize])));
		pass(WINDOW + 2);
		check_closed(3, 2, 0);
	});
}

#[test]
fn escrow_is_held_under_its_reason_until_the_end() {
	build_and_execute(|| {
		let reason = HoldReason::Escrow.into();
		to_opening(&[result(1), result(1), result(1)]);
		assert_eq!(Balances::balance_on_hold(&reason, &BUYER), 3 * EACH);
		(0..3).for_each(|index| open_it(index, result(1)));
		pass(1);
		assert_eq!(Balances::balance_on_hold(&reason, &BUYER), 3 * EACH);
		pass(WINDOW + 1);
		assert_eq!(Balances::balance_on_hold(&reason, &BUYER), 0);
	});
}
