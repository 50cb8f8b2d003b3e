//! Figures, and what must always hold.

use crate::pallet::*;
use alloc::{string::String, vec::Vec};

impl<T: Config> Pallet<T> {
	/// Auditors of the current session.
	pub fn auditors_count() -> u32 {
		Auditors::<T>::decode_len().unwrap_or_default() as u32
	}

	/// At most `limit` of those who keep outputs, or still keep what they had: account and base URL.
	pub fn custodians(limit: usize) -> Vec<(T::AccountId, String)> {
		let announced = Custodians::<T>::iter().filter(|(_, custodian)| !custodian.url.is_empty());
		announced
			.take(limit)
			.map(|(account, custodian)| {
				(account, String::from_utf8_lossy(&custodian.url).into_owned())
			})
			.collect()
	}

	/// Audits under way.
	pub fn audits_open() -> u32 {
		Audits::<T>::count()
	}

	/// Audits that ever ended in a failure.
	pub fn audits_failed() -> u64 {
		AuditsFailed::<T>::get()
	}
}

#[cfg(any(feature = "try-runtime", test))]
mod check {
	use super::*;
	use crate::{impls::announce::keepers, AuditStep, Bond, Stage, Standing, Step, MAX_STRANGERS};
	use alloc::collections::{BTreeMap, BTreeSet};
	use assay_primitives::{url, work::TaskId, Balance};
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
			Self::check_cases()?;
			Self::check_bonds()?;
			Self::check_custodians()?;
			Self::check_agenda()?;
			Self::check_entropy()
		}

		/// Each owner's hold is the sum of the deposits of its programs; no conviction is without its
		/// program.
		fn check_programs() -> Result<(), TryRuntimeError> {
			let mut deposits = BTreeMap::<T::AccountId, Balance>::new();
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
				let case = Cases::<T>::get(task).ok_or("an audit of no case")?;
				ensure!(case.submitted_at == audit.submitted_at, "an audit of another attempt");
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
							voting.seats.iter().all(|s| s.sealed.is_some() || s.vote.is_none()),
							"a vote that was not sealed"
						);
						ensure!(
							voting.seats.iter().any(|s| s.vote.is_none()),
							"all have voted and the round goes on"
						);
						ensure!(
							voting.seats.iter().all(|seat| {
								let asked = Demands::<T>::get(task, &seat.account);
								let waits = asked.is_some_and(|demand| {
									matches!(demand.standing, Standing::Seat(_))
										&& demand.submitted_at == audit.submitted_at
								});
								seat.awaits.is_none() || waits
							}),
							"a seat waits for the answer to no demand"
						);
						for seat in voting.seats.into_iter().filter(|s| s.vote.is_none()) {
							duties.insert((seat.auditor, task));
						}
					}
					Stage::Ended(_) => ensure!(case.pending > 0, "an end that waits for nothing"),
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

		/// Each case counts its sealed reports, and keeps its window open for them.
		fn check_cases() -> Result<(), TryRuntimeError> {
			let mut pending = BTreeMap::<TaskId, u32>::new();
			let mut bonds = BTreeMap::<T::AccountId, Balance>::new();
			for (task, reporter, report) in Reports::<T>::iter() {
				let sum = bonds.entry(reporter).or_default();
				*sum = sum.saturating_add(report.bond);
				let case = Cases::<T>::get(task);
				if let Some(case) = case.filter(|c| c.submitted_at == report.submitted_at) {
					ensure!(case.closes_at > report.until, "a window closes before a report");
					let count = pending.entry(task).or_default();
					*count = count.saturating_add(1);
				}
			}
			for (reporter, sum) in bonds {
				let held = T::Currency::balance_on_hold(&HoldReason::ReportBond.into(), &reporter);
				ensure!(held == sum, "bonds of reports differ from what is held");
			}
			let mut strangers = BTreeMap::<TaskId, u8>::new();
			let mut prices = BTreeMap::<T::AccountId, Balance>::new();
			for (task, by, demand) in Demands::<T>::iter() {
				let sum = prices.entry(by.clone()).or_default();
				*sum = sum.saturating_add(demand.price);
				let case = Cases::<T>::get(task);
				let case = case.filter(|c| c.submitted_at == demand.submitted_at);
				if case.is_none() {
					continue;
				}
				let count = pending.entry(task).or_default();
				*count = count.saturating_add(1);
				if demand.standing == Standing::Stranger {
					let count = strangers.entry(task).or_default();
					*count = count.saturating_add(1);
				}
			}
			for (by, sum) in prices {
				let held = T::Currency::balance_on_hold(&HoldReason::DemandBond.into(), &by);
				ensure!(held == sum, "prices of demands differ from what is held");
			}
			for (task, case) in Cases::<T>::iter() {
				let counted = pending.get(&task).copied().unwrap_or_default();
				ensure!(case.pending == counted, "what is pending is miscounted");
				let counted = strangers.get(&task).copied().unwrap_or_default();
				ensure!(case.strangers == counted, "strangers' demands are miscounted");
				ensure!(case.strangers <= MAX_STRANGERS, "more demands than may wait");
				ensure!(
					case.commitment.trace_root.is_none() || case.given.is_none(),
					"a trace was given that was committed to"
				);
				ensure!(Programs::<T>::contains_key(case.program), "a case without a program");
			}
			for (task, submitted_at, conviction) in Convictions::<T>::iter() {
				ensure!(
					Programs::<T>::get(conviction.program).is_some_and(|p| p.users > 0),
					"a conviction without its program"
				);
				let case = Cases::<T>::get(task);
				ensure!(
					case.is_none_or(|case| case.submitted_at != submitted_at),
					"a convicted case is open"
				);
			}
			Ok(())
		}

		/// Each bond is what is held, and what is at risk of it is the sum of its seats and of what it
		/// vouched for.
		fn check_bonds() -> Result<(), TryRuntimeError> {
			let mut risks = BTreeMap::<T::AccountId, Balance>::new();
			let mut risk = |account: T::AccountId, deposit: Balance| {
				let sum = risks.entry(account).or_default();
				*sum = sum.saturating_add(deposit);
			};
			for audit in Audits::<T>::iter_values() {
				if let Stage::Voting(voting) = audit.stage {
					voting.seats.into_iter().for_each(|seat| risk(seat.account, seat.deposit));
				}
			}
			for case in Cases::<T>::iter_values() {
				case.vouched.into_iter().for_each(|(account, deposit)| risk(account, deposit));
			}
			for (account, Bond { amount, at_risk }) in Bonds::<T>::iter() {
				let held = T::Currency::balance_on_hold(&HoldReason::AuditorBond.into(), &account);
				ensure!(held == amount, "a bond differs from what is held");
				ensure!(at_risk <= amount, "more at risk than put up");
				ensure!(
					risks.remove(&account).unwrap_or_default() == at_risk,
					"risk is miscounted"
				);
			}
			ensure!(risks.values().all(|sum| *sum == 0), "at risk without a bond");
			Ok(())
		}

		/// Whoever has announced has a bond and a sound URL, and those who keep outputs are counted.
		fn check_custodians() -> Result<(), TryRuntimeError> {
			for (account, custodian) in Custodians::<T>::iter() {
				ensure!(Bonds::<T>::contains_key(account), "a custodian without a bond");
				ensure!(custodian.at <= Self::now(), "announced in times to come");
				ensure!(
					custodian.url.is_empty() || url::check(&custodian.url).is_ok(),
					"a custodian at no URL"
				);
			}
			ensure!(
				Keepers::<T>::get() == keepers(&Auditors::<T>::get()),
				"keepers are miscounted"
			);
			Ok(())
		}

		/// Everything that is open has a step coming that is meant for it, so that it ends by time.
		fn check_agenda() -> Result<(), TryRuntimeError> {
			let steps = AgendaItems::<T>::iter_values().collect::<alloc::vec::Vec<_>>();
			for (task, audit) in Audits::<T>::iter() {
				let (submitted_at, round) = (audit.submitted_at, audit.round);
				let step = Step::Audit(AuditStep { task, submitted_at, round });
				let waits = matches!(audit.stage, Stage::Ended(_));
				ensure!(waits || steps.contains(&step), "an audit without a next step");
			}
			for (task, reporter, report) in Reports::<T>::iter() {
				let step = Step::Report(task, reporter, report.at);
				ensure!(steps.contains(&step), "a report without an end");
			}
			for (task, by, demand) in Demands::<T>::iter() {
				let step = Step::Demand(task, by, demand.at);
				ensure!(steps.contains(&step), "a demand without an end");
			}
			for (task, submitted_at, _) in Convictions::<T>::iter() {
				let step = Step::Reward(task, submitted_at);
				ensure!(steps.contains(&step), "a reward without an end");
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
