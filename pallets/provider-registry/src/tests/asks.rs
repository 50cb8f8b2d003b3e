use crate::{mock::*, Book, Error, Event, MachineSpec, Machines};
use assay_primitives::market::{Ask, MachineClass};
use frame_support::{assert_noop, assert_ok};

/// Numbers of the providers in the book, in order.
fn book() -> Vec<u8> {
	Book::<Test>::get(CLASS)
		.iter()
		.map(|entry| <[u8; 32]>::from(entry.provider.clone())[0])
		.collect()
}

#[test]
fn the_book_is_sorted_by_reference_price_then_by_age() {
	build_and_execute(|| {
		for (n, base) in [(1, 30), (2, 10), (3, 20), (4, 10)] {
			provider(n, MIN_STAKE, base);
		}
		assert_eq!(book(), vec![2, 4, 3, 1]);
		// 1 GMAC and 1 Melement count.
		let dearer = Ask { per_gmac: 10, per_melement: 15, ..ask(0) };
		assert_ok!(Registry::set_ask(origin(2), 0, dearer));
		assert_eq!(book(), vec![4, 3, 2, 1]);
		// Setting the same ask again loses its place among equals.
		assert_ok!(Registry::set_ask(origin(3), 0, ask(10)));
		assert_ok!(Registry::set_ask(origin(4), 0, ask(10)));
		assert_eq!(book(), vec![3, 4, 2, 1]);
	});
}

#[test]
fn each_class_has_its_book() {
	build_and_execute(|| {
		register(1, MIN_STAKE);
		let cpu = MachineSpec { class: MachineClass::Cpu, ..spec() };
		assert_ok!(Registry::add_machine(origin(1), cpu));
		assert_ok!(Registry::set_ask(origin(1), 0, ask(1)));
		assert!(book().is_empty());
		assert_eq!(Book::<Test>::get(MachineClass::Cpu).len(), 1);
	});
}

#[test]
fn a_full_book_takes_a_cheaper_ask_for_its_dearest() {
	build_and_execute(|| {
		for n in 1..=6 {
			provider(n, MIN_STAKE, 100 + u128::from(n / 4));
		}
		assert_eq!(book(), vec![1, 2, 3, 4, 5, 6]);
		register(7, MIN_STAKE);
		assert_ok!(Registry::add_machine(origin(7), spec()));
		assert_noop!(Registry::set_ask(origin(7), 0, ask(102)), Error::<Test>::BookFull);
		assert_noop!(Registry::set_ask(origin(7), 0, ask(101)), Error::<Test>::BookFull);
		assert_ok!(Registry::set_ask(origin(7), 0, ask(100)));
		assert_eq!(book(), vec![1, 2, 3, 7, 4, 5]);
		assert_eq!(Machines::<Test>::get(account(6), 0).unwrap().ask, None);
		assert!(events().contains(&Event::AskDisplaced { provider: account(6), machine: 0 }));
		assert_noop!(Registry::clear_ask(origin(6), 0), Error::<Test>::NoAsk);
		// Whoever is in the book may always change its ask.
		assert_ok!(Registry::set_ask(origin(1), 0, ask(1_000)));
		assert_eq!(book(), vec![2, 3, 7, 4, 5, 1]);
	});
}

#[test]
fn asks_make_sense() {
	build_and_execute(|| {
		register(1, MIN_STAKE);
		assert_noop!(Registry::set_ask(origin(1), 0, ask(1)), Error::<Test>::UnknownMachine);
		assert_ok!(Registry::add_machine(origin(1), spec()));
		let idle = Ask { slots: 0, ..ask(1) };
		assert_noop!(Registry::set_ask(origin(1), 0, idle), Error::<Test>::NoSlots);
		let huge = Ask { per_gmac: 1, ..ask(u128::MAX) };
		assert_noop!(Registry::set_ask(origin(1), 0, huge), Error::<Test>::AskOverflow);
		assert_ok!(Registry::set_ask(origin(1), 0, ask(u128::MAX)));
		assert_ok!(Registry::set_ask(origin(1), 0, ask(0)));
		assert_noop!(Registry::set_ask(origin(2), 0, ask(1)), Error::<Test>::NotRegistered);
		assert_noop!(Registry::clear_ask(origin(1), 9), Error::<Test>::UnknownMachine);
		assert_ok!(Registry::clear_ask(origin(1), 0));
		assert_noop!(Registry::clear_ask(origin(1), 0), Error::<Test>::NoAsk);
	});
}
