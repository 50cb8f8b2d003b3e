//! What the votes of a round decide, and what follows where they decide nothing.

use crate::{
	impls::attest::{quorum, tally, Tally},
	mock::*,
	*,
};
use assay_primitives::work::{
	AuditOutcome::{self, Failed, Inconclusive, Passed},
	Place,
	Verdict::{self, Invalid, Unavailable, Valid},
};

const HERE: Verdict = Invalid(Place { node: 2, row: 1, col: 0 });
const THERE: Verdict = Invalid(Place { node: 9, row: 8, col: 7 });

fn seats_of(votes: &[Option<Verdict>]) -> Vec<Seat<AccountId>> {
	votes
		.iter()
		.enumerate()
		.map(|(i, vote)| Seat { auditor: key(1), account: i as u64, vote: *vote })
		.collect()
}

#[test]
fn a_quorum_is_more_than_two_thirds() {
	let quorums = (1..=15).map(quorum).collect::<Vec<_>>();
	assert_eq!(quorums, [1, 2, 3, 3, 4, 5, 5, 6, 7, 7, 8, 9, 9, 10, 11]);
}

#[test]
fn votes_are_counted() {
	let cases: &[(&[Option<Verdict>], Tally)] = &[
		(&[None], Tally::Open),
		(&[Some(Valid)], Tally::Decided(Passed)),
		(&[Some(HERE)], Tally::Decided(Failed(HERE))),
		(&[Some(Unavailable)], Tally::Decided(Failed(Unavailable))),
		(&[Some(Valid), Some(Valid), None], Tally::Open),
		(&[Some(Valid), Some(Valid), Some(Valid)], Tally::Decided(Passed)),
		(&[Some(Valid), Some(Valid), Some(Unavailable)], Tally::Split),
		// One against one of three: neither can have three.
		(&[Some(Valid), Some(HERE), None], Tally::Split),
		(&[Some(Valid), Some(HERE), None, None], Tally::Open),
		(&[Some(Valid), Some(Valid), Some(Valid), None], Tally::Decided(Passed)),
		// The first of the more frequent kind is named.
		(&[Some(Unavailable), Some(HERE), Some(THERE), None], Tally::Decided(Failed(HERE))),
		(&[Some(THERE), Some(HERE), Some(Unavailable), None], Tally::Decided(Failed(THERE))),
		(
			&[Some(HERE), Some(Unavailable), Some(Unavailable), None],
			Tally::Decided(Failed(Unavailable)),
		),
		// As many of both: the wrong element.
		(
			&[Some(Unavailable), Some(Unavailable), Some(HERE), Some(THERE), None],
			Tally::Decided(Failed(HERE)),
		),
	];
	for (votes, expected) in cases {
		assert_eq!(tally(&seats_of(votes)), *expected, "{votes:?}");
	}
}

fn decide(votes: &[Verdict]) -> Vec<(AuditOutcome, Vec<AccountId>)> {
	let mut concluded = vec![];
	test(|| {
		let drawn = open_and_draw(task(1), 5);
		for (seat, verdict) in votes.iter().enumerate() {
			vote(task(1), seat as u8, *verdict);
		}
		concluded = Concluded::get().into_iter().map(|c| (c.1, c.2)).collect();
		for (_, attesters) in &concluded {
			assert_eq!(attesters, &drawn[..votes.len()]);
			assert_eq!(Verification::audits_open(), 0);
			assert_eq!(Duties::<Test>::iter().count(), 0);
		}
		let failed = concluded.iter().filter(|c| matches!(c.0, Failed(_))).count();
		assert_eq!(Verification::audits_failed(), failed as u64);
		// Nothing more comes of it.
		run(100);
		assert_eq!(Concluded::get().len(), concluded.len());
	});
	concluded
}

#[test]
fn the_quorum_concludes_at_once() {
	assert_eq!(decide(&[Valid; 4])[0].0, Passed);
	assert_eq!(decide(&[Valid, Valid, HERE, Valid, Valid])[0].0, Passed);
	assert_eq!(decide(&[HERE, THERE, HERE, Unavailable])[0].0, Failed(HERE));
	assert_eq!(decide(&[Unavailable; 4])[0].0, Failed(Unavailable));
}

#[test]
fn one_auditor_decides_alone_where_one_was_paid_for() {
	test(|| {
		open_and_draw(task(1), 1);
		vote(task(1), 0, HERE);
		assert_eq!(outcomes(task(1)), [Failed(HERE)]);
	});
}

#[test]
fn a_split_vote_is_drawn_again_at_once() {
	test(|| {
		let first = open_and_draw(task(1), 3);
		vote(task(1), 0, Valid);
		vote(task(1), 1, HERE);
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
		vote(task(1), 0, Valid);
		vote(task(1), 1, Valid);
		assert!(Concluded::get().is_empty());
		vote(task(1), 2, Valid);
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
			let Stage::Voting(voting) = audit(task(1)).stage else { panic!() };
			run_to(voting.deadline);
			assert!(Concluded::get().is_empty());
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
		assert_eq!(AgendaItems::<Test>::iter().count(), 0);
		assert_eq!(Earlier::<Test>::iter().count(), 0);
		assert_eq!(Duties::<Test>::iter().count(), 0);
	});
}

#[test]
fn too_few_votes_never_pass() {
	test(|| {
		open(task(1), 3);
		for round in 0..4 {
			run_until_drawn(task(1));
			// Two of three say valid in every round: six voices, never a quorum of one round.
			vote(task(1), 0, Valid);
			vote(task(1), 1, Valid);
			if round < 3 {
				run(params().audit_window + 1);
			}
		}
		let last = seats(task(1)).unwrap();
		run(params().audit_window + 1);
		let paid = vec![last[0].account, last[1].account];
		assert_eq!(Concluded::get(), [(task(1), Inconclusive, paid)]);
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
			for seat in 0..3 {
				vote(task(job), seat, if job % 4 == 0 { Valid } else { HERE });
			}
		}
		run(params().audit_window + 1);
		for job in 0..10 {
			match job % 4 {
				0 => assert_eq!(outcomes(task(job)), [Passed]),
				2 => assert_eq!(outcomes(task(job)), [Failed(HERE)]),
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
