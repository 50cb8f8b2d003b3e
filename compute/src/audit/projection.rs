//! Freivalds' check, for whoever holds the whole trace: each product C = A·Bᵀ is compared through a
//! secret random vector r over the field of 2^61 − 1 elements, C·r against A·(Bᵀ·r). That takes
//! O(mn + mk + nk) operations instead of O(mnk) and passes a wrong C with probability at most
//! 1 / (2^61 − 1). All other nodes cost no more than reading them and are recomputed.

use super::{
	claim::Claim,
	exact::{check_trace, check_verified, recompute, Place},
	folded::{Folding, Projection},
	kept::Keep,
	verdict::{Stop, Verdict},
};
use crate::{
	ops,
	Dtype::{I32, I8},
	Node, Observer, Root, Shape, Tensor, Trace, ValidProgram,
};
use alloc::sync::Arc;

/// Audits a claimed trace held in memory.
///
/// `secret` must be fresh and uniform for each audit and must stay unknown to the worker, also
/// afterwards: whoever knows it can make a wrong product pass.
pub fn audit(program: &ValidProgram, claim: &Claim, trace: &Trace, secret: &[u8; 32]) -> Verdict {
	check_trace(program, claim, trace, &mut |index, step, operands, claimed| match (
		step.node, operands,
	) {
		(Node::MatmulT { .. }, [a, b]) => Ok(find_wrong(a, b, claimed, secret, index)),
		_ => recompute(step, operands, claimed),
	})
}

/// [`audit`] of a trace whose tensors were hashed before, as by
/// [`fetch_trace`](super::fetch_trace), and have these `roots`.
pub fn audit_verified(
	program: &ValidProgram,
	claim: &Claim,
	trace: &Trace,
	roots: &[Root],
	secret: &[u8; 32],
) -> Verdict {
	audit_with(program, claim, trace, roots, secret, &mut ())
}

/// [`audit_verified`] with progress and a way to stop, after which the verdict is
/// [`Verdict::Unavailable`]. The observer is told of the nodes that are computed and right.
pub fn audit_with(
	program: &ValidProgram,
	claim: &Claim,
	trace: &Trace,
	roots: &[Root],
	secret: &[u8; 32],
	observer: &mut dyn Observer,
) -> Verdict {
	audit_kept(program, claim, trace, roots, secret, &mut (), observer)
}

/// [`audit_with`] with projections of weights kept from earlier audits. `secret` decides those that
/// are made now.
pub fn audit_kept(
	program: &ValidProgram,
	claim: &Claim,
	trace: &Trace,
	roots: &[Root],
	secret: &[u8; 32],
	keep: &mut dyn Keep,
	observer: &mut dyn Observer,
) -> Verdict {
	let total = program.len();
	check_verified(program, claim, trace, roots, &mut |index, step, operands, claimed| {
		let wrong = match (step.node, operands) {
			(Node::MatmulT { b: node, .. }, [a, b]) => {
				let weights = weights(program, *node);
				let kept = weights.and_then(|weights| keep.get(&weights));
				let kept = kept.filter(|kept| kept.fits(b.shape()));
				let projection = kept.unwrap_or_else(|| {
					let made = Arc::new(project(b, secret, index));
					if let Some(weights) = weights {
						keep.put(&weights, &made);
					}
					made
				});
				find_with(a, b, claimed, &projection)
			}
			_ => recompute(step, operands, claimed)?,
		};
		if wrong.is_none() && !observer.node_done(index, total) {
			return Err(Stop::stopped(index));
		}
		Ok(wrong)
	})
}

/// The root of a product's right operand if it is a const. Its committed root is the declared one:
/// that was checked at its own node, earlier.
pub(super) fn weights(program: &ValidProgram, b: u32) -> Option<Root> {
	match program.nodes().get(b as usize) {
		Some(Node::Const { root, .. }) => Some(*root),
		_ => None,
	}
}

fn project(b: &Tensor, secret: &[u8; 32], stream: u32) -> Projection {
	let mut folding = Folding::new(secret, stream, b.shape().rows, b.shape().cols);
	folding.push(b.as_i8());
	folding.finish()
}

/// First wrong element (row, column) of a claimed product a · bᵀ, for a: i8\[m, k\], b: i8\[n, k\]
/// and claimed: i32\[m, n\]; tensors of other shapes are no product from the first element on.
/// Misses a wrong product with probability at most 1 / (2^61 − 1) over `secret`; `stream` sets
/// apart products that are checked with one secret.
pub fn find_wrong(
	a: &Tensor,
	b: &Tensor,
	claimed: &Tensor,
	secret: &[u8; 32],
	stream: u32,
) -> Option<Place> {
	let (m, n, k) = (a.shape().rows, b.shape().rows, a.shape().cols);
	let shapes = [Shape::new(I8, m, k), Shape::new(I8, n, k), Shape::new(I32, m, n)];
	if [a.shape(), b.shape(), claimed.shape()] != shapes {
		return Some((0, 0));
	}
	find_with(a, b, claimed, &project(b, secret, stream))
}

/// [`find_wrong`] with a projection of `b`.
fn find_with(a: &Tensor, b: &Tensor, claimed: &Tensor, projection: &Projection) -> Option<Place> {
	let differs = |row: &u32| !projection.agrees(a.row(*row), claimed.row(*row));
	#[cfg(feature = "std")]
	let wrong = {
		use rayon::prelude::*;
		(0..a.shape().rows).into_par_iter().find_first(differs)
	};
	#[cfg(not(feature = "std"))]
	let wrong = (0..a.shape().rows).find(differs);
	// The row is wrong for certain: recomputing it names the element.
	let row = wrong?;
	let exact = b.rows().map(|b| ops::dot(a.row(row), b));
	let claimed = ops::bytes::i32s(claimed.row(row));
	let col = exact.zip(claimed).position(|(exact, claimed)| exact != claimed)?;
	Some((row, col as u32))
}
