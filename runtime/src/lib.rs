//! The Assay runtime: the pallets wired together.
//!
//! - [`configs`]: how each pallet is configured and which pallets meet through which traits;
//! - [`apis`]: what the node and its readers may ask;
//! - [`genesis_config_presets`]: the chains that can be started from this runtime.
#![cfg_attr(not(feature = "std"), no_std)]
// `construct_runtime!`-style expansion nests deeply with this many pallets.
#![recursion_limit = "512"]

#[cfg(feature = "std")]
include!(concat!(env!("OUT_DIR"), "/wasm_binary.rs"));

extern crate alloc;

pub mod apis;
#[cfg(feature = "runtime-benchmarks")]
pub mod benchmarks;
pub mod configs;
pub mod genesis_config_presets;
mod views;

pub use assay_primitives::{
	AccountId, Balance, BlockNumber, Hash, Header, Nonce, Signature, ASY, SS58_PREFIX,
};

use alloc::vec::Vec;
use frame_support::weights::Weight;
use sp_runtime::{
	generic, impl_opaque_keys,
	traits::{BlakeTwo256, Block as BlockT},
	MultiAddress,
};
use sp_version::RuntimeVersion;

/// Opaque types for the node, which needs no knowledge of calls.
pub mod opaque {
	pub use assay_primitives::OpaqueBlock as Block;
	pub use sp_runtime::OpaqueExtrinsic as UncheckedExtrinsic;
	/// A block's hash.
	pub type Hash = assay_primitives::Hash;
}

impl_opaque_keys! {
	/// Keys of a validator in a session.
	pub struct SessionKeys {
		/// Block production.
		pub babe: Babe,
		/// Finality.
		pub grandpa: Grandpa,
		/// Attestations to audited results.
		pub auditor: Verification,
	}
}

/// Version of the runtime. `spec_version` changes with every change of behaviour.
#[sp_version::runtime_version]
pub const VERSION: RuntimeVersion = RuntimeVersion {
	spec_name: alloc::borrow::Cow::Borrowed("assay"),
	impl_name: alloc::borrow::Cow::Borrowed("assay"),
	authoring_version: 1,
	spec_version: 1,
	impl_version: 1,
	apis: apis::RUNTIME_API_VERSIONS,
	transaction_version: 1,
	system_version: 3,
};

/// Time of one block.
pub const MILLISECS_PER_BLOCK: u64 = 6_000;
/// Blocks of one hour.
pub const HOURS: BlockNumber = 3_600_000 / MILLISECS_PER_BLOCK as BlockNumber;
/// Slots of an epoch, which is also a session.
pub const EPOCH_DURATION_IN_SLOTS: u64 = HOURS as u64;
/// A thousandth of ASY.
pub const MILLI: Balance = ASY / 1_000;
/// Least balance an account is kept for.
pub const EXISTENTIAL_DEPOSIT: Balance = MILLI;

/// The deposit for `items` storage entries of `bytes` in all.
pub const fn deposit(items: u32, bytes: u32) -> Balance {
	items as Balance * 100 * MILLI + bytes as Balance * MILLI
}

/// BABE's configuration at genesis: one block in four slots is expected to be primary, and every
/// block carries a VRF output, from which audits are drawn.
pub const BABE_GENESIS_EPOCH_CONFIG: sp_consensus_babe::BabeEpochConfiguration =
	sp_consensus_babe::BabeEpochConfiguration {
		c: (1, 4),
		allowed_slots: sp_consensus_babe::AllowedSlots::PrimaryAndSecondaryVRFSlots,
	};

/// An address as transactions give it.
pub type Address = MultiAddress<AccountId, ()>;
/// A block.
pub type Block = generic::Block<Header, UncheckedExtrinsic>;
/// What every transaction passes through before its call.
pub type TxExtension = (
	frame_system::AuthorizeCall<Runtime>,
	frame_system::CheckNonZeroSender<Runtime>,
	frame_system::CheckSpecVersion<Runtime>,
	frame_system::CheckTxVersion<Runtime>,
	frame_system::CheckGenesis<Runtime>,
	frame_system::CheckEra<Runtime>,
	frame_system::CheckNonce<Runtime>,
	frame_system::CheckWeight<Runtime>,
	pallet_transaction_payment::ChargeTransactionPayment<Runtime>,
	frame_metadata_hash_extension::CheckMetadataHash<Runtime>,
	frame_system::WeightReclaim<Runtime>,
);
/// A transaction.
pub type UncheckedExtrinsic =
	generic::UncheckedExtrinsic<Address, RuntimeCall, Signature, TxExtension>;
/// What is signed of a transaction.
pub type SignedPayload = generic::SignedPayload<RuntimeCall, TxExtension>;
/// Runs blocks.
pub type Executive = frame_executive::Executive<
	Runtime,
	Block,
	frame_system::ChainContext<Runtime>,
	Runtime,
	AllPalletsWithSystem,
>;

#[frame_support::runtime]
mod runtime {
	#[runtime::runtime]
	#[runtime::derive(
		RuntimeCall,
		RuntimeEvent,
		RuntimeError,
		RuntimeOrigin,
		RuntimeFreezeReason,
		RuntimeHoldReason,
		RuntimeSlashReason,
		RuntimeLockId,
		RuntimeTask,
		RuntimeViewFunction
	)]
	pub struct Runtime;

	#[runtime::pallet_index(0)]
	pub type System = frame_system;
	#[runtime::pallet_index(1)]
	pub type Timestamp = pallet_timestamp;
	// Before Session, so that authorities are set before they are needed.
	#[runtime::pallet_index(2)]
	pub type Babe = pallet_babe;
	#[runtime::pallet_index(3)]
	pub type Authorship = pallet_authorship;
	#[runtime::pallet_index(4)]
	pub type Balances = pallet_balances;
	#[runtime::pallet_index(5)]
	pub type TransactionPayment = pallet_transaction_payment;
	#[runtime::pallet_index(6)]
	pub type Session = pallet_session;
	#[runtime::pallet_index(7)]
	pub type Grandpa = pallet_grandpa;
	#[runtime::pallet_index(8)]
	pub type Utility = pallet_utility;
	#[runtime::pallet_index(9)]
	pub type Proxy = pallet_proxy;
	#[runtime::pallet_index(10)]
	pub type Multisig = pallet_multisig;
	// The key is set in development presets only.
	#[runtime::pallet_index(11)]
	pub type Sudo = pallet_sudo;

	#[runtime::pallet_index(40)]
	pub type ProviderRegistry = pallet_provider_registry;
	#[runtime::pallet_index(41)]
	pub type JobEscrow = pallet_job_escrow;
	#[runtime::pallet_index(42)]
	pub type Verification = pallet_verification;
	#[runtime::pallet_index(43)]
	pub type Emissions = pallet_emissions;
}

/// Weight that calls of the `Normal` class may take of a block: three quarters of two seconds.
pub const NORMAL_DISPATCH_RATIO: sp_runtime::Perbill = sp_runtime::Perbill::from_percent(75);
/// A block's weight limit: two seconds of computation; proofs are not recorded on a solochain.
pub const MAXIMUM_BLOCK_WEIGHT: Weight = Weight::from_parts(
	frame_support::weights::constants::WEIGHT_REF_TIME_PER_SECOND.saturating_mul(2),
	u64::MAX,
);
