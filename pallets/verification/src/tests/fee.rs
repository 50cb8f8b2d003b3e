//! Fees and parameters.

use crate::{mock::*, *};
use assay_primitives::{
	traits::Audits as _,
	work::{Assurance, Costs},
	ASY,
};
use frame_support::{assert_noop, assert_ok};
use sp_runtime::{ArithmeticError, DispatchError};

fn costs(macs: u128, trace_bytes: u128) -> Costs {
	Costs { macs, trace_bytes, ..Default::default() }
}

fn fee(costs: Costs, auditors: u8) -> Result<u128, DispatchError> {
	Verification::fee(&costs, &Assurance::every_task(auditors), ASY)
}

#[test]
fn each_auditor_is_paid_by_work_rounded_up() {
	test(|| {
		assert_eq!(fee(costs(0, 0), 1), Ok(100));
		assert_eq!(fee(costs(1, 1), 1), Ok(100 + 10 + 1));
		assert_eq!(fee(costs(1_000_000_000, 1 << 20), 1), Ok(100 + 10 + 1));
		assert_eq!(fee(costs(1_000_000_001, (1 << 20) + 1), 1), Ok(100 + 20 + 2));
		assert_eq!(fee(costs(1_000_000_001, (1 << 20) + 1), 7), Ok(7 * (100 + 20 + 2)));
		// 15,625,000 elements are 10^9 multiply–accumulates.
		let elements = |elements| Costs { elements, ..Default::default() };
		assert_eq!(fee(elements(15_625_000), 1), Ok(100 + 10));
		assert_eq!(fee(elements(15_625_001), 1), Ok(100 + 20));
	});
}

#[test]
fn what_cannot_be_given_has_no_price() {
	test(|| {
		assert_noop!(fee(costs(1, 1), 0), Error::<Test>::NotEnoughAuditors);
		// Nine auditors.
		assert_ok!(fee(costs(1, 1), 9));
		assert_noop!(fee(costs(1, 1), 10), Error::<Test>::NotEnoughAuditors);
		set_auditors(1..=40);
		assert_ok!(fee(costs(1, 1), 15));
		assert_noop!(fee(costs(1, 1), 16), Error::<Test>::NotEnoughAuditors);
		set_auditors([]);
		assert_noop!(fee(costs(1, 1), 1), Error::<Test>::NotEnoughAuditors);
	});
}

#[test]
fn what_validators_do_not_take_on_has_no_price() {
	test(|| {
		assert_ok!(fee(costs(1_000_000_000_000, 1 << 30), 1));
		assert_noop!(fee(costs(1_000_000_000_001, 1), 1), Error::<Test>::AuditTooLarge);
		assert_noop!(fee(costs(1, (1 << 30) + 1), 1), Error::<Test>::AuditTooLarge);
		assert_noop!(fee(costs(u128::MAX, u128::MAX), 1), Error::<Test>::AuditTooLarge);
		// Cheap to declare, dear to recompute: reductions of large operands.
		let elements = |elements| Costs { elements, ..Default::default() };
		assert_ok!(fee(elements(15_625_000_000), 1));
		assert_noop!(fee(elements(15_625_000_001), 1), Error::<Test>::AuditTooLarge);
		assert_noop!(fee(elements(u128::MAX), 1), Error::<Test>::AuditTooLarge);
	});
}

#[test]
fn a_fee_that_overflows_is_an_error() {
	test(|| {
		let params = Params {
			fee_per_gmac: u128::MAX / 2,
			max_audit_macs: u128::MAX,
			max_audit_trace_bytes: u128::MAX,
			..params()
		};
		assert_ok!(Verification::set_parameters(RuntimeOrigin::root(), params));
		assert_noop!(fee(costs(u128::MAX, u128::MAX), 9), ArithmeticError::Overflow);
		assert_noop!(fee(costs(1, 0), 3), ArithmeticError::Overflow);
	});
}

#[test]
fn only_root_sets_parameters_and_only_sound_ones() {
	test(|| {
		assert_noop!(
			Verification::set_parameters(RuntimeOrigin::signed(OWNER), params()),
			DispatchError::BadOrigin
		);
		let unsound = [
			Params { distinct_authors: 0, ..params() },
			Params { distinct_authors: 17, draw_timeout: 1_000, ..params() },
			Params { max_rounds: 0, ..params() },
			Params { max_rounds: 9, ..params() },
			Params { audit_window: 0, ..params() },
			Params { opening_window: 0, ..params() },
			Params { opening_window: MAX_WINDOW + 1, ..params() },
			Params { challenge_window: 0, ..params() },
			Params { challenge_window: MAX_WINDOW + 1, ..params() },
			Params { report_delay: 0, ..params() },
			// Over before it may be opened.
			Params { report_delay: 9, ..params() },
			// Nobody could report within the window.
			Params { report_window: 60, ..params() },
			Params { report_grace: MAX_WINDOW + 1, ..params() },
			Params { report_bond: 0, ..params() },
			Params { audit_window: MAX_WINDOW + 1, ..params() },
			Params { draw_timeout: MAX_WINDOW + 1, ..params() },
			// Over before anything could be drawn.
			Params { draw_timeout: 5, ..params() },
			Params { inclusion_depth: u32::MAX, ..params() },
		];
		for params in unsound {
			assert_noop!(
				Verification::set_parameters(RuntimeOrigin::root(), params),
				Error::<Test>::InvalidParameters
			);
		}
		let sound = Params { draw_timeout: 6, ..params() };
		assert_ok!(Verification::set_parameters(RuntimeOrigin::root(), sound.clone()));
		assert_eq!(Parameters::<Test>::get(), sound);
		assert!(events().contains(&Event::ParametersSet { params: sound }));
	});
}

#[test]
fn the_public_preset_is_sound() {
	assert!(Params::default().is_valid());
	let json = serde_json::to_string(&Params::default()).unwrap();
	assert_eq!(serde_json::from_str::<Params>(&json).unwrap(), Params::default());
}
