//! Asks and the book they stand in.

use crate::{Book, BookEntry, Config, Error, Event, Machines, Pallet};
use assay_primitives::market::{Ask, MachineClass, MachineId};
use frame_support::ensure;
use sp_runtime::DispatchResult;

impl<T: Config> Pallet<T> {
	pub(crate) fn do_set_ask(who: T::AccountId, id: MachineId, ask: Ask) -> DispatchResult {
		let provider = Self::active(&who)?;
		let mut machine = Self::machine(&who, id)?;
		ensure!(provider.stake >= Self::least_stake(provider.machines), Error::<T>::StakeTooLow);
		ensure!(ask.slots > 0, Error::<T>::NoSlots);
		let price = ask.reference_price().ok_or(Error::<T>::AskOverflow)?;
		let entry = BookEntry { price, provider: who.clone(), machine: id };
		let displaced = Self::list(machine.spec.class, entry)?;
		machine.ask = Some(ask);
		machine.missed_offers = 0;
		Machines::<T>::insert(&who, id, machine);
		if let Some(BookEntry { provider, machine, .. }) = displaced {
			Machines::<T>::mutate(&provider, machine, |other| {
				if let Some(other) = other {
					other.ask = None;
				}
			});
			Self::deposit_event(Event::AskDisplaced { provider, machine });
		}
		Self::deposit_event(Event::AskSet { provider: who, machine: id, ask });
		Ok(())
	}

	pub(crate) fn do_clear_ask(who: T::AccountId, id: MachineId) -> DispatchResult {
		Self::active(&who)?;
		let mut machine = Self::machine(&who, id)?;
		ensure!(machine.ask.take().is_some(), Error::<T>::NoAsk);
		Self::unlist(machine.spec.class, &who, id);
		Machines::<T>::insert(&who, id, machine);
		Self::deposit_event(Event::AskCleared { provider: who, machine: id });
		Ok(())
	}

	/// Puts an entry into its place, behind equally priced ones and instead of an earlier one of
	/// the same machine. Returns the entry it drove out of a full book.
	fn list(
		class: MachineClass,
		entry: BookEntry<T::AccountId>,
	) -> Result<Option<BookEntry<T::AccountId>>, Error<T>> {
		Book::<T>::try_mutate(class, |book| {
			book.retain(|e| e.provider != entry.provider || e.machine != entry.machine);
			let at = book.partition_point(|e| e.price <= entry.price);
			let displaced = if book.is_full() {
				ensure!(at < book.len(), Error::<T>::BookFull);
				book.pop()
			} else {
				None
			};
			book.try_insert(at, entry).map_err(|_| Error::<T>::BookFull)?;
			Ok(displaced)
		})
	}

	/// Takes a machine's entry off the book.
	pub(crate) fn unlist(class: MachineClass, who: &T::AccountId, id: MachineId) {
		Book::<T>::mutate(class, |book| book.retain(|e| e.provider != *who || e.machine != id));
	}
}
