//! Answers to demands, and deciding them.

use super::Wanted;
use crate::{
	commit::{verify_rows_at, verify_trace_at, Position},
	proof::{OpenNode, OpenTensor, Rejected, Statement},
	Root,
};
use alloc::vec::Vec;
use codec::{Decode, DecodeWithMemTracking, Encode};

/// What a place opens to.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode, DecodeWithMemTracking)]
pub enum Opening {
	/// A row with its paths.
	#[codec(index = 0)]
	Row {
		/// The node, opened: it shows the tensor's shape.
		opened: OpenNode,
		/// The row.
		tensor: OpenTensor,
	},
	/// What lies below a position in the tree over tensor roots.
	#[codec(index = 1)]
	Tensors {
		/// The hashes min(level, [`OPENED_LEVELS`](crate::OPENED_LEVELS)) levels below, left to
		/// right. Where these are leaves, the tensor roots that the leaves are hashes of.
		below: Vec<Root>,
		/// The siblings from the position up to the trace root.
		path: Vec<Root>,
	},
	/// What lies below a position in the tree over a tensor's rows.
	#[codec(index = 2)]
	Rows {
		/// The node, opened: it shows the tensor's shape.
		opened: OpenNode,
		/// The tensor's committed root.
		root: Root,
		/// Path from there to the trace root.
		trace_path: Vec<Root>,
		/// The hashes min(level, [`OPENED_LEVELS`](crate::OPENED_LEVELS)) levels below, left to
		/// right.
		below: Vec<Root>,
		/// The siblings from the position up to the root over the rows.
		path: Vec<Root>,
	},
}

/// Decides whether `opening` opens the place in the trace that the worker committed to. Never
/// panics, whatever it is given; costs a hash of every byte opened. Nothing is said of whether the
/// trace is right.
pub fn verify_opening(
	statement: &Statement<'_>,
	wanted: &Wanted,
	opening: &Opening,
) -> Result<(), Rejected> {
	let hashes = |fit| if fit { Ok(()) } else { Err(Rejected::Hashes) };
	match (*wanted, opening) {
		(Wanted::Row { node, row }, Opening::Row { opened, tensor }) => {
			wanted.check(statement, Some(opened))?;
			statement.row(node, opened.shape, row, tensor).map(|_| ())
		}
		(Wanted::Tensors { level, index }, Opening::Tensors { below, path }) => {
			wanted.check(statement, None)?;
			let (root, at) = (&statement.claim.trace_root, Position { level, index });
			hashes(verify_trace_at(root, statement.nodes, at, below, path))
		}
		(
			Wanted::Rows { node, level, index },
			Opening::Rows { opened, root, trace_path, below, path },
		) => {
			wanted.check(statement, Some(opened))?;
			statement.trace(node, root, trace_path)?;
			let at = Position { level, index };
			hashes(verify_rows_at(root, opened.shape, at, below, path))
		}
		_ => Err(Rejected::Opening),
	}
}
