//! Weights of `pallet_emissions`, measured on 2026-11-30.
//!
//! Written by `scripts/bench weights`; run it to measure anew.
//!
//! - Machine: AMD EPYC, 2 cores.
//! - Method: 25 values of each component, 5 times each in each of 5 passes, a line through the
//!   middle half of the times by least squares. Reads and writes are counted; what one costs is the
//!   runtime's to say.
//! - Proof sizes are nought: the chain records no proofs, and its blocks have no limit of them.

#![allow(missing_docs)]

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

/// Weights with the runtime's database costs.
pub struct SubstrateWeight<T>(PhantomData<T>);
impl<T: frame_system::Config> WeightInfo for SubstrateWeight<T> {
	/// `Emissions::Parameters` (r:1 w:1), `Emissions::CurrentEra` (r:1 w:1).
	fn set_parameters() -> Weight {
		Weight::from_parts(23_013_000, 0).saturating_add(T::DbWeight::get().reads_writes(2, 2))
	}
	/// `Emissions::Claimable` (r:1 w:1), `System::Account` (r:1 w:1),
	/// `Emissions::Total` (r:1 w:1).
	fn claim() -> Weight {
		Weight::from_parts(75_141_000, 0).saturating_add(T::DbWeight::get().reads_writes(3, 3))
	}
	/// `Emissions::CurrentEra` (r:1 w:1), `Emissions::BurnedBy` (r:1 w:1).
	fn burned() -> Weight {
		Weight::from_parts(13_165_000, 0).saturating_add(T::DbWeight::get().reads_writes(2, 2))
	}
	/// `Emissions::Parameters` (r:1 w:0), `Emissions::CurrentEra` (r:1 w:0),
	/// `Emissions::NextPayout` (r:1 w:0).
	fn on_poll_base() -> Weight {
		Weight::from_parts(9_407_000, 0).saturating_add(T::DbWeight::get().reads_writes(3, 0))
	}
	/// `Emissions::Total` (r:1 w:1), `Emissions::CurrentEra` (r:0 w:1),
	/// `Emissions::Payouts` (r:0 w:1).
	fn end_era() -> Weight {
		Weight::from_parts(16_661_000, 0).saturating_add(T::DbWeight::get().reads_writes(1, 3))
	}
	/// `Emissions::BurnedBy` (r:2 w:1), `System::Account` (r:1 w:1),
	/// `Emissions::Total` (r:1 w:1), `Emissions::Payouts` (r:0 w:1).
	fn pay() -> Weight {
		Weight::from_parts(115_296_000, 0).saturating_add(T::DbWeight::get().reads_writes(4, 4))
	}
	/// `Emissions::Payouts` (r:1 w:1), `Emissions::Total` (r:1 w:1),
	/// `Emissions::NextPayout` (r:0 w:1).
	fn close_era() -> Weight {
		Weight::from_parts(23_164_000, 0).saturating_add(T::DbWeight::get().reads_writes(2, 3))
	}
}

// For tests.
impl WeightInfo for () {
	fn set_parameters() -> Weight {
		Weight::from_parts(23_013_000, 0).saturating_add(ParityDbWeight::get().reads_writes(2, 2))
	}
	fn claim() -> Weight {
		Weight::from_parts(75_141_000, 0).saturating_add(ParityDbWeight::get().reads_writes(3, 3))
	}
	fn burned() -> Weight {
		Weight::from_parts(13_165_000, 0).saturating_add(ParityDbWeight::get().reads_writes(2, 2))
	}
	fn on_poll_base() -> Weight {
		Weight::from_parts(9_407_000, 0).saturating_add(ParityDbWeight::get().reads_writes(3, 0))
	}
	fn end_era() -> Weight {
		Weight::from_parts(16_661_000, 0).saturating_add(ParityDbWeight::get().reads_writes(1, 3))
	}
	fn pay() -> Weight {
		Weight::from_parts(115_296_000, 0).saturating_add(ParityDbWeight::get().reads_writes(4, 4))
	}
	fn close_era() -> Weight {
		Weight::from_parts(23_164_000, 0).saturating_add(ParityDbWeight::get().reads_writes(2, 3))
	}
}
