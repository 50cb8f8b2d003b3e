//! Execution again, comparing roots. Exactness makes the right trace unique, so the first committed
//! root that differs is the lie. Moves 32 bytes a node, and to name the place a logarithm of rows.

use super::{
	claim::Claim,
	exact::Place,
	source::{OpenRow, TraceSource},
	verdict::{Fault, Stop, Verdict},
};
use crate::{
	commit::{merkle, tensor_root, verify_row, RowTree},
	exec::{ExecError, Prepared},
	ops::bytes::first_difference,
	Node, Observer, Root, Shape, Tensor, ValidProgram,
};
use alloc::{
	collections::BTreeMap,
	format,
	string::{String, ToString},
	vec::Vec,
};

/// Executes `program` on `tensors` (inputs and consts by node index) and compares with the trace
/// committed in `claim`, of which `source` gives roots and single rows.
pub fn audit<S: TraceSource>(
	program: &ValidProgram,
	claim: &Claim,
	tensors: &BTreeMap<u32, Tensor>,
	source: &mut S,
) -> Verdict {
	audit_with(program, claim, tensors, source, &mut ())
}

/// [`audit`] with progress and a way to stop, after which the verdict is [`Verdict::Unavailable`].
/// The observer is told of the nodes that are right.
pub fn audit_with<S: TraceSource>(
	program: &ValidProgram,
	claim: &Claim,
	tensors: &BTreeMap<u32, Tensor>,
	source: &mut S,
	observer: &mut dyn Observer,
) -> Verdict {
	let is_const =
		|node: &u32| matches!(program.nodes().get(*node as usize), Some(Node::Const { .. }));
	let (consts, inputs) = tensors
		.iter()
		.map(|(node, tensor)| (*node, tensor.clone()))
		.partition::<BTreeMap<_, _>, _>(|(node, _)| is_const(node));
	match Prepared::new(program, consts) {
		Ok(prepared) => audit_observed(&prepared, claim, inputs, source, observer),
		Err(error) => Verdict::Unavailable(error.to_string()),
	}
}

/// [`audit`] with consts that were checked before, for many tasks of one program.
pub fn audit_prepared<S: TraceSource>(
	prepared: &Prepared<'_>,
	claim: &Claim,
	inputs: BTreeMap<u32, Tensor>,
	source: &mut S,
) -> Verdict {
	audit_observed(prepared, claim, inputs, source, &mut ())
}

fn audit_observed<S: TraceSource>(
	prepared: &Prepared<'_>,
	claim: &Claim,
	inputs: BTreeMap<u32, Tensor>,
	source: &mut S,
	observer: &mut dyn Observer,
) -> Verdict {
	let program = prepared.program();
	let check = || {
		let roots = committed_roots(program, source)?;
		claim.check_roots(program, &roots)?;
		let mut seen_inputs = 0;
		let mut outcome = Ok(());
		let run = prepared.run(inputs, &mut |index, tensor| {
			let node = program.nodes().get(index as usize);
			let declared = node.and_then(|node| claim.declared(node, &mut seen_inputs));
			let committed = roots.get(index as usize).copied().unwrap_or_default();
			outcome = compare(index, tensor, node, declared, &committed, source);
			outcome.is_ok() && observer.node_done(index, program.len())
		});
		outcome?;
		run.map_err(|error: ExecError| Stop::Unavailable(error.to_string()))?;
		claim.check_output(program, &roots)
	};
	check().into()
}

/// The committed tensor root of every node, not yet held against the trace root.
pub(super) fn committed_roots<S: TraceSource>(
	program: &ValidProgram,
	source: &mut S,
) -> Result<Vec<Root>, Stop> {
	let root = |node| source.tensor_root(node).map_err(|error| Stop::no_data(node, &error));
	(0..program.len()).map(root).collect()
}

fn compare<S: TraceSource>(
	index: u32,
	tensor: &Tensor,
	node: Option<&Node>,
	declared: Option<Root>,
	committed: &Root,
	source: &mut S,
) -> Result<(), Stop> {
	if let Some(declared) = declared {
		// A const's bytes were checked when the program was prepared.
		if matches!(node, Some(Node::Input { .. })) && tensor_root(tensor) != declared {
			return Err(Stop::no_data(index, &"the input given is not the task's"));
		}
		if declared != *committed {
			return Err(Stop::Fault(Fault::root(index)));
		}
		return Ok(());
	}
	let tree = RowTree::new(tensor);
	if tree.root() == *committed {
		return Ok(());
	}
	let (row, col) = locate(index, tensor, &tree, committed, source)?;
	Err(Stop::Fault(Fault::element(index, row, col)))
}

/// First element in which the committed tensor differs from `exact`. Each row opened comes with the
/// hashes beside its path, and the lowest of them that differs covers the next rows that can.
fn locate<S: TraceSource>(
	node: u32,
	exact: &Tensor,
	tree: &RowTree,
	committed: &Root,
	source: &mut S,
) -> Result<Place, Stop> {
	let shape = exact.shape();
	let mut row = 0;
	// Rows from here on are still in question.
	let mut end = shape.rows;
	loop {
		let open = open_row(node, shape, row, committed, source)?;
		if let Some(col) = first_difference(exact.row(row), &open.bytes, shape.dtype) {
			return Ok((row, col));
		}
		let steps = merkle::steps(row, shape.rows).unwrap_or_default();
		let own = tree.prove(row).unwrap_or_default();
		let next = steps.iter().zip(own.iter().zip(&open.path)).find(|(step, (own, theirs))| {
			!step.sibling_is_left && step.start < end && own != theirs
		});
		// Roots differ, and everything before `row` agrees; so some sibling to the right differs.
		let Some((step, _)) = next else {
			return Err(Stop::no_data(node, &"its rows do not fit together"));
		};
		row = step.start;
		end = step.start.saturating_add(step.count);
	}
}

/// A committed row, verified.
pub(super) fn open_row<S: TraceSource>(
	node: u32,
	shape: Shape,
	row: u32,
	committed: &Root,
	source: &mut S,
) -> Result<OpenRow, Stop> {
	let open = source.row(node, row).map_err(|error| Stop::no_data(node, &error))?;
	if verify_row(committed, shape, row, &open.bytes, &open.path) {
		Ok(open)
	} else {
		let why: String = format!("row {row} does not open to the committed root");
		Err(Stop::no_data(node, &why))
	}
}
