//! Records of emissions.

use assay_primitives::{Balance, BlockNumber};
use codec::{Decode, DecodeWithMemTracking, Encode, MaxEncodedLen};
use scale_info::TypeInfo;
use serde::{Deserialize, Serialize};
use sp_runtime::Perbill;

/// Number of an era, from 0.
pub type EraIndex = u32;

/// Highest cap of an era, in planck: so that the caps of all eras that can be numbered add up.
pub const MAX_CAP: Balance = Balance::MAX >> EraIndex::BITS;

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
	/// Length of an era in blocks.
	pub era_length: BlockNumber,
	/// κ: the most that is minted, as a share of what was burned. Below one.
	pub kappa: Perbill,
	/// Cap of the first era, in planck, at most [`MAX_CAP`]. Setting it to another value later
	/// starts the schedule anew, with the era then running.
	#[serde(with = "assay_primitives::views::amount")]
	pub initial_cap: Balance,
	/// Part by which the cap shrinks from one era to the next.
	pub decay: Perbill,
}

impl Default for Params {
	/// The public preset: eras of a day of 6-second blocks, κ = ½, 100,000 ASY in the first of
	/// them, halved in about four years (1,460 eras).
	fn default() -> Self {
		Self {
			era_length: 14_400,
			kappa: Perbill::from_percent(50),
			initial_cap: 100_000 * assay_primitives::ASY,
			decay: Perbill::from_parts(474_648),
		}
	}
}

impl Params {
	/// Whether every figure makes sense.
	pub fn is_valid(&self) -> bool {
		self.era_length > 0 && self.kappa < Perbill::one() && self.initial_cap <= MAX_CAP
	}
}

/// The era under way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Encode, Decode, MaxEncodedLen, TypeInfo)]
pub struct Era {
	/// Its number.
	pub index: EraIndex,
	/// Its first block.
	pub started_at: BlockNumber,
	/// Fees burned in it so far, in planck.
	pub burned: Balance,
	/// The most that it may mint by the schedule, in planck.
	pub cap: Balance,
}

/// An era that has ended and is being paid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode, MaxEncodedLen, TypeInfo)]
pub struct Payout {
	/// What it pays in all, in planck.
	pub pool: Balance,
	/// Fees burned in it, in planck.
	pub burned: Balance,
	/// Part of `burned` whose providers have been paid, in planck.
	pub done: Balance,
	/// What they were paid or may claim, in planck.
	pub paid: Balance,
}

/// Sums over all eras, in planck.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Encode, Decode, MaxEncodedLen, TypeInfo)]
pub struct Totals {
	/// Caps of the eras that have ended.
	pub scheduled: Balance,
	/// Fees burned in the eras that have ended.
	pub burned: Balance,
	/// Burned of forfeits and bonds, which earns nothing.
	pub destroyed: Balance,
	/// Minted.
	pub minted: Balance,
	/// Owed to accounts that could not be paid.
	pub claimable: Balance,
	/// Of the schedule, what nobody earned.
	pub reserve: Balance,
}

/// Figures for the network's statistics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
	/// Number of the era under way.
	pub era: EraIndex,
	/// Fees burned in it so far, in planck.
	pub era_burned: Balance,
	/// The most that it may mint by the schedule, in planck.
	pub era_cap: Balance,
	/// Fees ever burned, in planck.
	pub burned: Balance,
	/// Ever burned of forfeits and bonds, in planck.
	pub destroyed: Balance,
	/// Ever minted, in planck.
	pub minted: Balance,
	/// Of the schedule of the eras that have ended, what nobody earned, in planck.
	pub reserve: Balance,
}
