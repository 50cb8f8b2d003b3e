//! The small interfaces through which the pallets meet. The runtime wires them.

use crate::{
	market::{MachineId, MatchEnd, Quote, Requirements, Work},
	work::{
		Assurance, AuditOutcome, Claim, Costs, Custody, Delivery, Offence, ProgramInfo, TaskId,
	},
	Balance, BlockNumber, Root,
};
use alloc::vec::Vec;
use codec::{FullCodec, MaxEncodedLen};
use core::fmt::Debug;
use scale_info::TypeInfo;
use sp_runtime::{DispatchError, DispatchResult, Perquintill};
use sp_weights::Weight;

/// The supply side, as jobs see it. Implemented by the provider registry.
pub trait Supply<AccountId> {
	/// The provider for which `hot` acts.
	fn provider_of(hot: &AccountId) -> Option<AccountId>;

	/// Price of a task on one machine; an error says why it is not eligible.
	fn quote(
		provider: &AccountId,
		machine: MachineId,
		requirements: &Requirements,
		work: &Work,
	) -> Result<Quote<AccountId>, DispatchError>;

	/// The cheapest eligible machine at or below `max_price` whose provider is not in `refused`.
	fn best(
		requirements: &Requirements,
		work: &Work,
		max_price: Balance,
		refused: &[AccountId],
	) -> Option<Quote<AccountId>>;

	/// Weight of [`Supply::best`] for these requirements as the market stands.
	fn best_weight(requirements: &Requirements) -> Weight;

	/// Most that [`Supply::best_weight`] may be.
	fn most_weight() -> Weight;

	/// Takes one of the machine's slots for an offer.
	fn reserve(provider: &AccountId, machine: MachineId) -> DispatchResult;

	/// Puts `collateral` of the provider's stake at risk for an accepted task.
	fn lock(provider: &AccountId, collateral: Balance) -> DispatchResult;

	/// Takes `collateral`, which was locked, from the provider's stake for good and transfers it to
	/// `to`, an account that can take any amount. Returns what that came to. The match goes on until
	/// [`Supply::release`], with no collateral then.
	fn forfeit(provider: &AccountId, collateral: Balance, to: &AccountId) -> Balance;

	/// Ends a match: frees the slot and `collateral` (nought if it was never locked), and keeps
	/// the record.
	fn release(provider: &AccountId, machine: MachineId, collateral: Balance, end: MatchEnd);
}

/// Registered programs, as jobs see them. Implemented by verification.
pub trait Programs {
	/// What is kept of a program.
	fn info(program: &Root) -> Option<ProgramInfo>;
	/// Notes that one more job names the program, which then cannot be removed.
	fn hold(program: &Root) -> DispatchResult;
	/// Takes back one [`Programs::hold`].
	fn unhold(program: &Root);
	/// Whether `inputs` are those of task `index` of `tasks` under `tasks_root`.
	fn verify_inputs(
		tasks_root: &Root,
		tasks: u32,
		index: u32,
		inputs: &[Root],
		path: &[Root],
	) -> bool;
	/// Weight of [`Programs::verify_inputs`] for a path of `hashes` and `inputs` roots.
	fn verify_inputs_weight(inputs: u32, hashes: u32) -> Weight;
}

/// What rests on the honesty of one result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
	/// How the result comes to be believed.
	pub assurance: Assurance,
	/// What a lie would gain, in planck: price, emission and declared value.
	pub gain: Balance,
	/// What the provider forfeits if it is proved, in planck.
	pub collateral: Balance,
}

/// Audits and challenges, as jobs see them. Implemented by verification.
pub trait Audits {
	/// Fee in planck for one audited run of a task with this declared value; an error if the network
	/// cannot give the assurance, for want of auditors for example.
	fn fee(costs: &Costs, assurance: &Assurance, value: Balance) -> Result<Balance, DispatchError>;
	/// The least collateral with which tasks can be kept honest, in percent of what a lie would gain;
	/// `None` if there is none.
	fn least_stake_percent(assurance: &Assurance) -> Option<u32>;
	/// Opens a submitted result to challenges, and to audit. Says whether it may be audited: if so,
	/// the sink hears how that ended.
	fn open(task: TaskId, claim: Claim, terms: &Terms) -> Result<bool, DispatchError>;
	/// The block in which to look again whether the window is over; `None` once it is.
	fn open_until(task: TaskId) -> Option<BlockNumber>;
	/// What custody of the output of this program takes; an error if the network cannot give it.
	fn custody(program: &ProgramInfo) -> Result<Custody, DispatchError>;
	/// Has so many custodians drawn, who fetch the output of a result that stands and whose window is
	/// over. The sink hears what they found.
	fn deliver(task: TaskId, custodians: u8) -> DispatchResult;
	/// Weight of [`Audits::deliver`].
	fn deliver_weight() -> Weight;
	/// Ends the window: the result stands.
	fn close(task: TaskId);
	/// Weight of [`Audits::close`].
	fn close_weight() -> Weight;
}

