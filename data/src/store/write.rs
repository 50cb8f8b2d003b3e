//! Writing a tensor piece by piece, named only if the pieces are the tensor.

use super::{
	file::{self, Header, Staged},
	Kind, Store, StoreError,
};
use crate::root_hex;
use assay_compute::{Root, Shape, TensorHasher};

/// Writes a tensor's bytes in order under a temporary name. Dropped before it is finished, it
/// leaves nothing behind.
pub struct TensorWriter {
	store: Store,
	root: Root,
	staged: Staged,
	/// `None` once the bytes cannot be the tensor any more.
	hasher: Option<TensorHasher>,
}

impl TensorWriter {
	pub(super) fn new(store: Store, root: Root, shape: Shape) -> Result<Self, StoreError> {
		let header = Header { kind: Kind::Tensor, shape: Some(shape), length: shape.bytes() };
		let staged = file::stage(&store.tmp(), root_hex(&root), header, &[])
			.map_err(|error| store.failed(Kind::Tensor, &root, error))?;
		Ok(Self { store, root, staged, hasher: TensorHasher::new(shape).ok() })
	}

	/// Adds bytes. Blocks on the disk.
	pub fn push(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
		// Nothing beyond the shape is written.
		self.hasher =
			self.hasher.take().and_then(|mut hasher| hasher.push(bytes).ok().map(|()| hasher));
		if self.hasher.is_none() {
			return Ok(());
		}
		let written = self.staged.write(bytes);
		written.map_err(|error| self.store.failed(Kind::Tensor, &self.root, error))
	}

	/// Forces the tensor to disk and names it; `false` if the bytes are not the tensor: then nothing
	/// is kept. Blocks on the disk.
	pub fn finish(self) -> Result<bool, StoreError> {
		let Self { store, root, staged, hasher } = self;
		if hasher.and_then(|hasher| hasher.finish().ok()) != Some(root) {
			return Ok(false);
		}
		let dir = store.dir().join(Kind::Tensor.folder());
		file::settle(&dir, vec![staged])
			.map_err(|error| store.failed(Kind::Tensor, &root, error))?;
		Ok(true)
	}
}
