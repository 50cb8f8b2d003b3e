//! Fraud proofs: one place of a claimed trace, opened so far that anyone can see that it is wrong
//! (spec §5). The chain and every auditor decide by the same [`verify`], without a vote and without
//! running the program.
//!
//! What a proof says of places (indices, numbers of leaves, shapes, lengths of paths) is never
//! believed: it follows from the program, the place and what they open.

pub mod demand;
mod make;
mod maker;
mod open;
mod verify;

pub use make::{prove, CannotProve};
pub use open::{FraudProof, OpenNode, OpenOperand, OpenTensor};
pub use verify::{verify, Rejected, Statement};
