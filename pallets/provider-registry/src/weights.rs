//! Weights of `pallet_provider_registry`, measured on 2026-12-01.
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

/// Weights with the runtime's database costs.
pub struct SubstrateWeight<T>(PhantomData<T>);
impl<T: frame_system::Config> WeightInfo for SubstrateWeight<T> {
	/// `ProviderRegistry::Providers` (r:2 w:1), `ProviderRegistry::HotKeys` (r:2 w:1),
	/// `ProviderRegistry::Parameters` (r:1 w:0), `System::Account` (r:1 w:1),
	/// `Balances::Holds` (r:1 w:1), `ProviderRegistry::CounterForProviders` (r:1 w:1),
	/// `ProviderRegistry::Total` (r:1 w:1).
	fn register() -> Weight {
		Weight::from_parts(105_608_000, 0).saturating_add(T::DbWeight::get().reads_writes(9, 6))
	}
	/// `ProviderRegistry::Providers` (r:1 w:1).
	fn set_profile() -> Weight {
		Weight::from_parts(26_880_000, 0).saturating_add(T::DbWeight::get().reads_writes(1, 1))
	}
	/// `ProviderRegistry::Providers` (r:2 w:1), `ProviderRegistry::HotKeys` (r:1 w:2).
	fn set_hot_key() -> Weight {
		Weight::from_parts(34_254_000, 0).saturating_add(T::DbWeight::get().reads_writes(3, 3))
	}
	/// `ProviderRegistry::Providers` (r:1 w:1), `System::Account` (r:1 w:1),
	/// `Balances::Holds` (r:1 w:1), `ProviderRegistry::Total` (r:1 w:1).
	fn bond_extra() -> Weight {
		Weight::from_parts(90_069_000, 0).saturating_add(T::DbWeight::get().reads_writes(4, 4))
	}
	/// `ProviderRegistry::Providers` (r:1 w:1), `ProviderRegistry::Parameters` (r:1 w:0),
	/// `ProviderRegistry::Total` (r:1 w:1).
	fn unbond() -> Weight {
		Weight::from_parts(32_071_000, 0).saturating_add(T::DbWeight::get().reads_writes(3, 2))
	}
	/// `ProviderRegistry::Providers` (r:1 w:1), `System::Account` (r:1 w:1),
	/// `Balances::Holds` (r:1 w:1), `ProviderRegistry::CounterForProviders` (r:1 w:1),
	/// `ProviderRegistry::HotKeys` (r:0 w:1).
	fn withdraw_unbonded() -> Weight {
		Weight::from_parts(84_569_000, 0).saturating_add(T::DbWeight::get().reads_writes(4, 5))
	}
	/// `ProviderRegistry::Providers` (r:1 w:1), `ProviderRegistry::Parameters` (r:1 w:0),
	/// `ProviderRegistry::Total` (r:1 w:1), `ProviderRegistry::Machines` (r:0 w:1).
	fn add_machine() -> Weight {
		Weight::from_parts(32_982_000, 0).saturating_add(T::DbWeight::get().reads_writes(3, 3))
	}
	/// `ProviderRegistry::Providers` (r:1 w:1), `ProviderRegistry::Machines` (r:1 w:1),
	/// `ProviderRegistry::Book` (r:1 w:1), `ProviderRegistry::Total` (r:1 w:1).
	fn remove_machine() -> Weight {
		Weight::from_parts(103_754_000, 0).saturating_add(T::DbWeight::get().reads_writes(4, 4))
	}
	/// `ProviderRegistry::Providers` (r:1 w:0), `ProviderRegistry::Machines` (r:2 w:2),
	/// `ProviderRegistry::Parameters` (r:1 w:0), `ProviderRegistry::Book` (r:1 w:1).
	fn set_ask() -> Weight {
		Weight::from_parts(116_879_000, 0).saturating_add(T::DbWeight::get().reads_writes(5, 3))
	}
	/// `ProviderRegistry::Providers` (r:1 w:0), `ProviderRegistry::Machines` (r:1 w:1),
	/// `ProviderRegistry::Book` (r:1 w:1).
	fn clear_ask() -> Weight {
		Weight::from_parts(96_321_000, 0).saturating_add(T::DbWeight::get().reads_writes(3, 2))
	}
	/// `m` in `[0, 64]`. At the highest: `ProviderRegistry::Providers` (r:1 w:1),
	/// `ProviderRegistry::Parameters` (r:1 w:0), `ProviderRegistry::Machines` (r:65 w:64),
	/// `ProviderRegistry::Book` (r:1 w:1), `ProviderRegistry::Total` (r:1 w:1).
	fn deregister(m: u32) -> Weight {
		Weight::from_parts(127_293_262, 0)
			.saturating_add(Weight::from_parts(10_646_380, 0).saturating_mul(m.into()))
			.saturating_add(T::DbWeight::get().reads_writes(5, 3))
			.saturating_add(T::DbWeight::get().reads_writes(1, 1).saturating_mul(m.into()))
	}
	/// `ProviderRegistry::Parameters` (r:0 w:1).
	fn set_parameters() -> Weight {
		Weight::from_parts(9_819_000, 0).saturating_add(T::DbWeight::get().reads_writes(0, 1))
	}
	/// `n` in `[1, 512]`. At the highest: `ProviderRegistry::Book` (r:1 w:0),
	/// `ProviderRegistry::Machines` (r:512 w:0), `ProviderRegistry::Providers` (r:512 w:0).
	fn best(n: u32) -> Weight {
		Weight::from_parts(19_056_000, 0)
			.saturating_add(Weight::from_parts(12_131_959, 0).saturating_mul(n.into()))
			.saturating_add(T::DbWeight::get().reads_writes(1, 0))
			.saturating_add(T::DbWeight::get().reads_writes(2, 0).saturating_mul(n.into()))
	}
	/// `ProviderRegistry::Providers` (r:1 w:0), `ProviderRegistry::Machines` (r:1 w:1).
	fn reserve() -> Weight {
		Weight::from_parts(48_742_000, 0).saturating_add(T::DbWeight::get().reads_writes(2, 1))
	}
	/// `ProviderRegistry::Providers` (r:1 w:1).
	fn lock() -> Weight {
		Weight::from_parts(43_441_000, 0).saturating_add(T::DbWeight::get().reads_writes(1, 1))
	}
	/// `ProviderRegistry::Providers` (r:1 w:1), `ProviderRegistry::Machines` (r:1 w:1),
	/// `ProviderRegistry::Parameters` (r:1 w:0), `ProviderRegistry::Book` (r:1 w:1).
	fn release() -> Weight {
		Weight::from_parts(99_467_000, 0).saturating_add(T::DbWeight::get().reads_writes(4, 3))
	}
}

