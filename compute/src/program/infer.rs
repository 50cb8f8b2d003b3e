//! Shape rules: the one place where an operation's operand types, widths and limits are decided.

use crate::{
	node::{MAX_NORM_SHIFT, MAX_PARTS, MAX_SHIFT},
	shape::{ShapeError, MAX_MATMUL_K},
	Dtype::{self, I32, I8},
	Node, Shape,
};

/// Why a program or a node is not valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Invalid {
	/// The program has no nodes.
	#[error("a program needs at least one node")]
	NoNodes,
	/// The program has more than [`MAX_NODES`](super::MAX_NODES) nodes.
	#[error("{0} nodes, at most {max} are allowed", max = super::MAX_NODES)]
	TooManyNodes(u64),
	/// An operand is not an earlier node.
	#[error("refers to node {0}, which is not an earlier one")]
	NotEarlier(u32),
	/// No later node uses this one, and it is not the output.
	#[error("no later node uses its result")]
	Unused,
	/// The result is outside the limits of every tensor.
	#[error("result out of bounds: {0}")]
	Result(ShapeError),
	/// An operand has the wrong shape or type.
	#[error("operand {slot} is {got}, but {rule}")]
	Operand {
		/// Position of the operand among the node's references.
		slot: u32,
		/// Its shape.
		got: Shape,
		/// What is required.
		rule: ShapeRule,
	},
	/// A shift above the operation's limit.
	#[error("shift {got}, at most {max} is allowed")]
	Shift {
		/// The node's shift.
		got: u8,
		/// The largest one allowed.
		max: u8,
	},
	/// A slice of nothing, or past the end.
	#[error("slice of {len} from {start} does not fit {available}")]
	Slice {
		/// First row or column.
		start: u32,
		/// Rows or columns taken.
		len: u32,
		/// Rows or columns there are.
		available: u32,
	},
	/// No parts, or more than [`MAX_PARTS`].
	#[error("{0} parts, 1 to {MAX_PARTS} are allowed")]
	Parts(u64),
}

/// What an operation requires of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ShapeRule {
	/// This element type.
	#[error("must be {0}")]
	Type(Dtype),
	/// Exactly this shape.
	#[error("must be {0}")]
	Exactly(Shape),
	/// This shape, or one row of its width.
	#[error("must be {0} or one row of that width")]
	SameOrRow(Shape),
	/// This many columns.
	#[error("must have {0} columns")]
	Cols(u32),
	/// This many rows.
	#[error("must have {0} rows")]
	Rows(u32),
	/// At most [`MAX_MATMUL_K`] columns.
	#[error("may have at most {MAX_MATMUL_K} columns")]
	MatmulWidth,
}

fn require(holds: bool, slot: u32, got: Shape, rule: ShapeRule) -> Result<(), Invalid> {
	if holds {
		Ok(())
	} else {
		Err(Invalid::Operand { slot, got, rule })
	}
}

fn typed(slot: u32, got: Shape, dtype: Dtype) -> Result<(), Invalid> {
	require(got.dtype == dtype, slot, got, ShapeRule::Type(dtype))
}

fn exactly(slot: u32, got: Shape, want: Shape) -> Result<(), Invalid> {
	require(got == want, slot, got, ShapeRule::Exactly(want))
}

/// `i32[1, cols]`: the form of biases, gains and multipliers.
fn column_vector(slot: u32, got: Shape, cols: u32) -> Result<(), Invalid> {
	exactly(slot, got, Shape::new(I32, 1, cols))
}

fn same_or_row(slot: u32, got: Shape, a: Shape) -> Result<(), Invalid> {
	let row = Shape { rows: 1, ..a };
	require(got == a || got == row, slot, got, ShapeRule::SameOrRow(a))
}

fn shift(got: u8, max: u8) -> Result<(), Invalid> {
	if got <= max {
		Ok(())
	} else {
		Err(Invalid::Shift { got, max })
	}
}

fn slice(start: u32, len: u32, available: u32) -> Result<(), Invalid> {
	match start.checked_add(len) {
		Some(end) if len > 0 && end <= available => Ok(()),
		_ => Err(Invalid::Slice { start, len, available }),
	}
}

