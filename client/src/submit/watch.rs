//! From the pool to a finalised block.

use super::Outcome;
use crate::{
	rpc::{Block, Watch},
	Client, Error,
};
use assay_primitives::{BlockNumber, Hash};
use sp_crypto_hashing::blake2_256;
use subxt::rpcs::methods::legacy::TransactionStatus;

/// A transaction that a node has taken.
pub(super) struct Sent {
	pub hash: Hash,
	/// Height at which it was signed.
	pub birth: BlockNumber,
	/// Last height at which it may be included.
	pub last: BlockNumber,
	pub watch: Option<Watch>,
}

impl Sent {
	/// Waits until it is final.
	pub async fn outcome(mut self, client: &Client) -> Result<Outcome, Error> {
		while let Some(watch) = &mut self.watch {
			match watch.next().await {
				Some(Ok(TransactionStatus::Finalized(hash))) => {
					let block = client.at(crate::At::Block(hash)).block().await?;
					if let Some(index) = index_in(client, block, self.hash).await? {
						return Outcome::read(client, block, self.hash, index).await;
					}
					self.watch = None;
				}
				Some(Ok(TransactionStatus::Usurped(by))) => {
					let reason = format!("transaction {by:#x} took its place");
					return Err(Error::Refused(reason));
				}
				Some(Ok(TransactionStatus::Dropped)) => {
					let reason = "the node's pool is full and dropped it";
					return Err(Error::Refused(reason.into()));
				}
				Some(Ok(TransactionStatus::Invalid)) => {
					let reason = "it became invalid, as when its account spent what it needs";
					return Err(Error::Refused(reason.into()));
				}
				Some(Ok(status)) => tracing::trace!("{:#x}: {status:?}", self.hash),
				// The connection broke, or the node watches it no longer.
				Some(Err(_)) | None => self.watch = None,
			}
		}
		self.search(client).await
	}

	/// Looks for it in every block that it may be in.
	async fn search(self, client: &Client) -> Result<Outcome, Error> {
		let mut blocks = client.finalised_blocks_from(self.birth.saturating_add(1));
		loop {
			let block = blocks.next().await?;
			if let Some(index) = index_in(client, block, self.hash).await? {
				return Outcome::read(client, block, self.hash, index).await;
			}
			if block.number >= self.last {
				return Err(Error::Expired { tx: self.hash, last: self.last });
			}
		}
	}
}

/// A transaction's place in a block. Takes no reference to what holds a subscription: that cannot
/// be shared between threads.
async fn index_in(client: &Client, block: Block, transaction: Hash) -> Result<Option<u32>, Error> {
	let body = client.rpc().body(block.hash).await?;
	let place = body.iter().position(|bytes| blake2_256(bytes) == transaction.0);
	Ok(place.and_then(|place| u32::try_from(place).ok()))
}

#[cfg(test)]
mod tests {
	use crate::{Client, Error, FinalisedBlocks, Submitter};

	/// Compiles only if transactions and blocks can be waited for on any thread.
	// Never called: that it compiles is the test.
	#[allow(dead_code)]
	fn futures_are_send(client: &Client, submitter: &Submitter, blocks: &mut FinalisedBlocks) {
		fn send<T>(_: impl Future<Output = Result<T, Error>> + Send) {}
		use std::future::Future;
		send(submitter.cancel(0));
		send(client.job(0));
		send(blocks.next());
	}
}
