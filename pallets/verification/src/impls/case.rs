//! Results that may still be challenged, and the windows in which they may be.

use crate::{pallet::*, Case, Params, Standing};
use assay_primitives::{
	demand::MAX_SEAT_DEMANDS,
	views::ChallengeView,
	work::{Claim, TaskId},
	BlockNumber,
};
use frame_support::ensure;
use sp_runtime::DispatchResult;

impl<T: Config> Pallet<T> {
	/// Opens a submitted result to challenges.
	pub(crate) fn open_case(
		now: BlockNumber,
		task: TaskId,
		claim: Claim,
		params: &Params,
	) -> DispatchResult {
		ensure!(!Cases::<T>::contains_key(task), Error::<T>::AlreadyOpen);
		let inputs = claim.inputs.try_into().map_err(|_| Error::<T>::TooManyInputs)?;
		Cases::<T>::insert(
			task,
			Case {
				program: claim.program,
				inputs,
				commitment: claim.commitment,
				given: None,
				submitted_at: now,
				closes_at: now.saturating_add(params.challenge_window),
				moved: 0,
				moved_by_buyer: 0,
				pending: 0,
				strangers: 0,
				vouched: Default::default(),
			},
		);
		Ok(())
	}

	/// The block in which to look again whether the window is over; `None` once it is.
	pub(crate) fn window(task: TaskId) -> Option<BlockNumber> {
		let case = Cases::<T>::get(task)?;
		let next = Self::now().saturating_add(1);
		let over = case.closes_at < next && case.pending == 0;
		(!over).then(|| case.closes_at.max(next))
	}

	/// What a challenger needs to know of a result.
	pub fn challenge(task: TaskId) -> Option<ChallengeView> {
		let case = Cases::<T>::get(task)?;
		let commitment = case.known();
		let Case { submitted_at, closes_at, pending, .. } = case;
		let Params { report_bond: bond, report_delay: delay, report_window: window, .. } =
			Parameters::<T>::get();
		Some(ChallengeView { submitted_at, closes_at, commitment, pending, bond, delay, window })
	}

	/// Ends the window of a result that stands: whoever vouched for it was right to.
	pub(crate) fn close_case(task: TaskId) {
		if let Some(case) = Cases::<T>::take(task) {
			for (auditor, deposit) in case.vouched {
				Self::clear_risk(&auditor, deposit);
			}
		}
	}
}

impl<AccountId> Case<AccountId> {
	/// Keeps the window open beyond `until`, the last block in which something pending may come to
	/// an end. The end of the window is moved only so often; after that nothing may be begun that
	/// could outlast it. The buyer may move it as often as it takes to find a lie by demands, whatever
	/// strangers have done; a seat of an audit holds the result by the audit. Says whether it may.
	pub(crate) fn keep_open(
		&mut self,
		until: BlockNumber,
		standing: Standing,
		params: &Params,
	) -> bool {
		let (moved, most) = match standing {
			Standing::Seat(_) => return true,
			Standing::Buyer => (&mut self.moved_by_buyer, MAX_SEAT_DEMANDS as u8),
			Standing::Stranger => (&mut self.moved, params.max_moves),
		};
		let wanted = until.saturating_add(params.report_grace).saturating_add(1);
		if wanted <= self.closes_at {
			return true;
		}
		if *moved >= most {
			return until < self.closes_at;
		}
		*moved = moved.saturating_add(1);
		self.closes_at = wanted;
		true
	}
}
