//! Figures of this node's auditor, read when they are asked for.

use assay_auditor::Snapshot;
use prometheus_endpoint::{
	register, MetricSource, Opts, PrometheusError, Registry, SourcedCounter, SourcedGauge,
};

/// The values of a figure's label, or the empty one if it has none, and the numbers.
type Read = fn(&Snapshot) -> Vec<(&'static str, f64)>;

/// Name, name of the label, help and how it is read.
type Figure = (&'static str, &'static str, &'static str, Read);

const COUNTERS: &[Figure] = &[
	("assay_auditor_audits_total", "outcome", "Audits done, by outcome", |s| {
		vec![
			("valid", s.valid as f64),
			("invalid", s.invalid as f64),
			("unavailable", s.unavailable as f64),
			("refused", s.refused as f64),
		]
	}),
	("assay_auditor_dropped_total", "reason", "Audits given up, by reason", |s| {
		vec![("expired", s.expired as f64), ("abandoned", s.abandoned as f64)]
	}),
	("assay_auditor_turned_away_total", "", "Requests for which there was no place", |s| {
		vec![("", s.turned_away as f64)]
	}),
	("assay_auditor_fetched_bytes_total", "", "Bytes fetched from workers", |s| {
		vec![("", s.bytes_fetched as f64)]
	}),
	("assay_auditor_audit_seconds_total", "", "Seconds spent on audits", |s| {
		vec![("", s.audit_seconds)]
	}),
	("assay_auditor_compute_seconds_total", "", "Seconds spent computing", |s| {
		vec![("", s.compute_seconds)]
	}),
];

const GAUGES: &[Figure] = &[
	("assay_auditor_active", "", "Audits accepted and not yet done", |s| {
		vec![("", s.queues.active as f64)]
	}),
	("assay_auditor_queue", "for", "Audits that wait for their turn, by for what", |s| {
		vec![
			("fetching", s.queues.waiting_to_fetch as f64),
			("memory", s.queues.waiting_for_memory as f64),
			("computing", s.queues.waiting_to_compute as f64),
		]
	}),
	("assay_auditor_kept_outputs", "", "Outputs kept for buyers", |s| {
		vec![("", s.held.outputs as f64)]
	}),
	("assay_auditor_kept_bytes", "", "Bytes of disk that kept outputs take", |s| {
		vec![("", s.held.bytes as f64)]
	}),
	("assay_auditor_working", "at", "Audits that have their turn, by at what", |s| {
		vec![("fetching", s.queues.fetching as f64), ("computing", s.queues.computing as f64)]
	}),
];

#[derive(Clone)]
struct Source<F> {
	snapshot: F,
	read: Read,
}

impl<F: Fn() -> Snapshot + Clone + Send + Sync> MetricSource for Source<F> {
	type N = f64;

	fn collect(&self, mut set: impl FnMut(&[&str], f64)) {
		for (label, value) in (self.read)(&(self.snapshot)()) {
			if label.is_empty() {
				set(&[], value);
			} else {
				set(&[label], value);
			}
		}
	}
}

/// Puts the figures into the registry; `snapshot` reads them.
pub fn start(
	registry: &Registry,
	snapshot: impl Fn() -> Snapshot + Clone + Send + Sync + 'static,
) -> Result<(), PrometheusError> {
	let opts = |name: &str, label: &str, help: &str| {
		let opts = Opts::new(name, help);
		if label.is_empty() {
			opts
		} else {
			opts.variable_label(label)
		}
	};
	for &(name, label, help, read) in COUNTERS {
		let source = Source { snapshot: snapshot.clone(), read };
		register(SourcedCounter::new(&opts(name, label, help), source)?, registry)?;
	}
	for &(name, label, help, read) in GAUGES {
		let source = Source { snapshot: snapshot.clone(), read };
		register(SourcedGauge::new(&opts(name, label, help), source)?, registry)?;
	}
	Ok(())
}

#[cfg(test)]
mod tests {
	use super::*;
	use assay_auditor::{Held, Queues};

	#[test]
	fn counters_are_read_by_outcome() {
		let registry = Registry::new();
		let counters = Snapshot {
			valid: 3,
			unavailable: 1,
			expired: 4,
			queues: Queues { active: 2, waiting_to_compute: 1, ..Default::default() },
			held: Held { outputs: 3, bytes: 7 },
			bytes_fetched: 500,
			..Default::default()
		};
		start(&registry, move || counters).unwrap();
		let families = registry.gather();
		assert_eq!(families.len(), COUNTERS.len() + GAUGES.len());
		let family = |name: &str| families.iter().find(|family| family.get_name() == name).unwrap();
		let labelled = |name: &str| -> Vec<(String, f64)> {
			let of = family(name).get_metric().iter();
			of.map(|metric| {
				let label = metric.get_label()[0].get_value().to_string();
				(label, metric.get_counter().get_value().max(metric.get_gauge().get_value()))
			})
			.collect()
		};
		let audits = labelled("assay_auditor_audits_total");
		assert!(audits.contains(&("valid".into(), 3.0)), "{audits:?}");
		assert!(audits.contains(&("unavailable".into(), 1.0)), "{audits:?}");
		assert!(audits.contains(&("refused".into(), 0.0)), "{audits:?}");
		let dropped = labelled("assay_auditor_dropped_total");
		assert!(dropped.contains(&("expired".into(), 4.0)), "{dropped:?}");
		let queue = labelled("assay_auditor_queue");
		assert!(queue.contains(&("computing".into(), 1.0)), "{queue:?}");
		let active = family("assay_auditor_active").get_metric()[0].get_gauge().get_value();
		assert_eq!(active, 2.0);
		let kept = family("assay_auditor_kept_outputs").get_metric()[0].get_gauge().get_value();
		assert_eq!(kept, 3.0);
		let bytes =
			family("assay_auditor_fetched_bytes_total").get_metric()[0].get_counter().get_value();
		assert_eq!(bytes, 500.0);
	}
}
