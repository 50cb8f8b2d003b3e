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
	/// Puts `item` down for block `due`, or for the next block if that has passed. Returns the block.
	pub fn put(now: BlockNumber, due: BlockNumber, item: Item) -> BlockNumber {
		let due = due.max(now.saturating_add(1));
		Self::append(due, item);
		due
	}

	fn append(due: BlockNumber, item: Item) {
		let number = Counts::get(due);
		Items::insert(due, number, item);
		Counts::insert(due, number.saturating_add(1));
	}

	/// Works off what is due at `now` or before: `work` is called for each item with the block it
	/// was put down for, and must cost at most `each` of it beside the agenda's own `overhead` per
	/// step. An item that `work` returns is put down for `now`: it has its turn again in this block,
	/// behind all others, if there is weight left.
	///
	/// Returns whether everything due was worked off.
	pub fn run(
		now: BlockNumber,
		meter: &mut WeightMeter,
		overhead: Weight,
		each: impl Fn(&Item) -> Weight,
		mut work: impl FnMut(BlockNumber, Item) -> Option<Item>,
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
			if let Some(item) = Items::get(block, number) {
				if meter.try_consume(each(&item)).is_err() {
					break false;
				}
				Items::remove(block, number);
				if let Some(again) = work(block, item) {
					// Not lost: `now` is not before `block`, so this block is still to be worked off.
					Self::append(now, again);
				}
			}
			number = number.saturating_add(1);
		};
		Cursor::put((block, number));
		done
	}
}
