use crate::{mock::*, Error, Event, MachineSpec, Machines, Params};
use assay_primitives::{market::MatchEnd, traits::Supply};
use frame_support::{assert_noop, assert_ok};

#[test]
fn machines_are_numbered_and_numbers_never_used_again() {
	build_and_execute(|| {
		register(1, 5_000);
		for id in 0..4 {
			assert_ok!(Registry::add_machine(origin(1), spec()));
			assert!(Machines::<Test>::contains_key(account(1), id));
		}
		assert_noop!(Registry::add_machine(origin(1), spec()), Error::<Test>::TooManyMachines);
		assert_ok!(Registry::remove_machine(origin(1), 3));
		assert_noop!(Registry::remove_machine(origin(1), 3), Error::<Test>::UnknownMachine);
		assert_ok!(Registry::add_machine(origin(1), spec()));
		assert!(events().contains(&Event::MachineAdded {
			provider: account(1),
			machine: 4,
			spec: spec()
		}));
		assert_eq!(Registry::figures().machines, 4);
	});
}

#[test]
fn every_machine_beyond_the_first_wants_stake() {
	build_and_execute(|| {
		register(1, 2 * MIN_STAKE - 1);
		assert_ok!(Registry::add_machine(origin(1), spec()));
		assert_noop!(Registry::add_machine(origin(1), spec()), Error::<Test>::StakeTooLow);
		assert_ok!(Registry::bond_extra(origin(1), 1));
		assert_ok!(Registry::add_machine(origin(1), spec()));
		assert_noop!(Registry::unbond(origin(1), 1), Error::<Test>::StakeTooLow);
		assert_ok!(Registry::remove_machine(origin(1), 0));
		assert_ok!(Registry::unbond(origin(1), MIN_STAKE));
	});
}

#[test]
fn what_is_said_of_a_machine_is_checked() {
	build_and_execute(|| {
		register(1, MIN_STAKE);
		let no_memory = MachineSpec { memory_mib: 0, ..spec() };
		assert_noop!(Registry::add_machine(origin(1), no_memory), Error::<Test>::NoMemory);
		let ugly = MachineSpec { model: label("\u{7}"), ..spec() };
		assert_noop!(Registry::add_machine(origin(1), ugly), Error::<Test>::InvalidLabel);
		assert_noop!(Registry::add_machine(origin(2), spec()), Error::<Test>::NotRegistered);
	});
}

#[test]
fn a_busy_machine_stays_until_its_work_is_done() {
	build_and_execute(|| {
		provider(1, 5_000, 10);
		let who = account(1);
		assert_ok!(Registry::reserve(&who, 0));
		assert_ok!(Registry::lock(&who, 100));
		assert_noop!(Registry::remove_machine(origin(1), 0), Error::<Test>::MachineBusy);
		assert_ok!(Registry::clear_ask(origin(1), 0));
		assert_noop!(Registry::remove_machine(origin(1), 0), Error::<Test>::MachineBusy);
		assert_noop!(Registry::reserve(&who, 0), Error::<Test>::NoAsk);
		Registry::release(&who, 0, 100, MatchEnd::Settled);
		assert_ok!(Registry::remove_machine(origin(1), 0));
		assert_noop!(Registry::reserve(&who, 0), Error::<Test>::UnknownMachine);
	});
}

#[test]
fn removing_a_machine_removes_its_ask() {
	build_and_execute(|| {
		provider(1, 5_000, 10);
		assert_eq!(Registry::figures().asks, 1);
		assert_ok!(Registry::remove_machine(origin(1), 0));
		assert_eq!(Registry::figures().asks, 0);
	});
}

#[test]
fn a_raised_least_stake_stops_new_asks_alone() {
	build_and_execute(|| {
		provider(1, MIN_STAKE, 10);
		let params = Params { min_stake: MIN_STAKE + 1, ..PARAMS };
		assert_ok!(Registry::set_parameters(RuntimeOrigin::root(), params));
		assert_ok!(Registry::quote(&account(1), 0, &anything(), &work(0, 0, 0)));
		assert_noop!(Registry::set_ask(origin(1), 0, ask(1)), Error::<Test>::StakeTooLow);
		assert_noop!(Registry::unbond(origin(1), 1), Error::<Test>::StakeTooLow);
		assert_ok!(Registry::bond_extra(origin(1), 1));
		assert_ok!(Registry::set_ask(origin(1), 0, ask(1)));
	});
}
