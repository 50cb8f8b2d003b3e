use crate::{mock::*, CurrentEra, Era, Event, Payouts};
use frame_support::weights::Weight;

#[test]
fn an_era_ends_with_its_last_block() {
	build_and_execute(|| {
		burn(1, 2, 100);
		poll(9);
		assert_eq!(CurrentEra::<Test>::get().index, 0);
		assert_eq!(events(), vec![]);
		poll(10);
		assert_eq!(
			CurrentEra::<Test>::get(),
			Era { index: 1, started_at: 10, burned: 0, cap: 900 }
		);
		assert_eq!(
			events()[0],
			Event::EraEnded { era: 0, burned: 100, pool: 50, reserve_added: 950 }
		);
	});
}

#[test]
fn the_cap_decays_and_bounds_the_pool() {
	build_and_execute(|| {
		for (block, pool) in [(10, 1_000), (20, 900), (30, 810), (40, 729), (50, 656)] {
			burn(1, 2, 5_000);
			poll(block);
			assert!(events().contains(&Event::EraEnded {
				era: block / 10 - 1,
				burned: 5_000,
				pool,
				reserve_added: 0
			}));
		}
		assert_eq!(Emissions::figures().minted, 1_000 + 900 + 810 + 729 + 656);
		assert_eq!(Emissions::figures().reserve, 0);
	});
}

#[test]
fn without_work_the_schedule_goes_to_the_reserve() {
	build_and_execute(|| {
		poll(10);
		poll(20);
		let figures = Emissions::figures();
		assert_eq!((figures.minted, figures.reserve), (0, 1_900));
		assert_eq!((figures.era, figures.era_cap), (2, 810));
		assert_eq!(Payouts::<Test>::iter().count(), 0);
	});
}

#[test]
fn eras_that_nobody_ended_are_caught_up_with() {
	build_and_execute(|| {
		burn(1, 2, 100);
		// What is burned before the catching up counts for the era that should have ended.
		System::set_block_number(33);
		burn(1, 2, 100);
		poll(35);
		let era = CurrentEra::<Test>::get();
		assert_eq!((era.index, era.started_at, era.cap), (3, 30, 729));
		assert_eq!(Emissions::figures().minted, 100);
		poll(39);
		assert_eq!(CurrentEra::<Test>::get().index, 3);
	});
}

#[test]
fn a_long_absence_is_caught_up_with_over_several_blocks() {
	build_and_execute(|| {
		burn(1, 2, 100);
		poll(1_000);
		assert_eq!(CurrentEra::<Test>::get().index, 8);
		let mut block = 1_000;
		while CurrentEra::<Test>::get().index < block / 10 {
			block += 1;
			assert!(block < 1_100, "never caught up");
			poll(block);
		}
		for _ in 0..40 {
			block += 1;
			poll(block);
		}
		assert_eq!(Emissions::figures().minted, 50);
		assert_eq!(Payouts::<Test>::iter().count(), 0);
	});
}

#[test]
fn the_greatest_height_is_no_trouble() {
	build_and_execute(|| {
		poll(u32::MAX);
		poll_within(u32::MAX, Weight::zero());
		CurrentEra::<Test>::mutate(|era| {
			era.index = u32::MAX;
			era.started_at = 0;
		});
		crate::NextPayout::<Test>::put(u32::MAX);
		burn(1, 2, 10);
		poll(u32::MAX);
		assert_eq!(CurrentEra::<Test>::get().index, u32::MAX);
	});
}
