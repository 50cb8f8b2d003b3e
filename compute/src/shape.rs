//! Element types and shapes.

use codec::{Decode, DecodeWithMemTracking, Encode, MaxEncodedLen};

/// Most rows of any tensor.
pub const MAX_ROWS: u32 = 1 << 24;
/// Most bytes of one row: 524,288 i8 or 131,072 i32.
pub const MAX_ROW_BYTES: u32 = 512 * 1024;
/// Most columns of a matrix product's operands: the longest sum of int8 products that fits an i32.
pub const MAX_MATMUL_K: u32 = 131_071;

/// Element type of a tensor, two's complement and little-endian.
#[derive(
	Clone,
	Copy,
	Debug,
	PartialEq,
	Eq,
	PartialOrd,
	Ord,
	Hash,
	Encode,
	Decode,
	DecodeWithMemTracking,
	MaxEncodedLen,
)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "std", serde(rename_all = "lowercase"))]
#[repr(u8)]
pub enum Dtype {
	/// Signed 8-bit integer.
	#[codec(index = 0)]
	I8 = 0,
	/// Signed 32-bit integer.
	#[codec(index = 1)]
	I32 = 1,
}

impl Dtype {
	/// Bytes of one element: 1 or 4.
	pub const fn size(self) -> u32 {
		match self {
			Dtype::I8 => 1,
			Dtype::I32 => 4,
		}
	}

	/// `i8` or `i32`.
	pub const fn name(self) -> &'static str {
		match self {
			Dtype::I8 => "i8",
			Dtype::I32 => "i32",
		}
	}
}

impl core::fmt::Display for Dtype {
	fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
		f.write_str(self.name())
	}
}

/// Shape of a tensor: `rows` × `cols` elements, row-major. A vector is one row.
#[derive(
	Clone, Copy, Debug, PartialEq, Eq, Hash, Encode, Decode, DecodeWithMemTracking, MaxEncodedLen,
)]
pub struct Shape {
	/// Element type.
	pub dtype: Dtype,
	/// Number of rows, 1 to [`MAX_ROWS`] when valid.
	pub rows: u32,
	/// Number of columns, at least 1 and at most [`MAX_ROW_BYTES`] wide when valid.
	pub cols: u32,
}

/// Why a shape is outside the limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ShapeError {
	/// No rows.
	#[error("a tensor needs at least one row")]
	NoRows,
	/// No columns.
	#[error("a tensor needs at least one column")]
	NoCols,
	/// More than [`MAX_ROWS`] rows.
	#[error("{0} rows, at most {MAX_ROWS} are allowed")]
	TooManyRows(u64),
	/// A row wider than [`MAX_ROW_BYTES`].
	#[error("rows of {0} bytes, at most {MAX_ROW_BYTES} are allowed")]
	RowTooWide(u64),
}

impl Shape {
	/// A shape, not yet checked against the limits.
	pub const fn new(dtype: Dtype, rows: u32, cols: u32) -> Self {
		Shape { dtype, rows, cols }
	}

	/// Checks the limits that hold for every tensor.
	pub const fn check(self) -> Result<Self, ShapeError> {
		let width = self.cols as u64 * self.dtype.size() as u64;
		if self.rows == 0 {
			Err(ShapeError::NoRows)
		} else if self.cols == 0 {
			Err(ShapeError::NoCols)
		} else if self.rows > MAX_ROWS {
			Err(ShapeError::TooManyRows(self.rows as u64))
		} else if width > MAX_ROW_BYTES as u64 {
			Err(ShapeError::RowTooWide(width))
		} else {
			Ok(self)
		}
	}

	/// Bytes of one row; saturates for shapes outside the limits.
	pub const fn row_bytes(self) -> u32 {
		self.cols.saturating_mul(self.dtype.size())
	}

	/// Bytes of the whole tensor; saturates for shapes outside the limits.
	pub const fn bytes(self) -> u64 {
		(self.row_bytes() as u64).saturating_mul(self.rows as u64)
	}

	/// Number of elements.
	pub const fn elements(self) -> u64 {
		self.rows as u64 * self.cols as u64
	}

	/// The bytes that bind a shape in a commitment: dtype, u32le rows, u32le cols.
	pub const fn header(self) -> [u8; 9] {
		let [r0, r1, r2, r3] = self.rows.to_le_bytes();
		let [c0, c1, c2, c3] = self.cols.to_le_bytes();
		[self.dtype as u8, r0, r1, r2, r3, c0, c1, c2, c3]
	}
}

impl core::fmt::Display for Shape {
	fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
		write!(f, "{}[{},{}]", self.dtype, self.rows, self.cols)
	}
}
