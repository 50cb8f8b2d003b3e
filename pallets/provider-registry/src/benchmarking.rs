//! Benchmarks of the calls and of what jobs do, each along its longest path.

use crate::*;
use alloc::vec;
use assay_primitives::{
	market::{Ask, MachineClass, MatchEnd, Requirements, Work},
	traits::Supply,
	url::{Url, MAX_URL},
	work::Costs,
	Balance,
};
use frame_benchmarking::v2::*;
use frame_support::{
	assert_ok,
	traits::{fungible::Mutate, Get},
};
use frame_system::{pallet_prelude::BlockNumberFor, RawOrigin};
use sp_runtime::Permill;

const CLASS: MachineClass = MachineClass::ConsumerGpu;

fn label() -> Label {
	vec![b'x'; MAX_LABEL_BYTES as usize].try_into().unwrap_or_default()
}

fn url() -> Url {
	let mut url = b"https://".to_vec();
	url.resize(MAX_URL as usize, b'x');
	url.try_into().unwrap_or_default()
}

fn spec() -> MachineSpec {
	MachineSpec { class: CLASS, model: label(), memory_mib: 24_576 }
}

fn ask(base: Balance) -> Ask {
	priced(base, 0)
}

/// The price of a task without multiply–accumulates is `base`; the book goes by `base + per_gmac`.
fn priced(base: Balance, per_gmac: Balance) -> Ask {
	Ask {
		base,
		per_gmac,
		per_melement: 0,
		per_value_block: 0,
		max_value: Balance::MAX,
		max_macs: u128::MAX,
		max_trace_bytes: u128::MAX,
		min_deadline: 0,
		slots: 2,
		stake_percent: 100,
	}
}

fn requirements() -> Requirements {
	Requirements { class: CLASS, min_memory_mib: 1, region: Some(*b"DE") }
}

fn work() -> Work {
	Work {
		costs: Costs::default(),
		value: 0,
		deadline: 1,
		premium: Permill::from_percent(3),
		stake_percent: 100,
	}
}

/// Stake of a provider with as many machines as it may have, twice.
fn stake<T: Config>() -> Balance {
	2 * Parameters::<T>::get().min_stake * Balance::from(T::MaxMachinesPerProvider::get())
}

