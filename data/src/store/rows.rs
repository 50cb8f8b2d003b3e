//! Single rows with their paths, and the hash trees kept to make them.

use super::{file, Kind, Store, StoreError};
use crate::lru::ByteLru;
use assay_compute::{verify_row, GroupTree, Root, Shape};
use codec::{Decode, Encode};
use std::{
	fs::File,
	io::{Read, Seek, SeekFrom},
	ops::Range,
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
	kept: Mutex<ByteLru<Root, Arc<GroupTree>>>,
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

	fn get(&self, root: &Root) -> Option<Arc<GroupTree>> {
		lock(&self.kept).get(root)
	}
}

/// A poisoned cache is still a cache.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
	mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Store {
	/// Whether a tensor is there, judged by its header and length, and has that row.
	pub fn has_row(&self, root: &Root, index: u32) -> Result<bool, StoreError> {
		Ok(self.shape(root)?.is_some_and(|shape| index < shape.rows))
	}

	/// Whether a row of a tensor comes without reading all of it.
	pub fn has_tree(&self, root: &Root) -> bool {
		self.inner.trees.get(root).is_some()
	}

	/// One row of a tensor with its path. `None`: there is no such tensor, or no such row.
	///
	/// The first row of a tensor costs reading and hashing all of it, piece by piece; what is kept of
	/// its tree opens others with what is read of a few.
	pub fn row(&self, root: &Root, index: u32) -> Result<Option<Row>, StoreError> {
		let Some((header, mut file)) = self.open_file(Kind::Tensor, root)? else {
			return Ok(None);
		};
		let Some(shape) = header.shape.filter(|shape| index < shape.rows) else { return Ok(None) };
		let tree = self.tree(root, shape, &mut file)?;
		let rows = tree.group_of(index);
		let at = (index - rows.start) as usize * shape.row_bytes() as usize;
		let group = self.rows(root, shape, &mut file, rows)?;
		let bytes = group.get(at..at + shape.row_bytes() as usize).map(<[u8]>::to_vec);
		let (Some(bytes), Some(path)) = (bytes, tree.prove(index, &group)) else { return Ok(None) };
		// The tree may be older than some damage to the file.
		if !verify_row(root, shape, index, &bytes, &path) {
			return Err(self.damaged(Kind::Tensor, root));
		}
		Ok(Some(Row { bytes, path }))
	}

	fn tree(
		&self,
		root: &Root,
		shape: Shape,
		file: &mut File,
	) -> Result<Arc<GroupTree>, StoreError> {
		let trees = &self.inner.trees;
		if let Some(tree) = trees.get(root) {
			return Ok(tree);
		}
		let _making = lock(&trees.making);
		if let Some(tree) = trees.get(root) {
			return Ok(tree);
		}
		let tree = GroupTree::build(shape, |rows| self.rows(root, shape, file, rows))?;
		if tree.root() != *root {
			return Err(self.damaged(Kind::Tensor, root));
		}
		let tree = Arc::new(tree);
		lock(&trees.kept).insert(*root, tree.clone(), tree.bytes());
		Ok(tree)
	}

	/// The bytes of some rows.
	fn rows(
		&self,
		root: &Root,
		shape: Shape,
		file: &mut File,
		rows: Range<u32>,
	) -> Result<Vec<u8>, StoreError> {
		let width = u64::from(shape.row_bytes());
		let mut bytes = vec![0; rows.len() * width as usize];
		let start = file::HEADER_BYTES as u64 + u64::from(rows.start) * width;
		file.seek(SeekFrom::Start(start))
			.and_then(|_| file.read_exact(&mut bytes))
			.map_err(|error| self.failed(Kind::Tensor, root, error))?;
		Ok(bytes)
	}
}
