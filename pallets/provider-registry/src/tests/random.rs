//! Random sequences of calls and of what jobs do keep the invariants and the money.

use crate::mock::*;
use assay_primitives::{
	market::{Ask, MatchEnd},
	traits::Supply,
};
use frame_support::assert_ok;
use proptest::prelude::*;

#[derive(Clone, Debug)]
enum Step {
	Register { who: u8, hot: u8, stake: u128 },
	SetHotKey { who: u8, hot: u8 },
	BondExtra { who: u8, amount: u128 },
	Unbond { who: u8, amount: u128 },
	Withdraw { who: u8 },
	AddMachine { who: u8 },
	RemoveMachine { who: u8, machine: u32 },
	SetAsk { who: u8, machine: u32, base: u128, slots: u32 },
	ClearAsk { who: u8, machine: u32 },
	Deregister { who: u8 },
	MatchBest { value: u128, accept: bool },
	EndMatch { index: usize, end: u8 },
	Advance { blocks: u32 },
}

fn amount() -> impl Strategy<Value = u128> {
	prop_oneof![
		8 => 0..6_000u128,
		1 => Just(FUNDS),
		1 => Just(u128::MAX),
	]
}

fn step() -> impl Strategy<Value = Step> {
	let who = 1..8u8;
	let machine = 0..5u32;
	prop_oneof![
		1 => (who.clone(), 1..14u8, amount()).prop_map(|(who, hot, stake)| Step::Register {
			who,
			hot,
			stake
		}),
		1 => (who.clone(), 1..14u8).prop_map(|(who, hot)| Step::SetHotKey { who, hot }),
		1 => (who.clone(), amount()).prop_map(|(who, amount)| Step::BondExtra { who, amount }),
		1 => (who.clone(), amount()).prop_map(|(who, amount)| Step::Unbond { who, amount }),
		1 => who.clone().prop_map(|who| Step::Withdraw { who }),
		2 => who.clone().prop_map(|who| Step::AddMachine { who }),
		1 => (who.clone(), machine.clone())
			.prop_map(|(who, machine)| Step::RemoveMachine { who, machine }),
		4 => (who.clone(), machine.clone(), amount(), 0..4u32).prop_map(
			|(who, machine, base, slots)| Step::SetAsk { who, machine, base, slots }
		),
		1 => (who.clone(), machine).prop_map(|(who, machine)| Step::ClearAsk { who, machine }),
		1 => who.prop_map(|who| Step::Deregister { who }),
		5 => (amount(), any::<bool>()).prop_map(|(value, accept)| Step::MatchBest { value, accept }),
		4 => (any::<usize>(), 0..6u8).prop_map(|(index, end)| Step::EndMatch { index, end }),
		1 => (1..15u32).prop_map(|blocks| Step::Advance { blocks }),
	]
}

/// Calls may well fail; what matters is what they leave.
fn ignore<R>(_: R) {}

type Match = (assay_primitives::AccountId, u32, u128);

fn run(step: Step, matches: &mut Vec<Match>) {
	match step {
		Step::Register { who, hot, stake } => {
			let endpoint = url("http://a.example");
			let hot = account(hot);
			let _ = Registry::register(origin(who), hot, stake, label("p"), endpoint, None);
		}
		Step::SetHotKey { who, hot } => ignore(Registry::set_hot_key(origin(who), account(hot))),
		Step::BondExtra { who, amount } => ignore(Registry::bond_extra(origin(who), amount)),
		Step::Unbond { who, amount } => ignore(Registry::unbond(origin(who), amount)),
		Step::Withdraw { who } => ignore(Registry::withdraw_unbonded(origin(who))),
		Step::AddMachine { who } => ignore(Registry::add_machine(origin(who), spec())),
		Step::RemoveMachine { who, machine } => {
			ignore(Registry::remove_machine(origin(who), machine))
		}
		Step::SetAsk { who, machine, base, slots } => {
			let _ = Registry::set_ask(origin(who), machine, Ask { slots, ..ask(base) });
		}
		Step::ClearAsk { who, machine } => ignore(Registry::clear_ask(origin(who), machine)),
		Step::Deregister { who } => ignore(Registry::deregister(origin(who))),
		Step::MatchBest { value, accept } => {
			let task = work(0, 0, value);
			let Some(quote) = Registry::best(&anything(), &task, u128::MAX, &[]) else { return };
			// What `best` finds, `quote` and `reserve` grant.
			assert_eq!(
				Registry::quote(&quote.provider, quote.machine, &anything(), &task),
				Ok(quote.clone())
			);
			assert_ok!(Registry::reserve(&quote.provider, quote.machine));
			let collateral = if accept { quote.price + value } else { 0 };
			assert_ok!(Registry::lock(&quote.provider, collateral));
			matches.push((quote.provider, quote.machine, collateral));
		}
		Step::EndMatch { index, end } => {
			if matches.is_empty() {
				return;
			}
			let (provider, machine, collateral) = matches.swap_remove(index % matches.len());
			let end = match end {
				0 => MatchEnd::Settled,
				1 => MatchEnd::Missed,
				2 => MatchEnd::Failed,
				3 => MatchEnd::Released,
				n => MatchEnd::NotTaken { lapsed: n == 4 },
			};
			Registry::release(&provider, machine, collateral, end);
		}
		Step::Advance { blocks } => System::set_block_number(System::block_number() + blocks),
	}
}

proptest! {
	#![proptest_config(ProptestConfig::with_cases(250))]

	#[test]
	fn invariants_hold(steps in proptest::collection::vec(step(), 1..80)) {
		new_test_ext().execute_with(|| {
			let before = issuance();
			let mut matches = Vec::new();
			for step in steps {
				run(step.clone(), &mut matches);
				Registry::do_try_state().unwrap_or_else(|error| panic!("{step:?}: {error:?}"));
				// Locked collateral and busy slots are those of the matches, no more, no less.
				for (who, provider) in crate::Providers::<Test>::iter() {
					let locked: u128 =
						matches.iter().filter(|m| m.0 == who).map(|m| m.2).sum();
					assert_eq!(provider.locked, locked);
				}
				let busy: u32 = crate::Machines::<Test>::iter_values().map(|m| m.busy).sum();
				assert_eq!(busy as usize, matches.len());
			}
			// Everybody can leave, and gets everything back.
			for (provider, machine, collateral) in matches.drain(..) {
				Registry::release(&provider, machine, collateral, MatchEnd::Released);
			}
			System::set_block_number(System::block_number() + PARAMS.unbonding_period);
			for n in 1..8 {
				let _ = Registry::withdraw_unbonded(origin(n));
				let _ = Registry::deregister(origin(n));
			}
			System::set_block_number(System::block_number() + PARAMS.unbonding_period);
			for n in 1..8 {
				let _ = Registry::withdraw_unbonded(origin(n));
				assert_eq!(Balances::free_balance(account(n)), FUNDS);
			}
			assert_eq!(crate::Providers::<Test>::count(), 0);
			assert_ok!(Registry::do_try_state());
			assert_eq!(issuance(), before);
		});
	}
}
