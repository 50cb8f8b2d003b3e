#![doc = include_str!("../README.md")]
#![cfg_attr(not(feature = "std"), no_std)]
#![warn(missing_docs)]

extern crate alloc;

#[cfg(feature = "runtime-benchmarks")]
mod benchmarking;
mod group;
mod impls;
#[cfg(test)]
mod mock;
#[cfg(test)]
mod tests;
mod types;
pub mod weights;

#[cfg(feature = "runtime-benchmarks")]
pub use benchmarking::{BenchmarkHelper, Subject};
pub use group::{Group, GroupOf, Replication, Sealed, Stage};
pub use pallet::*;
pub use types::{Due, Engagement, InputRoots, Job, JobSpec, Params, Search, Sums, Task, TaskPath};
pub use weights::WeightInfo;

use assay_primitives::{
	agenda::Agenda,
	market::MachineId,
	replication::{Outcome, Salt},
	traits::{Audits, Lots, Programs, Supply, WorkLedger},
	work::{AuditOutcome, Commitment, Delivery, JobId, Offence, Reason, TaskId, TaskIndex},
	Balance, BlockNumber, Root,
};
use frame_support::{
	pallet_prelude::*,
	traits::fungible::{self, Inspect as _, Mutate as _},
	weights::WeightMeter,
	PalletId,
};
use frame_system::pallet_prelude::*;

#[frame_support::pallet]
pub mod pallet {
	use super::*;

	/// The storage version of this code.
	const STORAGE_VERSION: StorageVersion = StorageVersion::new(1);

	#[pallet::pallet]
	#[pallet::storage_version(STORAGE_VERSION)]
	pub struct Pallet<T>(_);

	#[pallet::config]
	pub trait Config: frame_system::Config {
		/// The runtime's hold reasons.
		type RuntimeHoldReason: From<HoldReason>;

		/// The token.
		type Currency: fungible::Mutate<Self::AccountId, Balance = Balance>
			+ fungible::hold::Mutate<Self::AccountId, Reason = Self::RuntimeHoldReason>;

		/// Machines and their asks.
		type Supply: Supply<Self::AccountId>;

		/// Registered programs.
		type Programs: Programs;

		/// Audits of results.
		type Audits: Audits;

		/// Lots that decide which tasks are replicated.
		type Lots: Lots;

		/// Where burned fees are accounted.
		type Ledger: WorkLedger<Self::AccountId>;

		/// Who receives the part of the fees that is not burned.
		type Treasury: Get<Self::AccountId>;

		/// Who may set the parameters.
		type AdminOrigin: EnsureOrigin<Self::RuntimeOrigin>;

		/// From which the account that keeps undeliverable payouts is derived.
		#[pallet::constant]
		type PalletId: Get<PalletId>;

		/// Most tasks of one job.
		#[pallet::constant]
		type MaxTasks: Get<u32>;

		/// Most providers remembered as refused for one task; the oldest is forgotten first.
		#[pallet::constant]
		type MaxRefused: Get<u32>;

		/// Weights.
		type WeightInfo: WeightInfo;

		/// What benchmarks need of the pallets behind the traits.
		#[cfg(feature = "runtime-benchmarks")]
		type Helper: BenchmarkHelper<Self::AccountId>;
	}

	/// Why the pallet holds balance.
	#[pallet::composite_enum]
	pub enum HoldReason {
		/// The price and audit fees of posted jobs.
		#[codec(index = 0)]
		Escrow,
	}

	/// The next job's number.
	#[pallet::storage]
	pub type NextJob<T> = StorageValue<_, JobId, ValueQuery>;

	/// Jobs. (Twox: the chain chooses the keys.)
	#[pallet::storage]
	pub type Jobs<T: Config> = StorageMap<_, Twox64Concat, JobId, Job<T>>;

