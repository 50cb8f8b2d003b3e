//! Making a fraud proof of what an audit found.

use super::{
	open::{FraudProof, OpenNode, OpenOperand, OpenTensor},
	verify::{verify, Rejected, Statement},
};
use crate::{
	audit::{Claim, Fault, FaultKind, OpenRow, TraceSource},
	commit::{self, merkle::Tree, verify_row},
	Root, RowError, ValidProgram,
};
use alloc::{
	collections::BTreeMap,
	string::{String, ToString},
	vec::Vec,
};

/// Why there is no proof.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CannotProve {
	/// What it has to open could not be had.
	#[error("node {node}: {why}")]
	Unavailable {
		/// The node.
		node: u32,
		/// Why.
		why: String,
	},
	/// The place is not in the program.
	#[error("the program has no such place")]
	NoPlace,
	/// The proof shows no fault.
	#[error("the proof would not hold: {0}")]
	Rejected(#[from] Rejected),
}

/// Proves a fault that an audit found, from the committed data. What is returned is verified.
pub fn prove<S: TraceSource>(
	program: &ValidProgram,
	claim: &Claim,
	fault: &Fault,
	source: &mut S,
) -> Result<FraudProof, CannotProve> {
	let mut maker = Maker::new(program, source)?;
	let proof = match fault.kind {
		FaultKind::Element => maker.element(fault)?,
		FaultKind::Root => {
			let (root, path) = maker.tensor(fault.node)?;
			FraudProof::Declared { node: fault.node, opened: maker.node(fault.node)?, root, path }
		}
		FaultKind::Output => {
			let (root, path) = maker.tensor(program.output())?;
			FraudProof::Output { root, path }
		}
	};
	let inputs: Vec<u32> = program.inputs().into_iter().map(|(node, _)| node).collect();
	let id = program.id();
	let statement = Statement { program: &id, nodes: program.len(), inputs: &inputs, claim };
	verify(&statement, &proof)?;
	Ok(proof)
}

struct Maker<'a, S> {
	program: &'a ValidProgram,
	nodes: Tree,
	roots: Vec<Root>,
	trace: Tree,
	source: &'a mut S,
}

impl<'a, S: TraceSource> Maker<'a, S> {
	fn new(program: &'a ValidProgram, source: &'a mut S) -> Result<Self, CannotProve> {
		let root = |node| source.tensor_root(node).map_err(|error| unavailable(node, &error));
		let roots = (0..program.len()).map(root).collect::<Result<Vec<_>, _>>()?;
		let (nodes, trace) = (commit::node_tree(program), commit::trace_tree(&roots));
		Ok(Self { program, nodes, roots, trace, source })
	}

	fn node(&self, index: u32) -> Result<OpenNode, CannotProve> {
		let (nodes, shapes) = (self.program.nodes(), self.program.shapes());
		let opened = nodes.get(index as usize).zip(shapes.get(index as usize));
		let ((node, shape), path) =
			opened.zip(self.nodes.prove(index)).ok_or(CannotProve::NoPlace)?;
		Ok(OpenNode { node: node.clone(), shape: *shape, path })
	}

	fn tensor(&self, node: u32) -> Result<(Root, Vec<Root>), CannotProve> {
		let root = self.roots.get(node as usize).copied();
		root.zip(self.trace.prove(node)).ok_or(CannotProve::NoPlace)
	}

	/// A committed row, checked, so that a bad answer of the source is told from a bad proof.
	fn row(&mut self, node: u32, row: u32) -> Result<OpenTensor, CannotProve> {
		let (root, path) = self.tensor(node)?;
		let shape = *self.program.shapes().get(node as usize).ok_or(CannotProve::NoPlace)?;
		let open: OpenRow =
			self.source.row(node, row).map_err(|error| unavailable(node, &error))?;
		if !verify_row(&root, shape, row, &open.bytes, &open.path) {
			return Err(unavailable(node, &"the row does not open to the committed root"));
		}
		Ok(OpenTensor { root, path, row: open })
	}

	fn element(&mut self, fault: &Fault) -> Result<FraudProof, CannotProve> {
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

fn unavailable(node: u32, why: &dyn core::fmt::Display) -> CannotProve {
	CannotProve::Unavailable { node, why: why.to_string() }
}
