//! `assay provider ask`.

use crate::{account::Done, context::Context};
use assay_client::Amount;
use assay_primitives::market::{Ask, MachineId};
use clap::{Args, Subcommand};
use serde_json::json;

/// Commands.
#[derive(Subcommand)]
pub enum Command {
	/// Have a machine take work on these terms.
	Set(Terms),
	/// Have a machine take no more work.
	Clear {
		/// The machine's number.
		machine: MachineId,
	},
}

/// An ask as arguments.
#[derive(Args)]
pub struct Terms {
	/// The machine's number.
	machine: MachineId,
	/// For every task, whatever its size.
	#[arg(long, value_name = "AMOUNT", default_value = "0")]
	base: Amount,
	/// For each 10^9 multiply–accumulates.
	#[arg(long, value_name = "AMOUNT")]
	per_gmac: Amount,
	/// For each 10^6 elements of other operations.
	#[arg(long, value_name = "AMOUNT", default_value = "0")]
	per_melement: Amount,
	/// For each 10^9 planck of declared value and block of deadline.
	#[arg(long, value_name = "AMOUNT", default_value = "0")]
	per_value_block: Amount,
	/// Greatest declared value of a task.
	#[arg(long, value_name = "AMOUNT", default_value = "0")]
	max_value: Amount,
	/// Greatest number of multiply–accumulates of a task.
	#[arg(long, value_name = "COUNT", default_value_t = 1_000_000_000_000_000)]
	max_macs: u128,
	/// Greatest trace of a task, in bytes.
	#[arg(long, value_name = "BYTES", default_value_t = 1 << 34)]
	max_trace: u128,
	/// Shortest deadline, in blocks.
	#[arg(long, value_name = "BLOCKS", default_value_t = 10)]
	min_deadline: u32,
	/// Tasks taken on at once.
	#[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
	slots: u32,
	/// Stake put at risk in each task, in percent of what a lie would gain there.
	#[arg(long, value_name = "PERCENT", default_value_t = 2_000, value_parser = clap::value_parser!(u32).range(100..))]
	stake_percent: u32,
}

impl Terms {
	fn ask(&self) -> Ask {
		Ask {
			base: self.base.0,
			per_gmac: self.per_gmac.0,
			per_melement: self.per_melement.0,
			per_value_block: self.per_value_block.0,
			max_value: self.max_value.0,
			max_macs: self.max_macs,
			max_trace_bytes: self.max_trace,
			min_deadline: self.min_deadline,
			slots: self.slots,
			stake_percent: self.stake_percent,
		}
	}
}

/// Runs a command.
pub async fn run(context: &Context, command: Command) -> anyhow::Result<()> {
	let submitter = context.submitter().await?;
	match command {
		Command::Set(terms) => {
			let (machine, ask) = (terms.machine, terms.ask());
			let outcome = context.waiting("asking", submitter.set_ask(machine, ask)).await?;
			let text = format!("machine {machine} takes work");
			Done::new(&outcome, json!({ "machine": machine, "ask": ask })).show(context, &text);
		}
		Command::Clear { machine } => {
			let outcome = context.waiting("clearing", submitter.clear_ask(machine)).await?;
			let text = format!("machine {machine} takes no more work");
			Done::new(&outcome, json!({ "machine": machine })).show(context, &text);
		}
	}
	Ok(())
}
