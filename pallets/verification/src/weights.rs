//! Weights of `pallet_verification`, measured on 2026-12-01.
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

/// Weight functions needed for `pallet_verification`.
pub trait WeightInfo {
	/// `b`: bytes of the program.
	fn register_program(b: u32) -> Weight;
	fn remove_program() -> Weight;
	fn seal_verdict() -> Weight;
	fn authorize_seal_verdict() -> Weight;
	fn set_parameters() -> Weight;
	/// End of every block.
	fn record_entropy() -> Weight;
	/// One step of the agenda beside the item's own work.
	fn agenda_overhead() -> Weight;
	/// An attempt that draws, from a set of `a` auditors.
	fn step_draw(a: u32) -> Weight;
	/// A deadline that passes without a quorum.
	fn step_deadline() -> Weight;
	/// `i`: input roots; `h`: hashes of the path.
	fn verify_inputs(i: u32, h: u32) -> Weight;
	/// Authorization of `open_verdict` with a proof of `b` bytes.
	fn authorize_open_verdict(b: u32) -> Weight;
	/// `bond`.
	fn bond() -> Weight;
	/// `unbond`.
	fn unbond() -> Weight;
	/// `commit_report`.
	fn commit_report() -> Weight;
	/// The end of a report that was not opened.
	fn lapse_report() -> Weight;
	/// The payment of a challenger, without the sink's part.
	fn pay_reward() -> Weight;
	/// The end of a window.
	fn close_case() -> Weight;
	/// The start of a custody.
	fn begin_custody() -> Weight;
	/// `announce`, in a set of `a` auditors.
	fn announce(a: u32) -> Weight;
	/// Authorization of `announce`, in a set of `a` auditors.
	fn authorize_announce(a: u32) -> Weight;
	/// An attempt at a lot that looks at the most blocks.
	fn cast_lot() -> Weight;
	/// `open_verdict`, without what its proof costs.
	fn open_verdict() -> Weight;
	/// `report_fraud`, without what its proof costs.
	fn report_fraud() -> Weight;
	/// `demand`.
	fn demand() -> Weight;
	/// `demand_as_auditor`.
	fn demand_as_auditor() -> Weight;
	/// Authorization of `demand_as_auditor`.
	fn authorize_demand_as_auditor() -> Weight;
	/// `answer` of `b` bytes.
	fn answer(b: u32) -> Weight;
	/// The end of a demand that was not answered, without the sink's part.
	fn lapse_demand() -> Weight;
	/// A proof of `b` bytes about a generated row.
	fn verify_fill(b: u32) -> Weight;
	/// A proof of `b` bytes about an element of a product.
	fn verify_product(b: u32) -> Weight;
	/// A proof of `b` bytes about a scaled row.
	fn verify_quant(b: u32) -> Weight;
	/// A proof of `b` bytes about a normalised row.
	fn verify_norm(b: u32) -> Weight;
}

