//! Figures of the network as of the newest finalised block.

use crate::service::{FullClient, Hash};
use assay_primitives::{api::NetworkApi, views::NetworkStats};
use futures::{FutureExt, StreamExt};
use prometheus_endpoint::{register, Gauge, PrometheusError, Registry, F64};
use sc_client_api::BlockchainEvents;
use sc_service::TaskManager;
use sp_api::ProvideRuntimeApi;
use sp_blockchain::HeaderBackend;
use std::sync::Arc;

const LOG_TARGET: &str = "metrics";

/// A figure of the network: name, help, and where it stands in the runtime's answer.
type Figure = (&'static str, &'static str, fn(&NetworkStats) -> f64);

const FIGURES: &[Figure] = &[
	("assay_providers", "Registered providers", |s| s.providers.into()),
	("assay_machines", "Registered machines", |s| s.machines.into()),
	("assay_asks", "Machines that ask for work", |s| s.asks.into()),
	("assay_auditors", "Auditors of this session", |s| s.auditors.into()),
	("assay_audits_open", "Audits under way", |s| s.audits_open.into()),
	("assay_audits_failed", "Audits that ever found a wrong or missing result", |s| {
		s.audits_failed as f64
	}),
	("assay_jobs_posted", "Jobs ever posted", |s| s.jobs_posted as f64),
	("assay_jobs_live", "Jobs with tasks not settled or refunded", |s| s.jobs_live.into()),
	("assay_tasks_settled", "Tasks ever settled", |s| s.tasks_settled as f64),
	("assay_tasks_refunded", "Tasks ever refunded", |s| s.tasks_refunded as f64),
	("assay_staked_planck", "Stake of all providers", |s| s.staked as f64),
	("assay_escrow_planck", "Escrow of all jobs", |s| s.escrow as f64),
	("assay_paid_planck", "Ever paid to providers", |s| s.paid as f64),
	("assay_burned_planck", "Ever burned of fees", |s| s.burned as f64),
	("assay_minted_planck", "Ever minted", |s| s.minted as f64),
	("assay_reserve_planck", "Emission schedule not minted so far", |s| s.reserve as f64),
	("assay_issuance_planck", "Total issuance", |s| s.issuance as f64),
	("assay_era", "Current era of emissions", |s| s.era.into()),
	("assay_era_burned_planck", "Burned in this era so far", |s| s.era_burned as f64),
	("assay_era_cap_planck", "Most that this era's work pool may mint", |s| s.era_cap as f64),
	("assay_figures_block", "Block that these figures are of", |s| s.block.into()),
];

/// The network's figures, registered.
struct Figures(Vec<(Gauge<F64>, fn(&NetworkStats) -> f64)>);

impl Figures {
	fn register(registry: &Registry) -> Result<Self, PrometheusError> {
		let gauges = FIGURES.iter().map(|&(name, help, read)| {
			Ok((register(Gauge::<F64>::new(name, help)?, registry)?, read))
		});
		gauges.collect::<Result<_, _>>().map(Self)
	}

	fn set(&self, stats: &NetworkStats) {
		for (gauge, read) in &self.0 {
			gauge.set(read(stats));
		}
	}

	fn update(&self, client: &FullClient, at: Hash) {
		match client.runtime_api().network_stats(at) {
			Ok(stats) => self.set(&stats),
			Err(error) => log::debug!(target: LOG_TARGET, "No figures at {at:?}: {error}"),
		}
	}
}

/// Keeps the figures in the registry.
pub fn start(
	task_manager: &TaskManager,
	registry: &Registry,
	client: Arc<FullClient>,
) -> Result<(), PrometheusError> {
	let figures = Figures::register(registry)?;
	task_manager.spawn_handle().spawn("assay-metrics", Some("metrics"), async move {
		let mut finality = client.finality_notification_stream();
		figures.update(&client, client.info().finalized_hash);
		while finality.next().await.is_some() {
			while let Some(Some(_)) = finality.next().now_or_never() {}
			figures.update(&client, client.info().finalized_hash);
		}
	});
	Ok(())
}

#[cfg(test)]
mod tests {
	use super::*;

	#[test]
	fn figures_are_registered_once_and_read_from_their_fields() {
		let registry = Registry::new();
		let figures = Figures::register(&registry).unwrap();
		assert!(Figures::register(&registry).is_err(), "names are taken");
		figures.set(&NetworkStats {
			jobs_live: 7,
			tasks_settled: 11,
			escrow: 5_000_000_000_000,
			..Default::default()
		});
		let value = |name: &str| {
			let families = registry.gather();
			let family = families.iter().find(|family| family.get_name() == name).unwrap();
			family.get_metric()[0].get_gauge().get_value()
		};
		assert_eq!(registry.gather().len(), FIGURES.len());
		assert_eq!(value("assay_jobs_live"), 7.0);
		assert_eq!(value("assay_tasks_settled"), 11.0);
		assert_eq!(value("assay_escrow_planck"), 5e12);
		assert_eq!(value("assay_paid_planck"), 0.0);
	}
}