	/// Tasks by job. (Twox: the chain chooses the keys.)
	#[pallet::storage]
	pub type Tasks<T: Config> =
		StorageDoubleMap<_, Twox64Concat, JobId, Twox64Concat, TaskIndex, Task<T>>;

	/// Replicated tasks that are not decided yet. (Twox: the chain chooses the keys.)
	#[pallet::storage]
	pub type Groups<T: Config> =
		StorageDoubleMap<_, Twox64Concat, JobId, Twox64Concat, TaskIndex, GroupOf<T>>;

	/// In how many replicated tasks in a row each provider has agreed with the majority.
	#[pallet::storage]
	pub type Agreed<T: Config> = StorageMap<_, Blake2_128Concat, T::AccountId, u32, ValueQuery>;

	/// Tasks that a provider is matched to and that have not ended.
	#[pallet::storage]
	pub type Engaged<T: Config> =
		StorageDoubleMap<_, Blake2_128Concat, T::AccountId, Twox64Concat, TaskId, ()>;

	/// Payouts that could not be delivered, kept on the pallet's account.
	#[pallet::storage]
	pub type Claimable<T: Config> =
		StorageMap<_, Blake2_128Concat, T::AccountId, Balance, ValueQuery>;

	/// Sums over all jobs.
	#[pallet::storage]
	pub type Totals<T> = StorageValue<_, Sums, ValueQuery>;

	/// Windows, fees and limits.
	#[pallet::storage]
	pub type Parameters<T> = StorageValue<_, Params, ValueQuery>;

	/// Agenda: items ever put down for a block.
	#[pallet::storage]
	pub type AgendaCounts<T> = StorageMap<_, Twox64Concat, BlockNumber, u32, ValueQuery>;

	/// Agenda: items by block and number.
	#[pallet::storage]
	pub type AgendaItems<T> =
		StorageDoubleMap<_, Twox64Concat, BlockNumber, Twox64Concat, u32, Due>;

	/// Agenda: the first block and number not yet worked off.
	#[pallet::storage]
	pub type AgendaCursor<T> = StorageValue<_, (BlockNumber, u32), ValueQuery>;

	/// Open tasks by job, and when the job's turn to look for machines is. (Twox: the chain chooses
	/// the keys.)
	#[pallet::storage]
	pub type Searches<T: Config> = StorageMap<_, Twox64Concat, JobId, Search<T>>;

	/// Search: jobs ever put down for a block.
	#[pallet::storage]
	pub type SearchCounts<T> = StorageMap<_, Twox64Concat, BlockNumber, u32, ValueQuery>;

	/// Search: jobs, each with its turn, by block and number.
	#[pallet::storage]
	pub type SearchItems<T> =
		StorageDoubleMap<_, Twox64Concat, BlockNumber, Twox64Concat, u32, (JobId, u32)>;

	/// Search: the first block and number not yet worked off.
	#[pallet::storage]
	pub type SearchCursor<T> = StorageValue<_, (BlockNumber, u32), ValueQuery>;

	/// What falls due by time: offers that lapse, deadlines, settlements, removals.
	pub(crate) type AgendaOf<T> = Agenda<AgendaCounts<T>, AgendaItems<T>, AgendaCursor<T>, Due>;
	/// Jobs with open tasks that look for a machine: apart, so that no number of them delays the
	/// agenda, and one entry a job, so that no number of tasks delays another job.
	pub(crate) type SearchOf<T> =
		Agenda<SearchCounts<T>, SearchItems<T>, SearchCursor<T>, (JobId, u32)>;

	#[pallet::genesis_config]
	#[derive(frame_support::DefaultNoBound)]
	pub struct GenesisConfig<T: Config> {
		/// Windows, fees and limits.
		pub params: Params,
		/// Marker.
		#[serde(skip)]
		pub _config: PhantomData<T>,
	}

