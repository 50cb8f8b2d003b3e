//! What is asked for, and what came of it.

use crate::{demand::Wanted, Balance, BlockNumber, Root};
use alloc::vec::Vec;
use codec::{Decode, DecodeWithMemTracking, Encode, MaxEncodedLen};
use scale_info::TypeInfo;
use serde::{Deserialize, Serialize};
use sp_runtime::Permill;

/// A job's number, given in sequence by the chain.
pub type JobId = u64;
/// A task's place within its job.
pub type TaskIndex = u32;

/// Most inputs a task of a marketed program may have.
pub const MAX_TASK_INPUTS: u32 = 16;

/// One task of one job.
#[derive(
	Clone,
	Copy,
	Debug,
	PartialEq,
	Eq,
	PartialOrd,
	Ord,
	Encode,
	Decode,
	DecodeWithMemTracking,
	MaxEncodedLen,
	TypeInfo,
	Serialize,
	Deserialize,
)]
pub struct TaskId {
	/// The job.
	pub job: JobId,
	/// The task's place in it, from 0.
	pub index: TaskIndex,
}

/// What one run of a program costs, fixed by its declared shapes.
///
/// The same figures as `assay_compute::Costs`, in the chain's encoding.
#[derive(
	Clone,
	Copy,
	Debug,
	Default,
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
pub struct Costs {
	/// Multiply–accumulates of all matrix products.
	#[serde(with = "crate::views::amount")]
	pub macs: u128,
	/// Elements produced by all other operations.
	#[serde(with = "crate::views::amount")]
	pub elements: u128,
	/// Bytes of all tensors of the trace.
	#[serde(with = "crate::views::amount")]
	pub trace_bytes: u128,
	/// Bytes of the constants.
	#[serde(with = "crate::views::amount")]
	pub const_bytes: u128,
	/// Rows of all tensors of the trace.
	#[serde(with = "crate::views::amount")]
	pub leaves: u128,
}

impl From<&assay_compute::Costs> for Costs {
	fn from(c: &assay_compute::Costs) -> Self {
		Self {
			macs: c.macs,
			elements: c.elements,
			trace_bytes: c.trace_bytes,
			const_bytes: c.const_bytes,
			leaves: c.leaves,
		}
	}
}

/// What the chain keeps of a registered program.
#[derive(
	Clone,
	Copy,
	Debug,
	PartialEq,
	Eq,
	Encode,
	Decode,
	MaxEncodedLen,
	TypeInfo,
	Serialize,
	Deserialize,
)]
pub struct ProgramInfo {
	/// Costs of one run.
	pub costs: Costs,
	/// Number of nodes.
	pub nodes: u32,
	/// Number of `input` nodes: the tensors a task supplies.
	pub inputs: u32,
	/// Bytes of the output.
	pub output_bytes: u64,
	/// Bytes of the program's encoding.
	pub bytes: u32,
}

/// How a job's results come to be believed.
///
/// Further kinds will be added under new indices; these keep theirs.
#[derive(
	Clone,
	Copy,
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
#[serde(rename_all = "snake_case")]
pub enum Assurance {
	/// A task settles when its challenge window is over and nobody has proved it wrong. Nobody is
	/// drawn to look: the rule that lying must not pay ([`honesty`](crate::honesty)) is waived, and
	/// only whoever cares to look keeps the provider honest.
	#[codec(index = 0)]
	Optimistic,
	/// A task is drawn for audit as often as it takes for lying not to pay, and once drawn it
	/// settles only after auditors have attested to it.
	#[codec(index = 1)]
	Audited {
		/// Number of auditors drawn for each task that is audited.
		auditors: u8,
		/// How thoroughly they look.
		depth: Depth,
		/// Part of the tasks that is audited at the least, whatever the provider's collateral.
		at_least: Permill,
	},
	/// A task is done by several providers, who seal what they found and open it once all have; who
	/// agrees with more than half of them is paid. A vote, never proof, and if all collude or lie
	/// alike nobody sees it. A provider that has agreed often is trusted more and more with doing a
	/// task alone ([`replication`](crate::replication)).
	#[codec(index = 2)]
	Replicated {
		/// Providers that do a task, 2 to [`MAX_REPLICAS`](crate::replication::MAX_REPLICAS).
		replicas: u8,
		/// How far entries of summaries may differ; nought: outputs must be the same to the bit.
		tolerance: u32,
		/// Part of the tasks that is replicated at the least, whoever does them first.
		at_least: Permill,
	},
}

