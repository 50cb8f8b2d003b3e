//! Balances.

use super::id;
use crate::{chain, Error, Outcome, Submitter};
use assay_primitives::{AccountId, Balance};

impl Submitter {
	/// Sends `amount` planck to another account, unless that would end this one.
	pub async fn transfer(&self, to: &AccountId, amount: Balance) -> Result<Outcome, Error> {
		self.submit(&chain::tx().balances().transfer_keep_alive(id(to).into(), amount)).await
	}
}
