//! A chain with emissions and nothing else.

use crate::{self as pallet_emissions, *};
use assay_primitives::{traits::WorkLedger, Balance};
use frame_support::{
	assert_ok, derive_impl, parameter_types,
	traits::{
		fungible::Mutate,
		tokens::{Fortitude, Precision, Preservation},
		ConstU32, Hooks,
	},
	weights::{Weight, WeightMeter},
};
use sp_runtime::{BuildStorage, Perbill};

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
	pub type Emissions = pallet_emissions;
}

#[derive_impl(frame_system::config_preludes::TestDefaultConfig)]
impl frame_system::Config for Test {
	type Block = frame_system::mocking::MockBlockU32<Test>;
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
	type MaxPayoutsPerBlock = ConstU32<8>;
	type WeightInfo = ();
}

pub type AccountId = u64;

pub const ED: Balance = 10;
pub const FUNDS: Balance = 1_000_000;
pub const PARAMS: Params = Params {
	era_length: 10,
	kappa: Perbill::from_percent(50),
	initial_cap: 1_000,
	decay: Perbill::from_percent(10),
};

/// Burns a fee of `payer` for work by `provider`.
pub fn burn(payer: AccountId, provider: AccountId, amount: Balance) {
	assert_ok!(Balances::burn_from(
		&payer,
		amount,
		Preservation::Preserve,
		Precision::Exact,
		Fortitude::Polite
	));
	Emissions::burned(&provider, amount);
}

/// Goes to block `n` and polls there alone, with all the weight there is.
pub fn poll(n: u32) {
	poll_within(n, Weight::MAX);
}

/// Goes to block `n` and polls there alone, within `limit`.
pub fn poll_within(n: u32, limit: Weight) {
	System::set_block_number(n);
	let mut meter = WeightMeter::with_limit(limit);
	Emissions::on_poll(n, &mut meter);
	assert!(meter.consumed().all_lte(limit));
}

pub fn issuance() -> Balance {
	Balances::total_issuance()
}

pub fn events() -> Vec<Event<Test>> {
	System::events()
		.into_iter()
		.filter_map(|record| match record.event {
			RuntimeEvent::Emissions(event) => Some(event),
			_ => None,
		})
		.collect()
}

pub fn new_test_ext() -> sp_io::TestExternalities {
	let storage = RuntimeGenesisConfig {
		balances: BalancesConfig {
			balances: (1..=20).map(|n| (n, FUNDS)).collect(),
			..Default::default()
		},
		emissions: EmissionsConfig { params: PARAMS, ..Default::default() },
		..Default::default()
	}
	.build_storage()
	.expect("genesis is valid");
	let mut ext = sp_io::TestExternalities::new(storage);
	ext.execute_with(|| System::set_block_number(1));
	ext
}

/// Runs `test`, then checks the invariants and that issuance is genesis + minted − burned, where
/// all that was burned went through [`burn`].
pub fn build_and_execute(test: impl FnOnce()) {
	new_test_ext().execute_with(|| {
		let genesis = issuance();
		test();
		assert_ok!(Emissions::do_try_state());
		let figures = Emissions::figures();
		assert_eq!(issuance(), genesis + figures.minted - figures.burned);
	});
}
