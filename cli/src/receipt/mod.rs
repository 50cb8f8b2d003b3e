//! `assay receipt`.

mod outputs;
mod verify;

use crate::context::Context;
use assay_primitives::Hash;
use clap::Subcommand;
use std::path::PathBuf;

/// Commands. None of them asks a node.
#[derive(Subcommand)]
pub enum Command {
	/// Check a receipt against the proof that it carries, and say what is proved and what is
	/// trusted; fails if anything in it is not proved.
	Verify {
		/// The receipt, as `assay job receipt` writes it.
		file: PathBuf,
		/// Hash of the first block of the chain that is meant, from a source you trust. Without it a
		/// receipt of any chain is taken, also of one that was made up.
		#[arg(long, value_name = "HASH")]
		genesis: Option<Hash>,
		/// Folder of outputs, as `assay job result` writes them: hash them against the receipt.
		#[arg(long, value_name = "DIR")]
		data: Option<PathBuf>,
	},
}

/// Runs a command.
pub fn run(context: &Context, command: Command) -> anyhow::Result<()> {
	let Command::Verify { file, genesis, data } = command;
	verify::run(context, &file, genesis, data.as_deref())
}
