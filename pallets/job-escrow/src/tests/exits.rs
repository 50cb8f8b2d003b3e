//! Every state has an exit by time.

use super::*;
use crate::JobSpec;
use frame_support::weights::WeightMeter;

#[test]
fn an_unanswered_offer_lapses_and_is_offered_elsewhere() {
	build_and_execute(|| {
		post(1);
		pass(1);
		state(|s| s.asks.insert(PROVIDER + 1, 3 * ASY));
		pass(5);
		assert_noop!(
			JobEscrow::advance(RuntimeOrigin::signed(OTHER), 0, 0),
			Error::<Test>::NothingDue
		);
		pass(1);
		assert_eq!(
			state(|s| s.ends.clone()),
			vec![(PROVIDER, MatchEnd::NotTaken { lapsed: true })]
		);
		pass(1);
		assert_eq!(task(0).engaged.unwrap().provider, PROVIDER + 1);
		assert_eq!(task(0).attempts, 0, "an offer not taken is no run");
	});
}

#[test]
fn an_offer_cannot_be_taken_after_its_last_block() {
	build_and_execute(|| {
		post(1);
		pass(1);
		// The agenda is late, as in full blocks.
		System::set_block_number(8);
		let inputs = vec![input(0)].try_into().unwrap();
		assert_noop!(
			JobEscrow::accept(RuntimeOrigin::signed(HOT), 0, 0, inputs, Default::default()),
			Error::<Test>::OfferLapsed
		);
		assert_ok!(JobEscrow::advance(RuntimeOrigin::signed(OTHER), 0, 0));
		assert!(matches!(task(0).status, TaskStatus::Open));
	});
}

#[test]
fn a_missed_deadline_requeues_then_refunds() {
	build_and_execute(|| {
		post(1);
		pass(1);
		accept(0);
		pass(10);
		assert!(matches!(task(0).status, TaskStatus::Running { due: 12 }));
		pass(1);
		assert!(matches!(task(0).status, TaskStatus::Open));
		assert_eq!(state(|s| s.ends.clone()), vec![(PROVIDER, MatchEnd::Missed)]);
		assert_eq!(task(0).attempts, 1);
		// Nobody else is there; at the end of its life the money goes back.
		pass(200);
		assert!(matches!(task(0).status, TaskStatus::Refunded { reason: Reason::Expired, .. }));
		assert_eq!(held(), 0);
	});
}

#[test]
fn a_late_result_is_refused() {
	build_and_execute(|| {
		post(1);
		pass(1);
		accept(0);
		System::set_block_number(13);
		assert_noop!(
			JobEscrow::submit(RuntimeOrigin::signed(HOT), 0, 0, commitment()),
			Error::<Test>::DeadlinePassed
		);
	});
}

#[test]
fn abandoning_counts_as_a_miss() {
	build_and_execute(|| {
		post(1);
		pass(1);
		accept(0);
		assert_ok!(JobEscrow::abandon(RuntimeOrigin::signed(HOT), 0, 0));
		assert_eq!(state(|s| s.ends.clone()), vec![(PROVIDER, MatchEnd::Missed)]);
		assert_eq!(task(0).attempts, 1);
	});
}

#[test]
fn cancelling_refunds_what_nobody_accepted() {
	build_and_execute(|| {
		post(3);
		pass(1);
		accept(0);
		assert_noop!(JobEscrow::cancel(RuntimeOrigin::signed(OTHER), 0), Error::<Test>::NotOwner);
		assert_ok!(JobEscrow::cancel(RuntimeOrigin::signed(BUYER), 0));
		assert!(matches!(task(0).status, TaskStatus::Running { .. }));
		assert!(matches!(task(1).status, TaskStatus::Refunded { reason: Reason::Cancelled, .. }));
		assert_eq!(held(), 3 * ASY + 2 * FEE);
		// The accepted one is still paid for if it is done …
		submit(0);
		conclude(0, AuditOutcome::Passed, vec![AUDITOR]);
		pass(11);
		assert!(matches!(task(0).status, TaskStatus::Settled { .. }));
	});
}

