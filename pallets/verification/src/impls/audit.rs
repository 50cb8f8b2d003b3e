//! Opening, moving on and concluding audits.

use crate::{
	pallet::*, Audit, AuditStep, Ended, Params, Phase, Stage, Step, WeightInfo, MAX_DRAWN,
	MAX_EARLIER, MAX_ROUNDS,
};
use alloc::vec::Vec;
use assay_primitives::{
	honesty,
	traits::{self, AuditSink, Terms},
	work::{Assurance, AuditOutcome, Claim, Costs, Custody, Depth, ProgramInfo, TaskId},
	Balance, BlockNumber, ASY,
};
use frame_support::{
	ensure,
	traits::Get,
	weights::{Weight, WeightMeter},
};
use sp_runtime::{DispatchError, DispatchResult, PerThing, Perbill, Permill, Perquintill};

/// Share of a block that steps of audits may take.
const POLL_SHARE: Perbill = Perbill::from_percent(25);

impl<T: Config> traits::Audits for Pallet<T> {
	fn fee(costs: &Costs, assurance: &Assurance, value: Balance) -> Result<Balance, DispatchError> {
		Self::audit_fee(costs, assurance, value)
	}

	fn least_stake_percent(assurance: &Assurance) -> Option<u32> {
		match assurance {
			// What is paid for nothing must at least be lost when that comes out.
			Assurance::Optimistic | Assurance::Replicated { .. } => Some(100),
			Assurance::Audited { auditors, .. } => {
				let least = honesty::least_collateral(ASY, *auditors, Perquintill::one())?;
				least.checked_mul(100)?.div_ceil(ASY).try_into().ok()
			}
		}
	}

	fn open(task: TaskId, claim: Claim, terms: &Terms) -> Result<bool, DispatchError> {
		let now = Self::now();
		let params = Parameters::<T>::get();
		let Terms { assurance, gain, collateral } = *terms;
		let seen = claim.commitment.trace_root.is_some();
		let Assurance::Audited { auditors, depth, at_least } = assurance else {
			Self::open_case(now, task, claim, &params)?;
			return Ok(false);
		};
		ensure!((1..=MAX_DRAWN).contains(&u32::from(auditors)), Error::<T>::NotEnoughAuditors);
		ensure!(seen || depth == Depth::Replay, Error::<T>::NoTrace);
		// Matches keep to the least stake. Dust, where rounding says otherwise, is always audited.
		let rate = honesty::audit_rate(gain, collateral, auditors)
			.unwrap_or(Perquintill::one())
			.max(Perquintill::from_rational(
				u64::from(at_least.deconstruct()),
				u64::from(Permill::ACCURACY),
			));
		Self::open_case(now, task, claim, &params)?;
		let stage = Self::drawing(now, &params);
		let audit = Audit { auditors, depth, rate, submitted_at: now, round: 0, stage };
		Self::begin_round(now, task, audit, &params);
		Self::deposit_event(Event::AuditOpened { task, auditors, rate });
		Ok(true)
	}

	fn open_until(task: TaskId) -> Option<BlockNumber> {
		Self::window(task)
	}

	fn custody(program: &ProgramInfo) -> Result<Custody, DispatchError> {
		Self::custody_of(program)
	}

	fn deliver(task: TaskId, custodians: u8) -> DispatchResult {
		Self::begin_custody(task, custodians)
	}

	fn deliver_weight() -> Weight {
		<T as Config>::WeightInfo::begin_custody()
	}

	fn close(task: TaskId) {
		Self::close_case(task);
	}

	fn close_weight() -> Weight {
		<T as Config>::WeightInfo::close_case()
	}
}

impl<T: Config> Pallet<T> {
	/// Works off what is due, within a share of the block.
	pub(crate) fn work_off_steps(meter: &mut WeightMeter) {
		let share = POLL_SHARE * T::BlockWeights::get().max_block;
		let mut limited = WeightMeter::with_limit(meter.remaining().min(share));
		let now = Self::now();
		Steps::<T>::run(
			now,
			&mut limited,
			<T as Config>::WeightInfo::agenda_overhead(),
			|_| Self::step_weight(),
			|_, step| {
				Self::step(now, step);
				None
			},
		);
		meter.consume(limited.consumed());
	}

	/// Weight of what the sink does when a round decides.
	pub(crate) fn ended_weight() -> Weight {
		T::Sink::concluded_weight(MAX_DRAWN).max(T::Sink::delivered_weight(MAX_DRAWN))
	}

	/// Weight of the heaviest step.
	pub(crate) fn step_weight() -> Weight {
		let concluded = Self::ended_weight();
		let audit = <T as Config>::WeightInfo::step_draw(T::MaxAuditors::get())
			.max(<T as Config>::WeightInfo::step_deadline())
			.max(<T as Config>::WeightInfo::lapse_report())
			.max(<T as Config>::WeightInfo::lapse_demand())
			.saturating_add(concluded.max(T::Sink::convicted_weight()));
		let reward =
			<T as Config>::WeightInfo::pay_reward().saturating_add(T::Sink::reward_weight());
		audit.max(reward)
	}

