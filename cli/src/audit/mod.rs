//! `assay audit`: a look from outside at what a provider has submitted, and the report of a lie.

mod demand;
mod names;
mod report;
mod seal;
mod sealed;
mod subject;

pub use names::DepthName;

use crate::{
	context::Context,
	failure::{NotTrue, Usage},
};
use anyhow::Context as _;
use assay_client::{Judgement, Submitter};
use assay_primitives::{
	auditor::{AuditReply, Demanded, Finding},
	demand::Wanted,
	work::Depth,
};
use clap::{Args, Subcommand};
use demand::Ended;
use names::TaskName;
use report::Report;
use sealed::Sealed;
use std::{fs, path::PathBuf};
use subject::{Auditor, Subject};

/// Commands.
#[derive(Subcommand)]
pub enum Command {
	/// Check a submitted task from outside, and prove and report a lie.
	Task(Arguments),
	/// Open a report that was sealed and not opened, as when the command was killed in between.
	Resume {
		/// The file that the report was kept in.
		#[arg(value_name = "FILE")]
		file: PathBuf,
	},
}

/// Arguments.
#[derive(Args)]
pub struct Arguments {
	/// Which task.
	#[arg(value_name = "JOB:INDEX")]
	task: TaskName,
	/// How thoroughly. A result that was submitted without a trace is always replayed.
	#[arg(long, value_enum, default_value = "projection")]
	depth: DepthName,
	/// Report a lie to the chain with the key given: a bond is held and comes back with half of what
	/// the provider forfeits. What the provider does not serve is demanded on the chain, which costs
	/// its price if it is opened, and the provider's collateral if it is not.
	#[arg(long)]
	report: bool,
	/// Write the proof of a lie to this file, SCALE-encoded. A report is kept beside it, in
	/// FILE.sealed, from before it is sealed until it is opened; without this, in the user's data
	/// folder.
	#[arg(long, value_name = "FILE")]
	out: Option<PathBuf>,
}

/// Runs a command.
pub async fn run(context: &Context, command: Command) -> anyhow::Result<()> {
	match command {
		Command::Task(arguments) => look(context, arguments).await,
		Command::Resume { file } => seal::resume(context, file).await,
	}
}

async fn look(context: &Context, arguments: Arguments) -> anyhow::Result<()> {
	// The key first: without it there is nothing to look for.
	let signer = arguments.report.then(|| context.signer()).transpose()?;
	let client = context.connect().await?;
	let TaskName(task) = arguments.task;
	let mut subject = Subject::read(&client, task).await?;
	let submitter = signer.map(|signer| Submitter::new(&client, signer));
	let depth = match subject.has_trace() {
		true => arguments.depth.into(),
		false => Depth::Replay,
	};
	let mut report = Report::new(task, depth);
	let auditor = Auditor::new(context);
	let mut answers = Vec::new();
	let finding = loop {
		let reply = auditor.audit(context, &subject, depth, &answers).await?;
		let demanded = match reply {
			AuditReply::Done(finding) => break Some(finding),
			AuditReply::Demand(demanded) => demanded,
			AuditReply::Refused(why) => anyhow::bail!("this machine cannot audit it: {why}"),
			AuditReply::Pending | AuditReply::Expired => {
				anyhow::bail!("the audit came to no end in an hour")
			}
		};
		report.finding = "owed";
		report.wanted = Some(demanded.wanted);
		let Some(submitter) = &submitter else {
			context.output.note(
				"the provider does not serve what the audit needs: --report demands it on the chain",
			);
			break None;
		};
		let Demanded { wanted, opened } = demanded;
		match subject.demand(context, submitter, wanted, opened).await? {
			Ended::Opened(bytes) => answers.push(bytes),
			Ended::TraceGiven => subject.read_again(&client).await?,
			Ended::Convicted(how) => {
				report.reported = Some(how);
				break None;
			}
		}
	};
	if let Some(finding) = finding {
		report.wanted = None;
		settle(context, &subject, submitter.as_ref(), &arguments.out, finding, &mut report).await?;
	}
	context.output.result(&report, || report.human());
	match report.finding {
		"right" => Ok(()),
		_ => Err(NotTrue.into()),
	}
}

/// Writes down what was found, and reports a lie.
async fn settle(
	context: &Context,
	subject: &Subject,
	submitter: Option<&Submitter>,
	out: &Option<PathBuf>,
	finding: Finding,
	report: &mut Report,
) -> anyhow::Result<()> {
	let proof = match finding {
		Finding::Right => {
			report.finding = "right";
			return Ok(());
		}
		Finding::Unavailable => {
			report.finding = "unavailable";
			return Ok(());
		}
		Finding::Wrong(proof) => proof,
	};
	report.wrong(&subject.judge(context, &proof).await?, proof.len());
	if let Some(path) = out {
		fs::write(path, &proof).with_context(|| format!("cannot write {}", path.display()))?;
	}
	if let Some(submitter) = submitter {
		let judgement = seal::report(context, subject, submitter, proof, out.as_deref()).await?;
		report.reported = Some(judged(judgement));
	}
	Ok(())
}

/// What the chain made of a report, for people and programs.
fn judged(judgement: Judgement) -> &'static str {
	match judgement {
		Judgement::Convicted => "convicted",
		Judgement::Rejected => "rejected",
		Judgement::Decided => "decided before",
	}
}

/// What is wanted, for people.
fn named(wanted: &Wanted) -> String {
	match wanted {
		Wanted::Row { node, row } => format!("row {row} of node {node}"),
		Wanted::Tensors { .. } => "tensor roots of the trace".into(),
		Wanted::Rows { node, .. } => format!("hashes of rows of node {node}"),
		Wanted::Trace => "the trace root".into(),
	}
}

/// An error of wrong usage.
fn usage(text: impl Into<String>) -> anyhow::Error {
	Usage(text.into()).into()
}
