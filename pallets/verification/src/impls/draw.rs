//! Drawing auditors from entropy that nobody knew when the result was submitted.

use crate::{pallet::*, Audit, Auditor, Drawing, Params, Seat, Stage, Step, Voting, MAX_DRAWN};
use alloc::{collections::BTreeSet, vec::Vec};
use assay_primitives::{work::TaskId, BlockNumber, Root};
use codec::Encode;
use frame_support::traits::Get;
use sp_io::hashing::blake2_256;

/// Most blocks of entropy looked at in one step.
pub(crate) const BLOCKS_PER_STEP: u32 = 32;
/// Blocks until a complete draw is tried again that found too few auditors.
const RETRY: BlockNumber = 5;

/// What an attempt to draw came to.
enum Attempt<AccountId> {
	/// These were drawn.
	Drawn(Vec<Auditor<AccountId>>),
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
	pub(crate) fn schedule_draw(now: BlockNumber, step: Step, params: &Params) {
		Steps::<T>::put(now, Self::soonest(now, params), step);
	}

	/// One attempt at drawing the audit's current round.
	pub(crate) fn step_drawing(
		now: BlockNumber,
		step: Step,
		mut audit: Audit<T::AccountId>,
		mut drawing: Drawing,
	) {
		let params = Parameters::<T>::get();
		Self::gather(now, &mut drawing, &params);
		match Self::attempt(now, step, &audit, &drawing, &params) {
			Attempt::Drawn(auditors) => Self::seat(now, step, audit, auditors, &params),
			Attempt::Wait(due) => {
				let end = drawing.since.saturating_add(params.draw_timeout);
				audit.stage = Stage::Drawing(drawing);
				if now > end {
					Self::fail_round(now, step.task, audit);
				} else {
					Audits::<T>::insert(step.task, audit);
					Steps::<T>::put(now, due.min(end.saturating_add(1)), step);
				}
			}
		}
	}

	/// Takes up contributions of blocks not looked at yet: the first of each author, until enough
	/// authors are in. Blocks without output do not count, and neither do any that left the ring.
	fn gather(now: BlockNumber, drawing: &mut Drawing, params: &Params) {
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
		step: Step,
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
		let auditors = Auditors::<T>::get();
		if auditors.len() < usize::from(audit.auditors) {
			// Fewer than were paid for is never enough.
			return Attempt::Wait(now.saturating_add(RETRY));
		}
		let outputs = drawing.seen.iter().take(wanted).map(|c| c.output).collect::<Vec<_>>();
		let seed = seed(step.task, audit.submitted_at, audit.round, &outputs);
		let earlier = Earlier::<T>::get(step.task).into_iter().collect::<BTreeSet<_>>();
		let (used, fresh): (Vec<_>, Vec<_>) =
			auditors.into_iter().partition(|a| earlier.contains(&a.account));
		let wanted = usize::from(audit.auditors);
		let mut drawn = sample(seed, fresh, wanted);
		let rest = wanted.saturating_sub(drawn.len());
		drawn.extend(sample(seed, used, rest));
		Attempt::Drawn(drawn)
	}

	/// Seats the auditors drawn and begins the vote.
	fn seat(
		now: BlockNumber,
		step: Step,
		mut audit: Audit<T::AccountId>,
		auditors: Vec<Auditor<T::AccountId>>,
		params: &Params,
	) {
		let deadline = now.saturating_add(params.audit_window);
		let mut voting = Voting { deadline, seats: Default::default() };
		for Auditor { id, account } in auditors.into_iter().take(MAX_DRAWN as usize) {
			Duties::<T>::insert(&id, step.task, ());
			// Cannot be full: at most as many as the bound are taken.
			let _ = voting.seats.try_push(Seat { auditor: id, account, vote: None });
		}
		let accounts = voting.seats.iter().map(|s| s.account.clone()).collect::<Vec<_>>();
		Self::deposit_event(Event::AuditorsDrawn {
			task: step.task,
			round: audit.round,
			auditors: accounts.try_into().unwrap_or_default(),
			deadline,
		});
		audit.stage = Stage::Voting(voting);
		Audits::<T>::insert(step.task, audit);
		Steps::<T>::put(now, deadline.saturating_add(1), step);
	}
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
