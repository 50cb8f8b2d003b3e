//! Random sequences of everything that can happen, checked against a small model.

use crate::{impls::attest::quorum, mock::*, *};
use assay_primitives::{
	traits::Audits as _,
	work::{Assurance, AuditOutcome, Place, Verdict},
};
use frame_support::weights::Weight;
use proptest::prelude::*;
use std::collections::BTreeMap;

#[derive(Clone, Debug)]
enum Act {
	Open { job: u64, auditors: u8 },
	Forget { job: u64 },
	Vote { job: u64, seat: u8, verdict: Verdict },
	Stray { job: u64, round: u8, seat: u8, signer: AccountId },
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
		2 => (0..3u32).prop_map(|node| Verdict::Invalid(Place { node, row: 0, col: 0 })),
		1 => Just(Verdict::Unavailable),
	]
}

fn act() -> impl Strategy<Value = Act> {
	let job = 0..4u64;
	prop_oneof![
		3 => (job.clone(), 0..7u8).prop_map(|(job, auditors)| Act::Open { job, auditors }),
		1 => job.clone().prop_map(|job| Act::Forget { job }),
		12 => (job.clone(), 0..6u8, verdict())
			.prop_map(|(job, seat, verdict)| Act::Vote { job, seat, verdict }),
		2 => (job, 0..5u8, 0..8u8, 1..12u64)
			.prop_map(|(job, round, seat, signer)| Act::Stray { job, round, seat, signer }),
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

/// What the model knows of one audit: votes let in, by round.
#[derive(Default)]
struct Open {
	auditors: u8,
	votes: BTreeMap<u8, Vec<Verdict>>,
}

#[derive(Default)]
struct Model {
	open: BTreeMap<u64, Open>,
	heard: usize,
	failed: u64,
}

impl Model {
	/// Every conclusion the sink heard since the last look is one the votes allow.
	fn check(&mut self) {
		let concluded = Concluded::get();
		for (task, outcome, attesters) in &concluded[self.heard..] {
			let audit = self.open.remove(&task.job).expect("concluded once, and only if open");
			let needed = quorum(usize::from(audit.auditors));
			let count = |f: fn(&Verdict) -> bool| {
				audit.votes.values().any(|v| v.iter().filter(|v| f(v)).count() >= needed)
			};
			let valid = count(|v| *v == Verdict::Valid);
			let against = count(|v| *v != Verdict::Valid);
			match outcome {
				AuditOutcome::Passed => assert!(valid && !against),
				AuditOutcome::Failed(Verdict::Valid) => panic!("failed as valid"),
				AuditOutcome::Failed(_) => {
					assert!(against && !valid);
					self.failed += 1;
				}
				AuditOutcome::Inconclusive => assert!(!valid && !against),
			}
			if *outcome != AuditOutcome::Inconclusive {
				let last = audit.votes.values().next_back().map_or(0, Vec::len);
				assert_eq!(attesters.len(), last);
			}
		}
		self.heard = concluded.len();
		assert_eq!(Verification::audits_open() as usize, self.open.len());
		assert_eq!(Verification::audits_failed(), self.failed);
		Verification::do_try_state().expect("the state holds together");
	}

	fn act(&mut self, act: Act) {
		match act {
			Act::Open { job, auditors } => {
				let assurance = Assurance::Audited { auditors };
				let opened = Verification::open(task(job), claim(), assurance);
				let may = auditors > 0 && !self.open.contains_key(&job);
				assert_eq!(opened.is_ok(), may);
				if may {
					self.open.insert(job, Open { auditors, votes: BTreeMap::new() });
				}
			}
			Act::Forget { job } => {
				Verification::forget(task(job));
				self.open.remove(&job);
			}
			Act::Vote { job, seat, verdict } => {
				let Some(seats) = seats(task(job)) else { return };
				if usize::from(seat) >= seats.len() {
					return;
				}
				let audit = audit(task(job));
				let Stage::Voting(voting) = &audit.stage else { return };
				let may = seats[usize::from(seat)].vote.is_none() && now() <= voting.deadline;
				let let_in = submit(honest_call(task(job), seat, verdict));
				assert_eq!(let_in.is_ok(), may);
				if may {
					assert!(let_in.unwrap().is_ok());
					let open = self.open.get_mut(&job).expect("open");
					open.votes.entry(audit.round).or_default().push(verdict);
				}
			}
			Act::Stray { job, round, seat, signer } => {
				let at = Audits::<Test>::get(task(job)).map_or(1, |a| a.submitted_at);
				let seat_is_signers = seats(task(job))
					.is_some_and(|s| s.get(usize::from(seat)).is_some_and(|s| s.account == signer));
				if !seat_is_signers {
					let call = attest_call(task(job), at, round, seat, Verdict::Valid, signer);
					assert!(submit(call).is_err());
				}
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
			run(4 * (params().draw_timeout + params().audit_window + 4));
			model.check();
			assert!(model.open.is_empty(), "an audit without end");
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
