//! Figures, and what must always hold.

use crate::pallet::*;

impl<T: Config> Pallet<T> {
	/// Auditors of the current session.
	pub fn auditors_count() -> u32 {
		Auditors::<T>::decode_len().unwrap_or_default() as u32
	}

	/// Audits under way.
	pub fn audits_open() -> u32 {
		Audits::<T>::count()
	}

	/// Audits that ever ended in a failure.
	pub fn audits_failed() -> u64 {
		AuditsFailed::<T>::get()
	}

	/// What audits cost is for a registered program; `None` if it is unknown or cannot be audited so.
	pub fn audit_fee_of(
		program: &assay_primitives::Root,
		assurance: &assay_primitives::work::Assurance,
	) -> Option<assay_primitives::Balance> {
		let program = Programs::<T>::get(program)?;
		Self::audit_fee(&program.info.costs, assurance).ok()
	}
}

#[cfg(any(feature = "try-runtime", test))]
mod check {
	use super::*;
	use crate::{Stage, Step};
	use alloc::collections::{BTreeMap, BTreeSet};
	use frame_support::{
		ensure,
		traits::{fungible::hold::Inspect, Get},
	};
	use sp_runtime::TryRuntimeError;

	impl<T: Config> Pallet<T> {
		/// Checks every invariant of the pallet's state.
		pub(crate) fn do_try_state() -> Result<(), TryRuntimeError> {
			Self::check_programs()?;
			Self::check_audits()?;
			Self::check_agenda()?;
			Self::check_entropy()
		}

		/// Each owner's hold is the sum of the deposits of its programs.
		fn check_programs() -> Result<(), TryRuntimeError> {
			let mut deposits = BTreeMap::<T::AccountId, u128>::new();
			for program in Programs::<T>::iter_values() {
				let sum = deposits.entry(program.owner).or_default();
				*sum = sum.saturating_add(program.deposit);
			}
			for (owner, sum) in deposits {
				let held = T::Currency::balance_on_hold(&HoldReason::ProgramDeposit.into(), &owner);
				ensure!(held == sum, "deposits of programs differ from what is held");
			}
			Ok(())
		}

		/// Stages are within their bounds, duties are exactly the votes owed, nothing is kept of
		/// audits that ended.
		fn check_audits() -> Result<(), TryRuntimeError> {
			let mut duties = BTreeSet::new();
			let mut audits = 0u32;
			for (task, audit) in Audits::<T>::iter() {
				audits = audits.saturating_add(1);
				match audit.stage {
					Stage::Drawing(drawing) => {
						ensure!(drawing.since >= audit.submitted_at, "drawn before submission");
						ensure!(drawing.next > drawing.since, "entropy from before the round");
						let authors =
							drawing.seen.iter().map(|c| c.author).collect::<BTreeSet<_>>();
						ensure!(authors.len() == drawing.seen.len(), "an author counted twice");
					}
					Stage::Voting(voting) => {
						let seats = voting.seats.len();
						ensure!(seats == usize::from(audit.auditors), "not as many as paid for");
						let ids = voting.seats.iter().map(|s| &s.auditor).collect::<BTreeSet<_>>();
						ensure!(ids.len() == seats, "an auditor drawn twice in a round");
						ensure!(
							super::super::attest::tally(&voting.seats)
								== super::super::attest::Tally::Open,
							"a decided vote still open"
						);
						for seat in voting.seats.into_iter().filter(|s| s.vote.is_none()) {
							duties.insert((seat.auditor, task));
						}
					}
				}
			}
			ensure!(Audits::<T>::count() == audits, "audits are miscounted");
			let kept = Duties::<T>::iter_keys().collect::<BTreeSet<_>>();
			ensure!(kept == duties, "duties are not the votes owed");
			ensure!(
				Earlier::<T>::iter_keys().all(Audits::<T>::contains_key),
				"earlier auditors of an audit that ended"
			);
			Ok(())
		}

		/// Every audit has a step coming that is meant for it, so that it ends by time.
		fn check_agenda() -> Result<(), TryRuntimeError> {
			let steps = AgendaItems::<T>::iter_values()
				.map(|Step { task, submitted_at, round }| (task, submitted_at, round))
				.collect::<BTreeSet<_>>();
			for (task, audit) in Audits::<T>::iter() {
				ensure!(
					steps.contains(&(task, audit.submitted_at, audit.round)),
					"an audit without a next step"
				);
			}
			Ok(())
		}

		/// The ring holds no more than it should.
		fn check_entropy() -> Result<(), TryRuntimeError> {
			let oldest = Self::now().saturating_sub(T::EntropyKept::get());
			ensure!(
				Entropy::<T>::iter_keys().all(|block| block >= oldest),
				"entropy is kept for too long"
			);
			Ok(())
		}
	}
}
