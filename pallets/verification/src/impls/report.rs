//! Reports of fraud: first sealed, then opened, so that a proof cannot be stolen from the pool.

use crate::{pallet::*, report_seal, Case, Rejection, Report, Standing, Step, WeightInfo};
use alloc::vec::Vec;
use assay_compute::{
	audit::Claim as ComputeClaim,
	proof::{self, FraudProof, Rejected, Statement},
};
use assay_primitives::{
	auditor::Salt,
	traits::WorkLedger,
	work::{Commitment, Fault, Offence, TaskId},
	Balance, BlockNumber, Root,
};
use codec::DecodeAll;
use frame_support::{
	ensure,
	traits::{
		fungible::hold::Mutate as _,
		tokens::{Fortitude, Precision},
	},
	weights::Weight,
};
use sp_runtime::DispatchResult;

impl<T: Config> Pallet<T> {
	pub(crate) fn do_commit_report(
		reporter: T::AccountId,
		task: TaskId,
		seal: Root,
	) -> DispatchResult {
		let mut case = Cases::<T>::get(task).ok_or(Error::<T>::NotOpen)?;
		let params = Parameters::<T>::get();
		if let Some(earlier) = Reports::<T>::get(task, &reporter) {
			ensure!(earlier.submitted_at != case.submitted_at, Error::<T>::AlreadyReported);
			// What it was about is decided.
			Self::return_report_bond(&reporter, earlier.bond)?;
		}
		let now = Self::now();
		let until = now.saturating_add(params.report_window);
		ensure!(case.keep_open(until, Standing::Stranger, &params), Error::<T>::TooLate);
		let bond = params.report_bond;
		T::Currency::hold(&HoldReason::ReportBond.into(), &reporter, bond)?;
		case.pending = case.pending.saturating_add(1);
		let submitted_at = case.submitted_at;
		Cases::<T>::insert(task, case);
		let from = now.saturating_add(params.report_delay);
		let report = Report { submitted_at, seal, at: now, from, until, bond };
		Reports::<T>::insert(task, &reporter, report);
		let step = Step::Report(task, reporter.clone(), now);
		Steps::<T>::put(now, until.saturating_add(1), step);
		Self::deposit_event(Event::ReportSealed { task, reporter, until });
		Ok(())
	}

	pub(crate) fn do_report_fraud(
		reporter: T::AccountId,
		task: TaskId,
		proof: &[u8],
		salt: &Salt,
	) -> DispatchResult {
		let report = Reports::<T>::get(task, &reporter).ok_or(Error::<T>::NoReport)?;
		let sealed = report_seal(&reporter, task, report.submitted_at, proof, salt);
		ensure!(sealed == report.seal, Error::<T>::WrongSeal);
		let now = Self::now();
		ensure!(now >= report.from, Error::<T>::TooEarly);
		ensure!(now <= report.until, Error::<T>::TooLate);

		Reports::<T>::remove(task, &reporter);
		if let Some(mut case) = Self::case_of(task, report.submitted_at) {
			case.pending = case.pending.saturating_sub(1);
			match Self::judge(&case.program, &case.inputs, &case.known(), proof) {
				Ok(fault) => {
					Self::return_report_bond(&reporter, report.bond)?;
					let by = Some((reporter, report.at));
					Self::convict(now, task, case, Offence::Wrong(fault), by);
				}
				Err(why) => {
					Cases::<T>::insert(task, case);
					Self::burn_report_bond(task, reporter, report.bond, why)?;
					Self::after_pending(task);
				}
			}
			return Ok(());
		}
		let Some(mut conviction) = Convictions::<T>::get(task, report.submitted_at) else {
			return Self::void_report(task, reporter, report.bond);
		};
		let (inputs, commitment) = (&conviction.inputs, &conviction.commitment);
		match Self::judge(&conviction.program, inputs, commitment, proof) {
			Ok(_) => {
				Self::return_report_bond(&reporter, report.bond)?;
				if report.at < conviction.since {
					conviction.since = report.at;
					conviction.challenger = reporter.clone();
					Convictions::<T>::insert(task, report.submitted_at, conviction);
					Self::deposit_event(Event::EarlierReport { task, reporter });
				}
				Ok(())
			}
			Err(why) => Self::burn_report_bond(task, reporter, report.bond, why),
		}
	}

