//! The file's keys, and how their values are read.

use assay_client::{KeyError, Signer};
use assay_primitives::url;
use serde::Deserialize;
use std::{
	fmt,
	net::SocketAddr,
	num::{NonZeroU64, NonZeroUsize},
	path::{Path, PathBuf},
	str::FromStr,
};

/// What a file, or the flags, say; what they leave open is `None`. See `example.toml` for meanings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, clap::Args)]
#[serde(default, deny_unknown_fields)]
pub struct File {
	/// WebSocket URL of a node to talk to; repeat it for further ones [default:
	/// ws://127.0.0.1:9944]
	#[arg(long = "node", value_name = "URL")]
	pub nodes: Option<Vec<NodeUrl>>,
	/// File that holds the key with which the worker signs, or the key itself
	#[arg(long, value_name = "FILE|KEY", env = "ASSAY_HOT_KEY", hide_env_values = true)]
	pub hot_key: Option<KeySource>,
	/// Folder of inputs, results and the journal [default: assay-worker]
	#[arg(long, value_name = "DIR")]
	pub data_dir: Option<PathBuf>,
	/// Address of the data plane [default: 0.0.0.0:9955]
	#[arg(long, value_name = "ADDRESS")]
	pub listen: Option<SocketAddr>,
	/// Base URL under which others reach the data plane
	#[arg(long, value_name = "URL")]
	pub endpoint: Option<Endpoint>,
	/// Let buyers' URLs lead to loopback and private addresses; for development only
	#[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true")]
	pub allow_local: Option<bool>,
	/// Threads that compute; 0 takes one for each processor [default: 0]
	#[arg(long, value_name = "NUMBER")]
	pub threads: Option<usize>,
	/// Bytes that the store may take [default: 100 GiB]
	#[arg(long, value_name = "BYTES")]
	pub max_store_bytes: Option<NonZeroU64>,
	/// Greatest trace of one task, which is held in memory [default: 4 GiB]
	#[arg(long, value_name = "BYTES")]
	pub max_trace_bytes: Option<NonZeroU64>,
	/// Most multiply–accumulates of one task [default: 10^15]
	#[arg(long, value_name = "NUMBER")]
	pub max_macs: Option<NonZeroU64>,
	/// Most elements of other operations of one task [default: 10^12]
	#[arg(long, value_name = "NUMBER")]
	pub max_elements: Option<NonZeroU64>,
	/// Tensors fetched at a time from one origin [default: 8]
	#[arg(long, value_name = "NUMBER")]
	pub parallel_fetches: Option<NonZeroUsize>,
	/// Connections that the data plane takes at a time [default: 512]
	#[arg(long, value_name = "NUMBER")]
	pub max_connections: Option<NonZeroUsize>,
	/// Connections at a time from one IPv4 address or /64 network of IPv6 [default: 64]
	#[arg(long, value_name = "NUMBER")]
	pub max_connections_per_client: Option<NonZeroUsize>,
	/// Seconds to fetch all that an offered task needs [default: 240]
	#[arg(long, value_name = "SECONDS")]
	pub fetch_seconds: Option<NonZeroU64>,
	/// Seconds after which the chain is looked at without news [default: 12]
	#[arg(long, value_name = "SECONDS")]
	pub poll_seconds: Option<NonZeroU64>,
	/// Seconds for which ended tasks' data is kept [default: 604800]
	#[arg(long, value_name = "SECONDS")]
	pub retention_seconds: Option<u64>,
}

impl File {
	/// Reads a file's text. Errors name line, column and key.
	pub fn parse(text: &str) -> Result<Self, toml::de::Error> {
		toml::from_str(text)
	}

