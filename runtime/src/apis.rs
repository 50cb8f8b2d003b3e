//! What the node and its readers may ask of the runtime.

use crate::*;
use alloc::vec::Vec;
use assay_primitives::{
	demand::DemandView,
	traits::Audits,
	views::{
		ChallengeView, Demands, JobEvent, JobView, JobsPage, NetworkStats, ProviderView, TaskView,
	},
	work::{Assurance, Custody, JobId, ProgramInfo, TaskId, TaskIndex},
	Root,
};
use frame_support::{
	genesis_builder_helper::{build_state, get_preset},
	weights::Weight,
};
use pallet_grandpa::AuthorityId as GrandpaId;
use sp_api::impl_runtime_apis;
use sp_core::OpaqueMetadata;
use sp_runtime::{
	traits::NumberFor,
	transaction_validity::{TransactionSource, TransactionValidity},
	ApplyExtrinsicResult, ExtrinsicInclusionMode,
};
use sp_session::OpaqueGeneratedSessionKeys;

impl_runtime_apis! {
	impl sp_api::Core<Block> for Runtime {
		fn version() -> RuntimeVersion {
			VERSION
		}

		fn execute_block(block: <Block as BlockT>::LazyBlock) {
			Executive::execute_block(block);
		}

		fn initialize_block(header: &<Block as BlockT>::Header) -> ExtrinsicInclusionMode {
			Executive::initialize_block(header)
		}
	}

	impl sp_api::Metadata<Block> for Runtime {
		fn metadata() -> OpaqueMetadata {
			OpaqueMetadata::new(Runtime::metadata().into())
		}

		fn metadata_at_version(version: u32) -> Option<OpaqueMetadata> {
			Runtime::metadata_at_version(version)
		}

		fn metadata_versions() -> Vec<u32> {
			Runtime::metadata_versions()
		}
	}

	impl frame_support::view_functions::runtime_api::RuntimeViewFunction<Block> for Runtime {
		fn execute_view_function(
			id: frame_support::view_functions::ViewFunctionId,
			input: Vec<u8>,
		) -> Result<Vec<u8>, frame_support::view_functions::ViewFunctionDispatchError> {
			Runtime::execute_view_function(id, input)
		}
	}

	impl sp_block_builder::BlockBuilder<Block> for Runtime {
		fn apply_extrinsic(extrinsic: <Block as BlockT>::Extrinsic) -> ApplyExtrinsicResult {
			Executive::apply_extrinsic(extrinsic)
		}

		fn finalize_block() -> <Block as BlockT>::Header {
			Executive::finalize_block()
		}

		fn inherent_extrinsics(
			data: sp_inherents::InherentData,
		) -> Vec<<Block as BlockT>::Extrinsic> {
			data.create_extrinsics()
		}

		fn check_inherents(
			block: <Block as BlockT>::LazyBlock,
			data: sp_inherents::InherentData,
		) -> sp_inherents::CheckInherentsResult {
			data.check_extrinsics(&block)
		}
	}

	impl sp_transaction_pool::runtime_api::TaggedTransactionQueue<Block> for Runtime {
		fn validate_transaction(
			source: TransactionSource,
			tx: <Block as BlockT>::Extrinsic,
			block_hash: <Block as BlockT>::Hash,
		) -> TransactionValidity {
			Executive::validate_transaction(source, tx, block_hash)
		}
	}

	impl sp_offchain::OffchainWorkerApi<Block> for Runtime {
		fn offchain_worker(header: &<Block as BlockT>::Header) {
			Executive::offchain_worker(header)
		}
	}

	impl sp_consensus_babe::BabeApi<Block> for Runtime {
		fn configuration() -> sp_consensus_babe::BabeConfiguration {
			let config = Babe::epoch_config().unwrap_or(BABE_GENESIS_EPOCH_CONFIG);
			sp_consensus_babe::BabeConfiguration {
				slot_duration: Babe::slot_duration(),
				epoch_length: EPOCH_DURATION_IN_SLOTS,
				c: config.c,
				authorities: Babe::authorities().to_vec(),
				randomness: Babe::randomness(),
				allowed_slots: config.allowed_slots,
			}
		}

		fn current_epoch_start() -> sp_consensus_babe::Slot {
			Babe::current_epoch_start()
		}

		fn current_epoch() -> sp_consensus_babe::Epoch {
			Babe::current_epoch()
		}

		fn next_epoch() -> sp_consensus_babe::Epoch {
			Babe::next_epoch()
		}

		// Equivocation reports come with staked validators; see the configuration of BABE.
		fn generate_key_ownership_proof(
			_slot: sp_consensus_babe::Slot,
			_authority_id: sp_consensus_babe::AuthorityId,
		) -> Option<sp_consensus_babe::OpaqueKeyOwnershipProof> {
			None
		}

		fn submit_report_equivocation_unsigned_extrinsic(
			_equivocation_proof: sp_consensus_babe::EquivocationProof<<Block as BlockT>::Header>,
			_key_owner_proof: sp_consensus_babe::OpaqueKeyOwnershipProof,
		) -> Option<()> {
			None
		}
	}

	impl sp_consensus_grandpa::GrandpaApi<Block> for Runtime {
		fn grandpa_authorities() -> sp_consensus_grandpa::AuthorityList {
			Grandpa::grandpa_authorities()
		}

		fn current_set_id() -> sp_consensus_grandpa::SetId {
			pallet_grandpa::CurrentSetId::<Runtime>::get()
		}

		fn submit_report_equivocation_unsigned_extrinsic(
			_equivocation_proof: sp_consensus_grandpa::EquivocationProof<
				<Block as BlockT>::Hash,
				NumberFor<Block>,
			>,
			_key_owner_proof: sp_consensus_grandpa::OpaqueKeyOwnershipProof,
		) -> Option<()> {
			None
		}

		fn generate_key_ownership_proof(
			_set_id: sp_consensus_grandpa::SetId,
			_authority_id: GrandpaId,
		) -> Option<sp_consensus_grandpa::OpaqueKeyOwnershipProof> {
			None
		}
	}

	impl sp_session::SessionKeys<Block> for Runtime {
		fn generate_session_keys(owner: Vec<u8>, seed: Option<Vec<u8>>) -> OpaqueGeneratedSessionKeys {
			SessionKeys::generate(&owner, seed).into()
		}

		fn decode_session_keys(encoded: Vec<u8>) -> Option<Vec<(Vec<u8>, sp_core::crypto::KeyTypeId)>> {
			SessionKeys::decode_into_raw_public_keys(&encoded)
		}
	}

	impl frame_system_rpc_runtime_api::AccountNonceApi<Block, AccountId, Nonce> for Runtime {
		fn account_nonce(account: AccountId) -> Nonce {
			System::account_nonce(account)
		}
	}

	impl pallet_transaction_payment_rpc_runtime_api::TransactionPaymentApi<Block, Balance> for Runtime {
		fn query_info(
			uxt: <Block as BlockT>::Extrinsic,
			len: u32,
		) -> pallet_transaction_payment_rpc_runtime_api::RuntimeDispatchInfo<Balance> {
			TransactionPayment::query_info(uxt, len)
		}

		fn query_fee_details(
			uxt: <Block as BlockT>::Extrinsic,
			len: u32,
		) -> pallet_transaction_payment::FeeDetails<Balance> {
			TransactionPayment::query_fee_details(uxt, len)
		}

		fn query_weight_to_fee(weight: Weight) -> Balance {
			TransactionPayment::weight_to_fee(weight)
		}

		fn query_length_to_fee(length: u32) -> Balance {
			TransactionPayment::length_to_fee(length)
		}
	}

	impl assay_primitives::api::JobsApi<Block> for Runtime {
		fn job(id: JobId) -> Option<JobView> {
			views::job(id)
		}

		fn jobs(before: Option<JobId>, limit: u32) -> JobsPage {
			views::jobs(before, limit)
		}

		fn tasks(job: JobId, start: TaskIndex, limit: u32) -> Vec<TaskView> {
			views::tasks(job, start, limit)
		}

		fn tasks_of(provider: AccountId) -> Vec<TaskView> {
			views::tasks_of(&provider)
		}

		fn job_events() -> Vec<JobEvent> {
			views::job_events()
		}

		fn program(id: Root) -> Option<ProgramInfo> {
			<Verification as assay_primitives::traits::Programs>::info(&id)
		}

		fn audit_fee(program: Root, assurance: Assurance, value: Balance) -> Option<Balance> {
			let info = <Verification as assay_primitives::traits::Programs>::info(&program)?;
			<Verification as Audits>::fee(&info.costs, &assurance, value).ok()
		}

		fn custody(program: Root) -> Option<Custody> {
			let info = <Verification as assay_primitives::traits::Programs>::info(&program)?;
			<Verification as Audits>::custody(&info).ok()
		}

		fn challenge(task: TaskId) -> Option<ChallengeView> {
			Verification::challenge(task)
		}

		fn demands_on(provider: AccountId) -> Vec<DemandView> {
			JobEscrow::engagements(&provider).into_iter().flat_map(Verification::demanded).collect()
		}

		fn demands(assurance: Assurance) -> Option<Demands> {
			let stake_percent = <Verification as Audits>::least_stake_percent(&assurance)?;
			let premium = pallet_job_escrow::Parameters::<Runtime>::get().premium();
			Some(Demands { stake_percent, premium })
		}

		fn max_attempts() -> u8 {
			pallet_job_escrow::Parameters::<Runtime>::get().runs
		}

		fn under_audit(task: TaskId) -> bool {
			pallet_verification::Audits::<Runtime>::contains_key(task)
		}
	}

	impl assay_primitives::api::ProvidersApi<Block> for Runtime {
		fn provider(account: AccountId) -> Option<ProviderView> {
			ProviderRegistry::provider_view(&account)
		}

		fn provider_of(hot_key: AccountId) -> Option<AccountId> {
			pallet_provider_registry::HotKeys::<Runtime>::get(hot_key)
		}

		fn providers(after: Option<AccountId>, limit: u32) -> Vec<ProviderView> {
			ProviderRegistry::providers_page(after.as_ref(), limit)
		}
	}

	impl assay_primitives::api::NetworkApi<Block> for Runtime {
		fn network_stats() -> NetworkStats {
			views::network()
		}
	}

	#[cfg(feature = "runtime-benchmarks")]
	impl frame_benchmarking::Benchmark<Block> for Runtime {
		fn benchmark_metadata(
			extra: bool,
		) -> (
			Vec<frame_benchmarking::BenchmarkList>,
			Vec<frame_support::traits::StorageInfo>,
		) {
			benchmarks::list(extra)
		}

		fn dispatch_benchmark(
			config: frame_benchmarking::BenchmarkConfig,
		) -> Result<Vec<frame_benchmarking::BenchmarkBatch>, alloc::string::String> {
			benchmarks::dispatch(config)
		}
	}

	#[cfg(feature = "try-runtime")]
	impl frame_try_runtime::TryRuntime<Block> for Runtime {
		fn on_runtime_upgrade(
			checks: frame_try_runtime::UpgradeCheckSelect,
		) -> (Weight, Weight) {
			// Called by tools only, never from within a block: a failed check must stop them.
			let weight = Executive::try_runtime_upgrade(checks).expect("the upgrade is checked");
			(weight, configs::RuntimeBlockWeights::get().max_block)
		}

		fn execute_block(
			block: <Block as BlockT>::LazyBlock,
			state_root_check: bool,
			signature_check: bool,
			select: frame_try_runtime::TryStateSelect,
		) -> Weight {
			// By tools only, as above: a block that fails its checks must stop them.
			Executive::try_execute_block(block, state_root_check, signature_check, select)
				.expect("the block is checked")
		}
	}

	impl sp_genesis_builder::GenesisBuilder<Block> for Runtime {
		fn build_state(config: Vec<u8>) -> sp_genesis_builder::Result {
			build_state::<RuntimeGenesisConfig>(config)
		}

		fn get_preset(id: &Option<sp_genesis_builder::PresetId>) -> Option<Vec<u8>> {
			get_preset::<RuntimeGenesisConfig>(id, genesis_config_presets::get_preset)
		}

		fn preset_names() -> Vec<sp_genesis_builder::PresetId> {
			genesis_config_presets::preset_names()
		}
	}
}
