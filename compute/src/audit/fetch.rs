//! A whole committed trace brought into memory.

use super::{claim::Claim, replay::committed_roots, source::TraceSource, verdict::Stop};
use crate::{tensor_root, Trace, ValidProgram};
use alloc::{format, string::String, vec::Vec};

/// Fetches every tensor of a committed trace for [`projection`](super::projection) or
/// [`full`](super::full), each verified against the claim. Needs memory for all of the program's
/// `trace_bytes`: bound them first. The error says what could not be had.
pub fn fetch_trace<S: TraceSource>(
	program: &ValidProgram,
	claim: &Claim,
	source: &mut S,
) -> Result<Trace, String> {
	let mut fetch = || {
		let roots = committed_roots(program, source)?;
		claim.check_roots(program, &roots)?;
		let mut tensors = Vec::with_capacity(roots.len());
		for ((node, root), shape) in (0u32..).zip(&roots).zip(program.shapes()) {
			let unavailable =
				|why: &dyn core::fmt::Display| Stop::Unavailable(format!("node {node}: {why}"));
			let tensor = source.tensor(node).map_err(|error| unavailable(&error))?;
			if tensor.shape() != *shape || tensor_root(&tensor) != *root {
				return Err(unavailable(&"the tensor is not the committed one"));
			}
			tensors.push(tensor);
		}
		Ok(Trace { tensors })
	};
	fetch().map_err(|stop: Stop| format!("{stop}"))
}
