//! The stream of what happens to jobs, block by block.
//!
//! The first item tells of the head of the chain at the time of subscription, the next ones of
//! every block that follows it, blocks without events included, so that a reader knows how far it
//! has read. When the stream cannot go on without leaving a block out, it ends with an error.

use crate::service::{Block, Hash};
use assay_primitives::{api::JobsApi, views::JobEvent, work::JobId, BlockNumber};
use futures::{FutureExt, Stream, StreamExt};
use jsonrpsee::{
	core::{async_trait, SubscriptionResult},
	proc_macros::rpc,
	PendingSubscriptionSink, RpcModule, SubscriptionMessage, SubscriptionSink,
};
use sc_client_api::BlockchainEvents;
use serde::{Deserialize, Serialize};
use sp_api::ProvideRuntimeApi;
use sp_blockchain::{tree_route, HeaderBackend, HeaderMetadata};
use std::{pin::Pin, sync::Arc, time::Duration};

/// Blocks that a stream catches up on at once: about as many as a node keeps the state of.
const MAX_CATCH_UP: usize = 256;

/// How long a reader may take to make room for an item.
const READER_PATIENCE: Duration = Duration::from_secs(60);

/// Which blocks are told of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finality {
	/// Finalised blocks, which stay.
	#[default]
	Finalized,
	/// Blocks of the best chain, which may be retracted.
	Best,
}

/// What happened in one block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockEvents {
	/// Hash of the block.
	pub block: Hash,
	/// Its height.
	pub number: BlockNumber,
	/// Blocks told of before that are no longer part of the chain this one is part of, newest
	/// first.
	#[serde(default, skip_serializing_if = "Vec::is_empty")]
	pub retracted: Vec<Hash>,
	/// What happened to jobs, in order.
	pub events: Vec<JobEvent>,
}

/// Subscriptions to what happens to jobs.
#[rpc(server, namespace = "assay")]
pub trait EventsApi {
	/// What happens to all jobs, or to one.
	#[subscription(
		name = "subscribeJobEvents" => "jobEvents",
		unsubscribe = "unsubscribeJobEvents",
		item = BlockEvents
	)]
	async fn job_events(
		&self,
		job: Option<JobId>,
		finality: Option<Finality>,
	) -> SubscriptionResult;
}

struct Events<C> {
	client: Arc<C>,
}

/// The subscriptions, fed by the client.
pub fn module<C>(client: Arc<C>) -> RpcModule<impl Send + Sync>
where
	C: ProvideRuntimeApi<Block>
		+ HeaderBackend<Block>
		+ HeaderMetadata<Block, Error = sp_blockchain::Error>
		+ BlockchainEvents<Block>
		+ 'static,
	C::Api: JobsApi<Block>,
{
	Events { client }.into_rpc()
}

#[async_trait]
impl<C> EventsApiServer for Events<C>
where
	C: ProvideRuntimeApi<Block>
		+ HeaderBackend<Block>
		+ HeaderMetadata<Block, Error = sp_blockchain::Error>
		+ BlockchainEvents<Block>
		+ 'static,
	C::Api: JobsApi<Block>,
{
	async fn job_events(
		&self,
		pending: PendingSubscriptionSink,
		job: Option<JobId>,
		finality: Option<Finality>,
	) -> SubscriptionResult {
		let finality = finality.unwrap_or_default();
		let mut news = news(&*self.client, finality);
		let sink = pending.accept().await?;
		let mut told = None;
		loop {
			let head = head(&*self.client, finality);
			for item in since(&*self.client, told, head, job)? {
				send(&sink, &item?).await?;
			}
			told = Some(head);
			// Notifications only wake this task: blocks come from the chain itself, so that none
			// is missed or told twice, however notifications are merged.
			let woken = tokio::select! {
				woken = news.next() => woken,
				() = sink.closed() => None,
			};
			if woken.is_none() {
				return Ok(());
			}
			while let Some(Some(())) = news.next().now_or_never() {}
		}
	}
}

type News = Pin<Box<dyn Stream<Item = ()> + Send>>;

fn news<C: BlockchainEvents<Block>>(client: &C, finality: Finality) -> News {
	match finality {
		Finality::Finalized => client.finality_notification_stream().map(|_| ()).boxed(),
		Finality::Best => client.import_notification_stream().map(|_| ()).boxed(),
	}
}

fn head<C: HeaderBackend<Block>>(client: &C, finality: Finality) -> Hash {
	let info = client.info();
	match finality {
		Finality::Finalized => info.finalized_hash,
		Finality::Best => info.best_hash,
	}
}

