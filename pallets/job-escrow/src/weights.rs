//! Weights of `pallet_job_escrow`, measured on 2026-12-01.
//!
//! Written by `scripts/bench weights`; run it to measure anew.
//!
//! - Machine: AMD EPYC, 2 cores.
//! - Method: 25 values of each component, 5 times each in each of 3 passes, a line through the
//!   middle half of the times by least squares. Reads and writes are counted; what one costs is the
//!   runtime's to say.
//! - Proof sizes are nought: the chain records no proofs, and its blocks have no limit of them.

#![allow(missing_docs)]

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
	/// `advance`, without the search for a machine and but for a lapsed offer.
	fn advance() -> Weight;
	/// The end of an offer that has lapsed.
	fn lapse() -> Weight;
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
	/// A conviction.
	fn convict() -> Weight;
	/// Payment of a challenger.
	fn reward() -> Weight;
	/// `acknowledge` of `n` tasks.
	fn acknowledge(n: u32) -> Weight;
	/// The end of a custody with `n` custodians.
	fn deliver(n: u32) -> Weight;
	/// `seal_result`.
	fn seal_result() -> Weight;
	/// `open_result`.
	fn open_result() -> Weight;
	/// A step of a task of `n` replicas.
	fn decide(n: u32) -> Weight;
}

