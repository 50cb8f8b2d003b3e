//! Reading the chain's state.

use crate::{
	rpc::{Block, Config, Rpc},
	Error,
};
use assay_primitives::{
	demand::DemandView,
	views::{
		ChallengeView, Demands, JobEvent, JobView, JobsPage, NetworkStats, ProviderView, TaskView,
		MAX_PAGE,
	},
	work::{Assurance, Custody, JobId, ProgramInfo, TaskId, TaskIndex},
	AccountId, Balance, Hash, Nonce, Root,
};
use codec::{Decode, DecodeAll, Encode};
use sp_crypto_hashing::{blake2_128, twox_128};
use std::{sync::Arc, time::Duration};
use subxt::{backend::LegacyBackend, OnlineClient};
use tokio::time::{sleep, Instant};

/// Pause between looks at whether a node is ready.
const READY_PAUSE: Duration = Duration::from_millis(500);

/// The block whose state is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum At {
	/// The last finalised one, whichever that is at each read.
	#[default]
	Finalised,
	/// The best one, which may yet be taken back.
	Best,
	/// One block.
	Block(Hash),
}

/// A connection to a node, and the block at which it reads. Clones share the connection, which is
/// made again whenever it breaks; reads wait for that, up to half a minute.
///
/// Every read fails with [`Error::Unreachable`] if the node does not answer, [`Error::Answer`] or
/// [`Error::Incompatible`] if it runs another runtime, [`Error::UnknownBlock`] if it does not keep
/// the state of that block.
#[derive(Clone)]
pub struct Client {
	inner: Arc<Inner>,
	at: At,
}

struct Inner {
	rpc: Rpc,
	genesis: Hash,
	online: OnlineClient<Config>,
}

/// An account's balance in planck.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Decode, serde::Serialize)]
pub struct Account {
	/// Transactions it has made.
	pub nonce: Nonce,
	#[serde(skip)]
	_references: [u32; 3],
	/// What it may spend, the existential deposit included.
	#[serde(with = "assay_primitives::views::amount")]
	pub free: Balance,
	/// On hold: stake, escrow, deposits.
	#[serde(with = "assay_primitives::views::amount")]
	pub held: Balance,
	/// Part of `free` that may not be spent.
	#[serde(with = "assay_primitives::views::amount")]
	pub frozen: Balance,
	#[serde(skip)]
	_flags: u128,
}

impl Client {
	/// Connects to a node's WebSocket, as `ws://127.0.0.1:9944`.
	///
	/// # Errors
	/// [`Error::Unreachable`] at once if nothing answers there.
	pub async fn connect(url: &str) -> Result<Self, Error> {
		Self::with(Rpc::connect(url).await?).await
	}

	/// Connects to a node that may still be starting: tries again until `within` has passed, and
	/// waits until it has imported the chain.
	pub async fn connect_within(url: &str, within: Duration) -> Result<Self, Error> {
		let deadline = Instant::now() + within;
		let client = Self::with(Rpc::connect_within(url, within).await?).await?;
		client.wait_ready(deadline.saturating_duration_since(Instant::now())).await?;
		Ok(client)
	}

	async fn with(rpc: Rpc) -> Result<Self, Error> {
		let genesis = rpc.hash(Some(0)).await?;
		let genesis = genesis.ok_or_else(|| Error::UnknownBlock("0".into()))?;
		let config = Config::builder().set_genesis_hash(genesis).build();
		let backend = Arc::new(LegacyBackend::builder().build(rpc.client()));
		let online = OnlineClient::from_backend_with_config(config, backend).await;
		let online = online.map_err(|error| Error::Unreachable {
			url: rpc.url().into(),
			reason: error.to_string(),
		})?;
		Ok(Self { inner: Arc::new(Inner { rpc, genesis, online }), at: At::default() })
	}

	/// Waits until the node has imported the chain.
	///
	/// # Errors
	/// [`Error::NotReady`] if it has not by then.
	pub async fn wait_ready(&self, within: Duration) -> Result<(), Error> {
		let deadline = Instant::now() + within;
		loop {
			let reason = match self.rpc().is_syncing().await {
				Ok(false) => return Ok(()),
				Ok(true) => "it is still importing blocks".into(),
				Err(error) => error.to_string(),
			};
			if Instant::now() + READY_PAUSE > deadline {
				return Err(Error::NotReady { url: self.url().into(), after: within, reason });
			}
			sleep(READY_PAUSE).await;
		}
	}

