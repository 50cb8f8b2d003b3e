//! Attestations: who may make them, and what they decide. Each drawn auditor first seals its verdict
//! and opens it once all are sealed or the time for that is over.

use crate::{
	pallet::*, Audit, AuditStep, Phase, Seat, Stage, Step, Voting, WeightInfo, MAX_PROOF_BYTES,
};
use alloc::vec::Vec;
use assay_primitives::{
	auditor::{seal, AuditorSignature, Salt, SeatId, SignedSeal},
	work::{AuditOutcome, Offence, TaskId, Verdict},
	BlockNumber, Root,
};
use codec::Encode;
use frame_support::{
	dispatch::{DispatchResult, DispatchResultWithPostInfo},
	ensure,
	pallet_prelude::{ConstU32, TransactionValidityWithRefund},
	weights::Weight,
	BoundedVec,
};
use sp_application_crypto::RuntimeAppPublic;
use sp_runtime::transaction_validity::{
	InvalidTransaction, TransactionPriority, TransactionSource, ValidTransaction,
};

/// Longest time an attestation may wait in the pool, in blocks.
const MAX_LONGEVITY: u64 = 16;

/// Attestations that decide a round of `seats`: more than two thirds, of custodians more than half.
pub(crate) fn quorum(seats: usize, phase: Phase) -> usize {
	let most = match phase {
		Phase::Result => seats.saturating_mul(2) / 3,
		Phase::Custody | Phase::Recheck => seats / 2,
	};
	most.saturating_add(1)
}

/// What the opened verdicts of a round come to; `None` if no quorum agrees. A verdict of
/// [`Verdict::Invalid`] is no vote: with its proof it has ended the case.
pub(crate) fn tally<AccountId>(seats: &[Seat<AccountId>], phase: Phase) -> Option<AuditOutcome> {
	let count = |verdict| seats.iter().filter(|seat| seat.vote == Some(verdict)).count();
	let quorum = quorum(seats.len(), phase);
	if count(Verdict::Valid) >= quorum {
		Some(AuditOutcome::Passed)
	} else if count(Verdict::Unavailable) >= quorum {
		Some(AuditOutcome::Failed(Verdict::Unavailable))
	} else {
		None
	}
}

/// A round in which a seat may act, and the seat's place in it.
pub(crate) struct OpenSeat<AccountId> {
	audit: Audit<AccountId>,
	pub(crate) voting: Voting<AccountId>,
	number: usize,
}

impl<T: Config> Pallet<T> {
	/// What the auditor of a seat signs to seal a verdict.
	pub(crate) fn signed_seal(seat: SeatId, seal: Root) -> SignedSeal {
		SignedSeal { genesis: Self::genesis(), seat, seal }
	}

	/// Hash of the first block, which is never pruned.
	pub(crate) fn genesis() -> Root {
		frame_system::Pallet::<T>::block_hash(
			frame_system::pallet_prelude::BlockNumberFor::<T>::from(0u32),
		)
	}

	pub(crate) fn round_of(id: SeatId) -> Result<OpenSeat<T::AccountId>, Error<T>> {
		let audit = Audits::<T>::get(id.task).ok_or(Error::<T>::NotUnderAudit)?;
		ensure!(audit.submitted_at == id.submitted_at, Error::<T>::NotUnderAudit);
		ensure!(audit.round == id.round, Error::<T>::WrongRound);
		let Stage::Voting(voting) = audit.stage.clone() else {
			return Err(Error::<T>::WrongRound);
		};
		let number = usize::from(id.number);
		ensure!(voting.seats.get(number).is_some(), Error::<T>::NoSuchSeat);
		Ok(OpenSeat { audit, voting, number })
	}

	/// The round, if the seat may seal its verdict now.
	pub(crate) fn to_seal(id: SeatId) -> Result<OpenSeat<T::AccountId>, Error<T>> {
		let open = Self::round_of(id)?;
		let seat = open.seat().ok_or(Error::<T>::NoSuchSeat)?;
		ensure!(seat.sealed.is_none(), Error::<T>::AlreadySealed);
		ensure!(Self::now() <= open.voting.seals_until, Error::<T>::TooLate);
		Ok(open)
	}

