//! The nodes of a tensor program.

use crate::{Dtype, Root};
use alloc::vec::Vec;
use codec::Encode;

/// Most parts of a concatenation.
pub const MAX_PARTS: usize = 64;
/// Largest shift of `requant`, `row_softmax`, `row_scale` and `col_scale`.
pub const MAX_SHIFT: u8 = 62;
/// Largest shift of `row_norm` and `row_rms`.
pub const MAX_NORM_SHIFT: u8 = 15;
/// Longest encoding of one node: a concatenation of [`MAX_PARTS`] parts.
pub const MAX_NODE_BYTES: usize = 1 + 2 + 4 * MAX_PARTS;

/// One operation of a program. References (`a`, `x`, `parts` …) are indices of earlier nodes.
///
/// Meanings are frozen: an index is never reused and its arithmetic never changes.
#[derive(Clone, Debug, PartialEq, Eq, Encode)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "std", serde(tag = "op", rename_all = "snake_case", deny_unknown_fields))]
pub enum Node {
	/// Supplied per task.
	#[codec(index = 0)]
	#[allow(missing_docs)]
	Input { dtype: Dtype, rows: u32, cols: u32 },
	/// Weights and tables, named by their tensor root.
	#[codec(index = 1)]
	#[allow(missing_docs)]
	Const {
		dtype: Dtype,
		rows: u32,
		cols: u32,
		#[cfg_attr(feature = "std", serde(with = "crate::json::hash_hex"))]
		root: Root,
	},
	/// Pseudorandom i8\[rows, cols\] regenerated from a seed, row by row.
	#[codec(index = 2)]
	#[allow(missing_docs)]
	Fill {
		rows: u32,
		cols: u32,
		#[cfg_attr(feature = "std", serde(with = "crate::json::hash_hex"))]
		seed: [u8; 32],
	},
	/// i32\[m, n\] = `a` · `b`ᵀ with a: i8\[m, k\], b: i8\[n, k\].
	#[codec(index = 3)]
	#[allow(missing_docs)]
	MatmulT { a: u32, b: u32 },
	/// i8 = clamp8(rshr((x + bias\[j\]) · mult\[j\], shift)), x: i32\[m, n\]; bias, mult: i32\[1, n\].
	#[codec(index = 4)]
	#[allow(missing_docs)]
	Requant { x: u32, bias: u32, mult: u32, shift: u8 },
	/// i8 = table\[x + 128\], table: i8\[1, 256\].
	#[codec(index = 5)]
	#[allow(missing_docs)]
	Lut { x: u32, table: u32 },
	/// i32 = wrap32(a + b); b has a's shape or is one row.
	#[codec(index = 6)]
	#[allow(missing_docs)]
	Add { a: u32, b: u32 },
	/// i32 = wrap32(x · mult\[j\]), x: i8\[m, n\], mult: i32\[1, n\].
	#[codec(index = 7)]
	#[allow(missing_docs)]
	Widen { x: u32, mult: u32 },
	/// i8 softmax of each row of x: i32, through table: i32\[1, 256\].
	#[codec(index = 8)]
	#[allow(missing_docs)]
	RowSoftmax { x: u32, table: u32, mult: u32, shift: u8 },
	/// i32 layer norm of each row; gain, bias: i32\[1, n\].
	#[codec(index = 9)]
	#[allow(missing_docs)]
	RowNorm { x: u32, gain: u32, bias: u32, shift: u8 },
	/// i8\[m, k\]: rows of table: i8\[v, k\] named by index: i32\[m, 1\], clamped.
	#[codec(index = 10)]
	#[allow(missing_docs)]
	Gather { table: u32, index: u32 },
	/// out\[j, i\] = x\[i, j\].
	#[codec(index = 11)]
	#[allow(missing_docs)]
	Transpose { x: u32 },
	/// Columns `start..start + len`.
	#[codec(index = 12)]
	#[allow(missing_docs)]
	SliceCols { x: u32, start: u32, len: u32 },
	/// 1 to 64 parts side by side.
	#[codec(index = 13)]
	#[allow(missing_docs)]
	ConcatCols { parts: Vec<u32> },
	/// Rows `start..start + len`.
	#[codec(index = 14)]
	#[allow(missing_docs)]
	SliceRows { x: u32, start: u32, len: u32 },
	/// 1 to 64 parts below one another.
	#[codec(index = 15)]
	#[allow(missing_docs)]
	ConcatRows { parts: Vec<u32> },
	/// i32\[m, 1\]: lowest index of each row's maximum.
	#[codec(index = 16)]
	#[allow(missing_docs)]
	RowArgmax { x: u32 },
	/// i32 = a · b of i8; b has a's shape or is one row.
	#[codec(index = 17)]
	#[allow(missing_docs)]
	Mul { a: u32, b: u32 },
	/// i32 root-mean-square norm of each row; gain: i32\[1, n\].
	#[codec(index = 18)]
	#[allow(missing_docs)]
	RowRms { x: u32, gain: u32, shift: u8 },
	/// i32\[m, 1\]: largest magnitude of each row, at least 1.
	#[codec(index = 19)]
	#[allow(missing_docs)]
	RowAbsmax { x: u32 },
	/// i8: each row scaled by its own largest magnitude.
	#[codec(index = 20)]
	#[allow(missing_docs)]
	RowQuant { x: u32 },
	/// i32 = rshr(x · scale\[i\], shift) clamped, scale: i32\[m, 1\].
	#[codec(index = 21)]
	#[allow(missing_docs)]
	RowScale { x: u32, scale: u32, shift: u8 },
	/// i32 = rshr(x · mult\[j\], shift) clamped, mult: i32\[1, n\].
	#[codec(index = 22)]
	#[allow(missing_docs)]
	ColScale { x: u32, mult: u32, shift: u8 },
}

