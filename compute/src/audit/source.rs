//! Where an audit gets the committed data from.

use crate::{proof::demand::TraceHolder, Root, RowTree, Tensor, Trace};
use alloc::{string::String, sync::Arc, vec::Vec};

/// One opened row.
#[derive(
	Clone, Debug, PartialEq, Eq, codec::Encode, codec::Decode, codec::DecodeWithMemTracking,
)]
pub struct OpenRow {
	/// Its bytes.
	pub bytes: Vec<u8>,
	/// The path to the tensor root.
	pub path: Vec<Root>,
}

/// A committed trace, mostly far away and held by someone who is not trusted: everything it returns
/// is verified by the audit against roots and declared shapes.
pub trait TraceSource {
	/// Why something could not be had.
	type Error: core::fmt::Display;

	/// The committed tensor root of a node.
	fn tensor_root(&mut self, node: u32) -> Result<Root, Self::Error>;

	/// A whole committed tensor.
	fn tensor(&mut self, node: u32) -> Result<Tensor, Self::Error>;

	/// One row of a committed tensor with its path.
	fn row(&mut self, node: u32, row: u32) -> Result<OpenRow, Self::Error>;
}

/// A trace in memory, with the trees to open its rows.
#[derive(Clone, Debug)]
pub struct MemorySource {
	tensors: Vec<(Tensor, Arc<RowTree>)>,
}

impl MemorySource {
	/// Hashes every tensor of the trace.
	pub fn new(trace: &Trace) -> Self {
		let open = |tensor: &Tensor| (tensor.clone(), Arc::new(RowTree::new(tensor)));
		MemorySource { tensors: trace.tensors.iter().map(open).collect() }
	}

	fn get(&self, node: u32) -> Result<&(Tensor, Arc<RowTree>), String> {
		self.tensors.get(node as usize).ok_or_else(|| alloc::format!("node {node}: no such node"))
	}
}

impl TraceSource for MemorySource {
	type Error = String;

	fn tensor_root(&mut self, node: u32) -> Result<Root, String> {
		self.get(node).map(|(_, tree)| tree.root())
	}

	fn tensor(&mut self, node: u32) -> Result<Tensor, String> {
		self.get(node).map(|(tensor, _)| tensor.clone())
	}

	fn row(&mut self, node: u32, row: u32) -> Result<OpenRow, String> {
		let (tensor, tree) = self.get(node)?;
		match tree.prove(row) {
			Some(path) => Ok(OpenRow { bytes: tensor.row(row).to_vec(), path }),
			None => Err(alloc::format!("node {node}: no row {row}")),
		}
	}
}

impl TraceHolder for MemorySource {
	fn tree(&mut self, node: u32) -> Result<Arc<RowTree>, String> {
		self.get(node).map(|(_, tree)| tree.clone())
	}
}
