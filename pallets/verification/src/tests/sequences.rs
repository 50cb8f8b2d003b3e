//! Random sequences of everything that can happen, checked against a small model.

use crate::{impls::attest::quorum, mock::*, *};
use assay_primitives::{
	auditor::SeatId,
	traits::Audits as _,
	work::{AuditOutcome, Place, Verdict},
};
use frame_support::weights::Weight;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, Debug)]
enum Act {
	Open { job: u64, auditors: u8 },
	Close { job: u64 },
	Seal { job: u64, number: u8, verdict: Verdict },
	OpenSeal { job: u64, number: u8 },
	Stray { job: u64, round: u8, number: u8, signer: AccountId },
	Commit { job: u64, reporter: AccountId, good: bool },
	Report { job: u64, reporter: AccountId, good: bool },
	Blocks { count: u32 },
	Starved { count: u32 },
	Authors { authors: Vec<Option<u64>> },
	Session { first: AccountId, len: u64 },
	Rounds { max_rounds: u8 },
	Register { rows: u32 },
	Remove { rows: u32 },
}

fn verdict() -> impl Strategy<Value = Verdict> {
	prop_oneof![
		6 => Just(Verdict::Valid),
		1 => Just(Verdict::Invalid(WRONG)),
		1 => (0..3u32).prop_map(|node| Verdict::Invalid(Place { node, row: 0, col: 0 })),
		3 => Just(Verdict::Unavailable),
		1 => Just(Verdict::Abstained),
	]
}

fn act() -> impl Strategy<Value = Act> {
	let job = 0..4u64;
	let reporter = prop_oneof![Just(REPORTER), Just(OTHER)];
	prop_oneof![
		3 => (job.clone(), 0..7u8).prop_map(|(job, auditors)| Act::Open { job, auditors }),
		2 => job.clone().prop_map(|job| Act::Close { job }),
		12 => (job.clone(), 0..6u8, verdict())
			.prop_map(|(job, number, verdict)| Act::Seal { job, number, verdict }),
		12 => (job.clone(), 0..6u8).prop_map(|(job, number)| Act::OpenSeal { job, number }),
		2 => (job.clone(), 0..5u8, 0..8u8, 1..12u64)
			.prop_map(|(job, round, number, signer)| Act::Stray { job, round, number, signer }),
		2 => (job.clone(), reporter.clone(), any::<bool>())
			.prop_map(|(job, reporter, good)| Act::Commit { job, reporter, good }),
		3 => (job, reporter, any::<bool>())
			.prop_map(|(job, reporter, good)| Act::Report { job, reporter, good }),
		6 => (1..14u32).prop_map(|count| Act::Blocks { count }),
		1 => (1..30u32).prop_map(|count| Act::Starved { count }),
		1 => prop::collection::vec(prop::option::weighted(0.8, 1..6u64), 1..6)
			.prop_map(|authors| Act::Authors { authors }),
		1 => (1..20u64, 0..12u64).prop_map(|(first, len)| Act::Session { first, len }),
		1 => (1..5u8).prop_map(|max_rounds| Act::Rounds { max_rounds }),
		1 => (1..4u32).prop_map(|rows| Act::Register { rows }),
		1 => (1..4u32).prop_map(|rows| Act::Remove { rows }),
	]
}

/// What the model knows of one result.
#[derive(Default)]
struct Open {
	auditors: u8,
	/// Verdicts sealed, by round and seat.
	sealed: BTreeMap<(u8, u8), Verdict>,
	/// Verdicts opened, by round.
	opened: BTreeMap<u8, Vec<Verdict>>,
	/// Whether its audit ended with a pass.
	passed: bool,
}

#[derive(Default)]
struct Model {
	open: BTreeMap<u64, Open>,
	heard: usize,
	convicted: usize,
	failed: u64,
}

impl Model {
	/// Everything the sink heard since the last look is something the votes and proofs allow.
	fn check(&mut self) {
		let convicted = Convicted::get();
		for (task, _, challenged) in &convicted[self.convicted..] {
			assert!(challenged);
			self.open.remove(&task.job).expect("convicted once, and only if open");
		}
		self.convicted = convicted.len();
		let concluded = Concluded::get();
		for (task, outcome, attesters) in &concluded[self.heard..] {
			let result = self.open.get_mut(&task.job).expect("concluded only if open");
			assert!(!result.passed, "concluded once");
			let needed = quorum(usize::from(result.auditors), Phase::Result);
			let last = result.opened.values().next_back().cloned().unwrap_or_default();
			let count = |verdict| last.iter().filter(|v| **v == verdict).count() >= needed;
			let (valid, gone) = (count(Verdict::Valid), count(Verdict::Unavailable));
			match outcome {
				AuditOutcome::Passed => {
					assert!(valid);
					result.passed = true;
				}
				AuditOutcome::Failed(verdict) => {
					assert!(gone && *verdict == Verdict::Unavailable);
					self.failed += 1;
				}
				AuditOutcome::Inconclusive => assert!(!valid && !gone),
				AuditOutcome::Spared => panic!("every task is audited"),
			}
			if *outcome != AuditOutcome::Inconclusive {
				let heard = |v: &&Verdict| matches!(v, Verdict::Valid | Verdict::Unavailable);
				assert_eq!(attesters.len(), last.iter().filter(heard).count());
			}
			if *outcome != AuditOutcome::Passed {
				self.open.remove(&task.job);
			}
		}
		self.heard = concluded.len();
		let cases = Cases::<Test>::iter_keys().map(|task| task.job).collect::<BTreeSet<_>>();
		assert_eq!(cases, self.open.keys().copied().collect());
		assert_eq!(Verification::audits_failed(), self.failed);
		Verification::do_try_state().expect("the state holds together");
	}

