//! The whole, on real nodes with real workers, driven as people drive it.

#![allow(missing_docs)]

mod bad_input;
mod books;
mod challenges;
mod common;
mod delivery;
mod demands;
mod dues;
mod fakes;
mod job;
mod lazy;
mod lies;
mod replicas;
mod rpc;
mod silence;
mod undelivered;
mod unseen;
mod validators;