	/// The node's URL.
	pub fn url(&self) -> &str {
		self.rpc().url()
	}

	/// Hash of the chain's first block, which names the chain.
	pub fn genesis(&self) -> Hash {
		self.inner.genesis
	}

	/// The chain's name, as its specification has it.
	pub async fn chain_name(&self) -> Result<String, Error> {
		self.rpc().chain().await
	}

	pub(crate) fn rpc(&self) -> &Rpc {
		&self.inner.rpc
	}

	pub(crate) fn online(&self) -> &OnlineClient<Config> {
		&self.inner.online
	}

	/// The same connection, reading elsewhere.
	pub fn at(&self, at: At) -> Self {
		Self { inner: self.inner.clone(), at }
	}

	/// The same connection, reading at the one block that it would read at now, so that several
	/// reads agree with one another.
	pub async fn pinned(&self) -> Result<Self, Error> {
		Ok(self.at(At::Block(self.hash().await?)))
	}

	/// The block that is read at now.
	pub async fn block(&self) -> Result<Block, Error> {
		let hash = self.hash().await?;
		let number = self.rpc().header(hash).await?.number;
		let number = u32::try_from(number).map_err(|_| Error::Answer {
			method: "chain_getHeader".into(),
			reason: format!("height {number}"),
		})?;
		Ok(Block { number, hash })
	}

	async fn hash(&self) -> Result<Hash, Error> {
		match self.at {
			At::Finalised => self.rpc().finalised().await,
			At::Best => {
				let best = self.rpc().hash(None).await?;
				best.ok_or_else(|| Error::UnknownBlock("of the best chain".into()))
			}
			At::Block(hash) => Ok(hash),
		}
	}

	/// Calls a runtime API with its arguments as a tuple.
	async fn call<T: Decode>(&self, api: &str, arguments: impl Encode) -> Result<T, Error> {
		let bytes = self.rpc().call(api, &arguments.encode(), self.hash().await?).await?;
		T::decode_all(&mut &bytes[..])
			.map_err(|error| Error::Answer { method: api.into(), reason: error.to_string() })
	}

	/// One job; `None` if it does not exist or its record was removed.
	pub async fn job(&self, id: JobId) -> Result<Option<JobView>, Error> {
		self.call("JobsApi_job", (id,)).await
	}

	/// Jobs with numbers below `before` (all, if `None`), newest first, at most `limit` and
	/// [`MAX_PAGE`], and where the next page begins.
	pub async fn jobs(&self, before: Option<JobId>, limit: u32) -> Result<JobsPage, Error> {
		self.call("JobsApi_jobs", (before, limit)).await
	}

	/// Tasks of a job from `start` on, at most `limit` and [`MAX_PAGE`].
	pub async fn tasks(
		&self,
		job: JobId,
		start: TaskIndex,
		limit: u32,
	) -> Result<Vec<TaskView>, Error> {
		self.call("JobsApi_tasks", (job, start, limit)).await
	}

	/// All tasks of a job, page by page at one block.
	pub async fn all_tasks(&self, job: JobId) -> Result<Vec<TaskView>, Error> {
		let here = self.pinned().await?;
		let mut tasks: Vec<TaskView> = Vec::new();
		loop {
			let start = tasks.last().map_or(0, |last| last.id.index.saturating_add(1));
			let page = here.tasks(job, start, MAX_PAGE).await?;
			if page.is_empty() {
				return Ok(tasks);
			}
			tasks.extend(page);
		}
	}

	/// One task; `None` if there is no such task.
	pub async fn task(&self, id: TaskId) -> Result<Option<TaskView>, Error> {
		let page = self.tasks(id.job, id.index, 1).await?;
		Ok(page.into_iter().find(|task| task.id == id))
	}

	/// Tasks that a provider is matched to and that are not settled or refunded.
	pub async fn tasks_of(&self, provider: &AccountId) -> Result<Vec<TaskView>, Error> {
		self.call("JobsApi_tasks_of", (provider,)).await
	}

	/// What happened to jobs in the block read at; best with [`At::Block`].
	pub async fn job_events(&self) -> Result<Vec<JobEvent>, Error> {
		self.call("JobsApi_job_events", ()).await
	}

