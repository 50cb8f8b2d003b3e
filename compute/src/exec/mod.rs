//! Exact execution of programs on the CPU.

mod compute;
mod parallel;
mod run;
mod trace;

pub use run::{execute, execute_with, ExecError, Observer, Prepared};
pub use trace::{Commitment, Trace};

pub(crate) use compute::compute;
pub(crate) use parallel::for_each_chunk;
