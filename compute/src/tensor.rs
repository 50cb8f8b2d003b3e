//! Tensors in memory.

use crate::{
	shape::{Shape, ShapeError},
	Dtype,
};
use alloc::{sync::Arc, vec::Vec};

/// A tensor: its shape and its row-major little-endian bytes. Cloning shares the bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tensor {
	shape: Shape,
	data: Arc<Vec<u8>>,
}

/// Bytes that do not make a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TensorError {
	/// The shape is outside the limits.
	#[error("{0}")]
	Shape(ShapeError),
	/// The wrong number of bytes for the shape.
	#[error("{shape} takes {want} bytes, not {got}", want = shape.bytes())]
	Length {
		/// The shape.
		shape: Shape,
		/// The bytes given.
		got: u64,
	},
}

impl Tensor {
	/// A tensor of `shape` from its row-major little-endian bytes.
	pub fn new(shape: Shape, data: Vec<u8>) -> Result<Self, TensorError> {
		let shape = shape.check().map_err(TensorError::Shape)?;
		if data.len() as u64 != shape.bytes() {
			return Err(TensorError::Length { shape, got: data.len() as u64 });
		}
		Ok(Tensor { shape, data: Arc::new(data) })
	}

	/// An i8 tensor from its values in row order.
	pub fn from_i8(rows: u32, cols: u32, values: &[i8]) -> Result<Self, TensorError> {
		Self::new(Shape::new(Dtype::I8, rows, cols), bytemuck::cast_slice(values).to_vec())
	}

	/// An i32 tensor from its values in row order.
	pub fn from_i32(rows: u32, cols: u32, values: &[i32]) -> Result<Self, TensorError> {
		let bytes = values.iter().flat_map(|v| v.to_le_bytes()).collect();
		Self::new(Shape::new(Dtype::I32, rows, cols), bytes)
	}

	/// The shape.
	pub fn shape(&self) -> Shape {
		self.shape
	}

	/// All bytes, row-major.
	pub fn data(&self) -> &[u8] {
		&self.data
	}

	/// All bytes, row-major, without a copy where they are not shared.
	pub fn into_data(self) -> Vec<u8> {
		Arc::try_unwrap(self.data).unwrap_or_else(|shared| shared.to_vec())
	}

	/// The bytes of row `row`; empty past the last row.
	pub fn row(&self, row: u32) -> &[u8] {
		let width = self.shape.row_bytes() as usize;
		let start = (row as usize).saturating_mul(width);
		self.data.get(start..start.saturating_add(width)).unwrap_or(&[])
	}

	/// The bytes of each row in order.
	pub fn rows(&self) -> impl ExactSizeIterator<Item = &[u8]> {
		self.data.chunks_exact((self.shape.row_bytes() as usize).max(1))
	}

	/// The elements of an i8 tensor; empty for i32.
	pub fn as_i8(&self) -> &[i8] {
		match self.shape.dtype {
			Dtype::I8 => bytemuck::cast_slice(&self.data),
			Dtype::I32 => &[],
		}
	}

	/// The elements of an i32 tensor; none for i8.
	pub fn as_i32(&self) -> impl ExactSizeIterator<Item = i32> + '_ {
		let bytes: &[u8] = match self.shape.dtype {
			Dtype::I8 => &[],
			Dtype::I32 => &self.data,
		};
		crate::ops::bytes::i32s(bytes)
	}

	/// One element, widened to i32; `None` outside the tensor.
	pub fn get(&self, row: u32, col: u32) -> Option<i32> {
		crate::ops::bytes::element(self.row(row), self.shape.dtype, col)
	}
}