#[test]
fn a_cancelled_jobs_failed_task_is_refunded_at_once() {
	build_and_execute(|| {
		to_audit();
		assert_ok!(JobEscrow::cancel(RuntimeOrigin::signed(BUYER), 0));
		pass(1);
		conclude(0, WRONG, vec![AUDITOR]);
		assert!(matches!(task(0).status, TaskStatus::Refunded { .. }));
	});
}

#[test]
fn the_search_catches_up_when_blocks_were_full() {
	build_and_execute(|| {
		(0..100).for_each(|_| post(1));
		System::set_block_number(2);
		// Room for a few steps only.
		let turn = JobEscrow::most_search_weight();
		let mut meter = WeightMeter::with_limit(turn.saturating_mul(3));
		JobEscrow::work_search(&mut meter);
		let is_offered = |task: &Task<Test>| matches!(task.status, TaskStatus::Offered { .. });
		let offered = || Tasks::<Test>::iter_values().filter(is_offered).count();
		assert!((1..=3).contains(&offered()), "{}", offered());
		pass(1);
		assert_eq!(offered(), 100);
	});
}

#[test]
fn a_flood_of_tasks_that_nobody_takes_holds_up_no_settlement() {
	build_and_execute(|| {
		to_audit();
		conclude(0, AuditOutcome::Passed, vec![AUDITOR]);
		// As dear to search for as anything may be.
		for _ in 0..50 {
			let hopeless = JobSpec { max_price: 1, ..spec(100) };
			assert_ok!(JobEscrow::post(RuntimeOrigin::signed(BUYER), hopeless));
		}
		let searched = || crate::SearchItems::<Test>::iter().count();
		let waiting = searched();
		System::set_block_number(System::block_number() + 1);
		let mut meter = WeightMeter::with_limit(JobEscrow::most_search_weight().saturating_mul(10));
		JobEscrow::work_search(&mut meter);
		assert_eq!(searched(), waiting, "every turn ends with another one put down");
		pass(12);
		assert!(matches!(task(0).status, TaskStatus::Settled { .. }));
	});
}

#[test]
fn searches_grow_rare_and_end_with_the_job() {
	build_and_execute(|| {
		state(|s| s.asks.clear());
		assert_ok!(JobEscrow::post(RuntimeOrigin::signed(BUYER), spec(1)));
		let mut at = Vec::new();
		while matches!(task(0).status, TaskStatus::Open) {
			at.extend(crate::SearchItems::<Test>::iter_keys().map(|(block, _)| block));
			at.dedup();
			pass(1);
		}
		// Posted in block 1 with a lifetime of 200: each wait is half of what was waited, from 3 up to 12.
		let long = (46..200).step_by(12);
		let waits: Vec<_> =
			[2, 5, 8, 11, 16, 23, 34].into_iter().chain(long).chain([201]).collect();
		assert_eq!(at, waits);
		let refunded = TaskStatus::Refunded { at: 201, reason: Reason::Expired };
		assert_eq!(task(0).status, refunded);
	});
}

#[test]
fn a_job_of_many_tasks_takes_one_turn_where_nobody_takes_them() {
	build_and_execute(|| {
		let hopeless = JobSpec { max_price: 1, ..spec(100) };
		assert_ok!(JobEscrow::post(RuntimeOrigin::signed(BUYER), hopeless));
		assert_ok!(JobEscrow::post(RuntimeOrigin::signed(BUYER), spec(1)));
		assert_eq!(crate::SearchItems::<Test>::iter().count(), 2);
		System::set_block_number(2);
		// Room for a turn of each.
		let turn = JobEscrow::most_search_weight().saturating_mul(4);
		JobEscrow::work_search(&mut WeightMeter::with_limit(turn));
		let status = Tasks::<Test>::get(1, 0).unwrap().status;
		assert!(matches!(status, TaskStatus::Offered { .. }), "{status:?}");
	});
}

