//! Reading a tensor piece by piece, with proof that the pieces are the tensor.

use super::{Kind, Store, StoreError};
use assay_compute::{Root, Shape, TensorHasher};
use std::{fs::File, io::Read};

/// Bytes read at a time.
const CHUNK_BYTES: usize = 256 * 1024;

/// Reads a tensor's bytes in order. The last piece comes only if all of them hash to the root, so a
/// damaged file is cut short rather than passed off as the tensor.
pub struct TensorReader {
	store: Store,
	root: Root,
	shape: Shape,
	file: File,
	hasher: Option<TensorHasher>,
	left: u64,
}

impl TensorReader {
	/// `file` stands behind its header.
	pub(super) fn new(store: Store, root: Root, shape: Shape, file: File) -> Self {
		// Fails only for shapes that a header does not have.
		let hasher = TensorHasher::new(shape).ok();
		Self { store, root, shape, file, hasher, left: shape.bytes() }
	}

	/// The tensor's shape.
	pub fn shape(&self) -> Shape {
		self.shape
	}

	/// The next piece, `None` after the last. Blocks on the disk.
	pub fn next_chunk(&mut self) -> Result<Option<Vec<u8>>, StoreError> {
		let length = self.left.min(CHUNK_BYTES as u64) as usize;
		let Some(hasher) = self.hasher.as_mut().filter(|_| length > 0) else { return Ok(None) };
		let mut chunk = vec![0; length];
		self.file
			.read_exact(&mut chunk)
			.map_err(|error| self.store.failed(Kind::Tensor, &self.root, error))?;
		self.left -= length as u64;
		let fits = hasher.push(&chunk).is_ok();
		let whole = self.left > 0
			|| self.hasher.take().and_then(|hasher| hasher.finish().ok()) == Some(self.root);
		if !(fits && whole) {
			self.hasher = None;
			return Err(self.store.damaged(Kind::Tensor, &self.root));
		}
		Ok(Some(chunk))
	}
}
