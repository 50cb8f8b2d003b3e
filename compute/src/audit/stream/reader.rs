//! A tensor that passes by, some rows of it at hand, hashed on its way.

use super::source::RowBytes;
use crate::{audit::verdict::Stop, commit::TensorHasher, Root, Shape};
use alloc::{format, vec::Vec};

pub(super) struct Reader<R> {
	node: u32,
	shape: Shape,
	/// The root that it is to have.
	root: Root,
	bytes: R,
	hasher: TensorHasher,
	/// The rows at hand.
	held: Vec<u8>,
	/// The first of them.
	first: u32,
	/// The first row that has not been read.
	next: u32,
	/// Rows read at once to get past them.
	block: u32,
}

impl<R: RowBytes> Reader<R> {
	pub fn new(node: u32, shape: Shape, root: Root, bytes: R, block: u32) -> Result<Self, Stop> {
		let hasher = TensorHasher::new(shape).map_err(|error| Stop::no_data(node, &error))?;
		Ok(Reader { node, shape, root, bytes, hasher, held: Vec::new(), first: 0, next: 0, block })
	}

	pub fn shape(&self) -> Shape {
		self.shape
	}

	/// The next rows, at most `count`; none after the last.
	pub fn block(&mut self, count: u32) -> Result<Rows<'_>, Stop> {
		let left = self.shape.rows.saturating_sub(self.next);
		self.fill(count.min(left))?;
		Ok(self.rows())
	}

	/// Has rows `start..end` at hand. Windows only move on; one that is at hand stays.
	pub fn window(&mut self, start: u32, end: u32) -> Result<(), Stop> {
		if start >= self.first && end <= self.next {
			return Ok(());
		}
		while self.next < start {
			self.fill(self.block.min(start.saturating_sub(self.next)))?;
		}
		if self.next != start || end > self.shape.rows {
			let why = format!("rows {start} to {end} are not the next ones");
			return Err(Stop::no_data(self.node, &why));
		}
		self.fill(end.saturating_sub(start))
	}

	/// Frees the rows at hand.
	pub fn release(&mut self) {
		self.held = Vec::new();
		self.first = self.next;
	}

	/// The rows at hand.
	pub fn rows(&self) -> Rows<'_> {
		let width = self.shape.row_bytes() as usize;
		Rows { first: self.first, width, bytes: &self.held }
	}

	/// Reads what is left. Only now is it known that everything was the committed tensor's.
	pub fn finish(mut self) -> Result<(), Stop> {
		while self.next < self.shape.rows {
			let left = self.shape.rows.saturating_sub(self.next);
			self.fill(self.block.min(left))?;
		}
		match self.hasher.finish() {
			Ok(root) if root == self.root => Ok(()),
			_ => Err(Stop::no_data(self.node, &"the tensor is not the committed one")),
		}
	}

	/// Takes the next `count` rows instead of those at hand.
	fn fill(&mut self, count: u32) -> Result<(), Stop> {
		let bytes = (count as usize).saturating_mul(self.shape.row_bytes() as usize);
		if bytes > self.held.len() {
			let more = bytes.saturating_sub(self.held.len());
			if self.held.try_reserve_exact(more).is_err() {
				let why = format!("no memory for {bytes} bytes");
				return Err(Stop::no_data(self.node, &why));
			}
		}
		self.held.resize(bytes, 0);
		let mut filled = 0;
		while let Some(rest) = self.held.get_mut(filled..).filter(|rest| !rest.is_empty()) {
			let free = rest.len();
			let got = self.bytes.read(rest).map_err(|error| Stop::no_data(self.node, &error))?;
			if got == 0 || got > free {
				return Err(Stop::no_data(self.node, &"the tensor ends early"));
			}
			filled = filled.saturating_add(got);
		}
		self.hasher.push(&self.held).map_err(|error| Stop::no_data(self.node, &error))?;
		self.first = self.next;
		self.next = self.next.saturating_add(count);
		Ok(())
	}
}

/// Some consecutive rows of a tensor.
#[derive(Clone, Copy)]
pub(super) struct Rows<'r> {
	/// The first of them.
	pub first: u32,
	pub width: usize,
	pub bytes: &'r [u8],
}

impl<'r> Rows<'r> {
	/// Number of rows.
	pub fn len(&self) -> u32 {
		(self.bytes.len() / self.width.max(1)) as u32
	}

	/// A row by its number in the tensor; empty where it is not at hand.
	#[inline(always)]
	pub fn row(&self, row: u32) -> &'r [u8] {
		let place = row.checked_sub(self.first).map(|place| place as usize);
		let start = place.and_then(|place| place.checked_mul(self.width));
		let row = start.and_then(|start| self.bytes.get(start..start.checked_add(self.width)?));
		row.unwrap_or(&[])
	}
}
