//! The records of a job as the runtime stores them.
//!
//! Their layout may change with the runtime's version, which the state names as well. It is read
//! from the same proof, and a version adds its layout here without taking an older one away: old
//! receipts stay readable. A test of the runtime holds these types against its own.

use crate::{state, Error};
use assay_primitives::{
	market::{MachineId, Requirements},
	url::Url,
	views::{JobMoney, TaskCounts},
	work::{Assurance, Commitment, Custody, JobId, Mode, TaskIndex, TaskStatus},
	AccountId, Balance, BlockNumber, Hash, Root,
};
use codec::{Compact, Decode, DecodeAll, Encode};
use sp_core::Bytes;
use sp_crypto_hashing::{twox_128, twox_64};

/// Versions of the runtime whose records are read.
pub const RUNTIMES: [u32; 1] = [1];

/// The runtime's name.
const SPEC_NAME: &str = "assay";

/// More tasks than any runtime allows: a bound on what a forged record makes the reader do.
const MAX_TASKS: u32 = 1 << 16;

/// A job's record.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct JobRecord {
	/// The buyer.
	pub owner: AccountId,
	/// The program.
	pub program: Root,
	/// Merkle root over the tasks' input roots.
	pub tasks_root: Root,
	/// Number of tasks.
	pub tasks: u32,
	/// Base URL at which the buyer served program, constants and inputs.
	pub data_url: Url,
	/// What the machine had to be.
	pub requirements: Requirements,
	/// How a machine was found.
	pub mode: Mode<AccountId>,
	/// How results come to be believed.
	pub assurance: Assurance,
	/// Highest price of one task, in planck.
	pub max_price: Balance,
	/// Value declared at risk beyond the price, per task, in planck.
	pub value: Balance,
	/// Blocks from acceptance to the last block of submission.
	pub deadline: BlockNumber,
	/// Blocks after which tasks that nobody took are refunded.
	pub lifetime: BlockNumber,
	/// Audit fee of one run of one task, in planck.
	pub audit_fee: Balance,
	/// What custody of an output took.
	pub custody: Custody,
	/// Runs a task may take.
	pub runs: u8,
	/// Block of posting.
	pub posted_at: BlockNumber,
	/// Block after which tasks that nobody took are refunded.
	pub expires_at: BlockNumber,
	/// Block in which the last task ended.
	pub closed_at: Option<BlockNumber>,
	/// Sums. `held` is kept per task and is nought here.
	pub money: JobMoney,
	/// Counts of tasks.
	pub counts: TaskCounts,
}

/// A task's record.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct TaskRecord {
	/// Where it stands.
	pub status: TaskStatus,
	/// Number of changes of status.
	pub turn: u32,
	/// Who works or worked on it.
	pub engaged: Option<EngagementRecord>,
	/// Runs that ended without payment.
	pub attempts: u8,
	/// Providers that it is not offered to again.
	pub refused: Vec<AccountId>,
	/// Escrow still held for it, in planck.
	pub held: Balance,
}

/// Who works on a task, and on what terms.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct EngagementRecord {
	/// The provider.
	pub provider: AccountId,
	/// Its machine.
	pub machine: MachineId,
	/// Price in planck.
	pub price: Balance,
	/// Stake to be put at risk on acceptance, in planck.
	pub pledge: Balance,
	/// Stake at risk, in planck.
	pub collateral: Balance,
	/// Paid to auditors and custodians for this run, in planck.
	pub audit_paid: Balance,
	/// Roots of the inputs.
	pub inputs: Vec<Root>,
	/// What was committed to.
	pub commitment: Option<Commitment>,
	/// Whether the buyer had the output, or a quorum.
	pub delivered: bool,
}

/// A job's records in one block's state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Records {
	/// Version of the runtime that keeps them.
	pub runtime: u32,
	/// The job.
	pub job: JobRecord,
	/// Its tasks, in order.
	pub tasks: Vec<TaskRecord>,
}

impl Records {
	/// Reads a job's records out of a proof of the state of this root.
	pub fn prove(job: JobId, root: Hash, nodes: &[Bytes]) -> Result<Self, Error> {
		// How many tasks there are to read is in a record that must be read first, out of the whole
		// proof, in which it is then not all.
		let first = sp_state_machine::read_proof_check::<sp_runtime::traits::BlakeTwo256, _>(
			root,
			sp_state_machine::StorageProof::new(nodes.iter().map(|node| node.0.clone())),
			[runtime_key(), job_key(job)],
		);
		let first = first.map_err(|error| Error::State { root, reason: error.to_string() })?;
		let value = |key: Vec<u8>| first.get(&key).cloned().flatten();
		let runtime = value(runtime_key()).ok_or(Error::Missing("version of its runtime"))?;
		let runtime = spec_version(&runtime)?;
		let record = value(job_key(job)).ok_or(Error::Missing("such job"))?;
		let record: JobRecord = decode(&record, "the record of the job")?;

		let slots = record.slots()?;
		let values = state::read(root, nodes, &keys(job, slots))?;
		let task = |index| {
			let value = values.get(&task_key(job, index)).ok_or(Error::MissingTask(index))?;
			decode(value, "the record of a task")
		};
		let tasks = (0..slots).map(task).collect::<Result<_, _>>()?;
		Ok(Self { runtime, job: record, tasks })
	}
}

impl JobRecord {
	/// Records of tasks that there are: one for each replica.
	fn slots(&self) -> Result<u32, Error> {
		match self.tasks.saturating_mul(self.assurance.slots()) {
			slots if slots <= MAX_TASKS => Ok(slots),
			slots => Err(Error::TooManyTasks(slots)),
		}
	}
}

/// The number of tasks' records that belong to a job's, for asking for their proof.
pub fn task_count(record: &[u8]) -> Result<u32, Error> {
	decode::<JobRecord>(record, "the record of the job")?.slots()
}

fn decode<T: Decode>(bytes: &[u8], what: &'static str) -> Result<T, Error> {
	T::decode_all(&mut &bytes[..]).map_err(|_| Error::Encoding(what))
}

/// The version in `frame_system`'s record, if it is of a runtime whose records are read.
fn spec_version(record: &[u8]) -> Result<u32, Error> {
	let (Compact(version), name): (Compact<u32>, String) =
		decode(record, "the version of the runtime")?;
	match (name == SPEC_NAME, RUNTIMES.contains(&version)) {
		(false, _) => Err(Error::OtherChain(name)),
		(true, false) => Err(Error::Runtime(version)),
		(true, true) => Ok(version),
	}
}

/// Keys of everything that a receipt of the job is made from; its job's is the second.
pub fn keys(job: JobId, tasks: u32) -> Vec<Vec<u8>> {
	let tasks = (0..tasks).map(|index| task_key(job, index));
	[runtime_key(), job_key(job)].into_iter().chain(tasks).collect()
}

fn runtime_key() -> Vec<u8> {
	[twox_128(b"System"), twox_128(b"LastRuntimeUpgrade")].concat()
}

fn job_key(job: JobId) -> Vec<u8> {
	[&twox_128(b"JobEscrow")[..], &twox_128(b"Jobs"), &twox_64_concat(job)].concat()
}

fn task_key(job: JobId, index: TaskIndex) -> Vec<u8> {
	let prefix = [twox_128(b"JobEscrow"), twox_128(b"Tasks")].concat();
	[prefix, twox_64_concat(job), twox_64_concat(index)].concat()
}

fn twox_64_concat(key: impl Encode) -> Vec<u8> {
	let key = key.encode();
	[&twox_64(&key)[..], &key].concat()
}
