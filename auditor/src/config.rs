//! Settings.

use assay_compute::audit::{spot, stream};
use assay_data::{fetch::Retry, Policy};
use std::{
	net::{Ipv4Addr, SocketAddr},
	path::PathBuf,
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
	/// How data planes are fetched from. The bound on a tensor's size is not used:
	/// `memory_bytes` is the one that counts.
	pub fetch: Policy,
	/// How often a fetch is tried.
	pub retry: Retry,
	/// Time for each of the two parts of an audit that fetch: program and roots, then tensors. A part
	/// that begins in the first half of an audit has 70 % of what is left at most; whoever is not the last
	/// that may give something half of it.
	pub fetch_time: Duration,
	/// Bytes of tensors in a second for which time is given beside that.
	pub fetch_rate: u64,
	/// Time between blocks, by which the rounds of audits end.
	pub block_time: Duration,
	/// Longest time of one audit, however long its round is.
	pub audit_time: Duration,
	/// Time after which an audit that is not asked for any more is given up.
	pub patience: Duration,
	/// Fetches at a time within one audit; fewer once the worker had no connection to spare.
	pub parallel_fetches: usize,
	/// Bytes of memory that all audits at work may take together, by declared shapes; those of one
	/// provider at most half of them, unless one audit takes more. An audit that would take more than
	/// all alone is refused. A replay takes its whole trace, a projection some rows of it.
	pub memory_bytes: u64,
	/// A folder of this service alone. Without one, temporary files are where the operating system has
	/// them, which may be memory, and no result is known after a restart.
	pub folder: Option<PathBuf>,
	/// Bytes of disk that traces take together while they are audited by projection, shared like the
	/// memory. Of a larger trace some tensors at a time are there.
	pub spool_bytes: u64,
	/// What this machine keeps as a custodian. Without it, it keeps nothing, and custody is refused.
	/// Needs a `folder`.
	pub custody: Option<CustodyConfig>,
	/// How much of each tensor on disk is in memory at a time.
	pub stream: stream::Limits,
	/// How much of each tensor a spot audit looks at.
	pub spot: spot::Depth,
	/// Multiply–accumulates of the largest program that is executed again, be it that the audit is a
	/// replay or that its worker does not serve.
	pub max_replay_macs: u128,
	/// Audits fetching at a time.
	pub fetching: usize,
	/// Of those, at most so many of one provider: its uplink serves a few at a time best.
	pub fetching_each: usize,
	/// Audits computing at a time.
	pub computing: usize,
	/// How long an audit computes before another provider's that waits has its turn.
	pub slice: Duration,
	/// Threads that each of those computes on.
	pub threads: usize,
	/// Audits accepted and not yet done; of one provider at most half of them. If there are as many, one
	/// that waits makes room for a provider that has fewer. Others are told to ask again.
	pub max_active: usize,
	/// Replies kept.
	pub max_results: usize,
	/// How long a reply other than valid or invalid stands. Asked again later, the audit is tried
	/// anew: what was not to be had may be by then.
	pub retry_after: Duration,
	/// Bytes of memory for constants kept between replays.
	pub const_cache_bytes: u64,
	/// Bytes of disk for constants kept between projections, but for weights.
	pub table_spool_bytes: u64,
	/// Bytes of memory for projections of weights kept between audits.
	pub projection_cache_bytes: u64,
	/// Products that one of them checks before another secret takes its place. After `n` of them a
	/// wrong product has passed with a probability of at most n ÷ 2^61.
	pub projection_uses: u32,
}

/// How outputs are kept and served for buyers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CustodyConfig {
	/// Address to serve them at; port 0 takes any free one.
	pub listen: SocketAddr,
	/// Base URL that leads there from outside, and is announced on the chain; the address that was bound
	/// if not set.
	pub url: Option<String>,
	/// Bytes of disk that they take together.
	pub bytes: u64,
}

impl Default for Config {
	fn default() -> Self {
		let cores = available_parallelism().map_or(1, usize::from);
		Self {
			listen: (Ipv4Addr::LOCALHOST, 0).into(),
			token: None,
			fetch: Policy::default(),
			// A worker whose connections are all taken is not one that does not give.
			retry: Retry { insist: true, ..Retry::default() },
			fetch_time: Duration::from_secs(600),
			fetch_rate: 4 << 20,
			block_time: Duration::from_secs(6),
			audit_time: Duration::from_secs(3_600),
			patience: Duration::from_secs(600),
			parallel_fetches: 8,
			memory_bytes: 8 << 30,
			folder: None,
			spool_bytes: 64 << 30,
			custody: None,
			stream: stream::Limits::default(),
			spot: spot::Depth { rows: 2, cols: 4 },
			max_replay_macs: 1 << 47,
			fetching: 16,
			fetching_each: 2,
			computing: 1,
			slice: Duration::from_secs(1),
			// One core is left to the node, which has blocks to make.
			threads: cores.saturating_sub(1).max(1),
			max_active: 64,
			max_results: 4096,
			retry_after: Duration::from_secs(600),
			const_cache_bytes: 1 << 30,
			table_spool_bytes: 8 << 30,
			projection_cache_bytes: 256 << 20,
			projection_uses: 1 << 20,
		}
	}
}