// For tests.
impl WeightInfo for () {
	fn register() -> Weight {
		Weight::from_parts(105_608_000, 0).saturating_add(ParityDbWeight::get().reads_writes(9, 6))
	}
	fn set_profile() -> Weight {
		Weight::from_parts(26_880_000, 0).saturating_add(ParityDbWeight::get().reads_writes(1, 1))
	}
	fn set_hot_key() -> Weight {
		Weight::from_parts(34_254_000, 0).saturating_add(ParityDbWeight::get().reads_writes(3, 3))
	}
	fn bond_extra() -> Weight {
		Weight::from_parts(90_069_000, 0).saturating_add(ParityDbWeight::get().reads_writes(4, 4))
	}
	fn unbond() -> Weight {
		Weight::from_parts(32_071_000, 0).saturating_add(ParityDbWeight::get().reads_writes(3, 2))
	}
	fn withdraw_unbonded() -> Weight {
		Weight::from_parts(84_569_000, 0).saturating_add(ParityDbWeight::get().reads_writes(4, 5))
	}
	fn add_machine() -> Weight {
		Weight::from_parts(32_982_000, 0).saturating_add(ParityDbWeight::get().reads_writes(3, 3))
	}
	fn remove_machine() -> Weight {
		Weight::from_parts(103_754_000, 0).saturating_add(ParityDbWeight::get().reads_writes(4, 4))
	}
	fn set_ask() -> Weight {
		Weight::from_parts(116_879_000, 0).saturating_add(ParityDbWeight::get().reads_writes(5, 3))
	}
	fn clear_ask() -> Weight {
		Weight::from_parts(96_321_000, 0).saturating_add(ParityDbWeight::get().reads_writes(3, 2))
	}
	fn deregister(m: u32) -> Weight {
		Weight::from_parts(127_293_262, 0)
			.saturating_add(Weight::from_parts(10_646_380, 0).saturating_mul(m.into()))
			.saturating_add(ParityDbWeight::get().reads_writes(5, 3))
			.saturating_add(ParityDbWeight::get().reads_writes(1, 1).saturating_mul(m.into()))
	}
	fn set_parameters() -> Weight {
		Weight::from_parts(9_819_000, 0).saturating_add(ParityDbWeight::get().reads_writes(0, 1))
	}
	fn best(n: u32) -> Weight {
		Weight::from_parts(19_056_000, 0)
			.saturating_add(Weight::from_parts(12_131_959, 0).saturating_mul(n.into()))
			.saturating_add(ParityDbWeight::get().reads_writes(1, 0))
			.saturating_add(ParityDbWeight::get().reads_writes(2, 0).saturating_mul(n.into()))
	}
	fn reserve() -> Weight {
		Weight::from_parts(48_742_000, 0).saturating_add(ParityDbWeight::get().reads_writes(2, 1))
	}
	fn lock() -> Weight {
		Weight::from_parts(43_441_000, 0).saturating_add(ParityDbWeight::get().reads_writes(1, 1))
	}
	fn release() -> Weight {
		Weight::from_parts(99_467_000, 0).saturating_add(ParityDbWeight::get().reads_writes(4, 3))
	}
}