	/// Ends a report whose time is over. While its case stood the silence costs the bond, for it kept
	/// the case open; once that is decided it costs nothing.
	pub(crate) fn lapse_report(task: TaskId, reporter: T::AccountId, at: BlockNumber) {
		let current = Reports::<T>::get(task, &reporter).filter(|report| report.at == at);
		let Some(report) = current else { return };
		Reports::<T>::remove(task, &reporter);
		let ended = match Self::case_of(task, report.submitted_at) {
			Some(mut case) => {
				case.pending = case.pending.saturating_sub(1);
				Cases::<T>::insert(task, case);
				let ended =
					Self::burn_report_bond(task, reporter, report.bond, Rejection::NotOpened);
				Self::after_pending(task);
				ended
			}
			None => Self::void_report(task, reporter, report.bond),
		};
		if let Err(error) = ended {
			frame_support::defensive!("a report's bond is not on hold", error);
		}
	}

	/// The case of this attempt at the task, if it is not decided.
	pub(crate) fn case_of(task: TaskId, submitted_at: BlockNumber) -> Option<Case<T::AccountId>> {
		Cases::<T>::get(task).filter(|case| case.submitted_at == submitted_at)
	}

	/// Decides a fraud proof against a claim, by the same code with which it was made.
	pub(crate) fn judge(
		program: &Root,
		inputs: &[Root],
		commitment: &Commitment,
		proof: &[u8],
	) -> Result<Fault, Rejection> {
		let proof =
			FraudProof::decode_all(&mut &proof[..]).map_err(|_| Rejection::NotUnderstood)?;
		let verdict = Self::with_statement(program, inputs, commitment, |statement| {
			proof::verify(statement, &proof)
		});
		// Without a trace root nothing is committed to but the output.
		let verdict = verdict.ok_or(Rejection::NotProved)?;
		verdict.map(Fault::from).map_err(|why| match why {
			Rejected::NoFault => Rejection::NoFault,
			_ => Rejection::NotProved,
		})
	}

	/// Does something with what is claimed; `None` if no trace was committed to.
	pub(crate) fn with_statement<R>(
		program: &Root,
		inputs: &[Root],
		commitment: &Commitment,
		act: impl FnOnce(&Statement<'_>) -> R,
	) -> Option<R> {
		let registered = Programs::<T>::get(program)?;
		let claim = ComputeClaim {
			input_roots: inputs.iter().map(|root| root.0).collect::<Vec<_>>(),
			output_root: commitment.output_root.0,
			trace_root: commitment.trace_root?.0,
		};
		Some(act(&Statement {
			program: &program.0,
			nodes: registered.info.nodes,
			inputs: &registered.input_nodes,
			claim: &claim,
		}))
	}

	/// Weight of [`Pallet::judge`] for a proof of so many bytes: that of the operation which costs most
	/// a byte.
	pub(crate) fn judge_weight(bytes: u32) -> Weight {
		<T as Config>::WeightInfo::verify_fill(bytes)
			.max(<T as Config>::WeightInfo::verify_product(bytes))
			.max(<T as Config>::WeightInfo::verify_quant(bytes))
			.max(<T as Config>::WeightInfo::verify_norm(bytes))
	}

	fn return_report_bond(reporter: &T::AccountId, bond: Balance) -> DispatchResult {
		let reason = HoldReason::ReportBond.into();
		T::Currency::release(&reason, reporter, bond, Precision::Exact)?;
		Ok(())
	}

	fn void_report(task: TaskId, reporter: T::AccountId, bond: Balance) -> DispatchResult {
		Self::return_report_bond(&reporter, bond)?;
		Self::deposit_event(Event::ReportVoid { task, reporter });
		Ok(())
	}

	fn burn_report_bond(
		task: TaskId,
		reporter: T::AccountId,
		bond: Balance,
		why: Rejection,
	) -> DispatchResult {
		let reason = HoldReason::ReportBond.into();
		let (precision, force) = (Precision::Exact, Fortitude::Force);
		let burned = T::Currency::burn_held(&reason, &reporter, bond, precision, force)?;
		T::Ledger::destroyed(burned);
		Self::deposit_event(Event::ReportRejected { task, reporter, why, burned });
		Ok(())
	}
}