impl Assurance {
	/// Every task audited by so many, in the whole of its trace.
	pub const fn every_task(auditors: u8) -> Self {
		Self::Audited { auditors, depth: Depth::Projection, at_least: Permill::one() }
	}

	/// Auditors of a task that is audited.
	pub const fn auditors(&self) -> u8 {
		match self {
			Self::Optimistic | Self::Replicated { .. } => 0,
			Self::Audited { auditors, .. } => *auditors,
		}
	}

	/// Slots of a task: as many as may do it, one but where it is replicated. They are numbered task
	/// by task.
	pub const fn slots(&self) -> u32 {
		match self {
			Self::Replicated { replicas, .. } => *replicas as u32,
			_ => 1,
		}
	}

	/// Which of a job's tasks a slot is of, and which of its replicas.
	pub const fn place(&self, slot: TaskIndex) -> (TaskIndex, u32) {
		let Some(task) = slot.checked_div(self.slots()) else { return (slot, 0) };
		(task, slot.saturating_sub(task.saturating_mul(self.slots())))
	}
}

/// Depth of an audit (DESIGN §4.6).
#[derive(
	Clone,
	Copy,
	Debug,
	PartialEq,
	Eq,
	Hash,
	Encode,
	Decode,
	DecodeWithMemTracking,
	MaxEncodedLen,
	TypeInfo,
	Serialize,
	Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Depth {
	/// Every product by projection, everything else recomputed, on the worker's committed trace.
	#[codec(index = 0)]
	Projection,
	/// The program executed again from its inputs, roots compared.
	#[codec(index = 1)]
	Replay,
	/// A few random rows recomputed. Finds skipped work, not one wrong element: only for jobs that
	/// declare no value.
	#[codec(index = 2)]
	Spot,
	/// The output fetched whole, and nothing looked at beside its root: what custodians do. No job
	/// can ask for it as its audit.
	#[codec(index = 3)]
	Custody,
}

impl Depth {
	/// Whether an auditor that finds a result right at this depth answers for the whole of it.
	pub const fn vouches(&self) -> bool {
		matches!(self, Self::Projection | Self::Replay)
	}
}

/// What a worker commits to for one task.
#[derive(
	Clone,
	Copy,
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
pub struct Commitment {
	/// Root of the program's last tensor.
	pub output_root: Root,
	/// Root over all tensors' roots. It may be left out where auditors execute again or none are
	/// drawn; it is owed when it is demanded then.
	pub trace_root: Option<Root>,
}

/// All that an audit of one task needs to know.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode, DecodeWithMemTracking, TypeInfo)]
pub struct Claim {
	/// The program.
	pub program: Root,
	/// Roots of the task's inputs, in node order.
	pub inputs: Vec<Root>,
	/// What the worker committed to.
	pub commitment: Commitment,
}

/// A place in a trace where the committed element is not what the program says.
#[derive(
	Clone,
	Copy,
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
pub struct Place {
	/// Node of the program.
	pub node: u32,
	/// Row of its tensor.
	pub row: u32,
	/// Column of its tensor.
	pub col: u32,
}

/// What an auditor says of a task.
#[derive(
	Clone,
	Copy,
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
#[serde(rename_all = "snake_case")]
pub enum Verdict {
	/// Every element is right.
	#[codec(index = 0)]
	Valid,
	/// An element is wrong.
	#[codec(index = 1)]
	Invalid(Place),
	/// What was committed to could not be had from the worker.
	#[codec(index = 2)]
	Unavailable,
	/// The auditor came to no end in time. Counts for nothing.
	#[codec(index = 3)]
	Abstained,
}

