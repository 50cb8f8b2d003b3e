//! What follows from a lie that is proved.

use crate::{pallet::*, Case, Conviction, Stage, Step};
use assay_primitives::{
	traits::AuditSink,
	work::{Offence, TaskId},
	BlockNumber,
};

impl<T: Config> Pallet<T> {
	/// Ends a case against the provider. Auditors that vouched for what is proved wrong lose what
	/// they put up; the challenger, who had a proof `since` a block, is paid once nobody can have had
	/// one earlier.
	pub(crate) fn convict(
		now: BlockNumber,
		task: TaskId,
		case: Case<T::AccountId>,
		offence: Offence,
		challenger: Option<(T::AccountId, BlockNumber)>,
	) {
		Self::drop_audit(task);
		Cases::<T>::remove(task);
		for (auditor, deposit) in case.vouched {
			match offence {
				Offence::Wrong(_) => Self::slash_auditor(task, &auditor, deposit),
			}
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
			commitment: case.commitment,
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

	/// Forgets an audit under way; its auditors have nothing at risk in it any more.
	pub(crate) fn drop_audit(task: TaskId) {
		Earlier::<T>::remove(task);
		let Some(audit) = Audits::<T>::take(task) else { return };
		if let Stage::Voting(voting) = audit.stage {
			for seat in voting.seats {
				Duties::<T>::remove(&seat.auditor, task);
				Self::clear_risk(&seat.account, seat.deposit);
			}
		}
	}
}
