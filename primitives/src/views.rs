//! What a node tells its readers, over runtime APIs in SCALE and over RPC in JSON.
//!
//! In JSON, amounts and other 128-bit numbers are decimal strings (JavaScript's numbers lose
//! precision above 2^53), roots are `0x` and 64 hex digits, accounts are SS58 addresses.

use crate::{
	market::{Ask, MachineClass, MachineId, Requirements},
	work::{
		Assurance, AuditOutcome, Commitment, Custody, Delivery, JobId, Offence, Reason, TaskId,
		TaskIndex, TaskStatus,
	},
	AccountId, Balance, BlockNumber, Root,
};
use alloc::{string::String, vec::Vec};
use codec::{Decode, Encode, MaxEncodedLen};
use scale_info::TypeInfo;
use serde::{Deserialize, Serialize};
use sp_runtime::Permill;

/// Most records one page of any listing holds.
pub const MAX_PAGE: u32 = 100;

/// 128-bit numbers as decimal strings.
pub mod amount {
	use alloc::string::{String, ToString};
	use serde::{de::Error, Deserialize, Deserializer, Serializer};

	/// Writes the number as a decimal string.
	pub fn serialize<S: Serializer>(value: &u128, s: S) -> Result<S::Ok, S::Error> {
		s.serialize_str(&value.to_string())
	}

	/// Reads a number from a decimal string.
	pub fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<u128, D::Error> {
		let text = String::deserialize(d)?;
		text.parse().map_err(|_| D::Error::custom("expected a decimal number in a string"))
	}
}

/// Regions as two letters.
pub mod region {
	use alloc::string::String;
	use serde::{de::Error, Deserialize, Deserializer, Serialize, Serializer};

	/// Writes the two letters, or null.
	pub fn serialize<S: Serializer>(region: &Option<[u8; 2]>, s: S) -> Result<S::Ok, S::Error> {
		region.map(|letters| String::from_utf8_lossy(&letters).into_owned()).serialize(s)
	}

	/// Reads two letters, or null.
	pub fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Option<[u8; 2]>, D::Error> {
		let Some(text) = Option::<String>::deserialize(d)? else { return Ok(None) };
		let letters = text.as_bytes().try_into();
		letters.map(Some).map_err(|_| D::Error::custom("expected a region of two letters"))
	}
}

/// The match a task stands in, or was settled under.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode, TypeInfo, Serialize, Deserialize)]
pub struct MatchView {
	/// The provider.
	pub provider: AccountId,
	/// Its machine.
	pub machine: MachineId,
	/// Price in planck.
	#[serde(with = "amount")]
	pub price: Balance,
	/// Base URL of the provider's data plane; empty if it is no longer registered.
	pub endpoint: String,
}

/// One task, or one replica of one.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode, TypeInfo, Serialize, Deserialize)]
pub struct TaskView {
	/// Which task. Replicas are numbered task by task ([`Assurance::place`]).
	pub id: TaskId,
	/// Where it stands.
	#[serde(flatten)]
	pub status: TaskStatus,
	/// Failed attempts so far.
	pub attempts: u8,
	/// Who works or worked on it.
	#[serde(rename = "match")]
	pub matched: Option<MatchView>,
	/// Roots of its inputs, known once accepted.
	pub inputs: Vec<Root>,
	/// What was committed to, once submitted.
	pub commitment: Option<Commitment>,
	/// Whether the buyer has the output, or a quorum of auditors or custodians has had it.
	pub delivered: bool,
	/// Escrow still held for it, in planck.
	#[serde(with = "amount")]
	pub held: Balance,
}

