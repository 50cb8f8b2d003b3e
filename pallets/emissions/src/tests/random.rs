//! Whatever is burned when, and whenever the hook runs: nobody earns by paying itself, and the
//! money adds up.

use crate::{mock::*, Params, MAX_CAP};
use frame_support::{assert_ok, weights::Weight};
use proptest::prelude::*;
use sp_runtime::Perbill;

fn params() -> impl Strategy<Value = Params> {
	let cap = prop_oneof![Just(0), Just(MAX_CAP), 0..100_000u128];
	let kappa = prop_oneof![Just(0), Just(999_999_999), 0..1_000_000_000u32];
	(1..20u32, kappa, cap, 0..=1_000_000_000u32).prop_map(|(era_length, kappa, cap, decay)| {
		Params {
			era_length,
			kappa: Perbill::from_parts(kappa),
			initial_cap: cap,
			decay: Perbill::from_parts(decay),
		}
	})
}

/// Polls until nothing is left to pay.
fn settle(block: &mut u32, era_length: u32) {
	*block += era_length;
	for _ in 0..2_000 {
		poll(*block);
		let era = crate::CurrentEra::<Test>::get();
		if *block < era.started_at + era_length && crate::NextPayout::<Test>::get() == era.index {
			return;
		}
	}
	panic!("payouts never end");
}

proptest! {
	#![proptest_config(ProptestConfig::with_cases(200))]

	#[test]
	fn a_monopolist_that_pays_itself_loses(
		params in params(),
		fees in proptest::collection::vec((0..20_000u128, 0..30u32), 1..40),
	) {
		new_test_ext().execute_with(|| {
			assert_ok!(Emissions::set_parameters(RuntimeOrigin::root(), params));
			let mut block = 1;
			let mut burned = 0;
			for (fee, blocks) in fees {
				burn(1, 1, fee);
				burned += fee;
				block += blocks;
				poll(block);
				// Never ahead, at no time.
				let balance = Balances::free_balance(1);
				assert!(burned == 0 || balance < FUNDS);
			}
			settle(&mut block, params.era_length);
			let minted = Emissions::figures().minted;
			assert_eq!(Balances::free_balance(1), FUNDS - burned + minted);
			assert!(minted <= params.kappa.mul_floor(burned));
			assert!(burned == 0 || minted < burned);
			assert_ok!(Emissions::do_try_state());
		});
	}

	#[test]
	fn no_coalition_gains_by_splitting(
		params in params(),
		fees in proptest::collection::vec((1..=15u64, 1..5_000u128, 0..12u32), 1..60),
	) {
		new_test_ext().execute_with(|| {
			assert_ok!(Emissions::set_parameters(RuntimeOrigin::root(), params));
			let mut block = 1;
			let mut burned = [0u128; 16];
			for (who, fee, blocks) in fees {
				burn(who, who, fee);
				burned[who as usize] += fee;
				block += blocks;
				poll(block);
			}
			settle(&mut block, params.era_length);
			for who in 1..=15u64 {
				let burned = burned[who as usize];
				let minted = Balances::free_balance(who) + burned - FUNDS;
				assert!(minted <= params.kappa.mul_floor(burned));
			}
			assert_ok!(Emissions::do_try_state());
		});
	}

	#[test]
	fn invariants_hold_at_every_block(
		steps in proptest::collection::vec(
			(1..=20u64, 90..110u64, 0..300u128, 0..15u32, 0..400u64, 0..12u8),
			1..60,
		),
	) {
		build_and_execute(|| {
			let mut block = 1;
			for (payer, provider, fee, blocks, micros, what) in steps {
				match what {
					0 => {
						let _ = Emissions::claim(RuntimeOrigin::signed(1), provider);
					},
					1 => {
						let params = Params {
							era_length: 1 + blocks,
							initial_cap: fee,
							kappa: Perbill::from_percent(blocks * 5),
							..PARAMS
						};
						assert_ok!(Emissions::set_parameters(RuntimeOrigin::root(), params));
					},
					_ => burn(payer, provider, fee),
				}
				block += blocks;
				let limit = Weight::from_parts(micros * 10_000_000, u64::MAX);
				poll_within(block, limit);
				assert_ok!(Emissions::do_try_state());
			}
		});
	}
}
