//! Operations whose rows depend on the same rows of their operands, or on ones that move on with
//! them.

use super::{
	check::Check,
	reader::{Reader, Rows},
	source::RowStreams,
};
use crate::{
	audit::{exact::Place, verdict::Stop},
	exec::for_each_chunk,
	ops::bytes::first_difference,
	Node, Shape, Step,
};
use alloc::vec::Vec;
use core::{
	convert::Infallible,
	sync::atomic::{AtomicBool, Ordering},
};

/// Rows computed at a time.
const ROWS: usize = 16;

impl<S: RowStreams> Check<'_, S> {
	/// The first wrong element of any operation but `matmul_t`, `transpose` and `gather`.
	pub fn local(&mut self, index: u32, step: &Step<'_>) -> Result<Option<Place>, Stop> {
		let operands: Vec<u32> = step.node.operands().collect();
		let mut shapes = step.operands.clone();
		shapes.push(step.out);
		let block = self.block(&shapes);
		let mut readers =
			operands.iter().map(|operand| self.read(*operand)).collect::<Result<Vec<_>, Stop>>()?;
		let mut claimed = self.read(index)?;
		let mut exact = Vec::new();
		let mut wrong = None;
		loop {
			let claimed = claimed.block(block)?;
			if claimed.len() == 0 || wrong.is_some() {
				break;
			}
			for (slot, reader) in readers.iter_mut().enumerate() {
				let (first, end) = (claimed.first, claimed.first.saturating_add(claimed.len()));
				match needed(step, slot, first, end) {
					Some((first, end)) => reader.window(first, end)?,
					None => reader.release(),
				}
			}
			exact.resize(claimed.bytes.len(), 0);
			if !compute(step, &readers, claimed.first, &mut exact) {
				return Err(Stop::no_data(index, &"its operands have not the declared rows"));
			}
			wrong = first_wrong(&exact, claimed, step.out);
		}
		for reader in readers {
			reader.finish()?;
		}
		claimed.finish()?;
		Ok(wrong)
	}
}

/// The rows of an operand that rows `first..end` of the result depend on, if any.
fn needed(step: &Step<'_>, slot: usize, first: u32, end: u32) -> Option<(u32, u32)> {
	match step.node {
		Node::SliceRows { start, .. } => {
			Some((first.saturating_add(*start), end.saturating_add(*start)))
		}
		Node::ConcatRows { .. } => {
			let before = step.operands.iter().take(slot).map(|part| part.rows);
			let offset = before.fold(0, u32::saturating_add);
			let rows = step.operands.get(slot)?.rows;
			let first = first.saturating_sub(offset).min(rows);
			let end = end.saturating_sub(offset).min(rows);
			(first < end).then_some((first, end))
		}
		// The only row of a bias or a table.
		_ if step.operands.get(slot)?.rows == 1 => Some((0, 1)),
		_ => Some((first, end)),
	}
}

/// Computes rows from `first` on. `false` if an operand has not the rows at hand.
fn compute<R: super::source::RowBytes>(
	step: &Step<'_>,
	readers: &[Reader<R>],
	first: u32,
	out: &mut [u8],
) -> bool {
	let operands: Vec<Rows<'_>> = readers.iter().map(Reader::rows).collect();
	let complete = AtomicBool::new(true);
	let width = (step.out.row_bytes() as usize).max(1);
	for_each_chunk(out, width.saturating_mul(ROWS), |chunk, out| {
		let rows = chunk.saturating_mul(ROWS) as u32;
		if !rows_of(step, &operands, first.saturating_add(rows), out) {
			complete.store(false, Ordering::Relaxed);
		}
	});
	complete.into_inner()
}

vectorised! {
	fn rows_of(step: &Step<'_>, operands: &[Rows<'_>], first: u32, out: &mut [u8]) -> bool {
		let width = (step.out.row_bytes() as usize).max(1);
		let mut complete = true;
		for (row, out) in (first..).zip(out.chunks_exact_mut(width)) {
			let fetch = |slot: u32, row: u32| {
				Ok::<_, Infallible>(operands.get(slot as usize).map_or(&[][..], |x| x.row(row)))
			};
			complete &= step.row_into(row, fetch, out).is_ok();
		}
		complete
	}
}

/// The first element in which claimed rows are not the exact ones.
pub(super) fn first_wrong(exact: &[u8], claimed: Rows<'_>, out: Shape) -> Option<Place> {
	if exact == claimed.bytes {
		return None;
	}
	let width = claimed.width.max(1);
	let mut rows =
		(claimed.first..).zip(exact.chunks_exact(width).zip(claimed.bytes.chunks(width)));
	rows.find_map(|(row, (exact, claimed))| {
		first_difference(exact, claimed, out.dtype).map(|col| (row, col))
	})
}
