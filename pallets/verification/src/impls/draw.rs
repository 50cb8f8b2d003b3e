//! Drawing auditors from entropy that nobody knew when the result was submitted.

use crate::{
	pallet::*, Audit, AuditStep, Auditor, Bond, Drawing, Params, Phase, Seat, Stage, Step, Voting,
	MAX_DRAWN,
};
use alloc::{collections::BTreeSet, vec::Vec};
use assay_primitives::{
	work::{AuditOutcome, TaskId},
	Balance, BlockNumber, Root,
};
use codec::Encode;
use frame_support::traits::Get;
use sp_io::hashing::blake2_256;
use sp_runtime::{PerThing, Perquintill};

/// Most blocks of entropy looked at in one step.
pub(crate) const BLOCKS_PER_STEP: u32 = 32;
/// Blocks until a complete draw is tried again that found too few auditors.
const RETRY: BlockNumber = 5;

/// Auditors looked at beyond those wanted, where some have not the bond to take a seat.
const SPARE: usize = MAX_DRAWN as usize;

/// What an attempt to draw came to.
enum Attempt<AccountId> {
	/// The lot did not fall on the task.
	Spared,
	/// These were drawn.
	Drawn(Vec<Seat<AccountId>>),
	/// There are not as many as can be drawn.
	TooFew,
	/// Try again at this block.
	Wait(BlockNumber),
}

impl<T: Config> Pallet<T> {
	/// First block in which a round that began at `since` can be drawn.
	fn soonest(since: BlockNumber, params: &Params) -> BlockNumber {
		since
			.saturating_add(params.inclusion_depth)
			.saturating_add(params.distinct_authors.into())
			.saturating_add(1)
	}

	/// The stage of a round that begins at `since`.
	pub(crate) fn drawing(since: BlockNumber, params: &Params) -> Stage<T::AccountId> {
		Stage::Drawing(Drawing {
			since,
			next: since.saturating_add(params.inclusion_depth).saturating_add(1),
			seen: Default::default(),
		})
	}

	/// Puts down the first attempt at drawing the round that begins now.
	pub(crate) fn schedule_draw(now: BlockNumber, step: AuditStep, params: &Params) {
		Steps::<T>::put(now, Self::soonest(now, params), Step::Audit(step));
	}

	/// One attempt at drawing the audit's current round.
	pub(crate) fn step_drawing(
		now: BlockNumber,
		step: AuditStep,
		mut audit: Audit<T::AccountId>,
		mut drawing: Drawing,
	) {
		let params = Parameters::<T>::get();
		Self::gather(now, &mut drawing, &params);
		match Self::attempt(now, step, &audit, &drawing, &params) {
			Attempt::Spared => Self::conclude(step.task, audit, AuditOutcome::Spared, Vec::new()),
			Attempt::TooFew => {
				Self::conclude(step.task, audit, AuditOutcome::Inconclusive, Vec::new())
			}
			Attempt::Drawn(seats) => Self::seat(now, step, audit, seats, &params),
			Attempt::Wait(due) => {
				let end = drawing.since.saturating_add(params.draw_timeout);
				audit.stage = Stage::Drawing(drawing);
				if now > end {
					Self::fail_round(now, step.task, audit, Vec::new());
				} else {
					Audits::<T>::insert(step.task, audit);
					Steps::<T>::put(now, due.min(end.saturating_add(1)), Step::Audit(step));
				}
			}
		}
	}

	/// Takes up contributions of blocks not looked at yet: the first of each author, until enough
	/// authors are in. Blocks without output do not count, and neither do any that left the ring.
	pub(crate) fn gather(now: BlockNumber, drawing: &mut Drawing, params: &Params) {
		let wanted = usize::from(params.distinct_authors);
		let oldest = now.saturating_sub(T::EntropyKept::get());
		drawing.next = drawing.next.max(oldest);
		let end = now.min(drawing.next.saturating_add(BLOCKS_PER_STEP));
		while drawing.next < end && drawing.seen.len() < wanted {
			if let Some(contribution) = Entropy::<T>::get(drawing.next) {
				if drawing.seen.iter().all(|c| c.author != contribution.author) {
					// Cannot be full: fewer than `wanted`, which is within the bound.
					let _ = drawing.seen.try_push(contribution);
				}
			}
			drawing.next = drawing.next.saturating_add(1);
		}
	}

	fn attempt(
		now: BlockNumber,
		step: AuditStep,
		audit: &Audit<T::AccountId>,
		drawing: &Drawing,
		params: &Params,
	) -> Attempt<T::AccountId> {
		let wanted = usize::from(params.distinct_authors);
		let missing = wanted.saturating_sub(drawing.seen.len()) as u32;
		if missing > 0 {
			// Each missing author takes at least one more block, unless some wait in the ring.
			let blocks = if drawing.next < now { 1 } else { missing };
			return Attempt::Wait(now.saturating_add(blocks));
		}
		let outputs = drawing.seen.iter().take(wanted).map(|c| c.output).collect::<Vec<_>>();
		let seed = seed(step.task, audit.submitted_at, audit.round, &outputs);
		// The lot is cast once: a task that was drawn stays drawn in later rounds.
		if audit.round == 0 && !is_drawn(seed, audit.rate) {
			return Attempt::Spared;
		}
		let wanted = usize::from(audit.auditors);
		let earlier = Earlier::<T>::get(step.task).into_iter().collect::<BTreeSet<_>>();
		let mut auditors = Auditors::<T>::get().into_inner();
		if audit.phase() != Phase::Result {
			auditors.retain(|auditor| auditor.keeps);
		}
		let (used, fresh): (Vec<_>, Vec<_>) =
			auditors.into_iter().partition(|a| earlier.contains(&a.account));
		// What two quorums say counts for more than what one does only if nobody is in both.
		let used = if audit.phase() == Phase::Recheck { Vec::new() } else { used };
		if used.len().saturating_add(fresh.len()) < wanted && audit.phase() == Phase::Recheck {
			return Attempt::TooFew;
		}
		let looked_at = wanted.saturating_add(SPARE);
		let mut candidates = sample(seed, fresh, looked_at);
		let rest = looked_at.saturating_sub(candidates.len());
		candidates.extend(sample(seed, used, rest));
		match Self::take_seats(candidates, wanted, params.auditor_deposit) {
			Some(seats) => Attempt::Drawn(seats),
			// Fewer than were paid for is never enough.
			None => Attempt::Wait(now.saturating_add(RETRY)),
		}
	}

