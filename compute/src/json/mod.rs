//! The JSON form of programs, tensors and test vectors.

mod case;
mod check;
pub(crate) mod hash_hex;

pub use case::{load_cases, Case, CaseTensors, Expect, LoadError};
pub use check::{check_case, CaseFailure, CaseReport};
