//! A cache bounded by the bytes it holds.

use lru::LruCache;
use std::hash::Hash;

/// Least-recently-used cache whose entries together weigh at most a given number of bytes.
pub struct ByteLru<K: Hash + Eq, V> {
	entries: LruCache<K, (V, u64)>,
	held: u64,
	capacity: u64,
}

impl<K: Hash + Eq, V> ByteLru<K, V> {
	/// An empty cache of at most `capacity` bytes; 0 keeps nothing.
	pub fn new(capacity: u64) -> Self {
		Self { entries: LruCache::unbounded(), held: 0, capacity }
	}

	/// A copy of the entry of that key, which becomes the most recently used.
	pub fn get(&mut self, key: &K) -> Option<V>
	where
		V: Clone,
	{
		self.entries.get(key).map(|(value, _)| value.clone())
	}

	/// Keeps `value` of `bytes` bytes, and drops the least recently used as needed. What is heavier
	/// than the whole cache is not kept.
	pub fn insert(&mut self, key: K, value: V, bytes: u64) {
		self.remove(&key);
		if bytes > self.capacity {
			return;
		}
		// Never underflows: bytes <= capacity.
		while self.held > self.capacity - bytes {
			let Some((_, (_, freed))) = self.entries.pop_lru() else { break };
			self.held -= freed;
		}
		self.held += bytes;
		self.entries.put(key, (value, bytes));
	}

	/// Drops the entry of that key.
	pub fn remove(&mut self, key: &K) {
		if let Some((_, freed)) = self.entries.pop(key) {
			self.held -= freed;
		}
	}

	/// Bytes held.
	pub fn bytes(&self) -> u64 {
		self.held
	}
}

#[cfg(test)]
mod tests {
	use super::*;

	#[test]
	fn is_bounded_by_bytes_and_drops_the_oldest() {
		let mut cache = ByteLru::new(10);
		cache.insert("a", 1, 4);
		cache.insert("b", 2, 4);
		assert_eq!(cache.get(&"a"), Some(1));
		cache.insert("c", 3, 4);
		assert_eq!(cache.get(&"b"), None);
		assert_eq!((cache.get(&"a"), cache.bytes()), (Some(1), 8));
		cache.insert("d", 4, 11);
		assert_eq!((cache.get(&"d"), cache.bytes()), (None, 8));
		cache.insert("a", 5, 10);
		assert_eq!((cache.get(&"a"), cache.get(&"c"), cache.bytes()), (Some(5), None, 10));
		cache.remove(&"a");
		assert_eq!(cache.bytes(), 0);
	}
}
