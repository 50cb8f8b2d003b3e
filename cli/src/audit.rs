//! `assay audit`: a look from outside at what a provider has submitted, and the report of a lie.

use crate::{
	context::Context,
	failure::{NotTrue, Usage},
	output::facts,
};
use anyhow::{anyhow, bail, Context as _};
use assay_auditor::{audit_once, Config, Policy};
use assay_client::{report_seal, Amount, Client, Judgement, Submitter};
use assay_compute::{
	audit::{Claim as ComputeClaim, Fault},
	proof::{verify, FraudProof, Statement},
	ValidProgram,
};
use assay_primitives::{
	auditor::{AuditId, AuditReply, AuditRequest, Finding},
	views::{ChallengeView, MatchView, TaskView},
	work::{Claim, Depth, TaskId},
};
use clap::{Args, Subcommand, ValueEnum};
use codec::{DecodeAll, Encode};
use rand::{rngs::OsRng, RngCore};
use serde::Serialize;
use std::{fs, path::PathBuf, str::FromStr, time::Duration};

/// Commands.
#[derive(Subcommand)]
pub enum Command {
	/// Check a submitted task from outside, and prove and report a lie.
	Task(Arguments),
}

/// Arguments.
#[derive(Args)]
pub struct Arguments {
	/// Which task.
	#[arg(value_name = "JOB:INDEX")]
	task: TaskName,
	/// How thoroughly.
	#[arg(long, value_enum, default_value = "projection")]
	depth: DepthName,
	/// Report a lie to the chain with the key given: a bond is held and comes back with half of what
	/// the provider forfeits.
	#[arg(long)]
	report: bool,
	/// Write the proof of a lie to this file, SCALE-encoded.
	#[arg(long, value_name = "FILE")]
	out: Option<PathBuf>,
}

/// A task as `JOB:INDEX`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct TaskName(TaskId);

impl FromStr for TaskName {
	type Err = String;

	fn from_str(text: &str) -> Result<Self, String> {
		let parts = text.split_once([':', '/']);
		let id = parts.and_then(|(job, index)| {
			Some(TaskId { job: job.parse().ok()?, index: index.parse().ok()? })
		});
		id.map(Self).ok_or_else(|| "expected JOB:INDEX, for example 3:0".into())
	}
}

/// Depths of audits.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum DepthName {
	/// Every product by a random projection, everything else again: finds any wrong element
	Projection,
	/// All of it again: finds any wrong element, and moves less data
	Replay,
	/// A few random rows: finds skipped work, not one wrong element
	Spot,
}

impl From<DepthName> for Depth {
	fn from(depth: DepthName) -> Self {
		match depth {
			DepthName::Projection => Self::Projection,
			DepthName::Replay => Self::Replay,
			DepthName::Spot => Self::Spot,
		}
	}
}

#[derive(Serialize)]
struct Report {
	job: u64,
	index: u32,
	depth: Depth,
	/// `right`, `wrong` or `unavailable`.
	finding: &'static str,
	#[serde(skip_serializing_if = "Option::is_none")]
	fault: Option<String>,
	#[serde(skip_serializing_if = "Option::is_none")]
	node: Option<u32>,
	#[serde(skip_serializing_if = "Option::is_none")]
	row: Option<u32>,
	#[serde(skip_serializing_if = "Option::is_none")]
	col: Option<u32>,
	#[serde(skip_serializing_if = "Option::is_none")]
	proof_bytes: Option<usize>,
	/// What the chain made of the report, if one was made.
	#[serde(skip_serializing_if = "Option::is_none")]
	reported: Option<&'static str>,
}

/// Runs a command.
pub async fn run(context: &Context, command: Command) -> anyhow::Result<()> {
	let Command::Task(arguments) = command;
	// The key first: without it there is nothing to look for.
	let signer = arguments.report.then(|| context.signer()).transpose()?;
	let client = context.connect().await?;
	let TaskName(task) = arguments.task;
	let subject = Subject::read(&client, task).await?;
	let proof = subject.audit(context, arguments.depth.into()).await?;
	let mut report = Report {
		job: task.job,
		index: task.index,
		depth: arguments.depth.into(),
		finding: "right",
		fault: None,
		node: None,
		row: None,
		col: None,
		proof_bytes: None,
		reported: None,
	};
	match &proof {
		Finding::Right => {}
		Finding::Unavailable => report.finding = "unavailable",
		Finding::Wrong(proof) => {
			let fault = subject.judge(context, proof).await?;
			report.finding = "wrong";
			report.fault = Some(fault.to_string());
			report.node = Some(fault.node);
			report.row = Some(fault.row);
			report.col = Some(fault.col);
			report.proof_bytes = Some(proof.len());
			if let Some(path) = &arguments.out {
				fs::write(path, proof)
					.with_context(|| format!("cannot write {}", path.display()))?;
			}
			if let Some(signer) = signer {
				let submitter = Submitter::new(&client, signer);
				let judgement = subject.report(context, &submitter, proof).await?;
				report.reported = Some(match judgement {
					Judgement::Convicted => "convicted",
					Judgement::Rejected => "rejected",
					Judgement::Decided => "decided before",
				});
			}
		}
	}
	context.output.result(&report, || human(&report));
	match report.finding {
		"right" => Ok(()),
		_ => Err(NotTrue.into()),
	}
}

