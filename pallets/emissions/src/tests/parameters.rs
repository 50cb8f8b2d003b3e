use crate::{mock::*, Error, Event, Params, MAX_CAP};
use frame_support::{assert_noop, assert_ok};
use sp_runtime::{traits::BadOrigin, BuildStorage, Perbill};

fn set(params: Params) -> sp_runtime::DispatchResult {
	Emissions::set_parameters(RuntimeOrigin::root(), params)
}

#[test]
fn they_are_governances_and_checked() {
	build_and_execute(|| {
		assert_noop!(Emissions::set_parameters(RuntimeOrigin::signed(1), PARAMS), BadOrigin);
		for params in [
			Params { era_length: 0, ..PARAMS },
			Params { kappa: Perbill::one(), ..PARAMS },
			Params { initial_cap: MAX_CAP + 1, ..PARAMS },
		] {
			assert_noop!(set(params), Error::<Test>::InvalidParameters);
		}
		assert_ok!(set(PARAMS));
		assert_eq!(events(), vec![Event::ParametersSet { params: PARAMS }]);
		assert!(Params::default().is_valid());
	});
}

#[test]
fn the_default_halves_the_cap_in_about_four_years() {
	let params = Params::default();
	let cap = (0..1_460)
		.fold(params.initial_cap, |cap, _| (Perbill::one() - params.decay).mul_floor(cap));
	let half = params.initial_cap / 2;
	assert!(cap.abs_diff(half) < half / 1_000, "{cap} is not about {half}");
}

#[test]
fn another_initial_cap_starts_the_schedule_anew() {
	build_and_execute(|| {
		poll(10);
		assert_eq!(Emissions::figures().era_cap, 900);
		assert_ok!(set(Params { decay: Perbill::from_percent(20), ..PARAMS }));
		assert_eq!(Emissions::figures().era_cap, 900);
		assert_ok!(set(Params { initial_cap: 500, ..PARAMS }));
		assert_eq!(Emissions::figures().era_cap, 500);
		poll(20);
		assert_eq!(Emissions::figures().era_cap, 450);
	});
}

#[test]
fn extreme_values_keep_the_sums() {
	build_and_execute(|| {
		burn(1, 2, 500_000);
		assert_ok!(set(Params {
			kappa: Perbill::from_parts(999_999_999),
			initial_cap: MAX_CAP,
			decay: Perbill::zero(),
			era_length: 1,
		}));
		poll(1);
		assert_eq!(Emissions::figures().minted, 499_999);
		assert_ok!(set(Params { kappa: Perbill::zero(), decay: Perbill::one(), ..PARAMS }));
		burn(1, 2, 1_000);
		poll(20);
		assert_eq!(Emissions::figures().minted, 499_999);
		assert_eq!(Emissions::figures().era_cap, 0);
	});
}

#[test]
#[should_panic(expected = "invalid parameters in genesis")]
fn genesis_refuses_bad_parameters() {
	let params = Params { kappa: Perbill::one(), ..PARAMS };
	let emissions = EmissionsConfig { params, ..Default::default() };
	let _ = RuntimeGenesisConfig { emissions, ..Default::default() }.build_storage();
}
