//! Finalised blocks as they come.

use crate::{
	rpc::{Block, Header},
	Client, Error,
};
use assay_primitives::BlockNumber;
use std::time::Duration;
use subxt::rpcs::client::RpcSubscription;
use tokio::time::timeout;

/// Time without news after which the head is asked for: a subscription may end unnoticed.
const QUIET: Duration = Duration::from_secs(30);

/// Every finalised block from one height on, in order, with none left out, whatever the connection
/// goes through meanwhile.
pub struct FinalisedBlocks {
	client: Client,
	heads: Option<RpcSubscription<Header>>,
	/// Height to be handed out next.
	next: BlockNumber,
	/// Highest finalised height known.
	head: Option<BlockNumber>,
}

impl Client {
	/// Finalised blocks after the last one that is final now.
	pub async fn finalised_blocks(&self) -> Result<FinalisedBlocks, Error> {
		let head = self.at(crate::At::Finalised).block().await?.number;
		Ok(self.finalised_blocks_from(head.saturating_add(1)))
	}

	/// Finalised blocks from a height on, past ones first.
	pub fn finalised_blocks_from(&self, height: BlockNumber) -> FinalisedBlocks {
		FinalisedBlocks { client: self.clone(), heads: None, next: height, head: None }
	}
}

impl FinalisedBlocks {
	/// The next finalised block; waits for it.
	///
	/// # Errors
	/// As reads have them. After an error the same block may be asked for again.
	#[allow(clippy::should_implement_trait)]
	pub async fn next(&mut self) -> Result<Block, Error> {
		while self.head.is_none_or(|head| head < self.next) {
			self.advance().await?;
		}
		let number = self.next;
		let hash = self.client.rpc().hash(Some(number)).await?;
		let hash = hash.ok_or_else(|| Error::UnknownBlock(number.to_string()))?;
		self.next = number.saturating_add(1);
		Ok(Block { number, hash })
	}

	/// Whether [`next`](Self::next) would answer without waiting for a block.
	pub fn is_behind(&self) -> bool {
		self.head.is_some_and(|head| head >= self.next)
	}

	/// Learns of a later head, if only that there is none yet.
	async fn advance(&mut self) -> Result<(), Error> {
		let heads = match &mut self.heads {
			Some(heads) => heads,
			// The subscription begins with the current head.
			None => self.heads.insert(self.client.rpc().finalised_heads().await?),
		};
		match timeout(QUIET, heads.next()).await {
			Ok(Some(Ok(header))) => self.raise(header.number),
			Ok(Some(Err(error))) => {
				tracing::debug!("finalised heads: {error}");
				self.heads = None;
			}
			Ok(None) => self.heads = None,
			Err(_) => {
				let head = self.client.at(crate::At::Finalised).block().await?;
				if self.head.is_none_or(|known| known < head.number) {
					self.heads = None;
					self.raise(head.number.into());
				}
			}
		}
		Ok(())
	}

	/// A node that was restarted may for a while be behind what it told before.
	fn raise(&mut self, head: u64) {
		let head = BlockNumber::try_from(head).unwrap_or(BlockNumber::MAX);
		self.head = Some(self.head.map_or(head, |known| known.max(head)));
	}
}
