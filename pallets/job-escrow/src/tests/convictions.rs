//! What becomes of the money when a provider is convicted.

use super::*;
use crate::{Claimable, Totals};
use assay_primitives::work::Assurance;

/// A job of one task with this declared value, brought to the audit.
fn to_audit_with(value: Balance) {
	let mut job = spec(1);
	job.value = value;
	assert_ok!(JobEscrow::post(RuntimeOrigin::signed(BUYER), job));
	pass(1);
	accept(0);
	submit(0);
}

const COLLATERAL: Balance = PRICE * STAKE_RATIO;

fn free(who: AccountId) -> Balance {
	Balances::free_balance(who)
}

#[test]
fn the_buyer_is_made_whole_first_and_the_rest_divided() {
	build_and_execute(|| {
		let before = free(BUYER);
		to_audit_with(6 * ASY);
		let escrow = held();
		let reward = convict(0, true);
		assert_eq!(reward, (COLLATERAL - 6 * ASY) / 2);
		assert_eq!(state(|s| s.destroyed), COLLATERAL - 6 * ASY - reward);
		// Nothing is paid for the work; the task is on the market again with all its escrow.
		assert_eq!(free(BUYER), before - escrow + 6 * ASY);
		assert_eq!(held(), escrow);
		assert_eq!(task(0).status, TaskStatus::Open);
		assert_eq!(task(0).attempts, 1);
		assert_eq!(task(0).refused.to_vec(), [PROVIDER]);
		assert_eq!(state(|s| s.locked[&PROVIDER]), 0);
		assert_eq!(state(|s| s.ends.clone()), [(PROVIDER, MatchEnd::Failed)]);
		let sums = Totals::<Test>::get();
		assert_eq!((sums.convictions, sums.forfeited, sums.rewards), (1, COLLATERAL, reward));
		assert_eq!(Jobs::<Test>::get(0).unwrap().money.compensated, 6 * ASY);
		System::assert_has_event(
			Event::Convicted {
				task: TaskId { job: 0, index: 0 },
				provider: PROVIDER,
				offence: OFFENCE,
				forfeit: COLLATERAL,
				compensation: 6 * ASY,
				reward,
				burned: COLLATERAL - 6 * ASY - reward,
			}
			.into(),
		);
		JobEscrow::do_try_state().unwrap();
		JobEscrow::reward(&OTHER, reward);
		assert_eq!(free(OTHER), 100 * ASY + reward);
		assert_eq!(Totals::<Test>::get().rewards, 0);
	});
}

#[test]
fn audit_fees_spent_on_the_lie_come_back_to_the_buyer() {
	build_and_execute(|| {
		let before = free(BUYER);
		to_audit_with(0);
		conclude(0, AuditOutcome::Passed, vec![AUDITOR]);
		assert!(matches!(task(0).status, TaskStatus::Passed { .. }));
		convict(0, false);
		assert_ok!(JobEscrow::cancel(RuntimeOrigin::signed(BUYER), 0));
		assert_eq!(free(BUYER), before);
		assert_eq!(free(AUDITOR), ASY + FEE);
		// Without a challenger all the rest is burned.
		assert_eq!(state(|s| s.destroyed), COLLATERAL - FEE);
	});
}

#[test]
fn no_more_than_the_collateral_is_paid() {
	build_and_execute(|| {
		let before = free(BUYER);
		to_audit_with(1_000 * ASY);
		assert_eq!(convict(0, true), 0);
		assert_ok!(JobEscrow::cancel(RuntimeOrigin::signed(BUYER), 0));
		assert_eq!(free(BUYER), before + COLLATERAL);
		assert_eq!(state(|s| s.destroyed), 0);
	});
}

#[test]
fn the_last_run_convicted_refunds_the_task() {
	build_and_execute(|| {
		let before = free(BUYER);
		state(|s| s.asks.insert(PROVIDER + 1, PRICE + 1));
		post(1);
		pass(1);
		accept(0);
		submit(0);
		convict(0, false);
		pass(4);
		let inputs = vec![input(0)].try_into().unwrap();
		let hot = RuntimeOrigin::signed(HOT + 1);
		assert_ok!(JobEscrow::accept(hot.clone(), 0, 0, inputs, Default::default()));
		assert_ok!(JobEscrow::submit(hot, 0, 0, commitment()));
		convict(0, false);
		assert!(matches!(
			task(0).status,
			TaskStatus::Refunded { reason: Reason::Convicted(OFFENCE), .. }
		));
		assert_eq!(free(BUYER), before);
		assert_eq!(Totals::<Test>::get().convictions, 2);
	});
}

