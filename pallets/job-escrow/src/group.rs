//! Records of replicated tasks: a task's slots, one a replica, form a group until it is decided.

use crate::{Config, JobSpec};
use assay_primitives::{
	replication::{Outcome, MAX_REPLICAS},
	traits::Lots,
	work::{Assurance, TaskIndex},
	BlockNumber, Root,
};
use codec::{Decode, DecodeWithMemTracking, Encode, MaxEncodedLen};
use frame_support::{pallet_prelude::ConstU32, BoundedVec};
use scale_info::TypeInfo;
use serde::{Deserialize, Serialize};
use sp_runtime::Permill;

/// A replicated task that is not decided yet.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode, MaxEncodedLen, TypeInfo)]
pub struct Group<Lot> {
	/// The replica that goes first in this round.
	pub first: u32,
	/// Where the round stands.
	pub stage: Stage<Lot>,
	/// What was sealed in this round, by replica.
	pub seals: BoundedVec<Option<Sealed>, ConstU32<MAX_REPLICAS>>,
}

/// A [`Group`] with this pallet's lots.
pub type GroupOf<T> = Group<<<T as Config>::Lots as Lots>::Lot>;

impl<Lot> Group<Lot> {
	/// A group in which nothing has happened.
	pub(crate) fn new(replicas: u32) -> Self {
		let seals = (0..replicas.min(MAX_REPLICAS)).map(|_| None).collect();
		Self { first: 0, stage: Stage::First, seals: BoundedVec::truncate_from(seals) }
	}

	/// Whether all that is sealed is open.
	pub(crate) fn is_open(&self) -> bool {
		self.seals.iter().flatten().all(|sealed| sealed.outcome.is_some())
	}
}

/// Where a round of a replicated task stands.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode, MaxEncodedLen, TypeInfo)]
pub enum Stage<Lot> {
	/// One replica is done; whether there will be others is not known.
	#[codec(index = 0)]
	First,
	/// It is sealed, and a lot decides whether there will be others.
	#[codec(index = 1)]
	Drawing(Lot),
	/// All are done.
	#[codec(index = 2)]
	Replicating {
		/// Last block in which machines are sought for them.
		until: BlockNumber,
	},
	/// What was sealed is opened.
	#[codec(index = 3)]
	Opening {
		/// Last block to open in.
		until: BlockNumber,
		/// Whether the lot did not fall on the task, so that the first replica is trusted.
		alone: bool,
	},
}

/// What a replica has sealed.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode, MaxEncodedLen, TypeInfo)]
pub struct Sealed {
	/// The [`seal`](assay_primitives::replication::seal).
	pub seal: Root,
	/// What was in it, once opened.
	pub outcome: Option<Outcome>,
}

impl<AccountId> JobSpec<AccountId> {
	/// Slots of all tasks.
	pub fn slots(&self) -> u32 {
		self.tasks.saturating_mul(self.assurance.slots())
	}

	/// Groups of slots: one a task if the job is replicated.
	pub fn groups(&self) -> u32 {
		match self.is_replicated() {
			true => self.tasks,
			false => 0,
		}
	}

	/// Whether tasks are done by several providers.
	pub fn is_replicated(&self) -> bool {
		matches!(self.assurance, Assurance::Replicated { .. })
	}

	/// The task whose replica a slot is, and which; `None` if the job is not replicated.
	pub fn group_of(&self, slot: TaskIndex) -> Option<(TaskIndex, usize)> {
		let (task, replica) = self.assurance.place(slot);
		self.is_replicated().then_some((task, replica as usize))
	}
}

/// Windows and rates of replicated jobs. The default is the public network's.
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
pub struct Replication {
	/// Blocks in which machines are sought for a task's further replicas.
	pub seek_window: BlockNumber,
	/// Blocks in which sealed results are opened.
	pub opening_window: BlockNumber,
	/// Part of the tasks that is replicated at the least, however often a provider has agreed.
	pub floor: Permill,
	/// Part of its collateral that whoever is outvoted, or does not open its seal, loses.
	pub slash: Permill,
}

impl Default for Replication {
	fn default() -> Self {
		Self {
			seek_window: 100,
			opening_window: 100,
			floor: Permill::from_percent(5),
			slash: Permill::from_percent(5),
		}
	}
}

impl Replication {
	/// The largest part of a collateral that a vote may cost.
	pub const MOST: Permill = Permill::from_percent(25);

	/// Whether the values make sense together.
	pub fn valid(&self) -> bool {
		self.seek_window > 0
			&& self.opening_window > 0
			&& !self.floor.is_zero()
			&& self.slash <= Self::MOST
	}
}
