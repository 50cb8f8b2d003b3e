//! Types and traits that the Assay chain and its clients share.
//!
//! - [`work`]: programs' costs, tasks, assurance, requirements, outcomes;
//! - [`market`]: machines, asks and quotes;
//! - [`demand`]: what may be demanded of a worker;
//! - [`honesty`]: when lying does not pay, as the chain computes it;
//! - [`replication`]: what replicas claim, and who of them has the majority;
//! - [`traits`]: the small interfaces through which the pallets meet;
//! - [`url`]: base URLs as the chain stores them;
//! - [`agenda`]: a weight-metered queue of things that fall due at a block;
//! - [`auditor`]: the protocol between a validator's off-chain worker and its auditor service;
//! - [`views`] and [`api`]: what a node tells its readers.
#![cfg_attr(not(feature = "std"), no_std)]
#![warn(missing_docs)]

extern crate alloc;

pub mod agenda;
pub mod api;
pub mod auditor;
pub mod demand;
pub mod honesty;
pub mod market;
pub mod replication;
pub mod traits;
pub mod url;
pub mod views;
pub mod work;

use sp_runtime::{
	generic,
	traits::{BlakeTwo256, IdentifyAccount, Verify},
	MultiSignature, OpaqueExtrinsic,
};

/// One ASY in planck, the smallest unit: 10^12.
pub const ASY: Balance = 1_000_000_000_000;
/// Decimals of ASY.
pub const TOKEN_DECIMALS: u32 = 12;
/// Symbol of the token.
pub const TOKEN_SYMBOL: &str = "ASY";
/// Address prefix of the chain.
pub const SS58_PREFIX: u16 = 4_224;

pub use sp_runtime::Permill;

/// An amount in planck.
pub type Balance = u128;
/// A block's height.
pub type BlockNumber = u32;
/// A transaction's number within its account.
pub type Nonce = u32;
/// Any of the signatures a transaction may carry.
pub type Signature = MultiSignature;
/// An account.
pub type AccountId = <<Signature as Verify>::Signer as IdentifyAccount>::AccountId;
/// A block's or storage hash.
pub type Hash = sp_core::H256;
/// A block header.
pub type Header = generic::Header<BlockNumber, BlakeTwo256>;
/// A block whose extrinsics are left encoded.
pub type OpaqueBlock = generic::Block<Header, OpaqueExtrinsic>;

/// A BLAKE3 commitment: a tensor root, trace root, program id or tasks root.
pub type Root = sp_core::H256;
