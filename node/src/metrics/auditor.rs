//! Figures of this node's auditor, read when they are asked for.

use assay_auditor::Snapshot;
use prometheus_endpoint::{
	register, MetricSource, Opts, PrometheusError, Registry, SourcedCounter, SourcedGauge,
};

/// A figure: the values of its label, or the empty one if it has none, and the counters.
type Read = fn(&Snapshot) -> Vec<(&'static str, f64)>;

const LABEL: &str = "outcome";

const COUNTERS: &[(&str, &str, Read)] = &[
	("assay_auditor_audits_total", "Audits done, by outcome", |s| {
		vec![
			("valid", s.valid as f64),
			("invalid", s.invalid as f64),
			("unavailable", s.unavailable as f64),
			("refused", s.refused as f64),
		]
	}),
	("assay_auditor_fetched_bytes_total", "Bytes fetched from workers", |s| {
		vec![("", s.bytes_fetched as f64)]
	}),
	("assay_auditor_audit_seconds_total", "Seconds spent on audits", |s| {
		vec![("", s.audit_seconds)]
	}),
	("assay_auditor_compute_seconds_total", "Seconds of them spent computing", |s| {
		vec![("", s.compute_seconds)]
	}),
];

const GAUGES: &[(&str, &str, Read)] =
	&[("assay_auditor_active", "Audits accepted and not yet done", |s| {
		vec![("", s.active as f64)]
	})];

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
	let opts = |name: &str, help: &str, read: Read| {
		let labelled = read(&Snapshot::default()).iter().any(|(label, _)| !label.is_empty());
		let opts = Opts::new(name, help);
		if labelled {
			opts.variable_label(LABEL)
		} else {
			opts
		}
	};
	for &(name, help, read) in COUNTERS {
		let source = Source { snapshot: snapshot.clone(), read };
		register(SourcedCounter::new(&opts(name, help, read), source)?, registry)?;
	}
	for &(name, help, read) in GAUGES {
		let source = Source { snapshot: snapshot.clone(), read };
		register(SourcedGauge::new(&opts(name, help, read), source)?, registry)?;
	}
	Ok(())
}

#[cfg(test)]
mod tests {
	use super::*;

	#[test]
	fn counters_are_read_by_outcome() {
		let registry = Registry::new();
		let counters = Snapshot {
			valid: 3,
			unavailable: 1,
			active: 2,
			bytes_fetched: 500,
			..Default::default()
		};
		start(&registry, move || counters).unwrap();
		let families = registry.gather();
		assert_eq!(families.len(), COUNTERS.len() + GAUGES.len());
		let family = |name: &str| families.iter().find(|family| family.get_name() == name).unwrap();
		let audits: Vec<_> = family("assay_auditor_audits_total")
			.get_metric()
			.iter()
			.map(|metric| {
				(metric.get_label()[0].get_value().to_string(), metric.get_counter().get_value())
			})
			.collect();
		assert!(audits.contains(&("valid".into(), 3.0)), "{audits:?}");
		assert!(audits.contains(&("unavailable".into(), 1.0)), "{audits:?}");
		assert!(audits.contains(&("refused".into(), 0.0)), "{audits:?}");
		let active = family("assay_auditor_active").get_metric()[0].get_gauge().get_value();
		assert_eq!(active, 2.0);
		let bytes =
			family("assay_auditor_fetched_bytes_total").get_metric()[0].get_counter().get_value();
		assert_eq!(bytes, 500.0);
	}
}