	#[pallet::genesis_build]
	impl<T: Config> BuildGenesisConfig for GenesisConfig<T> {
		fn build(&self) {
			assert!(self.params.valid(), "job-escrow parameters make no sense together");
			Parameters::<T>::put(&self.params);
			// The account that keeps undeliverable payouts must exist to take any amount.
			let pot = Pallet::<T>::pot();
			let minimum = T::Currency::minimum_balance();
			// Genesis is built outside of any block, and there a panic is the refusal: minting fails only if
			// issuance would overflow, and no chain must start from such balances.
			if T::Currency::balance(&pot) < minimum {
				T::Currency::mint_into(&pot, minimum).expect("genesis balances allow one more");
			}
		}
	}

	#[pallet::event]
	#[pallet::generate_deposit(pub(crate) fn deposit_event)]
	pub enum Event<T: Config> {
		/// A job was posted and its escrow held.
		Posted {
			/// The job.
			job: JobId,
			/// The buyer.
			owner: T::AccountId,
			/// Number of tasks.
			tasks: u32,
			/// Held, in planck.
			escrow: Balance,
		},
		/// A task was offered to a machine.
		Offered {
			/// The task.
			task: TaskId,
			/// Whose machine.
			provider: T::AccountId,
			/// Which machine.
			machine: MachineId,
			/// Price in planck.
			price: Balance,
			/// Last block to accept in.
			until: BlockNumber,
		},
		/// The provider checked the inputs and accepted.
		Accepted {
			/// The task.
			task: TaskId,
			/// Who.
			provider: T::AccountId,
			/// Stake put at risk, in planck.
			collateral: Balance,
			/// Last block to submit in.
			due: BlockNumber,
		},
		/// A result was committed to.
		Submitted {
			/// The task.
			task: TaskId,
			/// Who.
			provider: T::AccountId,
			/// To what.
			commitment: Commitment,
		},
		/// What a replica found is sealed.
		Sealed {
			/// The slot.
			task: TaskId,
			/// Whose.
			provider: T::AccountId,
		},
		/// Machines are sought for all replicas of a task.
		Replicating {
			/// The task's first slot.
			task: TaskId,
			/// Last block in which they are.
			until: BlockNumber,
		},
		/// The lot did not fall on a task: its first replica is trusted.
		Trusted {
			/// The task's first slot.
			task: TaskId,
		},
		/// What a replica found was opened.
		Opened {
			/// The slot.
			task: TaskId,
			/// Whose.
			provider: T::AccountId,
			/// What it is.
			commitment: Commitment,
		},
		/// A replicated task is decided.
		Agreed {
			/// The task's first slot.
			task: TaskId,
			/// Replicas that are to be paid.
			replicas: u32,
		},
		/// A part of a provider's collateral was burned, for a vote that it lost or stayed away from, or
		/// an output that could not be had.
		Slashed {
			/// The slot.
			task: TaskId,
			/// Whose.
			provider: T::AccountId,
			/// How much, in planck.
			burned: Balance,
		},
		/// The buyer has the output of a task.
		Acknowledged {
			/// The task.
			task: TaskId,
		},
		/// Custodians tried to fetch the output of a task.
		Delivered {
			/// The task.
			task: TaskId,
			/// What they found.
			found: Delivery,
			/// Fee paid to them, in planck.
			fee: Balance,
		},
		/// The audit of a task ended.
		Audited {
			/// The task.
			task: TaskId,
			/// How.
			outcome: AuditOutcome,
			/// Fee paid to the auditors, in planck.
			fee: Balance,
		},
		/// The provider of a task was convicted: its collateral is divided.
		Convicted {
			/// The task.
			task: TaskId,
			/// Who.
			provider: T::AccountId,
			/// Of what.
			offence: Offence,
			/// The collateral forfeited, in planck.
			forfeit: Balance,
			/// Paid of it to the buyer, in planck.
			compensation: Balance,
			/// Set aside of it for the challenger, in planck.
			reward: Balance,
			/// Burned of it, in planck.
			burned: Balance,
		},
		/// A task was paid.
		Settled {
			/// The task.
			task: TaskId,
			/// Who.
			provider: T::AccountId,
			/// Paid to the provider, in planck.
			paid: Balance,
			/// Network fee taken out of the price, in planck.
			fee: Balance,
			/// The part of the fee that was burned, in planck.
			burned: Balance,
			/// Returned to the buyer, in planck.
			refunded: Balance,
		},
		/// A task went back to the market.
		Requeued {
			/// The task.
			task: TaskId,
			/// Who had it.
			provider: T::AccountId,
			/// Why.
			reason: Reason,
		},
		/// A task ended without payment; the buyer has the money back.
		Refunded {
			/// The task.
			task: TaskId,
			/// Returned to the buyer, in planck.
			amount: Balance,
			/// Why.
			reason: Reason,
		},
		/// The last task of a job ended.
		Closed {
			/// The job.
			job: JobId,
		},
		/// A closed job's record was removed.
		Purged {
			/// The job.
			job: JobId,
		},
		/// A payout could not be delivered and waits to be claimed.
		PayoutDeferred {
			/// Whose.
			account: T::AccountId,
			/// How much, in planck.
			amount: Balance,
		},
		/// A deferred payout was claimed.
		Claimed {
			/// By whom.
			account: T::AccountId,
			/// How much, in planck.
			amount: Balance,
		},
		/// The parameters were set.
		ParametersSet {
			/// To these.
			params: Params,
		},
	}

