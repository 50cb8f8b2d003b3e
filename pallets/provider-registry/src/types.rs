//! Records of the registry.

use crate::Config;
use assay_primitives::{
	market::{Ask, MachineClass, MachineId},
	url::Url,
	Balance, BlockNumber,
};
use codec::{Decode, DecodeWithMemTracking, Encode, MaxEncodedLen};
use frame_support::{
	traits::ConstU32, BoundedVec, CloneNoBound, DebugNoBound, EqNoBound, PartialEqNoBound,
};
use scale_info::TypeInfo;
use serde::{Deserialize, Serialize};

/// Longest name of a provider or model of a machine, in bytes.
pub const MAX_LABEL_BYTES: u32 = 64;
/// A name as its owner states it: UTF-8 without control characters.
pub type Label = BoundedVec<u8, ConstU32<MAX_LABEL_BYTES>>;

/// What governance may set.
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
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Params {
	/// Least stake of a provider, and of each machine beyond the first, in planck.
	#[serde(with = "assay_primitives::views::amount")]
	pub min_stake: Balance,
	/// Blocks for which unbonding stake stays on hold.
	pub unbonding_period: BlockNumber,
	/// Offers a machine may let lapse in a row before its ask comes off the book.
	pub offers_missed_max: u32,
}

impl Default for Params {
	/// The public preset: 1,000 ASY, a week of 6-second blocks, three offers.
	fn default() -> Self {
		Self {
			min_stake: 1_000 * assay_primitives::ASY,
			unbonding_period: 100_800,
			offers_missed_max: 3,
		}
	}
}

impl Params {
	/// Whether every figure makes sense.
	pub fn is_valid(&self) -> bool {
		self.min_stake > 0 && self.offers_missed_max > 0
	}
}

/// What has become of a provider's matches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Encode, Decode, MaxEncodedLen, TypeInfo)]
pub struct Record {
	/// Tasks paid.
	pub settled: u64,
	/// Tasks whose deadline was missed.
	pub missed: u64,
	/// Tasks whose audit found a wrong result.
	pub failed: u64,
}

/// Whether a provider takes work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode, MaxEncodedLen, TypeInfo)]
pub enum Standing {
	/// It may.
	#[codec(index = 0)]
	Active,
	/// It has deregistered; its record goes when all its stake is withdrawn.
	#[codec(index = 1)]
	Leaving,
}

/// Stake on its way out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode, MaxEncodedLen, TypeInfo)]
pub struct Unbonding {
	/// How much, in planck.
	pub amount: Balance,
	/// First block in which it may be withdrawn.
	pub until: BlockNumber,
}

/// A provider.
#[derive(
	CloneNoBound, DebugNoBound, PartialEqNoBound, EqNoBound, Encode, Decode, MaxEncodedLen, TypeInfo,
)]
#[scale_info(skip_type_params(T))]
#[codec(mel_bound())]
pub struct Provider<T: Config> {
	/// The account with which its worker signs.
	pub hot_key: T::AccountId,
	/// Whether it takes work.
	pub standing: Standing,
	/// Stake that backs work, in planck.
	pub stake: Balance,
	/// Part of the stake at risk in accepted tasks, in planck.
	pub locked: Balance,
	/// Stake on its way out, still on hold.
	pub unbonding: BoundedVec<Unbonding, T::MaxUnbonding>,
	/// Its name.
	pub name: Label,
	/// Base URL of its data plane.
	pub endpoint: Url,
	/// ISO 3166-1 alpha-2 region, as far as its letters go.
	pub region: Option<[u8; 2]>,
	/// Machines it has.
	pub machines: u32,
	/// Number of the next machine; numbers are never used again.
	pub next_machine: MachineId,
	/// What has become of its matches.
	pub record: Record,
	/// Block of registration.
	pub registered_at: BlockNumber,
}

impl<T: Config> Provider<T> {
	/// Whether it takes work.
	pub fn is_active(&self) -> bool {
		self.standing == Standing::Active
	}

	/// Stake not at risk, in planck.
	pub fn free(&self) -> Balance {
		self.stake.saturating_sub(self.locked)
	}

	/// All stake on its way out, in planck.
	pub fn unbonding_total(&self) -> Balance {
		self.unbonding.iter().fold(0, |sum, chunk| sum.saturating_add(chunk.amount))
	}

	/// Moves `amount` of the stake to what is unbonding until `until`, joined with a chunk that
	/// ends then too. Changes nothing and returns `false` if there is no room for another chunk.
	pub fn start_unbonding(&mut self, amount: Balance, until: BlockNumber) -> bool {
		let placed = match self.unbonding.iter_mut().find(|chunk| chunk.until == until) {
			Some(chunk) => {
				chunk.amount = chunk.amount.saturating_add(amount);
				true
			}
			None => self.unbonding.try_push(Unbonding { amount, until }).is_ok(),
		};
		if placed {
			self.stake = self.stake.saturating_sub(amount);
		}
		placed
	}

	/// Takes out all chunks that may be withdrawn at `now` and returns their sum.
	pub fn take_unbonded(&mut self, now: BlockNumber) -> Balance {
		let before = self.unbonding_total();
		self.unbonding.retain(|chunk| chunk.until > now);
		before.saturating_sub(self.unbonding_total())
	}
}

/// What a provider says of a machine.
#[derive(
	Clone, Debug, PartialEq, Eq, Encode, Decode, DecodeWithMemTracking, MaxEncodedLen, TypeInfo,
)]
pub struct MachineSpec {
	/// Its class.
	pub class: MachineClass,
	/// Its model.
	pub model: Label,
	/// Its memory, in MiB.
	pub memory_mib: u32,
}

/// A machine.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode, MaxEncodedLen, TypeInfo)]
pub struct Machine {
	/// What its provider says of it.
	pub spec: MachineSpec,
	/// What it asks; `None` if it takes no work.
	pub ask: Option<Ask>,
	/// Slots in use. May exceed the ask's slots when the ask was changed meanwhile.
	pub busy: u32,
	/// Offers that lapsed since one was last taken up or the ask was last set.
	pub missed_offers: u32,
}

impl Machine {
	/// A machine that takes no work yet.
	pub fn new(spec: MachineSpec) -> Self {
		Self { spec, ask: None, busy: 0, missed_offers: 0 }
	}
}

/// A place in a class's book.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode, MaxEncodedLen, TypeInfo)]
pub struct BookEntry<AccountId> {
	/// Price of the reference task ([`Ask::reference_price`]), in planck.
	pub price: Balance,
	/// Whose machine.
	pub provider: AccountId,
	/// Which machine.
	pub machine: MachineId,
}

/// Sums over all providers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Encode, Decode, MaxEncodedLen, TypeInfo)]
pub struct Totals {
	/// Machines.
	pub machines: u32,
	/// Stake that backs work, in planck; unbonding stake is not in it.
	pub staked: Balance,
}

/// Figures for the network's statistics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
	/// Providers, leaving ones included.
	pub providers: u32,
	/// Machines.
	pub machines: u32,
	/// Machines with an ask.
	pub asks: u32,
	/// Stake that backs work, in planck.
	pub staked: Balance,
}
