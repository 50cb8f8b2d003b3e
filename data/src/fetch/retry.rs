//! Trying again.

use super::FetchError;
use std::{future::Future, time::Duration};
use tokio::time::{sleep, timeout_at, Instant};

/// By how much the first pause grows at most.
const MOST_PAUSES: u32 = 8;

/// How often and how long a fetch is tried.
#[derive(Clone, Copy, Debug)]
pub struct Retry {
	/// Tries at most; at least one is made.
	pub attempts: u32,
	/// Pause after the first failure; it doubles with each further one, up to eight times as long.
	pub pause: Duration,
	/// Whether tries do not count for which the other side had no connection to spare: others may
	/// hold them all for a while.
	pub insist: bool,
}

impl Default for Retry {
	fn default() -> Self {
		Self { attempts: 4, pause: Duration::from_secs(1), insist: false }
	}
}

impl Retry {
	/// Fetches until it succeeds, has no more tries, another try is pointless, or `deadline` has
	/// passed. The error is the last one seen; `None` if the deadline passed during the first try.
	pub async fn run<T, F: Future<Output = Result<T, FetchError>>>(
		&self,
		deadline: Instant,
		mut fetch: impl FnMut() -> F,
	) -> Result<T, Option<FetchError>> {
		let mut pause = self.pause;
		let (mut last, mut counted) = (None, 0u32);
		for attempt in 1u64.. {
			match timeout_at(deadline, fetch()).await {
				Ok(Ok(value)) => return Ok(value),
				Ok(Err(error)) => {
					let again = error.reason.is_worth_another_try();
					tracing::debug!("try {attempt}: {error}");
					if !(self.insist && error.reason.is_busy()) {
						counted = counted.saturating_add(1);
					}
					last = Some(error);
					if !again || counted >= self.attempts.max(1) {
						break;
					}
				}
				Err(_) => break,
			}
			if Instant::now() + pause >= deadline {
				break;
			}
			sleep(pause).await;
			pause = pause.saturating_mul(2).min(self.pause.saturating_mul(MOST_PAUSES));
		}
		Err(last)
	}
}