#[test]
fn a_task_that_its_last_provider_refused_does_not_stop_its_jobs_others() {
	build_and_execute(|| {
		state(|s| s.asks.clear());
		post(3);
		pass(1);
		// The only provider declines the first task: nobody is left for it, but for the others.
		state(|s| s.asks.insert(PROVIDER, PRICE));
		assert_ok!(JobEscrow::advance(RuntimeOrigin::signed(OTHER), 0, 0));
		assert_ok!(JobEscrow::decline(RuntimeOrigin::signed(HOT), 0, 0));
		// Nor for the others, until a search has found nobody else.
		pass(1);
		assert!(matches!(task(1).status, TaskStatus::Open));
		pass(3);
		assert!(matches!(task(0).status, TaskStatus::Open));
		assert!(matches!(task(1).status, TaskStatus::Offered { .. }));
		assert!(matches!(task(2).status, TaskStatus::Offered { .. }));
	});
}

#[test]
fn a_task_that_comes_back_looks_again_in_the_next_block() {
	build_and_execute(|| {
		post(2);
		pass(1);
		accept(0);
		// The other waits for long already when this one comes back.
		state(|s| s.asks.clear());
		assert_ok!(JobEscrow::decline(RuntimeOrigin::signed(HOT), 0, 1));
		pass(9);
		state(|s| s.asks.insert(PROVIDER + 1, PRICE));
		assert_ok!(JobEscrow::abandon(RuntimeOrigin::signed(HOT), 0, 0));
		pass(1);
		assert!(matches!(task(0).status, TaskStatus::Offered { .. }));
		assert!(matches!(task(1).status, TaskStatus::Offered { .. }));
	});
}

#[test]
fn a_job_that_is_declined_leaves_the_slot_to_others() {
	build_and_execute(|| {
		state(|s| s.slots = 1);
		post(50);
		assert_ok!(JobEscrow::post(RuntimeOrigin::signed(BUYER), spec(1)));
		pass(1);
		assert!(matches!(task(0).status, TaskStatus::Offered { .. }));
		// The other job found no slot, and is not due when this one is declined.
		assert_ok!(JobEscrow::decline(RuntimeOrigin::signed(HOT), 0, 0));
		let other = || Tasks::<Test>::get(1, 0).unwrap().status;
		let mut offers = 0;
		while !matches!(other(), TaskStatus::Offered { .. }) {
			pass(1);
			for index in 0..50 {
				if matches!(task(index).status, TaskStatus::Offered { .. }) {
					offers += 1;
					assert_ok!(JobEscrow::decline(RuntimeOrigin::signed(HOT), 0, index));
				}
			}
		}
		assert_eq!(offers, 0, "the job that was declined had no other offer before");
	});
}

#[test]
fn a_job_that_nobody_accepts_is_offered_ever_more_rarely() {
	build_and_execute(|| {
		state(|s| s.slots = 1);
		post(50);
		let mut offered_at = Vec::new();
		for _ in 0..150 {
			pass(1);
			for index in 0..50 {
				if matches!(task(index).status, TaskStatus::Offered { .. }) {
					offered_at.push(System::block_number());
					assert_ok!(JobEscrow::decline(RuntimeOrigin::signed(HOT), 0, index));
				}
			}
		}
		assert!(offered_at.len() <= 10, "{offered_at:?}");
	});
}

#[test]
fn a_job_in_progress_looks_on_at_short_intervals() {
	build_and_execute(|| {
		state(|s| s.slots = 1);
		post(10);
		let offered =
			|| (0..10).find(|index| matches!(task(*index).status, TaskStatus::Offered { .. }));
		for done in 0..10 {
			let mut waited = 0;
			let index = loop {
				pass(1);
				waited += 1;
				assert!(waited <= 8, "after {done} tasks nothing is offered");
				if let Some(index) = offered() {
					break index;
				}
			};
			accept(index);
			submit(index);
			conclude(index, AuditOutcome::Passed, vec![AUDITOR]);
			pass(10);
			assert!(matches!(task(index).status, TaskStatus::Settled { .. }), "{index}");
		}
	});
}

fn offered() -> Vec<u32> {
	let is_offered = |index: &u32| matches!(task(*index).status, TaskStatus::Offered { .. });
	(0..Tasks::<Test>::iter_prefix(0).count() as u32).filter(is_offered).collect()
}

