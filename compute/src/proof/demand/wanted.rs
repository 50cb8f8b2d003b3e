//! What a demand names.

use crate::{
	commit::Position,
	proof::{OpenNode, Rejected, Statement},
	Shape,
};
use codec::{Decode, DecodeWithMemTracking, Encode, MaxEncodedLen};

/// A place of a committed trace that is to be opened. Every place has one name only.
#[derive(
	Clone,
	Copy,
	Debug,
	PartialEq,
	Eq,
	PartialOrd,
	Ord,
	Hash,
	Encode,
	Decode,
	DecodeWithMemTracking,
	MaxEncodedLen,
)]
pub enum Wanted {
	/// One row of a node's tensor.
	#[codec(index = 0)]
	Row {
		/// The node.
		node: u32,
		/// The row.
		row: u32,
	},
	/// A [`Position`] in the tree over the tensor roots of all nodes.
	#[codec(index = 1)]
	Tensors {
		/// Levels above the leaves.
		level: u8,
		/// Number of subtrees of this level to its left.
		index: u32,
	},
	/// A [`Position`] in the tree over the rows of a node's tensor.
	#[codec(index = 2)]
	Rows {
		/// The node.
		node: u32,
		/// Levels above the leaves.
		level: u8,
		/// Number of subtrees of this level to its left.
		index: u32,
	},
}

impl Wanted {
	/// A position in the tree over tensor roots.
	pub fn tensors(at: Position) -> Self {
		Wanted::Tensors { level: at.level, index: at.index }
	}

	/// A position in the tree over the rows of a node's tensor.
	pub fn rows(node: u32, at: Position) -> Self {
		Wanted::Rows { node, level: at.level, index: at.index }
	}

	/// The node whose tensor it is about, if it is about one.
	pub fn node(&self) -> Option<u32> {
		match self {
			Wanted::Row { node, .. } | Wanted::Rows { node, .. } => Some(*node),
			Wanted::Tensors { .. } => None,
		}
	}

	/// Whether there is such a place in a program of so many nodes, where the [node](Self::node),
	/// if there is one, has a result of `shape`.
	pub fn exists(&self, nodes: u32, shape: Option<Shape>) -> bool {
		let shape = shape.and_then(|shape| shape.check().ok());
		match *self {
			Wanted::Tensors { level, index } => Position { level, index }.exists(nodes),
			Wanted::Row { node, row } => {
				node < nodes && shape.is_some_and(|shape| row < shape.rows)
			}
			Wanted::Rows { node, level, index } => {
				let at = Position { level, index };
				node < nodes && shape.is_some_and(|shape| at.exists(shape.rows))
			}
		}
	}

	/// Whether the place may be demanded: it exists, as the opened node shows where it is about
	/// one. A demand about no node opens none. A worker cannot be asked for what there is not.
	pub fn check(
		&self,
		statement: &Statement<'_>,
		opened: Option<&OpenNode>,
	) -> Result<(), Rejected> {
		match (self.node(), opened) {
			(Some(node), Some(opened)) => statement.open(node, opened)?,
			(None, None) => {}
			_ => return Err(Rejected::Opening),
		}
		if self.exists(statement.nodes, opened.map(|opened| opened.shape)) {
			Ok(())
		} else {
			Err(Rejected::Place)
		}
	}
}
