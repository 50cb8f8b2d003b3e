#![doc = include_str!("../README.md")]
#![cfg_attr(not(feature = "std"), no_std)]
#![warn(missing_docs)]

extern crate alloc;

mod impls;
pub mod types;
pub mod weights;

#[cfg(feature = "runtime-benchmarks")]
mod benchmarking;
#[cfg(test)]
mod mock;
#[cfg(test)]
mod tests;

#[cfg(feature = "runtime-benchmarks")]
pub use benchmarking::BenchmarkHelper;
pub use pallet::*;
pub use types::*;
pub use weights::WeightInfo;

/// Target of log lines.
pub(crate) const LOG_TARGET: &str = "runtime::verification";

#[frame_support::pallet]
pub mod pallet {
	use super::*;
	use assay_primitives::{
		agenda::Agenda,
		auditor::{AuditorId, AuditorSignature},
		traits::{AuditSink, BlockEntropy, TaskEndpoints},
		work::{AuditOutcome, Costs, TaskId, Verdict},
		Balance, BlockNumber, Root,
	};
	use frame_support::{
		pallet_prelude::*,
		traits::fungible::{hold, Mutate},
		weights::WeightMeter,
	};
	use frame_system::{offchain::CreateAuthorizedTransaction, pallet_prelude::*};

	const STORAGE_VERSION: StorageVersion = StorageVersion::new(1);

	#[pallet::pallet]
	#[pallet::storage_version(STORAGE_VERSION)]
	pub struct Pallet<T>(_);

	/// What the runtime supplies.
	#[pallet::config]
	pub trait Config:
		frame_system::Config<Hash = Root> + CreateAuthorizedTransaction<Call<Self>>
	{
		/// Currency of deposits.
		type Currency: Mutate<Self::AccountId, Balance = Balance>
			+ hold::Mutate<Self::AccountId, Reason = Self::RuntimeHoldReason>;
		/// The runtime's reasons for holds.
		type RuntimeHoldReason: From<HoldReason>;
		/// Unpredictable output of the current block, asked for once at its end.
		type Entropy: BlockEntropy;
		/// What hears of concluded audits.
		type Sink: AuditSink<Self::AccountId>;
		/// Where submitted tasks are served.
		type Endpoints: TaskEndpoints;
		/// Most auditors of a session; those beyond are never drawn.
		#[pallet::constant]
		type MaxAuditors: Get<u32>;
		/// Blocks whose entropy is kept.
		#[pallet::constant]
		type EntropyKept: Get<u32>;
		/// Weights.
		type WeightInfo: WeightInfo;
		/// What benchmarks need of the runtime.
		#[cfg(feature = "runtime-benchmarks")]
		type Helper: BenchmarkHelper;
	}

	/// Why funds are held.
	#[pallet::composite_enum]
	pub enum HoldReason {
		/// Deposit for a registered program.
		#[codec(index = 0)]
		ProgramDeposit,
	}

	/// Registered programs by id.
	// Identity: ids are BLAKE3 hashes of what was validated.
	#[pallet::storage]
	pub type Programs<T: Config> = StorageMap<_, Identity, Root, Program<T::AccountId>>;

	/// Auditors of the current session.
	#[pallet::storage]
	pub type Auditors<T: Config> =
		StorageValue<_, BoundedVec<Auditor<T::AccountId>, T::MaxAuditors>, ValueQuery>;

	/// Entropy of the last [`Config::EntropyKept`] blocks; a block without output has no entry.
	// Twox64Concat: heights are not chosen by anyone.
	#[pallet::storage]
	pub type Entropy<T: Config> = StorageMap<_, Twox64Concat, BlockNumber, Contribution>;

	/// Audits under way.
	// Twox64Concat: tasks are numbered by the chain.
	#[pallet::storage]
	pub type Audits<T: Config> = CountedStorageMap<_, Twox64Concat, TaskId, Audit<T::AccountId>>;

	/// Auditors drawn in earlier rounds of audits under way.
	#[pallet::storage]
	pub type Earlier<T: Config> = StorageMap<
		_,
		Twox64Concat,
		TaskId,
		BoundedVec<T::AccountId, ConstU32<MAX_EARLIER>>,
		ValueQuery,
	>;

	/// Attestations owed, by auditor: the off-chain worker's list of work.
	// Blake2_128Concat: keys are chosen by validators.
	#[pallet::storage]
	pub type Duties<T: Config> =
		StorageDoubleMap<_, Blake2_128Concat, AuditorId, Twox64Concat, TaskId, ()>;

	/// Audits that ever ended in a failure.
	#[pallet::storage]
	pub type AuditsFailed<T: Config> = StorageValue<_, u64, ValueQuery>;

