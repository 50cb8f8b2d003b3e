//! Settings: a TOML file, overridden by flags.

mod file;

pub use file::{Endpoint, File, KeySource, NodeUrl};

use crate::sabotage::Sabotage;
use std::{
	net::{Ipv4Addr, SocketAddr},
	path::{Path, PathBuf},
	time::Duration,
};

/// A commented file with every setting.
pub const EXAMPLE: &str = include_str!("example.toml");

/// Settings that make no sense, and which.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
	/// The file cannot be read.
	#[error("cannot read {}: {error}", path.display())]
	Read {
		/// Which.
		path: PathBuf,
		/// Why.
		error: std::io::Error,
	},
	/// The file is not what it should be: names line and key.
	#[error("{}: {error}", path.display())]
	Parse {
		/// Which.
		path: PathBuf,
		/// What and where.
		error: toml::de::Error,
	},
	/// A needed setting is missing.
	#[error("no {key} is set: {hint}")]
	Missing {
		/// Which.
		key: &'static str,
		/// How to set it.
		hint: &'static str,
	},
	/// The lie is asked for outside development.
	#[error(
		"--sabotage makes this worker lie and its owner lose the stake; it is for development \
		 chains only and needs --allow-local (allow_local = true)"
	)]
	Sabotage,
}

/// Settings of a worker.
#[derive(Clone, Debug)]
pub struct Config {
	/// Nodes, in the order in which they are tried.
	pub nodes: Vec<NodeUrl>,
	/// Where the hot key is.
	pub hot_key: Option<KeySource>,
	/// Folder of everything the worker keeps.
	pub data_dir: PathBuf,
	/// Address of the data plane.
	pub listen: SocketAddr,
	/// Base URL under which others reach it.
	pub endpoint: Option<Endpoint>,
	/// Lets buyers' URLs lead to loopback and private addresses.
	pub allow_local: bool,
	/// Threads that compute; 0: one for each processor.
	pub threads: usize,
	/// Bytes the store may take.
	pub max_store_bytes: u64,
	/// Greatest trace of one task, in bytes.
	pub max_trace_bytes: u64,
	/// Most multiply–accumulates of one task.
	pub max_macs: u128,
	/// Most other elements of one task.
	pub max_elements: u128,
	/// Tensors fetched at a time from one origin.
	pub parallel_fetches: usize,
	/// Connections that the data plane takes at a time.
	pub max_connections: usize,
	/// Connections at a time from one client: an IPv4 address or a /64 network of IPv6.
	pub max_connections_per_client: usize,
	/// A lie to tell. For development only.
	pub sabotage: Option<Sabotage>,
	/// How long things take and are kept.
	pub times: Times,
}

/// How long things take and are kept.
#[derive(Clone, Copy, Debug)]
pub struct Times {
	/// For fetching all that an offered task needs.
	pub fetch: Duration,
	/// Between two looks at the chain, if there is no news.
	pub poll: Duration,
	/// For what belongs to ended tasks.
	pub retention: Duration,
	/// Before what was done is done again, should the chain not show it.
	pub settle: Duration,
	/// After a first failure; doubles with each further one.
	pub pause: Duration,
	/// The longest such pause.
	pub longest_pause: Duration,
	/// Between two collections of what nothing needs any more.
	pub collect: Duration,
	/// Age below which nothing is collected.
	pub collect_age: Duration,
	/// For calls under way when the worker stops.
	pub grace: Duration,
}

impl Default for Times {
	fn default() -> Self {
		let seconds = Duration::from_secs;
		Self {
			fetch: seconds(240),
			poll: seconds(12),
			retention: seconds(7 * 24 * 3600),
			settle: seconds(30),
			pause: seconds(1),
			longest_pause: seconds(60),
			collect: seconds(600),
			collect_age: seconds(3600),
			grace: seconds(10),
		}
	}
}

