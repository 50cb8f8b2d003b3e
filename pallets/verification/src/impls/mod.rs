//! Behaviour, by verb.

pub(crate) mod announce;
pub(crate) mod attest;
mod audit;
mod bond;
mod case;
mod convict;
mod custody;
mod demand;
pub(crate) mod draw;
mod entropy;
mod fee;
mod lots;
mod offchain;
mod programs;
mod report;
mod session;
mod state;
