//! Tests by topic.

mod announce;
mod any_bytes;
mod attest;
mod bonds;
mod custody;
mod demands;
mod draw;
mod entropy;
mod fee;
mod lots;
mod lots_for_others;
mod offchain;
mod programs;
mod reports;
mod rounds;
mod sequences;
mod session;
