use crate::{mock::*, Claimable, Error, Event};
use frame_support::{assert_noop, assert_ok};
use sp_runtime::TokenError;

#[test]
fn a_payout_that_cannot_be_minted_can_be_claimed_later() {
	build_and_execute(|| {
		// Account 99 does not exist; 9 planck are below the existential deposit.
		burn(1, 99, 19);
		burn(1, 2, 100);
		poll(10);
		assert_eq!(Balances::free_balance(2), FUNDS + 49);
		assert_eq!(Claimable::<Test>::get(99), 9);
		assert!(events().contains(&Event::Deferred { era: 0, provider: 99, amount: 9 }));
		assert_eq!(Emissions::figures().minted, 49);
		assert_ok!(Emissions::do_try_state());

		let claim = |who| Emissions::claim(RuntimeOrigin::signed(1), who);
		assert_noop!(claim(2), Error::<Test>::NothingToClaim);
		assert_noop!(claim(99), TokenError::BelowMinimum);

		// The next era brings it above the deposit.
		burn(1, 99, 19);
		poll(20);
		assert_eq!(Claimable::<Test>::get(99), 18);
		assert_ok!(claim(99));
		assert_eq!(Balances::free_balance(99), 18);
		assert!(events().contains(&Event::Claimed { provider: 99, amount: 18 }));
		assert_noop!(claim(99), Error::<Test>::NothingToClaim);
		assert_eq!(Emissions::figures().minted, 49 + 18);
		assert_noop!(Emissions::claim(RuntimeOrigin::none(), 99), sp_runtime::traits::BadOrigin);
	});
}

#[test]
fn one_that_comes_to_exist_can_claim_any_amount() {
	build_and_execute(|| {
		burn(1, 99, 3);
		poll(10);
		assert_eq!(Claimable::<Test>::get(99), 1);
		assert_ok!(Balances::transfer_allow_death(RuntimeOrigin::signed(1), 99, ED));
		assert_ok!(Emissions::claim(RuntimeOrigin::signed(99), 99));
		assert_eq!(Balances::free_balance(99), ED + 1);
	});
}