	fn act(&mut self, act: Act) {
		match act {
			Act::Open { job, auditors } => {
				let opened = Verification::open(task(job), claim(), &terms(auditors));
				let may = auditors > 0 && !self.open.contains_key(&job);
				assert_eq!(opened.is_ok(), may);
				if may {
					self.open.insert(job, Open { auditors, ..Default::default() });
				}
			}
			Act::Close { job } => {
				// As jobs do it: once the audit has passed and the window is over.
				let passed = self.open.get(&job).is_some_and(|result| result.passed);
				if passed && Verification::open_until(task(job)).is_none() {
					Verification::close(task(job));
					self.open.remove(&job);
				}
			}
			Act::Seal { job, number, verdict } => {
				let Some(voting) = voting(task(job)) else { return };
				let Some(held) = voting.seats.get(usize::from(number)) else { return };
				let seat = seat(task(job), number);
				let may = held.sealed.is_none() && now() <= voting.seals_until;
				let let_in = submit(seal_call(seat, verdict, held.account));
				assert_eq!(let_in.is_ok(), may);
				if may {
					assert!(let_in.unwrap().is_ok());
					let result = self.open.get_mut(&job).expect("open");
					result.sealed.insert((seat.round, number), verdict);
				}
			}
			Act::OpenSeal { job, number } => {
				let Some(voting) = voting(task(job)) else { return };
				let Some(held) = voting.seats.get(usize::from(number)) else { return };
				let seat = seat(task(job), number);
				let result = self.open.get_mut(&job).expect("open");
				let Some(verdict) = result.sealed.get(&(seat.round, number)).copied() else {
					return;
				};
				let may =
					held.vote.is_none() && voting.opening(now()) && now() <= voting.opens_until;
				if may {
					let heard = match verdict {
						Verdict::Invalid(_) => Verdict::Abstained,
						other => other,
					};
					result.opened.entry(seat.round).or_default().push(heard);
				}
				let before = Convicted::get().len();
				let let_in = submit(open_call(seat, verdict));
				assert_eq!(let_in.is_ok(), may);
				if may {
					assert!(let_in.unwrap().is_ok());
					let proved = verdict == Verdict::Invalid(WRONG);
					assert_eq!(Convicted::get().len() - before, usize::from(proved));
				}
			}
			Act::Stray { job, round, number, signer } => {
				let at = Audits::<Test>::get(task(job)).map_or(1, |a| a.submitted_at);
				let seat_is_signers = seats(task(job)).is_some_and(|s| {
					s.get(usize::from(number)).is_some_and(|s| s.account == signer)
				});
				if !seat_is_signers {
					let seat = SeatId { task: task(job), submitted_at: at, round, number };
					assert!(submit(seal_call(seat, Verdict::Valid, signer)).is_err());
				}
			}
			Act::Commit { job, reporter, good } => {
				let at = Cases::<Test>::get(task(job)).map_or(0, |case| case.submitted_at);
				let proof = if good { proof() } else { vec![] };
				let seal = report_seal(&reporter, task(job), at, &proof, &SALT);
				let signed = RuntimeOrigin::signed(reporter);
				let _ = Verification::commit_report(signed, task(job), seal);
			}
			Act::Report { job, reporter, good } => {
				let proof = if good { proof() } else { vec![] };
				let signed = RuntimeOrigin::signed(reporter);
				let before = Convicted::get().len();
				let proof = proof.try_into().unwrap();
				let _ = Verification::report_fraud(signed, task(job), proof, SALT);
				assert!(good || Convicted::get().len() == before, "convicted without a proof");
			}
			Act::Blocks { count } => run(count),
			Act::Starved { count } => {
				for _ in 0..count {
					next_block_with(Weight::zero());
				}
			}
			Act::Authors { authors } => BlockAuthors::set(authors),
			Act::Session { first, len } => set_auditors(first..first + len),
			Act::Rounds { max_rounds } => {
				let params = Params { max_rounds, ..params() };
				Verification::set_parameters(RuntimeOrigin::root(), params).expect("sound");
			}
			Act::Register { rows } => {
				let bytes = program(rows).encode().try_into().unwrap();
				let _ = Verification::register_program(RuntimeOrigin::signed(OWNER), bytes);
			}
			Act::Remove { rows } => {
				let id = program(rows).validate().unwrap().id().into();
				let _ = Verification::remove_program(RuntimeOrigin::signed(OWNER), id);
			}
		}
	}
}

proptest! {
	#![proptest_config(ProptestConfig { cases: 96, ..Default::default() })]

	#[test]
	fn every_audit_ends_once_as_its_votes_say(acts in prop::collection::vec(act(), 1..120)) {
		new_test_ext().execute_with(|| {
			let mut model = Model::default();
			for act in acts {
				model.act(act);
				model.check();
			}
			// Whatever stands open ends by time, with nobody doing anything.
			run(4 * (params().draw_timeout + params().audit_window + params().opening_window + 4));
			model.check();
			assert!(model.open.values().all(|result| result.passed), "an audit without end");
			for job in model.open.keys() {
				assert_eq!(Verification::open_until(task(*job)), None, "a window without end");
			}
			assert_eq!(Duties::<Test>::iter().count(), 0);
			assert_eq!(AgendaItems::<Test>::iter().count(), 0);
		});
	}

	#[test]
	fn no_bytes_make_registration_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
		new_test_ext().execute_with(|| {
			let _ = Verification::register_program(
				RuntimeOrigin::signed(OWNER),
				bytes.try_into().unwrap(),
			);
			Verification::do_try_state().expect("the state holds together");
		});
	}
}