	/// Number of steps ever put down for a block that is not worked off.
	#[pallet::storage]
	pub type AgendaCounts<T: Config> = StorageMap<_, Twox64Concat, BlockNumber, u32, ValueQuery>;

	/// Steps put down, by block and number.
	#[pallet::storage]
	pub type AgendaItems<T: Config> =
		StorageDoubleMap<_, Twox64Concat, BlockNumber, Twox64Concat, u32, Step>;

	/// First block and number of the agenda not worked off.
	#[pallet::storage]
	pub type AgendaCursor<T: Config> = StorageValue<_, (BlockNumber, u32), ValueQuery>;

	/// Windows, deposits and fees in force.
	#[pallet::storage]
	pub type Parameters<T: Config> = StorageValue<_, Params, ValueQuery>;

	/// Steps of audits that fall due.
	pub(crate) type Steps<T> = Agenda<AgendaCounts<T>, AgendaItems<T>, AgendaCursor<T>, Step>;

	/// Initial parameters.
	#[pallet::genesis_config]
	#[derive(frame_support::DefaultNoBound)]
	pub struct GenesisConfig<T: Config> {
		/// Windows, deposits and fees.
		pub params: Params,
		#[allow(missing_docs)]
		#[serde(skip)]
		pub _config: core::marker::PhantomData<T>,
	}

	#[pallet::genesis_build]
	impl<T: Config> BuildGenesisConfig for GenesisConfig<T> {
		fn build(&self) {
			assert!(self.params.is_valid(), "verification: invalid parameters at genesis");
			Parameters::<T>::put(&self.params);
		}
	}

	/// What happened.
	#[pallet::event]
	#[pallet::generate_deposit(pub(crate) fn deposit_event)]
	pub enum Event<T: Config> {
		/// A program was registered.
		#[codec(index = 0)]
		ProgramRegistered {
			/// Its id.
			program: Root,
			/// Who registered it.
			owner: T::AccountId,
			/// What one run costs.
			costs: Costs,
			/// Held from the owner, in planck.
			deposit: Balance,
		},
		/// A program was removed and its deposit given back.
		#[codec(index = 1)]
		ProgramRemoved {
			/// Its id.
			program: Root,
			/// Whose deposit it was.
			owner: T::AccountId,
			/// The deposit, in planck.
			deposit: Balance,
		},
		/// The audit of a submitted result was opened.
		#[codec(index = 2)]
		AuditOpened {
			/// Which task.
			task: TaskId,
			/// Auditors to be drawn.
			auditors: u8,
		},
		/// Auditors were drawn.
		#[codec(index = 3)]
		AuditorsDrawn {
			/// Which task.
			task: TaskId,
			/// Round of drawing, from 0.
			round: u8,
			/// The validators, in the order of their seats.
			auditors: BoundedVec<T::AccountId, ConstU32<MAX_DRAWN>>,
			/// Last block in which an attestation counts.
			deadline: BlockNumber,
		},
		/// A drawn auditor attested.
		#[codec(index = 4)]
		Attested {
			/// Which task.
			task: TaskId,
			/// The validator.
			auditor: T::AccountId,
			/// What it attested.
			verdict: Verdict,
		},
		/// A drawn auditor did not attest in time.
		#[codec(index = 5)]
		Absent {
			/// Which task.
			task: TaskId,
			/// The validator.
			auditor: T::AccountId,
		},
		/// A round ended without a quorum; auditors will be drawn again.
		#[codec(index = 6)]
		RoundFailed {
			/// Which task.
			task: TaskId,
			/// The round that ended, from 0.
			round: u8,
		},
		/// An audit ended.
		#[codec(index = 7)]
		AuditConcluded {
			/// Which task.
			task: TaskId,
			/// How.
			outcome: AuditOutcome,
		},
		/// Windows, deposits and fees were set.
		#[codec(index = 8)]
		ParametersSet {
			/// To what.
			params: Params,
		},
	}

	/// What can go wrong.
	#[pallet::error]
	pub enum Error<T> {
		/// The bytes are not the canonical encoding of a program.
		ProgramMalformed,
		/// The program is not valid.
		ProgramInvalid,
		/// More inputs than a task may have.
		TooManyInputs,
		/// The program is registered already.
		AlreadyRegistered,
		/// No such program.
		UnknownProgram,
		/// Only the owner may do this.
		NotOwner,
		/// Jobs name the program.
		InUse,
		/// The network cannot give so many auditors, or none were asked for.
		NotEnoughAuditors,
		/// The task is larger than validators audit.
		AuditTooLarge,
		/// The task is under audit already.
		AlreadyUnderAudit,
		/// No audit of this attempt at the task is under way.
		NotUnderAudit,
		/// The round is over or has not been drawn.
		WrongRound,
		/// The round has no such seat.
		NoSuchSeat,
		/// The auditor has attested in this round.
		AlreadyAttested,
		/// The window for attestations is over.
		TooLate,
		/// A parameter is out of bounds.
		InvalidParameters,
	}