/// A submitted result that may be challenged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode, TypeInfo, Serialize, Deserialize)]
pub struct ChallengeView {
	/// Block of its submission, which tells one attempt at a task from the next.
	pub submitted_at: BlockNumber,
	/// First block in which its window is over, as far as is known.
	pub closes_at: BlockNumber,
	/// What was committed to. Of a result that was submitted without a trace root, with the one that
	/// the worker has given since.
	pub commitment: Commitment,
	/// Reports that are sealed and not opened, and demands that are not answered.
	pub pending: u32,
	/// Bond of a report, in planck.
	#[serde(with = "amount")]
	pub bond: Balance,
	/// Blocks that must lie between sealing and opening a report.
	pub delay: BlockNumber,
	/// Blocks after sealing in which a report may be opened.
	pub window: BlockNumber,
}

/// What an assurance demands of machines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode, TypeInfo, Serialize, Deserialize)]
pub struct Demands {
	/// Least stake put at risk in a task, in percent of what a lie would gain.
	pub stake_percent: u32,
	/// The most that a paid task may earn beyond its price, as a part of it: emission.
	pub premium: Permill,
}

/// A job's sums, in planck. `escrow = paid + fees + audit + refunded + held` at every block.
#[derive(
	Clone,
	Copy,
	Debug,
	Default,
	PartialEq,
	Eq,
	Encode,
	Decode,
	MaxEncodedLen,
	TypeInfo,
	Serialize,
	Deserialize,
)]
pub struct JobMoney {
	/// Put into escrow when posted.
	#[serde(with = "amount")]
	pub escrow: Balance,
	/// Paid to providers.
	#[serde(with = "amount")]
	pub paid: Balance,
	/// Network fees taken out of prices, burned part included.
	#[serde(with = "amount")]
	pub fees: Balance,
	/// The burned part of the fees.
	#[serde(with = "amount")]
	pub burned: Balance,
	/// Paid to auditors.
	#[serde(with = "amount")]
	pub audit: Balance,
	/// Returned to the buyer.
	#[serde(with = "amount")]
	pub refunded: Balance,
	/// Still held.
	#[serde(with = "amount")]
	pub held: Balance,
	/// Paid to the buyer out of what convicted providers forfeited; no part of the escrow.
	#[serde(with = "amount")]
	pub compensated: Balance,
}

/// How many of a job's tasks stand where; where it is replicated, how many of their slots.
#[derive(
	Clone,
	Copy,
	Debug,
	Default,
	PartialEq,
	Eq,
	Encode,
	Decode,
	MaxEncodedLen,
	TypeInfo,
	Serialize,
	Deserialize,
)]
pub struct TaskCounts {
	/// Not yet settled or refunded.
	pub live: u32,
	/// Paid.
	pub settled: u32,
	/// Refunded.
	pub refunded: u32,
}

/// One job.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode, TypeInfo, Serialize, Deserialize)]
pub struct JobView {
	/// Its number.
	pub id: JobId,
	/// The buyer.
	pub owner: AccountId,
	/// The program.
	pub program: Root,
	/// Merkle root over the tasks' input roots.
	pub tasks_root: Root,
	/// Number of tasks.
	pub tasks: u32,
	/// Base URL at which the buyer serves program, constants and inputs.
	pub data_url: String,
	/// What the machine must be.
	pub requirements: Requirements,
	/// How results come to be believed.
	pub assurance: Assurance,
	/// Highest price of one task, in planck.
	#[serde(with = "amount")]
	pub max_price: Balance,
	/// Audit fee for one run of one task, in planck.
	#[serde(with = "amount")]
	pub audit_fee: Balance,
	/// What custody of an output takes that the buyer does not acknowledge.
	pub custody: Custody,
	/// Value declared at risk per task, in planck.
	#[serde(with = "amount")]
	pub value: Balance,
	/// Blocks from acceptance to the last block of submission.
	pub deadline: BlockNumber,
	/// Block of posting.
	pub posted_at: BlockNumber,
	/// Block after which tasks that nobody took are refunded.
	pub expires_at: BlockNumber,
	/// Block in which the last task ended; the record is removed some time after.
	pub closed_at: Option<BlockNumber>,
	/// Sums.
	pub money: JobMoney,
	/// Counts of tasks.
	pub counts: TaskCounts,
}

