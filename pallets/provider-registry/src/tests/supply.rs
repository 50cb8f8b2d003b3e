use crate::{mock::*, Error, Event, Machines, Providers, Record};
use assay_primitives::{
	market::{Ask, MachineClass, MatchEnd, Quote, Requirements},
	traits::Supply,
};
use frame_support::{assert_noop, assert_ok, traits::fungible::hold::Inspect as _};
use sp_runtime::Permill;

const LAPSED: MatchEnd = MatchEnd::NotTaken { lapsed: true };
const DECLINED: MatchEnd = MatchEnd::NotTaken { lapsed: false };

fn best(max_price: u128, refused: &[u8]) -> Option<(u8, u128)> {
	let refused: Vec<_> = refused.iter().map(|n| account(*n)).collect();
	Registry::best(&anything(), &work(0, 0, 0), max_price, &refused)
		.map(|quote| (<[u8; 32]>::from(quote.provider)[0], quote.price))
}

#[test]
fn a_quote_says_what_is_missing() {
	build_and_execute(|| {
		let who = account(1);
		let quote = |requirements: Requirements, work| {
			Registry::quote(&account(1), 0, &requirements, &work)
		};
		let any = anything();
		let small = work(1, 1, 0);
		assert_noop!(quote(any, small), Error::<Test>::NotRegistered);
		register(1, 5_000);
		assert_noop!(quote(any, small), Error::<Test>::UnknownMachine);
		assert_ok!(Registry::add_machine(origin(1), spec()));
		assert_noop!(quote(any, small), Error::<Test>::NoAsk);
		let terms = Ask {
			base: 100,
			per_gmac: 10,
			per_melement: 1,
			per_value_block: 1,
			max_value: 4_000,
			max_macs: 2_000_000_001,
			max_trace_bytes: 50,
			min_deadline: 10,
			slots: 1,
			stake_percent: 150,
		};
		assert_ok!(Registry::set_ask(origin(1), 0, terms));

		let cpu = Requirements { class: MachineClass::Cpu, ..any };
		assert_noop!(quote(cpu, small), Error::<Test>::WrongClass);
		let roomy = Requirements { min_memory_mib: 24_577, ..any };
		assert_noop!(quote(roomy, small), Error::<Test>::TooLittleMemory);
		let german = Requirements { region: Some(*b"DE"), ..any };
		assert_noop!(quote(german, small), Error::<Test>::WrongRegion);
		assert_noop!(quote(any, work(2_000_000_002, 0, 0)), Error::<Test>::TooManyMacs);
		let mut large = small;
		large.costs.trace_bytes = 51;
		assert_noop!(quote(any, large), Error::<Test>::TraceTooLarge);
		assert_noop!(quote(any, work(0, 0, 4_001)), Error::<Test>::ValueTooHigh);
		let mut hasty = small;
		hasty.deadline = 9;
		assert_noop!(quote(any, hasty), Error::<Test>::DeadlineTooShort);
		let mut wary = small;
		wary.stake_percent = 151;
		assert_noop!(quote(any, wary), Error::<Test>::StakePercentTooLow);

		// 100 + 3 × 10 + 2 × 1 + ⌈4,000 × 10 ÷ 10^9⌉ × 1
		let task = work(2_000_000_001, 1_000_001, 4_000);
		let price = 100 + 30 + 2 + 1;
		// A lie would gain price and value, 4,133; half as much again is at risk.
		let collateral = 6_200;
		let quoted = Quote { provider: who.clone(), machine: 0, price, collateral };
		assert_noop!(quote(any, task), Error::<Test>::InsufficientStake);
		assert_ok!(Registry::bond_extra(origin(1), 2_067));
		assert_eq!(quote(any, task), Ok(quoted));
		// And with a premium of 10 % on the price, 4,147.
		let mut paid = task;
		paid.premium = Permill::from_percent(10);
		assert_eq!(quote(any, paid).map(|quoted| quoted.collateral), Ok(6_221));

		// Free stake must cover it: 6,200 of 7,067.
		assert_ok!(Registry::lock(&who, 867));
		assert_ok!(quote(any, task));
		assert_ok!(Registry::lock(&who, 1));
		assert_noop!(quote(any, task), Error::<Test>::InsufficientStake);
		assert_ok!(Registry::reserve(&who, 0));
		assert_noop!(quote(any, small), Error::<Test>::NoFreeSlot);
		Registry::release(&who, 0, 868, MatchEnd::Released);

		assert_ok!(Registry::set_ask(origin(1), 0, Ask { per_gmac: u128::MAX, ..ask(0) }));
		assert_noop!(quote(any, work(1_000_000_001, 0, 0)), Error::<Test>::PriceOverflow);
		assert_ok!(Registry::set_ask(origin(1), 0, ask(2)));
		assert_noop!(quote(any, work(0, 0, u128::MAX)), Error::<Test>::PriceOverflow);
		let boundless = work(u128::MAX, u128::MAX, 0);
		assert_ok!(quote(any, boundless));
	});
}

