//! Where a streaming audit gets the committed data from.

use crate::{
	audit::{MemorySource, OpenRow, TraceSource},
	Root, Tensor,
};
use alloc::string::String;

/// The bytes of one tensor, row after row.
pub trait RowBytes {
	/// Why they could not be had.
	type Error: core::fmt::Display;

	/// Puts the next bytes at the beginning of `into`, which is not empty, and says how many; 0 at
	/// the end. Any split will do; more at once is faster.
	fn read(&mut self, into: &mut [u8]) -> Result<usize, Self::Error>;
}

/// A committed trace read as streams, several at a time. As with
/// [`TraceSource`], everything it returns is verified.
pub trait RowStreams {
	/// Why something could not be had.
	type Error: core::fmt::Display;
	/// A stream of one tensor.
	type Rows: RowBytes<Error = Self::Error>;

	/// The committed tensor root of a node.
	fn tensor_root(&mut self, node: u32) -> Result<Root, Self::Error>;

	/// All rows of a committed tensor from the first on. More bytes than its shape has are not
	/// asked for.
	fn rows(&mut self, node: u32) -> Result<Self::Rows, Self::Error>;

	/// One row of a committed tensor with its path.
	fn row(&mut self, node: u32, row: u32) -> Result<OpenRow, Self::Error>;
}

/// A tensor in memory as a stream.
#[derive(Clone, Debug)]
pub struct MemoryRows {
	tensor: Tensor,
	at: usize,
}

impl MemoryRows {
	/// From the first row on.
	pub fn new(tensor: Tensor) -> Self {
		MemoryRows { tensor, at: 0 }
	}
}

impl RowBytes for MemoryRows {
	type Error = String;

	fn read(&mut self, into: &mut [u8]) -> Result<usize, String> {
		let rest = self.tensor.data().get(self.at..).unwrap_or(&[]);
		let len = rest.len().min(into.len());
		if let (Some(into), Some(now)) = (into.get_mut(..len), rest.get(..len)) {
			into.copy_from_slice(now);
		}
		self.at = self.at.saturating_add(len);
		Ok(len)
	}
}

impl RowStreams for MemorySource {
	type Error = String;
	type Rows = MemoryRows;

	fn tensor_root(&mut self, node: u32) -> Result<Root, String> {
		TraceSource::tensor_root(self, node)
	}

	fn rows(&mut self, node: u32) -> Result<MemoryRows, String> {
		self.tensor(node).map(MemoryRows::new)
	}

	fn row(&mut self, node: u32, row: u32) -> Result<OpenRow, String> {
		TraceSource::row(self, node, row)
	}
}