	#[pallet::error]
	pub enum Error<T> {
		/// No job has this number, or its record was removed.
		UnknownJob,
		/// The job has no task with this index.
		UnknownTask,
		/// No program is registered under this id.
		UnknownProgram,
		/// The job has no tasks, or more than `MaxTasks`.
		TaskCount,
		/// The data URL is not a plain http or https base URL.
		BadUrl,
		/// The deadline is outside the allowed range.
		DeadlineOutOfRange,
		/// The lifetime is nought or longer than allowed.
		LifetimeOutOfRange,
		/// The highest price is nought.
		ZeroPrice,
		/// The amounts are too large to add up.
		AmountTooLarge,
		/// The caller does not own the job.
		NotOwner,
		/// The caller is no provider's hot key.
		NotHotKey,
		/// The task is matched to another provider, or to none.
		NotYours,
		/// The task is not in a state that allows this.
		WrongState,
		/// The offer has lapsed.
		OfferLapsed,
		/// The deadline has passed.
		DeadlinePassed,
		/// These are not the inputs that the job's tasks root names.
		WrongInputs,
		/// Replicas are 2 to `MAX_REPLICAS`, of different providers: a direct job has none.
		NotReplicable,
		/// The job is not replicated: results are submitted.
		NotReplicated,
		/// The job is replicated: results are sealed, and opened when all are.
		MustBeSealed,
		/// This is not what the caller sealed.
		WrongSeal,
		/// The seal was opened before.
		AlreadyOpened,
		/// A summary goes with a tolerance, and only with one.
		WrongSummary,
		/// Nothing is due for the task now.
		NothingDue,
		/// There is nothing to claim.
		NothingToClaim,
		/// The parameters make no sense together.
		BadParameters,
		/// Records contradict each other: a defect, logged and contained.
		Inconsistent,
	}

	#[pallet::hooks]
	impl<T: Config> Hooks<BlockNumberFor<T>> for Pallet<T> {
		fn on_poll(_: BlockNumberFor<T>, meter: &mut WeightMeter) {
			Self::work_agenda(meter);
			Self::work_search(meter);
		}

		fn integrity_test() {
			assert!(T::MaxTasks::get() > 0, "jobs need tasks");
			assert!(T::MaxRefused::get() > 0, "a provider that failed must be refusable");
			Self::check_shares();
		}

		#[cfg(feature = "try-runtime")]
		fn try_state(_: BlockNumberFor<T>) -> Result<(), sp_runtime::TryRuntimeError> {
			Self::do_try_state()
		}
	}

