//! Records of jobs and tasks.

use crate::{Config, Replication};
use assay_primitives::{
	market::{MachineId, Requirements},
	url::Url,
	views::{JobMoney, TaskCounts},
	work::{
		Assurance, Commitment, Custody, JobId, Mode, TaskId, TaskIndex, TaskStatus, MAX_TASK_INPUTS,
	},
	Balance, BlockNumber, Root,
};
use codec::{Decode, DecodeWithMemTracking, Encode, MaxEncodedLen};
use frame_support::{
	pallet_prelude::ConstU32, BoundedVec, CloneNoBound, DebugNoBound, EqNoBound, PartialEqNoBound,
};
use scale_info::TypeInfo;
use serde::{Deserialize, Serialize};
use sp_runtime::Permill;

/// Roots of a task's inputs, in node order.
pub type InputRoots = BoundedVec<Root, ConstU32<MAX_TASK_INPUTS>>;
/// Longest path from a task to the tasks root: enough for 2^32 tasks.
pub type TaskPath = BoundedVec<Root, ConstU32<32>>;

/// What a buyer asks for.
#[derive(
	Clone, Debug, PartialEq, Eq, Encode, Decode, DecodeWithMemTracking, MaxEncodedLen, TypeInfo,
)]
pub struct JobSpec<AccountId> {
	/// A registered program.
	pub program: Root,
	/// Merkle root over the tasks' input roots.
	pub tasks_root: Root,
	/// Number of tasks.
	pub tasks: u32,
	/// Base URL at which the buyer serves program, constants and inputs.
	pub data_url: Url,
	/// What the machine must be.
	pub requirements: Requirements,
	/// How a machine is found.
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
}

/// A posted job.
#[derive(
	CloneNoBound, DebugNoBound, PartialEqNoBound, EqNoBound, Encode, Decode, MaxEncodedLen, TypeInfo,
)]
#[scale_info(skip_type_params(T))]
pub struct Job<T: Config> {
	/// The buyer.
	pub owner: T::AccountId,
	/// What was asked for.
	pub spec: JobSpec<T::AccountId>,
	/// Audit fee of one run of one task, in planck, as it stood when the job was posted.
	pub audit_fee: Balance,
	/// What custody of an output takes, as it stood when the job was posted.
	pub custody: Custody,
	/// Runs a task may take; for each that many audit fees and custodies are in escrow.
	pub runs: u8,
	/// Block of posting.
	pub posted_at: BlockNumber,
	/// Block after which tasks that nobody took are refunded.
	pub expires_at: BlockNumber,
	/// Block in which the last task ended.
	pub closed_at: Option<BlockNumber>,
	/// Sums so far. `held` is kept per task and is nought here.
	pub money: JobMoney,
	/// Counts of tasks.
	pub counts: TaskCounts,
}

/// Who works on a task, and on what terms.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode, MaxEncodedLen, TypeInfo)]
pub struct Engagement<AccountId> {
	/// The provider.
	pub provider: AccountId,
	/// Its machine.
	pub machine: MachineId,
	/// Price in planck.
	pub price: Balance,
	/// Stake to be put at risk on acceptance, in planck.
	pub pledge: Balance,
	/// Stake at risk, in planck: nought until accepted.
	pub collateral: Balance,
	/// Paid to auditors and custodians for this run, in planck.
	pub audit_paid: Balance,
	/// Roots of the inputs: empty until accepted.
	pub inputs: InputRoots,
	/// What was committed to.
	pub commitment: Option<Commitment>,
	/// Whether the buyer has the output, or a quorum has had it.
	pub delivered: bool,
}

/// One task of a job.
#[derive(
	CloneNoBound, DebugNoBound, PartialEqNoBound, EqNoBound, Encode, Decode, MaxEncodedLen, TypeInfo,
)]
#[scale_info(skip_type_params(T))]
pub struct Task<T: Config> {
	/// Where it stands.
	pub status: TaskStatus,
	/// Number of changes of status: agenda entries made for another turn are stale.
	pub turn: u32,
	/// Who works on it, from the offer on; kept once settled.
	pub engaged: Option<Engagement<T::AccountId>>,
	/// Runs that ended without payment.
	pub attempts: u8,
	/// Providers that declined, lapsed or failed: not offered the task again while listed.
	pub refused: BoundedVec<T::AccountId, T::MaxRefused>,
	/// Escrow still held for it, in planck.
	pub held: Balance,
}