#[test]
fn best_is_the_cheapest_that_can() {
	build_and_execute(|| {
		assert_eq!(best(u128::MAX, &[]), None);
		for (n, base) in [(1, 30), (2, 10), (3, 20), (4, 10)] {
			provider(n, MIN_STAKE, base);
		}
		assert_eq!(best(u128::MAX, &[]), Some((2, 10)));
		assert_eq!(best(10, &[2]), Some((4, 10)));
		assert_eq!(best(10, &[2, 4]), None);
		assert_eq!(best(20, &[2, 4]), Some((3, 20)));
		assert_eq!(best(9, &[]), None);
		// Its slots in use, the next is best.
		assert_ok!(Registry::reserve(&account(2), 0));
		assert_eq!(best(u128::MAX, &[]), Some((2, 10)));
		assert_ok!(Registry::reserve(&account(2), 0));
		assert_noop!(Registry::reserve(&account(2), 0), Error::<Test>::NoFreeSlot);
		assert_eq!(best(u128::MAX, &[]), Some((4, 10)));
		// As when its stake is all at risk: 9 planck do not cover a price of 10.
		assert_ok!(Registry::lock(&account(4), MIN_STAKE - 9));
		assert_eq!(best(u128::MAX, &[]), Some((3, 20)));
		Registry::release(&account(2), 0, 0, MatchEnd::Released);
		assert_eq!(best(u128::MAX, &[]), Some((2, 10)));
		// None of them is elsewhere or of another class.
		let german = Requirements { region: Some(*b"DE"), ..anything() };
		assert_eq!(Registry::best(&german, &work(0, 0, 0), u128::MAX, &[]), None);
		let cpu = Requirements { class: MachineClass::Cpu, ..anything() };
		assert_eq!(Registry::best(&cpu, &work(0, 0, 0), u128::MAX, &[]), None);
	});
}

#[test]
fn best_compares_true_prices_not_reference_prices() {
	build_and_execute(|| {
		register(1, MIN_STAKE);
		assert_ok!(Registry::add_machine(origin(1), spec()));
		let hidden = Ask { per_gmac: 10, ..ask(0) };
		assert_ok!(Registry::set_ask(origin(1), 0, hidden));
		provider(2, MIN_STAKE, 50);
		let price_of = |gmacs: u128| {
			let task = work(gmacs * 1_000_000_000, 0, 0);
			Registry::best(&anything(), &task, u128::MAX, &[]).map(|q| (q.provider, q.price))
		};
		assert_eq!(price_of(1), Some((account(1), 10)));
		assert_eq!(price_of(6), Some((account(2), 50)));
		// Equal prices: the first in the book.
		assert_eq!(price_of(5), Some((account(1), 50)));
	});
}

#[test]
fn matches_move_the_record() {
	build_and_execute(|| {
		provider(1, MIN_STAKE, 10);
		let who = account(1);
		for (end, collateral) in [
			(MatchEnd::Settled, 100),
			(MatchEnd::Settled, 0),
			(MatchEnd::Missed, 50),
			(MatchEnd::Failed, 10),
			(MatchEnd::Released, 10),
			(LAPSED, 0),
			(DECLINED, 0),
		] {
			assert_ok!(Registry::reserve(&who, 0));
			assert_ok!(Registry::lock(&who, collateral));
			Registry::release(&who, 0, collateral, end);
		}
		let provider = Providers::<Test>::get(&who).unwrap();
		assert_eq!(provider.record, Record { settled: 2, missed: 1, failed: 1 });
		assert_eq!(provider.locked, 0);
		assert_eq!(Machines::<Test>::get(&who, 0).unwrap().busy, 0);
		let freed = Event::SlotReleased { provider: who, machine: 0, busy: 0, collateral: 50 };
		assert!(events().contains(&freed));
	});
}

#[test]
fn offers_that_lapse_in_a_row_pause_the_ask() {
	build_and_execute(|| {
		provider(1, MIN_STAKE, 10);
		let who = account(1);
		let offer = |end| {
			assert_ok!(Registry::reserve(&account(1), 0));
			Registry::release(&account(1), 0, 0, end);
		};
		offer(LAPSED);
		offer(LAPSED);
		offer(DECLINED);
		offer(MatchEnd::Settled);
		offer(LAPSED);
		offer(LAPSED);
		assert_eq!(best(u128::MAX, &[]), Some((1, 10)));
		offer(LAPSED);
		assert_eq!(best(u128::MAX, &[]), None);
		let paused = Event::AskPaused { provider: who.clone(), machine: 0, missed: 3 };
		assert!(events().contains(&paused));
		assert_noop!(Registry::reserve(&who, 0), Error::<Test>::NoAsk);
		// Its provider may ask again, with a clean slate.
		assert_ok!(Registry::set_ask(origin(1), 0, ask(10)));
		assert_eq!(Machines::<Test>::get(&who, 0).unwrap().missed_offers, 0);
	});
}

