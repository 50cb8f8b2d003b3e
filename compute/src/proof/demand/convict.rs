//! A fraud proof from answers alone.

use crate::{
	audit::{Fault, FaultKind, OpenRow, TraceSource},
	commit::{merkle::Tree, trace_leaf, Position},
	ops::bytes::first_difference,
	proof::{
		maker::{unavailable, Maker, Named, Roots},
		CannotProve, FraudProof, OpenTensor, Rejected,
	},
	Root, Tensor, ValidProgram,
};

/// Tensor `node` of those that the opening of `at` shows.
pub(super) fn named(at: Position, node: u32, below: &[Root], path: &[Root]) -> Option<Named> {
	let place = node.checked_sub(at.first_below().index)?;
	let root = *below.get(place as usize)?;
	let subtree = Tree::new(below.iter().map(trace_leaf).collect());
	let mut whole = subtree.prove(place)?;
	whole.extend(path);
	Some(Named { node, root, path: whole })
}

/// Proves that a row of the first wrong tensor, as the worker opened it, is not the exact one. All
/// that it depends on lies before it, where the claimed trace is the exact one.
pub(super) fn convict<H: TraceSource>(
	program: &ValidProgram,
	roots: &Roots,
	wrong: &Named,
	row: u32,
	opened: &OpenTensor,
	exact: &mut H,
) -> Result<FraudProof, CannotProve> {
	let node = wrong.node;
	let shape = program.shapes().get(node as usize).ok_or(CannotProve::NoPlace)?;
	let own = exact.row(node, row).map_err(|error| unavailable(node, &error))?;
	let col = first_difference(&own.bytes, &opened.row.bytes, shape.dtype);
	let fault = Fault { node, row, col: col.ok_or(Rejected::NoFault)?, kind: FaultKind::Element };
	let mut evidence = Evidence { exact, node, opened: &opened.row };
	let mut maker = Maker::new(program, roots, &mut evidence);
	maker.wrong = Some(wrong);
	maker.element(&fault)
}

/// The claimed trace as far as it is known: the exact one before a node, and one row of that node.
struct Evidence<'e, H> {
	exact: &'e mut H,
	node: u32,
	opened: &'e OpenRow,
}

impl<H: TraceSource> TraceSource for Evidence<'_, H> {
	type Error = H::Error;

	fn tensor_root(&mut self, node: u32) -> Result<Root, H::Error> {
		self.exact.tensor_root(node)
	}

	fn tensor(&mut self, node: u32) -> Result<Tensor, H::Error> {
		self.exact.tensor(node)
	}

	fn row(&mut self, node: u32, row: u32) -> Result<OpenRow, H::Error> {
		if node == self.node {
			Ok(self.opened.clone())
		} else {
			self.exact.row(node, row)
		}
	}
}
