//! What the votes of a round decide, and what follows where they decide nothing.

use crate::{
	impls::attest::{quorum, tally},
	mock::*,
	*,
};
use assay_primitives::work::{
	AuditOutcome::{self, Failed, Inconclusive, Passed},
	Verdict::{self, Abstained, Unavailable, Valid},
};

fn seats_of(votes: &[Option<Verdict>]) -> Vec<Seat<AccountId>> {
	votes
		.iter()
		.enumerate()
		.map(|(i, vote)| Seat {
			sealed: Some(Default::default()),
			vote: *vote,
			..Seat::new(key(1), i as u64, 0)
		})
		.collect()
}

#[test]
fn a_quorum_is_more_than_two_thirds() {
	let quorums = (1..=15).map(|seats| quorum(seats, Phase::Result)).collect::<Vec<_>>();
	assert_eq!(quorums, [1, 2, 3, 3, 4, 5, 5, 6, 7, 7, 8, 9, 9, 10, 11]);
	// Of custodians more than half.
	let quorums = (1..=7).map(|seats| quorum(seats, Phase::Recheck)).collect::<Vec<_>>();
	assert_eq!(quorums, [1, 2, 2, 3, 3, 4, 4]);
}

#[test]
fn votes_are_counted() {
	let cases: &[(&[Option<Verdict>], Option<AuditOutcome>)] = &[
		(&[None], None),
		(&[Some(Valid)], Some(Passed)),
		(&[Some(Abstained)], None),
		(&[Some(Unavailable)], Some(Failed(Unavailable))),
		(&[Some(Valid), Some(Valid), None], None),
		(&[Some(Valid), Some(Valid), Some(Valid)], Some(Passed)),
		(&[Some(Valid), Some(Valid), Some(Unavailable)], None),
		(&[Some(Valid), Some(Valid), Some(Valid), None], Some(Passed)),
		(&[Some(Valid), Some(Valid), Some(Valid), Some(Abstained)], Some(Passed)),
		(&[Some(Unavailable), Some(Unavailable), Some(Valid), Some(Unavailable)], {
			Some(Failed(Unavailable))
		}),
		(&[Some(Valid), Some(Valid), Some(Unavailable), Some(Unavailable)], None),
	];
	for (votes, expected) in cases {
		assert_eq!(tally(&seats_of(votes), Phase::Result), *expected, "{votes:?}");
	}
}

fn decide(votes: &[Verdict]) -> Vec<(AuditOutcome, Vec<AccountId>)> {
	let mut concluded = vec![];
	test(|| {
		let drawn = open_and_draw(task(1), 5);
		vote(task(1), votes);
		run(params().opening_window);
		concluded = Concluded::get().into_iter().map(|c| (c.1, c.2)).collect();
		for (_, attesters) in &concluded {
			let paid = drawn.iter().zip(votes).filter(|(_, v)| **v != Abstained).map(|(a, _)| *a);
			assert_eq!(attesters, &paid.collect::<Vec<_>>());
			assert_eq!(Verification::audits_open(), 0);
			assert_eq!(Duties::<Test>::iter().count(), 0);
		}
		let failed = concluded.iter().filter(|c| matches!(c.0, Failed(_))).count();
		assert_eq!(Verification::audits_failed(), failed as u64);
		// Nothing more comes of it.
		let heard = concluded.len();
		if heard > 0 {
			run(100);
			assert_eq!(Concluded::get().len(), heard);
		}
	});
	concluded
}

#[test]
fn a_quorum_decides_once_all_are_heard_or_their_time_is_over() {
	assert_eq!(decide(&[Valid; 5])[0].0, Passed);
	assert_eq!(decide(&[Valid; 4])[0].0, Passed);
	assert_eq!(decide(&[Valid, Valid, Abstained, Valid, Valid])[0].0, Passed);
	assert_eq!(decide(&[Unavailable; 4])[0].0, Failed(Unavailable));
	assert_eq!(decide(&[Valid, Unavailable, Valid, Unavailable, Valid]), []);
	assert_eq!(decide(&[Abstained; 5]), []);
}

