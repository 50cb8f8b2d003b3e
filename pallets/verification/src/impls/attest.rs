//! Attestations: who may make them, and what they decide.

use crate::{pallet::*, Audit, Seat, Stage, Voting, WeightInfo};
use assay_primitives::{
	auditor::{Attestation, AuditorSignature},
	work::{AuditOutcome, TaskId, Verdict},
	BlockNumber,
};
use codec::Encode;
use frame_support::{
	dispatch::DispatchResultWithPostInfo, ensure, pallet_prelude::TransactionValidityWithRefund,
	weights::Weight,
};
use sp_application_crypto::RuntimeAppPublic;
use sp_runtime::transaction_validity::{
	InvalidTransaction, TransactionPriority, TransactionSource, ValidTransaction,
};

/// Longest time an attestation may wait in the pool, in blocks.
const MAX_LONGEVITY: u64 = 16;

/// Attestations that decide a round of `seats`: more than two thirds.
pub(crate) fn quorum(seats: usize) -> usize {
	(seats.saturating_mul(2) / 3).saturating_add(1)
}

/// What the votes of a round say so far.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Tally {
	/// A quorum agreed.
	Decided(AuditOutcome),
	/// A quorum may still come together.
	Open,
	/// No quorum can come together.
	Split,
}

/// Counts the votes of a round. A quorum of votes other than [`Verdict::Valid`] fails the task,
/// with the first verdict of the more frequent kind; [`Verdict::Invalid`] if both are as frequent.
pub(crate) fn tally<AccountId>(seats: &[Seat<AccountId>]) -> Tally {
	let count = |f: fn(&Verdict) -> bool| {
		seats.iter().filter_map(|s| s.vote.as_ref()).filter(|v| f(v)).count()
	};
	let valid = count(|v| matches!(v, Verdict::Valid));
	let invalid = count(|v| matches!(v, Verdict::Invalid(_)));
	let unavailable = count(|v| matches!(v, Verdict::Unavailable));
	let against = invalid.saturating_add(unavailable);
	let quorum = quorum(seats.len());
	if valid >= quorum {
		return Tally::Decided(AuditOutcome::Passed);
	}
	if against >= quorum {
		let named = seats.iter().filter_map(|s| s.vote).find(|v| matches!(v, Verdict::Invalid(_)));
		let verdict = named.filter(|_| invalid >= unavailable).unwrap_or(Verdict::Unavailable);
		return Tally::Decided(AuditOutcome::Failed(verdict));
	}
	let left = seats.len().saturating_sub(valid).saturating_sub(against);
	if valid.max(against).saturating_add(left) >= quorum {
		Tally::Open
	} else {
		Tally::Split
	}
}

impl<T: Config> Pallet<T> {
	/// What the auditor of a seat signs.
	pub(crate) fn attestation(
		task: TaskId,
		submitted_at: BlockNumber,
		round: u8,
		verdict: Verdict,
	) -> Attestation {
		// The genesis hash is never pruned.
		let genesis = frame_system::Pallet::<T>::block_hash(
			frame_system::pallet_prelude::BlockNumberFor::<T>::from(0u32),
		);
		Attestation { genesis, task, submitted_at, round, verdict }
	}

	/// The audit, its vote and the number of the seat, if the seat may attest now.
	fn open_seat(
		task: TaskId,
		submitted_at: BlockNumber,
		round: u8,
		seat: u8,
	) -> Result<(Audit<T::AccountId>, Voting<T::AccountId>, usize), Error<T>> {
		let audit = Audits::<T>::get(task).ok_or(Error::<T>::NotUnderAudit)?;
		ensure!(audit.submitted_at == submitted_at, Error::<T>::NotUnderAudit);
		ensure!(audit.round == round, Error::<T>::WrongRound);
		let Stage::Voting(voting) = audit.stage.clone() else {
			return Err(Error::<T>::WrongRound);
		};
		let number = usize::from(seat);
		let held = voting.seats.get(number).ok_or(Error::<T>::NoSuchSeat)?;
		ensure!(held.vote.is_none(), Error::<T>::AlreadyAttested);
		ensure!(Self::now() <= voting.deadline, Error::<T>::TooLate);
		Ok((audit, voting, number))
	}

	/// Lets an attestation into the pool and into blocks. Cheap checks first, the signature last.
	pub(crate) fn authorize_attest(
		_source: TransactionSource,
		task: &TaskId,
		submitted_at: &BlockNumber,
		round: &u8,
		seat: &u8,
		verdict: &Verdict,
		signature: &AuditorSignature,
	) -> TransactionValidityWithRefund {
		let (_, voting, number) =
			Self::open_seat(*task, *submitted_at, *round, *seat).map_err(|error| match error {
				Error::NoSuchSeat => InvalidTransaction::BadProof,
				_ => InvalidTransaction::Stale,
			})?;
		let held = voting.seats.get(number).ok_or(InvalidTransaction::BadProof)?;
		let message = Self::attestation(*task, *submitted_at, *round, *verdict).encode();
		if !held.auditor.verify(&message, signature) {
			return Err(InvalidTransaction::BadProof.into());
		}
		let left = u64::from(voting.deadline.saturating_sub(Self::now())).saturating_add(1);
		// A seat attests once, so its two attestations, whatever they say, exclude each other.
		let validity = ValidTransaction::with_tag_prefix("assay/attest")
			.priority(TransactionPriority::MAX / 2)
			.and_provides((task, submitted_at, round, seat))
			.longevity(left.min(MAX_LONGEVITY))
			.propagate(true)
			.build()?;
		Ok((validity, Weight::zero()))
	}

	pub(crate) fn do_attest(
		task: TaskId,
		submitted_at: BlockNumber,
		round: u8,
		seat: u8,
		verdict: Verdict,
	) -> DispatchResultWithPostInfo {
		let (mut audit, mut voting, number) = Self::open_seat(task, submitted_at, round, seat)?;
		let held = voting.seats.get_mut(number).ok_or(Error::<T>::NoSuchSeat)?;
		held.vote = Some(verdict);
		Duties::<T>::remove(&held.auditor, task);
		Self::deposit_event(Event::Attested { task, auditor: held.account.clone(), verdict });

		let tally = tally(&voting.seats);
		audit.stage = Stage::Voting(voting);
		match tally {
			Tally::Decided(outcome) => {
				Self::conclude(task, audit, outcome);
				// The weight declared covers the conclusion.
				return Ok(().into());
			}
			Tally::Split => {
				Self::fail_round(Self::now(), task, audit);
				return Ok(().into());
			}
			Tally::Open => Audits::<T>::insert(task, audit),
		}
		Ok(Some(<T as Config>::WeightInfo::attest()).into())
	}
}
