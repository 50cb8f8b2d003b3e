//! The node's parts, put together.
//!
//! - [`partial`](mod@partial): database, keystore, transaction pool and block import;
//! - [`babe`] and [`grandpa`]: authorship and finality among validators;
//! - [`manual_seal`]: blocks without either, for development;
//! - [`offchain`]: off-chain workers;
//! - [`auditor`]: the auditor service that they call.

mod auditor;
mod babe;
mod grandpa;
mod manual_seal;
mod offchain;
mod partial;

use crate::{metrics, options::Options, rpc};
use futures::channel::mpsc;
use sc_client_api::Backend as _;
use sc_network::{config::FullNetworkConfiguration, NetworkBackend};
use sc_service::{
	BuildNetworkParams, Configuration, Error, SpawnTasksParams, TaskManager, WarpSyncConfig,
};
use sp_runtime::traits::Block as BlockT;

pub use assay_primitives::{Hash, OpaqueBlock as Block};
pub use partial::{partial, Partial};

/// The client: blocks, state and calls into the runtime.
pub type FullClient = sc_service::TFullClient<
	Block,
	assay_runtime::apis::RuntimeApi,
	sc_executor::WasmExecutor<sp_io::SubstrateHostFunctions>,
>;
/// The database.
pub type FullBackend = sc_service::TFullBackend<Block>;
/// The transaction pool.
pub type FullPool = sc_transaction_pool::TransactionPoolHandle<Block, FullClient>;
/// Which of several heads to build on.
pub type SelectChain = sc_consensus::LongestChain<FullBackend, Block>;
/// Commands to the engine that makes blocks without consensus.
pub type SealCommand = sc_consensus_manual_seal::EngineCommand<Hash>;

/// Commands to the sealing engine that may wait.
const SEAL_COMMANDS: usize = 64;

/// Starts a node over the network backend `N`. It runs until the task manager ends.
pub async fn start<N>(mut config: Configuration, options: Options) -> Result<TaskManager, Error>
where
	N: NetworkBackend<Block, <Block as BlockT>::Hash>,
{
	// What workers open on the chain for auditors goes past the state, into the off-chain index.
	config.offchain_worker.indexing_enabled |= config.offchain_worker.enabled;
	let Partial {
		client,
		backend,
		mut task_manager,
		import_queue,
		keystore_container,
		select_chain,
		transaction_pool,
		other: mut consensus,
	} = partial(&config, options.seal)?;
	let prometheus = config.prometheus_registry().cloned();
	let role = config.role;
	let keystore = keystore_container.keystore();

	let mut net_config = FullNetworkConfiguration::<Block, Hash, N>::new(
		&config.network,
		config.prometheus_registry().cloned(),
	);
	let net_metrics = N::register_notification_metrics(config.prometheus_registry());
	// Sealed blocks carry no votes: neither the protocol that gossips them nor the one that skips
	// over blocks by them is spoken.
	let warp_sync = grandpa::warp_sync(&backend, &consensus.grandpa);
	let finality = rpc::Finality::new(&client, warp_sync.clone(), config.chain_spec.cloned_box())?;
	let (votes, warp_sync) = match options.seal {
		Some(_) => (None, None),
		None => {
			let votes = grandpa::join_network(&mut net_config, &client, &config, &net_metrics)?;
			(Some(votes), Some(WarpSyncConfig::WithProvider(warp_sync)))
		}
	};
	let (network, system_rpc_tx, tx_handler_controller, sync, _bitswap) =
		sc_service::build_network(BuildNetworkParams {
			config: &config,
			net_config,
			client: client.clone(),
			transaction_pool: transaction_pool.clone(),
			spawn_handle: task_manager.spawn_handle(),
			spawn_essential_handle: task_manager.spawn_essential_handle(),
			import_queue,
			block_announce_validator_builder: None,
			warp_sync_config: warp_sync,
			block_relay: None,
			metrics: net_metrics,
			gap_sync_body_policy: None,
		})?;

	let block_time = options.block_time();
	let folder = config.data_path.join("auditor");
	let storage = backend.offchain_storage();
	let auditor = auditor::start(options.auditor, block_time, folder, storage).await?;
	if config.offchain_worker.enabled {
		offchain::start(
			&task_manager,
			&client,
			&backend,
			&transaction_pool,
			keystore.clone(),
			network.clone(),
			role.is_authority(),
		)?;
	}

	let (seal_sender, seal_commands) = mpsc::channel(SEAL_COMMANDS);
	let voter_state = sc_consensus_grandpa::SharedVoterState::empty();
	let rpc_deps = rpc::Deps {
		client: client.clone(),
		pool: transaction_pool.clone(),
		consensus: match consensus.babe_worker.take() {
			Some(babe_worker) => rpc::Consensus::Validators {
				babe_worker,
				keystore: keystore.clone(),
				select_chain: select_chain.clone(),
				authority_set: consensus.grandpa.shared_authority_set().clone(),
				justifications: consensus.grandpa.justification_stream(),
				voter_state: voter_state.clone(),
				finality_proofs: grandpa::finality_proofs(&backend, &consensus.grandpa),
				finality: Box::new(finality),
			},
			None => rpc::Consensus::Seal(seal_sender.clone()),
		},
	};
	let author = babe::Author {
		force: config.force_authoring,
		client: client.clone(),
		pool: transaction_pool.clone(),
		select_chain: select_chain.clone(),
		keystore: keystore.clone(),
		block_import: consensus.block_import,
		link: consensus.babe,
		inherents: consensus.inherents,
	};
	let voter = votes.filter(|_| !config.disable_grandpa).map(|votes| grandpa::Voter {
		name: config.network.node_name.clone(),
		role,
		keystore,
		votes,
		link: consensus.grandpa,
		state: voter_state,
	});
	sc_service::spawn_tasks(SpawnTasksParams {
		config,
		client: client.clone(),
		backend,
		task_manager: &mut task_manager,
		keystore: keystore_container.keystore(),
		transaction_pool: transaction_pool.clone(),
		rpc_builder: Box::new(move |executor| rpc::create(&rpc_deps, executor)),
		network: network.clone(),
		system_rpc_tx,
		tx_handler_controller,
		sync_service: sync.clone(),
		telemetry: consensus.telemetry.as_mut(),
		tracing_execute_block: None,
	})?;

	if let Some(registry) = &prometheus {
		metrics::network::start(&task_manager, registry, client)?;
		if let Some(auditor) = &auditor {
			let auditor = auditor.clone();
			metrics::auditor::start(registry, move || auditor.metrics())?;
		}
	}
	task_manager.keep_alive(auditor);
	let telemetry = consensus.telemetry.as_ref().map(|telemetry| telemetry.handle());
	match options.seal {
		Some(seal) => manual_seal::start(
			&task_manager,
			author,
			seal,
			(seal_sender, seal_commands),
			prometheus.as_ref(),
			telemetry.clone(),
		)?,
		None if role.is_authority() => babe::start(
			&task_manager,
			author,
			sync.clone(),
			prometheus.as_ref(),
			telemetry.clone(),
		)?,
		None => {}
	}
	if let Some(voter) = voter {
		grandpa::start(
			&task_manager,
			voter,
			network,
			sync,
			transaction_pool,
			prometheus,
			telemetry,
		)?;
	}
	Ok(task_manager)
}
