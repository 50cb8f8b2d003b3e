//! How far a fetcher goes along with strangers.

use std::time::Duration;

/// Limits and permissions of a [`Fetcher`](super::Fetcher).
#[derive(Clone, Debug)]
pub struct Policy {
	/// Lets URLs lead to loopback, private and other special addresses. For development only.
	pub allow_local: bool,
	/// Proxy for all requests, as `http://host:port`. Names are then resolved by the proxy, which
	/// must itself refuse special addresses; literal addresses are still checked here.
	pub proxy: Option<String>,
	/// Time to resolve a name.
	pub resolve_timeout: Duration,
	/// Time to connect.
	pub connect_timeout: Duration,
	/// Time without a single byte.
	pub idle_timeout: Duration,
	/// Time for a whole fetch, before the allowance for its size.
	pub total_timeout: Duration,
	/// Bytes per second expected at least of a large body: they lengthen the total time.
	pub min_rate: u64,
	/// Bytes per second that must come over any `rate_window` of a body, or it is given up.
	pub floor_rate: u64,
	/// Time over which that rate is measured; a body that takes less is not measured.
	pub rate_window: Duration,
	/// Fetches at a time from one origin (scheme, host and port); further ones wait their turn.
	pub per_origin: usize,
	/// Bytes of the largest tensor that is fetched.
	pub max_tensor_bytes: u64,
	/// How long a name's addresses are kept.
	pub pin_for: Duration,
}

impl Default for Policy {
	fn default() -> Self {
		Self {
			allow_local: false,
			proxy: None,
			resolve_timeout: Duration::from_secs(10),
			connect_timeout: Duration::from_secs(10),
			idle_timeout: Duration::from_secs(20),
			total_timeout: Duration::from_secs(30),
			min_rate: 256 * 1024,
			floor_rate: 32 * 1024,
			rate_window: Duration::from_secs(10),
			per_origin: 16,
			max_tensor_bytes: 4 << 30,
			pin_for: Duration::from_secs(600),
		}
	}
}

impl Policy {
	/// Time for a body of that many bytes.
	pub(super) fn total_for(&self, bytes: u64) -> Duration {
		self.total_timeout.saturating_add(Duration::from_secs(bytes / self.min_rate.max(1)))
	}
}
