//! Lots for other pallets, cast with the entropy that audits are drawn with.

use super::draw::is_drawn;
use crate::{pallet::*, Drawing, WeightInfo};
use alloc::vec::Vec;
use assay_primitives::{
	traits::{Cast, Lots},
	work::TaskId,
};
use codec::Encode;
use frame_support::weights::Weight;
use sp_io::hashing::blake2_256;
use sp_runtime::Perquintill;

impl<T: Config> Lots for Pallet<T> {
	type Lot = Drawing;

	fn begin() -> Drawing {
		let since = Self::now();
		let depth = Parameters::<T>::get().inclusion_depth;
		let next = since.saturating_add(depth).saturating_add(1);
		Drawing { since, next, seen: Default::default() }
	}

	/// The seed is BLAKE2b-256 over ("assay/replicate", subject, block since which it is settled,
	/// outputs). Where too few authors contribute within `draw_timeout` blocks the lot falls: nothing
	/// is trusted for want of entropy.
	fn cast(lot: &mut Drawing, subject: TaskId, rate: Perquintill) -> Cast {
		let now = Self::now();
		let params = Parameters::<T>::get();
		Self::gather(now, lot, &params);
		let wanted = usize::from(params.distinct_authors);
		let outputs = lot.seen.iter().take(wanted).map(|c| c.output).collect::<Vec<_>>();
		if outputs.len() == wanted {
			let seed = (b"assay/replicate", subject, lot.since, outputs).using_encoded(blake2_256);
			return Cast::Fell(is_drawn(seed, rate));
		}
		let end = lot.since.saturating_add(params.draw_timeout);
		if now > end {
			return Cast::Fell(true);
		}
		// Each missing author takes at least one more block, unless some wait in the ring.
		let missing = wanted.saturating_sub(outputs.len()) as u32;
		let due = match lot.next < now {
			true => now.saturating_add(1),
			false => lot.next.saturating_add(missing),
		};
		Cast::Wait(due.min(end.saturating_add(1)))
	}

	fn cast_weight() -> Weight {
		<T as Config>::WeightInfo::cast_lot()
	}
}
