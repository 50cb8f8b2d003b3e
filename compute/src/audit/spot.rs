//! A few random places of each committed tensor, recomputed from their operands' rows. Catches work
//! that was skipped, not one targeted element. Moves a few rows a node.

use super::{
	claim::Claim,
	replay::{committed_roots, open_row},
	source::TraceSource,
	verdict::{Fault, Stop, Verdict},
};
use crate::{
	ops::bytes::{element, first_difference},
	Node, Root, RowError, Shape, Step, ValidProgram,
};
use alloc::{collections::BTreeMap, collections::BTreeSet, format, rc::Rc, vec::Vec};

/// Bytes of rows kept to spare fetching them twice.
const CACHE_BYTES: usize = 64 << 20;

/// How much of each tensor to look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Depth {
	/// Random rows of each computed tensor.
	pub rows: u32,
	/// Random elements of each of these rows for `matmul_t` and `transpose`, in which every element
	/// has a row of its own to fetch.
	pub cols: u32,
}

/// Audits a committed trace. `secret` decides the places: draw it after the commitment, or keep it
/// from the worker.
pub fn audit<S: TraceSource>(
	program: &ValidProgram,
	claim: &Claim,
	depth: Depth,
	secret: &[u8; 32],
	source: &mut S,
) -> Verdict {
	let mut check = || {
		let roots = committed_roots(program, source)?;
		claim.check_roots(program, &roots)?;
		let mut draw = Draw::new(secret);
		let mut reader = Reader { program, roots: &roots, source, kept: BTreeMap::new(), bytes: 0 };
		let mut inputs = 0;
		for index in 0..program.len() {
			let step = program.step(index).ok_or_else(|| Stop::no_node(index))?;
			if let Node::Input { .. } | Node::Const { .. } = step.node {
				if claim.declared(step.node, &mut inputs) != roots.get(index as usize).copied() {
					return Err(Stop::Fault(Fault::root(index)));
				}
				continue;
			}
			for row in draw.distinct(step.out.rows, depth.rows) {
				check_row(index, &step, row, depth, &mut draw, &mut reader)?;
			}
		}
		claim.check_output(program, &roots)
	};
	check().into()
}

fn check_row<S: TraceSource>(
	index: u32,
	step: &Step<'_>,
	row: u32,
	depth: Depth,
	draw: &mut Draw,
	reader: &mut Reader<'_, S>,
) -> Result<(), Stop> {
	let claimed = reader.row(index, row)?;
	let operands: Vec<u32> = step.node.operands().collect();
	let stop = |error: RowError<Stop>| match error {
		RowError::Fetch(stop) => stop,
		other => Stop::Unavailable(format!("node {index}: {other}")),
	};
	let mut fetch = |slot: u32, row: u32| match operands.get(slot as usize) {
		Some(node) => reader.row(*node, row),
		None => Err(Stop::Unavailable(format!("node {index}: no operand {slot}"))),
	};
	if !matches!(step.node, Node::MatmulT { .. } | Node::Transpose { .. }) {
		let exact = step.row(row, fetch).map_err(stop)?;
		return match first_difference(&exact, &claimed, step.out.dtype) {
			Some(col) => Err(Stop::Fault(Fault::element(index, row, col))),
			None => Ok(()),
		};
	}
	for col in draw.distinct(step.out.cols, depth.cols) {
		let exact = step.element(row, col, &mut fetch).map_err(stop)?;
		if element(&claimed, step.out.dtype, col) != Some(exact) {
			return Err(Stop::Fault(Fault::element(index, row, col)));
		}
	}
	Ok(())
}

/// Verified rows, some of them kept.
struct Reader<'a, S> {
	program: &'a ValidProgram,
	roots: &'a [Root],
	source: &'a mut S,
	kept: BTreeMap<(u32, u32), Rc<[u8]>>,
	bytes: usize,
}

impl<S: TraceSource> Reader<'_, S> {
	fn row(&mut self, node: u32, row: u32) -> Result<Rc<[u8]>, Stop> {
		if let Some(kept) = self.kept.get(&(node, row)) {
			return Ok(kept.clone());
		}
		let missing = || Stop::no_node(node);
		let shape: Shape = *self.program.shapes().get(node as usize).ok_or_else(missing)?;
		let root = self.roots.get(node as usize).ok_or_else(missing)?;
		let bytes: Rc<[u8]> = open_row(node, shape, row, root, self.source)?.bytes.into();
		if self.bytes.saturating_add(bytes.len()) > CACHE_BYTES {
			self.kept.clear();
			self.bytes = 0;
		}
		self.bytes = self.bytes.saturating_add(bytes.len());
		self.kept.insert((node, row), bytes.clone());
		Ok(bytes)
	}
}

/// Random choices decided by a secret.
struct Draw {
	stream: blake3::OutputReader,
}

impl Draw {
	fn new(secret: &[u8; 32]) -> Self {
		Draw { stream: blake3::Hasher::new_keyed(secret).update(b"spot").finalize_xof() }
	}

	/// Uniform below `bound`, up to a bias of 2^−32.
	fn below(&mut self, bound: u32) -> u32 {
		let mut bytes = [0; 8];
		self.stream.fill(&mut bytes);
		((u128::from(u64::from_le_bytes(bytes)) * u128::from(bound)) >> 64) as u32
	}

	/// `count` distinct numbers below `bound` in order, or all of them if there are no more.
	fn distinct(&mut self, bound: u32, count: u32) -> BTreeSet<u32> {
		// Floyd's sampling: every subset of that size is equally likely.
		let mut chosen = BTreeSet::new();
		for top in bound.saturating_sub(count)..bound {
			let candidate = self.below(top.saturating_add(1));
			if !chosen.insert(candidate) {
				chosen.insert(top);
			}
		}
		chosen
	}
}
