#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

mod cli;
mod net;
mod process;

pub use cli::{Cli, Failure};
pub use net::{Net, Options, WorkerOptions};
pub use process::{free_port, programs, Process};
