//! Providers, their machines and asks.

use super::{id, text, url};
use crate::{
	chain::{self, provider_registry::events::MachineAdded, runtime_types as types},
	Error, Outcome, Submitter,
};
use assay_primitives::{
	market::{Ask, MachineClass, MachineId},
	AccountId, Balance,
};
use subxt::utils::Static;

/// Longest name or model, in bytes.
const MAX_LABEL: usize = 64;

/// What a provider says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
	/// Its name, at most 64 bytes.
	pub name: String,
	/// Base URL of its data plane.
	pub endpoint: String,
	/// ISO 3166-1 alpha-2 region.
	pub region: Option<[u8; 2]>,
}

/// What a provider says of a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachineSpec {
	/// Its class.
	pub class: MachineClass,
	/// Its model, at most 64 bytes.
	pub model: String,
	/// Its memory, in MiB.
	pub memory_mib: u32,
}

impl Submitter {
	/// Registers this account as a provider whose worker signs with `hot_key`, and holds `stake`
	/// planck of its balance.
	pub async fn register_provider(
		&self,
		hot_key: &AccountId,
		stake: Balance,
		profile: &Profile,
	) -> Result<Outcome, Error> {
		let call = chain::tx().provider_registry().register(
			id(hot_key),
			stake,
			text("name", &profile.name, MAX_LABEL)?,
			url("endpoint", &profile.endpoint)?,
			profile.region,
		);
		self.submit(&call).await
	}

	/// Sets what this provider says of itself.
	pub async fn set_profile(&self, profile: &Profile) -> Result<Outcome, Error> {
		let call = chain::tx().provider_registry().set_profile(
			text("name", &profile.name, MAX_LABEL)?,
			url("endpoint", &profile.endpoint)?,
			profile.region,
		);
		self.submit(&call).await
	}

	/// Has this provider's worker sign with another key.
	pub async fn set_hot_key(&self, hot_key: &AccountId) -> Result<Outcome, Error> {
		self.submit(&chain::tx().provider_registry().set_hot_key(id(hot_key))).await
	}

	/// Adds to this provider's stake.
	pub async fn bond_extra(&self, amount: Balance) -> Result<Outcome, Error> {
		self.submit(&chain::tx().provider_registry().bond_extra(amount)).await
	}

	/// Starts to take out part of this provider's free stake.
	pub async fn unbond(&self, amount: Balance) -> Result<Outcome, Error> {
		self.submit(&chain::tx().provider_registry().unbond(amount)).await
	}

	/// Frees the stake whose unbonding is over.
	pub async fn withdraw(&self) -> Result<Outcome, Error> {
		self.submit(&chain::tx().provider_registry().withdraw_unbonded()).await
	}

	/// Adds a machine, which takes no work until it has an ask, and returns its number.
	pub async fn add_machine(&self, spec: &MachineSpec) -> Result<(MachineId, Outcome), Error> {
		let spec = types::pallet_provider_registry::types::MachineSpec {
			class: Static(spec.class),
			model: text("model", &spec.model, MAX_LABEL)?,
			memory_mib: spec.memory_mib,
		};
		let outcome = self.submit(&chain::tx().provider_registry().add_machine(spec)).await?;
		let event = outcome.find::<MachineAdded>();
		let event = event.ok_or(Error::NoEvent("ProviderRegistry.MachineAdded"))?;
		Ok((event.machine, outcome))
	}

	/// Removes a machine and its ask.
	pub async fn remove_machine(&self, machine: MachineId) -> Result<Outcome, Error> {
		self.submit(&chain::tx().provider_registry().remove_machine(machine)).await
	}

	/// Sets the terms on which a machine takes work.
	pub async fn set_ask(&self, machine: MachineId, ask: Ask) -> Result<Outcome, Error> {
		self.submit(&chain::tx().provider_registry().set_ask(machine, Static(ask))).await
	}

	/// Has a machine take no more work.
	pub async fn clear_ask(&self, machine: MachineId) -> Result<Outcome, Error> {
		self.submit(&chain::tx().provider_registry().clear_ask(machine)).await
	}

	/// Removes all machines and starts to take out all stake.
	pub async fn deregister(&self) -> Result<Outcome, Error> {
		self.submit(&chain::tx().provider_registry().deregister()).await
	}
}