#[test]
fn lapses_beyond_the_pause_are_quiet() {
	build_and_execute(|| {
		register(1, MIN_STAKE);
		assert_ok!(Registry::add_machine(origin(1), spec()));
		assert_ok!(Registry::set_ask(origin(1), 0, Ask { slots: 5, ..ask(10) }));
		for _ in 0..5 {
			assert_ok!(Registry::reserve(&account(1), 0));
		}
		for _ in 0..5 {
			Registry::release(&account(1), 0, 0, LAPSED);
		}
		let paused = events().iter().filter(|e| matches!(e, Event::AskPaused { .. })).count();
		assert_eq!(paused, 1);
	});
}

#[test]
fn releasing_is_total() {
	build_and_execute(|| {
		Registry::release(&account(1), 0, 5, MatchEnd::Failed);
		register(1, MIN_STAKE);
		Registry::release(&account(1), 7, u128::MAX, MatchEnd::Failed);
		assert_ok!(Registry::add_machine(origin(1), spec()));
		assert_ok!(Registry::lock(&account(1), 10));
		Registry::release(&account(1), 0, u128::MAX, LAPSED);
		let provider = Providers::<Test>::get(account(1)).unwrap();
		assert_eq!((provider.locked, provider.stake), (0, MIN_STAKE));
	});
}

#[test]
fn fewer_slots_than_in_use_free_none() {
	build_and_execute(|| {
		provider(1, MIN_STAKE, 10);
		let who = account(1);
		assert_ok!(Registry::reserve(&who, 0));
		assert_ok!(Registry::reserve(&who, 0));
		assert_ok!(Registry::set_ask(origin(1), 0, Ask { slots: 1, ..ask(10) }));
		assert_noop!(Registry::reserve(&who, 0), Error::<Test>::NoFreeSlot);
		Registry::release(&who, 0, 0, MatchEnd::Settled);
		assert_noop!(Registry::reserve(&who, 0), Error::<Test>::NoFreeSlot);
		Registry::release(&who, 0, 0, MatchEnd::Settled);
		assert_ok!(Registry::reserve(&who, 0));
	});
}

#[test]
fn a_forfeit_takes_locked_stake_and_no_more() {
	build_and_execute(|| {
		provider(1, MIN_STAKE, 10);
		provider(2, MIN_STAKE, 10);
		let (who, pot) = (account(1), account(9));
		let before = Balances::free_balance(&pot);
		assert_ok!(Registry::reserve(&who, 0));
		assert_ok!(Registry::lock(&who, 300));
		assert_eq!(Registry::forfeit(&who, 200, &pot), 200);
		assert_eq!(Registry::forfeit(&who, 200, &pot), 100);
		assert_eq!(Registry::forfeit(&who, 1, &pot), 0);
		assert_eq!(Registry::forfeit(&account(7), 1, &pot), 0);
		assert_eq!(Balances::free_balance(&pot), before + 300);
		let provider = Providers::<Test>::get(&who).unwrap();
		assert_eq!((provider.stake, provider.locked), (MIN_STAKE - 300, 0));
		assert_eq!(crate::Total::<Test>::get().staked, 2 * MIN_STAKE - 300);
		let reason = crate::HoldReason::Stake.into();
		assert_eq!(Balances::balance_on_hold(&reason, &who), MIN_STAKE - 300);
		assert!(events().contains(&Event::Forfeited { provider: who.clone(), amount: 100 }));
		Registry::release(&who, 0, 0, MatchEnd::Failed);
	});
}

/// What is at risk can neither be unbonded nor leave with its provider.
#[test]
fn unbonding_does_not_escape_a_forfeit() {
	build_and_execute(|| {
		provider(1, 2 * MIN_STAKE, 10);
		let (who, pot) = (account(1), account(9));
		assert_ok!(Registry::reserve(&who, 0));
		assert_ok!(Registry::lock(&who, MIN_STAKE + 1));
		assert_noop!(Registry::unbond(origin(1), MIN_STAKE), Error::<Test>::StakeLocked);
		assert_ok!(Registry::unbond(origin(1), MIN_STAKE - 1));
		assert!(Registry::deregister(origin(1)).is_err());
		assert_eq!(Registry::forfeit(&who, MIN_STAKE + 1, &pot), MIN_STAKE + 1);
		Registry::release(&who, 0, 0, MatchEnd::Failed);
	});
}
