//! Projection for whoever can read the whole trace but not hold it: every tensor passes by as a
//! stream of rows, and memory is bounded by some rows, not by tensors.
//!
//! - A product C = A·Bᵀ is checked as by [`projection`](super::projection): one pass over B folds
//!   Bᵀ·r, one over A and C together compares. A transpose likewise: Xᵀ·r against each row's
//!   product with r.
//! - Rows of all other operations are recomputed from the rows of their operands, which are read in
//!   step; `gather` opens the rows of its table one by one unless the table is small.
//! - Inputs and consts are compared by their roots alone.
//!
//! Each stream is hashed as it passes, and no fault counts before every tensor that it rests on has
//! turned out to be the committed one; one that is not makes the verdict [`Verdict::Unavailable`].
//! A tensor is read once for itself and once for every operation that uses it: what this saves is
//! memory and operations, not bytes.

mod check;
mod gather;
mod local;
mod memory;
mod product;
mod reader;
mod source;
mod transpose;

pub use source::{MemoryRows, RowBytes, RowStreams};

use super::{
	claim::Claim,
	kept::Keep,
	verdict::{Fault, Stop, Verdict},
};
use crate::{Node, Observer, Root, ValidProgram};
use alloc::vec::Vec;
use check::Check;

/// Bounds on memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
	/// Bytes of each stream that are held at once, if they are more than one row.
	pub block_bytes: usize,
	/// Bytes of the largest table of a `gather` that is held whole, and of the rows of larger ones
	/// that are kept to spare opening them twice.
	pub table_bytes: usize,
}

impl Default for Limits {
	/// 256 KiB a stream, and tables of 8 MiB.
	fn default() -> Self {
		Limits { block_bytes: 256 << 10, table_bytes: 8 << 20 }
	}
}

/// Audits a committed trace. `secret` must be fresh, uniform and private, as for
/// [`projection::audit`](super::projection::audit), and the verdict is the same.
pub fn audit<S: RowStreams>(
	program: &ValidProgram,
	claim: &Claim,
	secret: &[u8; 32],
	source: &mut S,
) -> Verdict {
	audit_with(program, claim, secret, source, Limits::default(), &mut (), &mut ())
}

/// [`audit`] within other limits, with projections of weights kept from earlier audits (weights
/// with one are not read), with progress and a way to stop, after which the verdict is
/// [`Verdict::Unavailable`]. The observer is told of the nodes that are computed and right.
pub fn audit_with<S: RowStreams>(
	program: &ValidProgram,
	claim: &Claim,
	secret: &[u8; 32],
	source: &mut S,
	limits: Limits,
	keep: &mut dyn Keep,
	observer: &mut dyn Observer,
) -> Verdict {
	let mut check = || {
		let root = |node| {
			let root: Result<Root, S::Error> = source.tensor_root(node);
			root.map_err(|error| Stop::no_data(node, &error))
		};
		let roots = (0..program.len()).map(root).collect::<Result<Vec<_>, Stop>>()?;
		claim.check_roots(program, &roots)?;
		let mut inputs = 0;
		for index in 0..program.len() {
			let step = program.step(index).ok_or_else(|| Stop::no_node(index))?;
			let mut check = Check {
				program,
				roots: &roots,
				secret,
				source: &mut *source,
				limits,
				keep: &mut *keep,
			};
			let wrong = match *step.node {
				Node::Input { .. } | Node::Const { .. } => {
					if claim.declared(step.node, &mut inputs) != roots.get(index as usize).copied()
					{
						return Err(Stop::Fault(Fault::root(index)));
					}
					continue;
				}
				Node::MatmulT { a, b } => check.product(index, a, b)?,
				Node::Transpose { x } => check.transpose(index, x)?,
				Node::Gather { table, index: of } => check.gather(index, table, of)?,
				_ => check.local(index, &step)?,
			};
			if let Some((row, col)) = wrong {
				return Err(Stop::Fault(Fault::element(index, row, col)));
			}
			if !observer.node_done(index, program.len()) {
				return Err(Stop::stopped(index));
			}
		}
		claim.check_output(program, &roots)
	};
	check().into()
}
