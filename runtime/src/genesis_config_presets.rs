//! The chains that can be started from this runtime.
//!
//! `development` has one validator, `local` three; both have short windows, well-known keys and
//! sudo, and are for tests only.

use crate::*;
use alloc::{vec, vec::Vec};
use assay_primitives::auditor::AuditorId;
use frame_support::build_struct_json_patch;
use pallet_grandpa::AuthorityId as GrandpaId;
use serde_json::Value;
use sp_consensus_babe::AuthorityId as BabeId;
use sp_core::crypto::get_public_from_string_or_panic;
use sp_genesis_builder::{PresetId, DEV_RUNTIME_PRESET, LOCAL_TESTNET_RUNTIME_PRESET};
use sp_keyring::Sr25519Keyring;
use sp_runtime::{Perbill, Permill};

/// Balance of each well-known account in the development chains.
const ENDOWMENT: Balance = 1_000_000 * ASY;

/// Bond of each validator as an auditor there.
const AUDITOR_BOND: Balance = 10_000 * ASY;

/// Keys of the validator with this well-known name, from its seed. For development chains.
fn session_keys(name: &str) -> SessionKeys {
	SessionKeys {
		babe: get_public_from_string_or_panic::<BabeId>(name),
		grandpa: get_public_from_string_or_panic::<GrandpaId>(name),
		auditor: get_public_from_string_or_panic::<AuditorId>(name),
	}
}

struct Windows {
	jobs: pallet_job_escrow::Params,
	audits: pallet_verification::Params,
	emissions: pallet_emissions::Params,
	providers: pallet_provider_registry::Params,
}

fn windows(distinct_authors: u8, validators: usize) -> Windows {
	Windows {
		jobs: pallet_job_escrow::Params {
			offer_window: 60,
			match_interval: 2,
			min_deadline: 5,
			max_deadline: 10_000,
			max_lifetime: 100_000,
			retention: 10_000,
			runs: 3,
			fee: Permill::from_percent(5),
			burned: Permill::from_percent(60),
			undelivered: Permill::from_percent(5),
			replication: pallet_job_escrow::Replication {
				seek_window: 60,
				opening_window: 60,
				..Default::default()
			},
		},
		audits: pallet_verification::Params {
			inclusion_depth: 1,
			distinct_authors,
			draw_timeout: 30,
			audit_window: 60,
			opening_window: 20,
			// Two quorums with nobody in both, where there are enough.
			custodians: (validators / 2).clamp(1, 3) as u8,
			challenge_window: 24,
			report_window: 8,
			report_grace: 4,
			demand_window: 30,
			..Default::default()
		},
		emissions: pallet_emissions::Params {
			era_length: 20,
			kappa: Perbill::from_percent(50),
			..Default::default()
		},
		providers: pallet_provider_registry::Params { unbonding_period: 40, ..Default::default() },
	}
}

fn genesis(validators: &[Sr25519Keyring], distinct_authors: u8) -> Value {
	let windows = windows(distinct_authors, validators.len());
	build_struct_json_patch!(RuntimeGenesisConfig {
		balances: BalancesConfig {
			balances: Sr25519Keyring::well_known()
				.map(|key| (key.to_account_id(), ENDOWMENT))
				.chain([(configs::TreasuryAccount::get(), EXISTENTIAL_DEPOSIT)])
				.collect::<Vec<_>>(),
		},
		babe: BabeConfig { epoch_config: BABE_GENESIS_EPOCH_CONFIG },
		session: SessionConfig {
			keys: validators
				.iter()
				.map(|key| {
					let account = key.to_account_id();
					(account.clone(), account, session_keys(key.to_seed().trim_start_matches("//")))
				})
				.collect::<Vec<_>>(),
		},
		sudo: SudoConfig { key: Some(Sr25519Keyring::Alice.to_account_id()) },
		job_escrow: JobEscrowConfig { params: windows.jobs },
		verification: VerificationConfig {
			params: windows.audits,
			bonds: validators.iter().map(|key| (key.to_account_id(), AUDITOR_BOND)).collect(),
		},
		emissions: EmissionsConfig { params: windows.emissions },
		provider_registry: ProviderRegistryConfig { params: windows.providers },
	})
}

/// The genesis patch of a preset.
pub fn get_preset(id: &PresetId) -> Option<Vec<u8>> {
	use Sr25519Keyring::{Alice, Bob, Charlie};
	let patch = match id.as_ref() {
		DEV_RUNTIME_PRESET => genesis(&[Alice], 1),
		LOCAL_TESTNET_RUNTIME_PRESET => genesis(&[Alice, Bob, Charlie], 3),
		_ => return None,
	};
	serde_json::to_string(&patch).ok().map(|text| text.into_bytes())
}

/// Names of the presets.
pub fn preset_names() -> Vec<PresetId> {
	vec![PresetId::from(DEV_RUNTIME_PRESET), PresetId::from(LOCAL_TESTNET_RUNTIME_PRESET)]
}
