//! Machines, what they ask, and what a buyer requires of them.

use crate::{work::Costs, Balance, BlockNumber};
use codec::{Decode, DecodeWithMemTracking, Encode, MaxEncodedLen};
use scale_info::TypeInfo;
use serde::{Deserialize, Serialize};
use sp_runtime::Permill;

/// A machine's number within its provider.
pub type MachineId = u32;

/// Coarse kind of a machine; asks are listed per class.
///
/// Further classes will be added under new indices; these keep theirs.
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
#[serde(rename_all = "snake_case")]
pub enum MachineClass {
	/// No GPU.
	#[codec(index = 0)]
	Cpu,
	/// A consumer's graphics card.
	#[codec(index = 1)]
	ConsumerGpu,
	/// A workstation's or data centre's card.
	#[codec(index = 2)]
	DatacenterGpu,
}

/// What a machine asks for its work and how much it takes on.
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
pub struct Ask {
	/// Planck for every task, whatever its size.
	#[serde(with = "crate::views::amount")]
	pub base: Balance,
	/// Planck per 10^9 multiply–accumulates, rounded up.
	#[serde(with = "crate::views::amount")]
	pub per_gmac: Balance,
	/// Planck per 10^6 elements of other operations, rounded up.
	#[serde(with = "crate::views::amount")]
	pub per_melement: Balance,
	/// Planck per 10^9 planck of declared value and block of deadline, rounded up: the price of
	/// collateral.
	#[serde(with = "crate::views::amount")]
	pub per_value_block: Balance,
	/// Greatest declared value of one task, in planck.
	#[serde(with = "crate::views::amount")]
	pub max_value: Balance,
	/// Greatest number of multiply–accumulates of one task.
	#[serde(with = "crate::views::amount")]
	pub max_macs: u128,
	/// Greatest trace of one task, in bytes.
	#[serde(with = "crate::views::amount")]
	pub max_trace_bytes: u128,
	/// Shortest deadline accepted, in blocks.
	pub min_deadline: BlockNumber,
	/// Tasks the machine takes on at once.
	pub slots: u32,
	/// Stake put at risk in each task, in percent of what a lie would gain there: price, emission
	/// and declared value. The more, the less the task has to be audited
	/// ([`honesty`](crate::honesty)).
	pub stake_percent: u32,
}

impl Ask {
	/// Price of one task in planck; `None` if it is outside what the ask takes on or overflows.
	pub fn price(&self, work: &Work) -> Option<Balance> {
		self.try_price(work).ok()
	}

	/// Price of one task in planck, or why the ask does not take it on.
	pub fn try_price(&self, work: &Work) -> Result<Balance, OutsideAsk> {
		let c = &work.costs;
		if c.macs > self.max_macs {
			return Err(OutsideAsk::Macs);
		}
		if c.trace_bytes > self.max_trace_bytes {
			return Err(OutsideAsk::TraceBytes);
		}
		if work.value > self.max_value {
			return Err(OutsideAsk::Value);
		}
		if work.deadline < self.min_deadline {
			return Err(OutsideAsk::Deadline);
		}
		if self.stake_percent < work.stake_percent {
			return Err(OutsideAsk::Stake);
		}
		self.sum(work).ok_or(OutsideAsk::Overflow)
	}

	/// The four parts of the price, whatever the ask's limits.
	fn sum(&self, work: &Work) -> Option<Balance> {
		let c = &work.costs;
		let value_blocks = work.value.checked_mul(work.deadline.into())?;
		self.base
			.checked_add(self.per_gmac.checked_mul(c.macs.div_ceil(1_000_000_000))?)?
			.checked_add(self.per_melement.checked_mul(c.elements.div_ceil(1_000_000))?)?
			.checked_add(self.per_value_block.checked_mul(value_blocks.div_ceil(1_000_000_000))?)
	}

	/// Stake put at risk in a task of this price, in planck; `None` if it overflows.
	pub fn collateral(&self, work: &Work, price: Balance) -> Option<Balance> {
		let gain = work.gain(price)?;
		Some(gain.checked_mul(self.stake_percent.into())?.div_ceil(100))
	}

	/// Price in planck of the reference task by which asks are sorted: 10^9 multiply–accumulates
	/// and 10^6 other elements, no declared value, whatever the ask's limits. `None` if it
	/// overflows.
	pub fn reference_price(&self) -> Option<Balance> {
		self.base.checked_add(self.per_gmac)?.checked_add(self.per_melement)
	}
}

/// Why an ask does not take a task on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutsideAsk {
	/// More multiply–accumulates than [`Ask::max_macs`].
	Macs,
	/// A larger trace than [`Ask::max_trace_bytes`].
	TraceBytes,
	/// More declared value than [`Ask::max_value`].
	Value,
	/// A shorter deadline than [`Ask::min_deadline`].
	Deadline,
	/// Less stake at risk than [`Work::stake_percent`].
	Stake,
	/// The price does not fit into a balance.
	Overflow,
}

/// What a task asks of a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode, TypeInfo)]
pub struct Work {
	/// Costs of the program.
	pub costs: Costs,
	/// Value declared at risk beyond the price, in planck.
	pub value: Balance,
	/// Blocks from acceptance to the last block of submission.
	pub deadline: BlockNumber,
	/// The most that a paid task may earn beyond its price, as a part of it: emission.
	pub premium: Permill,
	/// Least stake that must be at risk, in percent of [`Work::gain`].
	pub stake_percent: u32,
}

impl Work {
	/// What a lie would gain, in planck, at this price; `None` if it overflows.
	pub fn gain(&self, price: Balance) -> Option<Balance> {
		price.checked_add(self.premium.mul_ceil(price))?.checked_add(self.value)
	}
}

/// What a buyer requires of the machine.
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
pub struct Requirements {
	/// Class the machine must be of.
	pub class: MachineClass,
	/// Least memory, in MiB.
	pub min_memory_mib: u32,
	/// ISO 3166-1 alpha-2 region, if it matters.
	#[serde(with = "crate::views::region")]
	pub region: Option<[u8; 2]>,
}

/// A machine that would take a task, and its price.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode, TypeInfo, Serialize, Deserialize)]
pub struct Quote<AccountId = crate::AccountId> {
	/// Who offers it.
	pub provider: AccountId,
	/// The machine.
	pub machine: MachineId,
	/// Price of one task, in planck.
	#[serde(with = "crate::views::amount")]
	pub price: Balance,
	/// Stake it puts at risk for one task, in planck.
	#[serde(with = "crate::views::amount")]
	pub collateral: Balance,
}

/// How a match ended, as far as the provider's record is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchEnd {
	/// The offer was declined, withdrawn or not taken up in time.
	NotTaken {
		/// Whether it lapsed without an answer.
		lapsed: bool,
	},
	/// The task was paid.
	Settled,
	/// The deadline passed without a submission.
	Missed,
	/// An audit found the result wrong.
	Failed,
	/// Ended through no fault of the provider.
	Released,
}
