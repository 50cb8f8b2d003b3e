//! What must hold at every block.

use crate::{
	BurnedBy, Claimable, Config, CurrentEra, NextPayout, Pallet, Parameters, Payouts, Total,
};
use assay_primitives::Balance;
use frame_support::ensure;
use sp_runtime::TryRuntimeError;

impl<T: Config> Pallet<T> {
	/// Checks the invariants of emissions.
	pub fn do_try_state() -> Result<(), TryRuntimeError> {
		let era = CurrentEra::<T>::get();
		let total = Total::<T>::get();
		ensure!(Parameters::<T>::get().is_valid(), "invalid parameters");

		ensure!(sum(BurnedBy::<T>::iter_prefix_values(era.index))? == era.burned, "burned differs");
		let mut unpaid: Balance = 0;
		for (index, payout) in Payouts::<T>::iter() {
			ensure!(
				index >= NextPayout::<T>::get() && index < era.index,
				"a payout of an era that has none"
			);
			// κ < 1, so that nobody can earn by paying itself.
			ensure!(payout.pool < payout.burned, "a pool not below what was burned");
			ensure!(payout.paid <= payout.pool, "more paid than the pool");
			ensure!(payout.done <= payout.burned, "more paid for than was burned");
			ensure!(
				sum(BurnedBy::<T>::iter_prefix_values(index))?
					== payout.burned.saturating_sub(payout.done),
				"an ended era's burned differs"
			);
			unpaid = unpaid.checked_add(payout.pool - payout.paid).ok_or("unpaid overflows")?;
		}
		for (index, _) in BurnedBy::<T>::iter_keys() {
			ensure!(
				index == era.index || Payouts::<T>::contains_key(index),
				"burned in an era that pays nothing"
			);
		}
		ensure!(Claimable::<T>::iter_values().all(|amount| amount > 0), "an empty claim");
		ensure!(sum(Claimable::<T>::iter_values())? == total.claimable, "claimable differs");
		ensure!(
			sum([total.minted, total.claimable, total.reserve, unpaid].into_iter())?
				== total.scheduled,
			"the schedule is not what was minted, is owed and was reserved"
		);
		ensure!(
			total.minted.saturating_add(total.claimable) <= total.burned,
			"more minted than burned"
		);
		Ok(())
	}
}

fn sum(mut amounts: impl Iterator<Item = Balance>) -> Result<Balance, &'static str> {
	amounts.try_fold(0, Balance::checked_add).ok_or("a sum overflows")
}
