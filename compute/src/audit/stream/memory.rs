//! How much memory a streaming audit takes.

use super::{check::MAX_BLOCK_ROWS, Limits};
use crate::{Node, Shape, ValidProgram};

/// For what does not depend on shapes, and for each node of the program.
const BASE: u64 = 1 << 20;
const PER_NODE: u64 = 512;
/// For each row that is hashed at a time.
const PER_HASHED_ROW: u64 = 64;
/// For each row and column of a tensor that is folded: the random vector and its digits, the sums of
/// the columns and theirs.
const PER_FOLDED_ROW: u64 = 32;
const PER_FOLDED_COLUMN: u64 = 80;
/// Rows of wide integers that a thread may compute with.
const SCRATCH_ROWS: u64 = 16;

impl Limits {
	/// Bytes that an audit takes at most on so many threads, those of its source and of projections
	/// that are kept beyond it left out. It grows with rows and columns, not with their product.
	pub fn memory(&self, program: &ValidProgram, threads: usize) -> u64 {
		let nodes = u64::from(program.len());
		let steps = (0..program.len()).filter_map(|index| program.step(index));
		let largest = steps.map(|step| self.of_step(step.node, &step.operands, step.out, threads));
		let largest = largest.max().unwrap_or(0);
		BASE.saturating_add(nodes.saturating_mul(PER_NODE)).saturating_add(largest)
	}

	fn of_step(&self, node: &Node, operands: &[Shape], out: Shape, threads: usize) -> u64 {
		let streams = operands.iter().chain([&out]).map(|shape| self.of_stream(*shape));
		let streams = streams.fold(0, u64::saturating_add);
		let folded = match (node, operands) {
			(Node::MatmulT { .. }, [_, folded]) | (Node::Transpose { .. }, [folded]) => {
				let rows = u64::from(folded.rows).saturating_mul(PER_FOLDED_ROW);
				rows.saturating_add(u64::from(folded.cols).saturating_mul(PER_FOLDED_COLUMN))
			}
			// A table, or rows of it, once held and once on their way.
			(Node::Gather { .. }, _) => (self.table_bytes as u64).saturating_mul(2),
			_ => 0,
		};
		let widest = operands.iter().chain([&out]).map(|shape| shape.row_bytes()).max();
		let scratch = (threads as u64).saturating_mul(SCRATCH_ROWS);
		let scratch = scratch.saturating_mul(widest.unwrap_or(0).into());
		// What is computed to compare with.
		let exact = self.of_stream(out);
		[folded, scratch, exact].into_iter().fold(streams, u64::saturating_add)
	}

	/// Some rows of a stream, which may be in two places while there is made room for more of them, and
	/// their hashes.
	fn of_stream(&self, shape: Shape) -> u64 {
		let row = u64::from(shape.row_bytes()).max(1);
		let rows = (self.block_bytes as u64 / row).clamp(1, MAX_BLOCK_ROWS as u64);
		let bytes = row.saturating_mul(2).saturating_add(PER_HASHED_ROW);
		rows.saturating_mul(bytes)
	}
}
