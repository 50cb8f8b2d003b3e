//! The whole, on real nodes with real workers, driven as people drive it.

#![allow(missing_docs)]

mod bad_input;
mod challenges;
mod common;
mod delivery;
mod demands;
mod fakes;
mod job;
mod lies;
mod replicas;
mod rpc;
mod silence;
mod validators;
