//! `assay network`.

use crate::{
	context::Context,
	output::{facts, plain},
};
use assay_client::{Amount, Block, Client};
use assay_primitives::{
	market::MachineClass,
	views::{NetworkStats, ProviderView},
	Balance, Hash,
};
use serde::Serialize;

/// Most providers looked at for prices and use.
const LOOKED_AT: u32 = 10_000;

#[derive(Serialize)]
struct Report {
	chain: String,
	genesis: Hash,
	finalised: Block,
	#[serde(flatten)]
	stats: NetworkStats,
	/// Fees burned for each planck minted, over all time; `null` if nothing was minted.
	burned_per_minted: Option<f64>,
	classes: Vec<Class>,
}

/// One class of machines, as its asks have it.
#[derive(Serialize)]
struct Class {
	class: MachineClass,
	asks: u32,
	slots: u64,
	busy: u64,
	/// Lowest price of 10^9 multiply–accumulates and 10^6 other elements, in planck.
	#[serde(with = "lowest")]
	lowest_price: Option<Balance>,
}

mod lowest {
	use assay_primitives::Balance;

	pub fn serialize<S: serde::Serializer>(
		price: &Option<Balance>,
		to: S,
	) -> Result<S::Ok, S::Error> {
		match price {
			Some(price) => to.serialize_str(&price.to_string()),
			None => to.serialize_none(),
		}
	}
}

/// Shows the network's figures.
pub async fn run(context: &Context) -> anyhow::Result<()> {
	let client = context.connect().await?;
	let chain = client.chain_name().await?;
	let client = client.pinned().await?;
	let report = read(&client, chain).await?;
	context.output.result(&report, || human(&report));
	Ok(())
}

async fn read(client: &Client, chain: String) -> Result<Report, assay_client::Error> {
	let stats = client.network_stats().await?;
	let providers = crate::provider::page_through(client, None, LOOKED_AT).await?;
	let classes = [MachineClass::Cpu, MachineClass::ConsumerGpu, MachineClass::DatacenterGpu];
	Ok(Report {
		chain,
		genesis: client.genesis(),
		finalised: client.block().await?,
		stats,
		burned_per_minted: (stats.minted > 0).then(|| stats.burned as f64 / stats.minted as f64),
		classes: classes.into_iter().map(|class| figures(class, &providers)).collect(),
	})
}

fn figures(class: MachineClass, providers: &[ProviderView]) -> Class {
	let mut figures = Class { class, asks: 0, slots: 0, busy: 0, lowest_price: None };
	let machines = providers.iter().flat_map(|provider| &provider.machines);
	for machine in machines.filter(|machine| machine.class == class) {
		let Some(ask) = &machine.ask else { continue };
		figures.asks += 1;
		figures.slots += u64::from(ask.slots);
		figures.busy += u64::from(machine.busy.min(ask.slots));
		let price = ask.reference_price();
		figures.lowest_price = figures.lowest_price.into_iter().chain(price).min();
	}
	figures
}

fn human(report: &Report) -> String {
	let stats = &report.stats;
	let main = facts([
		("chain", plain(&report.chain)),
		("genesis", format!("{:#x}", report.genesis)),
		("finalised block", report.finalised.number.to_string()),
		("providers", stats.providers.to_string()),
		("machines", format!("{}, {} of them with an ask", stats.machines, stats.asks)),
		("stake", Amount(stats.staked).to_string()),
		("auditors", stats.auditors.to_string()),
		("audits open", stats.audits_open.to_string()),
		("audits that failed a result", stats.audits_failed.to_string()),
		("jobs", format!("{} posted, {} live", stats.jobs_posted, stats.jobs_live)),
		("tasks", format!("{} settled, {} refunded", stats.tasks_settled, stats.tasks_refunded)),
		("in escrow", Amount(stats.escrow).to_string()),
		("paid to providers", Amount(stats.paid).to_string()),
	]);
	let economics = facts([
		("issuance", Amount(stats.issuance).to_string()),
		("burned of fees", Amount(stats.burned).to_string()),
		("minted", Amount(stats.minted).to_string()),
		(
			"burned for each minted",
			report.burned_per_minted.map_or_else(|| "–".into(), |ratio| format!("{ratio:.3}")),
		),
		("reserve not minted", Amount(stats.reserve).to_string()),
		("era", stats.era.to_string()),
		("burned in this era", Amount(stats.era_burned).to_string()),
		("most this era may mint", Amount(stats.era_cap).to_string()),
	]);
	let classes = crate::output::table(
		&["class", "asks", "slots", "in use", "lowest price of 1 GMAC + 1 Melement"],
		&["asks", "slots", "in use", "lowest price of 1 GMAC + 1 Melement"],
		report.classes.iter().map(|class| {
			let used = match class.slots {
				0 => "–".into(),
				slots => format!("{:.0} %", 100.0 * class.busy as f64 / slots as f64),
			};
			vec![
				crate::provider::class_name(class.class).into(),
				class.asks.to_string(),
				class.slots.to_string(),
				used,
				class.lowest_price.map_or_else(|| "–".into(), |price| Amount(price).to_string()),
			]
		}),
	);
	format!("{main}\n{economics}\n{classes}")
}