	#[pallet::call(weight(<T as Config>::WeightInfo))]
	impl<T: Config> Pallet<T> {
		/// Posts a job and holds its escrow: `tasks × replicas × (max_price + runs × (audit_fee + custody))`,
		/// custody being that of two quorums.
		///
		/// Origin: signed, the buyer. Events: `Posted`. Errors: `UnknownProgram`, `TaskCount`,
		/// `NotReplicable`, `BadUrl`, `DeadlineOutOfRange`, `LifetimeOutOfRange`, `ZeroPrice`, `AmountTooLarge`, the
		/// audits' if the assurance cannot be given, the currency's if the buyer lacks the funds.
		#[pallet::call_index(0)]
		#[pallet::weight(Pallet::<T>::post_weight(spec))]
		pub fn post(origin: OriginFor<T>, spec: JobSpec<T::AccountId>) -> DispatchResult {
			let owner = ensure_signed(origin)?;
			Self::do_post(owner, spec)
		}

		/// Refunds every task that nobody has accepted, and those that come back later. A replicated
		/// task takes its course once one replica is accepted.
		///
		/// Origin: signed, the job's owner. Events: `Refunded` for each, `Closed`. Errors:
		/// `UnknownJob`, `NotOwner`.
		#[pallet::call_index(1)]
		#[pallet::weight(Pallet::<T>::cancel_weight(T::MaxTasks::get(), T::MaxTasks::get() / 2))]
		pub fn cancel(origin: OriginFor<T>, job: JobId) -> DispatchResultWithPostInfo {
			let owner = ensure_signed(origin)?;
			Self::do_cancel(owner, job)
		}

