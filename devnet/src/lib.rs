#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

mod cli;
mod net;
mod panel;
mod process;

pub use cli::{planck, Cli, Failure};
pub use net::{Net, Options, Provider, WorkerOptions};
pub use panel::Panel;
pub use process::{free_port, programs, Process};
