//! What is answered over JSON-RPC, besides what every Substrate node answers.
//!
//! - [`assay`]: jobs, providers and figures of the network;
//! - [`events`]: the stream of what happens to jobs;
//! - [`finality`]: proofs, from the first block on, that blocks are final.

mod assay;
mod events;
mod finality;
#[cfg(test)]
mod mock;

pub use finality::Finality;

use crate::service::{Block, FullBackend, FullClient, FullPool, Hash, SealCommand, SelectChain};
use futures::channel::mpsc;
use jsonrpsee::RpcModule;
use pallet_transaction_payment_rpc::{TransactionPayment, TransactionPaymentApiServer};
use sc_consensus_babe::BabeWorkerHandle;
use sc_consensus_babe_rpc::{Babe, BabeApiServer};
use sc_consensus_grandpa::{
	FinalityProofProvider, GrandpaJustificationStream, SharedAuthoritySet, SharedVoterState,
};
use sc_consensus_grandpa_rpc::{Grandpa, GrandpaApiServer};
use sc_consensus_manual_seal::rpc::{ManualSeal, ManualSealApiServer};
use sc_rpc::SubscriptionTaskExecutor;
use sc_service::Error;
use sp_keystore::KeystorePtr;
use std::sync::Arc;
use substrate_frame_rpc_system::{System, SystemApiServer};

/// What the answers are made from.
pub struct Deps {
	/// The client.
	pub client: Arc<FullClient>,
	/// The transaction pool.
	pub pool: Arc<FullPool>,
	/// How blocks come about.
	pub consensus: Consensus,
}

/// How blocks come about, and so what can be asked of it.
pub enum Consensus {
	/// Among validators.
	Validators {
		/// BABE's epochs.
		babe_worker: BabeWorkerHandle<Block>,
		/// Keys of this node.
		keystore: KeystorePtr,
		/// Which head is built on.
		select_chain: SelectChain,
		/// Who votes on finality.
		authority_set: SharedAuthoritySet<Hash, u32>,
		/// Proofs of votes as they come in.
		justifications: GrandpaJustificationStream<Block>,
		/// State of the voter.
		voter_state: SharedVoterState,
		/// Proves that blocks are final.
		finality_proofs: Arc<FinalityProofProvider<FullBackend, Block>>,
		/// Proves it from the first block on.
		finality: Box<Finality>,
	},
	/// By commands to the sealing engine.
	Seal(mpsc::Sender<SealCommand>),
}

/// Makes the methods. Called once for the server and once for calls from within.
pub fn create(deps: &Deps, executor: SubscriptionTaskExecutor) -> Result<RpcModule<()>, Error> {
	merge(deps, executor).map_err(|error| Error::Application(Box::new(error)))
}

fn merge(
	deps: &Deps,
	executor: SubscriptionTaskExecutor,
) -> Result<RpcModule<()>, jsonrpsee::core::RegisterMethodError> {
	let client = &deps.client;
	let mut module = RpcModule::new(());
	module.merge(assay::module(client.clone()))?;
	module.merge(events::module(client.clone()))?;
	module.merge(System::new(client.clone(), deps.pool.clone()).into_rpc())?;
	module.merge(TransactionPayment::new(client.clone()).into_rpc())?;
	match &deps.consensus {
		Consensus::Validators {
			babe_worker,
			keystore,
			select_chain,
			authority_set,
			justifications,
			voter_state,
			finality_proofs,
			finality,
		} => {
			module.merge(finality::module(finality.as_ref().clone()))?;
			let babe = Babe::new(
				client.clone(),
				babe_worker.clone(),
				keystore.clone(),
				select_chain.clone(),
			);
			module.merge(babe.into_rpc())?;
			let grandpa = Grandpa::new(
				executor,
				authority_set.clone(),
				voter_state.clone(),
				justifications.clone(),
				finality_proofs.clone(),
			);
			module.merge(grandpa.into_rpc())?;
		}
		Consensus::Seal(commands) => {
			module.merge(ManualSeal::new(commands.clone()).into_rpc())?;
		}
	}
	Ok(module)
}
