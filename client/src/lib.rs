#![doc = include_str!("../README.md")]
#![deny(missing_docs, unsafe_code)]

mod account;
mod amount;
mod answers;
mod blocks;
mod calls;
#[allow(missing_docs, clippy::all)]
pub mod chain;
mod error;
mod read;
mod receipt;
mod rpc;
mod signer;
mod submit;

pub use account::{address, parse_account, use_chain_addresses};
pub use amount::Amount;
pub use answers::Answer;
pub use assay_primitives as primitives;
pub use assay_receipt as receipts;
pub use blocks::FinalisedBlocks;
pub use calls::{claimed, report_seal, JobSpec, Judgement, MachineSpec, Profile};
pub use error::{DispatchError, Error};
pub use read::{Account, At, Client};
pub use rpc::Block;
pub use signer::{KeyError, Signer};
pub use submit::{Outcome, Submitter};
