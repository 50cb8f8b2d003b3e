//! Authorship: makes blocks in the slots that BABE gives to this validator.

use super::{
	partial::{BlockImport, Inherents},
	Block, FullClient, FullPool, SelectChain,
};
use prometheus_endpoint::Registry;
use sc_basic_authorship::ProposerFactory;
use sc_consensus_babe::{BabeLink, BabeParams, SlotProportion};
use sc_consensus_slots::BackoffAuthoringOnFinalizedHeadLagging;
use sc_network_sync::SyncingService;
use sc_service::{Error, TaskManager};
use sc_telemetry::TelemetryHandle;
use sp_keystore::KeystorePtr;
use std::sync::Arc;

/// Part of a slot that proposing a block may take; the rest is for its way through the network.
const PROPOSAL_PORTION: f32 = 0.5;

/// Everything that makes blocks needs.
pub struct Author {
	/// Make blocks even when there are no peers?
	pub force: bool,
	/// The client.
	pub client: Arc<FullClient>,
	/// The transaction pool.
	pub pool: Arc<FullPool>,
	/// Which head to build on.
	pub select_chain: SelectChain,
	/// Keys of this node.
	pub keystore: KeystorePtr,
	/// Where blocks made go.
	pub block_import: BlockImport,
	/// BABE's epochs.
	pub link: BabeLink<Block>,
	/// Timestamp and slot.
	pub inherents: Inherents,
}

impl Author {
	/// Fills blocks from the transaction pool.
	pub fn proposer(
		&self,
		task_manager: &TaskManager,
		prometheus: Option<&Registry>,
		telemetry: Option<TelemetryHandle>,
	) -> ProposerFactory<FullPool, FullClient> {
		ProposerFactory::new(
			task_manager.spawn_handle(),
			self.client.clone(),
			self.pool.clone(),
			prometheus,
			telemetry,
		)
	}
}

/// Starts to make blocks.
pub fn start(
	task_manager: &TaskManager,
	author: Author,
	sync: Arc<SyncingService<Block>>,
	prometheus: Option<&Registry>,
	telemetry: Option<TelemetryHandle>,
) -> Result<(), Error> {
	let worker = sc_consensus_babe::start_babe(BabeParams {
		env: author.proposer(task_manager, prometheus, telemetry.clone()),
		keystore: author.keystore,
		client: author.client,
		select_chain: author.select_chain,
		block_import: author.block_import,
		sync_oracle: sync.clone(),
		justification_sync_link: sync,
		create_inherent_data_providers: author.inherents,
		force_authoring: author.force,
		backoff_authoring_blocks: Some(BackoffAuthoringOnFinalizedHeadLagging::default()),
		babe_link: author.link,
		block_proposal_slot_portion: SlotProportion::new(PROPOSAL_PORTION),
		max_block_proposal_slot_portion: None,
		telemetry,
	})?;
	task_manager.spawn_essential_handle().spawn_blocking(
		"babe-proposer",
		Some("block-authoring"),
		worker,
	);
	Ok(())
}
