//! `assay program`.

mod audit;
mod check;
mod inspect;
pub mod load;
mod register;
mod run;

pub use register::ensure_registered;

use crate::context::Context;
use clap::Subcommand;
use std::path::PathBuf;

/// Commands.
#[derive(Subcommand)]
pub enum Command {
	/// Hold this implementation against files of test vectors; succeeds if every case is right.
	Check {
		/// Files of cases.
		#[arg(required = true)]
		files: Vec<PathBuf>,
	},
	/// Falsify one element of a test vector's execution, and show that the lie is found and proved.
	Audit(audit::Arguments),
	/// Run a program here and show what a worker would commit to.
	Run(run::Arguments),
	/// Show a program's nodes, shapes, costs and id.
	Inspect {
		/// Program as JSON.
		program: PathBuf,
	},
	/// Register a program on the chain; holds a deposit.
	Register {
		/// Program as JSON.
		program: PathBuf,
	},
}

impl Command {
	/// Whether it needs no node.
	pub fn is_local(&self) -> bool {
		!matches!(self, Command::Register { .. })
	}
}

/// Runs a command that needs no node.
pub fn run_local(context: &Context, command: Command) -> anyhow::Result<()> {
	match command {
		Command::Check { files } => check::run(context, &files),
		Command::Audit(arguments) => audit::run(context, &arguments),
		Command::Run(arguments) => run::run(context, &arguments),
		Command::Inspect { program } => inspect::run(context, &program),
		Command::Register { .. } => Ok(()),
	}
}

/// Runs a command that needs a node.
pub async fn run(context: &Context, command: Command) -> anyhow::Result<()> {
	match command {
		Command::Register { program } => register::run(context, &program).await,
		local => run_local(context, local),
	}
}
