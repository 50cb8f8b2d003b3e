//! Whatever happens in whatever order, the sums hold and everything ends.

use super::*;
use crate::Totals;
use assay_primitives::{
	replication::{seal, Outcome},
	work::Delivery,
};
use proptest::prelude::*;

#[derive(Clone, Debug)]
enum Act {
	Post(u32, u8),
	Replicate(u32, u8, u8),
	Seal(u64, u64, u32, u8),
	Open(u64, u64, u32, u8),
	Lot(bool),
	Cancel(u64),
	Accept(u64, u64, u32),
	Decline(u64, u64, u32),
	Submit(u64, u64, u32),
	Abandon(u64, u64, u32),
	Advance(u64, u32),
	Conclude(usize, u8, usize),
	Ask(u64, u8),
	Acknowledge(u64, u32),
	Find(u8),
	Pass(u32),
}

fn act() -> impl Strategy<Value = Act> {
	let job = 0..4u64;
	let hot = 0..3u64;
	let index = 0..6u32;
	let output = || 0..2u8;
	prop_oneof![
		2 => (1..4u32, 0..3u8).prop_map(|(n, a)| Act::Post(n, a)),
		2 => (1..3u32, 2..4u8, 0..20u8).prop_map(|(n, r, a)| Act::Replicate(n, r, a)),
		8 => (hot.clone(), job.clone(), index.clone(), output())
			.prop_map(|(h, j, i, o)| Act::Seal(h, j, i, o)),
		8 => (hot.clone(), job.clone(), index.clone(), output())
			.prop_map(|(h, j, i, o)| Act::Open(h, j, i, o)),
		1 => any::<bool>().prop_map(Act::Lot),
		1 => job.clone().prop_map(Act::Cancel),
		6 => (hot.clone(), job.clone(), index.clone()).prop_map(|(h, j, i)| Act::Accept(h, j, i)),
		1 => (hot.clone(), job.clone(), index.clone()).prop_map(|(h, j, i)| Act::Decline(h, j, i)),
		6 => (hot.clone(), job.clone(), index.clone()).prop_map(|(h, j, i)| Act::Submit(h, j, i)),
		1 => (hot.clone(), job.clone(), index.clone()).prop_map(|(h, j, i)| Act::Abandon(h, j, i)),
		1 => (job.clone(), index.clone()).prop_map(|(j, i)| Act::Advance(j, i)),
		6 => (0..8usize, 0..4u8, 0..3usize).prop_map(|(t, o, n)| Act::Conclude(t, o, n)),
		1 => (job.clone(), index.clone()).prop_map(|(j, i)| Act::Acknowledge(j, i)),
		2 => (0..5u8).prop_map(Act::Find),
		2 => (hot, 0..4u8).prop_map(|(h, p)| Act::Ask(h, p)),
		6 => (1..8u32).prop_map(Act::Pass),
	]
}

fn outcome(output: u8) -> Outcome {
	let output_root = assay_primitives::Root::repeat_byte(output);
	let commitment = assay_primitives::work::Commitment { output_root, ..commitment() };
	Outcome { commitment, summary: Default::default() }
}