/// A page of jobs, newest first.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode, TypeInfo, Serialize, Deserialize)]
pub struct JobsPage {
	/// The jobs. There may be fewer than asked for, even none, where records were removed.
	pub jobs: Vec<JobView>,
	/// The number below which the next page begins; `None` after the last.
	pub next: Option<JobId>,
}

/// One machine.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode, TypeInfo, Serialize, Deserialize)]
pub struct MachineView {
	/// Its number within the provider.
	pub id: MachineId,
	/// Class.
	pub class: MachineClass,
	/// Model as the provider states it.
	pub model: String,
	/// Memory in MiB.
	pub memory_mib: u32,
	/// What it asks; `None` if it takes no work.
	pub ask: Option<Ask>,
	/// Slots in use.
	pub busy: u32,
}

/// One provider.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode, TypeInfo, Serialize, Deserialize)]
pub struct ProviderView {
	/// The provider's account.
	pub account: AccountId,
	/// The account that its worker signs with.
	pub hot_key: AccountId,
	/// Name as the provider states it.
	pub name: String,
	/// Base URL of its data plane.
	pub endpoint: String,
	/// ISO 3166-1 alpha-2 region.
	#[serde(with = "region")]
	pub region: Option<[u8; 2]>,
	/// Stake that backs work, in planck.
	#[serde(with = "amount")]
	pub stake: Balance,
	/// Part of it at risk in accepted tasks, in planck.
	#[serde(with = "amount")]
	pub locked: Balance,
	/// Stake on its way out, still held, in planck.
	#[serde(with = "amount")]
	pub unbonding: Balance,
	/// Tasks paid.
	pub settled: u64,
	/// Tasks whose deadline was missed.
	pub missed: u64,
	/// Tasks whose audit found a wrong result.
	pub failed: u64,
	/// Block of registration.
	pub registered_at: BlockNumber,
	/// Its machines.
	pub machines: Vec<MachineView>,
}

/// Figures of the network.
#[derive(
	Clone,
	Copy,
	Debug,
	Default,
	PartialEq,
	Eq,
	Encode,
	Decode,
	MaxEncodedLen,
	TypeInfo,
	Serialize,
	Deserialize,
)]
pub struct NetworkStats {
	/// Height.
	pub block: BlockNumber,
	/// Registered providers.
	pub providers: u32,
	/// Machines.
	pub machines: u32,
	/// Machines that ask for work.
	pub asks: u32,
	/// Auditors of this session.
	pub auditors: u32,
	/// Audits under way.
	pub audits_open: u32,
	/// Jobs ever posted.
	pub jobs_posted: u64,
	/// Jobs with live tasks.
	pub jobs_live: u32,
	/// Tasks ever settled.
	pub tasks_settled: u64,
	/// Tasks ever refunded.
	pub tasks_refunded: u64,
	/// Audits that ever found a missing result.
	pub audits_failed: u64,
	/// Providers ever convicted of a wrong result.
	pub convictions: u64,
	/// Stake of all providers, in planck.
	#[serde(with = "amount")]
	pub staked: Balance,
	/// Escrow of all jobs, in planck.
	#[serde(with = "amount")]
	pub escrow: Balance,
	/// Ever paid to providers, in planck.
	#[serde(with = "amount")]
	pub paid: Balance,
	/// Ever burned of fees, in planck.
	#[serde(with = "amount")]
	pub burned: Balance,
	/// Ever forfeited by providers, in planck.
	#[serde(with = "amount")]
	pub forfeited: Balance,
	/// Ever burned of forfeits and bonds, in planck.
	#[serde(with = "amount")]
	pub destroyed: Balance,
	/// Ever minted, in planck.
	#[serde(with = "amount")]
	pub minted: Balance,
	/// Emission schedule not minted so far, in planck.
	#[serde(with = "amount")]
	pub reserve: Balance,
	/// Total issuance, in planck.
	#[serde(with = "amount")]
	pub issuance: Balance,
	/// Current era of emissions.
	pub era: u32,
	/// Burned in this era so far, in planck.
	#[serde(with = "amount")]
	pub era_burned: Balance,
	/// Most that this era's work pool may mint by the schedule, in planck.
	#[serde(with = "amount")]
	pub era_cap: Balance,
}