/// Weights with the runtime's database costs.
pub struct SubstrateWeight<T>(PhantomData<T>);
impl<T: frame_system::Config> WeightInfo for SubstrateWeight<T> {
	/// `n` in `[1, 1024]`. At the highest: `JobEscrow::Parameters` (r:1 w:0),
	/// `Verification::Programs` (r:1 w:1), `Verification::Auditors` (r:1 w:0),
	/// `Verification::Parameters` (r:1 w:0), `System::Account` (r:1 w:1),
	/// `Balances::Holds` (r:1 w:1), `JobEscrow::NextJob` (r:1 w:1),
	/// `JobEscrow::SearchCounts` (r:1 w:1), `JobEscrow::Totals` (r:1 w:1),
	/// `JobEscrow::Jobs` (r:0 w:1), `JobEscrow::Searches` (r:0 w:1),
	/// `JobEscrow::Tasks` (r:0 w:1024), `JobEscrow::SearchItems` (r:0 w:1).
	fn post(n: u32) -> Weight {
		Weight::from_parts(151_429_746, 0)
			.saturating_add(Weight::from_parts(4_940_200, 0).saturating_mul(n.into()))
			.saturating_add(T::DbWeight::get().reads_writes(9, 9))
			.saturating_add(T::DbWeight::get().reads_writes(0, 1).saturating_mul(n.into()))
	}
	/// `n` in `[1, 1024]`. At the highest: `JobEscrow::Jobs` (r:1 w:1),
	/// `JobEscrow::Tasks` (r:1024 w:1024), `ProviderRegistry::Providers` (r:1024 w:1024),
	/// `ProviderRegistry::Machines` (r:1024 w:1024), `JobEscrow::Totals` (r:1 w:1),
	/// `System::Account` (r:1 w:1), `Balances::Holds` (r:1 w:1), `JobEscrow::Searches` (r:1 w:1),
	/// `Verification::Programs` (r:1 w:1), `JobEscrow::Parameters` (r:1 w:0),
	/// `JobEscrow::AgendaCounts` (r:1 w:1), `JobEscrow::Engaged` (r:0 w:1024),
	/// `JobEscrow::AgendaItems` (r:0 w:1).
	fn cancel(n: u32) -> Weight {
		Weight::from_parts(157_654_000, 0)
			.saturating_add(Weight::from_parts(168_272_004, 0).saturating_mul(n.into()))
			.saturating_add(T::DbWeight::get().reads_writes(8, 8))
			.saturating_add(T::DbWeight::get().reads_writes(3, 4).saturating_mul(n.into()))
	}
	/// `JobEscrow::Jobs` (r:1 w:1), `JobEscrow::Tasks` (r:1 w:1),
	/// `Verification::Cases` (r:1 w:1), `JobEscrow::Parameters` (r:1 w:0),
	/// `JobEscrow::Totals` (r:1 w:1), `Balances::Holds` (r:1 w:1), `System::Account` (r:3 w:3),
	/// `Emissions::CurrentEra` (r:1 w:1), `Emissions::BurnedBy` (r:1 w:1),
	/// `ProviderRegistry::Providers` (r:1 w:1), `ProviderRegistry::Machines` (r:1 w:1),
	/// `Verification::Programs` (r:1 w:1), `JobEscrow::AgendaCounts` (r:1 w:1),
	/// `JobEscrow::Engaged` (r:0 w:1), `JobEscrow::AgendaItems` (r:0 w:1).
	fn advance() -> Weight {
		Weight::from_parts(537_632_000, 0).saturating_add(T::DbWeight::get().reads_writes(15, 16))
	}
	/// `JobEscrow::Jobs` (r:1 w:1), `JobEscrow::Tasks` (r:1 w:1),
	/// `ProviderRegistry::Providers` (r:1 w:1), `ProviderRegistry::Machines` (r:1 w:1),
	/// `ProviderRegistry::Parameters` (r:1 w:0), `ProviderRegistry::Book` (r:1 w:1),
	/// `JobEscrow::Totals` (r:1 w:1), `System::Account` (r:1 w:1), `Balances::Holds` (r:1 w:1),
	/// `JobEscrow::Searches` (r:1 w:1), `Verification::Programs` (r:1 w:1),
	/// `JobEscrow::Parameters` (r:1 w:0), `JobEscrow::AgendaCounts` (r:1 w:1),
	/// `JobEscrow::Engaged` (r:0 w:1), `JobEscrow::AgendaItems` (r:0 w:1).
	fn lapse() -> Weight {
		Weight::from_parts(450_219_000, 0).saturating_add(T::DbWeight::get().reads_writes(13, 13))
	}
	/// `JobEscrow::Jobs` (r:1 w:0), `ProviderRegistry::HotKeys` (r:1 w:0),
	/// `JobEscrow::Tasks` (r:1 w:1), `Verification::Programs` (r:1 w:0),
	/// `ProviderRegistry::Providers` (r:1 w:1), `JobEscrow::Searches` (r:1 w:1),
	/// `JobEscrow::AgendaCounts` (r:2 w:2), `JobEscrow::Parameters` (r:1 w:0),
	/// `JobEscrow::AgendaItems` (r:0 w:2).
	fn accept() -> Weight {
		Weight::from_parts(161_632_000, 0).saturating_add(T::DbWeight::get().reads_writes(9, 7))
	}
	/// `ProviderRegistry::HotKeys` (r:1 w:0), `JobEscrow::Jobs` (r:1 w:1),
	/// `JobEscrow::Tasks` (r:1 w:1), `ProviderRegistry::Providers` (r:1 w:1),
	/// `ProviderRegistry::Machines` (r:1 w:1), `JobEscrow::Totals` (r:1 w:1),
	/// `System::Account` (r:1 w:1), `Balances::Holds` (r:1 w:1), `JobEscrow::Searches` (r:1 w:1),
	/// `Verification::Programs` (r:1 w:1), `JobEscrow::Parameters` (r:1 w:0),
	/// `JobEscrow::AgendaCounts` (r:1 w:1), `JobEscrow::Engaged` (r:0 w:1),
	/// `JobEscrow::AgendaItems` (r:0 w:1).
	fn decline() -> Weight {
		Weight::from_parts(285_452_000, 0).saturating_add(T::DbWeight::get().reads_writes(12, 12))
	}
	/// `JobEscrow::Jobs` (r:1 w:0), `ProviderRegistry::HotKeys` (r:1 w:0),
	/// `JobEscrow::Tasks` (r:1 w:1), `JobEscrow::Parameters` (r:1 w:0),
	/// `Verification::Parameters` (r:1 w:0), `Verification::Cases` (r:1 w:1),
	/// `Verification::Audits` (r:1 w:1), `Verification::CounterForAudits` (r:1 w:1),
	/// `Verification::AgendaCounts` (r:1 w:1), `Verification::AgendaItems` (r:0 w:1).
	fn submit() -> Weight {
		Weight::from_parts(134_471_000, 0).saturating_add(T::DbWeight::get().reads_writes(9, 6))
	}
	/// `ProviderRegistry::HotKeys` (r:1 w:0), `JobEscrow::Jobs` (r:1 w:1),
	/// `JobEscrow::Tasks` (r:1 w:1), `ProviderRegistry::Providers` (r:1 w:1),
	/// `ProviderRegistry::Machines` (r:1 w:1), `JobEscrow::Totals` (r:1 w:1),
	/// `System::Account` (r:1 w:1), `Balances::Holds` (r:1 w:1),
	/// `Verification::Programs` (r:1 w:1), `JobEscrow::Parameters` (r:1 w:0),
	/// `JobEscrow::AgendaCounts` (r:1 w:1), `JobEscrow::Engaged` (r:0 w:1),
	/// `JobEscrow::AgendaItems` (r:0 w:1).
	fn abandon() -> Weight {
		Weight::from_parts(257_820_000, 0).saturating_add(T::DbWeight::get().reads_writes(11, 11))
	}
	/// `JobEscrow::Claimable` (r:1 w:1), `System::Account` (r:2 w:2).
	fn claim() -> Weight {
		Weight::from_parts(133_770_000, 0).saturating_add(T::DbWeight::get().reads_writes(3, 3))
	}
	/// `JobEscrow::Parameters` (r:0 w:1).
	fn set_parameters() -> Weight {
		Weight::from_parts(14_768_000, 0).saturating_add(T::DbWeight::get().reads_writes(0, 1))
	}
	/// `a` in `[0, 15]`. At the highest: `JobEscrow::Jobs` (r:1 w:1),
	/// `JobEscrow::Tasks` (r:1 w:1), `JobEscrow::Totals` (r:1 w:1), `Balances::Holds` (r:1 w:1),
	/// `System::Account` (r:18 w:3), `JobEscrow::Claimable` (r:15 w:15),
	/// `ProviderRegistry::Providers` (r:1 w:1), `ProviderRegistry::Machines` (r:1 w:1),
	/// `Verification::Programs` (r:1 w:1), `JobEscrow::Parameters` (r:1 w:0),
	/// `JobEscrow::AgendaCounts` (r:1 w:1), `JobEscrow::Engaged` (r:0 w:1),
	/// `JobEscrow::AgendaItems` (r:0 w:1).
	fn conclude(a: u32) -> Weight {
		Weight::from_parts(311_601_333, 0)
			.saturating_add(Weight::from_parts(90_849_425, 0).saturating_mul(a.into()))
			.saturating_add(T::DbWeight::get().reads_writes(12, 13))
			.saturating_add(T::DbWeight::get().reads_writes(2, 1).saturating_mul(a.into()))
	}
	/// `n` in `[1, 32]`. At the highest: `JobEscrow::Jobs` (r:1 w:0),
	/// `JobEscrow::AgendaCounts` (r:1 w:1), `JobEscrow::Tasks` (r:0 w:32),
	/// `JobEscrow::AgendaItems` (r:0 w:1).
	fn purge(n: u32) -> Weight {
		Weight::from_parts(33_261_811, 0)
			.saturating_add(Weight::from_parts(3_228_113, 0).saturating_mul(n.into()))
			.saturating_add(T::DbWeight::get().reads_writes(2, 2))
			.saturating_add(T::DbWeight::get().reads_writes(0, 1).saturating_mul(n.into()))
	}
	/// `JobEscrow::Jobs` (r:1 w:1), `JobEscrow::Tasks` (r:1 w:1),
	/// `ProviderRegistry::Providers` (r:1 w:1), `Balances::Holds` (r:2 w:2),
	/// `System::Account` (r:3 w:3), `ProviderRegistry::Total` (r:1 w:1),
	/// `Emissions::Total` (r:1 w:1), `JobEscrow::Totals` (r:1 w:1),
	/// `ProviderRegistry::Machines` (r:1 w:1), `Verification::Programs` (r:1 w:1),
	/// `JobEscrow::Parameters` (r:1 w:0), `JobEscrow::AgendaCounts` (r:1 w:1),
	/// `JobEscrow::Agreed` (r:0 w:1), `JobEscrow::Engaged` (r:0 w:1),
	/// `JobEscrow::AgendaItems` (r:0 w:1).
	fn convict() -> Weight {
		Weight::from_parts(510_000_000, 0).saturating_add(T::DbWeight::get().reads_writes(15, 17))
	}
	/// `System::Account` (r:2 w:2), `JobEscrow::Totals` (r:1 w:1).
	fn reward() -> Weight {
		Weight::from_parts(116_136_000, 0).saturating_add(T::DbWeight::get().reads_writes(3, 3))
	}
	/// `n` in `[1, 1024]`. At the highest: `JobEscrow::Jobs` (r:1 w:0),
	/// `JobEscrow::Tasks` (r:1024 w:1024).
	fn acknowledge(n: u32) -> Weight {
		Weight::from_parts(44_113_000, 0)
			.saturating_add(Weight::from_parts(24_951_472, 0).saturating_mul(n.into()))
			.saturating_add(T::DbWeight::get().reads_writes(1, 0))
			.saturating_add(T::DbWeight::get().reads_writes(1, 1).saturating_mul(n.into()))
	}
	/// `n` in `[0, 15]`. At the highest: `JobEscrow::Jobs` (r:1 w:1),
	/// `JobEscrow::Tasks` (r:1 w:1), `JobEscrow::Totals` (r:1 w:1), `Balances::Holds` (r:2 w:2),
	/// `System::Account` (r:18 w:3), `JobEscrow::Claimable` (r:15 w:15),
	/// `JobEscrow::Parameters` (r:1 w:0), `ProviderRegistry::Providers` (r:1 w:1),
	/// `ProviderRegistry::Total` (r:1 w:1), `Emissions::Total` (r:1 w:1),
	/// `ProviderRegistry::Machines` (r:1 w:1), `Verification::Programs` (r:1 w:1),
	/// `JobEscrow::AgendaCounts` (r:1 w:1), `JobEscrow::Agreed` (r:0 w:1),
	/// `JobEscrow::Engaged` (r:0 w:1), `JobEscrow::AgendaItems` (r:0 w:1).
	fn deliver(n: u32) -> Weight {
		Weight::from_parts(412_559_650, 0)
			.saturating_add(Weight::from_parts(103_612_708, 0).saturating_mul(n.into()))
			.saturating_add(T::DbWeight::get().reads_writes(15, 17))
			.saturating_add(T::DbWeight::get().reads_writes(2, 1).saturating_mul(n.into()))
	}
	/// `ProviderRegistry::HotKeys` (r:1 w:0), `JobEscrow::Jobs` (r:1 w:0),
	/// `JobEscrow::Tasks` (r:1 w:1), `JobEscrow::Groups` (r:1 w:1),
	/// `JobEscrow::AgendaCounts` (r:1 w:1), `JobEscrow::AgendaItems` (r:0 w:1).
	fn seal_result() -> Weight {
		Weight::from_parts(106_739_000, 0).saturating_add(T::DbWeight::get().reads_writes(5, 4))
	}
	/// `ProviderRegistry::HotKeys` (r:1 w:0), `JobEscrow::Jobs` (r:1 w:0),
	/// `JobEscrow::Tasks` (r:1 w:1), `JobEscrow::Groups` (r:1 w:1),
	/// `JobEscrow::AgendaCounts` (r:1 w:1), `JobEscrow::AgendaItems` (r:0 w:1).
	fn open_result() -> Weight {
		Weight::from_parts(132_587_000, 0).saturating_add(T::DbWeight::get().reads_writes(5, 4))
	}
	/// `n` in `[2, 7]`. At the highest: `JobEscrow::Groups` (r:1 w:1),
	/// `JobEscrow::Jobs` (r:1 w:1), `JobEscrow::Tasks` (r:7 w:7), `JobEscrow::Agreed` (r:4 w:7),
	/// `JobEscrow::Parameters` (r:1 w:0), `Verification::Parameters` (r:1 w:0),
	/// `Verification::Cases` (r:4 w:4), `JobEscrow::AgendaCounts` (r:1 w:1),
	/// `ProviderRegistry::Providers` (r:3 w:3), `Balances::Holds` (r:4 w:4),
	/// `System::Account` (r:5 w:5), `ProviderRegistry::Total` (r:1 w:1),
	/// `Emissions::Total` (r:1 w:1), `JobEscrow::Totals` (r:1 w:1),
	/// `ProviderRegistry::Machines` (r:3 w:3), `JobEscrow::Engaged` (r:0 w:3),
	/// `JobEscrow::AgendaItems` (r:0 w:4).
	fn decide(n: u32) -> Weight {
		Weight::from_parts(133_569_000, 0)
			.saturating_add(Weight::from_parts(141_423_354, 0).saturating_mul(n.into()))
			.saturating_add(T::DbWeight::get().reads_writes(4, 1))
			.saturating_add(T::DbWeight::get().reads_writes(5, 6).saturating_mul(n.into()))
	}
}

