//! Draws of auditors.

use crate::{
	impls::draw::{sample, seed},
	mock::*,
	*,
};
use assay_primitives::{traits::Audits as _, work::AuditOutcome};
use frame_support::{assert_noop, assert_ok};
use std::collections::{BTreeMap, BTreeSet};

#[test]
fn auditors_are_drawn_once_enough_authors_have_contributed() {
	test(|| {
		run_to(10);
		open(task(1), 3);
		// Depth 2: blocks 13, 14, 15 count, and 15 is known in 16.
		run_to(15);
		assert_eq!(seats(task(1)), None);
		next_block();
		let seats = seats(task(1)).expect("drawn");
		assert_eq!(seats.len(), 3);
		let expected = seed(task(1), 10, 0, &[output(2, 13), output(3, 14), output(4, 15)]);
		let drawn = sample(expected, (1..=9u64).collect(), 3);
		assert_eq!(seats.iter().map(|s| s.account).collect::<Vec<_>>(), drawn);
		for seat in &seats {
			assert_eq!(seat.auditor, key(seat.account));
			assert!(Duties::<Test>::contains_key(&seat.auditor, task(1)));
		}
		assert!(events().contains(&Event::AuditorsDrawn {
			task: task(1),
			round: 0,
			auditors: drawn.try_into().unwrap(),
			seals_until: 26,
			opens_until: 30,
		}));
	});
}

#[test]
fn outputs_before_the_depth_do_not_count() {
	// The same later blocks, other authors before: the same draw.
	let drawn_after = |early: u64| {
		let mut drawn = vec![];
		test(|| {
			BlockAuthors::set(vec![Some(early)]);
			run_to(10);
			open(task(1), 5);
			run_to(13);
			BlockAuthors::set(vec![Some(1), Some(2), Some(3)]);
			drawn = run_until_drawn(task(1));
		});
		drawn
	};
	assert_eq!(drawn_after(7), drawn_after(8));
}

#[test]
fn an_author_counts_once_with_its_first_block() {
	test(|| {
		BlockAuthors::set(vec![Some(1), Some(1), Some(1), Some(2), Some(2), Some(3)]);
		run_to(9);
		open(task(1), 3);
		// Blocks 12, 13, 14 are by 1; 15, 16 by 2; 17 by 3.
		run_to(17);
		assert_eq!(seats(task(1)), None);
		next_block();
		let expected = seed(task(1), 9, 0, &[output(1, 12), output(2, 15), output(3, 17)]);
		let drawn = seats(task(1)).unwrap().into_iter().map(|s| s.account).collect::<Vec<_>>();
		assert_eq!(drawn, sample(expected, (1..=9u64).collect(), 3));
	});
}

#[test]
fn too_few_authors_never_draw() {
	test(|| {
		BlockAuthors::set(vec![Some(1), Some(2)]);
		run_to(10);
		open(task(1), 3);
		// Round 0 may last 40 blocks.
		run_to(50);
		assert_eq!(audit(task(1)).round, 0);
		assert_eq!(seats(task(1)), None);
		next_block();
		assert_eq!(audit(task(1)).round, 1);
		run(4 * 41);
		assert_eq!(outcomes(task(1)), [AuditOutcome::Inconclusive]);
		assert_eq!(Concluded::get()[0].2, Vec::<AccountId>::new());
		assert!(!events().iter().any(|e| matches!(e, Event::AuditorsDrawn { .. })));
	});
}

#[test]
fn blocks_without_output_never_draw() {
	test(|| {
		BlockAuthors::set(vec![None]);
		open(task(1), 1);
		run(4 * 42);
		assert_eq!(outcomes(task(1)), [AuditOutcome::Inconclusive]);
		assert!(!events().iter().any(|e| matches!(e, Event::AuditorsDrawn { .. })));
	});
}

#[test]
fn blocks_without_output_are_skipped() {
	test(|| {
		BlockAuthors::set(vec![None, Some(1), None, Some(2), None, Some(3)]);
		run_to(12);
		open(task(1), 2);
		// 15 is by 2, 17 by 3, 19 by 1.
		run_to(20);
		let expected = seed(task(1), 12, 0, &[output(2, 15), output(3, 17), output(1, 19)]);
		let drawn = seats(task(1)).unwrap().into_iter().map(|s| s.account).collect::<Vec<_>>();
		assert_eq!(drawn, sample(expected, (1..=9u64).collect(), 2));
	});
}

#[test]
fn what_left_the_ring_is_not_used() {
	test(|| {
		let params = Params { draw_timeout: 1_000, ..params() };
		assert_ok!(Verification::set_parameters(RuntimeOrigin::root(), params));
		BlockAuthors::set(vec![Some(1)]);
		open(task(1), 1);
		// Nothing is worked off for longer than the ring remembers.
		for _ in 0..150 {
			next_block_with(Default::default());
		}
		BlockAuthors::set(vec![Some(1), Some(2), Some(3)]);
		run(10);
		let Stage::Voting(_) = audit(task(1)).stage else { panic!("not drawn") };
	});
}

