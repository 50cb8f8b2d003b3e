//! What the service has done so far.

use crate::{custody::Held, watch::Over};
use assay_primitives::auditor::{AuditReply, Finding};
use std::{
	sync::atomic::{AtomicU64, Ordering::Relaxed},
	time::Duration,
};

/// Counters of one service, since its start.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
	valid: AtomicU64,
	invalid: AtomicU64,
	unavailable: AtomicU64,
	demands: AtomicU64,
	refused: AtomicU64,
	expired: AtomicU64,
	abandoned: AtomicU64,
	turned_away: AtomicU64,
	audit_micros: AtomicU64,
	compute_micros: AtomicU64,
}

/// What is under way at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Queues {
	/// Audits accepted and not yet done.
	pub active: u64,
	/// Those of them that wait for their turn to fetch.
	pub waiting_to_fetch: u64,
	/// Those that wait for memory, or for disk.
	pub waiting_for_memory: u64,
	/// Those that wait for their turn to compute.
	pub waiting_to_compute: u64,
	/// Audits fetching.
	pub fetching: u64,
	/// Audits computing, given up ones that have not stopped yet included.
	pub computing: u64,
}

/// The counters at one moment. All but those of `queues` and `held` only ever grow.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Snapshot {
	/// Audits that found everything right.
	pub valid: u64,
	/// Audits that found a wrong element or root.
	pub invalid: u64,
	/// Audits that could not get what was committed to.
	pub unavailable: u64,
	/// Audits, and parts of them, that ended with something to be opened on the chain.
	pub demands: u64,
	/// Audits that could not be done here.
	pub refused: u64,
	/// Audits given up because the round's time was over.
	pub expired: u64,
	/// Audits given up because nobody asked for them any more.
	pub abandoned: u64,
	/// Requests for which there was no place, and audits that made room for those of providers that
	/// had fewer: to be asked again.
	pub turned_away: u64,
	/// What is under way.
	pub queues: Queues,
	/// What is kept for buyers.
	pub held: Held,
	/// Bytes fetched from workers and buyers.
	pub bytes_fetched: u64,
	/// Seconds from the start of each audit that came to its end, waiting for its turns to begin left
	/// out, in all.
	pub audit_seconds: f64,
	/// Seconds spent computing, given up audits and pauses in favour of others included.
	pub compute_seconds: f64,
}

impl Metrics {
	pub fn done(&self, reply: &AuditReply, took: Duration) {
		let counter = match reply {
			AuditReply::Done(Finding::Right) => &self.valid,
			AuditReply::Done(Finding::Wrong(_)) => &self.invalid,
			AuditReply::Done(Finding::Unavailable) => &self.unavailable,
			AuditReply::Refused(_) => &self.refused,
			AuditReply::Demand(_) => &self.demands,
			AuditReply::Pending | AuditReply::Expired => return,
		};
		counter.fetch_add(1, Relaxed);
		add(&self.audit_micros, took);
	}

	/// An audit was given up.
	pub fn dropped(&self, why: Over) {
		let counter = match why {
			Over::Expired => &self.expired,
			Over::Abandoned => &self.abandoned,
			// Whoever asks again finds that there is no place, or one.
			Over::Displaced => &self.turned_away,
			Over::Stopped => return,
		};
		counter.fetch_add(1, Relaxed);
	}

	/// There was no place for a request.
	pub fn turned_away(&self) {
		self.turned_away.fetch_add(1, Relaxed);
	}

	pub fn computed(&self, took: Duration) {
		add(&self.compute_micros, took);
	}

	pub fn snapshot(&self, queues: Queues, held: Held, bytes_fetched: u64) -> Snapshot {
		Snapshot {
			valid: self.valid.load(Relaxed),
			invalid: self.invalid.load(Relaxed),
			unavailable: self.unavailable.load(Relaxed),
			demands: self.demands.load(Relaxed),
			refused: self.refused.load(Relaxed),
			expired: self.expired.load(Relaxed),
			abandoned: self.abandoned.load(Relaxed),
			turned_away: self.turned_away.load(Relaxed),
			queues,
			held,
			bytes_fetched,
			audit_seconds: seconds(&self.audit_micros),
			compute_seconds: seconds(&self.compute_micros),
		}
	}
}

fn add(micros: &AtomicU64, time: Duration) {
	micros.fetch_add(u64::try_from(time.as_micros()).unwrap_or(u64::MAX), Relaxed);
}

fn seconds(micros: &AtomicU64) -> f64 {
	micros.load(Relaxed) as f64 / 1e6
}
