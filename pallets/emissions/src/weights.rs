//! Weights of `pallet_emissions`.
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

/// Weight functions needed for `pallet_emissions`.
pub trait WeightInfo {
	fn set_parameters() -> Weight;
	fn claim() -> Weight;
	fn burned() -> Weight;
	fn on_poll_base() -> Weight;
	fn end_era() -> Weight;
	fn pay() -> Weight;
	fn close_era() -> Weight;
}

/// Weights for `pallet_emissions` with the runtime's own database weights.
pub struct SubstrateWeight<T>(PhantomData<T>);
impl<T: frame_system::Config> WeightInfo for SubstrateWeight<T> {
	fn set_parameters() -> Weight {
		Weight::from_parts(40_000_000, 2048)
			.saturating_add(T::DbWeight::get().reads(2_u64))
			.saturating_add(T::DbWeight::get().writes(2_u64))
	}
	fn claim() -> Weight {
		Weight::from_parts(70_000_000, 5120)
			.saturating_add(T::DbWeight::get().reads(5_u64))
			.saturating_add(T::DbWeight::get().writes(5_u64))
	}
	fn burned() -> Weight {
		Weight::from_parts(40_000_000, 2048)
			.saturating_add(T::DbWeight::get().reads(2_u64))
			.saturating_add(T::DbWeight::get().writes(2_u64))
	}
	fn on_poll_base() -> Weight {
		Weight::from_parts(45_000_000, 4096)
			.saturating_add(T::DbWeight::get().reads(4_u64))
			.saturating_add(T::DbWeight::get().writes(1_u64))
	}
	fn end_era() -> Weight {
		Weight::from_parts(50_000_000, 3072)
			.saturating_add(T::DbWeight::get().reads(3_u64))
			.saturating_add(T::DbWeight::get().writes(3_u64))
	}
	fn pay() -> Weight {
		Weight::from_parts(85_000_000, 6144)
			.saturating_add(T::DbWeight::get().reads(6_u64))
			.saturating_add(T::DbWeight::get().writes(7_u64))
	}
	fn close_era() -> Weight {
		Weight::from_parts(50_000_000, 3072)
			.saturating_add(T::DbWeight::get().reads(3_u64))
			.saturating_add(T::DbWeight::get().writes(3_u64))
	}
}

// For tests.
impl WeightInfo for () {
	fn set_parameters() -> Weight {
		Weight::from_parts(40_000_000, 2048)
			.saturating_add(ParityDbWeight::get().reads(2_u64))
			.saturating_add(ParityDbWeight::get().writes(2_u64))
	}
	fn claim() -> Weight {
		Weight::from_parts(70_000_000, 5120)
			.saturating_add(ParityDbWeight::get().reads(5_u64))
			.saturating_add(ParityDbWeight::get().writes(5_u64))
	}
	fn burned() -> Weight {
		Weight::from_parts(40_000_000, 2048)
			.saturating_add(ParityDbWeight::get().reads(2_u64))
			.saturating_add(ParityDbWeight::get().writes(2_u64))
	}
	fn on_poll_base() -> Weight {
		Weight::from_parts(45_000_000, 4096)
			.saturating_add(ParityDbWeight::get().reads(4_u64))
			.saturating_add(ParityDbWeight::get().writes(1_u64))
	}
	fn end_era() -> Weight {
		Weight::from_parts(50_000_000, 3072)
			.saturating_add(ParityDbWeight::get().reads(3_u64))
			.saturating_add(ParityDbWeight::get().writes(3_u64))
	}
	fn pay() -> Weight {
		Weight::from_parts(85_000_000, 6144)
			.saturating_add(ParityDbWeight::get().reads(6_u64))
			.saturating_add(ParityDbWeight::get().writes(7_u64))
	}
	fn close_era() -> Weight {
		Weight::from_parts(50_000_000, 3072)
			.saturating_add(ParityDbWeight::get().reads(3_u64))
			.saturating_add(ParityDbWeight::get().writes(3_u64))
	}
}
