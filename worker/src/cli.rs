//! The command line.

use crate::{
	config::{Endpoint, File, KeySource, NodeUrl},
	sabotage::Sabotage,
};
use assay_client::Amount;
use assay_primitives::market::MachineClass;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Takes tasks from the Assay chain, executes them on this machine, and serves the results.
#[derive(Debug, Parser)]
#[command(name = "assay-worker", version, propagate_version = true)]
pub struct Cli {
	/// What to do.
	#[command(subcommand)]
	pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
#[allow(clippy::large_enum_variant)]
pub enum Command {
	/// Work until stopped
	Run(Run),
	/// Register a provider, its hot key, this machine and an ask, as far as they are not there yet
	Register(Register),
	/// Show how the worker stands
	Status(Status),
	/// Print a commented configuration file
	Config,
}

/// `assay-worker run`.
#[derive(Debug, Args)]
pub struct Run {
	/// Configuration file; flags override it
	#[arg(long, value_name = "FILE")]
	pub config: Option<PathBuf>,
	/// Log in JSON, one object a line
	#[arg(long)]
	pub json: bool,
	/// DEVELOPMENT ONLY: makes this worker lie. Adds DELTA to one element of every result; needs
	/// --allow-local
	#[arg(long, value_name = "NODE:ROW:COL:DELTA", help_heading = "Development only")]
	pub sabotage: Option<Sabotage>,
	/// Settings.
	#[command(flatten)]
	pub settings: File,
}

/// `assay-worker status`.
#[derive(Debug, Args)]
pub struct Status {
	/// Configuration file; flags override it
	#[arg(long, value_name = "FILE")]
	pub config: Option<PathBuf>,
	/// Answer in JSON
	#[arg(long)]
	pub json: bool,
	/// Settings.
	#[command(flatten)]
	pub settings: File,
}

/// `assay-worker register`.
#[derive(Debug, Args)]
pub struct Register {
	/// The worker's configuration file, for nodes, hot key, endpoint and limits
	#[arg(long, value_name = "FILE")]
	pub config: Option<PathBuf>,
	/// WebSocket URL of a node to talk to; repeat it for further ones
	#[arg(long = "node", value_name = "URL")]
	pub nodes: Option<Vec<NodeUrl>>,
	/// File that holds the provider's key, or the key itself: it holds the stake and is paid
	#[arg(long, value_name = "FILE|KEY", env = "ASSAY_CONTROLLER_KEY", hide_env_values = true)]
	pub controller: KeySource,
	/// File that holds the key with which the worker signs, or the key itself
	#[arg(long, value_name = "FILE|KEY", env = "ASSAY_HOT_KEY", hide_env_values = true)]
	pub hot_key: Option<KeySource>,
	/// Address of the key with which the worker signs, if the key is elsewhere
	#[arg(long, value_name = "ADDRESS", conflicts_with = "hot_key")]
	pub hot_account: Option<String>,
	/// Stake, as 1000ASY or in planck: at least this is held
	#[arg(long, value_name = "AMOUNT", default_value = "1000ASY")]
	pub stake: Amount,
	/// Have at least so much on the hot key, for fees
	#[arg(long, value_name = "AMOUNT")]
	pub fund: Option<Amount>,
	/// The provider's name
	#[arg(long)]
	pub name: Option<String>,
	/// Base URL under which others reach the worker
	#[arg(long, value_name = "URL")]
	pub endpoint: Option<Endpoint>,
	/// Region, two letters of ISO 3166-1
	#[arg(long, value_name = "XX", value_parser = region)]
	pub region: Option<[u8; 2]>,
	/// Kind of machine
	#[arg(long, value_enum, default_value = "cpu")]
	pub class: Class,
	/// Model of the machine [default: the processor's]
	#[arg(long)]
	pub model: Option<String>,
	/// Memory of the machine, in MiB [default: all there is]
	#[arg(long, value_name = "MIB")]
	pub memory_mib: Option<u32>,
	/// Answer in JSON
	#[arg(long)]
	pub json: bool,
	/// Its terms.
	#[command(flatten)]
	pub ask: AskArgs,
}

/// Terms of a machine. If any is given, all of them replace those that the machine has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Args)]
#[command(next_help_heading = "Ask")]
pub struct AskArgs {
	/// Price of every task [default: 0.001ASY]
	#[arg(long, value_name = "AMOUNT")]
	pub price_base: Option<Amount>,
	/// Price of 10^9 multiply–accumulates [default: 0.001ASY]
	#[arg(long, value_name = "AMOUNT")]
	pub price_per_gmac: Option<Amount>,
	/// Price of 10^6 elements of other operations [default: 0.0001ASY]
	#[arg(long, value_name = "AMOUNT")]
	pub price_per_melement: Option<Amount>,
	/// Price of 10^9 planck of declared value for a block [default: 1]
	#[arg(long, value_name = "AMOUNT")]
	pub price_per_value_block: Option<Amount>,
	/// Greatest declared value of a task [default: 100ASY]
	#[arg(long, value_name = "AMOUNT")]
	pub max_value: Option<Amount>,
	/// Most multiply–accumulates of a task [default: the configuration's]
	#[arg(long, value_name = "NUMBER")]
	pub max_macs: Option<u128>,
	/// Greatest trace of a task, in bytes [default: the configuration's]
	#[arg(long, value_name = "BYTES")]
	pub max_trace_bytes: Option<u128>,
	/// Shortest deadline taken, in blocks [default: 10]
	#[arg(long, value_name = "BLOCKS")]
	pub min_deadline: Option<u32>,
	/// Tasks taken on at a time [default: 4]
	#[arg(long, value_name = "NUMBER")]
	pub slots: Option<u32>,
	/// Stake put at risk in each task, in percent of what a lie would gain there: price, emission and
	/// declared value. The more, the less tasks have to be audited [default: 2000]
	#[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u32).range(100..))]
	pub stake_percent: Option<u32>,
}

/// Kinds of machines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Class {
	/// No GPU
	Cpu,
	/// A consumer's graphics card
	ConsumerGpu,
	/// A workstation's or data centre's card
	DatacenterGpu,
}

impl From<Class> for MachineClass {
	fn from(class: Class) -> Self {
		match class {
			Class::Cpu => Self::Cpu,
			Class::ConsumerGpu => Self::ConsumerGpu,
			Class::DatacenterGpu => Self::DatacenterGpu,
		}
	}
}

fn region(text: &str) -> Result<[u8; 2], String> {
	let letters = text.bytes().all(|b| b.is_ascii_uppercase());
	let bytes = text.as_bytes().try_into().ok().filter(|_| letters);
	bytes.ok_or_else(|| format!("\"{text}\" is not two capital letters"))
}
