//! Payouts that cannot be delivered, and fees.

use super::*;
use crate::{Claimable, Parameters};
use sp_runtime::Permill;

#[test]
fn a_payout_below_the_existential_deposit_waits_to_be_claimed() {
	build_and_execute(|| {
		// A price so small that the provider's empty account cannot take it.
		let price = EXISTENTIAL / 2;
		state(|s| s.asks.insert(PROVIDER, price));
		for _ in 0..2 {
			assert_ok!(JobEscrow::post(RuntimeOrigin::signed(BUYER), spec(1)));
		}
		pass(1);
		for job in 0..2 {
			let inputs = vec![input(0)].try_into().unwrap();
			let hot = RuntimeOrigin::signed(HOT);
			assert_ok!(JobEscrow::accept(hot.clone(), job, 0, inputs, Default::default()));
			assert_ok!(JobEscrow::submit(hot, job, 0, commitment()));
			crate::mock::JobEscrow::concluded(
				TaskId { job, index: 0 },
				AuditOutcome::Passed,
				vec![AUDITOR],
			);
		}
		pass(10);
		let paid = price - price / 20;
		assert_eq!(Claimable::<Test>::get(PROVIDER), 2 * paid);
		assert_eq!(Balances::free_balance(PROVIDER), 0);
		assert_noop!(
			JobEscrow::claim(RuntimeOrigin::signed(PROVIDER)),
			sp_runtime::TokenError::BelowMinimum
		);
		// With an account that exists, the claim is good.
		assert_ok!(Balances::transfer_allow_death(
			RuntimeOrigin::signed(OTHER),
			PROVIDER,
			EXISTENTIAL
		));
		assert_ok!(JobEscrow::claim(RuntimeOrigin::signed(PROVIDER)));
		assert_eq!(Balances::free_balance(PROVIDER), EXISTENTIAL + 2 * paid);
		assert_noop!(
			JobEscrow::claim(RuntimeOrigin::signed(PROVIDER)),
			Error::<Test>::NothingToClaim
		);
	});
}

#[test]
fn the_fee_is_the_one_in_force_at_settlement_and_never_above_the_price() {
	build_and_execute(|| {
		to_audit();
		conclude(0, AuditOutcome::Passed, vec![AUDITOR]);
		let mut params = params();
		params.fee = Permill::one();
		params.burned = Permill::one();
		assert_ok!(JobEscrow::set_parameters(RuntimeOrigin::root(), params));
		pass(10);
		assert_eq!(Balances::free_balance(PROVIDER), 0);
		assert_eq!(state(|s| s.burned), PRICE);
	});
}

#[test]
fn a_posted_job_keeps_its_runs_and_audit_fee() {
	build_and_execute(|| {
		post(1);
		let mut more = params();
		more.runs = 200;
		assert_ok!(JobEscrow::set_parameters(RuntimeOrigin::root(), more));
		assert_eq!(Jobs::<Test>::get(0).unwrap().runs, 2);
		assert_eq!(Parameters::<Test>::get().runs, 200);
	});
}

/// Brings a fresh job to an audit of three seats.
fn to_audit_by_three() {
	let mut job = spec(1);
	job.assurance = assay_primitives::work::Assurance::every_task(3);
	assert_ok!(JobEscrow::post(RuntimeOrigin::signed(BUYER), job));
	pass(1);
	accept(0);
	submit(0);
}

#[test]
fn each_auditor_has_its_seats_share_and_the_rest_returns_to_the_buyer() {
	build_and_execute(|| {
		let before = Balances::free_balance(BUYER);
		to_audit_by_three();
		// One of three was absent.
		conclude(0, AuditOutcome::Passed, vec![AUDITOR, OTHER]);
		pass(10);
		assert_eq!(Balances::free_balance(AUDITOR), ASY + FEE);
		assert_eq!(Balances::free_balance(OTHER), 100 * ASY + FEE);
		assert_eq!(before - Balances::free_balance(BUYER), PRICE + 2 * FEE);
	});
}

#[test]
fn a_lone_auditor_does_not_have_the_others_shares() {
	build_and_execute(|| {
		let before = Balances::free_balance(BUYER);
		to_audit_by_three();
		conclude(0, AuditOutcome::Inconclusive, vec![AUDITOR]);
		assert_eq!(Balances::free_balance(AUDITOR), ASY + FEE);
		assert_eq!(Balances::free_balance(TREASURY), ASY + 2 * FEE);
		assert_ok!(JobEscrow::cancel(RuntimeOrigin::signed(BUYER), 0));
		assert_eq!(before - Balances::free_balance(BUYER), 3 * FEE);
	});
}