/// How the audit of a task ended.
#[derive(
	Clone,
	Copy,
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
#[serde(rename_all = "snake_case")]
pub enum AuditOutcome {
	/// A quorum attested that the result is right.
	#[codec(index = 0)]
	Passed,
	/// A quorum attested that it is wrong, or could not be had.
	#[codec(index = 1)]
	Failed(Verdict),
	/// No quorum came together in all the draws allowed. Never leads to payment.
	#[codec(index = 2)]
	Inconclusive,
	/// The lot did not fall on the task, or nobody was to look: it stands unless challenged.
	#[codec(index = 3)]
	Spared,
}

/// What custodians found of a result that its buyer has not acknowledged (DESIGN §4.8).
#[derive(
	Clone,
	Copy,
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
#[serde(rename_all = "snake_case")]
pub enum Delivery {
	/// A quorum has fetched every row of the output.
	#[codec(index = 0)]
	Held,
	/// A first quorum could not have it: others are drawn.
	#[codec(index = 1)]
	Doubted,
	/// Two quorums, with nobody in both, could not have it.
	#[codec(index = 2)]
	Undelivered,
	/// No quorum came together. Never leads to payment, and nobody is to blame.
	#[codec(index = 3)]
	Inconclusive,
}

/// What custody of an output takes, as it stood when the job was posted.
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
pub struct Custody {
	/// Custodians drawn for each of at most [`QUORUMS`](Self::QUORUMS) quorums.
	pub custodians: u8,
	/// Fee of each, in planck.
	#[serde(with = "crate::views::amount")]
	pub fee: Balance,
}

impl Custody {
	/// Most quorums drawn for one result.
	pub const QUORUMS: u8 = 2;

	/// What all quorums cost, in planck.
	pub fn most(&self) -> Option<Balance> {
		let seats = self.custodians.checked_mul(Self::QUORUMS)?;
		self.fee.checked_mul(seats.into())
	}
}

/// What costs a provider its collateral.
#[derive(
	Clone,
	Copy,
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
#[serde(rename_all = "snake_case")]
pub enum Offence {
	/// A fraud proof showed that the result is wrong at this place.
	#[codec(index = 0)]
	Wrong(Fault),
	/// What was demanded of the result was not opened in time.
	#[codec(index = 1)]
	Withheld(Wanted),
}

/// What a fraud proof showed.
#[derive(
	Clone,
	Copy,
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
pub struct Fault {
	/// Where.
	#[serde(flatten)]
	pub place: Place,
	/// What is wrong there.
	pub kind: FaultKind,
}

/// What is wrong at the place of a fault.
#[derive(
	Clone,
	Copy,
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
#[serde(rename_all = "snake_case")]
pub enum FaultKind {
	/// An element is not the exact result of its committed operands.
	#[codec(index = 0)]
	Element,
	/// The committed root of an input or const is not the declared one.
	#[codec(index = 1)]
	Root,
	/// The claimed output is not the committed result of the last node.
	#[codec(index = 2)]
	Output,
}

impl From<assay_compute::audit::Fault> for Fault {
	fn from(fault: assay_compute::audit::Fault) -> Self {
		let assay_compute::audit::Fault { node, row, col, kind } = fault;
		let kind = match kind {
			assay_compute::audit::FaultKind::Element => FaultKind::Element,
			assay_compute::audit::FaultKind::Root => FaultKind::Root,
			assay_compute::audit::FaultKind::Output => FaultKind::Output,
		};
		Fault { place: Place { node, row, col }, kind }
	}
}

