//! What the pallet stores.

use assay_primitives::{
	auditor::{AuditorId, Salt, SeatId},
	demand::{Wanted, MAX_SEAT_DEMANDS},
	url::Url,
	work::{AuditOutcome, Claim, Commitment, Depth, ProgramInfo, TaskId, Verdict, MAX_TASK_INPUTS},
	Balance, BlockNumber, Root, ASY,
};
use codec::{Decode, DecodeWithMemTracking, Encode, MaxEncodedLen};
use frame_support::{traits::ConstU32, BoundedVec};
use scale_info::TypeInfo;
use serde::{Deserialize, Serialize};
use sp_io::hashing::blake2_256;
use sp_runtime::Perquintill;

/// Most auditors drawn for one round of one task.
pub const MAX_DRAWN: u32 = 15;
/// Most rounds that [`Params::max_rounds`] may allow.
pub const MAX_ROUNDS: u32 = 8;
/// Most distinct authors that [`Params::distinct_authors`] may ask for.
pub const MAX_DISTINCT_AUTHORS: u32 = 16;
/// Most auditors remembered as drawn in earlier rounds of one audit, or of one custody.
pub const MAX_EARLIER: u32 = MAX_DRAWN * (2 * MAX_ROUNDS - 1);
/// Longest fraud proof, in bytes: the widest evidence is four rows of 512 KiB (spec §5), and what is
/// left holds all paths and headers.
pub const MAX_PROOF_BYTES: u32 = 4 * assay_compute::MAX_ROW_BYTES + 256 * 1024;
/// Most demands of strangers that wait at a time, about one result.
pub const MAX_STRANGERS: u8 = 8;
/// Blocks that must lie between two announcements of an auditor: they cost no fee.
pub const ANNOUNCEMENT_GAP: BlockNumber = 20;
/// Blocks for which an announcement may be made after it was signed. Below [`ANNOUNCEMENT_GAP`], so
/// that none can be made again after the next.
pub const ANNOUNCEMENT_AGE: BlockNumber = 16;
/// Longest encoding of a program, in bytes.
pub const MAX_PROGRAM_BYTES: u32 = assay_compute::MAX_PROGRAM_BYTES as u32;

/// A registered program.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode, MaxEncodedLen, TypeInfo)]
pub struct Program<AccountId> {
	/// Who registered it.
	pub owner: AccountId,
	/// Held from the owner, in planck.
	pub deposit: Balance,
	/// Jobs that name it, and convictions not paid out.
	pub users: u32,
	/// Its input nodes, in order.
	pub input_nodes: BoundedVec<u32, ConstU32<MAX_TASK_INPUTS>>,
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
	/// Whether it keeps outputs, as it has announced: others are not drawn as custodians.
	pub keeps: bool,
}

/// What an auditor has announced about the outputs that it keeps.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode, MaxEncodedLen, TypeInfo)]
pub struct Custodian {
	/// Base URL at which it serves them; empty if it keeps none any more.
	pub url: Url,
	/// Block at which it said so.
	pub at: BlockNumber,
}

/// One block's contribution to draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode, MaxEncodedLen, TypeInfo)]
pub struct Contribution {
	/// Who made the block: a stable number.
	pub author: Root,
	/// The author's VRF output.
	pub output: Root,
}

/// A submitted result that may still be challenged.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode, MaxEncodedLen, TypeInfo)]
pub struct Case<AccountId> {
	/// The program.
	pub program: Root,
	/// Roots of the task's inputs, in node order.
	pub inputs: BoundedVec<Root, ConstU32<MAX_TASK_INPUTS>>,
	/// What the worker committed to when it submitted.
	pub commitment: Commitment,
	/// The trace root, if it was left out then and has been given since.
	pub given: Option<Root>,
	/// Block in which the result was submitted: tells one attempt at a task from the next.
	pub submitted_at: BlockNumber,
	/// First block in which the window is over.
	pub closes_at: BlockNumber,
	/// Times that strangers' challenges have moved the end of the window.
	pub moved: u8,
	/// Times that the buyer's demands have.
	pub moved_by_buyer: u8,
	/// Reports that are sealed and not opened, and demands that are not answered.
	pub pending: u32,
	/// Of these, strangers' demands.
	pub strangers: u8,
	/// Auditors that attested to the whole of the trace, and what each has at risk for it, in planck.
	pub vouched: BoundedVec<(AccountId, Balance), ConstU32<MAX_DRAWN>>,
}

