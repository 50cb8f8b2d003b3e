//! The committed trace, as audits and proofs ask for it.

use assay_compute::{
	audit::{MemorySource, OpenRow, TraceSource},
	Root, RowTree, Tensor, Trace,
};
use codec::Encode;
use std::collections::BTreeMap;

/// Counts what it hands out.
pub struct Counted {
	inner: MemorySource,
	/// Rows by node.
	pub rows: BTreeMap<u32, u32>,
	/// Bytes of roots, and of rows with their paths.
	pub bytes: usize,
}

impl Counted {
	pub fn new(trace: &Trace) -> Self {
		Counted { inner: MemorySource::new(trace), rows: BTreeMap::new(), bytes: 0 }
	}

	/// Counts anew.
	pub fn reset(&mut self) {
		self.rows.clear();
		self.bytes = 0;
	}

	/// The tensor roots, which are not counted.
	pub fn roots(&mut self, count: u32) -> Result<Vec<Root>, String> {
		(0..count).map(|node| self.inner.tensor_root(node)).collect()
	}
}

impl TraceSource for Counted {
	type Error = String;

	fn tensor_root(&mut self, node: u32) -> Result<Root, String> {
		let root = self.inner.tensor_root(node)?;
		self.bytes += root.len();
		Ok(root)
	}

	fn tensor(&mut self, node: u32) -> Result<Tensor, String> {
		let tensor = self.inner.tensor(node)?;
		self.bytes += tensor.data().len();
		Ok(tensor)
	}

	fn row(&mut self, node: u32, row: u32) -> Result<OpenRow, String> {
		let open = self.inner.row(node, row)?;
		*self.rows.entry(node).or_default() += 1;
		self.bytes += open.encoded_size();
		Ok(open)
	}
}

/// A trace in which one tensor is replaced by another.
pub struct Lied<'a> {
	pub held: &'a mut Counted,
	pub node: u32,
	pub tensor: Tensor,
	pub tree: RowTree,
}

impl TraceSource for Lied<'_> {
	type Error = String;

	fn tensor_root(&mut self, node: u32) -> Result<Root, String> {
		if node == self.node {
			return Ok(self.tree.root());
		}
		self.held.inner.tensor_root(node)
	}

	fn tensor(&mut self, node: u32) -> Result<Tensor, String> {
		if node == self.node {
			return Ok(self.tensor.clone());
		}
		self.held.inner.tensor(node)
	}

	fn row(&mut self, node: u32, row: u32) -> Result<OpenRow, String> {
		if node != self.node {
			return self.held.inner.row(node, row);
		}
		let path = self.tree.prove(row).ok_or_else(|| format!("node {node}: no row {row}"))?;
		Ok(OpenRow { bytes: self.tensor.row(row).to_vec(), path })
	}
}
