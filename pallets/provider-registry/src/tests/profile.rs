use crate::{mock::*, Error, Event, HotKeys, Params, Providers, Standing};
use assay_primitives::traits::Supply;
use frame_support::{assert_noop, assert_ok};
use sp_runtime::{traits::BadOrigin, TokenError};

fn try_register(n: u8, hot_key: u8, stake: u128) -> sp_runtime::DispatchResult {
	Registry::register(
		origin(n),
		account(hot_key),
		stake,
		label("p"),
		url("http://127.0.0.1:9000"),
		Some(*b"DE"),
	)
}

#[test]
fn registering_holds_the_stake() {
	build_and_execute(|| {
		assert_ok!(try_register(1, 101, 2_000));
		let provider = Providers::<Test>::get(account(1)).unwrap();
		assert_eq!((provider.stake, provider.locked), (2_000, 0));
		assert_eq!(provider.standing, Standing::Active);
		assert_eq!(provider.region, Some(*b"DE"));
		assert_eq!(provider.registered_at, 1);
		assert_eq!(Balances::free_balance(account(1)), FUNDS - 2_000);
		assert_eq!(Registry::provider_of(&account(101)), Some(account(1)));
		assert_eq!(Registry::provider_of(&account(1)), None);
		assert_eq!(
			events(),
			vec![
				Event::Registered { provider: account(1), hot_key: account(101), stake: 2_000 },
				Event::ProfileSet {
					provider: account(1),
					name: label("p"),
					endpoint: url("http://127.0.0.1:9000"),
					region: Some(*b"DE"),
				},
			]
		);
	});
}

#[test]
fn registering_wants_stake_that_exists() {
	build_and_execute(|| {
		assert_noop!(try_register(1, 101, 0), Error::<Test>::StakeTooLow);
		assert_noop!(try_register(1, 101, MIN_STAKE - 1), Error::<Test>::StakeTooLow);
		assert_noop!(try_register(1, 101, FUNDS + 1), TokenError::FundsUnavailable);
		// The existential deposit stays free.
		assert_noop!(try_register(1, 101, FUNDS - ED + 1), TokenError::FundsUnavailable);
		assert_noop!(try_register(1, 101, u128::MAX), TokenError::FundsUnavailable);
		assert_noop!(try_register(50, 101, MIN_STAKE), TokenError::FundsUnavailable);
		assert_ok!(try_register(1, 101, FUNDS - ED));
		assert_noop!(try_register(1, 102, MIN_STAKE), Error::<Test>::AlreadyRegistered);
	});
}

#[test]
fn hot_keys_act_for_one_provider_and_are_none() {
	build_and_execute(|| {
		assert_noop!(try_register(1, 1, MIN_STAKE), Error::<Test>::HotKeyIsProvider);
		assert_ok!(try_register(1, 101, MIN_STAKE));
		assert_noop!(try_register(2, 101, MIN_STAKE), Error::<Test>::HotKeyTaken);
		assert_noop!(try_register(2, 1, MIN_STAKE), Error::<Test>::HotKeyIsProvider);
		assert_ok!(try_register(2, 3, MIN_STAKE));
		assert_noop!(try_register(3, 103, MIN_STAKE), Error::<Test>::AccountIsHotKey);

		assert_noop!(Registry::set_hot_key(origin(1), account(1)), Error::<Test>::HotKeyIsProvider);
		assert_noop!(Registry::set_hot_key(origin(1), account(2)), Error::<Test>::HotKeyIsProvider);
		assert_noop!(Registry::set_hot_key(origin(1), account(3)), Error::<Test>::HotKeyTaken);
		assert_noop!(Registry::set_hot_key(origin(1), account(101)), Error::<Test>::HotKeyTaken);
		assert_noop!(Registry::set_hot_key(origin(4), account(104)), Error::<Test>::NotRegistered);

		// A key that is given up is free for others, as is its account.
		assert_ok!(Registry::set_hot_key(origin(2), account(104)));
		assert_eq!(HotKeys::<Test>::get(account(3)), None);
		assert_eq!(HotKeys::<Test>::get(account(104)), Some(account(2)));
		assert_ok!(try_register(3, 103, MIN_STAKE));
	});
}