/// Weights with the runtime's database costs.
pub struct SubstrateWeight<T>(PhantomData<T>);
impl<T: frame_system::Config> WeightInfo for SubstrateWeight<T> {
	/// `b` in `[14, 81929]`. At the highest: `Verification::Programs` (r:1 w:1),
	/// `Verification::Parameters` (r:1 w:0), `System::Account` (r:1 w:1),
	/// `Balances::Holds` (r:1 w:1).
	fn register_program(b: u32) -> Weight {
		Weight::from_parts(1_003_661_605, 0)
			.saturating_add(Weight::from_parts(435_072, 0).saturating_mul(b.into()))
			.saturating_add(T::DbWeight::get().reads_writes(4, 3))
	}
	/// `Verification::Programs` (r:1 w:1), `System::Account` (r:1 w:1),
	/// `Balances::Holds` (r:1 w:1).
	fn remove_program() -> Weight {
		Weight::from_parts(107_841_000, 0).saturating_add(T::DbWeight::get().reads_writes(3, 3))
	}
	/// `Verification::Audits` (r:1 w:1).
	fn seal_verdict() -> Weight {
		Weight::from_parts(71_384_000, 0).saturating_add(T::DbWeight::get().reads_writes(1, 1))
	}
	/// `Verification::Audits` (r:1 w:0), `System::BlockHash` (r:1 w:0).
	fn authorize_seal_verdict() -> Weight {
		Weight::from_parts(112_379_000, 0).saturating_add(T::DbWeight::get().reads_writes(2, 0))
	}
	/// `Verification::Parameters` (r:0 w:1).
	fn set_parameters() -> Weight {
		Weight::from_parts(23_313_000, 0).saturating_add(T::DbWeight::get().reads_writes(0, 1))
	}
	/// `Session::Validators` (r:1 w:0), `Babe::AuthorVrfRandomness` (r:1 w:0),
	/// `Verification::Entropy` (r:0 w:2).
	fn record_entropy() -> Weight {
		Weight::from_parts(38_512_000, 0).saturating_add(T::DbWeight::get().reads_writes(2, 2))
	}
	/// `Verification::AgendaCursor` (r:1 w:1), `Verification::AgendaCounts` (r:1 w:1),
	/// `Verification::AgendaItems` (r:1 w:1), `Verification::Audits` (r:1 w:0).
	fn agenda_overhead() -> Weight {
		Weight::from_parts(37_320_000, 0).saturating_add(T::DbWeight::get().reads_writes(4, 3))
	}
	/// `a` in `[15, 1000]`. At the highest: `Verification::Audits` (r:1 w:1),
	/// `Verification::Parameters` (r:1 w:0), `Verification::Entropy` (r:32 w:0),
	/// `Verification::Earlier` (r:1 w:0), `Verification::Auditors` (r:1 w:0),
	/// `Verification::Bonds` (r:30 w:15), `Verification::AgendaCounts` (r:1 w:1),
	/// `Verification::Duties` (r:0 w:15), `Verification::AgendaItems` (r:0 w:1).
	fn step_draw(a: u32) -> Weight {
		Weight::from_parts(834_856_527, 0)
			.saturating_add(Weight::from_parts(312_653, 0).saturating_mul(a.into()))
			.saturating_add(T::DbWeight::get().reads_writes(65, 33))
	}
	/// `Verification::Audits` (r:1 w:1), `Verification::Bonds` (r:15 w:15),
	/// `System::Account` (r:15 w:15), `Balances::Holds` (r:15 w:15),
	/// `Emissions::Total` (r:1 w:1), `Verification::Cases` (r:1 w:1),
	/// `Verification::Parameters` (r:1 w:0), `Verification::Earlier` (r:1 w:1),
	/// `Verification::AgendaCounts` (r:1 w:1), `Verification::Duties` (r:0 w:15),
	/// `Verification::AgendaItems` (r:0 w:1).
	fn step_deadline() -> Weight {
		Weight::from_parts(1_294_081_000, 0).saturating_add(T::DbWeight::get().reads_writes(51, 66))
	}
	/// `i` in `[0, 16]`. `h` in `[0, 31]`.
	fn verify_inputs(i: u32, h: u32) -> Weight {
		Weight::from_parts(2_885_821, 0)
			.saturating_add(Weight::from_parts(314_398, 0).saturating_mul(i.into()))
			.saturating_add(Weight::from_parts(1_250_061, 0).saturating_mul(h.into()))
	}
	/// `b` in `[0, 2000000]`. At the highest: `Verification::Audits` (r:1 w:0).
	fn authorize_open_verdict(b: u32) -> Weight {
		Weight::from_parts(9_603_372, 0)
			.saturating_add(Weight::from_parts(1_247, 0).saturating_mul(b.into()))
			.saturating_add(T::DbWeight::get().reads_writes(1, 0))
	}
	/// `System::Account` (r:1 w:1), `Balances::Holds` (r:1 w:1), `Verification::Bonds` (r:1 w:1).
	fn bond() -> Weight {
		Weight::from_parts(149_328_000, 0).saturating_add(T::DbWeight::get().reads_writes(3, 3))
	}
	/// `Verification::Bonds` (r:1 w:1), `System::Account` (r:1 w:1), `Balances::Holds` (r:1 w:1).
	fn unbond() -> Weight {
		Weight::from_parts(125_263_000, 0).saturating_add(T::DbWeight::get().reads_writes(3, 3))
	}
	/// `Verification::Cases` (r:1 w:1), `Verification::Parameters` (r:1 w:0),
	/// `Verification::Reports` (r:1 w:1), `System::Account` (r:1 w:1),
	/// `Balances::Holds` (r:1 w:1), `Verification::AgendaCounts` (r:1 w:1),
	/// `Verification::AgendaItems` (r:0 w:1).
	fn commit_report() -> Weight {
		Weight::from_parts(267_208_000, 0).saturating_add(T::DbWeight::get().reads_writes(6, 6))
	}
	/// `Verification::Reports` (r:1 w:1), `Verification::Cases` (r:1 w:1),
	/// `System::Account` (r:1 w:1), `Balances::Holds` (r:1 w:1), `Emissions::Total` (r:1 w:1),
	/// `Verification::Audits` (r:1 w:0).
	fn lapse_report() -> Weight {
		Weight::from_parts(79_228_000, 0).saturating_add(T::DbWeight::get().reads_writes(6, 5))
	}
	/// `Verification::Convictions` (r:1 w:1), `Verification::Programs` (r:1 w:1),
	/// `JobEscrow::Totals` (r:1 w:1).
	fn pay_reward() -> Weight {
		Weight::from_parts(28_593_000, 0).saturating_add(T::DbWeight::get().reads_writes(3, 3))
	}
	/// `Verification::Cases` (r:1 w:1), `Verification::Bonds` (r:15 w:15).
	fn close_case() -> Weight {
		Weight::from_parts(182_760_000, 0).saturating_add(T::DbWeight::get().reads_writes(16, 16))
	}
	/// `Verification::Cases` (r:1 w:0), `Verification::Audits` (r:1 w:1),
	/// `Verification::Parameters` (r:1 w:0), `Verification::CounterForAudits` (r:1 w:1),
	/// `Verification::AgendaCounts` (r:1 w:1), `Verification::AgendaItems` (r:0 w:1).
	fn begin_custody() -> Weight {
		Weight::from_parts(53_149_000, 0).saturating_add(T::DbWeight::get().reads_writes(5, 4))
	}
	fn announce(a: u32) -> Weight {
		Weight::from_parts(100_000_000, 0)
			.saturating_add(Weight::from_parts(200_000, 0).saturating_mul(a.into()))
			.saturating_add(T::DbWeight::get().reads_writes(3, 3))
	}
	fn authorize_announce(a: u32) -> Weight {
		Weight::from_parts(150_000_000, 0)
			.saturating_add(Weight::from_parts(200_000, 0).saturating_mul(a.into()))
			.saturating_add(T::DbWeight::get().reads_writes(4, 0))
	}
	fn cast_lot() -> Weight {
		Weight::from_parts(100_000_000, 0).saturating_add(T::DbWeight::get().reads_writes(33, 0))
	}
	/// `Verification::Audits` (r:1 w:1), `Verification::Cases` (r:1 w:1),
	/// `Verification::Bonds` (r:15 w:15), `System::Account` (r:1 w:1),
	/// `Balances::Holds` (r:1 w:1), `Emissions::Total` (r:1 w:1),
	/// `Verification::Parameters` (r:1 w:0), `Verification::Earlier` (r:1 w:1),
	/// `Verification::AgendaCounts` (r:1 w:1), `Verification::Duties` (r:0 w:1),
	/// `Verification::AgendaItems` (r:0 w:1).
	fn open_verdict() -> Weight {
		Weight::from_parts(444_539_000, 0).saturating_add(T::DbWeight::get().reads_writes(23, 24))
	}
	/// `Verification::Reports` (r:1 w:1), `Verification::Cases` (r:1 w:1),
	/// `Verification::Programs` (r:1 w:1), `System::Account` (r:16 w:16),
	/// `Balances::Holds` (r:16 w:16), `Verification::Audits` (r:1 w:1),
	/// `Verification::Bonds` (r:15 w:15), `Emissions::Total` (r:1 w:1),
	/// `JobEscrow::Jobs` (r:1 w:0), `Verification::Parameters` (r:1 w:0),
	/// `Verification::AgendaCounts` (r:1 w:1), `Verification::Earlier` (r:0 w:1),
	/// `Verification::Convictions` (r:0 w:1), `Verification::AgendaItems` (r:0 w:1).
	fn report_fraud() -> Weight {
		Weight::from_parts(1_469_950_000, 0).saturating_add(T::DbWeight::get().reads_writes(55, 56))
	}
	/// `Verification::Cases` (r:1 w:1), `Verification::Demands` (r:1 w:1),
	/// `System::Account` (r:1 w:1), `Balances::Holds` (r:1 w:1), `JobEscrow::Tasks` (r:1 w:0),
	/// `Verification::Parameters` (r:1 w:0), `Verification::Programs` (r:1 w:0),
	/// `Verification::AgendaCounts` (r:1 w:1), `Verification::AgendaItems` (r:0 w:1).
	fn demand() -> Weight {
		Weight::from_parts(372_004_000, 0).saturating_add(T::DbWeight::get().reads_writes(8, 6))
	}
	/// `Verification::Audits` (r:1 w:1), `Verification::Cases` (r:1 w:1),
	/// `Verification::Parameters` (r:1 w:0), `Verification::Programs` (r:1 w:0),
	/// `Verification::Demands` (r:1 w:1), `Verification::AgendaCounts` (r:2 w:2),
	/// `Verification::AgendaItems` (r:0 w:2).
	fn demand_as_auditor() -> Weight {
		Weight::from_parts(221_904_000, 0).saturating_add(T::DbWeight::get().reads_writes(7, 7))
	}
	/// `Verification::Audits` (r:1 w:0), `Verification::Demands` (r:1 w:0),
	/// `System::BlockHash` (r:1 w:0).
	fn authorize_demand_as_auditor() -> Weight {
		Weight::from_parts(130_132_000, 0).saturating_add(T::DbWeight::get().reads_writes(3, 0))
	}
	/// `b` in `[1000, 524288]`. At the highest: `System::Account` (r:2 w:2),
	/// `Verification::Demands` (r:1 w:1), `Verification::Cases` (r:1 w:1),
	/// `Verification::Programs` (r:1 w:0), `Balances::Holds` (r:1 w:1),
	/// `Verification::Audits` (r:1 w:1), `Verification::Parameters` (r:1 w:0),
	/// `Verification::AgendaCounts` (r:1 w:1), `Verification::AgendaItems` (r:0 w:1).
	fn answer(b: u32) -> Weight {
		Weight::from_parts(267_560_150, 0)
			.saturating_add(Weight::from_parts(10_491, 0).saturating_mul(b.into()))
			.saturating_add(T::DbWeight::get().reads_writes(9, 8))
	}
	/// `Verification::Demands` (r:1 w:1), `System::Account` (r:1 w:1),
	/// `Balances::Holds` (r:1 w:1), `Verification::Cases` (r:1 w:1),
	/// `Verification::Audits` (r:1 w:1), `Verification::CounterForAudits` (r:1 w:1),
	/// `Verification::Bonds` (r:15 w:15), `JobEscrow::Jobs` (r:1 w:0),
	/// `Verification::Earlier` (r:0 w:1), `Verification::Duties` (r:0 w:15).
	fn lapse_demand() -> Weight {
		Weight::from_parts(425_502_000, 0).saturating_add(T::DbWeight::get().reads_writes(22, 37))
	}
	/// `b` in `[1000, 524288]`. At the highest: `Verification::Programs` (r:2 w:0).
	fn verify_fill(b: u32) -> Weight {
		Weight::from_parts(191_590_965, 0)
			.saturating_add(Weight::from_parts(20_071, 0).saturating_mul(b.into()))
			.saturating_add(T::DbWeight::get().reads_writes(2, 0))
	}
	/// `b` in `[1000, 262000]`. At the highest: `Verification::Programs` (r:2 w:0).
	fn verify_product(b: u32) -> Weight {
		Weight::from_parts(43_832_000, 0)
			.saturating_add(Weight::from_parts(9_667, 0).saturating_mul(b.into()))
			.saturating_add(T::DbWeight::get().reads_writes(2, 0))
	}
	/// `b` in `[1000, 655360]`. At the highest: `Verification::Programs` (r:2 w:0).
	fn verify_quant(b: u32) -> Weight {
		Weight::from_parts(194_563_524, 0)
			.saturating_add(Weight::from_parts(8_984, 0).saturating_mul(b.into()))
			.saturating_add(T::DbWeight::get().reads_writes(2, 0))
	}
	/// `b` in `[1000, 2097152]`. At the highest: `Verification::Programs` (r:2 w:0).
	fn verify_norm(b: u32) -> Weight {
		Weight::from_parts(282_569_852, 0)
			.saturating_add(Weight::from_parts(9_122, 0).saturating_mul(b.into()))
			.saturating_add(T::DbWeight::get().reads_writes(2, 0))
	}
}