	/// The round, if the seat may open this verdict now.
	fn to_open(
		id: SeatId,
		verdict: &Verdict,
		proof: &[u8],
		salt: &Salt,
	) -> Result<OpenSeat<T::AccountId>, Error<T>> {
		let open = Self::round_of(id)?;
		let seat = open.seat().ok_or(Error::<T>::NoSuchSeat)?;
		ensure!(seat.vote.is_none(), Error::<T>::AlreadyAttested);
		let (sealed, _) = seat.sealed.ok_or(Error::<T>::NotSealed)?;
		let now = Self::now();
		ensure!(open.voting.opening(now), Error::<T>::TooEarly);
		ensure!(now <= open.voting.opens_until, Error::<T>::TooLate);
		ensure!(sealed == seal(&seat.auditor, &id, verdict, proof, salt), Error::<T>::WrongSeal);
		Ok(open)
	}

	/// Lets a sealed verdict into the pool and into blocks. Cheap checks first, the signature last.
	pub(crate) fn authorize_seal(
		_source: TransactionSource,
		id: &SeatId,
		seal: &Root,
		signature: &AuditorSignature,
	) -> TransactionValidityWithRefund {
		let open = Self::to_seal(*id).map_err(not_now)?;
		let seat = open.seat().ok_or(InvalidTransaction::BadProof)?;
		let message = Self::signed_seal(*id, *seal).encode();
		if !seat.auditor.verify(&message, signature) {
			return Err(InvalidTransaction::BadProof.into());
		}
		Self::valid("assay/seal", id, open.voting.seals_until)
	}

	/// Lets the opening of a verdict into the pool and into blocks: only who sealed it knows how.
	pub(crate) fn authorize_open(
		_source: TransactionSource,
		id: &SeatId,
		verdict: &Verdict,
		proof: &BoundedVec<u8, ConstU32<MAX_PROOF_BYTES>>,
		salt: &Salt,
	) -> TransactionValidityWithRefund {
		let open = Self::to_open(*id, verdict, proof, salt).map_err(not_now)?;
		Self::valid("assay/open", id, open.voting.opens_until)
	}

	/// A seat does each thing once, so two transactions for it, whatever they say, exclude each other.
	pub(crate) fn valid(
		tag: &'static str,
		id: &impl Encode,
		until: BlockNumber,
	) -> TransactionValidityWithRefund {
		let left = u64::from(until.saturating_sub(Self::now())).saturating_add(1);
		let validity = ValidTransaction::with_tag_prefix(tag)
			.priority(TransactionPriority::MAX / 2)
			.and_provides(id)
			.longevity(left.min(MAX_LONGEVITY))
			.propagate(true)
			.build()?;
		Ok((validity, Weight::zero()))
	}

	pub(crate) fn do_seal(id: SeatId, seal: Root) -> DispatchResult {
		let mut open = Self::to_seal(id)?;
		let now = Self::now();
		let seat = open.seat_mut().ok_or(Error::<T>::NoSuchSeat)?;
		seat.sealed = Some((seal, now));
		let auditor = seat.account.clone();
		Self::deposit_event(Event::Sealed { task: id.task, auditor });
		Self::store_round(id.task, open);
		Ok(())
	}

	pub(crate) fn store_round(task: TaskId, open: OpenSeat<T::AccountId>) {
		let OpenSeat { mut audit, voting, .. } = open;
		audit.stage = Stage::Voting(voting);
		Audits::<T>::insert(task, audit);
	}

	/// Looks at a round again when the time for sealing is over.
	pub(crate) fn schedule_voting(id: SeatId, seals_until: BlockNumber) {
		let SeatId { task, submitted_at, round, .. } = id;
		let step = Step::Audit(AuditStep { task, submitted_at, round });
		Steps::<T>::put(Self::now(), seals_until.saturating_add(1), step);
	}

