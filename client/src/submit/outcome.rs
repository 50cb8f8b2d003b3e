//! What a finalised transaction did.

use crate::{
	chain,
	error::DispatchError,
	rpc::{Block, Config},
	Client, Error,
};
use assay_primitives::{Balance, Hash};
use subxt::{
	error::DispatchError as Failure,
	events::{DecodeAsEvent, Event, Events, Phase},
};

/// A transaction whose call succeeded, in a finalised block.
pub struct Outcome {
	/// The block.
	pub block: Block,
	/// Hash of the transaction.
	pub tx: Hash,
	/// Its place in the block.
	pub index: u32,
	events: Events<Config>,
}

impl Outcome {
	/// Reads the events; fails with [`Error::Dispatch`] if the call did.
	pub(super) async fn read(
		client: &Client,
		block: Block,
		tx: Hash,
		index: u32,
	) -> Result<Self, Error> {
		let at = client.online().at_block_hash_and_number(block.hash, block.number.into());
		let at = at.await.map_err(|error| unreadable(client, error.to_string()))?;
		let events = at.events().fetch().await;
		let events = events.map_err(|error| unreadable(client, error.to_string()))?;
		let outcome = Self { block, tx, index, events };
		let failed = outcome.events().find(|event| {
			event.pallet_name() == "System" && event.event_name() == "ExtrinsicFailed"
		});
		if let Some(event) = failed {
			let failure = Failure::decode_from(event.field_bytes(), at.metadata());
			return Err(match failure {
				Ok(failure) => Error::Dispatch(describe(failure)),
				Err(error) => {
					let method = "System.ExtrinsicFailed".into();
					Error::Answer { method, reason: error.to_string() }
				}
			});
		}
		Ok(outcome)
	}

	/// This transaction's events.
	pub fn events(&self) -> impl Iterator<Item = Event<'_, Config>> {
		let phase = Phase::ApplyExtrinsic(self.index);
		self.events.iter().filter_map(Result::ok).filter(move |event| event.phase() == phase)
	}

	/// The first of its events of a type of [`chain`].
	pub fn find<E: DecodeAsEvent>(&self) -> Option<E> {
		self.events().find_map(|event| event.decode_fields_as::<E>()?.ok())
	}

	/// The fee paid, in planck.
	pub fn fee(&self) -> Option<Balance> {
		self.find::<chain::transaction_payment::events::TransactionFeePaid>()
			.map(|paid| paid.actual_fee)
	}
}

fn unreadable(client: &Client, reason: String) -> Error {
	Error::Unreachable { url: client.url().into(), reason }
}

fn describe(failure: Failure) -> DispatchError {
	let Failure::Module(error) = failure else {
		return DispatchError::Other(failure.to_string());
	};
	match error.details() {
		Ok(details) => DispatchError::Module {
			pallet: details.pallet.name().into(),
			name: details.variant.name.clone(),
			docs: details.variant.docs.join(" ").trim().into(),
		},
		Err(_) => DispatchError::Other(error.details_string()),
	}
}
