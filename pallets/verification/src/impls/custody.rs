//! Custody: whether the output of a result that stands is to be had at all (DESIGN §4.8). Custodians
//! are drawn, vote and answer for absence as auditors are and do, but look at nothing beside the
//! output's root, and put nothing at risk for what is in it.

use crate::{pallet::*, Audit, Phase};
use alloc::vec::Vec;
use assay_primitives::{
	traits::AuditSink,
	work::{AuditOutcome, Delivery, Depth, TaskId},
};
use frame_support::ensure;
use sp_runtime::{DispatchResult, Perquintill};

impl<T: Config> Pallet<T> {
	/// Has custodians drawn for a result that stands.
	pub(crate) fn begin_custody(task: TaskId, custodians: u8) -> DispatchResult {
		let case = Cases::<T>::get(task).ok_or(Error::<T>::NotOpen)?;
		ensure!(!Audits::<T>::contains_key(task), Error::<T>::AlreadyOpen);
		let (now, params) = (Self::now(), Parameters::<T>::get());
		let audit = Audit {
			auditors: custodians,
			depth: Depth::Custody,
			rate: Perquintill::one(),
			submitted_at: case.submitted_at,
			round: Phase::Custody.first(),
			stage: Self::drawing(now, &params),
		};
		Self::begin_round(now, task, audit, &params);
		Self::deposit_event(Event::CustodyOpened { task, custodians });
		Ok(())
	}

	/// A first quorum could not have the output: others are asked.
	pub(crate) fn doubt(
		task: TaskId,
		mut audit: Audit<T::AccountId>,
		custodians: Vec<T::AccountId>,
	) {
		Self::remember(task, &audit);
		audit.round = Phase::Recheck.first();
		Self::begin_round(Self::now(), task, audit, &Parameters::<T>::get());
		Self::deposit_event(Event::CustodyConcluded { task, found: Delivery::Doubted });
		T::Sink::delivered(task, Delivery::Doubted, custodians);
	}

	/// Tells the sink what custodians found in the end.
	pub(crate) fn end_custody(task: TaskId, outcome: AuditOutcome, custodians: Vec<T::AccountId>) {
		let found = match outcome {
			AuditOutcome::Passed => Delivery::Held,
			AuditOutcome::Failed(_) => Delivery::Undelivered,
			AuditOutcome::Spared | AuditOutcome::Inconclusive => Delivery::Inconclusive,
		};
		Self::deposit_event(Event::CustodyConcluded { task, found });
		if !T::Sink::delivered(task, found, custodians) {
			Self::close_case(task);
		}
	}
}
