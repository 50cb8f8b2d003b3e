//! What even commands that start no network need: database, keystore, transaction pool and the
//! chain of block imports.

use super::{Block, FullBackend, FullClient, FullPool, SelectChain};
use crate::cli::Seal;
use sc_consensus::{BasicQueue, DefaultImportQueue};
use sc_consensus_babe::{BabeBlockImport, BabeLink, BabeWorkerHandle};
use sc_consensus_grandpa::{GrandpaBlockImport, GrandpaPruningFilter, LinkHalf};
use sc_consensus_manual_seal::consensus::{babe::BabeVerifier, timestamp::SlotTimestampProvider};
use sc_service::{Configuration, Error, PartialComponents};
use sc_telemetry::{Telemetry, TelemetryWorker};
use sc_transaction_pool_api::OffchainTransactionPoolFactory;
use sp_consensus_babe::{inherents, SlotDuration};
use std::sync::Arc;

/// Blocks between justifications that are kept, and at which blocks with one are imported.
pub const JUSTIFICATION_PERIOD: u32 = 512;

/// Telemetry messages that may wait.
const TELEMETRY_BUFFER: usize = 16;

/// Makes the timestamp and slot that go into a block.
pub type Inherents = inherents::BabeCreateInherentDataProviders<Block>;
/// Imports blocks: BABE checks who made them, GRANDPA what they say of finality.
pub type BlockImport = BabeBlockImport<
	Block,
	FullClient,
	GrandpaBlockImport<FullBackend, Block, FullClient, SelectChain>,
	Inherents,
	SelectChain,
>;
/// What GRANDPA's import shares with its voter.
pub type GrandpaLink = LinkHalf<Block, FullClient, SelectChain>;

/// The parts of consensus.
pub struct Consensus {
	/// Imports blocks.
	pub block_import: BlockImport,
	/// Makes timestamp and slot.
	pub inherents: Inherents,
	/// What BABE's import shares with its author.
	pub babe: BabeLink<Block>,
	/// Answers questions on BABE's epochs; none where blocks are sealed without it.
	pub babe_worker: Option<BabeWorkerHandle<Block>>,
	/// What GRANDPA's import shares with its voter.
	pub grandpa: GrandpaLink,
	/// Telemetry, if it is sent anywhere.
	pub telemetry: Option<Telemetry>,
}

/// The parts of a node that starts no network.
pub type Partial = PartialComponents<
	FullClient,
	FullBackend,
	SelectChain,
	DefaultImportQueue<Block>,
	FullPool,
	Consensus,
>;

/// Makes the parts of a node that seals its blocks without consensus, or not.
pub fn partial(config: &Configuration, seal: Option<Seal>) -> Result<Partial, Error> {
	let endpoints = config.telemetry_endpoints.clone().filter(|endpoints| !endpoints.is_empty());
	let telemetry = endpoints
		.map(|endpoints| -> Result<_, sc_telemetry::Error> {
			let worker = TelemetryWorker::new(TELEMETRY_BUFFER)?;
			let telemetry = worker.handle().new_telemetry(endpoints);
			Ok((worker, telemetry))
		})
		.transpose()?;
	let telemetry_handle = telemetry.as_ref().map(|(_, telemetry)| telemetry.handle());
	let prometheus = config.prometheus_registry();

	let (client, backend, keystore_container, task_manager) =
		sc_service::new_full_parts::<Block, assay_runtime::apis::RuntimeApi, _>(
			config,
			telemetry_handle.clone(),
			sc_service::new_wasm_executor(&config.executor),
			// Warp sync starts from justifications, which pruning must therefore spare.
			vec![Arc::new(GrandpaPruningFilter)],
		)?;
	let client = Arc::new(client);
	let telemetry = telemetry.map(|(worker, telemetry)| {
		task_manager.spawn_handle().spawn("telemetry", None, worker.run());
		telemetry
	});
	let select_chain = SelectChain::new(backend.clone());
	let transaction_pool = Arc::new(
		sc_transaction_pool::Builder::new(
			task_manager.spawn_essential_handle(),
			client.clone(),
			config.role.is_authority().into(),
		)
		.with_options(config.transaction_pool.clone())
		.with_prometheus(prometheus)
		.build(),
	);

	let (grandpa_import, grandpa) = sc_consensus_grandpa::block_import(
		client.clone(),
		JUSTIFICATION_PERIOD,
		&client,
		select_chain.clone(),
		telemetry_handle.clone(),
	)?;
	let babe_config = sc_consensus_babe::configuration(&*client)?;
	let slot_duration = babe_config.slot_duration();
	let inherents = match seal {
		Some(_) => chain_clock(client.clone()),
		None => wall_clock(slot_duration),
	};
	let (block_import, babe) = sc_consensus_babe::block_import(
		babe_config,
		grandpa_import.clone(),
		client.clone(),
		inherents.clone(),
		select_chain.clone(),
		OffchainTransactionPoolFactory::new(transaction_pool.clone()),
	)?;
	let (import_queue, babe_worker) = match seal {
		Some(_) => {
			let queue = BasicQueue::new(
				BabeVerifier::new(babe.epoch_changes().clone(), client.clone()),
				Box::new(block_import.clone()),
				None,
				&task_manager.spawn_essential_handle(),
				prometheus,
			);
			(queue, None)
		}
		None => {
			let (queue, worker) =
				sc_consensus_babe::import_queue(sc_consensus_babe::ImportQueueParams {
					link: babe.clone(),
					block_import: block_import.clone(),
					justification_import: Some(Box::new(grandpa_import)),
					client: client.clone(),
					slot_duration,
					spawner: &task_manager.spawn_essential_handle(),
					registry: prometheus,
					telemetry: telemetry_handle,
				})?;
			(queue, Some(worker))
		}
	};

	Ok(PartialComponents {
		client,
		backend,
		task_manager,
		import_queue,
		keystore_container,
		select_chain,
		transaction_pool,
		other: Consensus { block_import, inherents, babe, babe_worker, grandpa, telemetry },
	})
}

/// The machine's clock.
fn wall_clock(slot_duration: SlotDuration) -> Inherents {
	Arc::new(move |_, ()| async move {
		let timestamp = sp_timestamp::InherentDataProvider::from_system_time();
		let slot = inherents::InherentDataProvider::from_timestamp_and_slot_duration(
			*timestamp,
			slot_duration,
		);
		Ok((slot, timestamp))
	})
}

/// A clock that goes on by one slot with every block. Blocks sealed faster than slots would
/// otherwise share a slot, and those sealed by this clock be refused as from the future.
fn chain_clock(client: Arc<FullClient>) -> Inherents {
	Arc::new(move |_, ()| {
		let client = client.clone();
		async move {
			let clock =
				SlotTimestampProvider::new_babe(client).map_err(|error| error.to_string())?;
			let slot = inherents::InherentDataProvider::new(clock.slot());
			Ok((slot, sp_timestamp::InherentDataProvider::new(clock.timestamp())))
		}
	})
}