impl<AccountId> Case<AccountId> {
	/// What is claimed, as auditors are told it.
	pub fn claim(&self) -> Claim {
		Claim { program: self.program, inputs: self.inputs.to_vec(), commitment: self.known() }
	}

	/// What the worker has committed to by now.
	pub fn known(&self) -> Commitment {
		let Commitment { output_root, trace_root } = self.commitment;
		Commitment { output_root, trace_root: trace_root.or(self.given) }
	}
}

/// Something that a worker has been asked to open on the chain.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode, MaxEncodedLen, TypeInfo)]
pub struct Demand {
	/// The attempt that it is about.
	pub submitted_at: BlockNumber,
	/// What is wanted.
	pub wanted: Wanted,
	/// As whom it was made.
	pub standing: Standing,
	/// Block in which it was made.
	pub at: BlockNumber,
	/// Last block in which it may be answered.
	pub until: BlockNumber,
	/// Held from the demander for whoever answers, in planck.
	pub price: Balance,
}

/// As whom somebody makes a demand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode, MaxEncodedLen, TypeInfo)]
pub enum Standing {
	/// Anyone: of these only so many may wait at a time.
	#[codec(index = 0)]
	Stranger,
	/// The buyer of the task.
	#[codec(index = 1)]
	Buyer,
	/// An auditor drawn for it.
	#[codec(index = 2)]
	Seat(SeatId),
}

/// A fraud proof that somebody has in hand, sealed until the chain has noted when.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode, MaxEncodedLen, TypeInfo)]
pub struct Report {
	/// The attempt that it is about.
	pub submitted_at: BlockNumber,
	/// The [`report_seal`].
	pub seal: Root,
	/// Block in which it was sealed.
	pub at: BlockNumber,
	/// First block in which it may be opened.
	pub from: BlockNumber,
	/// Last block in which it may be opened.
	pub until: BlockNumber,
	/// Held from the reporter, in planck.
	pub bond: Balance,
}

/// Why a report came to nothing.
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
pub enum Rejection {
	/// It was not opened in time.
	#[codec(index = 0)]
	NotOpened,
	/// The bytes are not the canonical encoding of a proof.
	#[codec(index = 1)]
	NotUnderstood,
	/// What it opens is not what was committed to, or not enough.
	#[codec(index = 2)]
	NotProved,
	/// What it opens is right.
	#[codec(index = 3)]
	NoFault,
}

/// A lie that was proved, kept until nobody can show any more that he had the proof earlier.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode, MaxEncodedLen, TypeInfo)]
pub struct Conviction<AccountId> {
	/// The program.
	pub program: Root,
	/// Roots of the task's inputs, in node order.
	pub inputs: BoundedVec<Root, ConstU32<MAX_TASK_INPUTS>>,
	/// What the worker committed to.
	pub commitment: Commitment,
	/// Who had a proof first, as far as is known.
	pub challenger: AccountId,
	/// Since when.
	pub since: BlockNumber,
	/// What the challenger is paid in the end, in planck.
	pub reward: Balance,
}

/// What an auditor has put up against being absent or lying.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Encode, Decode, MaxEncodedLen, TypeInfo)]
pub struct Bond {
	/// Held, in planck.
	pub amount: Balance,
	/// Part of it at risk in seats and in results vouched for, in planck.
	pub at_risk: Balance,
}

impl Bond {
	/// What is not at risk, in planck.
	pub fn free(&self) -> Balance {
		self.amount.saturating_sub(self.at_risk)
	}
}

/// The audit of one submitted result.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode, MaxEncodedLen, TypeInfo)]
pub struct Audit<AccountId> {
	/// Auditors to draw for each round, 1 to [`MAX_DRAWN`].
	pub auditors: u8,
	/// How thoroughly they look.
	pub depth: Depth,
	/// How often a task like this one is audited.
	pub rate: Perquintill,
	/// Block in which the result was submitted: tells one attempt at a task from the next.
	pub submitted_at: BlockNumber,
	/// Round of drawing, from 0.
	pub round: u8,
	/// Where the round stands.
	pub stage: Stage<AccountId>,
}

/// What rounds of auditors are drawn for. They are numbered on from one to the next, so that no seat
/// and no draw is ever taken for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
	/// To audit the result: rounds from 0.
	Result,
	/// To fetch its output: rounds from [`Self::ROUNDS`].
	Custody,
	/// To fetch what the first custodians could not have: rounds from twice as many. Nobody of those
	/// drawn before sits in these.
	Recheck,
}