/// Why a task went back to the market or its money back to the buyer.
#[derive(
	Clone,
	Copy,
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
#[serde(rename_all = "snake_case")]
pub enum Reason {
	/// The provider declined the offer.
	#[codec(index = 0)]
	Declined,
	/// The offer was not answered in time.
	#[codec(index = 1)]
	Lapsed,
	/// No result was submitted by the deadline.
	#[codec(index = 2)]
	DeadlineMissed,
	/// The audit ended in anything but a pass.
	#[codec(index = 3)]
	Audit(AuditOutcome),
	/// The buyer cancelled.
	#[codec(index = 4)]
	Cancelled,
	/// No machine took it before the job expired.
	#[codec(index = 5)]
	Expired,
	/// The provider gave the accepted task up.
	#[codec(index = 6)]
	Abandoned,
	/// The provider was convicted.
	#[codec(index = 7)]
	Convicted(Offence),
	/// Custodians could not have the output: the provider did not serve what it had made.
	#[codec(index = 8)]
	Undelivered,
	/// No quorum of custodians came together.
	#[codec(index = 9)]
	NoCustody,
	/// The majority of the replicas says something else.
	#[codec(index = 10)]
	Outvoted,
	/// What was sealed was not opened in time.
	#[codec(index = 11)]
	NotOpened,
	/// Too few replicas came together, or agreed. Nobody is to blame.
	#[codec(index = 12)]
	NoMajority,
	/// The task is decided without this replica.
	#[codec(index = 13)]
	NotNeeded,
}

/// Where a task stands.
#[derive(
	Clone,
	Copy,
	Debug,
	PartialEq,
	Eq,
	Encode,
	Decode,
	MaxEncodedLen,
	TypeInfo,
	Serialize,
	Deserialize,
)]
#[serde(rename_all = "snake_case", tag = "state")]
pub enum TaskStatus {
	/// Waits for a machine.
	#[codec(index = 0)]
	Open,
	/// Offered to a machine, which has until a block to accept.
	#[codec(index = 1)]
	Offered {
		/// Last block to accept in.
		until: BlockNumber,
	},
	/// Accepted and being worked on.
	#[codec(index = 2)]
	Running {
		/// Last block to submit in.
		due: BlockNumber,
	},
	/// Submitted, being audited.
	#[codec(index = 3)]
	Auditing {
		/// Block of submission.
		submitted_at: BlockNumber,
	},
	/// Audit passed or spared; waits for the end of the challenge window.
	#[codec(index = 4)]
	Passed {
		/// First block in which it may settle, as far as is known: a challenge puts it off.
		settles_at: BlockNumber,
	},
	/// Paid.
	#[codec(index = 5)]
	Settled {
		/// Block of settlement.
		at: BlockNumber,
	},
	/// Not paid; the buyer has the money back.
	#[codec(index = 6)]
	Refunded {
		/// Block of the refund.
		at: BlockNumber,
		/// Why.
		reason: Reason,
	},
	/// The window is over, but the buyer has not acknowledged the output: custodians fetch it.
	#[codec(index = 7)]
	Delivering {
		/// Block in which the window was found over.
		since: BlockNumber,
	},
	/// A replica for which no machine is sought, as long as the task may do without it.
	#[codec(index = 10)]
	Standby,
	/// The replica's result is sealed; those of others are waited for.
	#[codec(index = 11)]
	Sealed {
		/// Block of sealing.
		at: BlockNumber,
	},
	/// All that could be had are sealed, and are to be opened.
	#[codec(index = 12)]
	Opening {
		/// Last block to open in.
		until: BlockNumber,
	},
}

/// How a machine is found for a task, and what it is paid.
///
/// Further modes will be added under new indices; these keep theirs.
#[derive(
	Clone,
	Copy,
	Debug,
	PartialEq,
	Eq,
	Encode,
	Decode,
	DecodeWithMemTracking,
	MaxEncodedLen,
	TypeInfo,
)]
pub enum Mode<AccountId> {
	/// One machine, at its ask.
	#[codec(index = 0)]
	Direct {
		/// Whose machine.
		provider: AccountId,
		/// Which machine.
		machine: crate::market::MachineId,
	},
	/// The cheapest eligible ask.
	#[codec(index = 1)]
	BestAsk,
}
