//! What the service has done so far.

use assay_primitives::{auditor::AuditReply, work::Verdict};
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
	refused: AtomicU64,
	audit_micros: AtomicU64,
	compute_micros: AtomicU64,
}

/// The counters at one moment. All but `active` only ever grow.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Snapshot {
	/// Audits that found everything right.
	pub valid: u64,
	/// Audits that found a wrong element or root.
	pub invalid: u64,
	/// Audits that could not get what was committed to.
	pub unavailable: u64,
	/// Audits that could not be done here.
	pub refused: u64,
	/// Audits accepted and not yet done.
	pub active: u64,
	/// Bytes fetched from workers.
	pub bytes_fetched: u64,
	/// Seconds from the start of each audit to its end, waiting for its turn left out, in all.
	pub audit_seconds: f64,
	/// Seconds of them spent computing.
	pub compute_seconds: f64,
}

impl Metrics {
	pub fn done(&self, reply: &AuditReply, took: Duration) {
		let counter = match reply {
			AuditReply::Done(Verdict::Valid) => &self.valid,
			AuditReply::Done(Verdict::Invalid(_)) => &self.invalid,
			AuditReply::Done(Verdict::Unavailable) => &self.unavailable,
			AuditReply::Refused(_) => &self.refused,
			AuditReply::Pending => return,
		};
		counter.fetch_add(1, Relaxed);
		add(&self.audit_micros, took);
	}

	pub fn computed(&self, took: Duration) {
		add(&self.compute_micros, took);
	}

	pub fn snapshot(&self, active: usize, bytes_fetched: u64) -> Snapshot {
		Snapshot {
			valid: self.valid.load(Relaxed),
			invalid: self.invalid.load(Relaxed),
			unavailable: self.unavailable.load(Relaxed),
			refused: self.refused.load(Relaxed),
			active: active as u64,
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
