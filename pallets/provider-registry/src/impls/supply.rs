//! The supply side, as jobs see it.

use crate::{
	Book, Config, Error, Event, HoldReason, HotKeys, Machine, Machines, Pallet, Parameters,
	Provider, Providers, Total, WeightInfo, LOG_TARGET,
};
use assay_primitives::{
	market::{MachineId, MatchEnd, OutsideAsk, Quote, Requirements, Work},
	traits::Supply,
	Balance,
};
use frame_support::{
	ensure,
	traits::{
		fungible::hold::Mutate,
		tokens::{Fortitude, Precision, Restriction},
		Get,
	},
	weights::Weight,
};
use sp_runtime::{DispatchError, DispatchResult};

impl<T: Config> Supply<T::AccountId> for Pallet<T> {
	fn provider_of(hot: &T::AccountId) -> Option<T::AccountId> {
		HotKeys::<T>::get(hot)
	}

	fn quote(
		who: &T::AccountId,
		id: MachineId,
		requirements: &Requirements,
		work: &Work,
	) -> Result<Quote<T::AccountId>, DispatchError> {
		let provider = Self::active(who)?;
		let (price, collateral) = Self::machine(who, id)?.offer::<T>(requirements, work)?;
		provider.ensure_backs(requirements, collateral)?;
		Ok(Quote { provider: who.clone(), machine: id, price, collateral })
	}

	fn best(
		requirements: &Requirements,
		work: &Work,
		max_price: Balance,
		refused: &[T::AccountId],
	) -> Option<Quote<T::AccountId>> {
		let mut best: Option<Quote<T::AccountId>> = None;
		for entry in Book::<T>::get(requirements.class) {
			if refused.contains(&entry.provider) {
				continue;
			}
			let Ok(machine) = Self::machine(&entry.provider, entry.machine) else { continue };
			let Ok((price, collateral)) = machine.offer::<T>(requirements, work) else { continue };
			if price > max_price || best.as_ref().is_some_and(|best| best.price <= price) {
				continue;
			}
			let Ok(provider) = Self::active(&entry.provider) else { continue };
			if provider.ensure_backs(requirements, collateral).is_ok() {
				let (provider, machine) = (entry.provider, entry.machine);
				best = Some(Quote { provider, machine, price, collateral });
			}
		}
		best
	}

	fn best_weight(requirements: &Requirements) -> Weight {
		let asks = Book::<T>::decode_len(requirements.class).unwrap_or_default();
		T::WeightInfo::best(asks as u32)
	}

	fn most_weight() -> Weight {
		T::WeightInfo::best(T::MaxAsksPerClass::get())
	}

	fn reserve(who: &T::AccountId, id: MachineId) -> DispatchResult {
		Self::active(who)?;
		let mut machine = Self::machine(who, id)?;
		machine.ensure_free_slot::<T>()?;
		machine.busy = machine.busy.saturating_add(1);
		let busy = machine.busy;
		Machines::<T>::insert(who, id, machine);
		Self::deposit_event(Event::SlotReserved { provider: who.clone(), machine: id, busy });
		Ok(())
	}

	fn lock(who: &T::AccountId, collateral: Balance) -> DispatchResult {
		let mut provider = Self::active(who)?;
		ensure!(provider.free() >= collateral, Error::<T>::InsufficientStake);
		provider.locked = provider.locked.saturating_add(collateral);
		Providers::<T>::insert(who, provider);
		Self::deposit_event(Event::CollateralLocked { provider: who.clone(), amount: collateral });
		Ok(())
	}

	fn forfeit(who: &T::AccountId, collateral: Balance, to: &T::AccountId) -> Balance {
		let Some(mut provider) = Providers::<T>::get(who) else {
			log::error!(target: LOG_TARGET, "unknown provider {who:?} forfeits");
			return 0;
		};
		let amount = collateral.min(provider.locked);
		let moved = T::Currency::transfer_on_hold(
			&HoldReason::Stake.into(),
			who,
			to,
			amount,
			Precision::Exact,
			Restriction::Free,
			Fortitude::Force,
		);
		// Locked stake is on hold and whom it goes to can take it: nothing of this can fail.
		if let Err(error) = moved {
			log::error!(target: LOG_TARGET, "{who:?} could not forfeit {amount}: {error:?}");
			return 0;
		}
		provider.locked = provider.locked.saturating_sub(amount);
		provider.stake = provider.stake.saturating_sub(amount);
		Providers::<T>::insert(who, provider);
		Total::<T>::mutate(|total| total.staked = total.staked.saturating_sub(amount));
		Self::deposit_event(Event::Forfeited { provider: who.clone(), amount });
		amount
	}

