//! Weights of `pallet_provider_registry`.
//!
//! Estimated, not measured: storage reads and writes are counted by hand along the longest path of
//! each step; time is 20 µs, and 5 µs more for each of them (hashing, encoding, events), and 8 µs
//! for each further item gone through; proof size is a kibibyte per item read.
//! The layout is the benchmark command line's, whose output replaces this file.

#![allow(clippy::unnecessary_cast, missing_docs)]

use core::marker::PhantomData;
use frame_support::{
	traits::Get,
	weights::{constants::ParityDbWeight, Weight},
};

/// Weight functions needed for `pallet_provider_registry`.
pub trait WeightInfo {
	fn register() -> Weight;
	fn set_profile() -> Weight;
	fn set_hot_key() -> Weight;
	fn bond_extra() -> Weight;
	fn unbond() -> Weight;
	fn withdraw_unbonded() -> Weight;
	fn add_machine() -> Weight;
	fn remove_machine() -> Weight;
	fn set_ask() -> Weight;
	fn clear_ask() -> Weight;
	fn deregister(m: u32) -> Weight;
	fn set_parameters() -> Weight;
	fn best(n: u32) -> Weight;
	fn reserve() -> Weight;
	fn lock() -> Weight;
	fn release() -> Weight;
}

/// Weights for `pallet_provider_registry` with the runtime's own database weights.
pub struct SubstrateWeight<T>(PhantomData<T>);
impl<T: frame_system::Config> WeightInfo for SubstrateWeight<T> {
	fn register() -> Weight {
		Weight::from_parts(95_000_000, 9216)
			.saturating_add(T::DbWeight::get().reads(9_u64))
			.saturating_add(T::DbWeight::get().writes(6_u64))
	}
	fn set_profile() -> Weight {
		Weight::from_parts(30_000_000, 1024)
			.saturating_add(T::DbWeight::get().reads(1_u64))
			.saturating_add(T::DbWeight::get().writes(1_u64))
	}
	fn set_hot_key() -> Weight {
		Weight::from_parts(50_000_000, 3072)
			.saturating_add(T::DbWeight::get().reads(3_u64))
			.saturating_add(T::DbWeight::get().writes(3_u64))
	}
	fn bond_extra() -> Weight {
		Weight::from_parts(60_000_000, 4096)
			.saturating_add(T::DbWeight::get().reads(4_u64))
			.saturating_add(T::DbWeight::get().writes(4_u64))
	}
	fn unbond() -> Weight {
		Weight::from_parts(45_000_000, 3072)
			.saturating_add(T::DbWeight::get().reads(3_u64))
			.saturating_add(T::DbWeight::get().writes(2_u64))
	}
	fn withdraw_unbonded() -> Weight {
		Weight::from_parts(65_000_000, 4096)
			.saturating_add(T::DbWeight::get().reads(4_u64))
			.saturating_add(T::DbWeight::get().writes(5_u64))
	}
	fn add_machine() -> Weight {
		Weight::from_parts(50_000_000, 3072)
			.saturating_add(T::DbWeight::get().reads(3_u64))
			.saturating_add(T::DbWeight::get().writes(3_u64))
	}
	fn remove_machine() -> Weight {
		Weight::from_parts(60_000_000, 20480)
			.saturating_add(T::DbWeight::get().reads(4_u64))
			.saturating_add(T::DbWeight::get().writes(4_u64))
	}
	fn set_ask() -> Weight {
		Weight::from_parts(60_000_000, 21504)
			.saturating_add(T::DbWeight::get().reads(5_u64))
			.saturating_add(T::DbWeight::get().writes(3_u64))
	}
	fn clear_ask() -> Weight {
		Weight::from_parts(45_000_000, 19456)
			.saturating_add(T::DbWeight::get().reads(3_u64))
			.saturating_add(T::DbWeight::get().writes(2_u64))
	}
	fn deregister(m: u32) -> Weight {
		Weight::from_parts(75_000_000, 55296)
			.saturating_add(Weight::from_parts(18_000_000, 1024).saturating_mul(m.into()))
			.saturating_add(T::DbWeight::get().reads(6_u64))
			.saturating_add(T::DbWeight::get().reads((1_u64).saturating_mul(m.into())))
			.saturating_add(T::DbWeight::get().writes(5_u64))
			.saturating_add(T::DbWeight::get().writes((1_u64).saturating_mul(m.into())))
	}
	fn set_parameters() -> Weight {
		Weight::from_parts(25_000_000, 0).saturating_add(T::DbWeight::get().writes(1_u64))
	}
	fn best(n: u32) -> Weight {
		Weight::from_parts(25_000_000, 17408)
			.saturating_add(Weight::from_parts(18_000_000, 2048).saturating_mul(n.into()))
			.saturating_add(T::DbWeight::get().reads(1_u64))
			.saturating_add(T::DbWeight::get().reads((2_u64).saturating_mul(n.into())))
	}
	fn reserve() -> Weight {
		Weight::from_parts(35_000_000, 2048)
			.saturating_add(T::DbWeight::get().reads(2_u64))
			.saturating_add(T::DbWeight::get().writes(1_u64))
	}
	fn lock() -> Weight {
		Weight::from_parts(30_000_000, 1024)
			.saturating_add(T::DbWeight::get().reads(1_u64))
			.saturating_add(T::DbWeight::get().writes(1_u64))
	}
	fn release() -> Weight {
		Weight::from_parts(55_000_000, 20480)
			.saturating_add(T::DbWeight::get().reads(4_u64))
			.saturating_add(T::DbWeight::get().writes(3_u64))
	}
}

