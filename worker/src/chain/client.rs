//! The chain as nodes tell it.

use super::{Call, Chain, ChainError, Pace};
use crate::{config::NodeUrl, stop::Stop};
use assay_client::{Client, Signer, Submitter};
use assay_primitives::{
	demand::DemandView,
	views::{JobView, ProviderView, TaskView},
	work::{JobId, TaskId},
	AccountId, Balance, BlockNumber, Hash,
};
use std::{
	future::Future,
	sync::{Arc, Mutex, MutexGuard, PoisonError},
	time::{Duration, Instant},
};
use tokio::{sync::watch, task::spawn_blocking, time::sleep};

/// Pause before a node is tried again.
const PAUSE: Duration = Duration::from_secs(2);
/// Tries between two complaints that no node answers.
const COMPLAIN: u32 = 30;

/// The first node of a list that answers; the next one when it no longer does. Clones share it.
#[derive(Clone)]
pub struct Node {
	inner: Arc<Inner>,
}

struct Inner {
	urls: Vec<NodeUrl>,
	signer: Signer,
	genesis: Hash,
	link: Mutex<Link>,
	heights: watch::Sender<BlockNumber>,
	pace: Mutex<Pace>,
}

/// The connection in use.
#[derive(Clone)]
struct Link {
	client: Client,
	submitter: Submitter,
	/// Place of its node in the list.
	at: usize,
}

impl Node {
	/// Connects to the first node that answers, tried in turn until one does.
	pub async fn connect(
		urls: &[NodeUrl],
		signer: Signer,
		stop: &Stop,
	) -> Result<Self, ChainError> {
		let mut rounds = 0u32;
		loop {
			match Self::try_connect(urls, signer.clone()).await {
				Err(error) if error.is_unreachable() => {
					if rounds.is_multiple_of(COMPLAIN) {
						tracing::warn!("{error}; will go on trying");
					}
					rounds = rounds.saturating_add(1);
					tokio::select! {
						() = sleep(PAUSE) => {},
						() = stop.wait() => return Err(error),
					}
				}
				connected => return connected,
			}
		}
	}

	/// Connects to the first node that answers. The error is the last one's.
	pub async fn try_connect(urls: &[NodeUrl], signer: Signer) -> Result<Self, ChainError> {
		let mut last = ChainError::Argument("no node is named".into());
		for (at, url) in urls.iter().enumerate() {
			match Client::connect(url.as_str()).await {
				Ok(client) => return Self::with(urls, signer, client, at).await,
				Err(error) => last = error,
			}
		}
		Err(last)
	}

	async fn with(
		urls: &[NodeUrl],
		signer: Signer,
		client: Client,
		at: usize,
	) -> Result<Self, ChainError> {
		let height = client.block().await?.number;
		let submitter = Submitter::new(&client, signer.clone());
		let inner = Inner {
			urls: urls.to_vec(),
			signer,
			genesis: client.genesis(),
			link: Mutex::new(Link { client, submitter, at }),
			heights: watch::channel(height).0,
			pace: Mutex::default(),
		};
		let node = Self { inner: Arc::new(inner) };
		tokio::spawn(follow(Arc::downgrade(&node.inner)));
		Ok(node)
	}

	/// URL of the node in use.
	pub fn url(&self) -> String {
		self.link().client.url().into()
	}

	/// The chain's name.
	pub async fn chain_name(&self) -> Result<String, ChainError> {
		self.link().client.chain_name().await
	}

	fn link(&self) -> Link {
		self.inner.link.lock().unwrap_or_else(PoisonError::into_inner).clone()
	}

	fn pace(&self) -> MutexGuard<'_, Pace> {
		self.inner.pace.lock().unwrap_or_else(PoisonError::into_inner)
	}

	/// Asks the node in use; if it cannot be reached, goes over to another for the next time.
	async fn ask<T, F: Future<Output = Result<T, ChainError>>>(
		&self,
		ask: impl FnOnce(Link) -> F,
	) -> Result<T, ChainError> {
		let link = self.link();
		let at = link.at;
		let answer = ask(link).await;
		if matches!(&answer, Err(error) if error.is_unreachable()) {
			self.go_over(at).await;
		}
		answer
	}

	/// Connects to the next node of the list that answers and is of the same chain.
	async fn go_over(&self, from: usize) {
		let Inner { urls, signer, genesis, link, .. } = &*self.inner;
		for step in 1..urls.len() {
			let at = (from + step) % urls.len();
			let url = urls[at].as_str();
			match Client::connect(url).await {
				Ok(client) if client.genesis() == *genesis => {
					let mut link = link.lock().unwrap_or_else(PoisonError::into_inner);
					if link.at == from {
						tracing::warn!("goes over to the node at {url}");
						let submitter = Submitter::new(&client, signer.clone());
						*link = Link { client, submitter, at };
					}
					return;
				}
				Ok(client) => {
					let other = client.genesis();
					tracing::error!("the node at {url} is of another chain, {other:#x}");
				}
				Err(error) => tracing::debug!("{error}"),
			}
		}
	}
}