#[test]
fn a_set_too_small_is_waited_for_and_never_stands_in() {
	test(|| {
		open(task(1), 5);
		set_auditors(1..=4);
		run(30);
		assert_eq!(seats(task(1)), None);
		set_auditors(1..=5);
		let drawn = run_until_drawn(task(1));
		assert_eq!(drawn.into_iter().collect::<BTreeSet<_>>(), (1..=5).collect());
		assert_eq!(audit(task(1)).round, 0);
	});
}

#[test]
fn auditors_drawn_before_are_left_out_while_there_are_others() {
	test(|| {
		let mut seen = BTreeSet::new();
		open(task(1), 3);
		for round in 0..3 {
			let drawn = run_until_drawn(task(1));
			assert_eq!(audit(task(1)).round, round);
			assert!(drawn.iter().all(|a| seen.insert(*a)), "drawn again: {drawn:?}");
			run(params().audit_window + 1);
		}
		// All nine were drawn; the fourth round draws among them again.
		let drawn = run_until_drawn(task(1));
		assert_eq!(drawn.iter().collect::<BTreeSet<_>>().len(), 3);
	});
}

#[test]
fn some_fresh_auditors_are_joined_by_earlier_ones() {
	test(|| {
		set_auditors(1..=5);
		open(task(1), 3);
		let first = run_until_drawn(task(1)).into_iter().collect::<BTreeSet<_>>();
		run(params().audit_window + 1);
		let second = run_until_drawn(task(1)).into_iter().collect::<BTreeSet<_>>();
		assert_eq!(second.len(), 3);
		let fresh = (1..=5).collect::<BTreeSet<_>>().difference(&first).copied().collect();
		assert!(second.is_superset(&fresh));
	});
}

#[test]
fn tasks_attempts_and_rounds_are_drawn_apart() {
	let outputs = [output(1, 1), output(2, 2)];
	let seeds = [
		seed(task(1), 1, 0, &outputs),
		seed(task(2), 1, 0, &outputs),
		seed(task(1), 2, 0, &outputs),
		seed(task(1), 1, 1, &outputs),
		seed(task(1), 1, 0, &outputs[..1]),
		seed(task(1), 1, 0, &[outputs[1], outputs[0]]),
	];
	assert_eq!(seeds.iter().collect::<BTreeSet<_>>().len(), seeds.len());
}

#[test]
fn samples_are_distinct_and_even() {
	let mut counts = BTreeMap::<(usize, u32), u32>::new();
	let draws = 20_000u32;
	for i in 0..draws {
		let drawn = sample(sp_io::hashing::blake2_256(&i.to_le_bytes()), (0..10u32).collect(), 3);
		assert_eq!(drawn.iter().collect::<BTreeSet<_>>().len(), 3);
		for (place, item) in drawn.into_iter().enumerate() {
			*counts.entry((place, item)).or_default() += 1;
		}
	}
	// 2,000 expected for each place and item, with a standard deviation of 42.
	assert_eq!(counts.len(), 30);
	assert!(counts.values().all(|n| (1_750..2_250).contains(n)), "{counts:?}");
}

#[test]
fn samples_of_small_sets_are_whole() {
	assert_eq!(sample::<u32>([1; 32], vec![], 3), Vec::<u32>::new());
	assert_eq!(sample([1; 32], vec![7], 1), [7]);
	let all = sample([1; 32], vec![1, 2, 3], 5).into_iter().collect::<BTreeSet<_>>();
	assert_eq!(all, [1, 2, 3].into());
}

#[test]
fn a_task_has_one_result_at_a_time() {
	test(|| {
		open(task(1), 1);
		assert_noop!(Verification::open(task(1), claim(), &terms(1)), Error::<Test>::AlreadyOpen);
		for auditors in [0, 16, 255] {
			assert_noop!(
				Verification::open(task(2), claim(), &terms(auditors)),
				Error::<Test>::NotEnoughAuditors
			);
		}
		let mut wide = claim();
		wide.inputs = vec![Default::default(); 17];
		assert_noop!(Verification::open(task(2), wide, &terms(1)), Error::<Test>::TooManyInputs);
	});
}

#[test]
fn work_waits_for_blocks_with_room() {
	test(|| {
		run_to(10);
		for job in 0..20 {
			open(task(job), 3);
		}
		let (step, own) = (Verification::step_weight(), <() as WeightInfo>::agenda_overhead());
		let room = step.saturating_add(own.saturating_mul(20));
		// As many as fit in each block, one after the other, none lost.
		let fit = 1 + 20 * own.ref_time() / (step.ref_time() + own.ref_time());
		let drawn = || (0..20).filter(|job| seats(task(*job)).is_some()).count();
		let mut before = 0;
		while before < 10 {
			next_block_with(room);
			let now = drawn();
			assert!(System::block_number() < 60 && now - before <= fit as usize, "{before}, {now}");
			before = now;
		}
		assert!(before < 20);
		next_block();
		assert_eq!(drawn(), 20);
	});
}