#[test]
fn endpoints_are_checked() {
	build_and_execute(|| {
		register(1, MIN_STAKE);
		for (endpoint, error) in [
			("", Error::<Test>::EndpointScheme),
			("file:///etc/passwd", Error::<Test>::EndpointScheme),
			("127.0.0.1:9000", Error::<Test>::EndpointScheme),
			("http://a b", Error::<Test>::EndpointCharacter),
			("http://a/\r\nHost: b", Error::<Test>::EndpointCharacter),
			("http://ü.example", Error::<Test>::EndpointCharacter),
			("http://user@example.org", Error::<Test>::EndpointCharacter),
			("http://", Error::<Test>::EndpointHost),
			("http://[::1", Error::<Test>::EndpointHost),
			("http://a:99999", Error::<Test>::EndpointPort),
		] {
			let set = Registry::set_profile(origin(1), label("x"), url(endpoint), None);
			assert_noop!(set, error);
		}
		assert!(crate::Label::try_from(vec![b'a'; 65]).is_err());
		assert!(assay_primitives::url::Url::try_from(vec![b'a'; 257]).is_err());
		let longest = format!("http://{}", "a".repeat(249));
		assert_ok!(Registry::set_profile(origin(1), label("x"), url(&longest), None));
		assert_eq!(Registry::endpoint_of(&account(1)), Some(url(&longest)));
	});
}

#[test]
fn names_and_regions_are_checked() {
	build_and_execute(|| {
		register(1, MIN_STAKE);
		let set = |name: &[u8], region| {
			let name = name.to_vec().try_into().unwrap();
			Registry::set_profile(origin(1), name, url("https://a.example"), region)
		};
		assert_noop!(set(b"\xff\xfe", None), Error::<Test>::InvalidLabel);
		assert_noop!(set(b"a\x1b[31m", None), Error::<Test>::InvalidLabel);
		assert_noop!(set("a\u{9b}31m".as_bytes(), None), Error::<Test>::InvalidLabel);
		for region in [*b"de", *b"D1", *b"\0\0", [b'D', 0xc3]] {
			assert_noop!(set(b"a", Some(region)), Error::<Test>::InvalidRegion);
		}
		assert_ok!(set("Grüße GmbH".as_bytes(), Some(*b"AQ")));
		assert_ok!(set(b"", None));
		let unknown = Registry::set_profile(origin(2), label("x"), url("http://a"), None);
		assert_noop!(unknown, Error::<Test>::NotRegistered);
	});
}

#[test]
fn parameters_are_governances() {
	build_and_execute(|| {
		assert_noop!(Registry::set_parameters(origin(1), PARAMS), BadOrigin);
		for params in [Params { min_stake: 0, ..PARAMS }, Params { offers_missed_max: 0, ..PARAMS }]
		{
			assert_noop!(
				Registry::set_parameters(RuntimeOrigin::root(), params),
				Error::<Test>::InvalidParameters
			);
		}
		let params = Params { min_stake: u128::MAX, ..PARAMS };
		assert_ok!(Registry::set_parameters(RuntimeOrigin::root(), params));
		assert_eq!(events(), vec![Event::ParametersSet { params }]);
		assert_noop!(try_register(1, 101, FUNDS), Error::<Test>::StakeTooLow);
		assert!(Params::default().is_valid());
	});
}

#[test]
#[should_panic(expected = "invalid parameters in genesis")]
fn genesis_refuses_bad_parameters() {
	use sp_runtime::BuildStorage;
	let params = Params { min_stake: 0, ..PARAMS };
	let registry = RegistryConfig { params, ..Default::default() };
	let _ = RuntimeGenesisConfig { registry, ..Default::default() }.build_storage();
}