/// Counts finalised blocks for as long as anybody uses the node.
async fn follow(inner: std::sync::Weak<Inner>) {
	let node = || inner.upgrade().map(|inner| Node { inner });
	while let Some(client) = node().map(|node| node.link().client) {
		let mut blocks = match client.finalised_blocks().await {
			Ok(blocks) => blocks,
			Err(error) => {
				tracing::debug!("{error}");
				sleep(PAUSE).await;
				continue;
			}
		};
		loop {
			let block = blocks.next().await;
			let Some(node) = node() else { return };
			match block {
				Ok(block) => {
					if !blocks.is_behind() {
						node.pace().note(Instant::now(), block.number);
						node.inner.heights.send_if_modified(|height| {
							let news = block.number > *height;
							*height = block.number.max(*height);
							news
						});
					}
				}
				Err(error) => {
					tracing::debug!("{error}");
					break;
				}
			}
		}
		sleep(PAUSE).await;
	}
}

impl Chain for Node {
	fn account(&self) -> AccountId {
		self.inner.signer.account().clone()
	}

	fn heights(&self) -> watch::Receiver<BlockNumber> {
		self.inner.heights.subscribe()
	}

	fn block_time(&self) -> Duration {
		self.pace().block_time()
	}

	async fn provider_of(&self, hot_key: &AccountId) -> Result<Option<AccountId>, ChainError> {
		self.ask(|link| async move { link.client.provider_of(hot_key).await }).await
	}

	async fn provider(&self, account: &AccountId) -> Result<Option<ProviderView>, ChainError> {
		self.ask(|link| async move { link.client.provider(account).await }).await
	}

	async fn tasks_of(&self, provider: &AccountId) -> Result<Vec<TaskView>, ChainError> {
		self.ask(|link| async move { link.client.tasks_of(provider).await }).await
	}

	async fn demands_on(&self, provider: &AccountId) -> Result<Vec<DemandView>, ChainError> {
		self.ask(|link| async move { link.client.demands_on(provider).await }).await
	}

	async fn task(&self, id: TaskId) -> Result<Option<TaskView>, ChainError> {
		self.ask(|link| async move { link.client.task(id).await }).await
	}

	async fn job(&self, id: JobId) -> Result<Option<JobView>, ChainError> {
		self.ask(|link| async move { link.client.job(id).await }).await
	}

	async fn balance(&self, account: &AccountId) -> Result<Balance, ChainError> {
		self.ask(|link| async move {
			let balance = link.client.balance(account).await?;
			Ok(balance.free.saturating_sub(balance.frozen))
		})
		.await
	}

	async fn send(&self, call: Call) -> Result<(), ChainError> {
		self.ask(|link| async move {
			// The submitter's future must stay on one thread. What was sent is followed to its end
			// even if nobody waits for it any more.
			let runtime = tokio::runtime::Handle::current();
			let sent = spawn_blocking(move || runtime.block_on(send(&link.submitter, call))).await;
			sent.unwrap_or_else(|error| Err(ChainError::Refused(error.to_string())))
		})
		.await
	}
}

async fn send(by: &Submitter, call: Call) -> Result<(), ChainError> {
	match call {
		Call::Accept { task, inputs, path } => by.accept(task, inputs, path).await,
		Call::Decline { task } => by.decline(task).await,
		Call::Submit { task, commitment } => by.submit_result(task, commitment).await,
		Call::Seal { task, seal } => by.seal_result(task, seal).await,
		Call::Open { task, outcome, salt } => by.open_result(task, outcome, salt).await,
		Call::Abandon { task } => by.abandon(task).await,
		Call::Answer { task, by: whose, answer } => by.answer(task, &whose, answer).await,
		Call::Register { hot_key, stake, profile } => {
			by.register_provider(&hot_key, stake, &profile).await
		}
		Call::SetProfile(profile) => by.set_profile(&profile).await,
		Call::SetHotKey(hot_key) => by.set_hot_key(&hot_key).await,
		Call::BondExtra(amount) => by.bond_extra(amount).await,
		Call::AddMachine(spec) => by.add_machine(&spec).await.map(|(_, outcome)| outcome),
		Call::SetAsk(machine, ask) => by.set_ask(machine, ask).await,
		Call::Transfer(to, amount) => by.transfer(&to, amount).await,
	}
	.map(drop)
}
