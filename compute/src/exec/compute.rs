//! One node's whole result.

use super::for_each_chunk;
use crate::{matmul, Node, Shape, Step, Tensor};
use alloc::vec::Vec;
use core::convert::Infallible;

/// Elements of work per piece handed to a thread: long against the cost of handing it over.
const PIECE: u64 = 64 * 1024;
/// Side of the square blocks in which a transpose reads and writes.
const BLOCK: usize = 32;

/// The result of a node that is computed, from whole operands in slot order. `None` if there is not
/// enough memory for it, or the node is an input or const.
pub(crate) fn compute(step: &Step<'_>, operands: &[&Tensor]) -> Option<Tensor> {
	let mut out = Vec::new();
	let bytes = usize::try_from(step.out.bytes()).ok()?;
	out.try_reserve_exact(bytes).ok()?;
	out.resize(bytes, 0);
	match (step.node, operands) {
		(Node::Input { .. } | Node::Const { .. }, _) => return None,
		(Node::MatmulT { .. }, [a, b]) => {
			let (m, n, k) = (a.shape().rows, b.shape().rows, a.shape().cols);
			matmul::matmul_t(a.as_i8(), b.as_i8(), m as usize, n as usize, k as usize, &mut out);
		}
		(Node::Transpose { .. }, [x]) => transpose(x, &mut out),
		_ => by_rows(step, operands, &mut out),
	}
	Tensor::new(step.out, out).ok()
}

fn by_rows(step: &Step<'_>, operands: &[&Tensor], out: &mut [u8]) {
	let width = step.out.row_bytes() as usize;
	let first = operands.first().map_or(0, |x| x.shape().cols);
	let work = u64::from(step.out.cols.max(first)).max(1);
	let rows = PIECE.div_ceil(work).max(1) as usize;
	for_each_chunk(out, width.saturating_mul(rows), |index, chunk| {
		rows_of(step, operands, index.saturating_mul(rows) as u32, chunk)
	});
}

vectorised! {
	/// Rows from `first` on, as many as `out` holds.
	fn rows_of(step: &Step<'_>, operands: &[&Tensor], first: u32, out: &mut [u8]) {
		let width = (step.out.row_bytes() as usize).max(1);
		for (row, out) in (first..).zip(out.chunks_exact_mut(width)) {
			let fetch = |slot: u32, row: u32| {
				Ok::<_, Infallible>(operands.get(slot as usize).map_or(&[][..], |x| x.row(row)))
			};
			// Cannot fail: the step is of a valid program, with operands of its shapes.
			let done = step.row_into(row, fetch, out);
			debug_assert!(done.is_ok(), "{done:?}");
		}
	}
}

fn transpose(x: &Tensor, out: &mut [u8]) {
	let Shape { dtype, rows, cols } = x.shape();
	let size = dtype.size() as usize;
	let (in_width, out_width) = (cols as usize * size, rows as usize * size);
	for_each_chunk(out, out_width * BLOCK, |index, chunk| {
		let first_col = index * BLOCK;
		for first_row in (0..rows as usize).step_by(BLOCK) {
			let last_row = (first_row + BLOCK).min(rows as usize);
			for (col, out) in (first_col..).zip(chunk.chunks_exact_mut(out_width)) {
				for row in first_row..last_row {
					let from = row * in_width + col * size;
					let to = row * size;
					out[to..to + size].copy_from_slice(&x.data()[from..from + size]);
				}
			}
		}
	});
}
