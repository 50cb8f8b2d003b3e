//! Weights of `pallet_verification`.
//!
//! Not measured yet: estimates in the form that `frame-omni-bencher` writes, to be replaced by its
//! output. Method: database operations are counted from the code; their cost is the runtime's
//! `DbWeight`. CPU time is put at 10 µs per call plus 5 µs per storage item decoded or encoded,
//! 50 µs for an sr25519 verification, 1 µs per BLAKE2 or BLAKE3 hash of up to 128 bytes in
//! WebAssembly, 100 ns per byte of a program (decoding, shape inference and three hash compressions
//! per node of at least 5 bytes), and 1 µs per auditor of the set (65 bytes decoded, one look-up in
//! an ordered set, one move); then doubled. Proof sizes are the largest encodings read: the chain
//! has no proof limit.

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
	fn attest() -> Weight;
	fn authorize_attest() -> Weight;
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
}

/// Weights of `pallet_verification` for a node with the given database.
pub struct SubstrateWeight<T>(PhantomData<T>);

impl<T: frame_system::Config> WeightInfo for SubstrateWeight<T> {
	/// Storage: `Verification::Programs` (r:1 w:1), `Verification::Parameters` (r:1 w:0),
	/// `Balances::Holds` (r:1 w:1), `System::Account` (r:1 w:1)
	/// Measured at `b` in `[14, 81929]`, where nodes are as short as they can be; longer programs have
	/// longer nodes and cost less a byte.
	fn register_program(b: u32) -> Weight {
		Weight::from_parts(80_000_000, 8_192)
			.saturating_add(Weight::from_parts(200_000, 0).saturating_mul(b.into()))
			.saturating_add(T::DbWeight::get().reads_writes(4, 3))
	}

	/// Storage: `Verification::Programs` (r:1 w:1), `Balances::Holds` (r:1 w:1),
	/// `System::Account` (r:1 w:1)
	fn remove_program() -> Weight {
		Weight::from_parts(80_000_000, 8_192).saturating_add(T::DbWeight::get().reads_writes(3, 3))
	}

	/// Worst case: the last vote, after which the round fails.
	/// Storage: `Verification::Audits` (r:1 w:1), `Verification::CounterForAudits` (r:1 w:1),
	/// `Verification::Duties` (r:0 w:15), `Verification::Earlier` (r:1 w:1),
	/// `Verification::AuditsFailed` (r:1 w:1), `Verification::Parameters` (r:1 w:0),
	/// `Verification::AgendaCounts` (r:1 w:1), `Verification::AgendaItems` (r:0 w:1),
	/// `System::BlockHash` (r:1 w:0)
	fn attest() -> Weight {
		Weight::from_parts(300_000_000, 16_384)
			.saturating_add(T::DbWeight::get().reads_writes(7, 21))
	}

	/// Storage: `Verification::Audits` (r:1 w:0), `System::BlockHash` (r:1 w:0)
	fn authorize_attest() -> Weight {
		Weight::from_parts(150_000_000, 4_096).saturating_add(T::DbWeight::get().reads(2))
	}

	/// Storage: `Verification::Parameters` (r:0 w:1)
	fn set_parameters() -> Weight {
		Weight::from_parts(40_000_000, 0).saturating_add(T::DbWeight::get().writes(1))
	}

	/// Storage: `Verification::Entropy` (r:0 w:2), and what the source reads (r:5 w:0)
	fn record_entropy() -> Weight {
		Weight::from_parts(60_000_000, 8_192).saturating_add(T::DbWeight::get().reads_writes(5, 2))
	}

	/// Storage: `Verification::AgendaCursor` (r:1 w:1), `Verification::AgendaCounts` (r:1 w:1),
	/// `Verification::AgendaItems` (r:1 w:1)
	fn agenda_overhead() -> Weight {
		Weight::from_parts(20_000_000, 4_096).saturating_add(T::DbWeight::get().reads_writes(3, 3))
	}

	/// Storage: `Verification::Audits` (r:1 w:1), `Verification::Parameters` (r:1 w:0),
	/// `Verification::Entropy` (r:32 w:0), `Verification::Auditors` (r:1 w:0),
	/// `Verification::Earlier` (r:1 w:0), `Verification::Duties` (r:0 w:15),
	/// `Verification::AgendaCounts` (r:1 w:1), `Verification::AgendaItems` (r:0 w:1)
	/// The range of component `a` is `[15, 1000]`.
	fn step_draw(a: u32) -> Weight {
		Weight::from_parts(600_000_000, 16_384)
			.saturating_add(Weight::from_parts(2_000_000, 64).saturating_mul(a.into()))
			.saturating_add(T::DbWeight::get().reads_writes(37, 18))
	}

	/// Storage: `Verification::Audits` (r:1 w:1), `Verification::CounterForAudits` (r:1 w:1),
	/// `Verification::Parameters` (r:1 w:0), `Verification::Duties` (r:0 w:15),
	/// `Verification::Earlier` (r:1 w:1), `Verification::AgendaCounts` (r:1 w:1),
	/// `Verification::AgendaItems` (r:0 w:1)
	fn step_deadline() -> Weight {
		Weight::from_parts(500_000_000, 16_384)
			.saturating_add(T::DbWeight::get().reads_writes(5, 20))
	}

