//! Finality: votes of validators on which blocks stay.

use super::{
	partial::{GrandpaLink, JUSTIFICATION_PERIOD},
	Block, FullBackend, FullClient, FullPool, Hash,
};
use prometheus_endpoint::Registry;
use sc_client_api::BlockBackend;
use sc_consensus_grandpa::{
	warp_proof::NetworkProvider, FinalityProofProvider, GrandpaParams, SharedVoterState,
	VotingRulesBuilder,
};
use sc_network::{
	config::FullNetworkConfiguration,
	service::{traits::NetworkService, NotificationMetrics},
	types::ProtocolName,
	NetworkBackend, NotificationService,
};
use sc_network_sync::SyncingService;
use sc_service::{Configuration, Error, Role, TaskManager};
use sc_telemetry::TelemetryHandle;
use sc_transaction_pool_api::OffchainTransactionPoolFactory;
use sp_keystore::KeystorePtr;
use std::{sync::Arc, time::Duration};

/// How long votes are gathered before they are passed on.
const GOSSIP_DURATION: Duration = Duration::from_millis(333);

/// The network protocol on which votes travel.
pub struct Votes {
	name: ProtocolName,
	service: Box<dyn NotificationService>,
}

/// Everything that votes needs.
pub struct Voter {
	/// Name of this node, for telemetry.
	pub name: String,
	/// Role of this node.
	pub role: Role,
	/// Keys of this node.
	pub keystore: KeystorePtr,
	/// Where votes travel.
	pub votes: Votes,
	/// What block import says of finality.
	pub link: GrandpaLink,
	/// Where the voter leaves its state for RPC.
	pub state: SharedVoterState,
}

/// Adds the protocol on which votes travel to the network's.
pub fn join_network<N: NetworkBackend<Block, Hash>>(
	network: &mut FullNetworkConfiguration<Block, Hash, N>,
	client: &FullClient,
	config: &Configuration,
	metrics: &NotificationMetrics,
) -> Result<Votes, Error> {
	let genesis = client
		.block_hash(0)?
		.ok_or_else(|| Error::Other("the database holds no genesis block".into()))?;
	let name = sc_consensus_grandpa::protocol_standard_name(&genesis, &config.chain_spec);
	let (protocol, service) = sc_consensus_grandpa::grandpa_peers_set_config::<Block, N>(
		name.clone(),
		metrics.clone(),
		network.peer_store_handle(),
	);
	network.add_notification_protocol(protocol);
	Ok(Votes { name, service })
}

/// Serves and checks proofs by which new nodes skip to the newest finalised state.
pub fn warp_sync(
	backend: &Arc<FullBackend>,
	link: &GrandpaLink,
) -> Arc<NetworkProvider<Block, FullBackend>> {
	let authorities = link.shared_authority_set().clone();
	Arc::new(NetworkProvider::new(backend.clone(), authorities, Vec::new()))
}

/// Proves over RPC that blocks are final.
pub fn finality_proofs(
	backend: &Arc<FullBackend>,
	link: &GrandpaLink,
) -> Arc<FinalityProofProvider<FullBackend, Block>> {
	let authorities = link.shared_authority_set().clone();
	FinalityProofProvider::new_for_service(backend.clone(), Some(authorities))
}

/// Starts to vote, or to follow the votes of others.
pub fn start(
	task_manager: &TaskManager,
	voter: Voter,
	network: Arc<dyn NetworkService>,
	sync: Arc<SyncingService<Block>>,
	pool: Arc<FullPool>,
	prometheus: Option<Registry>,
	telemetry: Option<TelemetryHandle>,
) -> Result<(), Error> {
	let config = sc_consensus_grandpa::Config {
		gossip_duration: GOSSIP_DURATION,
		justification_generation_period: JUSTIFICATION_PERIOD,
		observer_enabled: false,
		local_role: voter.role,
		name: Some(voter.name),
		keystore: voter.role.is_authority().then_some(voter.keystore),
		telemetry: telemetry.clone(),
		protocol_name: voter.votes.name,
	};
	let task = sc_consensus_grandpa::run_grandpa_voter(GrandpaParams {
		config,
		link: voter.link,
		network,
		sync,
		notification_service: voter.votes.service,
		voting_rule: VotingRulesBuilder::default().build(),
		prometheus_registry: prometheus,
		shared_voter_state: voter.state,
		telemetry,
		offchain_tx_pool_factory: OffchainTransactionPoolFactory::new(pool),
	})?;
	task_manager.spawn_essential_handle().spawn_blocking("grandpa-voter", None, task);
	Ok(())
}