	/// These settings, and where they are open those of `other`.
	pub fn or(self, other: Self) -> Self {
		Self {
			nodes: self.nodes.or(other.nodes),
			hot_key: self.hot_key.or(other.hot_key),
			data_dir: self.data_dir.or(other.data_dir),
			listen: self.listen.or(other.listen),
			endpoint: self.endpoint.or(other.endpoint),
			allow_local: self.allow_local.or(other.allow_local),
			threads: self.threads.or(other.threads),
			max_store_bytes: self.max_store_bytes.or(other.max_store_bytes),
			max_trace_bytes: self.max_trace_bytes.or(other.max_trace_bytes),
			max_macs: self.max_macs.or(other.max_macs),
			max_elements: self.max_elements.or(other.max_elements),
			parallel_fetches: self.parallel_fetches.or(other.parallel_fetches),
			max_connections: self.max_connections.or(other.max_connections),
			max_connections_per_client: self
				.max_connections_per_client
				.or(other.max_connections_per_client),
			fetch_seconds: self.fetch_seconds.or(other.fetch_seconds),
			poll_seconds: self.poll_seconds.or(other.poll_seconds),
			retention_seconds: self.retention_seconds.or(other.retention_seconds),
		}
	}
}

/// Reads a type from a string by `FromStr`, so that errors in a file point at the value.
macro_rules! from_string {
	($type:ty) => {
		impl TryFrom<String> for $type {
			type Error = String;

			fn try_from(text: String) -> Result<Self, String> {
				text.parse()
			}
		}
	};
}

/// URL of a node's WebSocket.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct NodeUrl(String);

impl NodeUrl {
	/// The URL.
	pub fn as_str(&self) -> &str {
		&self.0
	}
}

impl Default for NodeUrl {
	fn default() -> Self {
		Self("ws://127.0.0.1:9944".into())
	}
}

impl FromStr for NodeUrl {
	type Err = String;

	fn from_str(text: &str) -> Result<Self, String> {
		let host = text.strip_prefix("ws://").or_else(|| text.strip_prefix("wss://"));
		match host {
			Some(host) if !host.is_empty() && !host.contains(char::is_whitespace) => {
				Ok(Self(text.into()))
			}
			_ => Err(format!("\"{text}\" is not a WebSocket URL such as ws://127.0.0.1:9944")),
		}
	}
}

from_string!(NodeUrl);

/// Base URL of a data plane, as the chain takes it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Endpoint(String);

impl Endpoint {
	/// The URL, without a slash at its end.
	pub fn as_str(&self) -> &str {
		&self.0
	}
}

impl FromStr for Endpoint {
	type Err = String;

	fn from_str(text: &str) -> Result<Self, String> {
		let trimmed = text.trim_end_matches('/');
		let what = match url::check(trimmed.as_bytes()) {
			_ if text.len() > url::MAX_URL as usize => "it is too long",
			Ok(()) => return Ok(Self(trimmed.into())),
			Err(url::UrlError::Scheme) => "it must begin with http:// or https://",
			Err(url::UrlError::Character) => "it holds a character that no base URL may hold",
			Err(url::UrlError::Host) => "it names no host",
			Err(url::UrlError::Port) => "its port is not a number from 1 to 65535",
		};
		Err(format!("\"{text}\" is not a base URL: {what}"))
	}
}

from_string!(Endpoint);

/// Where a key is: in a file, or written out.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum KeySource {
	/// In this file.
	File(PathBuf),
	/// Here: a mnemonic, a seed in hex, or a development key as `//Alice`.
	Uri(String),
}

impl KeySource {
	/// The key itself.
	pub fn load(&self) -> Result<Signer, KeyError> {
		match self {
			Self::File(path) => Signer::from_file(path),
			Self::Uri(uri) => Signer::from_uri(uri),
		}
	}
}

impl FromStr for KeySource {
	type Err = String;

	/// A key begins with `//` or `0x`, or has spaces between its words; anything else is a path.
	fn from_str(text: &str) -> Result<Self, String> {
		let text = text.trim();
		if text.is_empty() {
			return Err("a key or a file that holds it is expected".into());
		}
		let is_key = text.starts_with("//") || text.starts_with("0x") || text.contains(' ');
		let is_file = || Path::new(text).is_file();
		// A path may have spaces too.
		Ok(if is_key && !(text.contains(' ') && is_file()) {
			Self::Uri(text.into())
		} else {
			Self::File(text.into())
		})
	}
}

from_string!(KeySource);

/// Never shows a key.
impl fmt::Debug for KeySource {
	fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
		match self {
			Self::File(path) => write!(f, "{}", path.display()),
			Self::Uri(_) => f.write_str("(a key)"),
		}
	}
}
