//! What the pallet stores.

use assay_primitives::{
	auditor::AuditorId,
	work::{Claim, Commitment, ProgramInfo, TaskId, Verdict, MAX_TASK_INPUTS},
	Balance, BlockNumber, Root, ASY,
};
use codec::{Decode, DecodeWithMemTracking, Encode, MaxEncodedLen};
use frame_support::{traits::ConstU32, BoundedVec};
use scale_info::TypeInfo;
use serde::{Deserialize, Serialize};

/// Most auditors drawn for one round of one task.
pub const MAX_DRAWN: u32 = 15;
/// Most rounds that [`Params::max_rounds`] may allow.
pub const MAX_ROUNDS: u32 = 8;
/// Most distinct authors that [`Params::distinct_authors`] may ask for.
pub const MAX_DISTINCT_AUTHORS: u32 = 16;
/// Most auditors remembered as drawn in earlier rounds of one audit.
pub const MAX_EARLIER: u32 = MAX_DRAWN * (MAX_ROUNDS - 1);
/// Longest encoding of a program, in bytes.
pub const MAX_PROGRAM_BYTES: u32 = assay_compute::MAX_PROGRAM_BYTES as u32;

/// A registered program.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode, MaxEncodedLen, TypeInfo)]
pub struct Program<AccountId> {
	/// Who registered it.
	pub owner: AccountId,
	/// Held from the owner, in planck.
	pub deposit: Balance,
	/// Jobs that name it.
	pub users: u32,
	/// Its costs and sizes.
	pub info: ProgramInfo,
}

/// A member of the current session's set of auditors.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode, MaxEncodedLen, TypeInfo)]
pub struct Auditor<AccountId> {
	/// Session key with which it signs.
	pub id: AuditorId,
	/// The validator.
	pub account: AccountId,
}

/// One block's contribution to draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode, MaxEncodedLen, TypeInfo)]
pub struct Contribution {
	/// Who made the block: a stable number.
	pub author: Root,
	/// The author's VRF output.
	pub output: Root,
}

/// The audit of one submitted result.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode, MaxEncodedLen, TypeInfo)]
pub struct Audit<AccountId> {
	/// The program.
	pub program: Root,
	/// Roots of the task's inputs, in node order.
	pub inputs: BoundedVec<Root, ConstU32<MAX_TASK_INPUTS>>,
	/// What the worker committed to.
	pub commitment: Commitment,
	/// Auditors to draw for each round, 1 to [`MAX_DRAWN`].
	pub auditors: u8,
	/// Block in which the result was submitted: tells one attempt at a task from the next.
	pub submitted_at: BlockNumber,
	/// Round of drawing, from 0.
	pub round: u8,
	/// Where the round stands.
	pub stage: Stage<AccountId>,
}

impl<AccountId> Audit<AccountId> {
	/// What is audited, as auditors are told it.
	pub fn claim(&self) -> Claim {
		Claim { program: self.program, inputs: self.inputs.to_vec(), commitment: self.commitment }
	}
}

/// Where a round of an audit stands.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode, MaxEncodedLen, TypeInfo)]
pub enum Stage<AccountId> {
	/// Entropy is being gathered.
	#[codec(index = 0)]
	Drawing(Drawing),
	/// Auditors are drawn and may attest.
	#[codec(index = 1)]
	Voting(Voting<AccountId>),
}

/// Entropy gathered so far for one draw.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode, MaxEncodedLen, TypeInfo)]
pub struct Drawing {
	/// Block in which the round began; only blocks deeper than the inclusion depth below it count.
	pub since: BlockNumber,
	/// First block not looked at yet.
	pub next: BlockNumber,
	/// First contribution of each author so far, in order of blocks.
	pub seen: BoundedVec<Contribution, ConstU32<MAX_DISTINCT_AUTHORS>>,
}

/// The auditors of one round and what they attested.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode, MaxEncodedLen, TypeInfo)]
pub struct Voting<AccountId> {
	/// Last block in which an attestation counts.
	pub deadline: BlockNumber,
	/// The auditors, in the order drawn; attestations name a place in this list.
	pub seats: BoundedVec<Seat<AccountId>, ConstU32<MAX_DRAWN>>,
}

