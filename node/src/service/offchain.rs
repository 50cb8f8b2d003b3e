//! Off-chain workers: code of the runtime that runs beside the chain at every new best block.

use super::{Block, FullBackend, FullClient, FullPool};
use futures::FutureExt;
use sc_client_api::Backend;
use sc_network::service::traits::NetworkService;
use sc_offchain::{OffchainWorkerOptions, OffchainWorkers};
use sc_service::{Error, TaskManager};
use sc_transaction_pool_api::OffchainTransactionPoolFactory;
use sp_keystore::KeystorePtr;
use std::sync::Arc;

/// Starts the off-chain workers. They may send HTTP requests: the auditor is called so.
pub fn start(
	task_manager: &TaskManager,
	client: &Arc<FullClient>,
	backend: &Arc<FullBackend>,
	pool: &Arc<FullPool>,
	keystore: KeystorePtr,
	network: Arc<dyn NetworkService>,
	is_validator: bool,
) -> Result<(), Error> {
	let workers = OffchainWorkers::<_, Block, _>::new(OffchainWorkerOptions {
		runtime_api_provider: client.clone(),
		is_validator,
		keystore: Some(keystore),
		offchain_db: backend.offchain_storage(),
		transaction_pool: Some(OffchainTransactionPoolFactory::new(pool.clone())),
		network_provider: Arc::new(network),
		enable_http_requests: true,
		custom_extensions: |_| Vec::new(),
	})?;
	task_manager.spawn_handle().spawn(
		"offchain-workers-runner",
		Some("offchain-worker"),
		workers.run(client.clone(), task_manager.spawn_handle()).boxed(),
	);
	Ok(())
}
