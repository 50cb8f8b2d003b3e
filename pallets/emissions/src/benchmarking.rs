//! Benchmarks of the calls and of the hook's steps, each along its longest path.

use crate::*;
use assay_primitives::{traits::WorkLedger, Balance};
use frame_benchmarking::v2::*;
use frame_support::{
	assert_ok,
	traits::{
		fungible::{Inspect, Mutate},
		Get,
	},
	weights::WeightMeter,
};
use frame_system::RawOrigin;

fn funded<T: Config>(n: u32) -> T::AccountId {
	let who = account("provider", n, 0);
	assert_ok!(T::Currency::mint_into(&who, 1_000 + T::Currency::minimum_balance()));
	who
}

#[benchmarks]
mod benchmarks {
	use super::*;

	#[benchmark]
	fn set_parameters() {
		let params = Params { initial_cap: 1, ..Params::default() };
		#[extrinsic_call]
		_(RawOrigin::Root, params);
		assert_eq!(Parameters::<T>::get(), params);
	}

	#[benchmark]
	fn claim() {
		let caller: T::AccountId = funded::<T>(0);
		let provider: T::AccountId = account("provider", 1, 0);
		let amount: Balance = T::Currency::minimum_balance();
		Claimable::<T>::insert(&provider, amount);
		Total::<T>::mutate(|total| total.claimable = amount);
		#[extrinsic_call]
		_(RawOrigin::Signed(caller), provider.clone());
		assert_eq!(T::Currency::balance(&provider), amount);
	}

	#[benchmark]
	fn burned() {
		let provider = funded::<T>(0);
		#[block]
		{
			Pallet::<T>::burned(&provider, 1_000);
		}
		assert_eq!(CurrentEra::<T>::get().burned, 1_000);
	}

	/// Nothing is due.
	#[benchmark]
	fn on_poll_base() {
		#[block]
		{
			Pallet::<T>::do_poll(0, &mut WeightMeter::new());
		}
	}

	#[benchmark]
	fn end_era() {
		Pallet::<T>::burned(&funded::<T>(0), 1_000);
		let params = Parameters::<T>::get();
		let era = CurrentEra::<T>::get();
		#[block]
		{
			Pallet::<T>::end_era(era, &params);
		}
		assert_eq!(CurrentEra::<T>::get().index, 1);
	}

	/// One provider of many, found by going through those of the era.
	#[benchmark]
	fn pay() {
		for n in 0..T::MaxPayoutsPerBlock::get() {
			BurnedBy::<T>::insert(0, funded::<T>(n), 1_000);
		}
		let mut payout = Payout { pool: 1_000, burned: 2_000, done: 0, paid: 0 };
		#[block]
		{
			if let Some((provider, fees)) = BurnedBy::<T>::drain_prefix(0).next() {
				Pallet::<T>::pay(0, &mut payout, provider, fees);
				Payouts::<T>::insert(0, payout);
			}
		}
		assert_eq!(payout.paid, 500);
	}

	#[benchmark]
	fn close_era() {
		let payout = Payout { pool: 1_000, burned: 2_000, done: 2_000, paid: 999 };
		Payouts::<T>::insert(0, payout);
		#[block]
		{
			if let Some(payout) = Payouts::<T>::get(0) {
				Pallet::<T>::close_era(0, payout);
				NextPayout::<T>::put(1);
			}
		}
		assert_eq!(Total::<T>::get().reserve, 1);
	}

	impl_benchmark_test_suite!(Pallet, crate::mock::new_test_ext(), crate::mock::Test);
}
