//! Machines.

use crate::{Config, Error, Event, Machine, MachineSpec, Machines, Pallet, Providers, Total};
use assay_primitives::market::MachineId;
use frame_support::{ensure, traits::Get};
use sp_runtime::DispatchResult;

impl<T: Config> Pallet<T> {
	pub(crate) fn do_add_machine(who: T::AccountId, spec: MachineSpec) -> DispatchResult {
		let mut provider = Self::active(&who)?;
		Self::ensure_label(&spec.model)?;
		ensure!(spec.memory_mib > 0, Error::<T>::NoMemory);
		ensure!(provider.machines < T::MaxMachinesPerProvider::get(), Error::<T>::TooManyMachines);
		let id = provider.next_machine;
		provider.next_machine = id.checked_add(1).ok_or(Error::<T>::TooManyMachines)?;
		provider.machines = provider.machines.saturating_add(1);
		ensure!(provider.stake >= Self::least_stake(provider.machines), Error::<T>::StakeTooLow);
		Providers::<T>::insert(&who, provider);
		Machines::<T>::insert(&who, id, Machine::new(spec.clone()));
		Total::<T>::mutate(|total| total.machines = total.machines.saturating_add(1));
		Self::deposit_event(Event::MachineAdded { provider: who, machine: id, spec });
		Ok(())
	}

	pub(crate) fn do_remove_machine(who: T::AccountId, id: MachineId) -> DispatchResult {
		let mut provider = Self::active(&who)?;
		let machine = Self::machine(&who, id)?;
		ensure!(machine.busy == 0, Error::<T>::MachineBusy);
		if machine.ask.is_some() {
			Self::unlist(machine.spec.class, &who, id);
		}
		Machines::<T>::remove(&who, id);
		provider.machines = provider.machines.saturating_sub(1);
		Providers::<T>::insert(&who, provider);
		Total::<T>::mutate(|total| total.machines = total.machines.saturating_sub(1));
		Self::deposit_event(Event::MachineRemoved { provider: who, machine: id });
		Ok(())
	}
}
