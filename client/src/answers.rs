//! What becomes of a demand, and what was opened in answer to it.

use crate::{
	calls::id,
	chain::{
		runtime_types::assay_primitives::work::{Offence, TaskId as ChainTask},
		verification::events::{Answered, Convicted, DemandVoid, TraceGiven},
	},
	rpc::Block,
	Client, Error,
};
use assay_primitives::{work::TaskId, AccountId, BlockNumber};
use codec::{Decode, Encode};
use subxt::{events::Phase, utils::AccountId32};

/// What became of a demand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
	/// Somebody answered: the bytes, among others perhaps that the same transaction holds. The right
	/// ones verify as the opening of what was demanded.
	Opened(Vec<Vec<u8>>),
	/// The worker gave the trace root of its result: it is part of the commitment now.
	Trace,
	/// The provider was convicted.
	Convicted {
		/// Of silence; else of a lie.
		withheld: bool,
	},
	/// The result was decided otherwise; the price is back.
	Void,
}

impl Client {
	/// Waits for what becomes of the demand that `by` has made about the result of a task, from a block
	/// on that is not later than the answer's.
	///
	/// # Errors
	/// As reads have them. The chain ends every demand, after its window at the latest.
	pub async fn answer_to(
		&self,
		task: TaskId,
		by: &AccountId,
		from: BlockNumber,
	) -> Result<Answer, Error> {
		let mut blocks = self.finalised_blocks_from(from);
		loop {
			let block = blocks.next().await?;
			if let Some(answer) = self.answer_in(block, task, by).await? {
				return Ok(answer);
			}
		}
	}

	async fn answer_in(
		&self,
		block: Block,
		task: TaskId,
		by: &AccountId,
	) -> Result<Option<Answer>, Error> {
		let unreadable = |reason: String| Error::Unreachable { url: self.url().into(), reason };
		let at = self.online().at_block_hash_and_number(block.hash, block.number.into());
		let at = at.await.map_err(|error| unreadable(error.to_string()))?;
		let events = at.events().fetch().await.map_err(|error| unreadable(error.to_string()))?;
		let about = |of: &ChainTask| of.job == task.job && of.index == task.index;
		let own = |whose: &AccountId32| *whose == id(by);
		let mut last = None;
		for event in events.iter() {
			let event = event.map_err(|error| Error::Answer {
				method: "System.Events".into(),
				reason: error.to_string(),
			})?;
			if let Some(Ok(event)) = event.decode_fields_as::<TraceGiven>() {
				if about(&event.task) {
					return Ok(Some(Answer::Trace));
				}
			} else if let Some(Ok(answered)) = event.decode_fields_as::<Answered>() {
				let Phase::ApplyExtrinsic(index) = event.phase() else { continue };
				if !about(&answered.task) || !own(&answered.by) {
					continue;
				}
				let body = self.rpc().body(block.hash).await?;
				let transaction = body.get(index as usize).map_or(&[][..], |bytes| bytes);
				let call = at.metadata_ref().pallet_by_name("Verification").and_then(|pallet| {
					Some([pallet.call_index(), pallet.call_variant_by_name("answer")?.index])
				});
				let call = call.ok_or_else(|| Error::Incompatible("it takes no answers".into()))?;
				return Ok(Some(Answer::Opened(answers_in(transaction, call, task, by))));
			} else if let Some(Ok(event)) = event.decode_fields_as::<Convicted>() {
				if about(&event.task) {
					let withheld = matches!(event.offence, Offence::Withheld(_));
					return Ok(Some(Answer::Convicted { withheld }));
				}
			} else if let Some(Ok(event)) = event.decode_fields_as::<DemandVoid>() {
				if about(&event.task) && own(&event.by) {
					last = Some(Answer::Void);
				}
			}
		}
		Ok(last)
	}
}

/// The bytes of every call in a transaction that answers this demand, however deep it lies within
/// others. Whatever else looks like one is among them.
fn answers_in(transaction: &[u8], call: [u8; 2], task: TaskId, by: &AccountId) -> Vec<Vec<u8>> {
	let head = (call, task, id(by).0).encode();
	let places = transaction.windows(head.len()).enumerate();
	let places = places.filter(|(_, bytes)| *bytes == head).map(|(at, _)| at);
	let answers = places.filter_map(|at| {
		let mut rest = transaction.get(at.saturating_add(head.len())..)?;
		Vec::<u8>::decode(&mut rest).ok()
	});
	answers.collect()
}

#[cfg(test)]
mod tests {
	use super::*;

	#[test]
	fn answers_are_found_within_other_calls() {
		let (task, by) = (TaskId { job: 7, index: 2 }, AccountId::new([9; 32]));
		let call = [40, 12];
		let answer = |bytes: &[u8]| (call, task, [9u8; 32], bytes.to_vec()).encode();
		let found = |transaction: &[u8]| answers_in(transaction, call, task, &by);
		let (one, other) = (answer(&[1; 100]), answer(&[2; 20_000]));
		assert_eq!(found(&[&[0x84, 1, 2][..], &one].concat()), [vec![1; 100]]);
		let batch = [&[3, 0, 8][..], &one, &other, &[0; 9]].concat();
		assert_eq!(found(&batch), [vec![1; 100], vec![2; 20_000]]);
		// Another task, another demander, another call, or cut short.
		assert_eq!(answers_in(&one, call, TaskId { job: 7, index: 3 }, &by).len(), 0);
		assert_eq!(answers_in(&one, call, task, &AccountId::new([8; 32])).len(), 0);
		assert_eq!(answers_in(&one, [40, 11], task, &by).len(), 0);
		assert_eq!(found(&one[..one.len() - 1]).len(), 0);
		assert_eq!(found(&[]).len(), 0);
	}
}
