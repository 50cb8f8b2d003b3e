//! What may be demanded of a worker: places of its committed trace that it has to open on the chain.

use crate::{auditor::SeatId, work::TaskId};
use assay_compute::proof::demand;
use codec::{Decode, DecodeWithMemTracking, Encode, MaxEncodedLen};
use scale_info::TypeInfo;
use serde::{Deserialize, Serialize};

/// Something of a result that is owed when it is demanded.
///
/// The same places as `assay_compute::proof::demand::Wanted`, in the chain's encoding, and the root
/// that they lie under.
#[derive(
	Clone,
	Copy,
	Debug,
	PartialEq,
	Eq,
	Hash,
	Encode,
	Decode,
	DecodeWithMemTracking,
	MaxEncodedLen,
	TypeInfo,
	Serialize,
	Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Wanted {
	/// One row of a node's tensor.
	#[codec(index = 0)]
	Row {
		/// The node.
		node: u32,
		/// The row.
		row: u32,
	},
	/// What lies below a position in the tree over the tensor roots of all nodes.
	#[codec(index = 1)]
	Tensors {
		/// Levels above the leaves.
		level: u8,
		/// Number of subtrees of this level to its left.
		index: u32,
	},
	/// What lies below a position in the tree over the rows of a node's tensor.
	#[codec(index = 2)]
	Rows {
		/// The node.
		node: u32,
		/// Levels above the leaves.
		level: u8,
		/// Number of subtrees of this level to its left.
		index: u32,
	},
	/// The trace root, of a result that was committed to without one.
	#[codec(index = 3)]
	Trace,
}

impl Wanted {
	/// The place in the trace; none if it is the trace's root.
	pub fn place(&self) -> Option<demand::Wanted> {
		match *self {
			Wanted::Row { node, row } => Some(demand::Wanted::Row { node, row }),
			Wanted::Tensors { level, index } => Some(demand::Wanted::Tensors { level, index }),
			Wanted::Rows { node, level, index } => {
				Some(demand::Wanted::Rows { node, level, index })
			}
			Wanted::Trace => None,
		}
	}
}

impl From<demand::Wanted> for Wanted {
	fn from(wanted: demand::Wanted) -> Self {
		match wanted {
			demand::Wanted::Row { node, row } => Wanted::Row { node, row },
			demand::Wanted::Tensors { level, index } => Wanted::Tensors { level, index },
			demand::Wanted::Rows { node, level, index } => Wanted::Rows { node, level, index },
		}
	}
}

/// Longest encoding of the node that shows that a demanded place exists: the node, its shape and a
/// path among the most nodes.
pub const MAX_OPEN_NODE_BYTES: u32 = 1_024;

/// Longest answer to a demand, in bytes: the widest row, its node and the longest paths.
pub const MAX_ANSWER_BYTES: u32 = assay_compute::MAX_ROW_BYTES + 8 * 1_024;

/// Most demands that one seat of an audit may make: a walk from the root to a wrong row takes six,
/// and the root itself one.
pub const MAX_SEAT_DEMANDS: u32 = 8;

/// Under which key of the nodes' off-chain index an answer to an auditor lies until its round is over,
/// by the BLAKE2b-256 of its bytes: the chain keeps no answers, and whoever is owed one by name of its
/// hash cannot be given another.
pub fn answer_key(seat: &SeatId, hash: &crate::Root) -> alloc::vec::Vec<u8> {
	(b"assay::answer", seat, hash).encode()
}

/// A demand that waits for its answer.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode, TypeInfo, Serialize, Deserialize)]
pub struct DemandView<AccountId = crate::AccountId> {
	/// About the result of which task.
	pub task: TaskId,
	/// Who made it.
	pub by: AccountId,
	/// What is wanted.
	pub wanted: Wanted,
	/// Last block in which it may be answered.
	pub until: crate::BlockNumber,
	/// Paid to whoever answers, in planck.
	#[serde(with = "crate::views::amount")]
	pub price: crate::Balance,
}

#[cfg(test)]
mod tests {
	use super::*;
	use assay_compute::{Dtype, Shape, MAX_NODES, MAX_ROW_BYTES};

	#[test]
	fn the_bounds_hold_the_largest() {
		let widest = Shape { dtype: Dtype::I8, rows: u32::MAX, cols: MAX_ROW_BYTES };
		let largest = demand::largest_opening(MAX_NODES as u32, widest);
		assert!(largest <= MAX_ANSWER_BYTES.into(), "{largest}");
		let node = assay_compute::MAX_NODE_BYTES + 9 + 1 + 14 * 32;
		assert!(node <= MAX_OPEN_NODE_BYTES as usize, "{node}");
	}
}
