//! The chains that are built in. Their genesis states are presets of the runtime.

use assay_primitives::{SS58_PREFIX, TOKEN_DECIMALS, TOKEN_SYMBOL};
use sc_service::{ChainType, GenericChainSpec, Properties};
use sp_genesis_builder::{DEV_RUNTIME_PRESET, LOCAL_TESTNET_RUNTIME_PRESET};

/// A chain specification without extensions.
pub type ChainSpec = GenericChainSpec;

/// Name of the chain in the network's protocols.
const PROTOCOL_ID: &str = "assay";

/// A chain that one node keeps for development: validator Alice.
pub fn development() -> Result<ChainSpec, String> {
	built_in("Assay Development", "assay_dev", ChainType::Development, DEV_RUNTIME_PRESET)
}

/// A chain for a few nodes on one machine: validators Alice, Bob and Charlie.
pub fn local() -> Result<ChainSpec, String> {
	built_in("Assay Local", "assay_local", ChainType::Local, LOCAL_TESTNET_RUNTIME_PRESET)
}

fn built_in(name: &str, id: &str, kind: ChainType, preset: &str) -> Result<ChainSpec, String> {
	let code = assay_runtime::WASM_BINARY.ok_or(
		"this binary was built with SKIP_WASM_BUILD and carries no runtime: build it again \
		 without, or name a chain specification file with `--chain`",
	)?;
	Ok(ChainSpec::builder(code, None)
		.with_name(name)
		.with_id(id)
		.with_chain_type(kind)
		.with_protocol_id(PROTOCOL_ID)
		.with_properties(properties())
		.with_genesis_config_preset_name(preset)
		.build())
}

/// What wallets want to know of the chain.
fn properties() -> Properties {
	let mut properties = Properties::new();
	properties.insert("tokenSymbol".into(), TOKEN_SYMBOL.into());
	properties.insert("tokenDecimals".into(), TOKEN_DECIMALS.into());
	properties.insert("ss58Format".into(), SS58_PREFIX.into());
	properties
}

#[cfg(test)]
mod tests {
	use super::*;

	#[test]
	fn wallets_learn_token_and_prefix() {
		let properties = serde_json::to_value(properties()).unwrap();
		assert_eq!(
			properties,
			serde_json::json!({ "tokenSymbol": "ASY", "tokenDecimals": 12, "ss58Format": 4224 })
		);
	}

	#[test]
	fn built_in_chains_carry_properties_and_genesis() {
		use sc_service::ChainSpec as _;
		if assay_runtime::WASM_BINARY.is_none() {
			assert!(development().err().unwrap().contains("SKIP_WASM_BUILD"));
			return;
		}
		for (spec, kind) in [(development(), ChainType::Development), (local(), ChainType::Local)] {
			let spec = spec.unwrap();
			assert_eq!(spec.chain_type(), kind);
			assert_eq!(spec.protocol_id(), Some(PROTOCOL_ID));
			assert_eq!(spec.properties(), properties());
			assert!(spec.as_json(true).unwrap().contains("0x3a636f6465"));
		}
	}
}