#[test]
fn several_convictions_in_one_block_add_up() {
	build_and_execute(|| {
		post(3);
		for index in 0..3 {
			// Jobs begin with two offers at a time.
			if !matches!(task(index).status, TaskStatus::Offered { .. }) {
				pass(3);
			}
			accept(index);
			submit(index);
		}
		let rewards: Balance = (0..3).map(|index| convict(index, index != 1)).sum();
		assert_eq!(rewards, 2 * (COLLATERAL / 2));
		assert_eq!(Totals::<Test>::get().forfeited, 3 * COLLATERAL);
		assert_eq!(Totals::<Test>::get().rewards, rewards);
		assert_eq!(state(|s| s.destroyed), 3 * COLLATERAL - rewards);
		JobEscrow::do_try_state().unwrap();
		JobEscrow::reward(&OTHER, COLLATERAL / 2);
		JobEscrow::reward(&OTHER, COLLATERAL / 2);
		JobEscrow::do_try_state().unwrap();
	});
}

/// DESIGN §4.10: a provider that is its own buyer and challenger gets back its value and half of the
/// rest, and so loses.
#[test]
fn reporting_oneself_loses() {
	build_and_execute(|| {
		for value in [0, ASY, 19 * ASY] {
			let before = free(BUYER) + free(VAULT) + held();
			let mut job = spec(1);
			job.value = value;
			let id = crate::NextJob::<Test>::get();
			assert_ok!(JobEscrow::post(RuntimeOrigin::signed(BUYER), job));
			pass(1);
			let inputs = vec![input(0)].try_into().unwrap();
			let hot = RuntimeOrigin::signed(HOT);
			assert_ok!(JobEscrow::accept(hot.clone(), id, 0, inputs, Default::default()));
			assert_ok!(JobEscrow::submit(hot, id, 0, commitment()));
			let task = TaskId { job: id, index: 0 };
			state(|s| s.windows.remove(&task));
			let reward = JobEscrow::convicted(task, OFFENCE, true);
			JobEscrow::reward(&BUYER, reward);
			assert_ok!(JobEscrow::cancel(RuntimeOrigin::signed(BUYER), id));
			let after = free(BUYER) + free(VAULT) + held();
			assert_eq!(before - after, (COLLATERAL - value) / 2);
		}
	});
}

#[test]
fn a_reward_that_cannot_be_delivered_waits_to_be_claimed() {
	build_and_execute(|| {
		// A collateral so small that its half makes no account.
		state(|s| s.asks.insert(PROVIDER, EXISTENTIAL / 10));
		to_audit_with(0);
		let reward = convict(0, true);
		assert_eq!(reward, EXISTENTIAL / 2);
		JobEscrow::reward(&77, reward);
		assert_eq!((free(77), Claimable::<Test>::get(77)), (0, reward));
	});
}

#[test]
fn a_moved_window_puts_settlement_off() {
	build_and_execute(|| {
		to_audit_with(0);
		conclude(0, AuditOutcome::Passed, vec![AUDITOR]);
		let id = TaskId { job: 0, index: 0 };
		let closes_at = state(|s| s.windows[&id]);
		state(|s| s.windows.insert(id, closes_at + 7));
		pass(10);
		assert_eq!(task(0).status, TaskStatus::Passed { settles_at: closes_at + 7 });
		pass(6);
		assert!(matches!(task(0).status, TaskStatus::Passed { .. }));
		pass(1);
		assert!(matches!(task(0).status, TaskStatus::Settled { .. }));
		assert!(state(|s| s.windows.is_empty()));
	});
}

#[test]
fn an_optimistic_task_waits_for_its_window_and_custody_only() {
	build_and_execute(|| {
		let before = free(BUYER);
		let mut job = spec(1);
		job.assurance = Assurance::Optimistic;
		assert_ok!(JobEscrow::post(RuntimeOrigin::signed(BUYER), job));
		assert_eq!(held(), 3 * ASY);
		pass(1);
		accept(0);
		submit(0);
		let settles_at = System::block_number() + WINDOW;
		assert_eq!(task(0).status, TaskStatus::Passed { settles_at });
		pass(WINDOW + 1);
		assert!(matches!(task(0).status, TaskStatus::Settled { .. }));
		assert_eq!(before - free(BUYER), PRICE);
	});
}

#[test]
fn a_spared_task_costs_no_audit() {
	build_and_execute(|| {
		let before = free(BUYER);
		to_audit_with(0);
		conclude(0, AuditOutcome::Spared, vec![]);
		pass(WINDOW + 1);
		assert!(matches!(task(0).status, TaskStatus::Settled { .. }));
		assert_eq!(before - free(BUYER), PRICE);
	});
}

#[test]
fn what_a_lie_would_gain_is_price_emission_and_value() {
	build_and_execute(|| {
		to_audit_with(7 * ASY);
		let terms = state(|s| s.terms).unwrap();
		// At most 60 % of a fee of 5 % is minted for it.
		assert_eq!(terms.gain, PRICE + PRICE * 3 / 100 + 7 * ASY);
		assert_eq!(terms.collateral, COLLATERAL);
	});
}

#[test]
fn nobody_is_convicted_of_what_is_over_or_not_begun() {
	build_and_execute(|| {
		post(2);
		pass(1);
		accept(0);
		let before = task(0);
		// A defect in the pallet that calls would be logged and change nothing.
		let result = std::panic::catch_unwind(|| convict(0, true));
		assert!(result.is_err() || result.is_ok_and(|reward| reward == 0));
		assert_eq!(task(0), before);
	});
}
