//! A chain with the registry and nothing else.

use crate::{self as pallet_provider_registry, *};
use assay_primitives::{
	market::{Ask, MachineClass, Requirements, Work},
	url::Url,
	work::Costs,
	AccountId, Balance,
};
use frame_support::{assert_ok, derive_impl, parameter_types, traits::ConstU32};
use sp_runtime::{traits::IdentityLookup, BuildStorage, Permill};

#[frame_support::runtime]
mod runtime {
	#[runtime::runtime]
	#[runtime::derive(
		RuntimeCall,
		RuntimeEvent,
		RuntimeError,
		RuntimeOrigin,
		RuntimeFreezeReason,
		RuntimeHoldReason,
		RuntimeSlashReason,
		RuntimeLockId,
		RuntimeTask,
		RuntimeViewFunction
	)]
	pub struct Test;

	#[runtime::pallet_index(0)]
	pub type System = frame_system;
	#[runtime::pallet_index(1)]
	pub type Balances = pallet_balances;
	#[runtime::pallet_index(2)]
	pub type Registry = pallet_provider_registry;
}

#[derive_impl(frame_system::config_preludes::TestDefaultConfig)]
impl frame_system::Config for Test {
	type Block = frame_system::mocking::MockBlockU32<Test>;
	type AccountId = AccountId;
	type Lookup = IdentityLookup<AccountId>;
	type AccountData = pallet_balances::AccountData<Balance>;
}

parameter_types! {
	pub const ExistentialDeposit: Balance = ED;
}

#[derive_impl(pallet_balances::config_preludes::TestDefaultConfig)]
impl pallet_balances::Config for Test {
	type Balance = Balance;
	type ExistentialDeposit = ExistentialDeposit;
	type AccountStore = System;
}

impl Config for Test {
	type Currency = Balances;
	type RuntimeHoldReason = RuntimeHoldReason;
	type MaxMachinesPerProvider = ConstU32<4>;
	type MaxAsksPerClass = ConstU32<6>;
	type MaxUnbonding = ConstU32<3>;
	type WeightInfo = ();
}

pub const ED: Balance = 10;
pub const MIN_STAKE: Balance = 1_000;
pub const FUNDS: Balance = 1_000_000;
pub const PARAMS: Params =
	Params { min_stake: MIN_STAKE, unbonding_period: 20, offers_missed_max: 3 };

pub const CLASS: MachineClass = MachineClass::ConsumerGpu;

/// Account number `n`; 1 to 20 have [`FUNDS`].
pub fn account(n: u8) -> AccountId {
	AccountId::new([n; 32])
}

/// Hot key of provider `n`.
pub fn hot(n: u8) -> AccountId {
	account(100 + n)
}

pub fn origin(n: u8) -> RuntimeOrigin {
	RuntimeOrigin::signed(account(n))
}

pub fn label(text: &str) -> Label {
	text.as_bytes().to_vec().try_into().expect("short")
}

pub fn url(text: &str) -> Url {
	text.as_bytes().to_vec().try_into().expect("short")
}

pub fn issuance() -> Balance {
	Balances::total_issuance()
}

/// An ask of `base` planck for anything.
pub fn ask(base: Balance) -> Ask {
	Ask {
		base,
		per_gmac: 0,
		per_melement: 0,
		per_value_block: 0,
		max_value: Balance::MAX,
		max_macs: u128::MAX,
		max_trace_bytes: u128::MAX,
		min_deadline: 1,
		slots: 2,
		stake_percent: 100,
	}
}

pub fn spec() -> MachineSpec {
	MachineSpec { class: CLASS, model: label("RTX 4090"), memory_mib: 24_576 }
}

pub fn anything() -> Requirements {
	Requirements { class: CLASS, min_memory_mib: 0, region: None }
}

pub fn work(macs: u128, elements: u128, value: Balance) -> Work {
	let costs = Costs { macs, elements, trace_bytes: 0, const_bytes: 0, leaves: 0 };
	Work { costs, value, deadline: 10, premium: Permill::zero(), stake_percent: 100 }
}

pub fn register(n: u8, stake: Balance) {
	assert_ok!(Registry::register(
		origin(n),
		hot(n),
		stake,
		label("provider"),
		url("http://127.0.0.1:9000"),
		None
	));
}

/// Registers provider `n` with a machine that asks `base`; its number is 0.
pub fn provider(n: u8, stake: Balance, base: Balance) {
	register(n, stake);
	assert_ok!(Registry::add_machine(origin(n), spec()));
	assert_ok!(Registry::set_ask(origin(n), 0, ask(base)));
}

pub fn events() -> Vec<Event<Test>> {
	System::events()
		.into_iter()
		.filter_map(|record| match record.event {
			RuntimeEvent::Registry(event) => Some(event),
			_ => None,
		})
		.collect()
}

pub fn new_test_ext() -> sp_io::TestExternalities {
	let storage = RuntimeGenesisConfig {
		balances: BalancesConfig {
			balances: (1..=20).map(|n| (account(n), FUNDS)).collect(),
			..Default::default()
		},
		registry: RegistryConfig { params: PARAMS, ..Default::default() },
		..Default::default()
	}
	.build_storage()
	.expect("genesis is valid");
	let mut ext = sp_io::TestExternalities::new(storage);
	ext.execute_with(|| System::set_block_number(1));
	ext
}

/// Runs `test`, then checks the invariants and that no money came or went.
pub fn build_and_execute(test: impl FnOnce()) {
	new_test_ext().execute_with(|| {
		let before = issuance();
		test();
		assert_ok!(Registry::do_try_state());
		assert_eq!(issuance(), before);
	});
}
