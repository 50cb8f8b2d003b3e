//! The node of the Assay chain.
//!
//! - [`cli`] and [`options`]: what was asked for, and whether it can be had together;
//! - [`chain_spec`]: the chains that are built in;
//! - [`service`]: consensus, network, off-chain workers and the auditor, put together;
//! - [`rpc`]: what is answered over JSON-RPC;
//! - [`metrics`]: figures for Prometheus.
#![warn(missing_docs)]

mod chain_spec;
mod cli;
mod command;
mod metrics;
mod options;
mod rpc;
mod service;

use std::process::ExitCode;

fn main() -> ExitCode {
	match command::run() {
		Ok(()) => ExitCode::SUCCESS,
		Err(error) => {
			eprintln!("Error: {error}");
			ExitCode::FAILURE
		}
	}
}