impl Phase {
	/// Most rounds of each.
	pub const ROUNDS: u8 = MAX_ROUNDS as u8;

	/// Its first round.
	pub const fn first(self) -> u8 {
		match self {
			Self::Result => 0,
			Self::Custody => Self::ROUNDS,
			Self::Recheck => 2 * Self::ROUNDS,
		}
	}
}

impl<AccountId> Audit<AccountId> {
	/// What the round is for.
	pub fn phase(&self) -> Phase {
		match self.round {
			round if round >= Phase::Recheck.first() => Phase::Recheck,
			round if round >= Phase::Custody.first() => Phase::Custody,
			_ => Phase::Result,
		}
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
	/// The audit ended without a pass while reports were pending, which go first.
	#[codec(index = 2)]
	Ended(Ended<AccountId>),
}

/// An end of an audit that is not told yet.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode, MaxEncodedLen, TypeInfo)]
pub struct Ended<AccountId> {
	/// How it ended.
	pub outcome: AuditOutcome,
	/// Who is owed the fee.
	pub attesters: BoundedVec<AccountId, ConstU32<MAX_DRAWN>>,
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

/// The auditors of one round and what they attested: first each seals its verdict, then they are
/// opened, so that nobody can copy another's.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode, MaxEncodedLen, TypeInfo)]
pub struct Voting<AccountId> {
	/// Last block in which a verdict may be sealed.
	pub seals_until: BlockNumber,
	/// Last block in which one may be opened.
	pub opens_until: BlockNumber,
	/// The auditors, in the order drawn; attestations name a place in this list.
	pub seats: BoundedVec<Seat<AccountId>, ConstU32<MAX_DRAWN>>,
}

impl<AccountId> Voting<AccountId> {
	/// Sets the times anew.
	pub(crate) fn seal_until(&mut self, seals_until: BlockNumber, opening_window: BlockNumber) {
		self.seals_until = seals_until;
		self.opens_until = seals_until.saturating_add(opening_window);
	}

	/// Whether verdicts may be opened at `now`: none can be sealed any more.
	pub fn opening(&self, now: BlockNumber) -> bool {
		now > self.seals_until || self.seats.iter().all(|seat| seat.sealed.is_some())
	}

