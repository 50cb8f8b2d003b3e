//! Bᵀ·r of one matrix: what products with it are checked with.

use super::{
	field,
	fold::{NarrowFold, NarrowVector, WideVector},
};
use crate::Shape;

/// A secret vector r and Bᵀ·r for one matrix B. Whoever knows either can make a wrong product pass,
/// so it is never encoded or printed, and is overwritten when it is dropped.
pub struct Projection {
	/// Bᵀ·r.
	left: NarrowVector,
	/// r.
	pub(super) right: WideVector,
	/// Rows and columns of B.
	shape: (u32, u32),
}

/// Bᵀ·r in the making, from the rows of B in order.
pub(super) struct Folding {
	fold: NarrowFold,
	narrow: NarrowVector,
	right: WideVector,
	shape: (u32, u32),
}

impl Folding {
	/// For B of `rows` × `cols`. `stream` sets apart the vectors drawn from one secret.
	pub(super) fn new(secret: &[u8; 32], stream: u32, rows: u32, cols: u32) -> Self {
		let r = field::random_vector(secret, stream, rows as usize);
		let (narrow, right) = (NarrowVector::new(&r), WideVector::new(&r));
		let fold = NarrowFold::new(cols as usize);
		Folding { fold, narrow, right, shape: (rows, cols) }
	}

	pub(super) fn push(&mut self, rows: &[i8]) {
		self.fold.push(rows, &self.narrow);
	}

	pub(super) fn finish(self) -> Projection {
		let folded = zeroize::Zeroizing::new(self.fold.finish());
		Projection { left: NarrowVector::new(&folded), right: self.right, shape: self.shape }
	}
}

impl Projection {
	/// Whether a row of a claimed product C = A·Bᵀ has the projection that its row of A gives. A
	/// wrong row does with probability at most 1 / (2^61 − 1).
	pub(super) fn agrees(&self, a: &[u8], claimed: &[u8]) -> bool {
		self.left.dot(bytemuck::cast_slice(a)) == self.right.dot(claimed)
	}

	/// Whether it is of a matrix of this shape. A program may declare a const with a root that
	/// belongs to another shape, and only reading it would show that.
	pub(super) fn fits(&self, b: Shape) -> bool {
		self.shape == (b.rows, b.cols)
	}

	/// Bytes it takes in memory: 8 a column of B and 12 a row.
	pub fn bytes(&self) -> usize {
		self.left.bytes().saturating_add(self.right.bytes())
	}
}