/// One drawn auditor. Key and account are those of the session of the draw and stay valid for this
/// seat when sessions rotate.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode, MaxEncodedLen, TypeInfo)]
pub struct Seat<AccountId> {
	/// Key that must sign.
	pub auditor: AuditorId,
	/// The validator.
	pub account: AccountId,
	/// What it attested, if it did.
	pub vote: Option<Verdict>,
}

/// Something of an audit that falls due.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode, MaxEncodedLen, TypeInfo)]
pub struct Step {
	/// Which task.
	pub task: TaskId,
	/// Which attempt at it; the step is void for any other.
	pub submitted_at: BlockNumber,
	/// Which round; the step is void for any other.
	pub round: u8,
}

/// Windows, deposits and fees. [`Default`] is the public network's preset with blocks of 6 seconds.
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
	/// Deposit for any program, in planck.
	#[serde(with = "assay_primitives::views::amount")]
	pub program_deposit_base: Balance,
	/// Deposit for each byte of a program, in planck.
	#[serde(with = "assay_primitives::views::amount")]
	pub program_deposit_per_byte: Balance,
	/// Blocks that must lie between the start of a round and the first block whose output counts.
	/// The runtime cannot see finality; this depth stands in for it.
	pub inclusion_depth: BlockNumber,
	/// Distinct block authors that must contribute to a draw.
	pub distinct_authors: u8,
	/// Blocks from the start of a round after which it fails if it could not be drawn.
	pub draw_timeout: BlockNumber,
	/// Blocks from the draw to the last block in which an attestation counts.
	pub audit_window: BlockNumber,
	/// Rounds of drawing before an audit ends as inconclusive.
	pub max_rounds: u8,
	/// Fee of one auditor for any task, in planck.
	#[serde(with = "assay_primitives::views::amount")]
	pub fee_base: Balance,
	/// Fee of one auditor per 10^9 multiply–accumulates, rounded up, in planck. An element of any
	/// other operation counts as 64 of them.
	#[serde(with = "assay_primitives::views::amount")]
	pub fee_per_gmac: Balance,
	/// Fee of one auditor per MiB of trace, rounded up, in planck.
	#[serde(with = "assay_primitives::views::amount")]
	pub fee_per_mib_trace: Balance,
	/// Most multiply–accumulates of a task that validators audit, elements counted likewise.
	#[serde(with = "assay_primitives::views::amount")]
	pub max_audit_macs: u128,
	/// Largest trace of a task that validators audit, in bytes.
	#[serde(with = "assay_primitives::views::amount")]
	pub max_audit_trace_bytes: u128,
}

impl Default for Params {
	fn default() -> Self {
		Self {
			program_deposit_base: ASY,
			program_deposit_per_byte: ASY / 10_000,
			inclusion_depth: 6,
			distinct_authors: 8,
			draw_timeout: 100,
			audit_window: 100,
			max_rounds: 4,
			fee_base: ASY / 1_000,
			fee_per_gmac: ASY / 100_000,
			fee_per_mib_trace: ASY / 100_000,
			max_audit_macs: 10_000_000_000_000,
			max_audit_trace_bytes: 2 * 1024 * 1024 * 1024,
		}
	}
}

impl Params {
	/// Whether the values are within the bounds of the pallet's storage and leave every round an
	/// end and a chance to be drawn.
	pub fn is_valid(&self) -> bool {
		let authors = u32::from(self.distinct_authors);
		let soonest = self.inclusion_depth.checked_add(authors);
		(1..=MAX_DISTINCT_AUTHORS).contains(&authors)
			&& (1..=MAX_ROUNDS).contains(&u32::from(self.max_rounds))
			&& (1..=MAX_WINDOW).contains(&self.audit_window)
			&& self.draw_timeout <= MAX_WINDOW
			&& soonest.is_some_and(|soonest| self.draw_timeout > soonest)
	}
}

/// Longest window that parameters may set, in blocks: half a year of 6 second blocks.
pub const MAX_WINDOW: BlockNumber = 2_628_000;