impl Node {
	/// The operation's name in the specification and in JSON.
	pub const fn name(&self) -> &'static str {
		match self {
			Node::Input { .. } => "input",
			Node::Const { .. } => "const",
			Node::Fill { .. } => "fill",
			Node::MatmulT { .. } => "matmul_t",
			Node::Requant { .. } => "requant",
			Node::Lut { .. } => "lut",
			Node::Add { .. } => "add",
			Node::Widen { .. } => "widen",
			Node::RowSoftmax { .. } => "row_softmax",
			Node::RowNorm { .. } => "row_norm",
			Node::Gather { .. } => "gather",
			Node::Transpose { .. } => "transpose",
			Node::SliceCols { .. } => "slice_cols",
			Node::ConcatCols { .. } => "concat_cols",
			Node::SliceRows { .. } => "slice_rows",
			Node::ConcatRows { .. } => "concat_rows",
			Node::RowArgmax { .. } => "row_argmax",
			Node::Mul { .. } => "mul",
			Node::RowRms { .. } => "row_rms",
			Node::RowAbsmax { .. } => "row_absmax",
			Node::RowQuant { .. } => "row_quant",
			Node::RowScale { .. } => "row_scale",
			Node::ColScale { .. } => "col_scale",
		}
	}

	/// The nodes this one reads, in encoding order. The position in this sequence is the operand's
	/// *slot*.
	pub fn operands(&self) -> impl Iterator<Item = u32> + '_ {
		let (fixed, count, parts): ([u32; 3], usize, &[u32]) = match self {
			Node::Input { .. } | Node::Const { .. } | Node::Fill { .. } => ([0; 3], 0, &[]),
			Node::MatmulT { a, b } | Node::Add { a, b } | Node::Mul { a, b } => {
				([*a, *b, 0], 2, &[])
			}
			Node::Requant { x, bias, mult, .. } => ([*x, *bias, *mult], 3, &[]),
			Node::RowNorm { x, gain, bias, .. } => ([*x, *gain, *bias], 3, &[]),
			Node::Lut { x, table } | Node::RowSoftmax { x, table, .. } => ([*x, *table, 0], 2, &[]),
			Node::Widen { x, mult } | Node::ColScale { x, mult, .. } => ([*x, *mult, 0], 2, &[]),
			Node::RowRms { x, gain, .. } => ([*x, *gain, 0], 2, &[]),
			Node::RowScale { x, scale, .. } => ([*x, *scale, 0], 2, &[]),
			Node::Gather { table, index } => ([*table, *index, 0], 2, &[]),
			Node::Transpose { x }
			| Node::SliceCols { x, .. }
			| Node::SliceRows { x, .. }
			| Node::RowArgmax { x }
			| Node::RowAbsmax { x }
			| Node::RowQuant { x } => ([*x, 0, 0], 1, &[]),
			Node::ConcatCols { parts } | Node::ConcatRows { parts } => ([0; 3], 0, parts),
		};
		fixed.into_iter().take(count).chain(parts.iter().copied())
	}
}
