//! A job from posting to its record's removal.

use super::*;

#[test]
fn honest_work_is_paid_after_audit_and_window() {
	build_and_execute(|| {
		let before = Balances::free_balance(BUYER);
		post(2);
		let per_task = 3 * ASY + 2 * FEE;
		assert_eq!(held(), 2 * per_task);
		pass(1);
		assert!(matches!(task(0).status, TaskStatus::Offered { until: 7 }));
		assert!(Engaged::<Test>::contains_key(PROVIDER, TaskId { job: 0, index: 1 }));

		for index in 0..2 {
			accept(index);
			submit(index);
		}
		assert_eq!(state(|s| s.locked[&PROVIDER]), 2 * PRICE * STAKE_RATIO);
		conclude(0, AuditOutcome::Passed, vec![AUDITOR]);
		conclude(1, AuditOutcome::Passed, vec![AUDITOR]);
		// Submitted at 2, window 10: nothing is paid before 12.
		pass(9);
		assert_eq!(Balances::free_balance(PROVIDER), 0);
		pass(1);
		assert!(matches!(task(0).status, TaskStatus::Settled { at: 12 }));

		// 5 % of 2 ASY is 0.1 ASY, of which 60 % is burned.
		let fee = ASY / 10;
		assert_eq!(Balances::free_balance(PROVIDER), 2 * (PRICE - fee));
		assert_eq!(state(|s| s.burned), 2 * fee * 6 / 10);
		assert_eq!(Balances::free_balance(TREASURY), ASY + 2 * fee * 4 / 10);
		assert_eq!(Balances::free_balance(AUDITOR), ASY + 2 * FEE);
		assert_eq!(before - Balances::free_balance(BUYER), 2 * (PRICE + FEE));
		assert_eq!(held(), 0);
		assert_eq!(state(|s| s.locked[&PROVIDER]), 0);
		assert_eq!(state(|s| s.program_users), 0);
		System::assert_has_event(Event::Closed { job: 0 }.into());

		pass(19);
		assert!(Jobs::<Test>::contains_key(0), "the record is kept for the retention");
		pass(1);
		assert!(!Jobs::<Test>::contains_key(0));
		assert_eq!(Tasks::<Test>::iter_prefix(0).count(), 0);
	});
}

#[test]
fn a_wrong_result_is_not_paid_and_goes_to_another_provider() {
	build_and_execute(|| {
		to_audit();
		conclude(0, WRONG, vec![AUDITOR]);
		assert!(matches!(task(0).status, TaskStatus::Open));
		assert_eq!(Balances::free_balance(PROVIDER), 0);
		assert_eq!(state(|s| s.locked[&PROVIDER]), 0);
		assert_eq!(state(|s| s.ends.clone()), vec![(PROVIDER, MatchEnd::Failed)]);
		// The liar is not offered it again, though its ask is the cheapest.
		state(|s| s.asks.insert(PROVIDER + 1, 3 * ASY));
		pass(1);
		assert_eq!(task(0).engaged.unwrap().provider, PROVIDER + 1);
	});
}

#[test]
fn after_all_runs_the_buyer_is_refunded() {
	build_and_execute(|| {
		let before = Balances::free_balance(BUYER);
		to_audit();
		conclude(0, WRONG, vec![AUDITOR]);
		state(|s| s.asks.insert(PROVIDER + 1, PRICE));
		pass(1);
		let inputs = vec![input(0)].try_into().unwrap();
		let hot = RuntimeOrigin::signed(HOT + 1);
		assert_ok!(JobEscrow::accept(hot.clone(), 0, 0, inputs, Default::default()));
		assert_ok!(JobEscrow::submit(hot, 0, 0, commitment()));
		conclude(0, AuditOutcome::Failed(Verdict::Unavailable), vec![AUDITOR]);
		assert!(matches!(
			task(0).status,
			TaskStatus::Refunded {
				reason: Reason::Audit(AuditOutcome::Failed(Verdict::Unavailable)),
				..
			}
		));
		// The audits' work was paid for; nothing else was.
		assert_eq!(before - Balances::free_balance(BUYER), 2 * FEE);
		assert_eq!(held(), 0);
	});
}

#[test]
fn an_inconclusive_audit_pays_nobody_and_blames_nobody() {
	build_and_execute(|| {
		to_audit();
		let treasury = Balances::free_balance(TREASURY);
		conclude(0, AuditOutcome::Inconclusive, vec![]);
		assert!(matches!(task(0).status, TaskStatus::Open));
		assert_eq!(state(|s| s.ends.clone()), vec![(PROVIDER, MatchEnd::Released)]);
		assert_eq!(Balances::free_balance(PROVIDER), 0);
		// The next run is another provider's, and auditors were not kept busy for nothing.
		assert_eq!(task(0).refused.to_vec(), [PROVIDER]);
		assert_eq!(Balances::free_balance(TREASURY), treasury + FEE);
	});
}

#[test]
fn an_audit_that_never_ends_never_pays() {
	build_and_execute(|| {
		to_audit();
		pass(300);
		assert!(matches!(task(0).status, TaskStatus::Auditing { .. }));
		assert_eq!(Balances::free_balance(PROVIDER), 0);
	});
}

#[test]
fn a_late_verdict_still_leaves_a_block_before_payment() {
	build_and_execute(|| {
		to_audit();
		pass(50);
		conclude(0, AuditOutcome::Passed, vec![AUDITOR]);
		let now = System::block_number();
		assert!(
			matches!(task(0).status, TaskStatus::Passed { settles_at } if settles_at == now + 1)
		);
	});
}

#[test]
fn direct_jobs_go_to_the_named_machine_only() {
	build_and_execute(|| {
		state(|s| s.asks.insert(PROVIDER + 1, ASY));
		let mut direct = spec(1);
		direct.mode = Mode::Direct { provider: PROVIDER, machine: 0 };
		assert_ok!(JobEscrow::post(RuntimeOrigin::signed(BUYER), direct));
		pass(1);
		assert_eq!(task(0).engaged.unwrap().provider, PROVIDER);
		// Once it declines, there is nobody else to wait for.
		assert_ok!(JobEscrow::decline(RuntimeOrigin::signed(HOT), 0, 0));
		assert!(matches!(task(0).status, TaskStatus::Refunded { reason: Reason::Declined, .. }));
	});
}

#[test]
fn asks_above_the_highest_price_do_not_match() {
	build_and_execute(|| {
		state(|s| s.asks.insert(PROVIDER, 3 * ASY + 1));
		for mode in [Mode::BestAsk, Mode::Direct { provider: PROVIDER, machine: 0 }] {
			let mut job = spec(1);
			job.mode = mode;
			assert_ok!(JobEscrow::post(RuntimeOrigin::signed(BUYER), job));
		}
		pass(20);
		assert!(matches!(Tasks::<Test>::get(0, 0).unwrap().status, TaskStatus::Open));
		assert!(matches!(Tasks::<Test>::get(1, 0).unwrap().status, TaskStatus::Open));
		// A better ask is found at the next look.
		state(|s| s.asks.insert(PROVIDER, 3 * ASY));
		pass(3);
		assert!(matches!(Tasks::<Test>::get(0, 0).unwrap().status, TaskStatus::Offered { .. }));
		assert!(matches!(Tasks::<Test>::get(1, 0).unwrap().status, TaskStatus::Offered { .. }));
	});
}
