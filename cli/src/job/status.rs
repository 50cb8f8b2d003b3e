//! `assay job status` and `list`, and how jobs and tasks are told to people.

use super::{existing, replicas::label};
use crate::{
	context::Context,
	output::{facts, plain, short, table},
	provider::class_name,
};
use assay_client::{address, Amount, Client};
use assay_primitives::{
	demand::Wanted,
	views::{JobView, JobsPage, TaskView, MAX_PAGE},
	work::{
		Assurance, AuditOutcome, Delivery, Depth, Fault, FaultKind, JobId, Offence, Place, Reason,
		TaskStatus,
	},
	AccountId,
};
use serde_json::json;

/// One job with all its tasks.
pub async fn one(context: &Context, id: JobId) -> anyhow::Result<()> {
	let client = context.connect().await?.pinned().await?;
	let job = existing(&client, id).await?;
	let tasks = client.all_tasks(id).await?;
	let value = json!({ "job": job, "tasks": tasks });
	context.output.result(&value, || format!("{}\n{}", job_facts(&job), task_table(&job, &tasks)));
	Ok(())
}

/// Jobs, newest first, of one owner or all.
pub async fn list(
	context: &Context,
	before: Option<JobId>,
	limit: u32,
	owner: Option<&AccountId>,
) -> anyhow::Result<()> {
	let client = context.connect().await?.pinned().await?;
	let jobs = page_through(&client, before, limit, owner).await?;
	context.output.result(&json!({ "jobs": jobs }), || {
		table(
			&[
				"job", "owner", "program", "tasks", "live", "settled", "refunded", "escrow",
				"paid", "posted", "closed",
			],
			&["job", "tasks", "live", "settled", "refunded", "escrow", "paid", "posted", "closed"],
			jobs.iter().map(|job| {
				vec![
					job.id.to_string(),
					address(&job.owner),
					short(&job.program),
					job.tasks.to_string(),
					job.counts.live.to_string(),
					job.counts.settled.to_string(),
					job.counts.refunded.to_string(),
					Amount(job.money.escrow).to_string(),
					Amount(job.money.paid).to_string(),
					job.posted_at.to_string(),
					job.closed_at.map_or_else(|| "–".into(), |block| block.to_string()),
				]
			}),
		)
	});
	Ok(())
}

async fn page_through(
	client: &Client,
	mut before: Option<JobId>,
	limit: u32,
	owner: Option<&AccountId>,
) -> Result<Vec<JobView>, assay_client::Error> {
	let most = limit as usize;
	let mut found: Vec<JobView> = Vec::new();
	while found.len() < most {
		let JobsPage { jobs, next } = client.jobs(before, limit.min(MAX_PAGE)).await?;
		found.extend(jobs.into_iter().filter(|job| owner.is_none_or(|owner| *owner == job.owner)));
		if next.is_none() {
			break;
		}
		before = next;
	}
	found.truncate(most);
	Ok(found)
}

/// A job for people.
pub fn job_facts(job: &JobView) -> String {
	let money = &job.money;
	let wanted = &job.requirements;
	let mut machine = class_name(wanted.class).to_owned();
	if wanted.min_memory_mib > 0 {
		machine += &format!(", {} MiB", wanted.min_memory_mib);
	}
	if let Some(region) = wanted.region {
		machine += &format!(", {}", String::from_utf8_lossy(&region));
	}
	facts([
		("job", job.id.to_string()),
		("owner", address(&job.owner)),
		("program", format!("{:#x}", job.program)),
		// A stranger's text goes to a terminal.
		("data", plain(&job.data_url)),
		("machine", machine),
		("assurance", assurance(&job.assurance)),
		("highest price of a task", Amount(job.max_price).to_string()),
		("declared value of a task", Amount(job.value).to_string()),
		("deadline", format!("{} blocks", job.deadline)),
		("posted in block", job.posted_at.to_string()),
		(
			"closed in block",
			match job.closed_at {
				Some(block) => block.to_string(),
				None => format!("– (expires after {})", job.expires_at),
			},
		),
		(
			"tasks",
			format!(
				"{}{}: {} live, {} settled, {} refunded",
				job.tasks,
				match job.assurance.slots() {
					1 => String::new(),
					slots => format!(", {slots} replicas each"),
				},
				job.counts.live,
				job.counts.settled,
				job.counts.refunded
			),
		),
		("escrowed", Amount(money.escrow).to_string()),
		("paid to providers", Amount(money.paid).to_string()),
		("network fees", format!("{}, {} of it burned", Amount(money.fees), Amount(money.burned))),
		("paid to auditors and custodians", Amount(money.audit).to_string()),
		("returned to the buyer", Amount(money.refunded).to_string()),
		("compensated by convicted providers", Amount(money.compensated).to_string()),
		("still held", Amount(money.held).to_string()),
	])
}

