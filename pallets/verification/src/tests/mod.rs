//! Tests by topic.

mod any_bytes;
mod attest;
mod bonds;
mod demands;
mod draw;
mod entropy;
mod fee;
mod lots;
mod offchain;
mod programs;
mod reports;
mod rounds;
mod sequences;
mod session;
