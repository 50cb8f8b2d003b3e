//! Whatever is sent, a precise error and nothing moved.

use super::*;
use crate::{JobSpec, Params};
use assay_primitives::{work::Assurance, Root};

fn refused(
	change: impl FnOnce(&mut JobSpec<AccountId>),
	error: impl Into<sp_runtime::DispatchError>,
) {
	let mut job = spec(1);
	change(&mut job);
	assert_noop!(JobEscrow::post(RuntimeOrigin::signed(BUYER), job), error.into());
}

#[test]
fn specs_that_make_no_sense_are_refused() {
	build_and_execute(|| {
		refused(|j| j.program = Root::zero(), Error::<Test>::UnknownProgram);
		refused(|j| j.tasks = 0, Error::<Test>::TaskCount);
		refused(|j| j.tasks = 101, Error::<Test>::TaskCount);
		refused(|j| j.tasks = u32::MAX, Error::<Test>::TaskCount);
		refused(
			|j| j.data_url = b"file:///etc/passwd".to_vec().try_into().unwrap(),
			Error::<Test>::BadUrl,
		);
		refused(|j| j.deadline = 1, Error::<Test>::DeadlineOutOfRange);
		refused(|j| j.deadline = u32::MAX, Error::<Test>::DeadlineOutOfRange);
		refused(|j| j.lifetime = 0, Error::<Test>::LifetimeOutOfRange);
		refused(|j| j.lifetime = u32::MAX, Error::<Test>::LifetimeOutOfRange);
		refused(|j| j.max_price = 0, Error::<Test>::ZeroPrice);
		refused(|j| j.max_price = Balance::MAX, Error::<Test>::AmountTooLarge);
		refused(|j| j.max_price = Balance::MAX / 2 + 1, Error::<Test>::AmountTooLarge);
		refused(|j| j.max_price = Balance::MAX / 4, sp_runtime::TokenError::FundsUnavailable);
		refused(
			|j| {
				j.max_price = Balance::MAX / 4 + 1;
				j.tasks = 4;
			},
			Error::<Test>::AmountTooLarge,
		);
		refused(|j| j.value = Balance::MAX, Error::<Test>::AmountTooLarge);
		refused(
			|j| j.assurance = Assurance::every_task(0),
			sp_runtime::DispatchError::Other("no such assurance"),
		);
		refused(|j| j.max_price = 20_000 * ASY, sp_runtime::TokenError::FundsUnavailable);
	});
}

#[test]
fn only_the_matched_hot_key_in_the_right_state_gets_through() {
	build_and_execute(|| {
		post(2);
		pass(1);
		let inputs = |i| vec![input(i)].try_into().unwrap();
		let by = RuntimeOrigin::signed;
		let path = Default::default;
		assert_noop!(
			JobEscrow::accept(by(OTHER), 0, 0, inputs(0), path()),
			Error::<Test>::NotHotKey
		);
		assert_noop!(
			JobEscrow::accept(by(HOT + 1), 0, 0, inputs(0), path()),
			Error::<Test>::NotYours
		);
		assert_noop!(
			JobEscrow::accept(by(HOT), 7, 0, inputs(0), path()),
			Error::<Test>::UnknownJob
		);
		assert_noop!(
			JobEscrow::accept(by(HOT), 0, 2, inputs(0), path()),
			Error::<Test>::UnknownTask
		);
		assert_noop!(
			JobEscrow::accept(by(HOT), 0, 0, inputs(1), path()),
			Error::<Test>::WrongInputs
		);
		assert_noop!(
			JobEscrow::accept(by(HOT), 0, 0, Default::default(), path()),
			Error::<Test>::WrongInputs
		);
		assert_noop!(JobEscrow::submit(by(HOT), 0, 0, commitment()), Error::<Test>::WrongState);
		assert_noop!(JobEscrow::abandon(by(HOT), 0, 0), Error::<Test>::WrongState);
		accept(0);
		assert_noop!(
			JobEscrow::accept(by(HOT), 0, 0, inputs(0), path()),
			Error::<Test>::WrongState
		);
		assert_noop!(JobEscrow::decline(by(HOT), 0, 0), Error::<Test>::WrongState);
		submit(0);
		assert_noop!(JobEscrow::submit(by(HOT), 0, 0, commitment()), Error::<Test>::WrongState);
		assert_noop!(JobEscrow::advance(by(OTHER), 0, 0), Error::<Test>::NothingDue);
	});
}

#[test]
fn a_provider_whose_stake_is_too_small_cannot_accept() {
	build_and_execute(|| {
		post(1);
		pass(1);
		// Meanwhile it has put almost all of it at risk elsewhere.
		state(|s| s.locked.insert(PROVIDER, STAKE - PRICE * STAKE_RATIO + 1));
		let inputs = vec![input(0)].try_into().unwrap();
		assert_noop!(
			JobEscrow::accept(RuntimeOrigin::signed(HOT), 0, 0, inputs, Default::default()),
			sp_runtime::DispatchError::Other("stake too small")
		);
	});
}

#[test]
fn a_second_verdict_on_the_same_task_moves_nothing() {
	build_and_execute(|| {
		to_audit();
		conclude(0, AuditOutcome::Passed, vec![AUDITOR]);
		let after = (task(0), Balances::free_balance(AUDITOR));
		let again = std::panic::catch_unwind(|| conclude(0, WRONG, vec![AUDITOR]));
		// `defensive!` panics where debug assertions are on, and only there.
		assert_eq!(again.is_err(), cfg!(debug_assertions));
		assert_eq!((task(0), Balances::free_balance(AUDITOR)), after);
	});
}

#[test]
fn parameters_are_roots_and_must_make_sense() {
	build_and_execute(|| {
		assert_noop!(
			JobEscrow::set_parameters(RuntimeOrigin::signed(BUYER), params()),
			sp_runtime::DispatchError::BadOrigin
		);
		for bad in [
			Params { runs: 0, ..params() },
			Params { offer_window: 0, ..params() },
			Params { min_deadline: 101, ..params() },
		] {
			assert_noop!(
				JobEscrow::set_parameters(RuntimeOrigin::root(), bad),
				Error::<Test>::BadParameters
			);
		}
	});
}
