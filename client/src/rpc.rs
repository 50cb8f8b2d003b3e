//! The connection to a node: reconnecting, with a time limit on every request.

use crate::Error;
use assay_primitives::{BlockNumber, Hash};
use assay_receipt::{Genesis, Page};
use sp_core::Bytes;
use std::{future::Future, time::Duration};
use subxt::{
	config::{substrate::SubstrateHeader, RpcConfigFor},
	rpcs::{
		self,
		client::{reconnecting_rpc_client::ExponentialBackoff, ReconnectingRpcClient},
		methods::legacy::{LegacyRpcMethods, TransactionStatus},
		rpc_params, RpcClient,
	},
	SubstrateConfig,
};
use tokio::time::{sleep, timeout, timeout_at, Instant};

/// How the chain is configured, as far as subxt wants to know.
pub(crate) type Config = SubstrateConfig;
/// A header as nodes send it.
pub(crate) type Header = SubstrateHeader<Hash>;
/// A subscription to what becomes of a transaction.
pub(crate) type Watch = rpcs::client::RpcSubscription<TransactionStatus<Hash>>;

/// Time for one request, reconnecting included.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);
/// Time for the first connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Pause between tries to connect.
const CONNECT_PAUSE: Duration = Duration::from_millis(500);
/// Longest pause between tries to reconnect.
const RECONNECT_PAUSE: Duration = Duration::from_secs(5);
/// A block's place in the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Block {
	/// Its height.
	pub number: BlockNumber,
	/// Its hash.
	pub hash: Hash,
}

/// A node, over JSON-RPC. All methods are of the stable legacy set, which does not pin blocks:
/// a follower that falls behind loses nothing.
pub(crate) struct Rpc {
	url: String,
	client: RpcClient,
	methods: LegacyRpcMethods<RpcConfigFor<Config>>,
}

impl Rpc {
	/// Connects, or fails after a few seconds with the reason.
	pub async fn connect(url: &str) -> Result<Self, Error> {
		if !["ws://", "wss://"].iter().any(|scheme| url.starts_with(scheme)) {
			return Err(Error::Unreachable {
				url: url.into(),
				reason: "not a WebSocket URL; it must begin with ws:// or wss://".into(),
			});
		}
		let unreachable = |reason: String| Error::Unreachable { url: url.into(), reason };
		let late = |_| unreachable(format!("no connection within {CONNECT_TIMEOUT:?}"));
		// The reconnecting client would try for ever and never say why.
		let probe = timeout(CONNECT_TIMEOUT, RpcClient::from_insecure_url(url)).await;
		probe.map_err(late)?.map_err(|error| unreachable(root_cause(&error)))?;
		let policy = ExponentialBackoff::from_millis(50).max_delay(RECONNECT_PAUSE);
		let client = ReconnectingRpcClient::builder()
			.request_timeout(REQUEST_TIMEOUT)
			.connection_timeout(CONNECT_TIMEOUT)
			.retry_policy(policy)
			.build(url);
		let client = timeout(CONNECT_TIMEOUT, client).await.map_err(late)?;
		let client = RpcClient::new(client.map_err(|error| unreachable(root_cause(&error)))?);
		Ok(Self { url: url.into(), methods: LegacyRpcMethods::new(client.clone()), client })
	}

	/// Connects, trying again until `within` has passed.
	pub async fn connect_within(url: &str, within: Duration) -> Result<Self, Error> {
		let deadline = Instant::now() + within;
		loop {
			match Self::connect(url).await {
				Err(error)
					if error.is_unreachable() && Instant::now() + CONNECT_PAUSE < deadline =>
				{
					tracing::debug!("{error}");
					sleep(CONNECT_PAUSE).await;
				}
				done => return done,
			}
		}
	}

	pub fn url(&self) -> &str {
		&self.url
	}

	/// The client below, for subxt's own use.
	pub fn client(&self) -> RpcClient {
		self.client.clone()
	}

	/// One request; sent again if the connection broke meanwhile, so only for what may be repeated.
	async fn ask<T, F>(&self, method: &str, mut ask: impl FnMut() -> F) -> Result<T, Error>
	where
		F: Future<Output = Result<T, rpcs::Error>>,
	{
		let deadline = Instant::now() + REQUEST_TIMEOUT;
		loop {
			match timeout_at(deadline, ask()).await {
				Ok(Ok(answer)) => return Ok(answer),
				Ok(Err(error)) if error.is_disconnected_will_reconnect() => {
					tracing::debug!("{method}: {error}");
					sleep(Duration::from_millis(50)).await;
				}
				Ok(Err(error)) => return Err(self.error(method, error)),
				Err(_) => return Err(self.no_answer()),
			}
		}
	}

	fn no_answer(&self) -> Error {
		let reason = format!("no answer within {REQUEST_TIMEOUT:?}");
		Error::Unreachable { url: self.url.clone(), reason }
	}

	fn error(&self, method: &str, error: rpcs::Error) -> Error {
		let method = method.to_owned();
		match error {
			rpcs::Error::User(error) => {
				let data = error.data.as_ref().map(|data| data.get().trim_matches('"'));
				let message = match data {
					Some(data) => format!("{}: {data}", error.message),
					None => error.message,
				};
				Error::Rpc { method, code: Some(error.code), message }
			}
			rpcs::Error::Deserialization(error) => {
				Error::Answer { method, reason: error.to_string() }
			}
			rpcs::Error::Decode(error) => Error::Answer { method, reason: error.to_string() },
			other => Error::Unreachable { url: self.url.clone(), reason: root_cause(&other) },
		}
	}

	/// Whether the node is still importing the chain.
	pub async fn is_syncing(&self) -> Result<bool, Error> {
		let health = self.ask("system_health", || self.methods.system_health()).await?;
		Ok(health.is_syncing)
	}

