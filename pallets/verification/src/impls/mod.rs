//! Behaviour, by verb.

pub(crate) mod attest;
mod audit;
pub(crate) mod draw;
mod entropy;
mod fee;
mod offchain;
mod programs;
mod session;
mod state;