// For tests.
impl WeightInfo for () {
	fn register_program(b: u32) -> Weight {
		Weight::from_parts(1_003_661_605, 0)
			.saturating_add(Weight::from_parts(435_072, 0).saturating_mul(b.into()))
			.saturating_add(ParityDbWeight::get().reads_writes(4, 3))
	}
	fn remove_program() -> Weight {
		Weight::from_parts(107_841_000, 0).saturating_add(ParityDbWeight::get().reads_writes(3, 3))
	}
	fn seal_verdict() -> Weight {
		Weight::from_parts(71_384_000, 0).saturating_add(ParityDbWeight::get().reads_writes(1, 1))
	}
	fn authorize_seal_verdict() -> Weight {
		Weight::from_parts(112_379_000, 0).saturating_add(ParityDbWeight::get().reads_writes(2, 0))
	}
	fn set_parameters() -> Weight {
		Weight::from_parts(23_313_000, 0).saturating_add(ParityDbWeight::get().reads_writes(0, 1))
	}
	fn record_entropy() -> Weight {
		Weight::from_parts(38_512_000, 0).saturating_add(ParityDbWeight::get().reads_writes(2, 2))
	}
	fn agenda_overhead() -> Weight {
		Weight::from_parts(37_320_000, 0).saturating_add(ParityDbWeight::get().reads_writes(4, 3))
	}
	fn step_draw(a: u32) -> Weight {
		Weight::from_parts(834_856_527, 0)
			.saturating_add(Weight::from_parts(312_653, 0).saturating_mul(a.into()))
			.saturating_add(ParityDbWeight::get().reads_writes(65, 33))
	}
	fn step_deadline() -> Weight {
		Weight::from_parts(1_294_081_000, 0)
			.saturating_add(ParityDbWeight::get().reads_writes(51, 66))
	}
	fn verify_inputs(i: u32, h: u32) -> Weight {
		Weight::from_parts(2_885_821, 0)
			.saturating_add(Weight::from_parts(314_398, 0).saturating_mul(i.into()))
			.saturating_add(Weight::from_parts(1_250_061, 0).saturating_mul(h.into()))
	}
	fn authorize_open_verdict(b: u32) -> Weight {
		Weight::from_parts(9_603_372, 0)
			.saturating_add(Weight::from_parts(1_247, 0).saturating_mul(b.into()))
			.saturating_add(ParityDbWeight::get().reads_writes(1, 0))
	}
	fn bond() -> Weight {
		Weight::from_parts(149_328_000, 0).saturating_add(ParityDbWeight::get().reads_writes(3, 3))
	}
	fn unbond() -> Weight {
		Weight::from_parts(125_263_000, 0).saturating_add(ParityDbWeight::get().reads_writes(3, 3))
	}
	fn commit_report() -> Weight {
		Weight::from_parts(267_208_000, 0).saturating_add(ParityDbWeight::get().reads_writes(6, 6))
	}
	fn lapse_report() -> Weight {
		Weight::from_parts(79_228_000, 0).saturating_add(ParityDbWeight::get().reads_writes(6, 5))
	}
	fn pay_reward() -> Weight {
		Weight::from_parts(28_593_000, 0).saturating_add(ParityDbWeight::get().reads_writes(3, 3))
	}
	fn close_case() -> Weight {
		Weight::from_parts(182_760_000, 0)
			.saturating_add(ParityDbWeight::get().reads_writes(16, 16))
	}
	fn begin_custody() -> Weight {
		Weight::from_parts(53_149_000, 0).saturating_add(ParityDbWeight::get().reads_writes(5, 4))
	}
	fn announce(a: u32) -> Weight {
		Weight::from_parts(100_000_000, 0)
			.saturating_add(Weight::from_parts(200_000, 0).saturating_mul(a.into()))
			.saturating_add(ParityDbWeight::get().reads_writes(3, 3))
	}
	fn authorize_announce(a: u32) -> Weight {
		Weight::from_parts(150_000_000, 0)
			.saturating_add(Weight::from_parts(200_000, 0).saturating_mul(a.into()))
			.saturating_add(ParityDbWeight::get().reads_writes(4, 0))
	}
	fn cast_lot() -> Weight {
		Weight::from_parts(100_000_000, 0).saturating_add(ParityDbWeight::get().reads_writes(33, 0))
	}
	fn open_verdict() -> Weight {
		Weight::from_parts(444_539_000, 0)
			.saturating_add(ParityDbWeight::get().reads_writes(23, 24))
	}
	fn report_fraud() -> Weight {
		Weight::from_parts(1_469_950_000, 0)
			.saturating_add(ParityDbWeight::get().reads_writes(55, 56))
	}
	fn demand() -> Weight {
		Weight::from_parts(372_004_000, 0).saturating_add(ParityDbWeight::get().reads_writes(8, 6))
	}
	fn demand_as_auditor() -> Weight {
		Weight::from_parts(221_904_000, 0).saturating_add(ParityDbWeight::get().reads_writes(7, 7))
	}
	fn authorize_demand_as_auditor() -> Weight {
		Weight::from_parts(130_132_000, 0).saturating_add(ParityDbWeight::get().reads_writes(3, 0))
	}
	fn answer(b: u32) -> Weight {
		Weight::from_parts(267_560_150, 0)
			.saturating_add(Weight::from_parts(10_491, 0).saturating_mul(b.into()))
			.saturating_add(ParityDbWeight::get().reads_writes(9, 8))
	}
	fn lapse_demand() -> Weight {
		Weight::from_parts(425_502_000, 0)
			.saturating_add(ParityDbWeight::get().reads_writes(22, 37))
	}
	fn verify_fill(b: u32) -> Weight {
		Weight::from_parts(191_590_965, 0)
			.saturating_add(Weight::from_parts(20_071, 0).saturating_mul(b.into()))
			.saturating_add(ParityDbWeight::get().reads_writes(2, 0))
	}
	fn verify_product(b: u32) -> Weight {
		Weight::from_parts(43_832_000, 0)
			.saturating_add(Weight::from_parts(9_667, 0).saturating_mul(b.into()))
			.saturating_add(ParityDbWeight::get().reads_writes(2, 0))
	}
	fn verify_quant(b: u32) -> Weight {
		Weight::from_parts(194_563_524, 0)
			.saturating_add(Weight::from_parts(8_984, 0).saturating_mul(b.into()))
			.saturating_add(ParityDbWeight::get().reads_writes(2, 0))
	}
	fn verify_norm(b: u32) -> Weight {
		Weight::from_parts(282_569_852, 0)
			.saturating_add(Weight::from_parts(9_122, 0).saturating_mul(b.into()))
			.saturating_add(ParityDbWeight::get().reads_writes(2, 0))
	}
}