	/// The first `wanted` candidates that can put `deposit` at risk, having done so. Where there are
	/// not so many, those who have put up as much take seats with what they have free of it, or many
	/// cheap tasks would keep all others from being audited. `None` if there are still too few.
	fn take_seats(
		candidates: Vec<Auditor<T::AccountId>>,
		wanted: usize,
		deposit: Balance,
	) -> Option<Vec<Seat<T::AccountId>>> {
		let bond = |auditor: &Auditor<_>| Bonds::<T>::get(&auditor.account).unwrap_or_default();
		let bonds = candidates.into_iter().map(|auditor| (bond(&auditor), auditor));
		let (mut seated, busy): (Vec<_>, Vec<_>) = bonds
			.filter(|(bond, _)| bond.amount >= deposit)
			.partition(|(bond, _)| bond.free() >= deposit);
		seated.extend(busy);
		if seated.len() < wanted {
			return None;
		}
		let seat = |(bond, auditor): (Bond, Auditor<T::AccountId>)| {
			let Auditor { id, account, .. } = auditor;
			let deposit = deposit.min(bond.free());
			Self::put_at_risk(&account, deposit);
			Seat::new(id, account, deposit)
		};
		Some(seated.into_iter().take(wanted).map(seat).collect())
	}

	/// Begins the vote of the auditors drawn.
	fn seat(
		now: BlockNumber,
		step: AuditStep,
		mut audit: Audit<T::AccountId>,
		seats: Vec<Seat<T::AccountId>>,
		params: &Params,
	) {
		let seals_until = now.saturating_add(params.audit_window);
		let opens_until = seals_until.saturating_add(params.opening_window);
		for seat in &seats {
			Duties::<T>::insert(&seat.auditor, step.task, ());
		}
		let accounts = seats.iter().map(|s| s.account.clone()).collect::<Vec<_>>();
		Self::deposit_event(Event::AuditorsDrawn {
			task: step.task,
			round: audit.round,
			auditors: accounts.try_into().unwrap_or_default(),
			seals_until,
			opens_until,
		});
		// As many as were asked for, which is within the bound.
		let seats = seats.try_into().unwrap_or_default();
		audit.stage = Stage::Voting(Voting { seals_until, opens_until, seats });
		Audits::<T>::insert(step.task, audit);
		Steps::<T>::put(now, seals_until.saturating_add(1), Step::Audit(step));
	}
}

/// Whether the lot falls on a task that is audited at this rate: whether the first 64 bits of
/// BLAKE2b-256("assay/lot" ‖ seed), as a fraction of 2^64, are below it.
pub(crate) fn is_drawn(seed: [u8; 32], rate: Perquintill) -> bool {
	let mut word = [0; 8];
	let hash = blake2_256(&(b"assay/lot", seed).encode());
	word.iter_mut().zip(hash).for_each(|(w, h)| *w = h);
	// lot / 2^64 < rate / 10^18
	let lot = u128::from(u64::from_le_bytes(word)).saturating_mul(Perquintill::ACCURACY.into());
	lot < u128::from(rate.deconstruct()) << 64
}

/// Seed of one draw: BLAKE2b-256 of the SCALE encoding of (task, submission, round, outputs).
pub(crate) fn seed(
	task: TaskId,
	submitted_at: BlockNumber,
	round: u8,
	outputs: &[Root],
) -> [u8; 32] {
	blake2_256(&(task, submitted_at, round, outputs).encode())
}

/// `wanted` distinct items, or all if there are fewer: the head of a Fisher–Yates shuffle whose
/// i-th choice is the first 128 bits of BLAKE2b-256(seed ‖ u32le(i)) modulo what is left. With at
/// most 2^32 items the bias of the modulus is below 2^-96.
pub(crate) fn sample<I>(seed: [u8; 32], mut items: Vec<I>, wanted: usize) -> Vec<I> {
	let wanted = wanted.min(items.len());
	for i in 0..wanted {
		let mut word = [0; 16];
		let hash = blake2_256(&(seed, i as u32).encode());
		word.iter_mut().zip(hash).for_each(|(w, h)| *w = h);
		// At least one is left, since i < wanted <= len.
		let left = items.len().saturating_sub(i).max(1) as u128;
		let choice = (u128::from_le_bytes(word) % left) as usize;
		items.swap(i, i.saturating_add(choice));
	}
	items.truncate(wanted);
	items
}
