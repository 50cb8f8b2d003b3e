//! Audit of a whole claimed trace held in memory.

use super::{
	claim::Claim,
	verdict::{Fault, Stop, Verdict},
};
use crate::{exec, ops::bytes::first_difference, Node, Root, Step, Tensor, Trace, ValidProgram};
use alloc::{format, vec::Vec};

/// Recomputes every node from its committed operands. The plainest audit: as costly as the work.
pub fn audit(program: &ValidProgram, claim: &Claim, trace: &Trace) -> Verdict {
	check_trace(program, claim, trace, &mut |_, step, operands, claimed| {
		recompute(step, operands, claimed)
	})
}

/// A place in a tensor: row and column.
pub type Place = (u32, u32);

/// Finds the first wrong element of a computed node.
pub(super) type Wrong<'f> =
	dyn FnMut(u32, &Step<'_>, &[&Tensor], &Tensor) -> Result<Option<Place>, Stop> + 'f;

/// Hashes a claimed trace and walks it.
pub(super) fn check_trace(
	program: &ValidProgram,
	claim: &Claim,
	trace: &Trace,
	wrong: &mut Wrong<'_>,
) -> Verdict {
	check_verified(program, claim, trace, &trace.roots(), wrong)
}

/// Walks a claimed trace, whose tensors have these roots, in node order.
pub(super) fn check_verified(
	program: &ValidProgram,
	claim: &Claim,
	trace: &Trace,
	roots: &[Root],
	wrong: &mut Wrong<'_>,
) -> Verdict {
	let mut check = || {
		claim.check_roots(program, roots)?;
		if trace.tensors.len() != roots.len() {
			return Err(Stop::Unavailable("there is not one tensor for each root".into()));
		}
		for ((node, tensor), shape) in (0u32..).zip(&trace.tensors).zip(program.shapes()) {
			if tensor.shape() != *shape {
				let got = tensor.shape();
				let why = format!("node {node}: the tensor is {got}, declared is {shape}");
				return Err(Stop::Unavailable(why));
			}
		}
		let mut inputs = 0;
		for ((index, tensor), root) in (0u32..).zip(&trace.tensors).zip(roots) {
			let step = program.step(index).ok_or_else(|| Stop::no_node(index))?;
			if let Node::Input { .. } | Node::Const { .. } = step.node {
				if claim.declared(step.node, &mut inputs) != Some(*root) {
					return Err(Stop::Fault(Fault::root(index)));
				}
				continue;
			}
			let operands = step.node.operands().map(|o| trace.tensors.get(o as usize));
			let operands: Vec<&Tensor> = operands.flatten().collect();
			if let Some((row, col)) = wrong(index, &step, &operands, tensor)? {
				return Err(Stop::Fault(Fault::element(index, row, col)));
			}
		}
		claim.check_output(program, roots)
	};
	check().into()
}

/// First element of `claimed` that is not the exact result of the operands.
pub(super) fn recompute(
	step: &Step<'_>,
	operands: &[&Tensor],
	claimed: &Tensor,
) -> Result<Option<Place>, Stop> {
	let Some(exact) = exec::compute(step, operands) else {
		let bytes = step.out.bytes();
		return Err(Stop::Unavailable(format!("no memory for {bytes} bytes")));
	};
	if exact.data() == claimed.data() {
		return Ok(None);
	}
	let mut rows = (0u32..).zip(exact.rows().zip(claimed.rows()));
	Ok(rows.find_map(|(row, (exact, claimed))| {
		first_difference(exact, claimed, step.out.dtype).map(|col| (row, col))
	}))
}
