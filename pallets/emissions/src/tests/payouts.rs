use crate::{mock::*, BurnedBy, Event, NextPayout, Payout, Payouts, WeightInfo};
use assay_primitives::traits::WorkLedger;
use frame_support::{assert_ok, weights::Weight};

#[test]
fn a_pool_is_shared_by_what_was_burned() {
	build_and_execute(|| {
		burn(10, 1, 100);
		burn(10, 2, 33);
		burn(10, 1, 100);
		burn(10, 3, 1);
		poll(10);
		// pool = 234 ÷ 2 = 117
		let minted = |provider| Balances::free_balance(provider) - FUNDS;
		assert_eq!((minted(1), minted(2), minted(3)), (100, 16, 0));
		assert_eq!(events().last(), Some(&Event::EraPaid { era: 0, paid: 116, remainder: 1 }));
		assert!(events().contains(&Event::Minted { era: 0, provider: 2, amount: 16 }));
		assert_eq!(BurnedBy::<Test>::iter().count(), 0);
		let figures = Emissions::figures();
		assert_eq!((figures.minted, figures.reserve), (116, 1_000 - 116));
	});
}

#[test]
fn payouts_are_bounded_per_block_and_go_on_where_they_stopped() {
	build_and_execute(|| {
		for provider in 1..=20 {
			burn(20, provider, 10);
		}
		poll(10);
		// Eight steps: the era's end, the payout's opening, six providers.
		let payout = Payouts::<Test>::get(0).unwrap();
		assert_eq!(payout, Payout { pool: 100, burned: 200, done: 60, paid: 30 });
		assert_ok!(Emissions::do_try_state());
		burn(20, 1, 40);
		for block in 11..14 {
			poll(block);
			assert_ok!(Emissions::do_try_state());
		}
		assert_eq!(NextPayout::<Test>::get(), 1);
		assert_eq!(Payouts::<Test>::iter().count(), 0);
		for provider in 2..20 {
			assert_eq!(Balances::free_balance(provider), FUNDS + 5);
		}
		assert_eq!(Emissions::figures().era_burned, 40);
	});
}

#[test]
fn nothing_happens_without_weight() {
	build_and_execute(|| {
		burn(1, 2, 100);
		let base = <() as WeightInfo>::on_poll_base();
		let end = base + <() as WeightInfo>::end_era();
		for limit in [Weight::zero(), Weight::from_parts(1, u64::MAX), base] {
			poll_within(10, limit);
			assert_eq!(Emissions::figures().era, 0);
		}
		poll_within(10, end);
		assert_eq!((Emissions::figures().era, Emissions::figures().minted), (1, 0));
		let opened = base + <() as WeightInfo>::close_era();
		poll_within(11, opened);
		assert_eq!(Emissions::figures().minted, 0);
		poll_within(12, opened + <() as WeightInfo>::pay());
		assert_eq!(Emissions::figures().minted, 50);
		assert!(Payouts::<Test>::contains_key(0));
		poll_within(13, opened + <() as WeightInfo>::pay());
		assert!(!Payouts::<Test>::contains_key(0));
	});
}

#[test]
fn several_eras_are_paid_in_order() {
	build_and_execute(|| {
		for era in 0..3u32 {
			for provider in 1..=9 {
				burn(20, provider, 20);
			}
			poll_within(
				10 * (era + 1),
				<() as WeightInfo>::on_poll_base() + <() as WeightInfo>::end_era(),
			);
		}
		assert_eq!(Payouts::<Test>::iter().count(), 3);
		for block in 31..39 {
			poll(block);
		}
		let paid: Vec<u32> = events()
			.into_iter()
			.filter_map(|event| match event {
				Event::EraPaid { era, .. } => Some(era),
				_ => None,
			})
			.collect();
		assert_eq!(paid, vec![0, 1, 2]);
		assert_eq!(Balances::free_balance(1), FUNDS + 30);
	});
}

#[test]
fn absurd_amounts_move_no_sum() {
	new_test_ext().execute_with(|| {
		Emissions::burned(&1, 0);
		assert_eq!(BurnedBy::<Test>::iter().count(), 0);
		Emissions::burned(&1, u128::MAX - 5);
		Emissions::burned(&2, 3);
		Emissions::burned(&1, u128::MAX);
		Emissions::burned(&3, u128::MAX);
		assert_ok!(Emissions::do_try_state());
		assert_eq!(Emissions::figures().era_burned, u128::MAX);
		poll(10);
		assert_ok!(Emissions::do_try_state());
		assert_eq!(Emissions::figures().minted, 999);
	});
}