	pub(crate) fn do_open(
		id: SeatId,
		verdict: Verdict,
		proof: &[u8],
		salt: &Salt,
	) -> DispatchResultWithPostInfo {
		let mut open = Self::to_open(id, &verdict, proof, salt)?;
		let now = Self::now();
		let seat = open.seat_mut().ok_or(Error::<T>::NoSuchSeat)?;
		let auditor = seat.account.clone();
		if let Verdict::Invalid(place) = verdict {
			let since = seat.sealed.map_or(now, |(_, at)| at);
			let case = Cases::<T>::get(id.task).ok_or(Error::<T>::NotOpen)?;
			match Self::judge(&case.program, &case.inputs, &case.known(), proof) {
				Ok(fault) if fault.place == place => {
					Self::deposit_event(Event::Attested {
						task: id.task,
						auditor: auditor.clone(),
						verdict,
					});
					let by = Some((auditor, since));
					Self::convict(now, id.task, case, Offence::Wrong(fault), by);
					return Ok(().into());
				}
				_ => {
					// An accusation that does not hold is worth nothing and costs what silence costs.
					let deposit = core::mem::take(&mut seat.deposit);
					Self::slash_auditor(id.task, &auditor, deposit);
				}
			}
		}
		seat.vote = Some(match verdict {
			Verdict::Invalid(_) => Verdict::Abstained,
			other => other,
		});
		Duties::<T>::remove(&seat.auditor, id.task);
		Self::deposit_event(Event::Attested { task: id.task, auditor, verdict });
		let pending = open.voting.seats.iter().any(|s| s.sealed.is_some() && s.vote.is_none());
		if pending || !open.voting.opening(now) {
			Self::store_round(id.task, open);
			let judged = Self::judge_weight(proof.len() as u32);
			let own = <T as Config>::WeightInfo::open_verdict().saturating_add(judged);
			return Ok(Some(own).into());
		}
		Self::end_round(now, id.task, open.audit, open.voting);
		Ok(().into())
	}

	/// A step of an open vote: the time for sealing or opening may be over.
	pub(crate) fn step_voting(
		now: BlockNumber,
		step: AuditStep,
		audit: Audit<T::AccountId>,
		voting: Voting<T::AccountId>,
	) {
		let sealed = voting.seats.iter().any(|seat| seat.sealed.is_some());
		if now > voting.opens_until || (now > voting.seals_until && !sealed) {
			Self::end_round(now, step.task, audit, voting);
		} else if now > voting.seals_until {
			Steps::<T>::put(now, voting.opens_until.saturating_add(1), Step::Audit(step));
		}
	}

	/// Counts the verdicts of a round. Who did not give one loses its deposit; who vouched for what
	/// passes has it at risk until the window is over; all others have it free again.
	fn end_round(
		now: BlockNumber,
		task: TaskId,
		mut audit: Audit<T::AccountId>,
		voting: Voting<T::AccountId>,
	) {
		Self::forget_answers(task, &audit, &voting);
		let outcome = tally(&voting.seats, audit.phase());
		let mut vouched = Vec::new();
		let mut attesters = Vec::new();
		for seat in &voting.seats {
			match seat.vote {
				None => {
					Duties::<T>::remove(&seat.auditor, task);
					Self::deposit_event(Event::Absent { task, auditor: seat.account.clone() });
					Self::slash_auditor(task, &seat.account, seat.deposit);
				}
				Some(Verdict::Valid)
					if outcome == Some(AuditOutcome::Passed) && audit.depth.vouches() =>
				{
					vouched.push((seat.account.clone(), seat.deposit));
				}
				Some(_) => Self::clear_risk(&seat.account, seat.deposit),
			}
			if matches!(seat.vote, Some(Verdict::Valid | Verdict::Unavailable)) {
				attesters.push(seat.account.clone());
			}
		}
		if audit.phase() == Phase::Result {
			Cases::<T>::mutate_extant(task, |case| {
				case.vouched = vouched.try_into().unwrap_or_default();
			});
		}
		match outcome {
			Some(outcome) => Self::conclude(task, audit, outcome, attesters),
			None => {
				audit.stage = Stage::Voting(voting);
				Self::fail_round(now, task, audit, attesters);
			}
		}
	}
}

impl<AccountId> OpenSeat<AccountId> {
	pub(crate) fn seat(&self) -> Option<&Seat<AccountId>> {
		self.voting.seats.get(self.number)
	}

	pub(crate) fn seat_mut(&mut self) -> Option<&mut Seat<AccountId>> {
		self.voting.seats.get_mut(self.number)
	}
}

pub(crate) fn not_now<T>(error: Error<T>) -> InvalidTransaction {
	match error {
		Error::NoSuchSeat | Error::WrongSeal | Error::BadUrl | Error::NotAnAuditor => {
			InvalidTransaction::BadProof
		}
		Error::TooEarly => InvalidTransaction::Future,
		_ => InvalidTransaction::Stale,
	}
}