	/// Touches no storage.
	/// The range of component `i` is `[0, 16]`, of `h` `[0, 31]`.
	fn verify_inputs(i: u32, h: u32) -> Weight {
		Weight::from_parts(10_000_000, 0)
			.saturating_add(Weight::from_parts(2_000_000, 0).saturating_mul(i.into()))
			.saturating_add(Weight::from_parts(4_000_000, 0).saturating_mul(h.into()))
	}
}

// For tests.
impl WeightInfo for () {
	/// Storage: `Verification::Programs` (r:1 w:1), `Verification::Parameters` (r:1 w:0),
	/// `Balances::Holds` (r:1 w:1), `System::Account` (r:1 w:1)
	/// Measured at `b` in `[14, 81929]`, where nodes are as short as they can be; longer programs have
	/// longer nodes and cost less a byte.
	fn register_program(b: u32) -> Weight {
		Weight::from_parts(80_000_000, 8_192)
			.saturating_add(Weight::from_parts(200_000, 0).saturating_mul(b.into()))
			.saturating_add(ParityDbWeight::get().reads_writes(4, 3))
	}

	/// Storage: `Verification::Programs` (r:1 w:1), `Balances::Holds` (r:1 w:1),
	/// `System::Account` (r:1 w:1)
	fn remove_program() -> Weight {
		Weight::from_parts(80_000_000, 8_192)
			.saturating_add(ParityDbWeight::get().reads_writes(3, 3))
	}

	/// Worst case: the last vote, after which the round fails.
	/// Storage: `Verification::Audits` (r:1 w:1), `Verification::CounterForAudits` (r:1 w:1),
	/// `Verification::Duties` (r:0 w:15), `Verification::Earlier` (r:1 w:1),
	/// `Verification::AuditsFailed` (r:1 w:1), `Verification::Parameters` (r:1 w:0),
	/// `Verification::AgendaCounts` (r:1 w:1), `Verification::AgendaItems` (r:0 w:1),
	/// `System::BlockHash` (r:1 w:0)
	fn attest() -> Weight {
		Weight::from_parts(300_000_000, 16_384)
			.saturating_add(ParityDbWeight::get().reads_writes(7, 21))
	}

	/// Storage: `Verification::Audits` (r:1 w:0), `System::BlockHash` (r:1 w:0)
	fn authorize_attest() -> Weight {
		Weight::from_parts(150_000_000, 4_096).saturating_add(ParityDbWeight::get().reads(2))
	}

	/// Storage: `Verification::Parameters` (r:0 w:1)
	fn set_parameters() -> Weight {
		Weight::from_parts(40_000_000, 0).saturating_add(ParityDbWeight::get().writes(1))
	}

	/// Storage: `Verification::Entropy` (r:0 w:2), and what the source reads (r:5 w:0)
	fn record_entropy() -> Weight {
		Weight::from_parts(60_000_000, 8_192)
			.saturating_add(ParityDbWeight::get().reads_writes(5, 2))
	}

	/// Storage: `Verification::AgendaCursor` (r:1 w:1), `Verification::AgendaCounts` (r:1 w:1),
	/// `Verification::AgendaItems` (r:1 w:1)
	fn agenda_overhead() -> Weight {
		Weight::from_parts(20_000_000, 4_096)
			.saturating_add(ParityDbWeight::get().reads_writes(3, 3))
	}

	/// Storage: `Verification::Audits` (r:1 w:1), `Verification::Parameters` (r:1 w:0),
	/// `Verification::Entropy` (r:32 w:0), `Verification::Auditors` (r:1 w:0),
	/// `Verification::Earlier` (r:1 w:0), `Verification::Duties` (r:0 w:15),
	/// `Verification::AgendaCounts` (r:1 w:1), `Verification::AgendaItems` (r:0 w:1)
	/// The range of component `a` is `[15, 1000]`.
	fn step_draw(a: u32) -> Weight {
		Weight::from_parts(600_000_000, 16_384)
			.saturating_add(Weight::from_parts(2_000_000, 64).saturating_mul(a.into()))
			.saturating_add(ParityDbWeight::get().reads_writes(37, 18))
	}

	/// Storage: `Verification::Audits` (r:1 w:1), `Verification::CounterForAudits` (r:1 w:1),
	/// `Verification::Parameters` (r:1 w:0), `Verification::Duties` (r:0 w:15),
	/// `Verification::Earlier` (r:1 w:1), `Verification::AgendaCounts` (r:1 w:1),
	/// `Verification::AgendaItems` (r:0 w:1)
	fn step_deadline() -> Weight {
		Weight::from_parts(500_000_000, 16_384)
			.saturating_add(ParityDbWeight::get().reads_writes(5, 20))
	}

	/// Touches no storage.
	/// The range of component `i` is `[0, 16]`, of `h` `[0, 31]`.
	fn verify_inputs(i: u32, h: u32) -> Weight {
		Weight::from_parts(10_000_000, 0)
			.saturating_add(Weight::from_parts(2_000_000, 0).saturating_mul(i.into()))
			.saturating_add(Weight::from_parts(4_000_000, 0).saturating_mul(h.into()))
	}
}
