//! Blocks without consensus, for development: BABE's digests are made, VRF outputs included, but
//! no slot is waited for and every block is final at once.

use super::{babe::Author, FullPool, Hash, SealCommand};
use crate::cli::Seal;
use futures::{
	channel::{mpsc, oneshot},
	SinkExt, StreamExt,
};
use prometheus_endpoint::Registry;
use sc_consensus_manual_seal::{
	consensus::babe::BabeConsensusDataProvider, run_manual_seal, ManualSealParams,
};
use sc_service::{Error, TaskManager};
use sc_telemetry::TelemetryHandle;
use sc_transaction_pool_api::TransactionPool;
use sp_consensus_babe::{AuthorityId, BabeAuthorityWeight};
use sp_core::crypto::key_types;
use sp_keystore::{Keystore, KeystorePtr};
use sp_runtime::RuntimeAppPublic;
use std::{sync::Arc, time::Duration};
use tokio::time::{interval, timeout, MissedTickBehavior};

const LOG_TARGET: &str = "seal";

/// How long the pool may take to hear of a block.
const POOL_PATIENCE: Duration = Duration::from_secs(5);

type Commands = (mpsc::Sender<SealCommand>, mpsc::Receiver<SealCommand>);

/// Starts to seal blocks, by themselves and on commands of the RPC `engine_createBlock`.
pub fn start(
	task_manager: &TaskManager,
	author: Author,
	seal: Seal,
	(sender, commands): Commands,
	prometheus: Option<&Registry>,
	telemetry: Option<TelemetryHandle>,
) -> Result<(), Error> {
	let authorities = author.link.config().authorities.clone();
	require_keys(&author.keystore, &authorities)?;
	let digests = BabeConsensusDataProvider::new(
		author.client.clone(),
		author.keystore.clone(),
		author.link.epoch_changes().clone(),
		authorities,
	)
	.map_err(|error| Error::Other(error.to_string()))?;
	let engine = run_manual_seal(ManualSealParams {
		env: author.proposer(task_manager, prometheus, telemetry),
		block_import: author.block_import,
		client: author.client,
		pool: author.pool.clone(),
		commands_stream: commands,
		select_chain: author.select_chain,
		consensus_data_provider: Some(Box::new(digests)),
		create_inherent_data_providers: author.inherents,
	});
	let spawner = task_manager.spawn_essential_handle();
	spawner.spawn_blocking("seal-engine", Some("block-authoring"), engine);
	let pool = author.pool;
	match seal {
		Seal::Instant => {
			spawner.spawn("seal-instant", Some("block-authoring"), on_arrival(pool, sender))
		}
		Seal::Every(period) => {
			spawner.spawn("seal-interval", Some("block-authoring"), every(period, sender))
		}
	}
	Ok(())
}

/// Without an authority's key, its slots could not be claimed, and the digests that replace a
/// claim break the chain's epochs.
fn require_keys(
	keystore: &KeystorePtr,
	authorities: &[(AuthorityId, BabeAuthorityWeight)],
) -> Result<(), Error> {
	let missing = authorities
		.iter()
		.find(|(id, _)| !keystore.has_keys(&[(id.to_raw_vec(), key_types::BABE)]));
	match missing {
		Some((id, _)) => Err(Error::Other(format!(
			"`--seal` makes blocks in the name of every validator of the chain, but the keystore \
			 lacks the BABE key of {id}: add `--dev` or `--alice`, or insert the key"
		))),
		None => Ok(()),
	}
}

/// Seals a block at every tick, empty or not.
async fn every(period: Duration, mut sender: mpsc::Sender<SealCommand>) {
	let mut ticks = interval(period);
	ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
	loop {
		ticks.tick().await;
		if seal_block(&mut sender).await.is_none() {
			return;
		}
	}
}

/// Seals blocks for as long as that takes transactions out of the pool, each time some arrive.
async fn on_arrival(pool: Arc<FullPool>, mut sender: mpsc::Sender<SealCommand>) {
	let mut arrivals = pool.import_notification_stream();
	while arrivals.next().await.is_some() {
		let mut before = usize::MAX;
		loop {
			let ready = pool.status().ready;
			if ready == 0 || ready >= before {
				break;
			}
			before = ready;
			let Some(sealed) = seal_block(&mut sender).await else { return };
			if let Some(block) = sealed {
				// Until the pool has heard of the block, it counts what went into it as ready.
				let _ = timeout(POOL_PATIENCE, pool.ready_at(block)).await;
			}
		}
	}
}

/// Seals one block and makes it final. `None` if the engine is gone, `Some(None)` if no block came
/// of it.
async fn seal_block(sender: &mut mpsc::Sender<SealCommand>) -> Option<Option<Hash>> {
	let (reply, sealed) = oneshot::channel();
	let command = SealCommand::SealNewBlock {
		// The engine would take a block with one transaction for an empty one: it compares the
		// extrinsics with the inherents' data, of which BABE's slot makes no extrinsic.
		create_empty: true,
		// BABE's import looks for what finality makes obsolete among blocks that are stored,
		// which this one is only after its import.
		finalize: false,
		parent_hash: None,
		sender: Some(reply),
	};
	sender.send(command).await.ok()?;
	let hash = match sealed.await.ok()? {
		Ok(block) => block.hash,
		Err(error) => {
			log::warn!(target: LOG_TARGET, "No block was sealed: {error}");
			return Some(None);
		}
	};
	let (reply, finalised) = oneshot::channel();
	let command = SealCommand::FinalizeBlock { hash, sender: Some(reply), justification: None };
	sender.send(command).await.ok()?;
	if let Err(error) = finalised.await.ok()? {
		log::warn!(target: LOG_TARGET, "Block {hash:?} was sealed but is not final: {error}");
	}
	Some(Some(hash))
}
