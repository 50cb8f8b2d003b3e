//! A tensor on its way, never whole in memory.

use super::{
	download::{Download, Size},
	FetchError, Fetcher, Reason,
};
use crate::root_hex;
use assay_compute::{Root, Shape, TensorHasher};
use axum::body::Bytes;

/// A tensor that arrives piece by piece, hashed on its way: at most the bytes of its shape, and to its
/// end only if they are the tensor's.
pub struct TensorPieces {
	fetcher: Fetcher,
	base: String,
	path: String,
	body: Download,
	root: Root,
	/// Bytes of the shape.
	declared: u64,
	/// `None` once it has ended.
	hasher: Option<TensorHasher>,
}

impl Fetcher {
	/// Begins to fetch a tensor.
	pub async fn tensor_pieces(
		&self,
		base: &str,
		root: &Root,
		shape: Shape,
	) -> Result<TensorPieces, FetchError> {
		let path = format!("v1/tensors/{}", root_hex(root));
		let failed = |reason| self.error(base, &path, reason);
		let declared = self.checked_bytes(shape).map_err(failed)?;
		let hasher = TensorHasher::new(shape)
			.map_err(|_| failed(Reason::BadRequest("no tensor has that shape")))?;
		let body = self.begin(base, &path, Size::Exactly(declared)).await.map_err(failed)?;
		let (fetcher, base, hasher) = (self.clone(), base.to_owned(), Some(hasher));
		Ok(TensorPieces { fetcher, base, path, body, root: *root, declared, hasher })
	}
}

impl TensorPieces {
	/// The next piece; `None` at the end, which comes only if all of them were the tensor.
	pub async fn next(&mut self) -> Result<Option<Bytes>, FetchError> {
		let piece = self.piece().await;
		piece.map_err(|reason| self.error(reason))
	}

	/// What went wrong with it.
	pub fn error(&self, reason: Reason) -> FetchError {
		self.fetcher.error(&self.base, &self.path, reason)
	}

	async fn piece(&mut self) -> Result<Option<Bytes>, Reason> {
		let Some(mut hasher) = self.hasher.take() else { return Ok(None) };
		let Some(piece) = self.fetcher.piece(&mut self.body).await? else {
			return match hasher.finish() {
				Ok(found) if found == self.root => Ok(None),
				_ => Err(Reason::WrongBytes),
			};
		};
		hasher.push(&piece).map_err(|_| Reason::TooLong { allowed: self.declared })?;
		self.hasher = Some(hasher);
		Ok(Some(piece))
	}
}
