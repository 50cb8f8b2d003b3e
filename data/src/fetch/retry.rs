//! Trying again.

use super::FetchError;
use std::{future::Future, time::Duration};
use tokio::time::{sleep, timeout_at, Instant};

/// How often and how long a fetch is tried.
#[derive(Clone, Copy, Debug)]
pub struct Retry {
	/// Tries at most; at least one is made.
	pub attempts: u32,
	/// Pause after the first failure; it doubles with each further one.
	pub pause: Duration,
}

impl Default for Retry {
	fn default() -> Self {
		Self { attempts: 4, pause: Duration::from_secs(1) }
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
		let mut last = None;
		for attempt in 1.. {
			match timeout_at(deadline, fetch()).await {
				Ok(Ok(value)) => return Ok(value),
				Ok(Err(error)) => {
					let again = error.reason.is_worth_another_try();
					tracing::debug!("try {attempt}: {error}");
					last = Some(error);
					if !again || attempt >= self.attempts {
						break;
					}
				}
				Err(_) => break,
			}
			if Instant::now() + pause >= deadline {
				break;
			}
			sleep(pause).await;
			pause = pause.saturating_mul(2);
		}
		Err(last)
	}
}