impl Default for Config {
	fn default() -> Self {
		Self {
			nodes: vec![NodeUrl::default()],
			hot_key: None,
			data_dir: "assay-worker".into(),
			listen: (Ipv4Addr::UNSPECIFIED, 9955).into(),
			endpoint: None,
			allow_local: false,
			threads: 0,
			max_store_bytes: 100 << 30,
			max_trace_bytes: 4 << 30,
			max_macs: 1_000_000_000_000_000,
			max_elements: 1_000_000_000_000,
			parallel_fetches: 8,
			max_connections: 512,
			max_connections_per_client: 64,
			sabotage: None,
			times: Times::default(),
		}
	}
}

impl Config {
	/// Settings of a file, if there is one, overridden by `flags`.
	pub fn load(path: Option<&Path>, flags: File) -> Result<Self, ConfigError> {
		let file = match path {
			None => File::default(),
			Some(path) => {
				let text = std::fs::read_to_string(path)
					.map_err(|error| ConfigError::Read { path: path.into(), error })?;
				File::parse(&text)
					.map_err(|error| ConfigError::Parse { path: path.into(), error })?
			}
		};
		Ok(Self::from(flags.or(file)))
	}

	/// Has the worker lie.
	pub fn with_sabotage(mut self, lie: Option<Sabotage>) -> Result<Self, ConfigError> {
		if lie.is_some() && !self.allow_local {
			return Err(ConfigError::Sabotage);
		}
		self.sabotage = lie;
		Ok(self)
	}

	/// Where the hot key is, which must be set.
	pub fn hot_key(&self) -> Result<&KeySource, ConfigError> {
		let hint = "give --hot-key FILE, or hot_key in the file, or ASSAY_HOT_KEY";
		self.hot_key.as_ref().ok_or(ConfigError::Missing { key: "hot_key", hint })
	}

	/// Folder of the content store.
	pub fn store_dir(&self) -> PathBuf {
		self.data_dir.join("store")
	}

	/// Folder of the journal.
	pub fn journal_dir(&self) -> PathBuf {
		self.data_dir.join("journal")
	}

	/// File that counts declined offers.
	pub fn tally_file(&self) -> PathBuf {
		self.data_dir.join("declined.json")
	}
}

impl From<File> for Config {
	fn from(file: File) -> Self {
		let Self { times, .. } = Self::default();
		let seconds = |given: Option<std::num::NonZeroU64>, default| {
			given.map_or(default, |given| Duration::from_secs(given.get()))
		};
		let default = Self::default();
		Self {
			nodes: file.nodes.filter(|nodes| !nodes.is_empty()).unwrap_or(default.nodes),
			hot_key: file.hot_key,
			data_dir: file.data_dir.unwrap_or(default.data_dir),
			listen: file.listen.unwrap_or(default.listen),
			endpoint: file.endpoint,
			allow_local: file.allow_local.unwrap_or(default.allow_local),
			threads: file.threads.unwrap_or(default.threads),
			max_store_bytes: file.max_store_bytes.map_or(default.max_store_bytes, |n| n.get()),
			max_trace_bytes: file.max_trace_bytes.map_or(default.max_trace_bytes, |n| n.get()),
			max_macs: file.max_macs.map_or(default.max_macs, |n| n.get().into()),
			max_elements: file.max_elements.map_or(default.max_elements, |n| n.get().into()),
			parallel_fetches: file.parallel_fetches.map_or(default.parallel_fetches, |n| n.get()),
			max_connections: file.max_connections.map_or(default.max_connections, |n| n.get()),
			max_connections_per_client: file
				.max_connections_per_client
				.map_or(default.max_connections_per_client, |n| n.get()),
			sabotage: None,
			times: Times {
				fetch: seconds(file.fetch_seconds, times.fetch),
				poll: seconds(file.poll_seconds, times.poll),
				retention: file.retention_seconds.map_or(times.retention, Duration::from_secs),
				..times
			},
		}
	}
}
