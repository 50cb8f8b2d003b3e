//! The runtime that is measured, and the chain it runs on.

use anyhow::{anyhow, Context, Result};
use codec::{Decode, Encode};
use sc_client_db::BenchmarkingState;
use sc_executor::{WasmExecutionMethod, WasmExecutor, WasmtimeInstantiationStrategy};
use serde_json::Value;
use sp_core::traits::{CallContext, CodeExecutor, RuntimeCode, WrappedRuntimeCode};
use sp_externalities::Extensions;
use sp_genesis_builder::{PresetId, DEV_RUNTIME_PRESET};
use sp_keystore::{testing::MemoryKeystore, KeystoreExt};
use sp_runtime::{traits::BlakeTwo256, Storage};
use sp_state_machine::{BasicExternalities, OverlayedChanges, StateMachine};
use std::path::Path;

/// What a node offers the runtime, and what benchmarks need beside it.
type Host = (sp_io::SubstrateHostFunctions, frame_benchmarking::benchmarking::HostFunctions);
/// State that benchmarks wipe and commit, and that may count what they read and write.
pub type State = BenchmarkingState<BlakeTwo256>;

/// A runtime built with the feature `runtime-benchmarks`.
pub struct Runtime {
	code: WrappedRuntimeCode<'static>,
	hash: Vec<u8>,
	executor: WasmExecutor<Host>,
	genesis: Storage,
}

impl Runtime {
	/// Loads the WASM at `path` and builds its development chain's genesis.
	pub fn load(path: &Path) -> Result<Self> {
		let code =
			std::fs::read(path).with_context(|| format!("{} cannot be read", path.display()))?;
		let hash = sp_io::hashing::blake2_256(&code).to_vec();
		let method = WasmExecutionMethod::Compiled {
			instantiation_strategy: WasmtimeInstantiationStrategy::PoolingCopyOnWrite,
		};
		let executor = WasmExecutor::builder().with_execution_method(method).build();
		let code = WrappedRuntimeCode(code.into());
		let mut runtime = Self { code, hash, executor, genesis: Storage::default() };
		runtime.genesis = runtime.build_genesis()?;
		Ok(runtime)
	}

	/// The chain at genesis.
	pub fn state(&self, count: bool) -> Result<State> {
		State::new(self.genesis.clone(), None, false, count).map_err(|error| anyhow!(error))
	}

	/// Calls a runtime API.
	pub fn call<O: Decode>(&self, state: &State, method: &str, input: &impl Encode) -> Result<O> {
		// Benchmarks that sign make their keys here.
		let mut extensions = Extensions::default();
		extensions.register(KeystoreExt::new(MemoryKeystore::new()));
		let output = StateMachine::new(
			state,
			&mut OverlayedChanges::default(),
			&self.executor,
			method,
			&input.encode(),
			&mut extensions,
			&self.runtime_code(),
			CallContext::Offchain,
		)
		.execute()
		.map_err(|error| anyhow!("{method}: {error}"))?;
		O::decode(&mut &output[..]).with_context(|| format!("{method} returned something else"))
	}

	fn runtime_code(&self) -> RuntimeCode<'_> {
		RuntimeCode { code_fetcher: &self.code, hash: self.hash.clone(), heap_pages: None }
	}

	/// As a node does it: the runtime's default with the preset's patch.
	fn build_genesis(&self) -> Result<Storage> {
		let mut config = self.preset(None)?;
		merge(&mut config, self.preset(Some(DEV_RUNTIME_PRESET.into()))?);
		let json = serde_json::to_vec(&config)?;
		let mut state = BasicExternalities::default();
		let built: sp_genesis_builder::Result =
			self.call_plain(&mut state, "GenesisBuilder_build_state", &json)?;
		built.map_err(|error| anyhow!("genesis cannot be built: {error}"))?;
		Ok(state.into_storages())
	}

	fn preset(&self, id: Option<PresetId>) -> Result<Value> {
		let mut state = BasicExternalities::default();
		let json: Option<Vec<u8>> =
			self.call_plain(&mut state, "GenesisBuilder_get_preset", &id)?;
		Ok(serde_json::from_slice(&json.context("the runtime lacks a preset")?)?)
	}

	fn call_plain<O: Decode>(
		&self,
		state: &mut BasicExternalities,
		method: &str,
		input: &impl Encode,
	) -> Result<O> {
		let (output, _) = self.executor.call(
			state,
			&self.runtime_code(),
			method,
			&input.encode(),
			CallContext::Offchain,
		);
		let output = output.map_err(|error| anyhow!("{method}: {error}"))?;
		O::decode(&mut &output[..]).with_context(|| format!("{method} returned something else"))
	}
}

/// Writes what `patch` says over `to`, object by object.
fn merge(to: &mut Value, patch: Value) {
	match (to, patch) {
		(Value::Object(to), Value::Object(patch)) => {
			for (key, value) in patch {
				merge(to.entry(key).or_insert(Value::Null), value);
			}
		}
		(to, patch) => *to = patch,
	}
}
