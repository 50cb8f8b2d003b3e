//! Settings.

use assay_data::{fetch::Retry, Policy};
use std::{
	net::{Ipv4Addr, SocketAddr},
	thread::available_parallelism,
	time::Duration,
};

/// Settings of an [`Auditor`](crate::Auditor).
#[derive(Clone, Debug)]
pub struct Config {
	/// Address to listen on, which must be a loopback one. Port 0, the default, takes any free one.
	pub listen: SocketAddr,
	/// The bearer token; a random one if not set.
	pub token: Option<String>,
	/// How workers' data planes are fetched from. The bound on a tensor's size is not used:
	/// `memory_bytes` is the one that counts.
	pub fetch: Policy,
	/// How often a fetch is tried.
	pub retry: Retry,
	/// Time for each of the two parts of an audit that fetch: before and after computing.
	pub deadline: Duration,
	/// Fetches at a time within one audit.
	pub parallel_fetches: usize,
	/// Bytes that the tensors of all audits at work may take together. An audit that would take more
	/// alone is refused.
	pub memory_bytes: u64,
	/// Multiply–accumulates of the largest program that is executed again.
	pub max_replay_macs: u128,
	/// Audits under way at a time, most of them fetching.
	pub audits: usize,
	/// Audits computing at a time.
	pub computing: usize,
	/// Threads that compute.
	pub threads: usize,
	/// Audits accepted and not yet done; further requests are told to ask again.
	pub max_active: usize,
	/// Replies kept.
	pub max_results: usize,
	/// How long a reply other than valid or invalid stands. Asked again later, the audit is tried
	/// anew: what was not to be had may be by then.
	pub retry_after: Duration,
	/// Bytes of constants kept between audits.
	pub const_cache_bytes: u64,
}

impl Default for Config {
	fn default() -> Self {
		let cores = available_parallelism().map_or(1, usize::from);
		Self {
			listen: (Ipv4Addr::LOCALHOST, 0).into(),
			token: None,
			fetch: Policy::default(),
			retry: Retry::default(),
			deadline: Duration::from_secs(600),
			parallel_fetches: 8,
			memory_bytes: 8 << 30,
			max_replay_macs: 1 << 47,
			audits: 8,
			computing: 1,
			// One core is left to the node, which has blocks to make.
			threads: cores.saturating_sub(1).max(1),
			max_active: 64,
			max_results: 4096,
			retry_after: Duration::from_secs(600),
			const_cache_bytes: 1 << 30,
		}
	}
}