// For tests.
impl WeightInfo for () {
	fn post(n: u32) -> Weight {
		Weight::from_parts(151_429_746, 0)
			.saturating_add(Weight::from_parts(4_940_200, 0).saturating_mul(n.into()))
			.saturating_add(ParityDbWeight::get().reads_writes(9, 9))
			.saturating_add(ParityDbWeight::get().reads_writes(0, 1).saturating_mul(n.into()))
	}
	fn cancel(n: u32) -> Weight {
		Weight::from_parts(157_654_000, 0)
			.saturating_add(Weight::from_parts(168_272_004, 0).saturating_mul(n.into()))
			.saturating_add(ParityDbWeight::get().reads_writes(8, 8))
			.saturating_add(ParityDbWeight::get().reads_writes(3, 4).saturating_mul(n.into()))
	}
	fn advance() -> Weight {
		Weight::from_parts(537_632_000, 0)
			.saturating_add(ParityDbWeight::get().reads_writes(15, 16))
	}
	fn lapse() -> Weight {
		Weight::from_parts(450_219_000, 0)
			.saturating_add(ParityDbWeight::get().reads_writes(13, 13))
	}
	fn accept() -> Weight {
		Weight::from_parts(161_632_000, 0).saturating_add(ParityDbWeight::get().reads_writes(9, 7))
	}
	fn decline() -> Weight {
		Weight::from_parts(285_452_000, 0)
			.saturating_add(ParityDbWeight::get().reads_writes(12, 12))
	}
	fn submit() -> Weight {
		Weight::from_parts(134_471_000, 0).saturating_add(ParityDbWeight::get().reads_writes(9, 6))
	}
	fn abandon() -> Weight {
		Weight::from_parts(257_820_000, 0)
			.saturating_add(ParityDbWeight::get().reads_writes(11, 11))
	}
	fn claim() -> Weight {
		Weight::from_parts(133_770_000, 0).saturating_add(ParityDbWeight::get().reads_writes(3, 3))
	}
	fn set_parameters() -> Weight {
		Weight::from_parts(14_768_000, 0).saturating_add(ParityDbWeight::get().reads_writes(0, 1))
	}
	fn conclude(a: u32) -> Weight {
		Weight::from_parts(311_601_333, 0)
			.saturating_add(Weight::from_parts(90_849_425, 0).saturating_mul(a.into()))
			.saturating_add(ParityDbWeight::get().reads_writes(12, 13))
			.saturating_add(ParityDbWeight::get().reads_writes(2, 1).saturating_mul(a.into()))
	}
	fn purge(n: u32) -> Weight {
		Weight::from_parts(33_261_811, 0)
			.saturating_add(Weight::from_parts(3_228_113, 0).saturating_mul(n.into()))
			.saturating_add(ParityDbWeight::get().reads_writes(2, 2))
			.saturating_add(ParityDbWeight::get().reads_writes(0, 1).saturating_mul(n.into()))
	}
	fn convict() -> Weight {
		Weight::from_parts(510_000_000, 0)
			.saturating_add(ParityDbWeight::get().reads_writes(15, 17))
	}
	fn reward() -> Weight {
		Weight::from_parts(116_136_000, 0).saturating_add(ParityDbWeight::get().reads_writes(3, 3))
	}
	fn acknowledge(n: u32) -> Weight {
		Weight::from_parts(44_113_000, 0)
			.saturating_add(Weight::from_parts(24_951_472, 0).saturating_mul(n.into()))
			.saturating_add(ParityDbWeight::get().reads_writes(1, 0))
			.saturating_add(ParityDbWeight::get().reads_writes(1, 1).saturating_mul(n.into()))
	}
	fn deliver(n: u32) -> Weight {
		Weight::from_parts(412_559_650, 0)
			.saturating_add(Weight::from_parts(103_612_708, 0).saturating_mul(n.into()))
			.saturating_add(ParityDbWeight::get().reads_writes(15, 17))
			.saturating_add(ParityDbWeight::get().reads_writes(2, 1).saturating_mul(n.into()))
	}
	fn seal_result() -> Weight {
		Weight::from_parts(106_739_000, 0).saturating_add(ParityDbWeight::get().reads_writes(5, 4))
	}
	fn open_result() -> Weight {
		Weight::from_parts(132_587_000, 0).saturating_add(ParityDbWeight::get().reads_writes(5, 4))
	}
	fn decide(n: u32) -> Weight {
		Weight::from_parts(133_569_000, 0)
			.saturating_add(Weight::from_parts(141_423_354, 0).saturating_mul(n.into()))
			.saturating_add(ParityDbWeight::get().reads_writes(4, 1))
			.saturating_add(ParityDbWeight::get().reads_writes(5, 6).saturating_mul(n.into()))
	}
}