	/// The chain's name.
	pub async fn chain(&self) -> Result<String, Error> {
		self.ask("system_chain", || self.methods.system_chain()).await
	}

	/// Hash of the last finalised block.
	pub async fn finalised(&self) -> Result<Hash, Error> {
		self.ask("chain_getFinalizedHead", || self.methods.chain_get_finalized_head()).await
	}

	/// Hash of the best block, or of the block at a height of the best chain.
	pub async fn hash(&self, number: Option<BlockNumber>) -> Result<Option<Hash>, Error> {
		let ask = || self.methods.chain_get_block_hash(number.map(Into::into));
		self.ask("chain_getBlockHash", ask).await
	}

	/// A block's header.
	pub async fn header(&self, hash: Hash) -> Result<Header, Error> {
		let header =
			self.ask("chain_getHeader", || self.methods.chain_get_header(Some(hash))).await?;
		header.ok_or_else(|| Error::UnknownBlock(format!("{hash:#x}")))
	}

	/// A block's transactions, each as it was hashed.
	pub async fn body(&self, hash: Hash) -> Result<Vec<Vec<u8>>, Error> {
		let block = self.ask("chain_getBlock", || self.methods.chain_get_block(Some(hash))).await?;
		let block = block.ok_or_else(|| Error::UnknownBlock(format!("{hash:#x}")))?;
		Ok(block.block.extrinsics.into_iter().map(|bytes| bytes.0).collect())
	}

	/// A runtime API call at a block, arguments and answer in SCALE.
	pub async fn call(&self, api: &str, arguments: &[u8], at: Hash) -> Result<Vec<u8>, Error> {
		let ask = || self.methods.state_call(api, Some(arguments), Some(at));
		self.ask(api, ask).await.map_err(|error| call_error(error, at))
	}

	/// A storage value at a block.
	pub async fn storage(&self, key: &[u8], at: Hash) -> Result<Option<Vec<u8>>, Error> {
		let ask = || self.methods.state_get_storage(key, Some(at));
		self.ask("state_getStorage", ask).await.map_err(|error| call_error(error, at))
	}

	/// Nodes of a block's state trie, from its root to these keys.
	pub async fn read_proof(&self, keys: &[Vec<u8>], at: Hash) -> Result<Vec<Bytes>, Error> {
		let ask = || self.methods.state_get_read_proof(keys.iter().map(|key| &key[..]), Some(at));
		let proof = self.ask("state_getReadProof", ask).await;
		let proof = proof.map_err(|error| call_error(error, at))?;
		Ok(proof.proof.into_iter().map(|node| Bytes(node.0)).collect())
	}

	/// The first block's header, and the proof of its authorities.
	pub async fn prove_genesis(&self) -> Result<Genesis, Error> {
		let ask = || self.client.request("assay_proveGenesis", rpc_params![]);
		self.ask("assay_proveGenesis", ask).await
	}

	/// A part of the way from a block, or else the first, to the last one with votes.
	pub async fn prove_finality(&self, from: Option<Hash>) -> Result<Page, Error> {
		let ask = || self.client.request("assay_proveFinality", rpc_params![from]);
		self.ask("assay_proveFinality", ask).await
	}

	/// Whether the node answers to a method.
	pub async fn knows(&self, method: &str) -> Result<bool, Error> {
		#[derive(serde::Deserialize)]
		struct Methods {
			methods: Vec<String>,
		}
		let ask = || self.client.request::<Methods>("rpc_methods", rpc_params![]);
		let known = self.ask("rpc_methods", ask).await?;
		Ok(known.methods.iter().any(|known| known == method))
	}

	/// Number of the account's next transaction, those in the pool counted.
	pub async fn next_nonce(&self, account: &subxt::utils::AccountId32) -> Result<u64, Error> {
		let ask = || self.methods.system_account_next_index(account);
		self.ask("system_accountNextIndex", ask).await
	}

	/// Headers as they are finalised; not every one of them.
	pub async fn finalised_heads(&self) -> Result<rpcs::client::RpcSubscription<Header>, Error> {
		let ask = || self.methods.chain_subscribe_finalized_heads();
		self.ask("chain_subscribeFinalizedHeads", ask).await
	}

	/// Puts a transaction into the pool and watches it. `None`: the connection broke, and it may or
	/// may not have arrived.
	pub async fn submit(&self, transaction: &[u8]) -> Result<Option<Watch>, Error> {
		let submit = self.methods.author_submit_and_watch_extrinsic(transaction);
		match timeout(REQUEST_TIMEOUT, submit).await {
			Ok(Ok(watch)) => Ok(Some(watch)),
			Ok(Err(error)) if error.is_disconnected_will_reconnect() => Ok(None),
			Ok(Err(error)) => Err(self.error("author_submitAndWatchExtrinsic", error)),
			Err(_) => Err(self.no_answer()),
		}
	}
}

/// The node gives one code to all of these.
fn call_error(error: Error, at: Hash) -> Error {
	match error {
		Error::Rpc { ref method, ref message, .. } => {
			if message.contains("UnknownBlock") || message.contains("State already discarded") {
				Error::UnknownBlock(format!("{at:#x}"))
			} else if message.contains("is not found") {
				Error::Incompatible(format!("it has no {method}"))
			} else {
				error
			}
		}
		other => other,
	}
}

/// The innermost error: those around it repeat it.
fn root_cause(error: &dyn std::error::Error) -> String {
	let mut inner = error;
	while let Some(source) = inner.source() {
		inner = source;
	}
	let text = inner.to_string();
	// Some errors tell of others in their text alone.
	text.rsplit("client error: ").next().unwrap_or(&text).to_owned()
}
