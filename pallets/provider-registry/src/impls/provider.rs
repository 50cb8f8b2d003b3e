//! Registering, describing oneself, leaving.

use crate::{
	Book, Config, Error, Event, HoldReason, HotKeys, Label, Machines, Pallet, Parameters, Provider,
	Providers, Record, Standing, Total,
};
use assay_primitives::{
	url::{self, Url, UrlError},
	Balance,
};
use frame_support::{ensure, traits::fungible::MutateHold, BoundedVec};
use sp_runtime::{DispatchError, DispatchResult};

impl<T: Config> Pallet<T> {
	pub(crate) fn do_register(
		who: T::AccountId,
		hot_key: T::AccountId,
		stake: Balance,
		name: Label,
		endpoint: Url,
		region: Option<[u8; 2]>,
	) -> DispatchResult {
		if let Some(provider) = Providers::<T>::get(&who) {
			let error = match provider.standing {
				Standing::Active => Error::<T>::AlreadyRegistered,
				Standing::Leaving => Error::<T>::Leaving,
			};
			return Err(error.into());
		}
		ensure!(!HotKeys::<T>::contains_key(&who), Error::<T>::AccountIsHotKey);
		ensure!(hot_key != who, Error::<T>::HotKeyIsProvider);
		Self::ensure_hot_key(&hot_key)?;
		Self::ensure_profile(&name, &endpoint, region)?;
		ensure!(stake >= Self::least_stake(0), Error::<T>::StakeTooLow);
		T::Currency::hold(&HoldReason::Stake.into(), &who, stake)?;

		let provider = Provider {
			hot_key: hot_key.clone(),
			standing: Standing::Active,
			stake,
			locked: 0,
			unbonding: BoundedVec::new(),
			name: name.clone(),
			endpoint: endpoint.clone(),
			region,
			machines: 0,
			next_machine: 0,
			record: Record::default(),
			registered_at: Self::now(),
		};
		Providers::<T>::insert(&who, provider);
		HotKeys::<T>::insert(&hot_key, &who);
		Total::<T>::mutate(|total| total.staked = total.staked.saturating_add(stake));
		Self::deposit_event(Event::Registered { provider: who.clone(), hot_key, stake });
		Self::deposit_event(Event::ProfileSet { provider: who, name, endpoint, region });
		Ok(())
	}

	pub(crate) fn do_set_profile(
		who: T::AccountId,
		name: Label,
		endpoint: Url,
		region: Option<[u8; 2]>,
	) -> DispatchResult {
		let mut provider = Self::active(&who)?;
		Self::ensure_profile(&name, &endpoint, region)?;
		provider.name = name.clone();
		provider.endpoint = endpoint.clone();
		provider.region = region;
		Providers::<T>::insert(&who, provider);
		Self::deposit_event(Event::ProfileSet { provider: who, name, endpoint, region });
		Ok(())
	}

	pub(crate) fn do_set_hot_key(who: T::AccountId, new: T::AccountId) -> DispatchResult {
		let mut provider = Self::active(&who)?;
		Self::ensure_hot_key(&new)?;
		HotKeys::<T>::remove(&provider.hot_key);
		HotKeys::<T>::insert(&new, &who);
		provider.hot_key = new.clone();
		Providers::<T>::insert(&who, provider);
		Self::deposit_event(Event::HotKeySet { provider: who, hot_key: new });
		Ok(())
	}

	/// Returns how many machines went.
	pub(crate) fn do_deregister(who: T::AccountId) -> Result<u32, DispatchError> {
		let mut provider = Self::active(&who)?;
		ensure!(provider.locked == 0, Error::<T>::StakeLocked);
		let until = Self::now().saturating_add(Parameters::<T>::get().unbonding_period);
		let amount = provider.stake;
		ensure!(provider.start_unbonding(amount, until), Error::<T>::TooManyUnbonding);

		let machines = Self::remove_all_machines(&who)?;
		provider.machines = 0;
		provider.standing = Standing::Leaving;
		let all_out = provider.unbonding.iter().fold(until, |last, chunk| last.max(chunk.until));
		Providers::<T>::insert(&who, provider);
		Total::<T>::mutate(|total| {
			total.machines = total.machines.saturating_sub(machines);
			total.staked = total.staked.saturating_sub(amount);
		});
		Self::deposit_event(Event::Unbonded { provider: who.clone(), amount, until });
		Self::deposit_event(Event::Deregistered { provider: who, until: all_out });
		Ok(machines)
	}

	/// Removes a provider's idle machines and their asks, or nothing if one is busy.
	///
	/// Each book is gone through once, however many of its asks go.
	fn remove_all_machines(who: &T::AccountId) -> Result<u32, DispatchError> {
		let machines: alloc::vec::Vec<_> = Machines::<T>::iter_prefix(who).collect();
		ensure!(machines.iter().all(|(_, m)| m.busy == 0), Error::<T>::MachineBusy);
		let mut classes = alloc::collections::BTreeSet::new();
		for (id, machine) in &machines {
			Machines::<T>::remove(who, id);
			if machine.ask.is_some() {
				classes.insert(machine.spec.class);
			}
			Self::deposit_event(Event::MachineRemoved { provider: who.clone(), machine: *id });
		}
		for class in classes {
			Book::<T>::mutate(class, |book| book.retain(|entry| entry.provider != *who));
		}
		Ok(machines.len() as u32)
	}

	fn ensure_hot_key(hot_key: &T::AccountId) -> DispatchResult {
		ensure!(!HotKeys::<T>::contains_key(hot_key), Error::<T>::HotKeyTaken);
		ensure!(!Providers::<T>::contains_key(hot_key), Error::<T>::HotKeyIsProvider);
		Ok(())
	}

	fn ensure_profile(name: &Label, endpoint: &Url, region: Option<[u8; 2]>) -> DispatchResult {
		Self::ensure_label(name)?;
		url::check(endpoint).map_err(|error| match error {
			UrlError::Scheme => Error::<T>::EndpointScheme,
			UrlError::Character => Error::<T>::EndpointCharacter,
			UrlError::Host => Error::<T>::EndpointHost,
			UrlError::Port => Error::<T>::EndpointPort,
		})?;
		let letters = |region: [u8; 2]| region.iter().all(u8::is_ascii_uppercase);
		ensure!(region.is_none_or(letters), Error::<T>::InvalidRegion);
		Ok(())
	}
}
