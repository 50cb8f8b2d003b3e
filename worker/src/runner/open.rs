//! Opening places of traces in the store.

use super::Failure;
use assay_compute::{
	audit::{Claim, OpenRow, TraceSource},
	proof::demand::{self, TraceHolder, Wanted},
	Root, RowTree, Tensor, ValidProgram,
};
use assay_data::{Store, StoreError};
use codec::Encode;
use std::sync::Arc;

/// Opens a place of a trace that the store has whole.
pub fn open(
	store: &Store,
	program: &ValidProgram,
	claim: &Claim,
	place: &Wanted,
) -> Result<Vec<u8>, Failure> {
	let roots = store.trace(&claim.trace_root)?;
	let roots = roots.ok_or_else(|| Failure::Passing("the trace is not in the store".into()))?;
	let mut stored = Stored { store, roots, last: None };
	let opening = demand::open(program, claim, place, &mut stored);
	opening.map(|opening| opening.encode()).map_err(|error| Failure::Lasting(error.to_string()))
}

/// A trace in the store, one tensor of it in memory.
struct Stored<'a> {
	store: &'a Store,
	roots: Vec<Root>,
	last: Option<(u32, Tensor, Arc<RowTree>)>,
}

/// Why a tensor of the trace cannot be had.
#[derive(Debug, thiserror::Error)]
enum NotStored {
	#[error(transparent)]
	Store(#[from] StoreError),
	#[error("there is no node {0}, or its tensor is not in the store")]
	Missing(u32),
	#[error("tensor {0} has no row {1}")]
	NoRow(u32, u32),
}

impl Stored<'_> {
	fn load(&mut self, node: u32) -> Result<(&Tensor, &Arc<RowTree>), NotStored> {
		if self.last.as_ref().is_none_or(|(at, ..)| *at != node) {
			let at = node as usize;
			let root = self.roots.get(at).ok_or(NotStored::Missing(node))?;
			let tensor = self.store.tensor(root)?.ok_or(NotStored::Missing(node))?;
			let tree = Arc::new(RowTree::new(&tensor));
			self.last = Some((node, tensor, tree));
		}
		let (_, tensor, tree) = self.last.as_ref().ok_or(NotStored::Missing(node))?;
		Ok((tensor, tree))
	}
}

impl TraceSource for Stored<'_> {
	type Error = NotStored;

	fn tensor_root(&mut self, node: u32) -> Result<Root, NotStored> {
		self.roots.get(node as usize).copied().ok_or(NotStored::Missing(node))
	}

	fn tensor(&mut self, node: u32) -> Result<Tensor, NotStored> {
		self.load(node).map(|(tensor, _)| tensor.clone())
	}

	fn row(&mut self, node: u32, row: u32) -> Result<OpenRow, NotStored> {
		let (tensor, tree) = self.load(node)?;
		let path = tree.prove(row).ok_or(NotStored::NoRow(node, row))?;
		Ok(OpenRow { bytes: tensor.row(row).to_vec(), path })
	}
}

impl TraceHolder for Stored<'_> {
	fn tree(&mut self, node: u32) -> Result<Arc<RowTree>, NotStored> {
		self.load(node).map(|(_, tree)| tree.clone())
	}
}