/// What is to be looked at.
struct Subject {
	view: TaskView,
	/// How it may be challenged, if it may.
	challenge: Option<ChallengeView>,
	matched: MatchView,
	claim: Claim,
}

impl Subject {
	async fn read(client: &Client, task: TaskId) -> anyhow::Result<Self> {
		let pinned = client.pinned().await?;
		let job = super::job::existing(&pinned, task.job).await?;
		let slots = job.tasks.saturating_mul(job.assurance.slots());
		if task.index >= slots {
			return Err(Usage(format!("job {} has {slots} tasks", task.job)).into());
		}
		let view = pinned.tasks(task.job, task.index, 1).await?.into_iter().next();
		let view = view.context("the task is not there")?;
		let (Some(commitment), Some(matched)) = (view.commitment, view.matched.clone()) else {
			bail!("nothing is submitted for task {} of job {}", task.index, task.job);
		};
		let claim = Claim { program: job.program, inputs: view.inputs.clone(), commitment };
		let challenge = pinned.challenge(task).await?;
		Ok(Self { view, challenge, matched, claim })
	}

	async fn audit(&self, context: &Context, depth: Depth) -> anyhow::Result<Finding> {
		let config = Config {
			fetch: Policy { allow_local: context.allow_local(), ..Policy::default() },
			..Config::default()
		};
		let request = AuditRequest {
			audit: AuditId {
				task: self.view.id,
				submitted_at: 0,
				provider: self.matched.provider.encode(),
				claim: self.claim.clone(),
				depth,
			},
			endpoint: self.matched.endpoint.clone().into_bytes(),
			now: 0,
			deadline: 0,
		};
		let spinner = crate::progress::spinner(context.output, "auditing …");
		let reply = audit_once(config, request).await;
		spinner.finish_and_clear();
		match reply {
			AuditReply::Done(finding) => Ok(finding),
			AuditReply::Refused(why) => Err(anyhow!("this machine cannot audit it: {why}")),
			AuditReply::Pending | AuditReply::Expired => {
				Err(anyhow!("the audit came to no end in an hour"))
			}
		}
	}

	/// Decides a proof as the chain would.
	async fn judge(&self, context: &Context, proof: &[u8]) -> anyhow::Result<Fault> {
		let id = self.claim.program.0;
		let program: ValidProgram = context.fetcher().program(&self.matched.endpoint, &id).await?;
		let inputs: Vec<u32> = program.inputs().into_iter().map(|(node, _)| node).collect();
		let commitment = &self.claim.commitment;
		let claim = ComputeClaim {
			input_roots: self.claim.inputs.iter().map(|root| root.0).collect(),
			output_root: commitment.output_root.0,
			trace_root: commitment.trace_root.0,
		};
		let statement =
			Statement { program: &id, nodes: program.len(), inputs: &inputs, claim: &claim };
		Ok(verify(&statement, &FraudProof::decode_all(&mut &proof[..])?)?)
	}

	/// Seals the report, waits as long as it takes, and opens it.
	async fn report(
		&self,
		context: &Context,
		submitter: &Submitter,
		proof: &[u8],
	) -> anyhow::Result<Judgement> {
		let task = self.view.id;
		let ChallengeView { submitted_at, delay, bond, .. } = self.challenge.ok_or_else(|| {
			let TaskId { job, index } = task;
			anyhow!("the result of task {index} of job {job} stands and cannot be challenged")
		})?;
		// The audit took its time. A report on another attempt at the task would cost the bond.
		let now = submitter.client().challenge(task).await?;
		if now.is_none_or(|now| now.submitted_at != submitted_at) {
			return Ok(Judgement::Decided);
		}
		let mut salt = [0; 32];
		OsRng.try_fill_bytes(&mut salt)?;
		let seal = report_seal(submitter.account(), task, submitted_at, proof, &salt);
		let sealing = submitter.commit_report(task, seal);
		let what = format!("sealing the report, bond {}", Amount(bond));
		let sealed = context.waiting(&what, sealing).await?;
		let due = sealed.block.number.saturating_add(delay);
		let what = format!("waiting for block {due} …");
		let spinner = crate::progress::spinner(context.output, what);
		while submitter.client().block().await?.number.saturating_add(1) < due {
			tokio::time::sleep(Duration::from_millis(200)).await;
		}
		spinner.finish_and_clear();
		let opening = submitter.report_fraud(task, proof.to_vec(), salt);
		let (judgement, _) = context.waiting("opening the report", opening).await?;
		Ok(judgement)
	}
}

fn human(report: &Report) -> String {
	let mut lines = vec![
		("task", format!("{} of job {}", report.index, report.job)),
		("finding", report.finding.to_owned()),
	];
	lines.extend(report.fault.clone().map(|fault| ("fault", fault)));
	lines.extend(report.proof_bytes.map(|bytes| ("proof", format!("{bytes} bytes"))));
	lines.extend(report.reported.map(|what| ("report", what.to_owned())));
	facts(lines)
}

#[cfg(test)]
mod tests {
	use super::*;

	#[test]
	fn tasks_have_names() {
		let named = |text: &str| text.parse::<TaskName>().map(|TaskName(id)| (id.job, id.index));
		assert_eq!(named("3:0"), Ok((3, 0)));
		assert_eq!(named("3/17"), Ok((3, 17)));
		for wrong in ["", "3", "3:", ":0", "a:b", "3:-1", "3:0:1"] {
			assert!(named(wrong).is_err(), "{wrong}");
		}
	}
}
