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
	use alloc::vec::Vec;
	use assay_primitives::{
		agenda::Agenda,
		auditor::{AuditorId, AuditorSignature, Salt, SeatId},
		demand::{Wanted, MAX_ANSWER_BYTES, MAX_OPEN_NODE_BYTES},
		traits::{AuditSink, BlockEntropy, TaskParties, WorkLedger},
		url::Url,
		work::{AuditOutcome, Costs, Delivery, Offence, TaskId, Verdict},
		Balance, BlockNumber, Root,
	};
	use frame_support::{
		pallet_prelude::*,
		traits::fungible::{hold, Mutate},
		weights::WeightMeter,
	};
	use frame_system::{offchain::CreateAuthorizedTransaction, pallet_prelude::*};
	use sp_runtime::Perquintill;

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
		/// What hears of concluded audits and convictions.
		type Sink: AuditSink<Self::AccountId>;
		/// Where burned bonds are accounted.
		type Ledger: WorkLedger<Self::AccountId>;
		/// Who has to do with submitted tasks, and where they are served.
		type Endpoints: TaskParties<Self::AccountId>;
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
		/// What an auditor puts up against being absent or lying.
		#[codec(index = 1)]
		AuditorBond,
		/// Bond of a report of fraud.
		#[codec(index = 2)]
		ReportBond,
		/// Price of the answer to a demand.
		#[codec(index = 3)]
		DemandBond,
	}

	/// Registered programs by id.
	// Identity: ids are BLAKE3 hashes of what was validated.
	#[pallet::storage]
	pub type Programs<T: Config> = StorageMap<_, Identity, Root, Program<T::AccountId>>;

	/// Auditors of the current session.
	#[pallet::storage]
	pub type Auditors<T: Config> =
		StorageValue<_, BoundedVec<Auditor<T::AccountId>, T::MaxAuditors>, ValueQuery>;

	/// What auditors have announced about the outputs that they keep. It stands for as long as they
	/// have a bond, also when they are not of the session any more: what they keep is still to be had.
	#[pallet::storage]
	pub type Custodians<T: Config> = StorageMap<_, Blake2_128Concat, T::AccountId, Custodian>;

	/// How many of [`Auditors`] keep outputs.
	#[pallet::storage]
	pub type Keepers<T: Config> = StorageValue<_, u32, ValueQuery>;

	/// Entropy of the last [`Config::EntropyKept`] blocks; a block without output has no entry.
	// Twox64Concat: heights are not chosen by anyone.
	#[pallet::storage]
	pub type Entropy<T: Config> = StorageMap<_, Twox64Concat, BlockNumber, Contribution>;

	/// Results that may still be challenged.
	// Twox64Concat: tasks are numbered by the chain.
	#[pallet::storage]
	pub type Cases<T: Config> = StorageMap<_, Twox64Concat, TaskId, Case<T::AccountId>>;

	/// Reports of fraud that are sealed and not opened. Any number of accounts may have one for a
	/// task, each with a bond, so that none can keep another from reporting.
	#[pallet::storage]
	pub type Reports<T: Config> =
		StorageDoubleMap<_, Twox64Concat, TaskId, Blake2_128Concat, T::AccountId, Report>;

	/// Demands that are not answered: one of an account about a task at a time.
	#[pallet::storage]
	pub type Demands<T: Config> =
		StorageDoubleMap<_, Twox64Concat, TaskId, Blake2_128Concat, T::AccountId, Demand>;

	/// Lies proved and not yet rewarded, by task and block of submission.
	#[pallet::storage]
	pub type Convictions<T: Config> = StorageDoubleMap<
		_,
		Twox64Concat,
		TaskId,
		Twox64Concat,
		BlockNumber,
		Conviction<T::AccountId>,
	>;

	/// What auditors have put up.
	#[pallet::storage]
	pub type Bonds<T: Config> = StorageMap<_, Blake2_128Concat, T::AccountId, Bond>;

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
		StorageDoubleMap<_, Twox64Concat, BlockNumber, Twox64Concat, u32, Step<T::AccountId>>;

	/// First block and number of the agenda not worked off.
	#[pallet::storage]
	pub type AgendaCursor<T: Config> = StorageValue<_, (BlockNumber, u32), ValueQuery>;

	/// Windows, deposits and fees in force.
	#[pallet::storage]
	pub type Parameters<T: Config> = StorageValue<_, Params, ValueQuery>;

	/// Steps that fall due.
	pub(crate) type Steps<T> = Agenda<
		AgendaCounts<T>,
		AgendaItems<T>,
		AgendaCursor<T>,
		Step<<T as frame_system::Config>::AccountId>,
	>;

	/// Initial parameters.
	#[pallet::genesis_config]
	#[derive(frame_support::DefaultNoBound)]
	pub struct GenesisConfig<T: Config> {
		/// Windows, deposits and fees.
		pub params: Params,
		/// Auditors' bonds, in planck: held from balances that genesis gives them.
		pub bonds: Vec<(T::AccountId, Balance)>,
	}

	#[pallet::genesis_build]
	impl<T: Config> BuildGenesisConfig for GenesisConfig<T> {
		fn build(&self) {
			assert!(self.params.is_valid(), "verification: invalid parameters at genesis");
			Parameters::<T>::put(&self.params);
			for (auditor, amount) in &self.bonds {
				// Genesis is built outside of any block, and there a panic is the refusal.
				Pallet::<T>::do_bond(auditor.clone(), *amount)
					.expect("genesis balances cover the auditors' bonds");
			}
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
			/// How often a task like this one is audited.
			rate: Perquintill,
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
			/// Last block in which a verdict may be sealed.
			seals_until: BlockNumber,
			/// Last block in which one may be opened.
			opens_until: BlockNumber,
		},
		/// A drawn auditor opened its verdict.
		#[codec(index = 4)]
		Attested {
			/// Which task.
			task: TaskId,
			/// The validator.
			auditor: T::AccountId,
			/// What it attested.
			verdict: Verdict,
		},
		/// A drawn auditor did not seal a verdict and open it in time.
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
		/// A drawn auditor sealed its verdict.
		#[codec(index = 9)]
		Sealed {
			/// Which task.
			task: TaskId,
			/// The validator.
			auditor: T::AccountId,
		},
		/// An auditor put up more.
		#[codec(index = 10)]
		Bonded {
			/// The validator.
			auditor: T::AccountId,
			/// How much, in planck.
			amount: Balance,
		},
		/// An auditor took some of its bond back.
		#[codec(index = 11)]
		Unbonded {
			/// The validator.
			auditor: T::AccountId,
			/// How much, in planck.
			amount: Balance,
		},
		/// An auditor was absent, accused falsely or vouched for a lie; part of its bond was burned.
		#[codec(index = 12)]
		AuditorSlashed {
			/// Over which task.
			task: TaskId,
			/// The validator.
			auditor: T::AccountId,
			/// How much, in planck.
			amount: Balance,
		},
		/// Somebody has sealed a report of fraud; the window stays open for it.
		#[codec(index = 13)]
		ReportSealed {
			/// Which task.
			task: TaskId,
			/// Who.
			reporter: T::AccountId,
			/// Last block in which it may be opened.
			until: BlockNumber,
		},
		/// A report came to nothing and its bond was burned.
		#[codec(index = 14)]
		ReportRejected {
			/// Which task.
			task: TaskId,
			/// Who.
			reporter: T::AccountId,
			/// Why.
			why: Rejection,
			/// The bond, in planck.
			burned: Balance,
		},
		/// What a report was about had been decided; its bond was given back.
		#[codec(index = 15)]
		ReportVoid {
			/// Which task.
			task: TaskId,
			/// Who.
			reporter: T::AccountId,
		},
		/// A provider was convicted.
		#[codec(index = 16)]
		Convicted {
			/// Which task.
			task: TaskId,
			/// Of what.
			offence: Offence,
			/// Whose proof it was.
			challenger: Option<T::AccountId>,
		},
		/// A proof of a lie that was proved already turned out to be the earlier one.
		#[codec(index = 17)]
		EarlierReport {
			/// Which task.
			task: TaskId,
			/// Whose it is.
			reporter: T::AccountId,
		},
		/// A challenger was paid.
		#[codec(index = 18)]
		Rewarded {
			/// For which task.
			task: TaskId,
			/// Who.
			challenger: T::AccountId,
			/// How much, in planck.
			amount: Balance,
		},
		/// Somebody demands that the worker open something of its result on the chain.
		#[codec(index = 19)]
		Demanded {
			/// Which task.
			task: TaskId,
			/// Who.
			by: T::AccountId,
			/// What.
			wanted: Wanted,
			/// Last block in which it may be answered.
			until: BlockNumber,
		},
		/// A demand was answered.
		#[codec(index = 20)]
		Answered {
			/// Which task.
			task: TaskId,
			/// Whose demand.
			by: T::AccountId,
			/// Who answered, and was paid for it.
			answered_by: T::AccountId,
		},
		/// What a demand was about had been decided; what it cost was given back.
		#[codec(index = 21)]
		DemandVoid {
			/// Which task.
			task: TaskId,
			/// Whose demand.
			by: T::AccountId,
		},
		/// A worker gave the trace root of a result that it had submitted without one.
		#[codec(index = 22)]
		TraceGiven {
			/// Which task.
			task: TaskId,
			/// The root.
			trace_root: Root,
		},
		/// Custodians are drawn for the output of a result that stands.
		#[codec(index = 23)]
		CustodyOpened {
			/// Which task.
			task: TaskId,
			/// How many.
			custodians: u8,
		},
		/// A quorum of custodians came to an end, or none came together.
		#[codec(index = 24)]
		CustodyConcluded {
			/// Which task.
			task: TaskId,
			/// What they found.
			found: Delivery,
		},
		/// An auditor has said where it keeps outputs, or that it no longer does.
		#[codec(index = 25)]
		CustodianAnnounced {
			/// The validator.
			auditor: T::AccountId,
			/// Base URL at which it serves them; empty if it keeps none.
			url: Url,
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
		/// The task has a result that may still be challenged.
		AlreadyOpen,
		/// The depth finds skipped work only, and the job declares value on single elements; or it
		/// finds nothing of a result.
		DepthTooShallow,
		/// The output is larger than custodians fetch.
		OutputTooLarge,
		/// No audit of this attempt at the task is under way.
		NotUnderAudit,
		/// The round is over or has not been drawn.
		WrongRound,
		/// The round has no such seat.
		NoSuchSeat,
		/// The auditor has sealed a verdict in this round.
		AlreadySealed,
		/// The auditor has sealed no verdict in this round.
		NotSealed,
		/// The auditor has attested in this round.
		AlreadyAttested,
		/// What is opened is not what was sealed.
		WrongSeal,
		/// It may not be opened yet.
		TooEarly,
		/// The time for this is over.
		TooLate,
		/// The task has no result that may be challenged.
		NotOpen,
		/// The account has a sealed report on this result.
		AlreadyReported,
		/// The account has no sealed report on this task.
		NoReport,
		/// The amount is nought.
		ZeroAmount,
		/// So much of the bond is not free.
		BondAtRisk,
		/// A parameter is out of bounds.
		InvalidParameters,
		/// The result was committed to without a trace root. Auditors that look at a trace need one,
		/// and so does whoever demands something of it: demand the trace first.
		NoTrace,
		/// The trace root is known already.
		TraceKnown,
		/// There is no such place in the trace, or it is not shown that there is.
		NoSuchPlace,
		/// The account waits for the answer to another demand about this result.
		AlreadyDemanded,
		/// As many demands wait as may, or the seat has made as many as it may.
		TooManyDemands,
		/// The account has made no such demand, or it is decided.
		NoDemand,
		/// This does not open what was demanded.
		NotAnAnswer,
		/// Only the worker itself can give the trace root.
		NotTheWorker,
		/// The key is of no auditor of this session, or the auditor has put up no bond.
		NotAnAuditor,
		/// This is no base URL.
		BadUrl,
		/// Too few auditors keep outputs for a quorum of custodians.
		NotEnoughCustodians,
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

		/// Seals the verdict of a drawn auditor.
		///
		/// Origin: authorized, a general transaction without fee. It is let in only with a valid
		/// signature of the seat's auditor over
		/// [`SignedSeal`](assay_primitives::auditor::SignedSeal), for the attempt and round that are
		/// open, once per seat.
		///
		/// # Errors
		/// [`Error::NotUnderAudit`], [`Error::WrongRound`], [`Error::NoSuchSeat`],
		/// [`Error::AlreadySealed`], [`Error::TooLate`].
		///
		/// # Events
		/// [`Event::Sealed`].
		#[pallet::call_index(2)]
		#[pallet::authorize(Self::authorize_seal)]
		pub fn seal_verdict(
			origin: OriginFor<T>,
			seat: SeatId,
			seal: Root,
			signature: AuditorSignature,
		) -> DispatchResult {
			ensure_authorized(origin)?;
			// Checked in `authorize_seal`, without which this origin does not exist.
			let _ = signature;
			Self::do_seal(seat, seal)
		}

		/// Opens the verdict that a drawn auditor sealed, once all of the round are sealed or the time
		/// for that is over. An accusation comes with its `proof`, which convicts at once if it holds
		/// and costs the auditor its deposit if not; any other verdict comes with none.
		///
		/// Origin: authorized, a general transaction without fee. It is let in only if it opens the
		/// seal, once per seat.
		///
		/// # Errors
		/// [`Error::NotUnderAudit`], [`Error::WrongRound`], [`Error::NoSuchSeat`],
		/// [`Error::NotSealed`], [`Error::AlreadyAttested`], [`Error::TooEarly`], [`Error::TooLate`],
		/// [`Error::WrongSeal`].
		///
		/// # Events
		/// [`Event::Attested`]; [`Event::Convicted`] or [`Event::AuditorSlashed`] for an accusation;
		/// with the last verdict of the round [`Event::AuditConcluded`] or [`Event::RoundFailed`].
		#[pallet::call_index(4)]
		#[pallet::weight(<T as Config>::WeightInfo::open_verdict()
			.saturating_add(Pallet::<T>::judge_weight(proof.len() as u32))
			.saturating_add(Pallet::<T>::ended_weight().max(T::Sink::convicted_weight())))]
		#[pallet::authorize(Self::authorize_open)]
		#[pallet::weight_of_authorize(<T as Config>::WeightInfo::authorize_open_verdict(proof.len() as u32))]
		pub fn open_verdict(
			origin: OriginFor<T>,
			seat: SeatId,
			verdict: Verdict,
			proof: BoundedVec<u8, ConstU32<MAX_PROOF_BYTES>>,
			salt: Salt,
		) -> DispatchResultWithPostInfo {
			ensure_authorized(origin)?;
			Self::do_open(seat, verdict, &proof, &salt)
		}

		/// Puts up a bond, so that the signer's auditor key may be drawn from the next session on.
		///
		/// Origin: signed, the validator.
		///
		/// # Errors
		/// [`Error::ZeroAmount`], or the currency's if it cannot be held.
		///
		/// # Events
		/// [`Event::Bonded`].
		#[pallet::call_index(5)]
		pub fn bond(origin: OriginFor<T>, amount: Balance) -> DispatchResult {
			let who = ensure_signed(origin)?;
			Self::do_bond(who, amount)
		}

		/// Takes back what is not at risk of the signer's bond.
		///
		/// Origin: signed, the validator.
		///
		/// # Errors
		/// [`Error::ZeroAmount`], [`Error::BondAtRisk`].
		///
		/// # Events
		/// [`Event::Unbonded`].
		#[pallet::call_index(6)]
		pub fn unbond(origin: OriginFor<T>, amount: Balance) -> DispatchResult {
			let who = ensure_signed(origin)?;
			Self::do_unbond(who, amount)
		}

		/// Notes that the signer has a proof of fraud in hand, without showing it: `seal` is its
		/// [`report_seal`]. It must be opened with [`Call::report_fraud`] within the report window, or
		/// the bond is burned. The task does not settle meanwhile.
		///
		/// Origin: signed, anyone; has `report_bond` planck held.
		///
		/// # Errors
		/// [`Error::NotOpen`], [`Error::AlreadyReported`]; [`Error::TooLate`] if the end of the window
		/// was moved as often as it may be and comes before the report's; the currency's if the bond
		/// cannot be held.
		///
		/// # Events
		/// [`Event::ReportSealed`].
		#[pallet::call_index(7)]
		pub fn commit_report(origin: OriginFor<T>, task: TaskId, seal: Root) -> DispatchResult {
			let reporter = ensure_signed(origin)?;
			Self::do_commit_report(reporter, task, seal)
		}

		/// Opens a sealed report. The chain decides the proof at once: if it shows a fault the provider
		/// is convicted and the bond given back; if not the bond is burned. Either way the report is
		/// used up and the call succeeds.
		///
		/// Whoever sealed earliest is paid, `report_window` blocks after the conviction.
		///
		/// Origin: signed, the reporter.
		///
		/// # Errors
		/// [`Error::NoReport`], [`Error::WrongSeal`], [`Error::TooEarly`], [`Error::TooLate`].
		///
		/// # Events
		/// [`Event::Convicted`], [`Event::ReportRejected`], [`Event::ReportVoid`] or
		/// [`Event::EarlierReport`].
		#[pallet::call_index(8)]
		#[pallet::weight(<T as Config>::WeightInfo::report_fraud()
			.saturating_add(Pallet::<T>::judge_weight(proof.len() as u32))
			.saturating_add(Pallet::<T>::ended_weight().max(T::Sink::convicted_weight())))]
		pub fn report_fraud(
			origin: OriginFor<T>,
			task: TaskId,
			proof: BoundedVec<u8, ConstU32<MAX_PROOF_BYTES>>,
			salt: Salt,
		) -> DispatchResult {
			let reporter = ensure_signed(origin)?;
			Self::do_report_fraud(reporter, task, &proof, &salt)
		}

		/// Demands that the worker open a place of its trace on the chain, or give the trace root that
		/// it left out. If nobody does within `demand_window` blocks, the provider is convicted as of
		/// a lie. The task does not settle meanwhile.
		///
		/// `opened` is the encoding of the [`OpenNode`](assay_compute::proof::OpenNode) that the place
		/// is about, which shows that there is such a place; empty where it is about no node.
		///
		/// Origin: signed, anyone; has `demand_base + demand_per_byte × bytes` planck held, where bytes
		/// are the most that the answer may have. Whoever answers is paid that; without an answer it
		/// is given back.
		///
		/// # Errors
		/// [`Error::NotOpen`], [`Error::NoTrace`], [`Error::TraceKnown`], [`Error::NoSuchPlace`],
		/// [`Error::AlreadyDemanded`], [`Error::TooManyDemands`]; [`Error::TooLate`] if the end of the
		/// window was moved as often as it may be and comes before the demand's; the currency's if the
		/// price cannot be held.
		///
		/// # Events
		/// [`Event::Demanded`].
		#[pallet::call_index(9)]
		pub fn demand(
			origin: OriginFor<T>,
			task: TaskId,
			wanted: Wanted,
			opened: BoundedVec<u8, ConstU32<MAX_OPEN_NODE_BYTES>>,
		) -> DispatchResult {
			let who = ensure_signed(origin)?;
			Self::do_demand(who, task, wanted, &opened)
		}

		/// The same for a drawn auditor that has not sealed its verdict. It costs the auditor nothing,
		/// for the worker could have served what is wanted, and it may do so a few times only. The
		/// round's times move so that the seat can make use of the answer.
		///
		/// Origin: authorized, a general transaction without fee. It is let in only with a valid
		/// signature of the seat's auditor over
		/// [`SignedDemand`](assay_primitives::auditor::SignedDemand).
		///
		/// # Errors
		/// As [`Call::demand`] and [`Call::seal_verdict`].
		///
		/// # Events
		/// [`Event::Demanded`].
		#[pallet::call_index(10)]
		#[pallet::authorize(Self::authorize_demand)]
		pub fn demand_as_auditor(
			origin: OriginFor<T>,
			seat: SeatId,
			wanted: Wanted,
			opened: BoundedVec<u8, ConstU32<MAX_OPEN_NODE_BYTES>>,
			signature: AuditorSignature,
		) -> DispatchResult {
			ensure_authorized(origin)?;
			// Checked in `authorize_demand`, without which this origin does not exist.
			let _ = signature;
			Self::do_demand_as_auditor(seat, wanted, &opened)
		}

		/// Answers a demand: with the encoding of the
		/// [`Opening`](assay_compute::proof::demand::Opening) of the place, or of the trace root.
		///
		/// Origin: signed, anyone who can; the first to give a trace root must be the worker's hot key.
		/// Whoever answers is paid what the demander put up.
		///
		/// # Errors
		/// [`Error::NoDemand`], [`Error::TooLate`], [`Error::NotAnAnswer`], [`Error::NotTheWorker`].
		///
		/// # Events
		/// [`Event::Answered`]; [`Event::TraceGiven`] with the first trace root.
		#[pallet::call_index(11)]
		#[pallet::weight(<T as Config>::WeightInfo::answer(answer.len() as u32)
			.saturating_add(Pallet::<T>::ended_weight()))]
		pub fn answer(
			origin: OriginFor<T>,
			task: TaskId,
			demander: T::AccountId,
			answer: BoundedVec<u8, ConstU32<MAX_ANSWER_BYTES>>,
		) -> DispatchResult {
			let who = ensure_signed(origin)?;
			Self::do_answer(who, task, demander, &answer)
		}

		/// Says where the auditor serves the outputs that it keeps as a custodian, or with an empty
		/// `url` that it keeps none any more. Only who has announced is drawn as a custodian.
		///
		/// Origin: authorized, a general transaction without fee. It is let in only with a valid
		/// signature of the auditor over
		/// [`SignedAnnouncement`](assay_primitives::auditor::SignedAnnouncement), within
		/// [`ANNOUNCEMENT_AGE`] blocks of `at` and [`ANNOUNCEMENT_GAP`] after the one before.
		///
		/// # Errors
		/// [`Error::NotAnAuditor`], [`Error::BadUrl`], [`Error::TooEarly`], [`Error::TooLate`].
		///
		/// # Events
		/// [`Event::CustodianAnnounced`].
		#[pallet::call_index(12)]
		#[pallet::weight(<T as Config>::WeightInfo::announce(T::MaxAuditors::get()))]
		#[pallet::authorize(Self::authorize_announce)]
		#[pallet::weight_of_authorize(<T as Config>::WeightInfo::authorize_announce(T::MaxAuditors::get()))]
		pub fn announce(
			origin: OriginFor<T>,
			auditor: AuditorId,
			url: Url,
			at: BlockNumber,
			signature: AuditorSignature,
		) -> DispatchResult {
			ensure_authorized(origin)?;
			// Checked in `authorize_announce`, without which this origin does not exist.
			let _ = signature;
			Self::do_announce(&auditor, url, at)
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
