//! A queue of things that fall due at a block, worked off within a weight limit.
//!
//! Any number of items may fall due at one block: each is its own storage entry, so nothing is
//! bounded by a list's size and nothing has to be decoded that is not worked on. What does not fit
//! into a block's meter is taken up in the next one, in order.

use crate::BlockNumber;
use codec::FullCodec;
use frame_support::storage::{StorageDoubleMap, StorageMap, StorageValue};
use sp_weights::{Weight, WeightMeter};

/// An agenda over three storage items of a pallet.
///
/// `Counts`: items ever put down for a block; `Items`: the items by block and number; `Cursor`: the
/// first block and number not yet worked off.
pub struct Agenda<Counts, Items, Cursor, Item>(
	core::marker::PhantomData<(Counts, Items, Cursor, Item)>,
);

impl<Counts, Items, Cursor, Item> Agenda<Counts, Items, Cursor, Item>
where
	Item: FullCodec,
	Counts: StorageMap<BlockNumber, u32, Query = u32>,
	Items: StorageDoubleMap<BlockNumber, u32, Item, Query = Option<Item>>,
	Cursor: StorageValue<(BlockNumber, u32), Query = (BlockNumber, u32)>,
{
	/// Puts `item` down for block `due`, or for the next block if that has passed.
	pub fn put(now: BlockNumber, due: BlockNumber, item: Item) {
		let due = due.max(now.saturating_add(1));
		let number = Counts::get(due);
		Items::insert(due, number, item);
		Counts::insert(due, number.saturating_add(1));
	}

	/// Works off what is due at `now` or before: `work` is called for each item with the block it
	/// was put down for, and must cost at most `each` beside the agenda's own `overhead` per step.
	///
	/// Returns whether everything due was worked off.
	pub fn run(
		now: BlockNumber,
		meter: &mut WeightMeter,
		overhead: Weight,
		each: Weight,
		mut work: impl FnMut(BlockNumber, Item),
	) -> bool {
		if meter.try_consume(overhead).is_err() {
			return false;
		}
		let (mut block, mut number) = Cursor::get();
		let done = loop {
			if block > now {
				break true;
			}
			if meter.try_consume(overhead).is_err() {
				break false;
			}
			if number >= Counts::get(block) {
				Counts::remove(block);
				block = block.saturating_add(1);
				number = 0;
				continue;
			}
			if meter.try_consume(each).is_err() {
				break false;
			}
			if let Some(item) = Items::take(block, number) {
				work(block, item);
			}
			number = number.saturating_add(1);
		};
		Cursor::put((block, number));
		done
	}
}
