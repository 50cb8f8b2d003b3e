//! Opening the places that a proof needs.

use super::{
	make::CannotProve,
	open::{FraudProof, OpenNode, OpenOperand, OpenTensor},
};
use crate::{
	audit::{Fault, OpenRow, TraceSource},
	commit::{self, merkle::Tree, path_beside, trace_leaf, verify_row, Position},
	Root, RowError, ValidProgram,
};
use alloc::{collections::BTreeMap, string::ToString, vec::Vec};

/// A committed tensor, opened.
#[derive(Clone, Debug)]
pub(super) struct Named {
	/// Its node.
	pub node: u32,
	/// Its committed root.
	pub root: Root,
	/// Path from there to the trace root.
	pub path: Vec<Root>,
}

/// The roots of a trace's tensors, and the tree over them.
#[derive(Clone, Debug)]
pub(super) struct Roots {
	pub roots: Vec<Root>,
	pub trace: Tree,
}

impl Roots {
	pub fn new(roots: Vec<Root>) -> Self {
		let trace = commit::trace_tree(&roots);
		Roots { roots, trace }
	}

	/// The root and path of a node's tensor. With `wrong`, in a trace that is the same before that
	/// tensor and has it instead.
	fn open(&self, node: u32, wrong: Option<&Named>) -> Option<(Root, Vec<Root>)> {
		let root = *self.roots.get(node as usize)?;
		let path = match wrong {
			None => self.trace.prove(node)?,
			Some(wrong) if wrong.node == node => return Some((wrong.root, wrong.path.clone())),
			Some(Named { node: first, root, path }) => {
				path_beside(&self.trace, node, *first, trace_leaf(root), path)?
			}
		};
		Some((root, path))
	}

	/// The tensor roots that the opening of a position shows.
	pub fn shown(&self, at: Position) -> Option<&[Root]> {
		let first = at.first_below().index as usize;
		let count = at.places_below(self.trace.leaves()) as usize;
		self.roots.get(first..first.saturating_add(count))
	}
}

pub(super) struct Maker<'m, S> {
	pub program: &'m ValidProgram,
	pub roots: &'m Roots,
	/// The first tensor that is not the one of `roots`.
	pub wrong: Option<&'m Named>,
	pub source: &'m mut S,
	nodes: Tree,
}

impl<'m, S: TraceSource> Maker<'m, S> {
	pub fn new(program: &'m ValidProgram, roots: &'m Roots, source: &'m mut S) -> Self {
		Maker { program, roots, wrong: None, source, nodes: commit::node_tree(program) }
	}

	pub fn node(&self, index: u32) -> Result<OpenNode, CannotProve> {
		let (nodes, shapes) = (self.program.nodes(), self.program.shapes());
		let opened = nodes.get(index as usize).zip(shapes.get(index as usize));
		let ((node, shape), path) =
			opened.zip(self.nodes.prove(index)).ok_or(CannotProve::NoPlace)?;
		Ok(OpenNode { node: node.clone(), shape: *shape, path })
	}

	pub fn tensor(&self, node: u32) -> Result<(Root, Vec<Root>), CannotProve> {
		self.roots.open(node, self.wrong).ok_or(CannotProve::NoPlace)
	}

	/// A committed row, checked, so that a bad answer of the source is told from a bad proof.
	pub fn row(&mut self, node: u32, row: u32) -> Result<OpenTensor, CannotProve> {
		let (root, path) = self.tensor(node)?;
		let shape = *self.program.shapes().get(node as usize).ok_or(CannotProve::NoPlace)?;
		if row >= shape.rows {
			return Err(CannotProve::NoPlace);
		}
		let open: OpenRow =
			self.source.row(node, row).map_err(|error| unavailable(node, &error))?;
		if !verify_row(&root, shape, row, &open.bytes, &open.path) {
			return Err(unavailable(node, &"the row does not open to the committed root"));
		}
		Ok(OpenTensor { root, path, row: open })
	}

	pub fn declared(&self, node: u32) -> Result<FraudProof, CannotProve> {
		let (root, path) = self.tensor(node)?;
		Ok(FraudProof::Declared { node, opened: self.node(node)?, root, path })
	}

	pub fn output(&self) -> Result<FraudProof, CannotProve> {
		let (root, path) = self.tensor(self.program.output())?;
		Ok(FraudProof::Output { root, path })
	}

	pub fn element(&mut self, fault: &Fault) -> Result<FraudProof, CannotProve> {
		let Fault { node, row, col, .. } = *fault;
		let step = self.program.step(node).ok_or(CannotProve::NoPlace)?;
		let operands: Vec<u32> = step.node.operands().collect();
		let mut rows: BTreeMap<u32, OpenTensor> = BTreeMap::new();
		// Computing the element tells which rows it depends on.
		let fetch = |slot: u32, row: u32| {
			let operand = operands.get(slot as usize).ok_or(CannotProve::NoPlace)?;
			let open = self.row(*operand, row)?;
			let bytes = open.row.bytes.clone();
			rows.insert(slot, open);
			Ok(bytes)
		};
		step.element(row, col, fetch).map_err(|error| match error {
			RowError::Fetch(why) => why,
			_ => CannotProve::NoPlace,
		})?;
		let needed = rows.keys().last().map_or(0, |slot| slot.saturating_add(1));
		let mut opened = Vec::new();
		for (slot, operand) in (0..needed).zip(&operands) {
			opened.push(OpenOperand { opened: self.node(*operand)?, row: rows.remove(&slot) });
		}
		let (at, claimed) = (self.node(node)?, self.row(node, row)?);
		Ok(FraudProof::Element { node, row, col, opened: at, operands: opened, claimed })
	}
}

pub(super) fn unavailable(node: u32, why: &dyn core::fmt::Display) -> CannotProve {
	CannotProve::Unavailable { node, why: why.to_string() }
}