fn funded<T: Config>(name: &'static str, n: u32) -> T::AccountId
where
	T::Currency: Mutate<T::AccountId>,
{
	let who = account(name, n, 0);
	T::Currency::set_balance(&who, 4 * stake::<T>());
	who
}

fn provider<T: Config>(n: u32) -> T::AccountId
where
	T::Currency: Mutate<T::AccountId>,
{
	let who = funded::<T>("provider", n);
	let hot = account("hot", n, 0);
	assert_ok!(Pallet::<T>::do_register(
		who.clone(),
		hot,
		stake::<T>(),
		label(),
		url(),
		Some(*b"DE")
	));
	who
}

/// Lists `n` asks, each of another provider's machine 0, one behind the other although each takes
/// [`work`] for less than the one before it; returns the last provider.
fn fill_book<T: Config>(n: u32) -> Option<T::AccountId>
where
	T::Currency: Mutate<T::AccountId>,
{
	let mut last = None;
	for i in 0..n {
		let who = provider::<T>(i);
		assert_ok!(Pallet::<T>::do_add_machine(who.clone(), spec()));
		assert_ok!(Pallet::<T>::do_set_ask(
			who.clone(),
			0,
			priced((n - i + 1).into(), (2 * i).into())
		));
		last = Some(who);
	}
	last
}

/// Fills the book and returns a provider that is not in it, with an idle machine 0.
fn outsider<T: Config>() -> T::AccountId
where
	T::Currency: Mutate<T::AccountId>,
{
	fill_book::<T>(T::MaxAsksPerClass::get());
	let who = provider::<T>(u32::MAX);
	assert_ok!(Pallet::<T>::do_add_machine(who.clone(), spec()));
	who
}

/// As [`outsider`], but its machine has taken the last place of the book.
fn insider<T: Config>() -> T::AccountId
where
	T::Currency: Mutate<T::AccountId>,
{
	let who = outsider::<T>();
	assert_ok!(Pallet::<T>::do_set_ask(who.clone(), 0, ask(1)));
	who
}

fn set_height<T: Config>(height: u32) {
	frame_system::Pallet::<T>::set_block_number(BlockNumberFor::<T>::from(height));
}

#[benchmarks(where T::Currency: Mutate<T::AccountId>)]
mod benchmarks {
	use super::*;

	#[benchmark]
	fn register() {
		let who = funded::<T>("provider", 0);
		let hot: T::AccountId = account("hot", 0, 0);
		#[extrinsic_call]
		_(RawOrigin::Signed(who.clone()), hot, stake::<T>(), label(), url(), Some(*b"DE"));
		assert!(Providers::<T>::contains_key(who));
	}

	#[benchmark]
	fn set_profile() {
		let who = provider::<T>(0);
		#[extrinsic_call]
		_(RawOrigin::Signed(who.clone()), label(), url(), Some(*b"FR"));
		assert_eq!(Providers::<T>::get(who).and_then(|p| p.region), Some(*b"FR"));
	}

	#[benchmark]
	fn set_hot_key() {
		let who = provider::<T>(0);
		let new: T::AccountId = account("new", 0, 0);
		#[extrinsic_call]
		_(RawOrigin::Signed(who.clone()), new.clone());
		assert_eq!(HotKeys::<T>::get(new), Some(who));
	}

	#[benchmark]
	fn bond_extra() {
		let who = provider::<T>(0);
		#[extrinsic_call]
		_(RawOrigin::Signed(who.clone()), stake::<T>());
		assert_eq!(Providers::<T>::get(who).map(|p| p.stake), Some(2 * stake::<T>()));
	}

	#[benchmark]
	fn unbond() {
		let who = provider::<T>(0);
		for height in 1..T::MaxUnbonding::get() {
			set_height::<T>(height);
			assert_ok!(Pallet::<T>::do_unbond(who.clone(), 1));
		}
		set_height::<T>(T::MaxUnbonding::get());
		#[extrinsic_call]
		_(RawOrigin::Signed(who.clone()), 1);
		let chunks = Providers::<T>::get(who).map(|p| p.unbonding.len() as u32);
		assert_eq!(chunks, Some(T::MaxUnbonding::get()));
	}

	#[benchmark]
	fn withdraw_unbonded() {
		let who = provider::<T>(0);
		for height in 1..T::MaxUnbonding::get() {
			set_height::<T>(height);
			assert_ok!(Pallet::<T>::do_unbond(who.clone(), 1));
		}
		set_height::<T>(T::MaxUnbonding::get());
		assert_ok!(Pallet::<T>::do_deregister(who.clone()));
		set_height::<T>(u32::MAX);
		#[extrinsic_call]
		_(RawOrigin::Signed(who.clone()));
		assert!(!Providers::<T>::contains_key(who));
	}

	#[benchmark]
	fn add_machine() {
		let who = provider::<T>(0);
		#[extrinsic_call]
		_(RawOrigin::Signed(who.clone()), spec());
		assert!(Machines::<T>::contains_key(who, 0));
	}

	#[benchmark]
	fn remove_machine() {
		let who = insider::<T>();
		#[extrinsic_call]
		_(RawOrigin::Signed(who.clone()), 0);
		assert!(!Machines::<T>::contains_key(who, 0));
	}

	#[benchmark]
	fn set_ask() {
		let who = outsider::<T>();
		#[extrinsic_call]
		_(RawOrigin::Signed(who.clone()), 0, ask(1));
		assert!(Machines::<T>::get(who, 0).is_some_and(|m| m.ask.is_some()));
	}

	#[benchmark]
	fn clear_ask() {
		let who = insider::<T>();
		#[extrinsic_call]
		_(RawOrigin::Signed(who.clone()), 0);
		assert!(Machines::<T>::get(who, 0).is_some_and(|m| m.ask.is_none()));
	}

	/// `m`: machines.
	#[benchmark]
	fn deregister(m: Linear<0, { T::MaxMachinesPerProvider::get() }>) {
		let room = T::MaxAsksPerClass::get().saturating_sub(m);
		fill_book::<T>(room);
		let who = provider::<T>(u32::MAX);
		for id in 0..m {
			assert_ok!(Pallet::<T>::do_add_machine(who.clone(), spec()));
			assert_ok!(Pallet::<T>::do_set_ask(who.clone(), id, ask(1)));
		}
		#[extrinsic_call]
		_(RawOrigin::Signed(who.clone()));
		assert!(Providers::<T>::get(who).is_some_and(|p| !p.is_active()));
	}

	#[benchmark]
	fn set_parameters() {
		let params = Params { min_stake: 1, ..Params::default() };
		#[extrinsic_call]
		_(RawOrigin::Root, params);
		assert_eq!(Parameters::<T>::get(), params);
	}

	/// `n`: asks in the book. Every ask is cheaper than the one before it, and can take the task.
	#[benchmark]
	fn best(n: Linear<1, { T::MaxAsksPerClass::get() }>) {
		let cheapest = fill_book::<T>(n);
		let found;
		#[block]
		{
			found = Pallet::<T>::best(&requirements(), &work(), Balance::MAX, &[]);
		}
		assert_eq!(found.map(|quote| quote.provider), cheapest);
	}

	#[benchmark]
	fn reserve() {
		let who = insider::<T>();
		#[block]
		{
			assert_ok!(Pallet::<T>::reserve(&who, 0));
		}
	}

	#[benchmark]
	fn lock() {
		let who = insider::<T>();
		let collateral = stake::<T>();
		#[block]
		{
			assert_ok!(Pallet::<T>::lock(&who, collateral));
		}
	}

	/// The machine has let too many offers lapse, and its ask comes off a full book.
	#[benchmark]
	fn release() {
		let who = insider::<T>();
		assert_ok!(Pallet::<T>::reserve(&who, 0));
		assert_ok!(Pallet::<T>::lock(&who, 1));
		Machines::<T>::mutate(&who, 0, |machine| {
			if let Some(machine) = machine {
				machine.missed_offers = u32::MAX;
			}
		});
		#[block]
		{
			Pallet::<T>::release(&who, 0, 1, MatchEnd::NotTaken { lapsed: true });
		}
		assert!(Machines::<T>::get(who, 0).is_some_and(|m| m.ask.is_none()));
	}

	impl_benchmark_test_suite!(Pallet, crate::mock::new_test_ext(), crate::mock::Test);
}
