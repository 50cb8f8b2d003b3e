//! What every command is told: the node, the key, how to print.

use crate::{failure::Usage, output::Output, progress};
use anyhow::Context as _;
use assay_client::{parse_account, Client, Signer, Submitter};
use assay_data::{Fetcher, Policy};
use assay_primitives::AccountId;
use clap::Args;
use std::{net::IpAddr, path::PathBuf, time::Duration};
use url::{Host, Url};

/// Options of every command.
#[derive(Args, Clone, Debug)]
pub struct Global {
	/// WebSocket of the node.
	#[arg(long, global = true, default_value = "ws://127.0.0.1:9944", env = "ASSAY_URL")]
	pub url: String,
	/// Wait up to so many seconds for the node to be ready.
	#[arg(long, global = true, value_name = "SECONDS")]
	pub wait: Option<u64>,
	/// Print results as JSON, one object a line; the last one tells the outcome, as
	/// {"error": …} if it failed.
	#[arg(long, global = true)]
	pub json: bool,
	/// No progress or remarks on stderr.
	#[arg(long, short, global = true)]
	pub quiet: bool,
	/// File that holds the key to sign with, as `assay key generate --file` makes it.
	#[arg(long, global = true, value_name = "PATH", env = "ASSAY_KEY_FILE")]
	pub key_file: Option<PathBuf>,
	/// Key to sign with, as a mnemonic or `//Alice`, in place of a key file. Other users of this
	/// machine can see it: for development.
	#[arg(long, global = true, value_name = "SURI", env = "ASSAY_SURI", hide_env_values = true)]
	pub suri: Option<String>,
	/// Fetch from loopback and private addresses, for development. True if the node's URL is on
	/// loopback, unless given.
	#[arg(
		long,
		global = true,
		value_name = "BOOL",
		num_args = 0..=1,
		require_equals = true,
		default_missing_value = "true"
	)]
	pub allow_local: Option<bool>,
}

/// The same with what follows from them.
pub struct Context {
	global: Global,
	/// How to print.
	pub output: Output,
}

impl Context {
	/// The context of one run.
	pub fn new(global: Global, output: Output) -> Self {
		Self { global, output }
	}

	/// Connects to the node.
	pub async fn connect(&self) -> anyhow::Result<Client> {
		let url = &self.global.url;
		Ok(match self.global.wait {
			None => Client::connect(url).await?,
			Some(seconds) => {
				let spinner = progress::spinner(self.output, format!("waiting for {url}"));
				let client = Client::connect_within(url, Duration::from_secs(seconds)).await;
				spinner.finish_and_clear();
				client?
			}
		})
	}

	/// Whether a key is named.
	pub fn has_key(&self) -> bool {
		self.global.suri.is_some() || self.global.key_file.is_some()
	}

	/// The key to sign with.
	pub fn signer(&self) -> anyhow::Result<Signer> {
		match (&self.global.suri, &self.global.key_file) {
			(Some(suri), _) => Ok(Signer::from_uri(suri).map_err(assay_client::Error::from)?),
			(None, Some(path)) => Ok(Signer::from_file(path).map_err(assay_client::Error::from)?),
			(None, None) => Err(Usage(
				"this needs a key to sign with: give --key-file PATH (make one with `assay key \
				 generate --file PATH`), or --suri //Alice on a development chain"
					.into(),
			)
			.into()),
		}
	}

	/// Connects, to sign and send.
	pub async fn submitter(&self) -> anyhow::Result<Submitter> {
		// The key first: without it there is nothing to connect for.
		let signer = self.signer()?;
		Ok(Submitter::new(&self.connect().await?, signer))
	}

	/// The account given, or the one whose key is.
	pub fn account(&self, given: Option<AccountId>) -> anyhow::Result<AccountId> {
		match given {
			Some(account) => Ok(account),
			None => Ok(self
				.signer()
				.context("name an address, or give a key whose account is meant")?
				.account()
				.clone()),
		}
	}

	/// Whether loopback and private addresses are fetched from.
	pub fn allow_local(&self) -> bool {
		self.global.allow_local.unwrap_or_else(|| is_loopback(&self.global.url))
	}

	/// A fetcher of what providers serve.
	pub fn fetcher(&self) -> Fetcher {
		Fetcher::new(Policy { allow_local: self.allow_local(), ..Policy::default() })
	}

	/// Waits for a transaction, with a sign of it.
	pub async fn waiting<T>(
		&self,
		what: &str,
		work: impl std::future::Future<Output = Result<T, assay_client::Error>>,
	) -> Result<T, assay_client::Error> {
		let spinner = progress::spinner(self.output, format!("{what} …"));
		let result = work.await;
		spinner.finish_and_clear();
		result
	}
}

fn is_loopback(url: &str) -> bool {
	let Ok(url) = Url::parse(url) else { return false };
	match url.host() {
		Some(Host::Domain(name)) => {
			name == "localhost" || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
		}
		Some(Host::Ipv4(address)) => address.is_loopback(),
		Some(Host::Ipv6(address)) => address.is_loopback(),
		None => false,
	}
}

/// An account as an argument: an address, a public key, or a development key as `//Alice`.
pub fn account_argument(text: &str) -> Result<AccountId, String> {
	if text.starts_with("//") {
		return Signer::from_uri(text)
			.map(|signer| signer.account().clone())
			.map_err(|error| error.to_string());
	}
	parse_account(text).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
	use super::*;

	#[test]
	fn only_nodes_on_loopback_are_local() {
		for local in
			["ws://127.0.0.1:9944", "ws://localhost:1", "ws://[::1]:9944", "ws://127.9.9.9"]
		{
			assert!(is_loopback(local), "{local}");
		}
		for remote in
			["ws://192.168.0.1:9944", "wss://assay.example", "ws://localhost.example", "x"]
		{
			assert!(!is_loopback(remote), "{remote}");
		}
	}

	#[test]
	fn accounts_are_addresses_keys_or_development_names() {
		let alice = "0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d";
		assert_eq!(account_argument("//Alice"), account_argument(alice));
		let foreign = "5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY";
		assert!(account_argument(foreign).unwrap_err().contains("prefix 42"));
		assert!(account_argument("Alice").is_err());
	}
}
