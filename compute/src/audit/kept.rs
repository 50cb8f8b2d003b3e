//! Projections of weights kept over many audits. Folding the weights is most of what checking a
//! small batch costs, and they are the same from task to task.

use super::folded::Projection;
use crate::{Root, Shape};
use alloc::{collections::BTreeMap, sync::Arc};

/// Keeps projections of weights between audits. `()` keeps none.
///
/// Soundness: r is uniform over the field of p = 2^61 − 1 elements, so one wrong product passes
/// with probability at most 1/p. As long as none has passed, every verdict is the one that the
/// worker expects (it knows which products it falsified, and their exact places follow from the
/// exact product, not from r), so verdicts teach it nothing and its products might as well all have
/// been chosen beforehand. By the union bound any of q wrong products checked with one r passes
/// with probability at most q/p: 2^−41 after 2^20 uses.
pub trait Keep {
	/// The projection kept for the const with this root.
	fn get(&mut self, weights: &Root) -> Option<Arc<Projection>>;

	/// Takes a projection to keep. It was made from bytes that hash to `weights`.
	fn put(&mut self, weights: &Root, projection: &Arc<Projection>);
}

impl Keep for () {
	fn get(&mut self, _: &Root) -> Option<Arc<Projection>> {
		None
	}

	fn put(&mut self, _: &Root, _: &Arc<Projection>) {}
}

/// Shared between audits that run at the same time.
#[cfg(feature = "std")]
impl<K: Keep> Keep for &std::sync::Mutex<K> {
	fn get(&mut self, weights: &Root) -> Option<Arc<Projection>> {
		self.lock().unwrap_or_else(std::sync::PoisonError::into_inner).get(weights)
	}

	fn put(&mut self, weights: &Root, projection: &Arc<Projection>) {
		self.lock().unwrap_or_else(std::sync::PoisonError::into_inner).put(weights, projection)
	}
}

/// Projections kept in memory, bounded in bytes and in uses; the one used longest ago goes first.
pub struct Kept {
	capacity: usize,
	uses: u32,
	bytes: usize,
	clock: u64,
	entries: BTreeMap<Root, Entry>,
}

struct Entry {
	projection: Arc<Projection>,
	/// Products that it may still check.
	uses: u32,
	/// When it was last used.
	used: u64,
}

impl Kept {
	/// Keeps at most `capacity` bytes, and each projection for at most `uses` products: then a new
	/// r is drawn.
	pub fn new(capacity: usize, uses: u32) -> Self {
		Kept { capacity, uses, bytes: 0, clock: 0, entries: BTreeMap::new() }
	}

	/// Bytes kept.
	pub fn bytes(&self) -> usize {
		self.bytes
	}

	/// Number of projections kept.
	pub fn len(&self) -> usize {
		self.entries.len()
	}

	/// Whether none is kept.
	pub fn is_empty(&self) -> bool {
		self.entries.is_empty()
	}

	/// Whether there is a projection of weights of that shape. To ask is no use of it.
	pub fn has(&self, weights: &Root, shape: Shape) -> bool {
		self.entries.get(weights).is_some_and(|entry| entry.projection.fits(shape))
	}

	fn remove(&mut self, weights: &Root) {
		if let Some(entry) = self.entries.remove(weights) {
			self.bytes = self.bytes.saturating_sub(entry.projection.bytes());
		}
	}
}

impl Keep for Kept {
	fn get(&mut self, weights: &Root) -> Option<Arc<Projection>> {
		self.clock = self.clock.saturating_add(1);
		let entry = self.entries.get_mut(weights)?;
		entry.used = self.clock;
		entry.uses = entry.uses.saturating_sub(1);
		let (projection, spent) = (entry.projection.clone(), entry.uses == 0);
		if spent {
			self.remove(weights);
		}
		Some(projection)
	}

	fn put(&mut self, weights: &Root, projection: &Arc<Projection>) {
		self.remove(weights);
		// The product that it was made for was its first use.
		let uses = self.uses.saturating_sub(1);
		if uses == 0 || projection.bytes() > self.capacity {
			return;
		}
		self.clock = self.clock.saturating_add(1);
		self.bytes = self.bytes.saturating_add(projection.bytes());
		let entry = Entry { projection: projection.clone(), uses, used: self.clock };
		self.entries.insert(*weights, entry);
		while self.bytes > self.capacity {
			let oldest = self.entries.iter().min_by_key(|(_, entry)| entry.used);
			let Some(oldest) = oldest.map(|(weights, _)| *weights) else { break };
			self.remove(&oldest);
		}
	}
}

#[cfg(test)]
mod tests {
	use super::{super::folded::Folding, *};

	fn made(secret: u8) -> Arc<Projection> {
		let mut folding = Folding::new(&[secret; 32], 0, 4, 3);
		folding.push(&[1, -2, 3, 4, 5, -6, 7, 8, 9, -10, 11, 12]);
		Arc::new(folding.finish())
	}

	/// Bytes of one of them: 8 for each of 3 columns, 12 for each of 4 rows.
	const BYTES: usize = 72;

	/// After its last use a projection is gone, and the one made then has another r.
	#[test]
	fn a_projection_is_used_so_often_and_then_drawn_anew() {
		let mut kept = Kept::new(1_000, 3);
		let first = made(1);
		assert_eq!(first.bytes(), BYTES);
		kept.put(&[7; 32], &first);
		assert_eq!(kept.bytes(), BYTES);
		let shape = |rows, cols| Shape::new(crate::Dtype::I8, rows, cols);
		for _ in 0..9 {
			assert!(kept.has(&[7; 32], shape(4, 3)) && !kept.has(&[7; 32], shape(3, 4)));
			assert!(!kept.has(&[8; 32], shape(4, 3)));
		}
		for _ in 0..2 {
			assert!(kept.get(&[7; 32]).is_some_and(|kept| Arc::ptr_eq(&kept, &first)));
		}
		assert!(kept.get(&[7; 32]).is_none() && !kept.has(&[7; 32], shape(4, 3)));
		assert_eq!((kept.bytes(), kept.len()), (0, 0));
		// The row of A is (1, 0, 0), so the product's row is the first column of B.
		let (a, right) = ([1u8, 0, 0], [1, 4, 7, -10].map(i32::to_le_bytes));
		let second = made(2);
		for projection in [&first, &second] {
			assert!(projection.agrees(&a, right.as_flattened()));
		}
		// What passes with the first r alone does not with the second: e such that e·r = 0.
		let difference = |projection: &Projection| projection.right.dot(&[1, 0, 0, 0]);
		assert_ne!(difference(&first), difference(&second));
	}

	#[test]
	fn the_one_used_longest_ago_makes_room() {
		let mut kept = Kept::new(2 * BYTES, 100);
		for weights in [1, 2] {
			kept.put(&[weights; 32], &made(weights));
		}
		assert!(kept.get(&[1; 32]).is_some());
		kept.put(&[3; 32], &made(3));
		assert_eq!((kept.len(), kept.bytes()), (2, 2 * BYTES));
		assert!(kept.get(&[2; 32]).is_none());
		assert!(kept.get(&[1; 32]).is_some() && kept.get(&[3; 32]).is_some());
		// One that is put again counts once; one that is too large is not kept.
		kept.put(&[3; 32], &made(4));
		assert_eq!((kept.len(), kept.bytes()), (2, 2 * BYTES));
		let mut small = Kept::new(BYTES - 1, 100);
		small.put(&[1; 32], &made(1));
		assert!(small.is_empty());
	}
}
