//! Tests by topic.

mod attest;
mod draw;
mod entropy;
mod fee;
mod offchain;
mod programs;
mod rounds;
mod sequences;
mod session;
