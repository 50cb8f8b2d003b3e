//! Whether bytes still come quickly enough.

use std::{collections::VecDeque, time::Duration};
use tokio::time::Instant;

/// Parts of the window that are counted one by one.
const PARTS: usize = 10;

/// The rate at which bytes came over the last window of time.
pub struct Rate {
	part: Duration,
	/// Bytes that must come in a whole window.
	floor: u64,
	/// Bytes of the parts that have ended, the newest last.
	parts: VecDeque<u64>,
	/// Bytes of the part that has not.
	current: u64,
	/// When it ends.
	ends: Instant,
}

impl Rate {
	/// At least `floor` bytes a second are to come over any `window` from now on.
	pub fn new(floor: u64, window: Duration) -> Self {
		let part = (window / PARTS as u32).max(Duration::from_millis(1));
		let floor = (floor as f64 * window.as_secs_f64()) as u64;
		let parts = VecDeque::with_capacity(PARTS);
		Self { part, floor, parts, current: 0, ends: Instant::now() + part }
	}

	/// Bytes that must come in a window.
	pub fn floor(&self) -> u64 {
		self.floor
	}

	/// When to ask again, should nothing come before.
	pub fn next_check(&self) -> Instant {
		self.ends
	}

	/// Nobody asked for bytes for that long: it does not count.
	pub fn skip(&mut self, pause: Duration) {
		self.ends += pause;
	}

	/// Bytes came.
	pub fn add(&mut self, bytes: u64) {
		self.current = self.current.saturating_add(bytes);
	}

	/// Whether fewer bytes came in some window that has ended than should have.
	pub fn is_too_low(&mut self, now: Instant) -> bool {
		while self.ends <= now {
			if self.parts.len() == PARTS {
				self.parts.pop_front();
			}
			self.parts.push_back(std::mem::take(&mut self.current));
			self.ends += self.part;
			let sum = self.parts.iter().fold(0u64, |sum, bytes| sum.saturating_add(*bytes));
			if self.parts.len() == PARTS && sum < self.floor {
				return true;
			}
		}
		false
	}
}

#[cfg(test)]
mod tests {
	use super::*;

	/// The second in which the rate is found too low, over 10 seconds, if `came` tells how many
	/// bytes come in each.
	fn fails_at(came: impl Fn(u64) -> u64) -> Option<u64> {
		let mut rate = Rate::new(100, Duration::from_secs(10));
		let begun = Instant::now();
		(0..100).find(|second| {
			rate.add(came(*second));
			rate.is_too_low(begun + Duration::from_secs(second + 1))
		})
	}

	#[test]
	fn every_window_counts() {
		assert_eq!(fails_at(|_| 101), None);
		assert_eq!(fails_at(|_| 90), Some(9));
		// A burst carries for one window and no longer.
		assert_eq!(fails_at(|second| if second == 0 { 1 << 30 } else { 1 }), Some(10));
		assert_eq!(fails_at(|second| if second < 30 { 200 } else { 0 }), Some(35));
		assert_eq!(fails_at(|second| if second % 10 == 5 { 1_000 } else { 0 }), None);
	}
}