/// Shape of a node's result. `shape` gives the shape of an earlier node, `None` for any other
/// reference.
pub(super) fn infer(node: &Node, shape: impl Fn(u32) -> Option<Shape>) -> Result<Shape, Invalid> {
	let of = |reference: u32| shape(reference).ok_or(Invalid::NotEarlier(reference));
	let out = match *node {
		Node::Input { dtype, rows, cols } | Node::Const { dtype, rows, cols, .. } => {
			Shape::new(dtype, rows, cols)
		}
		Node::Fill { rows, cols, .. } => Shape::new(I8, rows, cols),
		Node::MatmulT { a, b } => {
			let (a, b) = (of(a)?, of(b)?);
			typed(0, a, I8)?;
			typed(1, b, I8)?;
			require(a.cols <= MAX_MATMUL_K, 0, a, ShapeRule::MatmulWidth)?;
			require(b.cols == a.cols, 1, b, ShapeRule::Cols(a.cols))?;
			Shape::new(I32, a.rows, b.rows)
		}
		Node::Requant { x, bias, mult, shift: s } => {
			let x = of(x)?;
			typed(0, x, I32)?;
			column_vector(1, of(bias)?, x.cols)?;
			column_vector(2, of(mult)?, x.cols)?;
			shift(s, MAX_SHIFT)?;
			Shape { dtype: I8, ..x }
		}
		Node::Lut { x, table } => {
			let x = of(x)?;
			typed(0, x, I8)?;
			exactly(1, of(table)?, Shape::new(I8, 1, 256))?;
			x
		}
		Node::Add { a, b } => {
			let a = of(a)?;
			typed(0, a, I32)?;
			same_or_row(1, of(b)?, a)?;
			a
		}
		Node::Widen { x, mult } => {
			let x = of(x)?;
			typed(0, x, I8)?;
			column_vector(1, of(mult)?, x.cols)?;
			Shape { dtype: I32, ..x }
		}
		Node::RowSoftmax { x, table, shift: s, .. } => {
			let x = of(x)?;
			typed(0, x, I32)?;
			exactly(1, of(table)?, Shape::new(I32, 1, 256))?;
			shift(s, MAX_SHIFT)?;
			Shape { dtype: I8, ..x }
		}
		Node::RowNorm { x, gain, bias, shift: s } => {
			let x = of(x)?;
			typed(0, x, I32)?;
			column_vector(1, of(gain)?, x.cols)?;
			column_vector(2, of(bias)?, x.cols)?;
			shift(s, MAX_NORM_SHIFT)?;
			x
		}
		Node::Gather { table, index } => {
			let (table, index) = (of(table)?, of(index)?);
			typed(0, table, I8)?;
			typed(1, index, I32)?;
			require(index.cols == 1, 1, index, ShapeRule::Cols(1))?;
			Shape { rows: index.rows, ..table }
		}
		Node::Transpose { x } => {
			let x = of(x)?;
			Shape::new(x.dtype, x.cols, x.rows)
		}
		Node::SliceCols { x, start, len } => {
			let x = of(x)?;
			slice(start, len, x.cols)?;
			Shape { cols: len, ..x }
		}
		Node::SliceRows { x, start, len } => {
			let x = of(x)?;
			slice(start, len, x.rows)?;
			Shape { rows: len, ..x }
		}
		Node::ConcatCols { ref parts } => {
			let mut parts = part_shapes(parts, &of)?;
			let mut out = parts.next().ok_or(Invalid::Parts(0))??;
			for (slot, part) in (1..).zip(parts) {
				let part = part?;
				typed(slot, part, out.dtype)?;
				require(part.rows == out.rows, slot, part, ShapeRule::Rows(out.rows))?;
				out.cols = out.cols.saturating_add(part.cols);
			}
			out
		}
		Node::ConcatRows { ref parts } => {
			let mut parts = part_shapes(parts, &of)?;
			let mut out = parts.next().ok_or(Invalid::Parts(0))??;
			for (slot, part) in (1..).zip(parts) {
				let part = part?;
				typed(slot, part, out.dtype)?;
				require(part.cols == out.cols, slot, part, ShapeRule::Cols(out.cols))?;
				out.rows = out.rows.saturating_add(part.rows);
			}
			out
		}
		Node::RowArgmax { x } => Shape::new(I32, of(x)?.rows, 1),
		Node::Mul { a, b } => {
			let a = of(a)?;
			typed(0, a, I8)?;
			same_or_row(1, of(b)?, a)?;
			Shape { dtype: I32, ..a }
		}
		Node::RowRms { x, gain, shift: s } => {
			let x = of(x)?;
			typed(0, x, I32)?;
			column_vector(1, of(gain)?, x.cols)?;
			shift(s, MAX_NORM_SHIFT)?;
			x
		}
		Node::RowAbsmax { x } => {
			let x = of(x)?;
			typed(0, x, I32)?;
			Shape::new(I32, x.rows, 1)
		}
		Node::RowQuant { x } => {
			let x = of(x)?;
			typed(0, x, I32)?;
			Shape { dtype: I8, ..x }
		}
		Node::RowScale { x, scale, shift: s } => {
			let x = of(x)?;
			typed(0, x, I32)?;
			exactly(1, of(scale)?, Shape::new(I32, x.rows, 1))?;
			shift(s, MAX_SHIFT)?;
			x
		}
		Node::ColScale { x, mult, shift: s } => {
			let x = of(x)?;
			typed(0, x, I32)?;
			column_vector(1, of(mult)?, x.cols)?;
			shift(s, MAX_SHIFT)?;
			x
		}
	};
	out.check().map_err(Invalid::Result)
}

fn part_shapes<'a>(
	parts: &'a [u32],
	of: &'a impl Fn(u32) -> Result<Shape, Invalid>,
) -> Result<impl Iterator<Item = Result<Shape, Invalid>> + 'a, Invalid> {
	if parts.is_empty() || parts.len() > MAX_PARTS {
		return Err(Invalid::Parts(parts.len() as u64));
	}
	Ok(parts.iter().map(|&part| of(part)))
}