/// What becomes of results. Implemented by jobs.
pub trait AuditSink<AccountId> {
	/// The audit of `task` ended; `attesters` did the work and are owed the audit fee. But for a pass
	/// or a result spared, nothing is kept of the result any more.
	fn concluded(task: TaskId, outcome: AuditOutcome, attesters: Vec<AccountId>);
	/// Weight of [`AuditSink::concluded`] with `attesters` of them.
	fn concluded_weight(attesters: u32) -> Weight;
	/// Custodians found whether the output of `task` is to be had; `custodians` did the work and are
	/// owed their fee. Returns whether the result stands: of one that does not, nothing is kept.
	/// [`Delivery::Doubted`] is not the end, and always stands.
	fn delivered(task: TaskId, delivery: Delivery, custodians: Vec<AccountId>) -> bool;
	/// Weight of [`AuditSink::delivered`] with so many of them.
	fn delivered_weight(custodians: u32) -> Weight;
	/// The provider of `task` was convicted and forfeits its collateral; nothing is kept of the
	/// result any more. Returns what is set aside for the challenger, if there is one, in planck.
	fn convicted(task: TaskId, offence: Offence, challenged: bool) -> Balance;
	/// Weight of [`AuditSink::convicted`].
	fn convicted_weight() -> Weight;
	/// Pays out what was set aside.
	fn reward(challenger: &AccountId, amount: Balance);
	/// Weight of [`AuditSink::reward`].
	fn reward_weight() -> Weight;
}

/// Who has to do with a submitted task, and where its data is served. Wired to jobs and the provider
/// registry.
pub trait TaskParties<AccountId> {
	/// Those of `task`, which a provider is matched to.
	fn parties(task: TaskId) -> Option<Parties<AccountId>>;
}

/// The two sides of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parties<AccountId> {
	/// The provider.
	pub provider: AccountId,
	/// The key with which its worker acts.
	pub hot: AccountId,
	/// Base URL of the provider's data plane, as registered.
	pub url: Vec<u8>,
	/// Who posted the job.
	pub buyer: AccountId,
	/// Base URL at which the buyer serves program, constants and inputs.
	pub buyer_url: Vec<u8>,
}

/// Where burned fees are accounted to the work that burned them. Implemented by emissions.
pub trait WorkLedger<AccountId> {
	/// `amount` planck of fees for work by `provider` were burned in this era.
	fn burned(provider: &AccountId, amount: Balance);
	/// `amount` planck of forfeits and bonds were burned. That is nobody's work and earns nothing.
	fn destroyed(amount: Balance);
}

impl<AccountId> WorkLedger<AccountId> for () {
	fn burned(_: &AccountId, _: Balance) {}
	fn destroyed(_: Balance) {}
}

/// Unpredictable numbers of the chain, one a block at most (DESIGN §4.5).
pub trait BlockEntropy {
	/// The current block's contribution: who its author is (any stable number) and the VRF output
	/// the author could not choose. `None` where the block has no output.
	fn current() -> Option<(Root, Root)>;
}

/// Lots that nobody knew when what they decide on was settled: cast with the entropy of blocks after
/// that, as audits are drawn. Implemented by verification.
pub trait Lots {
	/// Entropy gathered so far for one lot.
	type Lot: FullCodec + MaxEncodedLen + TypeInfo + Clone + PartialEq + Debug;
	/// A lot on something that is settled by now.
	fn begin() -> Self::Lot;
	/// Gathers what entropy there is; with enough of it, says whether the lot falls on `subject`, as
	/// it does with probability `rate`. If there is never enough, it does.
	fn cast(lot: &mut Self::Lot, subject: TaskId, rate: Perquintill) -> Cast;
	/// Most weight of [`Lots::cast`].
	fn cast_weight() -> Weight;
}

/// What an attempt to cast a lot came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cast {
	/// Try again in this block.
	Wait(BlockNumber),
	/// Whether the lot has fallen on it.
	Fell(bool),
}
