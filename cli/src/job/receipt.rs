//! `assay job receipt`.

use super::existing;
use crate::context::Context;
use anyhow::Context as _;
use assay_client::Block;
use assay_primitives::{
	market::MachineId,
	views::{JobMoney, JobView, TaskCounts, TaskView},
	work::{Assurance, JobId, Reason, TaskStatus},
	AccountId, Balance, BlockNumber, Hash, Root,
};
use serde::Serialize;
use std::{fs, path::Path};

/// Form of the receipt; changes when a field changes its meaning.
const VERSION: u32 = 1;

/// What the chain says of a job at one block. With the state of that block, or a proof of it,
/// anyone can hold it against the chain later.
#[derive(Serialize)]
struct Receipt {
	version: u32,
	chain: String,
	genesis: Hash,
	/// Block at which it was read.
	block: Block,
	job: JobId,
	owner: AccountId,
	program: Root,
	tasks_root: Root,
	assurance: Assurance,
	posted_at: BlockNumber,
	closed_at: Option<BlockNumber>,
	#[serde(with = "assay_primitives::views::amount")]
	max_price: Balance,
	money: JobMoney,
	counts: TaskCounts,
	tasks: Vec<TaskReceipt>,
}

#[derive(Serialize)]
struct TaskReceipt {
	index: u32,
	provider: Option<AccountId>,
	machine: Option<MachineId>,
	price: Option<String>,
	program: Root,
	inputs: Vec<Root>,
	output_root: Option<Root>,
	trace_root: Option<Root>,
	settled_at: Option<BlockNumber>,
	#[serde(skip_serializing_if = "Option::is_none")]
	refunded_at: Option<BlockNumber>,
	#[serde(skip_serializing_if = "Option::is_none")]
	refund_reason: Option<Reason>,
}

impl TaskReceipt {
	fn new(job: &JobView, task: TaskView) -> Self {
		let (refunded_at, refund_reason) = match task.status {
			TaskStatus::Refunded { at, reason } => (Some(at), Some(reason)),
			_ => (None, None),
		};
		let settled_at = match task.status {
			TaskStatus::Settled { at } => Some(at),
			_ => None,
		};
		Self {
			index: task.id.index,
			machine: task.matched.as_ref().map(|matched| matched.machine),
			price: task.matched.as_ref().map(|matched| matched.price.to_string()),
			provider: task.matched.map(|matched| matched.provider),
			program: job.program,
			inputs: task.inputs,
			output_root: task.commitment.map(|commitment| commitment.output_root),
			trace_root: task.commitment.and_then(|commitment| commitment.trace_root),
			settled_at,
			refunded_at,
			refund_reason,
		}
	}
}

/// Prints or writes a job's receipt.
pub async fn run(context: &Context, id: JobId, out: Option<&Path>) -> anyhow::Result<()> {
	let client = context.connect().await?;
	let chain = client.chain_name().await?;
	let client = client.pinned().await?;
	let job = existing(&client, id).await?;
	let tasks = client.all_tasks(id).await?;
	let receipt = Receipt {
		version: VERSION,
		chain,
		genesis: client.genesis(),
		block: client.block().await?,
		job: id,
		owner: job.owner.clone(),
		program: job.program,
		tasks_root: job.tasks_root,
		assurance: job.assurance,
		posted_at: job.posted_at,
		closed_at: job.closed_at,
		max_price: job.max_price,
		money: job.money,
		counts: job.counts,
		tasks: tasks.into_iter().map(|task| TaskReceipt::new(&job, task)).collect(),
	};
	if job.closed_at.is_none() {
		context.output.note("the job is not closed: a later receipt will say more");
	}
	let text = serde_json::to_string_pretty(&receipt)?;
	if let Some(path) = out {
		fs::write(path, format!("{text}\n"))
			.with_context(|| format!("cannot write the receipt to {}", path.display()))?;
	}
	context.output.result(&receipt, || match out {
		Some(path) => format!("receipt of job {id} written to {}", path.display()),
		None => text,
	});
	Ok(())
}
