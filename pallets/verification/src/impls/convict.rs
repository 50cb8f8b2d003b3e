//! What follows from a lie that is proved.

use crate::{pallet::*, Case, Conviction, Stage, Step};
use assay_primitives::{
	traits::AuditSink,
	work::{Offence, TaskId, Verdict},
	Balance, BlockNumber,
};

impl<T: Config> Pallet<T> {
	/// Ends a case against the provider. Auditors that vouched for what is proved wrong lose what
	/// they put up, but not for a trace that they were not shown or that is only withheld; the challenger, who had a proof `since` a block, is paid once nobody can have had
	/// one earlier.
	pub(crate) fn convict(
		now: BlockNumber,
		task: TaskId,
		case: Case<T::AccountId>,
		offence: Offence,
		challenger: Option<(T::AccountId, BlockNumber)>,
	) {
		// Of a result without a trace, auditors have seen the output. A trace given later may be wrong
		// though that is right, and they must not be made to answer for it.
		let answers = matches!(offence, Offence::Wrong(_)) && case.given.is_none();
		Self::drop_audit(task, answers);
		Cases::<T>::remove(task);
		let commitment = case.known();
		for (auditor, deposit) in case.vouched {
			Self::end_risk(task, &auditor, deposit, answers);
		}
		let reward = T::Sink::convicted(task, offence, challenger.is_some());
		Self::deposit_event(Event::Convicted {
			task,
			offence,
			challenger: challenger.as_ref().map(|(account, _)| account.clone()),
		});
		let Some((challenger, since)) = challenger else { return };
		Programs::<T>::mutate_extant(case.program, |p| p.users = p.users.saturating_add(1));
		let conviction = Conviction {
			program: case.program,
			inputs: case.inputs,
			commitment,
			challenger,
			since,
			reward,
		};
		Convictions::<T>::insert(task, case.submitted_at, conviction);
		// Whatever was sealed before this block can be opened until then.
		let due = now.saturating_add(Parameters::<T>::get().report_window).saturating_add(1);
		Steps::<T>::put(now, due, Step::Reward(task, case.submitted_at));
	}

	/// Pays whoever had a proof first.
	pub(crate) fn pay_reward(task: TaskId, submitted_at: BlockNumber) {
		let Some(conviction) = Convictions::<T>::take(task, submitted_at) else { return };
		Programs::<T>::mutate_extant(conviction.program, |p| p.users = p.users.saturating_sub(1));
		let Conviction { challenger, reward, .. } = conviction;
		T::Sink::reward(&challenger, reward);
		Self::deposit_event(Event::Rewarded { task, challenger, amount: reward });
	}

	/// Forgets the audit under way of what is proved wrong. Who has said that it is right loses its
	/// deposit, unless a few rows were all it had to look at; the others have nothing at risk any more.
	fn drop_audit(task: TaskId, answers: bool) {
		Earlier::<T>::remove(task);
		let Some(audit) = Audits::<T>::take(task) else { return };
		if let Stage::Voting(voting) = &audit.stage {
			Self::forget_answers(task, &audit, voting);
			for seat in &voting.seats {
				Duties::<T>::remove(&seat.auditor, task);
				let vouches = seat.vote == Some(Verdict::Valid) && audit.depth.vouches();
				Self::end_risk(task, &seat.account, seat.deposit, answers && vouches);
			}
		}
	}

	/// Ends what an auditor has at risk, at its cost or not.
	fn end_risk(task: TaskId, auditor: &T::AccountId, deposit: Balance, slashed: bool) {
		if slashed {
			Self::slash_auditor(task, auditor, deposit);
		} else {
			Self::clear_risk(auditor, deposit);
		}
	}
}
