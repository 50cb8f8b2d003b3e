use crate::{mock::*, Error, Event, HoldReason, HotKeys, Machines, Params, Providers, Unbonding};
use assay_primitives::{market::MatchEnd, traits::Supply};
use frame_support::{assert_noop, assert_ok, traits::fungible::InspectHold};
use sp_runtime::TokenError;

fn held(n: u8) -> u128 {
	Balances::balance_on_hold(&HoldReason::Stake.into(), &account(n))
}

#[test]
fn bonding_adds_stake() {
	build_and_execute(|| {
		assert_noop!(Registry::bond_extra(origin(1), 1), Error::<Test>::NotRegistered);
		register(1, MIN_STAKE);
		assert_noop!(Registry::bond_extra(origin(1), 0), Error::<Test>::ZeroAmount);
		assert_noop!(Registry::bond_extra(origin(1), u128::MAX), TokenError::FundsUnavailable);
		assert_noop!(Registry::bond_extra(origin(1), FUNDS), TokenError::FundsUnavailable);
		assert_ok!(Registry::bond_extra(origin(1), 500));
		assert_eq!(held(1), 1_500);
		assert_eq!(Registry::figures().staked, 1_500);
		assert!(events().contains(&Event::Bonded { provider: account(1), amount: 500 }));
	});
}

#[test]
fn unbonding_stake_stays_on_hold_for_the_period() {
	build_and_execute(|| {
		register(1, 5_000);
		assert_noop!(Registry::unbond(origin(1), 0), Error::<Test>::ZeroAmount);
		assert_noop!(Registry::unbond(origin(1), 4_001), Error::<Test>::StakeTooLow);
		assert_noop!(Registry::unbond(origin(1), 5_001), Error::<Test>::StakeLocked);
		assert_noop!(Registry::unbond(origin(1), u128::MAX), Error::<Test>::StakeLocked);
		assert_ok!(Registry::unbond(origin(1), 3_000));
		assert_eq!((held(1), Registry::figures().staked), (5_000, 2_000));
		assert!(events().contains(&Event::Unbonded {
			provider: account(1),
			amount: 3_000,
			until: 21
		}));

		System::set_block_number(20);
		assert_noop!(Registry::withdraw_unbonded(origin(1)), Error::<Test>::NothingUnbonded);
		System::set_block_number(21);
		assert_ok!(Registry::withdraw_unbonded(origin(1)));
		assert_eq!((held(1), Balances::free_balance(account(1))), (2_000, FUNDS - 2_000));
		assert_noop!(Registry::withdraw_unbonded(origin(1)), Error::<Test>::NothingUnbonded);
		assert_noop!(Registry::withdraw_unbonded(origin(2)), Error::<Test>::NotRegistered);
	});
}

#[test]
fn chunks_of_one_block_are_joined_and_their_number_bounded() {
	build_and_execute(|| {
		register(1, 10_000);
		for block in 1..=3 {
			System::set_block_number(block);
			assert_ok!(Registry::unbond(origin(1), 10));
			assert_ok!(Registry::unbond(origin(1), 5));
		}
		let chunks = Providers::<Test>::get(account(1)).unwrap().unbonding;
		let chunk = |until| Unbonding { amount: 15, until };
		assert_eq!(chunks.into_inner(), vec![chunk(21), chunk(22), chunk(23)]);

		System::set_block_number(4);
		assert_noop!(Registry::unbond(origin(1), 10), Error::<Test>::TooManyUnbonding);
		assert_noop!(Registry::deregister(origin(1)), Error::<Test>::TooManyUnbonding);
		System::set_block_number(22);
		assert_ok!(Registry::withdraw_unbonded(origin(1)));
		assert_eq!(held(1), 10_000 - 30);
		assert_ok!(Registry::unbond(origin(1), 10));
	});
}

#[test]
fn a_shorter_period_does_not_shorten_what_is_under_way() {
	build_and_execute(|| {
		register(1, 10_000);
		assert_ok!(Registry::unbond(origin(1), 100));
		let params = Params { unbonding_period: 0, ..PARAMS };
		assert_ok!(Registry::set_parameters(RuntimeOrigin::root(), params));
		assert_ok!(Registry::unbond(origin(1), 7));
		assert_ok!(Registry::withdraw_unbonded(origin(1)));
		assert_eq!(held(1), 10_000 - 7);
		System::set_block_number(21);
		assert_ok!(Registry::withdraw_unbonded(origin(1)));
		assert_eq!(held(1), 10_000 - 107);
	});
}

