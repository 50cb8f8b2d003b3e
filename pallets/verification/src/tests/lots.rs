//! How often tasks are audited.

use crate::{impls::draw::is_drawn, mock::*, *};
use assay_primitives::{
	honesty::audit_rate,
	traits::{Audits as _, Terms},
	work::{Assurance, AuditOutcome, Depth},
	ASY,
};
use sp_runtime::{Permill, Perquintill};

fn assured(at_least: Permill) -> Assurance {
	Assurance::Audited { auditors: 3, depth: Depth::Projection, at_least }
}

#[test]
fn the_lot_falls_as_often_as_it_should() {
	for percent in [0u64, 1, 14, 50, 99, 100] {
		let rate = Perquintill::from_percent(percent);
		let draws = 20_000u32;
		let seed = |i: u32| sp_io::hashing::blake2_256(&i.to_le_bytes());
		let drawn = (0..draws).filter(|i| is_drawn(seed(*i), rate)).count() as f64;
		// Five standard deviations.
		let p = percent as f64 / 100.0;
		let slack = 5.0 * (f64::from(draws) * p * (1.0 - p)).sqrt();
		assert!((drawn - f64::from(draws) * p).abs() <= slack, "{percent} %: {drawn}");
	}
}

#[test]
fn the_rate_is_what_honesty_needs_or_what_the_buyer_wants() {
	test(|| {
		let terms =
			|at_least, collateral| Terms { assurance: assured(at_least), gain: ASY, collateral };
		Verification::open(task(1), claim(), &terms(Permill::zero(), 20 * ASY)).unwrap();
		assert_eq!(audit(task(1)).rate, audit_rate(ASY, 20 * ASY, 3).unwrap());
		Verification::open(task(2), claim(), &terms(Permill::from_percent(30), 20 * ASY)).unwrap();
		assert_eq!(audit(task(2)).rate, Perquintill::from_percent(30));
		// What no rate makes safe was no match; if it were, it would be audited.
		Verification::open(task(3), claim(), &terms(Permill::zero(), ASY)).unwrap();
		assert_eq!(audit(task(3)).rate, Perquintill::one());
	});
}

#[test]
fn a_task_that_is_spared_stays_open_to_challenge() {
	test(|| {
		let terms =
			Terms { assurance: assured(Permill::zero()), gain: ASY, collateral: 100_000 * ASY };
		for job in 0..20 {
			Verification::open(task(job), claim(), &terms).unwrap();
		}
		run(10);
		let spared = Concluded::get();
		assert!(spared.len() > 15, "{spared:?}");
		for (task, outcome, attesters) in spared {
			assert_eq!((outcome, attesters.len()), (AuditOutcome::Spared, 0));
			assert_eq!(case(task).closes_at, 1 + params().challenge_window);
			assert!(Verification::open_until(task).is_some());
		}
	});
}

#[test]
fn the_least_stake_is_the_formulas() {
	// One auditor proves 4/9 of lies, so S ≥ 2.5·G; three prove 52/81, so S ≥ 29/26·G; two 16/27,
	// so S ≥ 11/8·G.
	let least = |auditors| {
		Verification::least_stake_percent(&Assurance::Audited {
			auditors,
			depth: Depth::Replay,
			at_least: Permill::zero(),
		})
	};
	assert_eq!([least(1), least(2), least(3)], [Some(251), Some(138), Some(112)]);
	assert_eq!([least(0), least(16)], [None, None]);
	assert_eq!(Verification::least_stake_percent(&Assurance::Optimistic), Some(100));
}

#[test]
fn a_spot_audit_is_no_defence_of_declared_value() {
	test(|| {
		let spot =
			Assurance::Audited { auditors: 3, depth: Depth::Spot, at_least: Permill::zero() };
		let costs = Default::default();
		assert!(Verification::fee(&costs, &spot, 0).is_ok());
		frame_support::assert_noop!(
			Verification::fee(&costs, &spot, 1),
			Error::<Test>::DepthTooShallow
		);
		// Nor does its pass bind the auditors.
		let terms = Terms { assurance: spot, gain: ASY, collateral: 2 * ASY };
		Verification::open(task(1), claim(), &terms).unwrap();
		let always = Audit { rate: Perquintill::one(), ..audit(task(1)) };
		Audits::<Test>::insert(task(1), always);
		let drawn = run_until_drawn(task(1));
		vote(task(1), &[assay_primitives::work::Verdict::Valid; 3]);
		assert_eq!(case(task(1)).vouched.len(), 0);
		assert!(drawn.iter().all(|auditor| Bonds::<Test>::get(auditor).unwrap().at_risk == 0));
	});
}

#[test]
fn what_is_optimistic_costs_no_audit() {
	test(|| {
		let costs = assay_primitives::work::Costs { macs: u128::MAX, ..Default::default() };
		assert_eq!(Verification::fee(&costs, &Assurance::Optimistic, 7), Ok(0));
	});
}
