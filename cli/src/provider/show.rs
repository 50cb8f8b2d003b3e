//! `assay provider show` and `list`.

use super::class_name;
use crate::{
	context::Context,
	output::{bytes, facts, plain, table},
};
use anyhow::bail;
use assay_client::{address, Amount, Client, Error};
use assay_primitives::{
	views::{MachineView, ProviderView, MAX_PAGE},
	AccountId,
};
use serde_json::json;

/// One provider.
pub async fn one(context: &Context, provider: Option<AccountId>) -> anyhow::Result<()> {
	let account = context.account(provider)?;
	let client = context.connect().await?;
	let Some(provider) = client.provider(&account).await? else {
		bail!("{} is no provider; see `assay provider list`", address(&account));
	};
	context.output.result(&provider, || human(&provider));
	Ok(())
}

/// At most `limit` providers after `after`.
pub async fn list(context: &Context, after: Option<AccountId>, limit: u32) -> anyhow::Result<()> {
	let client = context.connect().await?.pinned().await?;
	let providers = page_through(&client, after, limit).await?;
	context.output.result(&json!({ "providers": providers }), || {
		table(
			&[
				"account", "name", "region", "stake", "at risk", "machines", "asks", "settled",
				"missed", "failed",
			],
			&["stake", "at risk", "machines", "asks", "settled", "missed", "failed"],
			providers.iter().map(|p| {
				vec![
					address(&p.account),
					plain(&p.name),
					region(p.region),
					Amount(p.stake).to_string(),
					Amount(p.locked).to_string(),
					p.machines.len().to_string(),
					p.machines.iter().filter(|machine| machine.ask.is_some()).count().to_string(),
					p.settled.to_string(),
					p.missed.to_string(),
					p.failed.to_string(),
				]
			}),
		)
	});
	Ok(())
}

/// Providers page by page, at most `limit`.
pub async fn page_through(
	client: &Client,
	mut after: Option<AccountId>,
	limit: u32,
) -> Result<Vec<ProviderView>, Error> {
	let mut all = Vec::new();
	loop {
		let left = limit.saturating_sub(u32::try_from(all.len()).unwrap_or(u32::MAX));
		if left == 0 {
			return Ok(all);
		}
		let page = client.providers(after.as_ref(), left.min(MAX_PAGE)).await?;
		let Some(last) = page.last() else { return Ok(all) };
		after = Some(last.account.clone());
		all.extend(page);
	}
}

fn region(region: Option<[u8; 2]>) -> String {
	region.map_or_else(|| "–".into(), |letters| String::from_utf8_lossy(&letters).into_owned())
}

fn human(p: &ProviderView) -> String {
	let facts = facts([
		("account", address(&p.account)),
		("hot key", address(&p.hot_key)),
		// Strangers' text goes to a terminal.
		("name", plain(&p.name)),
		("endpoint", plain(&p.endpoint)),
		("region", region(p.region)),
		("stake", Amount(p.stake).to_string()),
		("at risk", Amount(p.locked).to_string()),
		("unbonding", Amount(p.unbonding).to_string()),
		("tasks settled", p.settled.to_string()),
		("deadlines missed", p.missed.to_string()),
		("audits failed", p.failed.to_string()),
		("since block", p.registered_at.to_string()),
	]);
	format!("{facts}\n{}", machines(&p.machines))
}

fn machines(machines: &[MachineView]) -> String {
	table(
		&[
			"machine",
			"class",
			"model",
			"memory",
			"busy",
			"base",
			"per GMAC",
			"per Melement",
			"max value",
		],
		&["machine", "memory", "busy", "base", "per GMAC", "per Melement", "max value"],
		machines.iter().map(|m| {
			let asked = |figure: fn(&assay_primitives::market::Ask) -> u128| {
				m.ask.as_ref().map_or_else(|| "–".into(), |ask| Amount(figure(ask)).to_string())
			};
			vec![
				m.id.to_string(),
				class_name(m.class).into(),
				plain(&m.model),
				bytes(u128::from(m.memory_mib) << 20),
				match &m.ask {
					Some(ask) => format!("{} of {}", m.busy, ask.slots),
					None => m.busy.to_string(),
				},
				asked(|ask| ask.base),
				asked(|ask| ask.per_gmac),
				asked(|ask| ask.per_melement),
				asked(|ask| ask.max_value),
			]
		}),
	)
}