	#[pallet::hooks]
	impl<T: Config> Hooks<BlockNumberFor<T>> for Pallet<T> {
		fn on_initialize(_: BlockNumberFor<T>) -> Weight {
			// Entropy is recorded at the end of the block; its weight is set aside here.
			<T as Config>::WeightInfo::record_entropy()
		}

		fn on_poll(_: BlockNumberFor<T>, meter: &mut WeightMeter) {
			Self::work_off_steps(meter);
		}

		fn on_finalize(_: BlockNumberFor<T>) {
			Self::record_entropy();
		}

		fn offchain_worker(_: BlockNumberFor<T>) {
			Self::orchestrate_audits();
		}

		fn integrity_test() {
			Self::check_integrity();
		}

		#[cfg(feature = "try-runtime")]
		fn try_state(_: BlockNumberFor<T>) -> Result<(), sp_runtime::TryRuntimeError> {
			Self::do_try_state()
		}
	}

	#[pallet::call(weight(<T as Config>::WeightInfo))]
	impl<T: Config> Pallet<T> {
		/// Registers a program by its canonical bytes. Only its id, costs and sizes are kept.
		///
		/// Origin: signed; the signer becomes the owner and has
		/// `program_deposit_base + program_deposit_per_byte × bytes` planck held.
		///
		/// # Errors
		/// [`Error::ProgramMalformed`], [`Error::ProgramInvalid`], [`Error::TooManyInputs`],
		/// [`Error::AlreadyRegistered`], or the currency's if the deposit cannot be held.
		///
		/// # Events
		/// [`Event::ProgramRegistered`].
		#[pallet::call_index(0)]
		#[pallet::weight(<T as Config>::WeightInfo::register_program(bytes.len() as u32))]
		pub fn register_program(
			origin: OriginFor<T>,
			bytes: BoundedVec<u8, ConstU32<MAX_PROGRAM_BYTES>>,
		) -> DispatchResult {
			let owner = ensure_signed(origin)?;
			Self::do_register_program(owner, &bytes)
		}

		/// Removes a program that no job names and gives the deposit back.
		///
		/// Origin: signed by the owner.
		///
		/// # Errors
		/// [`Error::UnknownProgram`], [`Error::NotOwner`], [`Error::InUse`].
		///
		/// # Events
		/// [`Event::ProgramRemoved`].
		#[pallet::call_index(1)]
		pub fn remove_program(origin: OriginFor<T>, program: Root) -> DispatchResult {
			let owner = ensure_signed(origin)?;
			Self::do_remove_program(owner, program)
		}

		/// Records what a drawn auditor found.
		///
		/// Origin: authorized, a general transaction without fee. It is let in only with a valid
		/// signature of the seat's auditor over
		/// [`Attestation`](assay_primitives::auditor::Attestation), for the attempt and round that
		/// are open, once per seat.
		///
		/// # Errors
		/// [`Error::NotUnderAudit`], [`Error::WrongRound`], [`Error::NoSuchSeat`],
		/// [`Error::AlreadyAttested`], [`Error::TooLate`].
		///
		/// # Events
		/// [`Event::Attested`]; with a quorum [`Event::AuditConcluded`]; once no quorum is possible
		/// [`Event::RoundFailed`].
		#[pallet::call_index(2)]
		#[pallet::weight(<T as Config>::WeightInfo::attest()
			.saturating_add(T::Sink::concluded_weight(MAX_DRAWN)))]
		#[pallet::authorize(Self::authorize_attest)]
		pub fn attest(
			origin: OriginFor<T>,
			task: TaskId,
			submitted_at: BlockNumber,
			round: u8,
			seat: u8,
			verdict: Verdict,
			signature: AuditorSignature,
		) -> DispatchResultWithPostInfo {
			ensure_authorized(origin)?;
			// Checked in `authorize_attest`, without which this origin does not exist.
			let _ = signature;
			Self::do_attest(task, submitted_at, round, seat, verdict)
		}

		/// Sets windows, deposits and fees.
		///
		/// Origin: root.
		///
		/// # Errors
		/// [`Error::InvalidParameters`].
		///
		/// # Events
		/// [`Event::ParametersSet`].
		#[pallet::call_index(3)]
		pub fn set_parameters(origin: OriginFor<T>, params: Params) -> DispatchResult {
			ensure_root(origin)?;
			Self::do_set_parameters(params)
		}
	}
}