	/// The block in which the last verdict was sealed, or the last in which one may be.
	pub fn sealed_at(&self) -> BlockNumber {
		let sealed =
			self.seats.iter().map(|seat| seat.sealed.map_or(self.seals_until, |(_, at)| at));
		sealed.max().unwrap_or(self.seals_until)
	}
}

/// One drawn auditor. Key and account are those of the session of the draw and stay valid for this
/// seat when sessions rotate.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode, MaxEncodedLen, TypeInfo)]
pub struct Seat<AccountId> {
	/// Key that must sign.
	pub auditor: AuditorId,
	/// The validator.
	pub account: AccountId,
	/// Part of its bond at risk in this seat, in planck.
	pub deposit: Balance,
	/// Demands that it has made.
	pub demands: u8,
	/// Last block in which the one may be answered that waits.
	pub awaits: Option<BlockNumber>,
	/// BLAKE2b-256 of the answers to them, in order. The bytes lie in the off-chain index of nodes,
	/// under [`answer_key`](assay_primitives::demand::answer_key).
	pub answers: BoundedVec<Root, ConstU32<MAX_SEAT_DEMANDS>>,
	/// Its sealed verdict and the block in which it came.
	pub sealed: Option<(Root, BlockNumber)>,
	/// Its verdict, once opened.
	pub vote: Option<Verdict>,
}

impl<AccountId> Seat<AccountId> {
	/// A seat just taken.
	pub(crate) fn new(auditor: AuditorId, account: AccountId, deposit: Balance) -> Self {
		let answers = Default::default();
		Self {
			auditor,
			account,
			deposit,
			demands: 0,
			awaits: None,
			answers,
			sealed: None,
			vote: None,
		}
	}
}

/// Something that falls due.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode, MaxEncodedLen, TypeInfo)]
pub enum Step<AccountId> {
	/// An audit moves on.
	#[codec(index = 0)]
	Audit(AuditStep),
	/// The time of a report is over; void unless it was sealed in this block.
	#[codec(index = 1)]
	Report(TaskId, AccountId, BlockNumber),
	/// The reward for the conviction of an attempt at a task is paid.
	#[codec(index = 2)]
	Reward(TaskId, BlockNumber),
	/// The time of a demand is over; void unless it was made in this block.
	#[codec(index = 3)]
	Demand(TaskId, AccountId, BlockNumber),
}

/// A step of an audit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode, MaxEncodedLen, TypeInfo)]
pub struct AuditStep {
	/// Which task.
	pub task: TaskId,
	/// Which attempt at it; the step is void for any other.
	pub submitted_at: BlockNumber,
	/// Which round; the step is void for any other.
	pub round: u8,
}

/// The seal of a report: BLAKE2b-256 over the reporter, the attempt at the task, the hash of the
/// proof and a salt. Bound to the reporter, so that nobody else can open it.
pub fn report_seal<AccountId: Encode>(
	reporter: &AccountId,
	task: TaskId,
	submitted_at: BlockNumber,
	proof: &[u8],
	salt: &Salt,
) -> Root {
	let proof = blake2_256(proof);
	Root::from(
		(b"assay/report", reporter, task, submitted_at, proof, salt).using_encoded(blake2_256),
	)
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
	/// Blocks from the draw to the last block in which a verdict may be sealed.
	pub audit_window: BlockNumber,
	/// Blocks after that in which verdicts are opened.
	pub opening_window: BlockNumber,
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
	/// Part of an auditor's bond at risk in each seat and each result it vouches for, in planck.
	#[serde(with = "assay_primitives::views::amount")]
	pub auditor_deposit: Balance,
	/// Custodians drawn for a quorum.
	pub custodians: u8,
	/// Fee of one custodian for any output, in planck.
	#[serde(with = "assay_primitives::views::amount")]
	pub custody_base: Balance,
	/// Fee of one custodian per MiB of output, rounded up, in planck.
	#[serde(with = "assay_primitives::views::amount")]
	pub custody_per_mib: Balance,
	/// Largest output of a task, in bytes: what a custodian can fetch within the audit window.
	#[serde(with = "assay_primitives::views::amount")]
	pub max_output_bytes: u128,
	/// Blocks for which custodians keep an output that they vouched for. They are not punished for
	/// less: the chain cannot see it.
	pub custody_period: BlockNumber,
	/// Blocks from submission to the earliest settlement.
	pub challenge_window: BlockNumber,
	/// Bond of a report, in planck.
	#[serde(with = "assay_primitives::views::amount")]
	pub report_bond: Balance,
	/// Blocks that must lie between sealing and opening a report.
	pub report_delay: BlockNumber,
	/// Blocks after sealing in which a report may be opened.
	pub report_window: BlockNumber,
	/// Blocks that the challenge window stays open after the last one in which a sealed report may
	/// be opened.
	pub report_grace: BlockNumber,
	/// Times that strangers may move the end of a challenge window.
	pub max_moves: u8,
	/// Blocks in which a demand must be answered.
	pub demand_window: BlockNumber,
	/// Price of the answer to any demand, in planck.
	#[serde(with = "assay_primitives::views::amount")]
	pub demand_base: Balance,
	/// Price of each byte that the answer may have, in planck: more than its transaction costs.
	#[serde(with = "assay_primitives::views::amount")]
	pub demand_per_byte: Balance,
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
			auditor_deposit: ASY,
			custodians: 3,
			custody_base: ASY / 1_000,
			custody_per_mib: ASY / 100_000,
			max_output_bytes: 512 * 1024 * 1024,
			custody_period: 100_800,
			opening_window: 20,
			challenge_window: 1_200,
			report_bond: 10 * ASY,
			report_delay: 2,
			report_window: 20,
			report_grace: 100,
			max_moves: 3,
			demand_window: 1_200,
			demand_base: ASY / 10,
			demand_per_byte: ASY / 100_000,
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
			&& (1..=MAX_WINDOW).contains(&self.opening_window)
			&& (1..=MAX_WINDOW).contains(&self.challenge_window)
			&& (1..=self.report_window).contains(&self.report_delay)
			&& self.report_window < self.challenge_window
			&& self.report_grace <= MAX_WINDOW
			&& (1..=MAX_WINDOW).contains(&self.demand_window)
			&& self.demand_base > 0
			&& self.report_bond > 0
			&& (1..=MAX_DRAWN).contains(&u32::from(self.custodians))
			&& (1..=MAX_WINDOW).contains(&self.custody_period)
			&& self.draw_timeout <= MAX_WINDOW
			&& soonest.is_some_and(|soonest| self.draw_timeout > soonest)
	}
}

/// Longest window that parameters may set, in blocks: half a year of 6 second blocks.
pub const MAX_WINDOW: BlockNumber = 2_628_000;