// For tests.
impl WeightInfo for () {
	fn register() -> Weight {
		Weight::from_parts(95_000_000, 9216)
			.saturating_add(ParityDbWeight::get().reads(9_u64))
			.saturating_add(ParityDbWeight::get().writes(6_u64))
	}
	fn set_profile() -> Weight {
		Weight::from_parts(30_000_000, 1024)
			.saturating_add(ParityDbWeight::get().reads(1_u64))
			.saturating_add(ParityDbWeight::get().writes(1_u64))
	}
	fn set_hot_key() -> Weight {
		Weight::from_parts(50_000_000, 3072)
			.saturating_add(ParityDbWeight::get().reads(3_u64))
			.saturating_add(ParityDbWeight::get().writes(3_u64))
	}
	fn bond_extra() -> Weight {
		Weight::from_parts(60_000_000, 4096)
			.saturating_add(ParityDbWeight::get().reads(4_u64))
			.saturating_add(ParityDbWeight::get().writes(4_u64))
	}
	fn unbond() -> Weight {
		Weight::from_parts(45_000_000, 3072)
			.saturating_add(ParityDbWeight::get().reads(3_u64))
			.saturating_add(ParityDbWeight::get().writes(2_u64))
	}
	fn withdraw_unbonded() -> Weight {
		Weight::from_parts(65_000_000, 4096)
			.saturating_add(ParityDbWeight::get().reads(4_u64))
			.saturating_add(ParityDbWeight::get().writes(5_u64))
	}
	fn add_machine() -> Weight {
		Weight::from_parts(50_000_000, 3072)
			.saturating_add(ParityDbWeight::get().reads(3_u64))
			.saturating_add(ParityDbWeight::get().writes(3_u64))
	}
	fn remove_machine() -> Weight {
		Weight::from_parts(60_000_000, 20480)
			.saturating_add(ParityDbWeight::get().reads(4_u64))
			.saturating_add(ParityDbWeight::get().writes(4_u64))
	}
	fn set_ask() -> Weight {
		Weight::from_parts(60_000_000, 21504)
			.saturating_add(ParityDbWeight::get().reads(5_u64))
			.saturating_add(ParityDbWeight::get().writes(3_u64))
	}
	fn clear_ask() -> Weight {
		Weight::from_parts(45_000_000, 19456)
			.saturating_add(ParityDbWeight::get().reads(3_u64))
			.saturating_add(ParityDbWeight::get().writes(2_u64))
	}
	fn deregister(m: u32) -> Weight {
		Weight::from_parts(75_000_000, 55296)
			.saturating_add(Weight::from_parts(18_000_000, 1024).saturating_mul(m.into()))
			.saturating_add(ParityDbWeight::get().reads(6_u64))
			.saturating_add(ParityDbWeight::get().reads((1_u64).saturating_mul(m.into())))
			.saturating_add(ParityDbWeight::get().writes(5_u64))
			.saturating_add(ParityDbWeight::get().writes((1_u64).saturating_mul(m.into())))
	}
	fn set_parameters() -> Weight {
		Weight::from_parts(25_000_000, 0).saturating_add(ParityDbWeight::get().writes(1_u64))
	}
	fn best(n: u32) -> Weight {
		Weight::from_parts(25_000_000, 17408)
			.saturating_add(Weight::from_parts(18_000_000, 2048).saturating_mul(n.into()))
			.saturating_add(ParityDbWeight::get().reads(1_u64))
			.saturating_add(ParityDbWeight::get().reads((2_u64).saturating_mul(n.into())))
	}
	fn reserve() -> Weight {
		Weight::from_parts(35_000_000, 2048)
			.saturating_add(ParityDbWeight::get().reads(2_u64))
			.saturating_add(ParityDbWeight::get().writes(1_u64))
	}
	fn lock() -> Weight {
		Weight::from_parts(30_000_000, 1024)
			.saturating_add(ParityDbWeight::get().reads(1_u64))
			.saturating_add(ParityDbWeight::get().writes(1_u64))
	}
	fn release() -> Weight {
		Weight::from_parts(55_000_000, 20480)
			.saturating_add(ParityDbWeight::get().reads(4_u64))
			.saturating_add(ParityDbWeight::get().writes(3_u64))
	}
}
