//! What readers are told.

use crate::{Book, Config, Figures, Machines, Pallet, Provider, Providers, Total};
use alloc::{string::String, vec::Vec};
use assay_primitives::{
	views::{MachineView, ProviderView, MAX_PAGE},
	AccountId,
};

impl<T: Config> Pallet<T> {
	/// Figures for the network's statistics.
	pub fn figures() -> Figures {
		let total = Total::<T>::get();
		let asks =
			Book::<T>::iter_values().fold(0u32, |n, book| n.saturating_add(book.len() as u32));
		Figures {
			providers: Providers::<T>::count(),
			machines: total.machines,
			asks,
			staked: total.staked,
		}
	}

	/// Base URL of a provider's data plane.
	pub fn endpoint_of(account: &T::AccountId) -> Option<assay_primitives::url::Url> {
		Providers::<T>::get(account).map(|provider| provider.endpoint)
	}

	/// With which key a provider's worker signs.
	pub fn hot_key_of(account: &T::AccountId) -> Option<T::AccountId> {
		Providers::<T>::get(account).map(|provider| provider.hot_key)
	}
}

impl<T: Config> Pallet<T>
where
	T::AccountId: Into<AccountId>,
{
	/// One provider.
	pub fn provider_view(account: &T::AccountId) -> Option<ProviderView> {
		Providers::<T>::get(account).map(|provider| Self::view(account, provider))
	}

	/// Providers after `after` in storage order, at most `limit` and [`MAX_PAGE`].
	pub fn providers_page(after: Option<&T::AccountId>, limit: u32) -> Vec<ProviderView> {
		let providers = match after {
			Some(account) => Providers::<T>::iter_from(Providers::<T>::hashed_key_for(account)),
			None => Providers::<T>::iter(),
		};
		providers
			.take(limit.min(MAX_PAGE) as usize)
			.map(|(account, provider)| Self::view(&account, provider))
			.collect()
	}

	fn view(account: &T::AccountId, provider: Provider<T>) -> ProviderView {
		let mut machines: Vec<_> = Machines::<T>::iter_prefix(account)
			.map(|(id, machine)| MachineView {
				id,
				class: machine.spec.class,
				model: text(&machine.spec.model),
				memory_mib: machine.spec.memory_mib,
				ask: machine.ask,
				busy: machine.busy,
			})
			.collect();
		machines.sort_by_key(|machine| machine.id);
		ProviderView {
			account: account.clone().into(),
			unbonding: provider.unbonding_total(),
			hot_key: provider.hot_key.into(),
			name: text(&provider.name),
			endpoint: text(&provider.endpoint),
			region: provider.region,
			stake: provider.stake,
			locked: provider.locked,
			settled: provider.record.settled,
			missed: provider.record.missed,
			failed: provider.record.failed,
			registered_at: provider.registered_at,
			machines,
		}
	}
}

fn text(bytes: &[u8]) -> String {
	String::from_utf8_lossy(bytes).into_owned()
}