#[test]
fn locked_stake_cannot_leave_and_unbonding_stake_cannot_be_locked() {
	build_and_execute(|| {
		provider(1, 5_000, 10);
		let who = account(1);
		assert_ok!(Registry::reserve(&who, 0));
		assert_ok!(Registry::lock(&who, 2_000));
		assert_noop!(Registry::unbond(origin(1), 3_001), Error::<Test>::StakeLocked);
		assert_ok!(Registry::unbond(origin(1), 3_000));
		// Free stake is exhausted now: what is on its way out backs nothing.
		assert_noop!(Registry::lock(&who, 1), Error::<Test>::InsufficientStake);
		assert_noop!(Registry::lock(&who, u128::MAX), Error::<Test>::InsufficientStake);
		assert_ok!(Registry::lock(&who, 0));
		assert_noop!(Registry::deregister(origin(1)), Error::<Test>::StakeLocked);
		Registry::release(&who, 0, 2_000, MatchEnd::Settled);
		assert_eq!(Providers::<Test>::get(&who).unwrap().locked, 0);
		assert_ok!(Registry::unbond(origin(1), 1_000));
	});
}

#[test]
fn leaving_takes_everything_out_and_ends_with_the_last_withdrawal() {
	build_and_execute(|| {
		provider(1, 5_000, 10);
		assert_ok!(Registry::add_machine(origin(1), spec()));
		let who = account(1);
		assert_ok!(Registry::reserve(&who, 0));
		assert_noop!(Registry::deregister(origin(1)), Error::<Test>::MachineBusy);
		Registry::release(&who, 0, 0, MatchEnd::NotTaken { lapsed: false });
		assert_ok!(Registry::unbond(origin(1), 1_000));

		System::set_block_number(5);
		let post = Registry::deregister(origin(1)).unwrap();
		assert_eq!(post.actual_weight, Some(<() as crate::WeightInfo>::deregister(2)));
		assert_eq!(Machines::<Test>::iter().count(), 0);
		assert_eq!(Registry::figures(), crate::Figures { providers: 1, ..Default::default() });
		assert_eq!(held(1), 5_000);

		// Nothing but withdrawing is left to do, and the hot key stays taken.
		let leaving = Error::<Test>::Leaving;
		assert_noop!(Registry::deregister(origin(1)), leaving);
		assert_noop!(Registry::bond_extra(origin(1), 10), Error::<Test>::Leaving);
		assert_noop!(Registry::unbond(origin(1), 10), Error::<Test>::Leaving);
		assert_noop!(Registry::add_machine(origin(1), spec()), Error::<Test>::Leaving);
		assert_noop!(Registry::set_ask(origin(1), 0, ask(1)), Error::<Test>::Leaving);
		assert_noop!(Registry::set_hot_key(origin(1), account(99)), Error::<Test>::Leaving);
		assert_noop!(Registry::reserve(&who, 0), Error::<Test>::Leaving);
		assert_noop!(Registry::lock(&who, 0), Error::<Test>::Leaving);
		assert_noop!(
			Registry::register(origin(1), account(99), 1_000, label(""), url("http://a"), None),
			Error::<Test>::Leaving
		);
		assert_ok!(Registry::do_try_state());

		System::set_block_number(21);
		assert_ok!(Registry::withdraw_unbonded(origin(1)));
		assert_eq!(held(1), 4_000);
		assert!(Providers::<Test>::contains_key(&who));
		System::set_block_number(25);
		assert_ok!(Registry::withdraw_unbonded(origin(1)));
		assert_eq!((held(1), Balances::free_balance(&who)), (0, FUNDS));
		assert!(!Providers::<Test>::contains_key(&who));
		assert!(!HotKeys::<Test>::contains_key(hot(1)));
		assert!(events().contains(&Event::Left { provider: account(1) }));
		register(1, MIN_STAKE);
	});
}