	/// Panics at start-up, in tests and when a runtime is built, if a step does not fit its share.
	pub(crate) fn check_integrity() {
		let share = POLL_SHARE * T::BlockWeights::get().max_block;
		let need = Self::step_weight()
			.saturating_add(<T as Config>::WeightInfo::agenda_overhead().saturating_mul(3));
		assert!(need.all_lte(share), "verification: a step of an audit must fit a quarter block");
		assert!(T::EntropyKept::get() > super::draw::BLOCKS_PER_STEP, "verification: short ring");
		const { assert!(MAX_EARLIER >= MAX_DRAWN * (Custody::QUORUMS as u32 * MAX_ROUNDS - 1)) };
		const { assert!(MAX_DRAWN == honesty::MAX_AUDITORS as u32) };
	}

	/// Does what falls due.
	pub(crate) fn step(now: BlockNumber, step: Step<T::AccountId>) {
		match step {
			Step::Audit(step) => Self::step_audit(now, step),
			Step::Report(task, reporter, at) => Self::lapse_report(task, reporter, at),
			Step::Reward(task, submitted_at) => Self::pay_reward(task, submitted_at),
			Step::Demand(task, who, at) => Self::lapse_demand(now, task, who, at),
		}
	}

	/// Moves an audit on, if it still stands where it stood when that was put down.
	fn step_audit(now: BlockNumber, step: AuditStep) {
		let Some(audit) = Audits::<T>::get(step.task) else { return };
		if audit.submitted_at != step.submitted_at || audit.round != step.round {
			return;
		}
		match audit.stage.clone() {
			Stage::Drawing(drawing) => Self::step_drawing(now, step, audit, drawing),
			Stage::Voting(voting) => Self::step_voting(now, step, audit, voting),
			Stage::Ended(_) => {}
		}
	}

	/// Ends a round without a quorum: draws again, or ends the audit as inconclusive. Whoever
	/// attested in its last round is owed the fee all the same.
	pub(crate) fn fail_round(
		now: BlockNumber,
		task: TaskId,
		mut audit: Audit<T::AccountId>,
		attesters: Vec<T::AccountId>,
	) {
		let params = Parameters::<T>::get();
		let round = audit.round.saturating_add(1);
		if round % Phase::ROUNDS >= params.max_rounds || round % Phase::ROUNDS == 0 {
			return Self::conclude(task, audit, AuditOutcome::Inconclusive, attesters);
		}
		Self::remember(task, &audit);
		Self::deposit_event(Event::RoundFailed { task, round: audit.round });
		audit.round = round;
		Self::begin_round(now, task, audit, &params);
	}

	/// Notes who was drawn, so that others are next time.
	pub(crate) fn remember(task: TaskId, audit: &Audit<T::AccountId>) {
		let Stage::Voting(voting) = &audit.stage else { return };
		Earlier::<T>::mutate(task, |earlier| {
			for seat in &voting.seats {
				// Cannot be full within the rounds that parameters may allow.
				let _ = earlier.try_push(seat.account.clone());
			}
		});
	}

	/// Begins to gather the entropy of a round.
	pub(crate) fn begin_round(
		now: BlockNumber,
		task: TaskId,
		mut audit: Audit<T::AccountId>,
		params: &Params,
	) {
		let step = AuditStep { task, submitted_at: audit.submitted_at, round: audit.round };
		audit.stage = Self::drawing(now, params);
		Audits::<T>::insert(task, audit);
		Self::schedule_draw(now, step, params);
	}

	/// Ends the audit and tells the sink. Whatever is not a pass ends the case too, so it waits for
	/// reports that are sealed: a lie must not end as anything less.
	pub(crate) fn conclude(
		task: TaskId,
		mut audit: Audit<T::AccountId>,
		outcome: AuditOutcome,
		attesters: Vec<T::AccountId>,
	) {
		let stands = matches!(outcome, AuditOutcome::Passed | AuditOutcome::Spared);
		if audit.phase() == Phase::Custody && matches!(outcome, AuditOutcome::Failed(_)) {
			return Self::doubt(task, audit, attesters);
		}
		let pending = Cases::<T>::get(task).is_some_and(|case| case.pending > 0);
		if pending && !stands {
			let attesters = attesters.try_into().unwrap_or_default();
			audit.stage = Stage::Ended(Ended { outcome, attesters });
			Audits::<T>::insert(task, audit);
			return;
		}
		Audits::<T>::remove(task);
		Earlier::<T>::remove(task);
		if audit.phase() != Phase::Result {
			return Self::end_custody(task, outcome, attesters);
		}
		if !stands {
			Cases::<T>::remove(task);
		}
		if let AuditOutcome::Failed(_) = outcome {
			AuditsFailed::<T>::mutate(|n| *n = n.saturating_add(1));
		}
		Self::deposit_event(Event::AuditConcluded { task, outcome });
		T::Sink::concluded(task, outcome, attesters);
	}

	/// Tells the end of an audit that waited for reports, once none is pending.
	pub(crate) fn after_pending(task: TaskId) {
		let Some(audit) = Audits::<T>::get(task) else { return };
		if let Stage::Ended(Ended { outcome, attesters }) = audit.stage.clone() {
			Self::conclude(task, audit, outcome, attesters.into_inner());
		}
	}
}
