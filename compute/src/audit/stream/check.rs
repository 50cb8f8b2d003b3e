//! What the checks of one node have in common.

use super::{reader::Reader, source::RowStreams, Limits};
use crate::{
	audit::{kept::Keep, verdict::Stop},
	Root, Shape, ValidProgram,
};

/// Most rows held at once of however narrow tensors: bounds their hashes.
pub(super) const MAX_BLOCK_ROWS: usize = 4_096;

/// The check of one node.
pub(super) struct Check<'c, S> {
	pub program: &'c ValidProgram,
	/// The committed tensor roots.
	pub roots: &'c [Root],
	pub secret: &'c [u8; 32],
	pub source: &'c mut S,
	pub limits: Limits,
	pub keep: &'c mut dyn Keep,
}

impl<S: RowStreams> Check<'_, S> {
	pub fn shape(&self, node: u32) -> Result<Shape, Stop> {
		self.program.shapes().get(node as usize).copied().ok_or_else(|| Stop::no_node(node))
	}

	pub fn root(&self, node: u32) -> Result<Root, Stop> {
		self.roots.get(node as usize).copied().ok_or_else(|| Stop::no_node(node))
	}

	/// Begins to read a node's tensor.
	pub fn read(&mut self, node: u32) -> Result<Reader<S::Rows>, Stop> {
		let (shape, root) = (self.shape(node)?, self.root(node)?);
		let bytes = self.source.rows(node).map_err(|error| Stop::no_data(node, &error))?;
		Reader::new(node, shape, root, bytes, self.block(&[shape]))
	}

	/// Rows to go on by when tensors of these shapes are read in step.
	pub fn block(&self, shapes: &[Shape]) -> u32 {
		let widest = shapes.iter().map(|shape| shape.row_bytes()).max().unwrap_or(1).max(1);
		(self.limits.block_bytes / widest as usize).clamp(1, MAX_BLOCK_ROWS) as u32
	}
}