#[test]
fn one_auditor_decides_alone_where_one_was_paid_for() {
	test(|| {
		open_and_draw(task(1), 1);
		vote(task(1), &[Unavailable]);
		assert_eq!(outcomes(task(1)), [Failed(Unavailable)]);
		assert!(!Cases::<Test>::contains_key(task(1)));
	});
}

#[test]
fn a_split_vote_is_drawn_again_at_once() {
	test(|| {
		let first = open_and_draw(task(1), 3);
		vote(task(1), &[Valid, Unavailable, Valid]);
		assert_eq!(audit(task(1)).round, 1);
		assert!(events().contains(&Event::RoundFailed { task: task(1), round: 0 }));
		assert!(!events().iter().any(|e| matches!(e, Event::Absent { .. })));
		assert_eq!(Duties::<Test>::iter().count(), 0);

		// Entropy from before the split does not count.
		let split = now();
		let second = run_until_drawn(task(1));
		assert_eq!(now(), split + 2 + 3 + 1);
		assert!(second.iter().all(|a| !first.contains(a)));
		// The votes of the first round do not count in the second.
		vote(task(1), &[Valid; 3]);
		assert_eq!(Concluded::get(), [(task(1), Passed, second)]);
	});
}

#[test]
fn silence_is_drawn_again_and_never_passes() {
	test(|| {
		open(task(1), 3);
		let mut absent = vec![];
		for round in 0..4 {
			let drawn = run_until_drawn(task(1));
			assert_eq!(audit(task(1)).round, round);
			absent.extend(drawn);
			run_to(voting(task(1)).unwrap().seals_until);
			assert!(Concluded::get().is_empty());
			// Nobody has sealed anything, so there is nothing to open.
			next_block();
		}
		assert_eq!(Concluded::get(), [(task(1), Inconclusive, vec![])]);
		assert_eq!(Verification::audits_failed(), 0);
		let named = events()
			.into_iter()
			.filter_map(|e| match e {
				Event::Absent { auditor, .. } => Some(auditor),
				_ => None,
			})
			.collect::<Vec<_>>();
		assert_eq!(named, absent);
		assert_eq!(Destroyed::get(), 12 * DEPOSIT);
		assert_eq!(AgendaItems::<Test>::iter().count(), 0);
		assert_eq!(Earlier::<Test>::iter().count(), 0);
		assert_eq!(Duties::<Test>::iter().count(), 0);
		assert_eq!(Cases::<Test>::iter().count(), 0);
	});
}

#[test]
fn too_few_votes_never_pass() {
	test(|| {
		open(task(1), 3);
		let mut last = vec![];
		for _ in 0..4 {
			last = run_until_drawn(task(1));
			// Two of three say valid in every round: eight voices, never a quorum of one round.
			vote(task(1), &[Valid; 2]);
			run(params().opening_window);
		}
		assert_eq!(Concluded::get(), [(task(1), Inconclusive, last[..2].to_vec())]);
	});
}

#[test]
fn audits_do_not_disturb_each_other() {
	test(|| {
		for job in 0..10 {
			open(task(job), 3);
		}
		for job in 0..10 {
			run_until_drawn(task(job));
		}
		for job in (0..10).filter(|job| job % 2 == 0) {
			vote(task(job), &[if job % 4 == 0 { Valid } else { Unavailable }; 3]);
		}
		run(params().audit_window + 1);
		for job in 0..10 {
			match job % 4 {
				0 => assert_eq!(outcomes(task(job)), [Passed]),
				2 => assert_eq!(outcomes(task(job)), [Failed(Unavailable)]),
				_ => assert_eq!(audit(task(job)).round, 1),
			}
		}
		assert_eq!(Verification::audits_open(), 5);
	});
}

#[test]
fn fewer_rounds_by_parameters_end_an_audit_sooner() {
	test(|| {
		open_and_draw(task(1), 3);
		let params = Params { max_rounds: 1, ..params() };
		frame_support::assert_ok!(Verification::set_parameters(RuntimeOrigin::root(), params));
		run(11);
		assert_eq!(outcomes(task(1)), [Inconclusive]);
	});
}
