//! Tensor roots of bytes that arrive in pieces.

use super::{hash::Tag, many::hash_rows, merkle::Stack, tensor::seal, Root};
use crate::{shape::ShapeError, Shape};

/// Rows whose hashes are held at once.
const ROWS_AT_ONCE: usize = 4_096;

/// Hashes a tensor from its bytes in any split, in memory of some hundred kilobytes; fastest with
/// many whole rows at a time. Bytes beyond the shape are refused at once, so a sender cannot make
/// the receiver read more than was declared.
#[derive(Clone, Debug)]
pub struct TensorHasher {
	shape: Shape,
	rows: Stack,
	row: blake3::Hasher,
	/// Bytes still missing of the current row.
	row_left: usize,
	/// Rows still missing, the current one included.
	rows_left: u32,
}

/// Bytes that do not make a tensor of the declared shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HasherError {
	/// The shape is outside the limits.
	#[error("{0}")]
	Shape(ShapeError),
	/// More bytes than the shape has.
	#[error("more bytes than the shape has")]
	TooLong,
	/// Fewer bytes than the shape has.
	#[error("{missing} bytes are missing")]
	TooShort {
		/// How many.
		missing: u64,
	},
}

fn new_row() -> blake3::Hasher {
	let mut row = blake3::Hasher::new();
	row.update(&[Tag::Row as u8]);
	row
}

impl TensorHasher {
	/// Begins a tensor of `shape`.
	pub fn new(shape: Shape) -> Result<Self, HasherError> {
		let shape = shape.check().map_err(HasherError::Shape)?;
		Ok(TensorHasher {
			shape,
			rows: Stack::default(),
			row: new_row(),
			row_left: shape.row_bytes() as usize,
			rows_left: shape.rows,
		})
	}

	/// Bytes still to come.
	pub fn missing(&self) -> u64 {
		let whole = u64::from(self.rows_left.saturating_sub(1));
		match self.rows_left {
			0 => 0,
			_ => whole * u64::from(self.shape.row_bytes()) + self.row_left as u64,
		}
	}

	/// Hashes the next bytes.
	pub fn push(&mut self, mut bytes: &[u8]) -> Result<(), HasherError> {
		if bytes.len() as u64 > self.missing() {
			return Err(HasherError::TooLong);
		}
		while !bytes.is_empty() {
			let width = self.shape.row_bytes() as usize;
			if self.row_left == width && bytes.len() >= width {
				let rows = (bytes.len() / width.max(1)).min(ROWS_AT_ONCE);
				let (now, later) = bytes.split_at(rows.saturating_mul(width));
				self.rows.extend(&hash_rows(Tag::Row, width, now));
				self.rows_left = self.rows_left.saturating_sub(rows as u32);
				bytes = later;
				continue;
			}
			let (now, later) = bytes.split_at(self.row_left.min(bytes.len()));
			self.row.update(now);
			bytes = later;
			self.row_left = self.row_left.saturating_sub(now.len());
			if self.row_left == 0 {
				let row = core::mem::replace(&mut self.row, new_row());
				self.rows.push(*row.finalize().as_bytes());
				self.rows_left = self.rows_left.saturating_sub(1);
				self.row_left = self.shape.row_bytes() as usize;
			}
		}
		Ok(())
	}

	/// The tensor root, once every byte has come.
	pub fn finish(self) -> Result<Root, HasherError> {
		let missing = self.missing();
		match self.rows.finish() {
			Some(rows) if missing == 0 => Ok(seal(self.shape, &rows)),
			_ => Err(HasherError::TooShort { missing }),
		}
	}
}
