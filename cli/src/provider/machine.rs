//! `assay provider machine`.

use super::Class;
use crate::{account::Done, context::Context};
use assay_client::MachineSpec;
use assay_primitives::market::MachineId;
use clap::Subcommand;
use serde_json::json;

/// Commands.
#[derive(Subcommand)]
pub enum Command {
	/// Add a machine; it takes no work until it has an ask.
	Add {
		/// What kind it is.
		#[arg(long, value_enum, default_value = "cpu")]
		class: Class,
		/// Its model, at most 64 bytes.
		#[arg(long)]
		model: String,
		/// Its memory in MiB.
		#[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u32).range(1..))]
		memory: u32,
	},
	/// Remove a machine and its ask.
	Remove {
		/// The machine's number.
		machine: MachineId,
	},
}

/// Runs a command.
pub async fn run(context: &Context, command: Command) -> anyhow::Result<()> {
	let submitter = context.submitter().await?;
	match command {
		Command::Add { class, model, memory } => {
			let spec = MachineSpec { class: class.into(), model, memory_mib: memory };
			let (machine, outcome) =
				context.waiting("adding the machine", submitter.add_machine(&spec)).await?;
			let text = format!("added machine {machine}");
			Done::new(&outcome, json!({ "machine": machine })).show(context, &text);
		}
		Command::Remove { machine } => {
			let outcome =
				context.waiting("removing the machine", submitter.remove_machine(machine)).await?;
			let text = format!("removed machine {machine}");
			Done::new(&outcome, json!({ "machine": machine })).show(context, &text);
		}
	}
	Ok(())
}
