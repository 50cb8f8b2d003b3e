//! What must hold at every block.

use crate::{
	Book, Config, HoldReason, HotKeys, Machines, Pallet, Provider, Providers, Total, Totals,
};
use alloc::collections::BTreeSet;
use frame_support::{
	ensure,
	traits::{fungible::InspectHold, Get},
};
use sp_runtime::TryRuntimeError;

impl<T: Config> Pallet<T> {
	/// Checks the registry's invariants.
	pub fn do_try_state() -> Result<(), TryRuntimeError> {
		let mut sums = Totals::default();
		for (who, provider) in Providers::<T>::iter() {
			Self::try_provider(&who, &provider)?;
			sums.staked = sums.staked.checked_add(provider.stake).ok_or("stakes overflow")?;
			sums.machines =
				sums.machines.checked_add(provider.machines).ok_or("too many machines")?;
		}
		ensure!(sums == Total::<T>::get(), "totals differ from what they sum up");
		ensure!(
			Providers::<T>::iter_keys().count() == Providers::<T>::count() as usize,
			"count of providers differs from their number"
		);
		ensure!(
			Machines::<T>::iter_keys().count() == sums.machines as usize,
			"a machine without a provider"
		);
		ensure!(
			HotKeys::<T>::iter_keys().count() == Providers::<T>::iter_keys().count(),
			"a hot key without a provider"
		);
		Self::try_book()
	}

	fn try_provider(who: &T::AccountId, provider: &Provider<T>) -> Result<(), TryRuntimeError> {
		let explained =
			provider.stake.checked_add(provider.unbonding_total()).ok_or("stake overflows")?;
		ensure!(
			T::Currency::balance_on_hold(&HoldReason::Stake.into(), who) == explained,
			"held balance is not stake plus unbonding"
		);
		ensure!(provider.locked <= provider.stake, "more locked than staked");
		ensure!(provider.unbonding.iter().all(|chunk| chunk.amount > 0), "an empty chunk");
		ensure!(
			HotKeys::<T>::get(&provider.hot_key).as_ref() == Some(who),
			"hot key does not act for its provider"
		);
		ensure!(!HotKeys::<T>::contains_key(who), "a provider is a hot key");
		let ids: alloc::vec::Vec<_> = Machines::<T>::iter_key_prefix(who).collect();
		ensure!(ids.len() == provider.machines as usize, "count of machines is wrong");
		ensure!(provider.machines <= T::MaxMachinesPerProvider::get(), "too many machines");
		ensure!(ids.iter().all(|id| *id < provider.next_machine), "a machine's number not yet due");
		if !provider.is_active() {
			ensure!(provider.stake == 0, "a leaving provider has stake");
			ensure!(provider.machines == 0, "a leaving provider has machines");
			ensure!(!provider.unbonding.is_empty(), "a leaving provider has left");
		}
		Ok(())
	}

	/// Entries of the book and asks of machines correspond one to one.
	fn try_book() -> Result<(), TryRuntimeError> {
		let mut listed = BTreeSet::new();
		for (class, book) in Book::<T>::iter() {
			ensure!(book.windows(2).all(|pair| pair[0].price <= pair[1].price), "book unsorted");
			for entry in book {
				let machine = Machines::<T>::get(&entry.provider, entry.machine)
					.ok_or("listed machine does not exist")?;
				let ask = machine.ask.ok_or("listed machine has no ask")?;
				ensure!(machine.spec.class == class, "listed in another class's book");
				ensure!(ask.reference_price() == Some(entry.price), "listed at another price");
				ensure!(listed.insert((entry.provider, entry.machine)), "listed twice");
			}
		}
		for (provider, id, machine) in Machines::<T>::iter() {
			ensure!(
				machine.ask.is_none() || listed.contains(&(provider, id)),
				"an ask is not in the book"
			);
		}
		Ok(())
	}
}
