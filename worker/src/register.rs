//! Putting a provider, its hot key, a machine and an ask on the chain, as far as they are not there
//! yet.

use crate::chain::{Call, Chain, MachineSpec, Profile};
use anyhow::{bail, Context};
use assay_client::Amount;
use assay_primitives::{
	market::{Ask, MachineId},
	views::{amount, ProviderView},
	AccountId, Balance,
};
use serde::Serialize;

/// What is to be on the chain.
#[derive(Clone, Debug)]
pub struct Wish {
	/// The account with which the worker signs.
	pub hot_key: AccountId,
	/// Least stake, in planck.
	pub stake: Balance,
	/// Name; `None` leaves the present one.
	pub name: Option<String>,
	/// Base URL of the data plane; `None` leaves the present one.
	pub endpoint: Option<String>,
	/// Region; `None` leaves the present one.
	pub region: Option<[u8; 2]>,
	/// The machine.
	pub machine: MachineSpec,
	/// Its terms.
	pub ask: Ask,
	/// Whether these terms replace others that the machine already has.
	pub replace_ask: bool,
	/// Least balance of the hot key, in planck; nought sends it nothing.
	pub fund: Balance,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Registered {
	/// The provider's account.
	pub provider: AccountId,
	/// The account with which its worker signs.
	pub hot_key: AccountId,
	/// The machine's number.
	pub machine: MachineId,
	/// Its terms.
	pub ask: Ask,
	/// Stake, in planck.
	#[serde(with = "amount")]
	pub stake: Balance,
	/// What was done, in order; empty if all was there.
	pub done: Vec<String>,
	/// What was there.
	pub there: Vec<String>,
}

/// Brings the chain to `wish`. The chain signs with the provider's key. Each step is looked for
/// first, so it may be run any number of times.
pub async fn register<C: Chain>(chain: &C, wish: &Wish) -> anyhow::Result<Registered> {
	let account = chain.account();
	if account == wish.hot_key {
		bail!("the provider's key and the hot key must differ: the hot key lies on the worker");
	}
	let mut steps = Steps { chain, done: Vec::new(), there: Vec::new() };
	let provider = steps.provider(&account, wish).await?;
	let (machine, ask) = steps.machine(&account, &provider, wish).await?;
	steps.fund(wish).await?;
	let provider = current(chain, &account).await?;
	let Steps { done, there, .. } = steps;
	let hot_key = provider.hot_key;
	Ok(Registered { provider: account, hot_key, machine, ask, stake: provider.stake, done, there })
}

async fn current<C: Chain>(chain: &C, account: &AccountId) -> anyhow::Result<ProviderView> {
	let view = chain.provider(account).await?;
	view.with_context(|| format!("{account} is no provider, though it was registered"))
}

struct Steps<'c, C> {
	chain: &'c C,
	done: Vec<String>,
	there: Vec<String>,
}

impl<C: Chain> Steps<'_, C> {
	async fn take(&mut self, what: String, call: Call) -> anyhow::Result<()> {
		let sent = self.chain.send(call).await;
		sent.with_context(|| format!("{what}: failed"))?;
		tracing::info!("{what}: done");
		self.done.push(what);
		Ok(())
	}

	fn is_there(&mut self, what: String) {
		tracing::info!("{what}: already there");
		self.there.push(what);
	}

	async fn provider(&mut self, account: &AccountId, wish: &Wish) -> anyhow::Result<ProviderView> {
		let Some(present) = self.chain.provider(account).await? else {
			let endpoint = wish.endpoint.clone().context(
				"a new provider needs the URL of its data plane: give --endpoint, or endpoint in \
				 the configuration file",
			)?;
			let profile = Profile {
				name: wish.name.clone().unwrap_or_else(|| "provider".into()),
				endpoint,
				region: wish.region,
			};
			let what = format!("provider {account} with a stake of {}", Amount(wish.stake));
			let (hot_key, stake) = (wish.hot_key.clone(), wish.stake);
			self.take(what, Call::Register { hot_key, stake, profile }).await?;
			return current(self.chain, account).await;
		};
		self.is_there(format!("provider {account}"));
		if present.hot_key == wish.hot_key {
			self.is_there(format!("hot key {}", wish.hot_key));
		} else {
			let what = format!("hot key {} instead of {}", wish.hot_key, present.hot_key);
			self.take(what, Call::SetHotKey(wish.hot_key.clone())).await?;
		}
		match wish.stake.checked_sub(present.stake) {
			None | Some(0) => self.is_there(format!("stake of {}", Amount(present.stake))),
			Some(more) => {
				self.take(format!("{} of stake more", Amount(more)), Call::BondExtra(more)).await?
			}
		}
		let profile = Profile {
			name: wish.name.clone().unwrap_or_else(|| present.name.clone()),
			endpoint: wish.endpoint.clone().unwrap_or_else(|| present.endpoint.clone()),
			region: wish.region.or(present.region),
		};
		let Profile { name, endpoint, region } = &profile;
		if (name, endpoint, region) == (&present.name, &present.endpoint, &present.region) {
			self.is_there(format!("profile \"{name}\" at {endpoint}"));
		} else {
			let what = format!("profile \"{name}\" at {endpoint}");
			self.take(what, Call::SetProfile(profile)).await?;
		}
		current(self.chain, account).await
	}

	async fn machine(
		&mut self,
		account: &AccountId,
		provider: &ProviderView,
		wish: &Wish,
	) -> anyhow::Result<(MachineId, Ask)> {
		let MachineSpec { class, model, memory_mib } = &wish.machine;
		let find = |provider: &ProviderView| {
			let mut machines = provider.machines.iter().filter(|machine| {
				(&machine.class, &machine.model, &machine.memory_mib) == (class, model, memory_mib)
			});
			machines.next_back().cloned()
		};
		let what = format!("machine \"{model}\" with {memory_mib} MiB");
		let machine = match find(provider) {
			Some(machine) => {
				self.is_there(format!("{what}, number {}", machine.id));
				machine
			}
			None => {
				self.take(what, Call::AddMachine(wish.machine.clone())).await?;
				let provider = current(self.chain, account).await?;
				find(&provider).context("the machine was added, but the chain does not show it")?
			}
		};
		match machine.ask {
			Some(ask) if ask == wish.ask || !wish.replace_ask => {
				self.is_there(format!("ask of machine {}", machine.id));
				Ok((machine.id, ask))
			}
			_ => {
				let what = format!("ask of machine {}", machine.id);
				self.take(what, Call::SetAsk(machine.id, wish.ask)).await?;
				Ok((machine.id, wish.ask))
			}
		}
	}

	async fn fund(&mut self, wish: &Wish) -> anyhow::Result<()> {
		if wish.fund == 0 {
			return Ok(());
		}
		let balance = self.chain.balance(&wish.hot_key).await?;
		match wish.fund.checked_sub(balance) {
			None | Some(0) => self.is_there(format!("{} on the hot key", Amount(balance))),
			Some(more) => {
				let call = Call::Transfer(wish.hot_key.clone(), more);
				self.take(format!("{} for the hot key", Amount(more)), call).await?
			}
		}
		Ok(())
	}
}
