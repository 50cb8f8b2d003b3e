//! `assay job`.

mod folder;
mod history;
mod inputs;
mod quote;
mod receipt;
mod replicas;
mod result;
mod status;
mod submit;
mod watch;

pub use folder::Folder;

use crate::{account::Done, context::Context};
use anyhow::{anyhow, bail};
use assay_client::{Client, Outcome};
use assay_primitives::{views::JobView, work::JobId, AccountId};
use clap::Subcommand;
use serde_json::json;
use std::path::PathBuf;

/// Commands.
#[derive(Subcommand)]
pub enum Command {
	/// Post a job: one task for each group of inputs.
	Submit(Box<submit::Arguments>),
	/// Show a job and where its tasks stand.
	Status {
		/// The job's number.
		job: JobId,
	},
	/// List jobs, newest first.
	List {
		/// Show at most so many.
		#[arg(long, default_value_t = 20)]
		limit: u32,
		/// Only jobs with smaller numbers.
		#[arg(long, value_name = "JOB")]
		before: Option<JobId>,
		/// Only this account's jobs.
		#[arg(long, value_parser = crate::context::account_argument, value_name = "ADDRESS")]
		owner: Option<AccountId>,
	},
	/// Follow a job until its last task ended; fails if any was refunded.
	Watch {
		/// The job's number.
		job: JobId,
	},
	/// Take a job back: refunds every task that nobody has accepted.
	Cancel {
		/// The job's number.
		job: JobId,
	},
	/// Fetch the outputs of all tasks whose results stand, checked against the chain; with the buyer's
	/// key also acknowledge them, so that no custodians are paid.
	Result {
		/// The job's number.
		job: JobId,
		/// Folder to write to; made if need be.
		#[arg(long, value_name = "DIR")]
		out: PathBuf,
	},
	/// Write down what the chain recorded of a job, with its proof, to be kept and checked with
	/// `assay receipt verify`.
	Receipt {
		/// The job's number.
		job: JobId,
		/// Leave the proof out, as for a chain that is sealed: then there is only the node's word.
		#[arg(long)]
		unproved: bool,
		/// Write the receipt here; otherwise it is printed.
		#[arg(long, value_name = "FILE")]
		out: Option<PathBuf>,
	},
}

/// Runs a command.
pub async fn run(context: &Context, command: Command) -> anyhow::Result<()> {
	match command {
		Command::Submit(arguments) => submit::run(context, *arguments).await,
		Command::Status { job } => status::one(context, job).await,
		Command::List { limit, before, owner } => {
			status::list(context, before, limit, owner.as_ref()).await
		}
		Command::Watch { job } => {
			let client = context.connect().await?;
			watch::run(context, &client, job, None).await
		}
		Command::Cancel { job } => cancel(context, job).await,
		Command::Result { job, out } => result::run(context, job, &out).await,
		Command::Receipt { job, unproved, out } => {
			receipt::run(context, job, unproved, out.as_deref()).await
		}
	}
}

/// A job that must exist.
pub async fn existing(client: &Client, id: JobId) -> anyhow::Result<JobView> {
	client.job(id).await?.ok_or_else(|| missing(id))
}

/// A job that does not.
fn missing(id: JobId) -> anyhow::Error {
	anyhow!("there is no job {id}, or its record was removed some time after it closed; see `assay job list`")
}

async fn cancel(context: &Context, job: JobId) -> anyhow::Result<()> {
	let submitter = context.submitter().await?;
	if let Some(block) = existing(submitter.client(), job).await?.closed_at {
		bail!("job {job} closed in block {block}: there is nothing to take back");
	}
	let outcome = context.waiting("cancelling", submitter.cancel(job)).await?;
	let refunded = refunds(&outcome);
	let text = match refunded {
		0 => format!("job {job} is cancelled; no task was free to be refunded yet"),
		count => format!("job {job} is cancelled; {count} tasks refunded"),
	};
	Done::new(&outcome, json!({ "job": job, "refunded_tasks": refunded })).show(context, &text);
	Ok(())
}

fn refunds(outcome: &Outcome) -> usize {
	outcome
		.events()
		.filter(|event| event.pallet_name() == "JobEscrow" && event.event_name() == "Refunded")
		.count()
}
