#![doc = include_str!("../README.md")]
#![deny(unsafe_code)]

mod account;
mod audit;
mod context;
mod data;
mod failure;
mod job;
mod key;
mod network;
mod output;
mod program;
mod progress;
mod provider;
mod receipt;

use clap::{Parser, Subcommand};
use context::{Context, Global};
use output::Output;
use std::process::ExitCode;

/// Assay: GPU work that is paid only once it has been checked.
///
/// Exit codes: 0 done; 1 failed, or what was asked is not so; 2 wrong usage; 3 the node cannot be
/// reached.
#[derive(Parser)]
#[command(name = "assay", version, propagate_version = true)]
struct Cli {
	#[command(flatten)]
	global: Global,
	#[command(subcommand)]
	command: Command,
}

#[derive(Subcommand)]
enum Command {
	/// Make and look at keys.
	#[command(subcommand)]
	Key(key::Command),
	/// Balances and transfers.
	#[command(subcommand)]
	Account(account::Command),
	/// Offer machines for work.
	#[command(subcommand)]
	Provider(provider::Command),
	/// Check, run and register tensor programs.
	#[command(subcommand)]
	Program(program::Command),
	/// Have work done and fetch what came of it.
	#[command(subcommand)]
	Job(job::Command),
	/// Check receipts, without a node.
	#[command(subcommand)]
	Receipt(receipt::Command),
	/// Check what providers have submitted, and report lies.
	#[command(subcommand)]
	Audit(audit::Command),
	/// Serve content to providers and auditors.
	#[command(subcommand)]
	Data(data::Command),
	/// Figures and economics of the network.
	Network,
}

fn main() -> ExitCode {
	assay_client::use_chain_addresses();
	let cli = match Cli::try_parse() {
		Ok(cli) => cli,
		Err(error) => return failure::usage(error),
	};
	tracing_subscriber::fmt()
		.with_env_filter(
			tracing_subscriber::EnvFilter::try_from_env("ASSAY_LOG")
				.unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("warn")),
		)
		.with_writer(std::io::stderr)
		.with_target(false)
		.init();
	let output = Output::new(cli.global.json, cli.global.quiet);
	let context = Context::new(cli.global, output);
	match run(&context, cli.command) {
		Ok(()) => ExitCode::SUCCESS,
		Err(error) => failure::report(&error, output),
	}
}

fn run(context: &Context, command: Command) -> anyhow::Result<()> {
	// What needs no node needs no runtime either.
	match command {
		Command::Key(command) => return key::run(context, command),
		Command::Receipt(command) => return receipt::run(context, command),
		Command::Program(command) if command.is_local() => {
			return program::run_local(context, command);
		}
		_ => {}
	}
	let runtime = tokio::runtime::Runtime::new()?;
	runtime.block_on(async {
		match command {
			Command::Key(_) | Command::Receipt(_) => Ok(()),
			Command::Account(command) => account::run(context, command).await,
			Command::Provider(command) => provider::run(context, command).await,
			Command::Program(command) => program::run(context, command).await,
			Command::Job(command) => job::run(context, command).await,
			Command::Audit(command) => audit::run(context, command).await,
			Command::Data(command) => data::run(context, command).await,
			Command::Network => network::run(context).await,
		}
	})
}
