//! Stake, and funds of the worker's key.

use crate::{account::Done, context::Context};
use anyhow::anyhow;
use assay_client::{address, chain::provider_registry::events, Amount};
use serde_json::json;

/// Adds to the stake.
pub async fn bond(context: &Context, Amount(amount): Amount) -> anyhow::Result<()> {
	let submitter = context.submitter().await?;
	let outcome = context.waiting("bonding", submitter.bond_extra(amount)).await?;
	let text = format!("added {} to the stake", Amount(amount));
	Done::new(&outcome, json!({ "amount": amount.to_string() })).show(context, &text);
	Ok(())
}

/// Starts to take stake out.
pub async fn unbond(context: &Context, Amount(amount): Amount) -> anyhow::Result<()> {
	let submitter = context.submitter().await?;
	let outcome = context.waiting("unbonding", submitter.unbond(amount)).await?;
	let until = outcome.find::<events::Unbonded>().map(|event| event.until);
	let text = match until {
		Some(until) => format!("{} can be withdrawn from block {until} on", Amount(amount)),
		None => format!("{} is unbonding", Amount(amount)),
	};
	let more = json!({ "amount": amount.to_string(), "until": until });
	Done::new(&outcome, more).show(context, &text);
	Ok(())
}

/// Takes out stake whose unbonding is over.
pub async fn withdraw(context: &Context) -> anyhow::Result<()> {
	let submitter = context.submitter().await?;
	let outcome = context.waiting("withdrawing", submitter.withdraw()).await?;
	let amount = outcome.find::<events::Withdrawn>().map_or(0, |event| event.amount);
	let left = outcome.find::<events::Left>().is_some();
	let more = json!({ "amount": amount.to_string(), "left": left });
	let text = format!("withdrew {}", Amount(amount));
	Done::new(&outcome, more).show(context, &text);
	Ok(())
}

/// Removes all machines and starts to take out all stake.
pub async fn deregister(context: &Context) -> anyhow::Result<()> {
	let submitter = context.submitter().await?;
	let outcome = context.waiting("deregistering", submitter.deregister()).await?;
	let until = outcome.find::<events::Deregistered>().map(|event| event.until);
	let text = match until {
		Some(until) => format!("deregistered; the stake can be withdrawn from block {until} on"),
		None => "deregistered".into(),
	};
	Done::new(&outcome, json!({ "until": until })).show(context, &text);
	Ok(())
}

/// Sends an amount to the worker's key.
pub async fn fund_hot(context: &Context, Amount(amount): Amount) -> anyhow::Result<()> {
	let submitter = context.submitter().await?;
	let provider = submitter.client().provider(submitter.account()).await?.ok_or_else(|| {
		let account = address(submitter.account());
		anyhow!("{account} is no provider, so it has no hot key; run `assay provider register`")
	})?;
	let hot_key = provider.hot_key;
	let outcome = context.waiting("transferring", submitter.transfer(&hot_key, amount)).await?;
	let more = json!({ "hot_key": address(&hot_key), "amount": amount.to_string() });
	let text = format!("sent {} to {}", Amount(amount), address(&hot_key));
	Done::new(&outcome, more).show(context, &text);
	Ok(())
}