/// What happened in the blocks from the one last told of, exclusive, to `head`, inclusive.
fn since<C>(
	client: &C,
	told: Option<Hash>,
	head: Hash,
	job: Option<JobId>,
) -> Result<impl Iterator<Item = Result<BlockEvents, String>> + '_, String>
where
	C: ProvideRuntimeApi<Block>
		+ HeaderBackend<Block>
		+ HeaderMetadata<Block, Error = sp_blockchain::Error>,
	C::Api: JobsApi<Block>,
{
	let (mut retracted, enacted) = match told {
		None => {
			let number = client.number(head).map_err(|e| e.to_string())?.unwrap_or_default();
			(Vec::new(), vec![(head, number)])
		}
		Some(told) => {
			let route = tree_route(client, told, head).map_err(|e| e.to_string())?;
			(
				route.retracted().iter().map(|block| block.hash).collect(),
				route.enacted().iter().map(|block| (block.hash, block.number)).collect(),
			)
		}
	};
	if enacted.len() > MAX_CATCH_UP {
		return Err(format!(
			"the stream fell {} blocks behind, of which the oldest may be pruned: subscribe again",
			enacted.len()
		));
	}
	Ok(enacted.into_iter().map(move |(block, number)| {
		let mut events = client
			.runtime_api()
			.job_events(block)
			.map_err(|e| format!("the events of block {block:?} cannot be read: {e}"))?;
		events.retain(|event| job.is_none_or(|job| event.job == job));
		Ok(BlockEvents { block, number, retracted: std::mem::take(&mut retracted), events })
	}))
}

async fn send(sink: &SubscriptionSink, item: &BlockEvents) -> Result<(), String> {
	let message = SubscriptionMessage::from_json(item).map_err(|e| e.to_string())?;
	sink.send_timeout(message, READER_PATIENCE)
		.await
		.map_err(|e| format!("the reader is too slow or gone: {e}"))
}

#[cfg(test)]
mod tests {
	use super::*;
	use crate::rpc::mock::{Mock, FORK};
	use assay_primitives::views::JobEventKind;

	fn told(from: Option<u8>, to: Hash, job: Option<JobId>) -> Vec<BlockEvents> {
		since(&Mock, from.map(Hash::repeat_byte), to, job)
			.unwrap()
			.collect::<Result<_, _>>()
			.unwrap()
	}

	#[test]
	fn the_first_item_is_the_head() {
		let items = told(None, Hash::repeat_byte(2), None);
		assert_eq!(items.len(), 1);
		assert_eq!((items[0].block, items[0].number), (Hash::repeat_byte(2), 2));
		assert_eq!(items[0].events.len(), 2);
	}

	#[test]
	fn every_block_between_is_told_of() {
		let items = told(Some(1), Hash::repeat_byte(3), None);
		let numbers: Vec<_> = items.iter().map(|item| item.number).collect();
		assert_eq!(numbers, [2, 3]);
		assert!(items.iter().all(|item| item.retracted.is_empty()));
		assert!(told(Some(3), Hash::repeat_byte(3), None).is_empty());
	}

	#[test]
	fn retracted_blocks_are_named_once() {
		let items = told(Some(3), FORK, None);
		let named: Vec<_> = items.iter().map(|item| item.retracted.clone()).collect();
		assert_eq!(named, [vec![Hash::repeat_byte(3), Hash::repeat_byte(2)], vec![]]);
		assert_eq!(items.last().map(|item| item.block), Some(FORK));
	}

	#[test]
	fn events_of_other_jobs_are_left_out_but_not_their_blocks() {
		let items = told(Some(1), Hash::repeat_byte(3), Some(1));
		assert_eq!(items.len(), 2);
		for item in items {
			assert_eq!(item.events, [JobEvent { job: 1, task: None, kind: JobEventKind::Closed }]);
		}
	}

	#[test]
	fn a_stream_too_far_behind_ends() {
		let far = Hash::from_low_u64_be(0x1000);
		let error = since(&Mock, Some(Hash::repeat_byte(1)), far, None).err().unwrap();
		assert!(error.contains("behind"), "{error}");
	}

	#[test]
	fn items_read_as_documented() {
		let item = &told(None, Hash::repeat_byte(1), Some(1))[0];
		assert_eq!(
			serde_json::to_value(item).unwrap(),
			serde_json::json!({
				"block": format!("{:?}", Hash::repeat_byte(1)),
				"number": 1,
				"events": [{ "job": 1, "task": null, "event": "closed" }],
			})
		);
	}
}