	/// What is kept of a registered program; `None` if it is not registered.
	pub async fn program(&self, id: Root) -> Result<Option<ProgramInfo>, Error> {
		self.call("JobsApi_program", (id,)).await
	}

	/// Audit fee in planck for one run of a task of this declared value; `None` if the program is
	/// unknown or the assurance cannot be given.
	pub async fn audit_fee(
		&self,
		program: Root,
		assurance: Assurance,
		value: Balance,
	) -> Result<Option<Balance>, Error> {
		self.call("JobsApi_audit_fee", (program, assurance, value)).await
	}

	/// What custody of an output of the program takes; `None` if the program is unknown or its output
	/// is larger than custodians fetch.
	pub async fn custody(&self, program: Root) -> Result<Option<Custody>, Error> {
		self.call("JobsApi_custody", (program,)).await
	}

	/// The result of a task, if it may be challenged now.
	pub async fn challenge(&self, task: TaskId) -> Result<Option<ChallengeView>, Error> {
		self.call("JobsApi_challenge", (task,)).await
	}

	/// Demands about the results of a provider's tasks that wait for an answer.
	pub async fn demands_on(&self, provider: &AccountId) -> Result<Vec<DemandView>, Error> {
		self.call("JobsApi_demands_on", (provider,)).await
	}

	/// What an assurance demands of machines; `None` if it cannot be given.
	pub async fn demands(&self, assurance: Assurance) -> Result<Option<Demands>, Error> {
		self.call("JobsApi_demands", (assurance,)).await
	}

	/// Runs a task may take before its money goes back, and so how many audit fees are escrowed.
	pub async fn max_attempts(&self) -> Result<u8, Error> {
		self.call("JobsApi_max_attempts", ()).await
	}

	/// Whether a task's claim is under audit.
	pub async fn under_audit(&self, task: TaskId) -> Result<bool, Error> {
		self.call("JobsApi_under_audit", (task,)).await
	}

	/// One provider; `None` if the account is not one.
	pub async fn provider(&self, account: &AccountId) -> Result<Option<ProviderView>, Error> {
		self.call("ProvidersApi_provider", (account,)).await
	}

	/// The provider for which a hot key acts.
	pub async fn provider_of(&self, hot_key: &AccountId) -> Result<Option<AccountId>, Error> {
		self.call("ProvidersApi_provider_of", (hot_key,)).await
	}

	/// Providers after `after` in storage order, at most `limit` and [`MAX_PAGE`].
	pub async fn providers(
		&self,
		after: Option<&AccountId>,
		limit: u32,
	) -> Result<Vec<ProviderView>, Error> {
		self.call("ProvidersApi_providers", (after, limit)).await
	}

	/// Figures of the network.
	pub async fn network_stats(&self) -> Result<NetworkStats, Error> {
		self.call("NetworkApi_network_stats", ()).await
	}

	/// An account's balance; all nought if it does not exist.
	pub async fn balance(&self, account: &AccountId) -> Result<Account, Error> {
		let key = [
			&twox_128(b"System")[..],
			&twox_128(b"Account"),
			&blake2_128(account.as_ref()),
			account.as_ref(),
		]
		.concat();
		let Some(bytes) = self.rpc().storage(&key, self.hash().await?).await? else {
			return Ok(Account::default());
		};
		Account::decode_all(&mut &bytes[..]).map_err(|error| Error::Answer {
			method: "System.Account".into(),
			reason: error.to_string(),
		})
	}
}

#[cfg(test)]
mod tests {
	use super::*;

	/// `frame_system::AccountInfo` around `pallet_balances::AccountData`, by hand.
	#[test]
	fn accounts_are_read_as_they_are_stored() {
		let stored = (7u32, 1u32, 2u32, 3u32, 10u128, 20u128, 30u128, 1u128 << 127).encode();
		let account = Account::decode_all(&mut &stored[..]).unwrap();
		let Account { nonce, free, held, frozen, .. } = account;
		assert_eq!((nonce, free, held, frozen), (7, 10, 20, 30));
		let json = serde_json::to_string(&account).unwrap();
		assert_eq!(json, r#"{"nonce":7,"free":"10","held":"20","frozen":"30"}"#);
	}
}