fn run(act: Act) {
	let by = |h: u64| RuntimeOrigin::signed(HOT + h);
	// Errors are fine; broken records are not, and are looked for after every act.
	match act {
		Act::Post(n, auditors) => {
			let mut job = spec(n);
			job.assurance = assay_primitives::work::Assurance::every_task(auditors);
			let _ = JobEscrow::post(RuntimeOrigin::signed(BUYER), job);
		}
		Act::Replicate(n, replicas, agreed) => {
			crate::Agreed::<Test>::insert(PROVIDER, u32::from(agreed));
			let mut job = spec(n);
			let (tolerance, at_least) = (0, sp_runtime::Permill::zero());
			job.assurance =
				assay_primitives::work::Assurance::Replicated { replicas, tolerance, at_least };
			let _ = JobEscrow::post(RuntimeOrigin::signed(BUYER), job);
		}
		Act::Seal(h, job, index, output) => {
			let id = TaskId { job, index };
			let seal = seal(&(PROVIDER + h), id, &outcome(output), &[0; 32]);
			let _ = JobEscrow::seal_result(by(h), job, index, seal);
		}
		Act::Open(h, job, index, output) => {
			let _ = JobEscrow::open_result(by(h), job, index, outcome(output), [0; 32]);
		}
		Act::Lot(falls) => state(|s| s.lot = Some(falls)),
		Act::Cancel(job) => {
			let _ = JobEscrow::cancel(RuntimeOrigin::signed(BUYER), job);
		}
		Act::Accept(h, job, index) => {
			let slots = Jobs::<Test>::get(job).map_or(1, |job| job.spec.assurance.slots());
			let inputs = vec![input(index / slots)].try_into().unwrap();
			let _ = JobEscrow::accept(by(h), job, index, inputs, Default::default());
		}
		Act::Decline(h, job, index) => {
			let _ = JobEscrow::decline(by(h), job, index);
		}
		Act::Submit(h, job, index) => {
			let _ = JobEscrow::submit(by(h), job, index, commitment());
		}
		Act::Abandon(h, job, index) => {
			let _ = JobEscrow::abandon(by(h), job, index);
		}
		Act::Advance(job, index) => {
			let _ = JobEscrow::advance(RuntimeOrigin::signed(OTHER), job, index);
		}
		Act::Conclude(nth, outcome, attesters) => {
			let open: Vec<_> = Tasks::<Test>::iter()
				.filter(|(_, _, t)| matches!(t.status, TaskStatus::Auditing { .. }))
				.map(|(job, index, _)| TaskId { job, index })
				.collect();
			if let Some(id) = open.get(nth) {
				let outcome = match outcome {
					0 | 1 => AuditOutcome::Passed,
					2 => WRONG,
					_ => AuditOutcome::Inconclusive,
				};
				JobEscrow::concluded(*id, outcome, vec![AUDITOR; attesters]);
			}
		}
		Act::Ask(h, price) => {
			state(|s| match price {
				0 => s.asks.remove(&(PROVIDER + h)),
				p => s.asks.insert(PROVIDER + h, Balance::from(p) * ASY),
			});
		}
		Act::Acknowledge(job, index) => {
			let tasks = vec![index].try_into().unwrap();
			let _ = JobEscrow::acknowledge(RuntimeOrigin::signed(BUYER), job, tasks);
		}
		Act::Find(what) => {
			let found = match what {
				0 => Some(Delivery::Held),
				1 => Some(Delivery::Doubted),
				2 => Some(Delivery::Undelivered),
				3 => Some(Delivery::Inconclusive),
				_ => None,
			};
			state(|s| (s.custodians_find, s.custody_fee) = (Some(found), ASY / 100));
		}
		Act::Pass(n) => pass(n),
	}
	JobEscrow::do_try_state().unwrap();
}

proptest! {
	#![proptest_config(ProptestConfig::with_cases(128))]

	#[test]
	fn sums_hold_and_everything_ends(acts in prop::collection::vec(act(), 1..60)) {
		build_and_execute(|| {
			state(|s| s.lot = Some(true));
			acts.into_iter().for_each(run);
			// Audits are ended by verification, which always ends them; the rest ends by time.
			state(|s| s.custodians_find = Some(Some(Delivery::Held)));
			for _ in 0..40 {
				pass(30);
				run(Act::Conclude(0, 3, 0));
				(0..12).for_each(|_| run(Act::Conclude(0, 3, 0)));
			}
			assert_eq!(held(), 0);
			assert_eq!(crate::Groups::<Test>::iter().count(), 0, "every task is decided");
			let totals = Totals::<Test>::get();
			assert_eq!(totals.posted, totals.closed);
			assert_eq!(Jobs::<Test>::iter().count(), 0, "closed jobs are removed");
			assert_eq!(crate::AgendaItems::<Test>::iter().count(), 0, "the agenda is empty");
			assert_eq!(crate::SearchItems::<Test>::iter().count(), 0, "nothing is searched for");
			assert!(state(|s| s.locked.values().all(|l| *l == 0)));
			assert!(state(|s| s.reserved.values().all(|r| *r == 0)));
		});
	}
}
