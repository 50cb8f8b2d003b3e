//! What an audit takes, and whether this machine has it.

use super::{Auditing, Stop, Subject};
use crate::{config::Config, spool::FETCH_BYTES};
use assay_compute::{Shape, ValidProgram};
use assay_primitives::work::Depth;

/// Memory is handed out in mebibytes.
pub const MIB: u64 = 1 << 20;
/// Memory of an audit that looks at a few rows.
const SPOT_BYTES: u64 = 128 * MIB;
/// Bytes for each group of rows of a tensor that rows are opened from, and the least that a group has
/// of bytes or rows.
const GROUP_BYTES: u64 = 96;
const GROUP: (u64, u64) = (32 << 10, 4096);
/// Bytes of the tree over a tensor's rows, for each row.
const TREE_BYTES: u64 = 64;

impl Auditing {
	/// Whether this machine can audit the program, and the mebibytes that takes.
	pub(super) fn check_size(&self, subject: &Subject) -> Result<u64, Stop> {
		let Subject { program, inputs, depth, .. } = subject;
		let (named, inputs) = (inputs.len(), program.inputs().len());
		if named != inputs {
			let why = format!("{named} inputs are named, the program has {inputs}");
			return Err(Stop::Refused(why));
		}
		match depth {
			// Rows only, of which some are kept.
			Depth::Spot => Ok(self.config.memory_bytes.min(SPOT_BYTES) / MIB),
			Depth::Projection => Ok(self.within_memory(self.projection_size(program).into())?),
			Depth::Replay => Ok(self.replay_size(program)?),
			// What comes goes to the disk.
			Depth::Custody => Ok(self.within_memory(FETCH_BYTES.into())?),
		}
	}

	/// The bytes of memory that projection takes: rows of a few tensors, on their way to the disk and
	/// from there, and what opens a row of the largest.
	fn projection_size(&self, program: &ValidProgram) -> u64 {
		let Config { stream, threads, parallel_fetches, .. } = &self.config;
		let fetching = (*parallel_fetches as u64).saturating_mul(FETCH_BYTES);
		let groups = |shape: &Shape| {
			let (bytes, rows) = (shape.bytes() / GROUP.0, u64::from(shape.rows) / GROUP.1);
			bytes.saturating_add(rows).saturating_add(1)
		};
		let groups = program.shapes().iter().map(groups).max().unwrap_or(0);
		let opening = groups.saturating_mul(GROUP_BYTES);
		let streams = stream.memory(program, *threads);
		streams.saturating_add(fetching).saturating_add(opening)
	}

	/// The mebibytes that executing the program again takes, with a tree to open rows with; an error
	/// if it is too much for this machine.
	pub(super) fn replay_size(&self, program: &ValidProgram) -> Result<u64, String> {
		let (macs, allowed) = (program.costs().macs, self.config.max_replay_macs);
		if macs > allowed {
			return Err(format!("{macs} MAC, at most {allowed} are executed"));
		}
		let rows = program.shapes().iter().map(|shape| shape.rows).max().unwrap_or(0);
		self.mebibytes(program, u64::from(rows).saturating_mul(TREE_BYTES))
	}

	/// The mebibytes of the whole trace, of a result that is compared with it, and so many bytes more.
	fn mebibytes(&self, program: &ValidProgram, more: u64) -> Result<u64, String> {
		let largest = program.shapes().iter().map(|shape| shape.bytes()).max().unwrap_or(0);
		let needed = program.costs().trace_bytes.saturating_add(largest.into());
		self.within_memory(needed.saturating_add(more.into()))
	}

	/// The mebibytes that so many bytes are, if they are set aside.
	fn within_memory(&self, needed: u128) -> Result<u64, String> {
		let allowed = self.config.memory_bytes;
		match u64::try_from(needed).ok().filter(|needed| *needed <= allowed) {
			Some(needed) => Ok(needed.div_ceil(MIB)),
			None => Err(format!("it takes {needed} bytes of memory, {allowed} are set aside")),
		}
	}
}

/// About how many operations an audit takes, to tell short ones from long ones: bytes looked at, and
/// for a replay the products.
pub fn cost(program: &ValidProgram, depth: Depth) -> u128 {
	let costs = program.costs();
	match depth {
		Depth::Projection => costs.trace_bytes,
		Depth::Replay => costs.trace_bytes.saturating_add(costs.macs),
		Depth::Spot => costs.leaves,
		Depth::Custody => program.output_shape().bytes().into(),
	}
}
