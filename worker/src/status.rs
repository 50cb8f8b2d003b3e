//! How a worker stands, from the chain and from its folder.

use crate::{
	chain::Chain,
	config::Config,
	journal::{Entry, Journal},
	quota,
	tally::{Declined, Tally},
};
use assay_client::Amount;
use assay_primitives::{
	views::{amount, ProviderView, TaskView},
	AccountId, Balance, BlockNumber,
};
use serde::Serialize;
use std::{
	fmt,
	net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
	path::PathBuf,
	time::Duration,
};
use tokio::{net::TcpStream, time::timeout};

/// Time for the data plane to take a connection.
const CONNECT: Duration = Duration::from_secs(2);

/// How a worker stands.
#[derive(Clone, Debug, Serialize)]
pub struct Status {
	/// Last finalised block.
	pub block: BlockNumber,
	/// The account with which the worker signs.
	pub hot_key: AccountId,
	/// What it has for fees, in planck.
	#[serde(with = "amount")]
	pub hot_key_balance: Balance,
	/// The provider for which it works.
	pub provider: Option<ProviderView>,
	/// Whether the endpoint registered is the one configured; `None` if none is configured.
	pub endpoint_matches: Option<bool>,
	/// Address of the data plane.
	pub listen: SocketAddr,
	/// Whether something takes connections there.
	pub listening: bool,
	/// Tasks that have not ended.
	pub tasks: Vec<TaskView>,
	/// The worker's folder.
	pub data_dir: PathBuf,
	/// Bytes of its store.
	pub store_bytes: u64,
	/// Bytes that it may have.
	pub max_store_bytes: u64,
	/// What it has done about tasks that are not yet forgotten.
	pub journal: Vec<Entry>,
	/// Offers that it has declined.
	pub declined: Declined,
}

/// Gathers it.
pub async fn status<C: Chain>(chain: &C, config: &Config) -> anyhow::Result<Status> {
	let hot_key = chain.account();
	let provider = match chain.provider_of(&hot_key).await? {
		Some(account) => chain.provider(&account).await?,
		None => None,
	};
	let tasks = match &provider {
		Some(provider) => chain.tasks_of(&provider.account).await?,
		None => Vec::new(),
	};
	let endpoint_matches = provider
		.as_ref()
		.zip(config.endpoint.as_ref())
		.map(|(view, own)| view.endpoint.trim_end_matches('/') == own.as_str());
	Ok(Status {
		block: *chain.heights().borrow(),
		hot_key_balance: chain.balance(&hot_key).await?,
		hot_key,
		provider,
		endpoint_matches,
		listen: config.listen,
		listening: is_listening(config.listen).await,
		tasks,
		data_dir: config.data_dir.clone(),
		store_bytes: quota::usage(&config.store_dir()).unwrap_or(0),
		max_store_bytes: config.max_store_bytes,
		journal: Journal::peek(&config.journal_dir())?,
		declined: Tally::peek(&config.tally_file())?,
	})
}

async fn is_listening(mut address: SocketAddr) -> bool {
	if address.ip().is_unspecified() {
		address.set_ip(match address.ip() {
			IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
			IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
		});
	}
	matches!(timeout(CONNECT, TcpStream::connect(address)).await, Ok(Ok(_)))
}

impl fmt::Display for Status {
	fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
		writeln!(f, "block        {}", self.block)?;
		writeln!(f, "hot key      {} ({})", self.hot_key, Amount(self.hot_key_balance))?;
		match &self.provider {
			None => writeln!(f, "provider     none: run assay-worker register")?,
			Some(view) => {
				writeln!(f, "provider     {} \"{}\"", view.account, view.name)?;
				let differs = match self.endpoint_matches {
					Some(false) => " (NOT the one configured)",
					_ => "",
				};
				writeln!(f, "endpoint     {}{differs}", view.endpoint)?;
				let (stake, locked) = (Amount(view.stake), Amount(view.locked));
				writeln!(f, "stake        {stake}, {locked} at risk")?;
				let ProviderView { settled, missed, failed, .. } = view;
				writeln!(f, "record       {settled} settled, {missed} missed, {failed} failed")?;
			}
		}
		let up = if self.listening { "up" } else { "DOWN" };
		writeln!(f, "data plane   {} ({up})", self.listen)?;
		let (dir, used) = (self.data_dir.display(), self.store_bytes);
		writeln!(f, "store        {dir}, {used} of {} bytes", self.max_store_bytes)?;
		writeln!(f, "tasks        {}", self.tasks.len())?;
		for view in &self.tasks {
			writeln!(f, "  {:<12} {:?}", crate::task_name(view.id), view.status)?;
		}
		let kept = self.journal.iter().filter(|entry| entry.ended_at.is_some()).count();
		writeln!(f, "kept         {kept} ended tasks")?;
		let Declined { offers, out_of_reach } = self.declined;
		write!(f, "declined     {offers} offers, {out_of_reach} whose deadline was out of reach")
	}
}
