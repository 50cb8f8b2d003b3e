//! Single rows with their paths, and the hash trees kept to make them.

use super::{file, Kind, Store, StoreError};
use crate::lru::ByteLru;
use assay_compute::{verify_row, Root, RowTree, Shape};
use codec::{Decode, Encode};
use std::{
	io::{Read, Seek, SeekFrom},
	sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// A row and the path that proves it, as the data plane sends it.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct Row {
	/// The row's bytes.
	pub bytes: Vec<u8>,
	/// Sibling hashes from the row's leaf upwards.
	pub path: Vec<Root>,
}

/// Trees of the tensors whose rows were asked for lately.
pub(super) struct Trees {
	kept: Mutex<ByteLru<Root, Arc<RowTree>>>,
	/// Held while a tree is made: one at a time, and never the same one twice.
	making: Mutex<()>,
}

impl Trees {
	pub(super) fn new(capacity: u64) -> Self {
		Self { kept: Mutex::new(ByteLru::new(capacity)), making: Mutex::new(()) }
	}

	pub(super) fn forget(&self, root: &Root) {
		lock(&self.kept).remove(root);
	}

	fn get(&self, root: &Root) -> Option<Arc<RowTree>> {
		lock(&self.kept).get(root)
	}
}

/// A poisoned cache is still a cache.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
	mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Bytes of a tree over that many rows.
fn tree_bytes(shape: Shape) -> u64 {
	u64::from(shape.rows) * 64
}

impl Store {
	/// One row of a tensor with its path. `None`: there is no such tensor, or no such row.
	///
	/// The first row of a tensor costs reading and hashing all of it; its tree is then kept.
	pub fn row(&self, root: &Root, index: u32) -> Result<Option<Row>, StoreError> {
		let Some((header, mut file)) = self.open_file(Kind::Tensor, root)? else {
			return Ok(None);
		};
		let Some(shape) = header.shape.filter(|shape| index < shape.rows) else { return Ok(None) };
		let Some(tree) = self.tree(root, shape)? else { return Ok(None) };
		let mut bytes = vec![0; shape.row_bytes() as usize];
		let start = file::HEADER_BYTES as u64 + u64::from(index) * u64::from(shape.row_bytes());
		file.seek(SeekFrom::Start(start))
			.and_then(|_| file.read_exact(&mut bytes))
			.map_err(|error| self.failed(Kind::Tensor, root, error))?;
		let Some(path) = tree.prove(index) else { return Ok(None) };
		// The tree may be older than some damage to the file.
		if !verify_row(root, shape, index, &bytes, &path) {
			return Err(self.damaged(Kind::Tensor, root));
		}
		Ok(Some(Row { bytes, path }))
	}

	fn tree(&self, root: &Root, shape: Shape) -> Result<Option<Arc<RowTree>>, StoreError> {
		let trees = &self.inner.trees;
		if let Some(tree) = trees.get(root) {
			return Ok(Some(tree));
		}
		let _making = lock(&trees.making);
		if let Some(tree) = trees.get(root) {
			return Ok(Some(tree));
		}
		let Some(tensor) = self.tensor(root)? else { return Ok(None) };
		let tree = Arc::new(RowTree::new(&tensor));
		lock(&trees.kept).insert(*root, tree.clone(), tree_bytes(shape));
		Ok(Some(tree))
	}
}