	fn release(who: &T::AccountId, id: MachineId, collateral: Balance, end: MatchEnd) {
		let freed = Self::note_end(who, collateral, end);
		let busy = Self::free_slot(who, id, end);
		Self::deposit_event(Event::SlotReleased {
			provider: who.clone(),
			machine: id,
			busy,
			collateral: freed,
		});
	}
}

impl<T: Config> Pallet<T> {
	/// Frees collateral and keeps the record; returns what was freed.
	///
	/// A match holds its provider's slot and so its record: what is logged here cannot happen, and
	/// is no reason to stop a payment.
	fn note_end(who: &T::AccountId, collateral: Balance, end: MatchEnd) -> Balance {
		let Some(mut provider) = Providers::<T>::get(who) else {
			log::error!(target: LOG_TARGET, "released a match of unknown provider {who:?}");
			return 0;
		};
		let freed = collateral.min(provider.locked);
		if freed < collateral {
			log::error!(target: LOG_TARGET, "{who:?} had less locked than released: {collateral}");
		}
		provider.locked = provider.locked.saturating_sub(freed);
		let record = &mut provider.record;
		match end {
			MatchEnd::Settled => record.settled = record.settled.saturating_add(1),
			MatchEnd::Missed => record.missed = record.missed.saturating_add(1),
			MatchEnd::Failed => record.failed = record.failed.saturating_add(1),
			MatchEnd::NotTaken { .. } | MatchEnd::Released => (),
		}
		Providers::<T>::insert(who, provider);
		freed
	}

	/// Frees a slot, and pauses the ask of a machine that no longer answers; returns the slots
	/// still in use.
	fn free_slot(who: &T::AccountId, id: MachineId, end: MatchEnd) -> u32 {
		let Some(mut machine) = Machines::<T>::get(who, id) else {
			log::error!(target: LOG_TARGET, "released unknown machine {id} of {who:?}");
			return 0;
		};
		if machine.busy == 0 {
			log::error!(target: LOG_TARGET, "released idle machine {id} of {who:?}");
		}
		machine.busy = machine.busy.saturating_sub(1);
		match end {
			MatchEnd::NotTaken { lapsed: true } => {
				machine.missed_offers = machine.missed_offers.saturating_add(1);
				let missed = machine.missed_offers;
				if missed >= Parameters::<T>::get().offers_missed_max
					&& machine.ask.take().is_some()
				{
					Self::unlist(machine.spec.class, who, id);
					Self::deposit_event(Event::AskPaused {
						provider: who.clone(),
						machine: id,
						missed,
					});
				}
			}
			MatchEnd::NotTaken { lapsed: false } => (),
			MatchEnd::Settled | MatchEnd::Missed | MatchEnd::Failed | MatchEnd::Released => {
				machine.missed_offers = 0;
			}
		}
		let busy = machine.busy;
		Machines::<T>::insert(who, id, machine);
		busy
	}
}

impl Machine {
	fn ensure_free_slot<T: Config>(&self) -> Result<(), Error<T>> {
		let ask = self.ask.as_ref().ok_or(Error::<T>::NoAsk)?;
		ensure!(self.busy < ask.slots, Error::<T>::NoFreeSlot);
		Ok(())
	}

	/// Price at which the machine, seen by itself, takes the task on, and the stake that it puts at
	/// risk.
	fn offer<T: Config>(
		&self,
		requirements: &Requirements,
		work: &Work,
	) -> Result<(Balance, Balance), Error<T>> {
		let ask = self.ask.as_ref().ok_or(Error::<T>::NoAsk)?;
		ensure!(self.spec.class == requirements.class, Error::<T>::WrongClass);
		ensure!(self.spec.memory_mib >= requirements.min_memory_mib, Error::<T>::TooLittleMemory);
		let price = ask.try_price(work).map_err(|outside| match outside {
			OutsideAsk::Macs => Error::<T>::TooManyMacs,
			OutsideAsk::TraceBytes => Error::<T>::TraceTooLarge,
			OutsideAsk::Value => Error::<T>::ValueTooHigh,
			OutsideAsk::Deadline => Error::<T>::DeadlineTooShort,
			OutsideAsk::Stake => Error::<T>::StakePercentTooLow,
			OutsideAsk::Overflow => Error::<T>::PriceOverflow,
		})?;
		let collateral = ask.collateral(work, price).ok_or(Error::<T>::PriceOverflow)?;
		self.ensure_free_slot::<T>()?;
		Ok((price, collateral))
	}
}

impl<T: Config> Provider<T> {
	/// Whether the provider is where it should be and its free stake covers `collateral`.
	fn ensure_backs(
		&self,
		requirements: &Requirements,
		collateral: Balance,
	) -> Result<(), Error<T>> {
		ensure!(
			requirements.region.is_none_or(|region| self.region == Some(region)),
			Error::<T>::WrongRegion
		);
		ensure!(self.free() >= collateral, Error::<T>::InsufficientStake);
		Ok(())
	}
}
