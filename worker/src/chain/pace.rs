//! How long blocks take, as far as this worker has seen.

use assay_primitives::BlockNumber;
use std::{
	collections::VecDeque,
	time::{Duration, Instant},
};

/// What is expected until there is something to go by, and at most: a chain that lags may catch up.
pub const NOMINAL: Duration = Duration::from_secs(6);
/// Time over which is measured.
const LONGEST: Duration = Duration::from_secs(600);
/// Time from which on the measure counts: blocks become final in bursts.
const SHORTEST: Duration = Duration::from_secs(30);
/// Time between two heights that are remembered.
const STEP: Duration = Duration::from_secs(1);
/// Blocks by which a chain that has been waited for catches up at once: what was seen until then says
/// nothing of its pace.
const BURST: u32 = 8;

/// Heights and when they were reached.
#[derive(Debug, Default)]
pub struct Pace {
	seen: VecDeque<(Instant, BlockNumber)>,
}

impl Pace {
	/// The chain has reached a height.
	pub fn note(&mut self, now: Instant, height: BlockNumber) {
		if self.seen.back().is_some_and(|(then, low)| caught_up(now, height, *then, *low)) {
			self.seen.clear();
		}
		// The first one stays, as a time to count from.
		let apart = self.seen.len() > 1;
		match self.seen.back_mut() {
			Some(last) if apart && last.0 + STEP > now => last.1 = height,
			_ => self.seen.push_back((now, height)),
		}
		while self.seen.front().is_some_and(|(then, _)| *then + LONGEST < now) {
			self.seen.pop_front();
		}
	}

	/// Time between two blocks.
	pub fn block_time(&self) -> Duration {
		let (Some((from, low)), Some((to, high))) = (self.seen.front(), self.seen.back()) else {
			return NOMINAL;
		};
		let (span, blocks) = (to.saturating_duration_since(*from), high.saturating_sub(*low));
		if blocks == 0 || span < SHORTEST {
			return NOMINAL;
		}
		(span / blocks).min(NOMINAL)
	}
}

/// Whether the chain went on by far more blocks than it makes in the time: a sync, or finality after a
/// stall.
fn caught_up(now: Instant, height: BlockNumber, then: Instant, low: BlockNumber) -> bool {
	let expected = now.saturating_duration_since(then).as_secs_f64() / NOMINAL.as_secs_f64();
	f64::from(height.saturating_sub(low)) > expected * 3.0 + f64::from(BURST)
}
