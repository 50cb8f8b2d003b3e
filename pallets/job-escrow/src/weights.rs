//! Weights of the pallet's calls and steps.
//!
//! Estimated by counting the storage entries each path reads and writes, plus a round figure for
//! its computation; `scripts/bench weights` measures the same functions and writes this file anew.

#![allow(unused_parens)]

use core::marker::PhantomData;
use frame_support::{
	traits::Get,
	weights::{constants::ParityDbWeight, Weight},
};

/// Weight functions of the pallet.
pub trait WeightInfo {
	/// `post` with `n` tasks.
	fn post(n: u32) -> Weight;
	/// `cancel` of a job of `n` tasks.
	fn cancel(n: u32) -> Weight;
	/// `advance`, without the search for a machine.
	fn advance() -> Weight;
	/// `accept`, without the check of the path.
	fn accept() -> Weight;
	/// `decline`.
	fn decline() -> Weight;
	/// `submit`.
	fn submit() -> Weight;
	/// `abandon`.
	fn abandon() -> Weight;
	/// `claim`.
	fn claim() -> Weight;
	/// `set_parameters`.
	fn set_parameters() -> Weight;
	/// The end of an audit with `a` attesters.
	fn conclude(a: u32) -> Weight;
	/// Removal of `n` tasks of a closed job.
	fn purge(n: u32) -> Weight;
}

/// Weights with the runtime's database costs.
pub struct SubstrateWeight<T>(PhantomData<T>);
impl<T: frame_system::Config> WeightInfo for SubstrateWeight<T> {
	fn post(n: u32) -> Weight {
		Weight::from_parts(60_000_000, 0)
			.saturating_add(Weight::from_parts(3_000_000, 0).saturating_mul(n.into()))
			.saturating_add(T::DbWeight::get().reads_writes(3, 3).saturating_mul(n.into()))
			.saturating_add(T::DbWeight::get().reads_writes(8, 10))
	}
	fn cancel(n: u32) -> Weight {
		Weight::from_parts(40_000_000, 0)
			.saturating_add(Weight::from_parts(4_000_000, 0).saturating_mul(n.into()))
			.saturating_add(T::DbWeight::get().reads_writes(3, 4).saturating_mul(n.into()))
			.saturating_add(T::DbWeight::get().reads_writes(4, 4))
	}
	fn advance() -> Weight {
		Weight::from_parts(150_000_000, 0).saturating_add(T::DbWeight::get().reads_writes(16, 16))
	}
	fn accept() -> Weight {
		Weight::from_parts(80_000_000, 0).saturating_add(T::DbWeight::get().reads_writes(10, 6))
	}
	fn decline() -> Weight {
		Weight::from_parts(80_000_000, 0).saturating_add(T::DbWeight::get().reads_writes(10, 10))
	}
	fn submit() -> Weight {
		Weight::from_parts(90_000_000, 0).saturating_add(T::DbWeight::get().reads_writes(12, 10))
	}
	fn abandon() -> Weight {
		Weight::from_parts(80_000_000, 0).saturating_add(T::DbWeight::get().reads_writes(10, 10))
	}
	fn claim() -> Weight {
		Weight::from_parts(60_000_000, 0).saturating_add(T::DbWeight::get().reads_writes(3, 3))
	}
	fn set_parameters() -> Weight {
		Weight::from_parts(15_000_000, 0).saturating_add(T::DbWeight::get().reads_writes(0, 1))
	}
	fn conclude(a: u32) -> Weight {
		Weight::from_parts(120_000_000, 0)
			.saturating_add(Weight::from_parts(5_000_000, 0).saturating_mul(a.into()))
			.saturating_add(T::DbWeight::get().reads_writes(2, 2).saturating_mul(a.into()))
			.saturating_add(T::DbWeight::get().reads_writes(12, 12))
	}
	fn purge(n: u32) -> Weight {
		Weight::from_parts(20_000_000, 0)
			.saturating_add(Weight::from_parts(1_000_000, 0).saturating_mul(n.into()))
			.saturating_add(T::DbWeight::get().reads_writes(1, 1).saturating_mul(n.into()))
			.saturating_add(T::DbWeight::get().reads_writes(4, 4))
	}
}

// For tests.
impl WeightInfo for () {
	fn post(n: u32) -> Weight {
		Weight::from_parts(60_000_000, 0)
			.saturating_add(Weight::from_parts(3_000_000, 0).saturating_mul(n.into()))
			.saturating_add(ParityDbWeight::get().reads_writes(3, 3).saturating_mul(n.into()))
			.saturating_add(ParityDbWeight::get().reads_writes(8, 10))
	}
	fn cancel(n: u32) -> Weight {
		Weight::from_parts(40_000_000, 0)
			.saturating_add(Weight::from_parts(4_000_000, 0).saturating_mul(n.into()))
			.saturating_add(ParityDbWeight::get().reads_writes(3, 4).saturating_mul(n.into()))
			.saturating_add(ParityDbWeight::get().reads_writes(4, 4))
	}
	fn advance() -> Weight {
		Weight::from_parts(150_000_000, 0)
			.saturating_add(ParityDbWeight::get().reads_writes(16, 16))
	}
	fn accept() -> Weight {
		Weight::from_parts(80_000_000, 0).saturating_add(ParityDbWeight::get().reads_writes(10, 6))
	}
	fn decline() -> Weight {
		Weight::from_parts(80_000_000, 0).saturating_add(ParityDbWeight::get().reads_writes(10, 10))
	}
	fn submit() -> Weight {
		Weight::from_parts(90_000_000, 0).saturating_add(ParityDbWeight::get().reads_writes(12, 10))
	}
	fn abandon() -> Weight {
		Weight::from_parts(80_000_000, 0).saturating_add(ParityDbWeight::get().reads_writes(10, 10))
	}
	fn claim() -> Weight {
		Weight::from_parts(60_000_000, 0).saturating_add(ParityDbWeight::get().reads_writes(3, 3))
	}
	fn set_parameters() -> Weight {
		Weight::from_parts(15_000_000, 0).saturating_add(ParityDbWeight::get().reads_writes(0, 1))
	}
	fn conclude(a: u32) -> Weight {
		Weight::from_parts(120_000_000, 0)
			.saturating_add(Weight::from_parts(5_000_000, 0).saturating_mul(a.into()))
			.saturating_add(ParityDbWeight::get().reads_writes(2, 2).saturating_mul(a.into()))
			.saturating_add(ParityDbWeight::get().reads_writes(12, 12))
	}
	fn purge(n: u32) -> Weight {
		Weight::from_parts(20_000_000, 0)
			.saturating_add(Weight::from_parts(1_000_000, 0).saturating_mul(n.into()))
			.saturating_add(ParityDbWeight::get().reads_writes(1, 1).saturating_mul(n.into()))
			.saturating_add(ParityDbWeight::get().reads_writes(4, 4))
	}
}