/// Blocks to the next turn of the job.
fn to_next_turn() -> u32 {
	crate::Searches::<Test>::get(0).unwrap().due - System::block_number()
}

#[test]
fn a_job_that_nobody_takes_holds_few_slots_however_many_there_are() {
	build_and_execute(|| {
		// More providers than a job remembers, each of which lets its offers lapse.
		state(|s| s.asks.extend((0..10).map(|n| (PROVIDER + n, PRICE))));
		state(|s| s.slots = 1);
		post(100);
		let mut held = 0;
		for _ in 0..150 {
			pass(1);
			assert!(offered().len() <= 2, "{:?}", offered());
			held += offered().len();
		}
		assert!(held > 0 && held < 75, "{held} of 1500 slots and blocks are held");
	});
}

#[test]
fn who_accepts_is_offered_ever_more_at_a_time() {
	build_and_execute(|| {
		post(40);
		let mut at_a_time = Vec::new();
		while (0..40).any(|index| matches!(task(index).status, TaskStatus::Open)) {
			pass(1);
			at_a_time.push(offered().len());
			offered().into_iter().for_each(accept);
		}
		assert_eq!(at_a_time, [2, 4, 8, 16, 10]);
	});
}

/// An offer that is accepted makes good for those that others did not take.
#[test]
fn a_job_that_is_accepted_after_all_looks_on_soon() {
	build_and_execute(|| {
		let patient = crate::Params { offer_window: 100, ..params() };
		assert_ok!(JobEscrow::set_parameters(RuntimeOrigin::root(), patient));
		state(|s| s.slots = 1);
		state(|s| s.asks.insert(PROVIDER + 1, 3 * ASY));
		post(9);
		pass(1);
		// The dearer one takes its time; the cheaper one declines all that it is offered.
		let by_cheaper = |index: &u32| task(*index).engaged.unwrap().provider == PROVIDER;
		loop {
			if let Some(index) = offered().into_iter().find(by_cheaper) {
				assert_ok!(JobEscrow::decline(RuntimeOrigin::signed(HOT), 0, index));
			} else if to_next_turn() > 12 {
				break;
			}
			pass(1);
		}
		let [index] = offered()[..] else { panic!("{:?}", offered()) };
		let inputs = vec![input(index)].try_into().unwrap();
		let dearer = RuntimeOrigin::signed(HOT + 1);
		assert_ok!(JobEscrow::accept(dearer, 0, index, inputs, Default::default()));
		assert_eq!(to_next_turn(), 3);
		// The first search finds that nobody else is there.
		pass(6);
		assert_eq!(offered().len(), 1, "the cheaper one is asked again");
	});
}

#[test]
fn nobody_has_a_refused_job_looked_after_before_its_turn() {
	build_and_execute(|| {
		post(3);
		state(|s| s.asks.insert(PROVIDER + 1, PRICE));
		let advance = |index| JobEscrow::advance(RuntimeOrigin::signed(OTHER), 0, index);
		assert_ok!(advance(0));
		assert_ok!(advance(1));
		// Two wait for an answer.
		assert_noop!(advance(2), Error::<Test>::NothingDue);
		assert_ok!(JobEscrow::decline(RuntimeOrigin::signed(HOT), 0, 0));
		assert_noop!(advance(2), Error::<Test>::NothingDue);
		pass(1);
		assert_eq!(offered(), [0, 1]);
	});
}

#[test]
fn a_direct_job_whose_offers_are_declined_comes_to_its_end() {
	build_and_execute(|| {
		let mut direct = spec(6);
		direct.mode = Mode::Direct { provider: PROVIDER, machine: 0 };
		assert_ok!(JobEscrow::post(RuntimeOrigin::signed(BUYER), direct));
		for _ in 0..12 {
			pass(1);
			for index in offered() {
				assert_ok!(JobEscrow::decline(RuntimeOrigin::signed(HOT), 0, index));
			}
		}
		let declined = |index| {
			matches!(task(index).status, TaskStatus::Refunded { reason: Reason::Declined, .. })
		};
		assert!((0..6).all(declined));
	});
}
