//! What a task would cost at the asks that stand now.

use crate::provider::page_through;
use anyhow::bail;
use assay_client::{address, Client};
use assay_primitives::{
	market::{OutsideAsk, Quote, Requirements, Work},
	views::{MachineView, ProviderView},
	work::Mode,
	AccountId,
};
use std::collections::BTreeSet;

/// Most providers looked at.
const LOOKED_AT: u32 = 10_000;

/// The machine that is the dearest of as many as it takes for the task's replicas, each the cheapest
/// of another provider; or the one named in `mode`. Slots in use and stake at risk change by the block
/// and are left to the chain.
pub async fn cheapest(
	client: &Client,
	mode: &Mode<AccountId>,
	requirements: &Requirements,
	work: &Work,
	replicas: u32,
) -> anyhow::Result<Quote> {
	match mode {
		Mode::Direct { provider, machine } => {
			let account = address(provider);
			let Some(view) = client.provider(provider).await? else {
				bail!("{account} is no provider; see `assay provider list`");
			};
			let Some(machine) = view.machines.iter().find(|found| found.id == *machine) else {
				bail!("provider {account} has no machine {machine}; see `assay provider show {account}`");
			};
			quote(&view, machine, requirements, work)
				.map_err(|why| anyhow::anyhow!("machine {} of {account} {why}", machine.id))
		}
		Mode::BestAsk => {
			let providers = page_through(client, None, LOOKED_AT).await?;
			let machines = providers.iter().flat_map(|provider| {
				provider.machines.iter().map(move |machine| (provider, machine))
			});
			let mut quotes: Vec<Quote> = machines
				.filter_map(|(provider, machine)| quote(provider, machine, requirements, work).ok())
				.collect();
			quotes.sort_by_key(|quote| quote.price);
			let mut providers = BTreeSet::new();
			quotes.retain(|quote| providers.insert(quote.provider.clone()));
			let found = quotes.len();
			match quotes.into_iter().nth(replicas.saturating_sub(1) as usize) {
				Some(quote) => Ok(quote),
				None if found > 0 => bail!(
					"{replicas} replicas take as many providers, and only {found} take such a task now: \
					 wait for more (`assay provider list`), relax the requirements, ask for fewer \
					 --replicas, or post anyway with --max-price"
				),
				None => bail!(
					"no machine takes such a task now, so there is no price to go by; wait for one \
					 (`assay provider list`), relax the requirements, or post anyway with --max-price"
				),
			}
		}
	}
}

/// The price at which a machine takes a task, or why it does not.
fn quote(
	provider: &ProviderView,
	machine: &MachineView,
	requirements: &Requirements,
	work: &Work,
) -> Result<Quote, &'static str> {
	if machine.class != requirements.class {
		return Err("is of another class than --class asks for");
	}
	if machine.memory_mib < requirements.min_memory_mib {
		return Err("has less memory than --min-memory asks for");
	}
	if requirements.region.is_some() && requirements.region != provider.region {
		return Err("is not in the --region asked for");
	}
	let ask = machine.ask.as_ref().ok_or("takes no work now")?;
	let price = ask.try_price(work).map_err(|outside| match outside {
		OutsideAsk::Macs => "takes no task of so many multiply–accumulates",
		OutsideAsk::TraceBytes => "takes no task with so large a trace",
		OutsideAsk::Value => "takes no task of so high a --value",
		OutsideAsk::Deadline => "takes no task with so short a --deadline",
		OutsideAsk::Stake => "puts too little stake at risk for so few --auditors",
		OutsideAsk::Overflow => "asks more than can exist",
	})?;
	let collateral = ask.collateral(work, price).ok_or("asks more than can exist")?;
	Ok(Quote { provider: provider.account.clone(), machine: machine.id, price, collateral })
}

#[cfg(test)]
mod tests {
	use super::*;
	use assay_primitives::Permill;
	use assay_primitives::{
		market::{Ask, MachineClass},
		work::Costs,
	};

	fn machine(ask: Option<Ask>) -> MachineView {
		let model = "m".to_owned();
		MachineView { id: 3, class: MachineClass::Cpu, model, memory_mib: 1_024, ask, busy: 0 }
	}

	fn provider(region: Option<[u8; 2]>) -> ProviderView {
		ProviderView {
			account: AccountId::new([1; 32]),
			hot_key: AccountId::new([2; 32]),
			name: String::new(),
			endpoint: String::new(),
			region,
			stake: 0,
			locked: 0,
			unbonding: 0,
			settled: 0,
			missed: 0,
			failed: 0,
			registered_at: 0,
			machines: Vec::new(),
		}
	}

	#[test]
	fn a_quote_is_the_asks_price_or_a_reason() {
		let ask = Ask {
			base: 5,
			per_gmac: 7,
			per_melement: 0,
			per_value_block: 0,
			stake_percent: 250,
			max_value: 0,
			max_macs: 2_000_000_000,
			max_trace_bytes: 100,
			min_deadline: 10,
			slots: 1,
		};
		let costs = Costs { macs: 1_500_000_000, trace_bytes: 100, ..Costs::default() };
		let premium = Permill::from_percent(3);
		let work = Work { costs, value: 0, deadline: 10, premium, stake_percent: 113 };
		let wanted =
			Requirements { class: MachineClass::Cpu, min_memory_mib: 1_024, region: Some(*b"CH") };
		let swiss = provider(Some(*b"CH"));
		let good = quote(&swiss, &machine(Some(ask)), &wanted, &work).unwrap();
		// Two begun thousands of millions.
		assert_eq!((good.price, good.machine), (5 + 2 * 7, 3));
		// Two and a half times the price with its premium, rounded up twice.
		assert_eq!(good.collateral, 50);
		let refusal =
			|provider: &ProviderView, machine: &MachineView, wanted: &Requirements, work: &Work| {
				quote(provider, machine, wanted, work).unwrap_err()
			};
		assert!(refusal(&swiss, &machine(None), &wanted, &work).contains("no work"));
		assert!(refusal(&provider(None), &machine(Some(ask)), &wanted, &work).contains("--region"));
		let large = Requirements { min_memory_mib: 1_025, ..wanted };
		assert!(refusal(&swiss, &machine(Some(ask)), &large, &work).contains("--min-memory"));
		let gpu = Requirements { class: MachineClass::ConsumerGpu, ..wanted };
		assert!(refusal(&swiss, &machine(Some(ask)), &gpu, &work).contains("--class"));
		let wary = Work { stake_percent: 251, ..work };
		assert!(refusal(&swiss, &machine(Some(ask)), &wanted, &wary).contains("stake"));
		let hurried = Work { deadline: 9, ..work };
		assert!(refusal(&swiss, &machine(Some(ask)), &wanted, &hurried).contains("--deadline"));
	}
}