/// Something that happened to a job or one of its tasks.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode, TypeInfo, Serialize, Deserialize)]
pub struct JobEvent {
	/// The job.
	pub job: JobId,
	/// The task, if it is about one.
	pub task: Option<TaskIndex>,
	/// What happened.
	#[serde(flatten)]
	pub kind: JobEventKind,
}

/// Kinds of [`JobEvent`].
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode, TypeInfo, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "event")]
pub enum JobEventKind {
	/// The job was posted.
	Posted,
	/// The task was offered to a machine.
	Offered {
		/// Whose machine.
		provider: AccountId,
		/// Which machine.
		machine: MachineId,
		/// Price in planck.
		#[serde(with = "amount")]
		price: Balance,
	},
	/// The provider accepted, having checked the inputs.
	Accepted {
		/// Who.
		provider: AccountId,
		/// Last block to submit in.
		due: BlockNumber,
	},
	/// A result was committed to.
	Submitted {
		/// Who.
		provider: AccountId,
		/// To what.
		commitment: Commitment,
	},
	/// A replica's result was sealed.
	Sealed {
		/// Whose.
		provider: AccountId,
	},
	/// The task's other replicas are sought.
	Replicating {
		/// Last block to match them in.
		until: BlockNumber,
	},
	/// The lot did not fall on the task: its first replica is trusted.
	Trusted,
	/// A replica's result was opened.
	Opened {
		/// Whose.
		provider: AccountId,
		/// What it is.
		commitment: Commitment,
	},
	/// So many replicas of the task agree, and are paid.
	Agreed {
		/// How many.
		replicas: u32,
	},
	/// Part of a provider's collateral was burned, for a vote that it lost or stayed away from, or an
	/// output that could not be had.
	Slashed {
		/// Whose.
		provider: AccountId,
		/// How much, in planck.
		#[serde(with = "amount")]
		burned: Balance,
	},
	/// The buyer has the output.
	Acknowledged,
	/// Custodians tried to fetch the output.
	Delivered {
		/// What they found.
		found: Delivery,
		/// Paid to them, in planck.
		#[serde(with = "amount")]
		fee: Balance,
	},
	/// The audit ended.
	Audited {
		/// How.
		outcome: AuditOutcome,
	},
	/// The provider was convicted.
	Convicted {
		/// Who.
		provider: AccountId,
		/// Of what.
		offence: Offence,
		/// The collateral forfeited, in planck.
		#[serde(with = "amount")]
		forfeit: Balance,
		/// Paid of it to the buyer, in planck.
		#[serde(with = "amount")]
		compensation: Balance,
		/// Set aside of it for the challenger, in planck.
		#[serde(with = "amount")]
		reward: Balance,
		/// Burned of it, in planck.
		#[serde(with = "amount")]
		burned: Balance,
	},
	/// The task was paid.
	Settled {
		/// Who was paid.
		provider: AccountId,
		/// What the provider received, in planck.
		#[serde(with = "amount")]
		paid: Balance,
		/// The network fee taken, in planck.
		#[serde(with = "amount")]
		fee: Balance,
		/// The part of the fee that was burned, in planck.
		#[serde(with = "amount")]
		burned: Balance,
	},
	/// The task went back to the market.
	Requeued {
		/// Why.
		reason: Reason,
	},
	/// The buyer has the task's money back.
	Refunded {
		/// How much, in planck.
		#[serde(with = "amount")]
		amount: Balance,
		/// Why.
		reason: Reason,
	},
	/// The last task ended.
	Closed,
}