/// How a job looks for machines: there is a record as long as there is one of the job.
#[derive(
	CloneNoBound, DebugNoBound, PartialEqNoBound, EqNoBound, Encode, Decode, MaxEncodedLen, TypeInfo,
)]
#[scale_info(skip_type_params(T))]
pub struct Search<T: Config> {
	/// Which are open: task `8i + j` is if bit `j` of byte `i` is set.
	pub open: BoundedVec<u8, T::MaxTasks>,
	/// Providers that did not take one of the job's tasks, until a search has found no other.
	pub avoid: BoundedVec<T::AccountId, T::MaxRefused>,
	/// The task to begin with.
	pub next: TaskIndex,
	/// Searches since the last match.
	pub misses: u32,
	/// Offers that are neither accepted nor ended.
	pub offered: u32,
	/// Offers that were ever accepted.
	pub accepted: u32,
	/// Times that a provider declined offers or let them lapse since the last that was accepted.
	pub refusals: u32,
	/// Block since which nobody has taken a task.
	pub since: BlockNumber,
	/// Block that the job's turn is put down for; the last there is if none is.
	pub due: BlockNumber,
	/// Number of turns put down: all but the last are stale.
	pub turn: u32,
}

/// Something that falls due.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode, MaxEncodedLen, TypeInfo)]
pub enum Due {
	/// Look at a task, if it is still in this turn.
	#[codec(index = 0)]
	Task(TaskId, u32),
	/// Remove a closed job, from this task on.
	#[codec(index = 1)]
	Purge(JobId, u32),
	/// Look at a replicated task.
	#[codec(index = 10)]
	Group(JobId, TaskIndex),
}

/// Sums over all jobs there ever were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Encode, Decode, MaxEncodedLen, TypeInfo)]
pub struct Sums {
	/// Jobs posted.
	pub posted: u64,
	/// Jobs whose last task ended.
	pub closed: u64,
	/// Tasks settled.
	pub settled: u64,
	/// Tasks refunded.
	pub refunded: u64,
	/// Audits that found a wrong or missing result.
	pub audits_failed: u64,
	/// Convictions of providers.
	pub convictions: u64,
	/// Forfeited by providers, in planck.
	pub forfeited: Balance,
	/// Set aside for challengers on the pallet's account, in planck.
	pub rewards: Balance,
	/// Paid to providers, in planck.
	pub paid: Balance,
	/// Burned of fees, in planck.
	pub burned: Balance,
	/// Escrow held, in planck.
	pub escrow: Balance,
}

/// Windows, fees and limits. The default is the public network's.
#[derive(
	Clone,
	Debug,
	PartialEq,
	Eq,
	Encode,
	Decode,
	DecodeWithMemTracking,
	MaxEncodedLen,
	TypeInfo,
	Serialize,
	Deserialize,
)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Params {
	/// Blocks a provider has to accept an offer.
	pub offer_window: BlockNumber,
	/// Blocks between attempts to match a task that found no machine.
	pub match_interval: BlockNumber,
	/// Shortest deadline a job may set, in blocks.
	pub min_deadline: BlockNumber,
	/// Longest deadline a job may set, in blocks.
	pub max_deadline: BlockNumber,
	/// Longest lifetime a job may set, in blocks.
	pub max_lifetime: BlockNumber,
	/// Blocks a closed job's record is kept.
	pub retention: BlockNumber,
	/// Runs a task may take before its money goes back.
	pub runs: u8,
	/// Network fee, as a part of the price.
	pub fee: Permill,
	/// Part of the fee that is burned; the rest goes to the treasury.
	pub burned: Permill,
	/// Part of its collateral that a provider loses whose output could not be had.
	pub undelivered: Permill,
	/// Of replicated jobs.
	pub replication: Replication,
}

impl Default for Params {
	fn default() -> Self {
		Self {
			offer_window: 50,
			match_interval: 10,
			min_deadline: 10,
			max_deadline: 100_800,
			max_lifetime: 432_000,
			retention: 100_800,
			runs: 3,
			fee: Permill::from_percent(5),
			burned: Permill::from_percent(60),
			undelivered: Permill::from_percent(5),
			replication: Replication::default(),
		}
	}
}

impl Params {
	/// The most that a paid task may earn beyond its price, as a part of it: less than is burned of
	/// its fee, since emission is (DESIGN §6).
	pub fn premium(&self) -> Permill {
		self.fee * self.burned
	}

	/// Whether the values make sense together.
	pub fn valid(&self) -> bool {
		self.offer_window > 0
			&& self.match_interval > 0
			&& self.min_deadline > 0
			&& self.min_deadline <= self.max_deadline
			&& self.max_lifetime > 0
			&& self.runs > 0
			&& self.undelivered <= Replication::MOST
			&& self.replication.valid()
	}
}