/// Tasks for people.
pub fn task_table(job: &JobView, tasks: &[TaskView]) -> String {
	table(
		&["task", "state", "provider", "machine", "price", "failed runs", "output"],
		&["task", "machine", "price", "failed runs"],
		tasks.iter().map(|task| {
			let matched = task.matched.as_ref();
			let of_match = |text: Option<String>| text.unwrap_or_else(|| "–".into());
			vec![
				label(&job.assurance, task.id.index),
				state(&task.status),
				of_match(matched.map(|m| address(&m.provider))),
				of_match(matched.map(|m| m.machine.to_string())),
				of_match(matched.map(|m| Amount(m.price).to_string())),
				task.attempts.to_string(),
				of_match(task.commitment.map(|commitment| short(&commitment.output_root))),
			]
		}),
	)
}

/// A task's state for people.
fn state(status: &TaskStatus) -> String {
	match status {
		TaskStatus::Open => "open".into(),
		TaskStatus::Offered { until } => format!("offered until {until}"),
		TaskStatus::Running { due } => format!("running, due {due}"),
		TaskStatus::Auditing { submitted_at } => format!("in audit since {submitted_at}"),
		TaskStatus::Passed { settles_at } => format!("passed, settles at {settles_at}"),
		TaskStatus::Settled { at } => format!("settled at {at}"),
		TaskStatus::Refunded { at, reason } => {
			format!("refunded at {at}: {}", self::reason(reason))
		}
		TaskStatus::Delivering { since } => format!("custodians fetch it since {since}"),
		TaskStatus::Standby => "on standby".into(),
		TaskStatus::Sealed { at } => format!("sealed since {at}"),
		TaskStatus::Opening { until } => format!("to be opened until {until}"),
	}
}

/// A reason for people.
pub fn reason(reason: &Reason) -> String {
	match reason {
		Reason::Declined => "the provider declined".into(),
		Reason::Lapsed => "the offer lapsed".into(),
		Reason::DeadlineMissed => "the deadline was missed".into(),
		Reason::Audit(outcome) => audit(outcome),
		Reason::Cancelled => "cancelled".into(),
		Reason::Expired => "no machine took it in time".into(),
		Reason::Abandoned => "the provider gave it up".into(),
		Reason::Convicted(what) => offence(what),
		Reason::Undelivered => "custodians could not have the output".into(),
		Reason::NoCustody => "no quorum of custodians came together".into(),
		Reason::Outvoted => "the majority of the replicas found something else".into(),
		Reason::NotOpened => "what was sealed was not opened in time".into(),
		Reason::NoMajority => "too few replicas agree".into(),
		Reason::NotNeeded => "the task is decided without this replica".into(),
	}
}

/// An offence for people.
pub fn offence(offence: &Offence) -> String {
	let Fault { place: Place { node, row, col }, kind } = match offence {
		Offence::Wrong(fault) => fault,
		Offence::Withheld(Wanted::Trace) => return "the trace was demanded and not given".into(),
		Offence::Withheld(wanted) => return format!("{wanted:?} was demanded and not opened"),
	};
	match kind {
		FaultKind::Element => format!("node {node} row {row} column {col} is proved wrong"),
		FaultKind::Root => format!("node {node} is proved not to be what was declared"),
		FaultKind::Output => "the output is proved not to be the program's result".into(),
	}
}

/// An assurance for people.
fn assurance(assurance: &Assurance) -> String {
	match assurance {
		Assurance::Optimistic => "optimistic: nobody is drawn to look".into(),
		Assurance::Audited { auditors, depth, at_least } => {
			let depth = match depth {
				Depth::Projection => "by projection",
				Depth::Replay => "by replay",
				Depth::Spot => "in a few spots",
				Depth::Custody => "of the output's delivery alone",
			};
			let often = match at_least.deconstruct() {
				0 => "as often as the provider's stake demands".into(),
				1_000_000 => "every task".into(),
				parts => format!("at least {} % of tasks", f64::from(parts) / 10_000.0),
			};
			format!("{auditors} auditors {depth}, {often}")
		}
		Assurance::Replicated { replicas, tolerance, at_least } => {
			let same = match tolerance {
				0 => "the same to the bit".into(),
				tolerance => format!("within {tolerance} of each other"),
			};
			let often = match at_least.deconstruct() {
				0 => "where the provider is not trusted yet, and by lot".into(),
				1_000_000 => "every task".into(),
				parts => format!("at least {} % of tasks", f64::from(parts) / 10_000.0),
			};
			format!("{replicas} replicas, {same}, {often}")
		}
	}
}

/// What custodians found, for people.
pub fn delivery(found: &Delivery) -> &'static str {
	match found {
		Delivery::Held => "custodians have fetched the output",
		Delivery::Doubted => "custodians could not have the output; others are drawn",
		Delivery::Undelivered => "two quorums of custodians could not have the output",
		Delivery::Inconclusive => "no quorum of custodians came together",
	}
}

/// How an audit ended, for people.
pub fn audit(outcome: &AuditOutcome) -> String {
	match outcome {
		AuditOutcome::Passed => "the audit passed".into(),
		AuditOutcome::Failed(_) => "the result could not be had for the audit".into(),
		AuditOutcome::Inconclusive => "the audit came to no end".into(),
		AuditOutcome::Spared => "not drawn for audit".into(),
	}
}
