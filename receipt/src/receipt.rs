//! The receipt: facts, and their proof.

use crate::{records::Records, Proof, TaskRecord};
use assay_primitives::{
	market::MachineId,
	views::{JobMoney, TaskCounts},
	work::{Assurance, JobId, Reason, TaskIndex, TaskStatus},
	AccountId, Balance, BlockNumber, Hash, Root,
};
use serde::{Deserialize, Serialize};

/// Form of the receipt; changes when a field changes its meaning.
pub const VERSION: u32 = 2;

/// A block's place in the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Block {
	/// Its height.
	pub number: BlockNumber,
	/// Its hash.
	pub hash: Hash,
}

/// What the chain recorded of a job at one block, and the proof of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Receipt {
	/// Form of the receipt.
	pub version: u32,
	/// Hash of the chain's first block, which names the chain.
	pub genesis: Hash,
	/// Block in whose state it was read.
	pub block: Block,
	/// Version of the runtime at that block.
	pub runtime: u32,
	/// The job's number.
	pub job: JobId,
	/// The buyer.
	pub owner: AccountId,
	/// The program.
	pub program: Root,
	/// Merkle root over the tasks' input roots.
	pub tasks_root: Root,
	/// How the results came to be believed.
	pub assurance: Assurance,
	/// Value declared at risk per task, in planck.
	#[serde(with = "assay_primitives::views::amount")]
	pub value: Balance,
	/// Block of posting.
	pub posted_at: BlockNumber,
	/// Block in which the last task ended.
	pub closed_at: Option<BlockNumber>,
	/// Highest price of a task, in planck.
	#[serde(with = "assay_primitives::views::amount")]
	pub max_price: Balance,
	/// Sums, in planck.
	pub money: JobMoney,
	/// Counts of tasks.
	pub counts: TaskCounts,
	/// The tasks, in order.
	pub tasks: Vec<TaskReceipt>,
	/// The proof of all the above; none where the chain gives none.
	pub proof: Option<Proof>,
}

/// What the chain recorded of a task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskReceipt {
	/// Its place in the job. Replicas are numbered task by task.
	pub index: TaskIndex,
	/// Who had it.
	pub provider: Option<AccountId>,
	/// On which machine.
	pub machine: Option<MachineId>,
	/// Price, in planck: what the provider was paid and the network's fee.
	pub price: Option<String>,
	/// Paid to auditors and custodians for this run, in planck.
	pub audit_paid: Option<String>,
	/// Roots of the inputs.
	pub inputs: Vec<Root>,
	/// Root of the output.
	pub output_root: Option<Root>,
	/// Root over all tensors' roots.
	pub trace_root: Option<Root>,
	/// Whether the buyer has said that it has the output, or a quorum has had it.
	pub delivered: bool,
	/// Block in which it was paid.
	pub settled_at: Option<BlockNumber>,
	/// Block in which the buyer's money went back.
	#[serde(default, skip_serializing_if = "Option::is_none")]
	pub refunded_at: Option<BlockNumber>,
	/// Why it did.
	#[serde(default, skip_serializing_if = "Option::is_none")]
	pub refund_reason: Option<Reason>,
}

impl Receipt {
	/// The receipt that these records make. Nothing in it is from elsewhere, so whoever has proved
	/// the records has proved all of it.
	pub fn new(genesis: Hash, block: Block, job: JobId, records: Records) -> Self {
		let Records { runtime, job: record, tasks } = records;
		let held = tasks.iter().fold(0u128, |sum, task| sum.saturating_add(task.held));
		Self {
			version: VERSION,
			genesis,
			block,
			runtime,
			job,
			owner: record.owner,
			program: record.program,
			tasks_root: record.tasks_root,
			assurance: record.assurance,
			value: record.value,
			posted_at: record.posted_at,
			closed_at: record.closed_at,
			max_price: record.max_price,
			money: JobMoney { held, ..record.money },
			counts: record.counts,
			tasks: (0..).zip(tasks).map(|(index, task)| TaskReceipt::new(index, task)).collect(),
			proof: None,
		}
	}

	/// The facts alone.
	pub fn facts(&self) -> Self {
		Self { proof: None, ..self.clone() }
	}
}

impl TaskReceipt {
	fn new(index: TaskIndex, task: TaskRecord) -> Self {
		let (settled_at, refunded_at, refund_reason) = match task.status {
			TaskStatus::Settled { at } => (Some(at), None, None),
			TaskStatus::Refunded { at, reason } => (None, Some(at), Some(reason)),
			_ => (None, None, None),
		};
		let engaged = task.engaged.as_ref();
		let commitment = engaged.and_then(|engaged| engaged.commitment);
		Self {
			index,
			machine: engaged.map(|engaged| engaged.machine),
			price: engaged.map(|engaged| engaged.price.to_string()),
			audit_paid: engaged.map(|engaged| engaged.audit_paid.to_string()),
			inputs: engaged.map(|engaged| engaged.inputs.clone()).unwrap_or_default(),
			delivered: engaged.is_some_and(|engaged| engaged.delivered),
			output_root: commitment.map(|commitment| commitment.output_root),
			trace_root: commitment.and_then(|commitment| commitment.trace_root),
			provider: task.engaged.map(|engaged| engaged.provider),
			settled_at,
			refunded_at,
			refund_reason,
		}
	}
}
