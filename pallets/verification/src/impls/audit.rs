//! Opening, moving on and concluding audits.

use crate::{pallet::*, Audit, Seat, Stage, Step, WeightInfo, MAX_DRAWN, MAX_EARLIER, MAX_ROUNDS};
use alloc::vec::Vec;
use assay_primitives::{
	traits::{self, AuditSink},
	work::{Assurance, AuditOutcome, Claim, Costs, TaskId},
	Balance, BlockNumber,
};
use frame_support::{
	ensure,
	traits::Get,
	weights::{Weight, WeightMeter},
};
use sp_runtime::{DispatchError, DispatchResult, Perbill};

/// Share of a block that steps of audits may take.
const POLL_SHARE: Perbill = Perbill::from_percent(25);

impl<T: Config> traits::Audits for Pallet<T> {
	fn fee(costs: &Costs, assurance: &Assurance) -> Result<Balance, DispatchError> {
		Self::audit_fee(costs, assurance)
	}

	fn open(task: TaskId, claim: Claim, assurance: Assurance) -> DispatchResult {
		let Assurance::Audited { auditors } = assurance;
		ensure!((1..=MAX_DRAWN).contains(&u32::from(auditors)), Error::<T>::NotEnoughAuditors);
		ensure!(!Audits::<T>::contains_key(task), Error::<T>::AlreadyUnderAudit);
		let inputs = claim.inputs.try_into().map_err(|_| Error::<T>::TooManyInputs)?;

		let now = Self::now();
		let params = Parameters::<T>::get();
		let step = Step { task, submitted_at: now, round: 0 };
		Audits::<T>::insert(
			task,
			Audit {
				program: claim.program,
				inputs,
				commitment: claim.commitment,
				auditors,
				submitted_at: now,
				round: 0,
				stage: Self::drawing(now, &params),
			},
		);
		Self::schedule_draw(now, step, &params);
		Self::deposit_event(Event::AuditOpened { task, auditors });
		Ok(())
	}

	fn forget(task: TaskId) {
		if let Some(audit) = Audits::<T>::take(task) {
			Self::drop_duties(task, &audit.stage);
			Earlier::<T>::remove(task);
		}
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

	/// Weight of the heaviest step.
	pub(crate) fn step_weight() -> Weight {
		<T as Config>::WeightInfo::step_draw(T::MaxAuditors::get())
			.max(<T as Config>::WeightInfo::step_deadline())
			.saturating_add(T::Sink::concluded_weight(MAX_DRAWN))
	}

	/// Panics at start-up, in tests and when a runtime is built, if a step does not fit its share.
	pub(crate) fn check_integrity() {
		let share = POLL_SHARE * T::BlockWeights::get().max_block;
		let need = Self::step_weight()
			.saturating_add(<T as Config>::WeightInfo::agenda_overhead().saturating_mul(3));
		assert!(need.all_lte(share), "verification: a step of an audit must fit a quarter block");
		assert!(T::EntropyKept::get() > super::draw::BLOCKS_PER_STEP, "verification: short ring");
		const { assert!(MAX_EARLIER >= MAX_DRAWN * (MAX_ROUNDS - 1)) };
	}

	/// Does what is due for one audit, if it still stands where it stood when that was put down.
	pub(crate) fn step(now: BlockNumber, step: Step) {
		let Some(audit) = Audits::<T>::get(step.task) else { return };
		if audit.submitted_at != step.submitted_at || audit.round != step.round {
			return;
		}
		match audit.stage.clone() {
			Stage::Drawing(drawing) => Self::step_drawing(now, step, audit, drawing),
			Stage::Voting(voting) if now > voting.deadline => {
				for Seat { account, .. } in voting.seats.into_iter().filter(|s| s.vote.is_none()) {
					Self::deposit_event(Event::Absent { task: step.task, auditor: account });
				}
				Self::fail_round(now, step.task, audit);
			}
			Stage::Voting(_) => {}
		}
	}

	/// Ends a round without a quorum: draws again, or ends the audit as inconclusive.
	pub(crate) fn fail_round(now: BlockNumber, task: TaskId, mut audit: Audit<T::AccountId>) {
		let params = Parameters::<T>::get();
		let round = audit.round.saturating_add(1);
		if round >= params.max_rounds {
			return Self::conclude(task, audit, AuditOutcome::Inconclusive);
		}
		Self::drop_duties(task, &audit.stage);
		if let Stage::Voting(voting) = &audit.stage {
			Earlier::<T>::mutate(task, |earlier| {
				for seat in &voting.seats {
					// Cannot be full within the rounds that parameters may allow.
					let _ = earlier.try_push(seat.account.clone());
				}
			});
		}
		Self::deposit_event(Event::RoundFailed { task, round: audit.round });
		let step = Step { task, submitted_at: audit.submitted_at, round };
		audit.round = round;
		audit.stage = Self::drawing(now, &params);
		Audits::<T>::insert(task, audit);
		Self::schedule_draw(now, step, &params);
	}

	/// Ends the audit, forgets it and tells the sink. Whoever attested in this last round, with
	/// whatever verdict, is named as owed the fee.
	pub(crate) fn conclude(task: TaskId, audit: Audit<T::AccountId>, outcome: AuditOutcome) {
		Self::drop_duties(task, &audit.stage);
		Audits::<T>::remove(task);
		Earlier::<T>::remove(task);
		let attesters = match audit.stage {
			Stage::Voting(voting) => voting
				.seats
				.into_iter()
				.filter(|s| s.vote.is_some())
				.map(|s| s.account)
				.collect::<Vec<_>>(),
			Stage::Drawing(_) => Vec::new(),
		};
		if let AuditOutcome::Failed(_) = outcome {
			AuditsFailed::<T>::mutate(|n| *n = n.saturating_add(1));
		}
		Self::deposit_event(Event::AuditConcluded { task, outcome });
		T::Sink::concluded(task, outcome, attesters);
	}

	fn drop_duties(task: TaskId, stage: &Stage<T::AccountId>) {
		if let Stage::Voting(voting) = stage {
			for seat in voting.seats.iter().filter(|s| s.vote.is_none()) {
				Duties::<T>::remove(&seat.auditor, task);
			}
		}
	}
}