		/// Does what is due for a task now: matches an open one, ends a lapsed offer or missed
		/// deadline, settles after the window.
		///
		/// Origin: signed, anyone. Events: `Offered`, `Requeued`, `Settled` or `Refunded`. Errors:
		/// `UnknownJob`, `UnknownTask`, `NothingDue`.
		#[pallet::call_index(2)]
		#[pallet::weight(T::WeightInfo::advance()
			.saturating_add(T::Audits::close_weight().max(T::Audits::deliver_weight()))
			.saturating_add(T::Supply::most_weight()))]
		pub fn advance(origin: OriginFor<T>, job: JobId, index: TaskIndex) -> DispatchResult {
			ensure_signed(origin)?;
			Self::do_advance(TaskId { job, index })
		}

		/// Takes up an offer. The provider has fetched the program, its constants and these inputs,
		/// has checked them, and answers for serving them until the window closes.
		///
		/// `path` leads from the task to the job's tasks root. Origin: signed, the provider's hot
		/// key. Events: `Accepted`. Errors: `NotHotKey`, `NotYours`, `WrongState`, `OfferLapsed`,
		/// `WrongInputs`, the registry's if the stake does not cover the collateral.
		#[pallet::call_index(3)]
		#[pallet::weight(T::WeightInfo::accept().saturating_add(
			T::Programs::verify_inputs_weight(inputs.len() as u32, path.len() as u32)
		))]
		pub fn accept(
			origin: OriginFor<T>,
			job: JobId,
			index: TaskIndex,
			inputs: InputRoots,
			path: TaskPath,
		) -> DispatchResult {
			let hot = ensure_signed(origin)?;
			Self::do_accept(hot, TaskId { job, index }, inputs, path)
		}

		/// Turns an offer down; free of consequence but for not being offered the task again.
		///
		/// Origin: signed, the provider's hot key. Events: `Requeued` or `Refunded`. Errors:
		/// `NotHotKey`, `NotYours`, `WrongState`.
		#[pallet::call_index(4)]
		pub fn decline(origin: OriginFor<T>, job: JobId, index: TaskIndex) -> DispatchResult {
			let hot = ensure_signed(origin)?;
			Self::do_decline(hot, TaskId { job, index })
		}

		/// Commits to a result and opens its audit.
		///
		/// Origin: signed, the provider's hot key. Events: `Submitted`. Errors: `NotHotKey`,
		/// `NotYours`, `WrongState`, `DeadlinePassed`.
		#[pallet::call_index(5)]
		pub fn submit(
			origin: OriginFor<T>,
			job: JobId,
			index: TaskIndex,
			commitment: Commitment,
		) -> DispatchResult {
			let hot = ensure_signed(origin)?;
			Self::do_submit(hot, TaskId { job, index }, commitment)
		}

		/// Gives up an accepted task before its deadline; counts as a missed one.
		///
		/// Origin: signed, the provider's hot key. Events: `Requeued` or `Refunded`. Errors:
		/// `NotHotKey`, `NotYours`, `WrongState`.
		#[pallet::call_index(6)]
		pub fn abandon(origin: OriginFor<T>, job: JobId, index: TaskIndex) -> DispatchResult {
			let hot = ensure_signed(origin)?;
			Self::do_abandon(hot, TaskId { job, index })
		}

		/// Collects payouts that could not be delivered to the caller.
		///
		/// Origin: signed. Events: `Claimed`. Errors: `NothingToClaim`, the currency's.
		#[pallet::call_index(7)]
		pub fn claim(origin: OriginFor<T>) -> DispatchResult {
			let account = ensure_signed(origin)?;
			Self::do_claim(account)
		}

		/// Says that the caller has the outputs of these tasks, so that no custodians are asked for
		/// them. It cannot be taken back.
		///
		/// Origin: signed, the job's owner. Events: `Acknowledged` for each that is new. Errors:
		/// `UnknownJob`, `NotOwner`, `UnknownTask`, `WrongState` if one has no result that stands.
		#[pallet::call_index(9)]
		#[pallet::weight(T::WeightInfo::acknowledge(tasks.len() as u32))]
		pub fn acknowledge(
			origin: OriginFor<T>,
			job: JobId,
			tasks: BoundedVec<TaskIndex, T::MaxTasks>,
		) -> DispatchResult {
			let owner = ensure_signed(origin)?;
			Self::do_acknowledge(owner, job, &tasks)
		}

		/// Sets windows, fees and limits. Jobs already posted keep their audit fee, custody and runs.
		///
		/// Origin: `AdminOrigin`. Events: `ParametersSet`. Errors: `BadParameters`.
		#[pallet::call_index(8)]
		pub fn set_parameters(origin: OriginFor<T>, params: Params) -> DispatchResult {
			T::AdminOrigin::ensure_origin(origin)?;
			Self::do_set_parameters(params)
		}

		/// Seals what a replica found. It must be opened, by whoever sealed it, once all are sealed.
		///
		/// Origin: signed, the provider's hot key. Events: `Sealed`. Errors: `NotHotKey`, `NotYours`,
		/// `NotReplicated`, `WrongState`, `DeadlinePassed`.
		#[pallet::call_index(20)]
		pub fn seal_result(
			origin: OriginFor<T>,
			job: JobId,
			index: TaskIndex,
			seal: Root,
		) -> DispatchResult {
			let hot = ensure_signed(origin)?;
			Self::do_seal(hot, TaskId { job, index }, seal)
		}

		/// Opens what a replica has sealed.
		///
		/// Origin: signed, the provider's hot key. Events: `Opened`. Errors: `NotHotKey`, `NotYours`,
		/// `NotReplicated`, `WrongState`, `DeadlinePassed`, `WrongSummary`, `AlreadyOpened`,
		/// `WrongSeal`.
		#[pallet::call_index(21)]
		pub fn open_result(
			origin: OriginFor<T>,
			job: JobId,
			index: TaskIndex,
			outcome: Outcome,
			salt: Salt,
		) -> DispatchResult {
			let hot = ensure_signed(origin)?;
			Self::do_open(hot, TaskId { job, index }, outcome, salt)
		}
	}
}
