//! The chains that can be started.

use assay_runtime::{
	configs::TreasuryAccount, genesis_config_presets, Authorship, Balances, Executive, Header,
	Runtime, RuntimeGenesisConfig, RuntimeOrigin, Timestamp, EXISTENTIAL_DEPOSIT,
	MILLISECS_PER_BLOCK,
};
use codec::{Decode, Encode};
use frame_support::{
	assert_noop, assert_ok,
	traits::{Currency, IntegrityTest},
};
use sp_consensus_babe::{
	digests::{PreDigest, SecondaryVRFPreDigest},
	BABE_ENGINE_ID,
};
use sp_keyring::Sr25519Keyring::{Bob, Ferdie};
use sp_runtime::{
	traits::{Dispatchable, Header as _},
	BuildStorage, Digest, DigestItem,
};

fn state(preset: &str) -> sp_io::TestExternalities {
	let patch = genesis_config_presets::get_preset(&preset.into()).expect("the preset exists");
	let patch: serde_json::Value = serde_json::from_slice(&patch).expect("it is JSON");
	let mut config = serde_json::to_value(RuntimeGenesisConfig::default()).expect("it serialises");
	merge(&mut config, patch);
	let config: RuntimeGenesisConfig = serde_json::from_value(config).expect("it fits");
	config.build_storage().expect("it builds").into()
}

fn merge(to: &mut serde_json::Value, patch: serde_json::Value) {
	match (to, patch) {
		(serde_json::Value::Object(to), serde_json::Value::Object(patch)) => {
			for (key, value) in patch {
				merge(to.entry(key).or_insert(serde_json::Value::Null), value);
			}
		}
		(to, patch) => *to = patch,
	}
}

#[test]
fn development_has_one_validator_and_local_has_three() {
	for (preset, validators) in [("development", 1), ("local_testnet", 3)] {
		state(preset).execute_with(|| {
			assert_eq!(pallet_session::Validators::<Runtime>::get().len(), validators);
			assert_eq!(assay_runtime::Verification::auditors_count() as usize, validators);
			assert_eq!(assay_runtime::Babe::authorities().len(), validators);
			assert_eq!(assay_runtime::Grandpa::grandpa_authorities().len(), validators);
		});
	}
}

#[test]
fn unknown_presets_are_unknown() {
	assert!(genesis_config_presets::get_preset(&"mainnet".into()).is_none());
	assert_eq!(genesis_config_presets::preset_names().len(), 2);
}

#[test]
fn every_pallets_parameters_pass_its_own_tests() {
	sp_io::TestExternalities::default()
		.execute_with(<assay_runtime::AllPalletsWithSystem as IntegrityTest>::integrity_test);
	let issuance =
		|p: &str| state(p).execute_with(<assay_runtime::Balances as Currency<_>>::total_issuance);
	// The well-known accounts, the treasury's and the escrow's existential deposit.
	let accounts = sp_keyring::Sr25519Keyring::well_known().count() as u128;
	let expected =
		accounts * 1_000_000 * assay_runtime::ASY + 2 * assay_runtime::EXISTENTIAL_DEPOSIT;
	assert_eq!(issuance("development"), expected);
	assert_eq!(issuance("local_testnet"), expected);
}

#[test]
fn nothing_is_lost_or_burned_besides_fees() {
	state("development").execute_with(|| {
		let issuance = Balances::total_issuance();
		let treasury = Balances::free_balance(TreasuryAccount::get());
		let ferdie = || RuntimeOrigin::signed(Ferdie.to_account_id());
		let burn = pallet_balances::Call::<Runtime>::burn { value: 1, keep_alive: true };
		let burned = assay_runtime::RuntimeCall::from(burn).dispatch(ferdie()).map_err(|e| e.error);
		assert_noop!(burned, frame_system::Error::<Runtime>::CallFiltered);
		// All but a speck goes, and the account with it.
		let speck = EXISTENTIAL_DEPOSIT / 2;
		let rest = Balances::free_balance(Ferdie.to_account_id()) - speck;
		assert_ok!(Balances::transfer_allow_death(ferdie(), Bob.to_account_id().into(), rest));
		assert_eq!(Balances::free_balance(Ferdie.to_account_id()), 0);
		assert_eq!(Balances::free_balance(TreasuryAccount::get()), treasury + speck);
		assert_eq!(Balances::total_issuance(), issuance);
	});
}

/// Fees go to the author: it must not be that of the block before.
#[test]
fn every_block_has_its_own_author() {
	state("local_testnet").execute_with(|| {
		for number in 1..=4u32 {
			// The signature is for the client to look at.
			let vrf_signature = Decode::decode(&mut &[0; 96][..]).expect("it has 96 bytes");
			let (slot, authority_index) = (1_000 + u64::from(number), number % 3);
			let slot = SecondaryVRFPreDigest { authority_index, slot: slot.into(), vrf_signature };
			let now = *slot.slot * MILLISECS_PER_BLOCK;
			let logs = vec![DigestItem::PreRuntime(
				BABE_ENGINE_ID,
				PreDigest::SecondaryVRF(slot).encode(),
			)];
			let (roots, parent) = (Default::default(), Default::default());
			let header = Header::new(number, roots, roots, parent, Digest { logs });
			Executive::initialize_block(&header);
			assert_ok!(Timestamp::set(RuntimeOrigin::none(), now));
			let author =
				pallet_session::Validators::<Runtime>::get()[authority_index as usize].clone();
			assert_eq!(Authorship::author(), Some(author), "block {number}");
			Executive::finalize_block();
		}
	});
}
