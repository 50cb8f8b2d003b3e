//! One row, or one element, of a node's result from rows of its operands: the property the protocol
//! stands on. A spot audit asks a [`fetch`](Step::row) for rows over the network; the chain gives it
//! the rows of a fraud proof, each opened and verified.

use crate::{
	commit::fill_row,
	ops::{self, bytes},
	Node, Shape,
};
use alloc::{vec, vec::Vec};

/// A node with the shapes around it: what a program proof opens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step<'a> {
	/// The operation.
	pub node: &'a Node,
	/// Shapes of its operands, in slot order (see [`Node::operands`]).
	pub operands: Vec<Shape>,
	/// Shape of its result.
	pub out: Shape,
}

/// Why a row cannot be computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RowError<E> {
	/// Inputs and consts are given, not computed.
	#[error("inputs and consts are not computed")]
	NotComputed,
	/// The place lies outside the result.
	#[error("the place lies outside the result")]
	OutOfRange,
	/// The step lacks this operand, or a fetched row of it has another place or width than its shape.
	#[error("operand {slot}: missing, or the row does not fit its shape")]
	Operand {
		/// The operand's slot.
		slot: u32,
	},
	/// The row could not be fetched.
	#[error("{0}")]
	Fetch(E),
}

/// Fetches rows and checks their widths.
struct Rows<'s, F> {
	operands: &'s [Shape],
	fetch: F,
}

impl<F, R, E> Rows<'_, F>
where
	F: FnMut(u32, u32) -> Result<R, E>,
	R: AsRef<[u8]>,
{
	fn shape(&self, slot: u32) -> Result<Shape, RowError<E>> {
		let shape = self.operands.get(slot as usize).and_then(|shape| shape.check().ok());
		shape.ok_or(RowError::Operand { slot })
	}

	fn row(&mut self, slot: u32, row: u32) -> Result<R, RowError<E>> {
		let shape = self.shape(slot)?;
		let bytes = (self.fetch)(slot, row).map_err(RowError::Fetch)?;
		if row < shape.rows && bytes.as_ref().len() as u64 == u64::from(shape.row_bytes()) {
			Ok(bytes)
		} else {
			Err(RowError::Operand { slot })
		}
	}

	/// Row `row` of an operand, or its only row.
	fn row_or_only(&mut self, slot: u32, row: u32) -> Result<R, RowError<E>> {
		let row = if self.shape(slot)?.rows == 1 { 0 } else { row };
		self.row(slot, row)
	}
}

impl Step<'_> {
	/// Row `row` of the result. `fetch(slot, row)` is asked for the rows of operands it depends on:
	/// for `matmul_t` and `transpose` all rows of the right operand, else a few.
	pub fn row<R, E>(
		&self,
		row: u32,
		fetch: impl FnMut(u32, u32) -> Result<R, E>,
	) -> Result<Vec<u8>, RowError<E>>
	where
		R: AsRef<[u8]>,
	{
		self.check_place(row, 0)?;
		let mut out = vec![0u8; self.out.row_bytes() as usize];
		self.row_into(row, fetch, &mut out)?;
		Ok(out)
	}

	fn check_place<E>(&self, row: u32, col: u32) -> Result<(), RowError<E>> {
		match self.out.check() {
			Ok(out) if row < out.rows && col < out.cols => Ok(()),
			_ => Err(RowError::OutOfRange),
		}
	}

	/// The same into a buffer of the row's width.
	#[inline(always)]
	pub(crate) fn row_into<R, E>(
		&self,
		row: u32,
		fetch: impl FnMut(u32, u32) -> Result<R, E>,
		out: &mut [u8],
	) -> Result<(), RowError<E>>
	where
		R: AsRef<[u8]>,
	{
		let mut rows = Rows { operands: &self.operands, fetch };
		match self.node {
			Node::Input { .. } | Node::Const { .. } => return Err(RowError::NotComputed),
			Node::MatmulT { .. } => {
				let a = rows.row(0, row)?;
				for (j, out) in (0..).zip(out.as_chunks_mut::<4>().0) {
					*out = ops::dot(a.as_ref(), rows.row(1, j)?.as_ref()).to_le_bytes();
				}
			}
			Node::Transpose { .. } => {
				let dtype = self.out.dtype;
				for (j, out) in (0..).zip(out.chunks_exact_mut(dtype.size() as usize)) {
					let start = (row as usize).saturating_mul(out.len());
					let x = rows.row(0, j)?;
					let element = x.as_ref().get(start..start.saturating_add(out.len()));
					out.copy_from_slice(element.ok_or(RowError::Operand { slot: 0 })?);
				}
			}
			_ => self.local_row(row, &mut rows, out)?,
		}
		Ok(())
	}

	/// Element (`row`, `col`) of the result, widened to i32, from a bounded number of rows: at most
	/// three for any operation.
	pub fn element<R, E>(
		&self,
		row: u32,
		col: u32,
		fetch: impl FnMut(u32, u32) -> Result<R, E>,
	) -> Result<i32, RowError<E>>
	where
		R: AsRef<[u8]>,
	{
		self.check_place(row, col)?;
		match self.node {
			Node::MatmulT { .. } => {
				let mut rows = Rows { operands: &self.operands, fetch };
				Ok(ops::dot(rows.row(0, row)?.as_ref(), rows.row(1, col)?.as_ref()))
			}
			Node::Transpose { .. } => {
				let mut rows = Rows { operands: &self.operands, fetch };
				let x = rows.row(0, col)?;
				bytes::element(x.as_ref(), self.out.dtype, row).ok_or(RowError::Operand { slot: 0 })
			}
			Node::ConcatCols { parts } => {
				// One part has the column: the others are not needed.
				let mut rows = Rows { operands: &self.operands, fetch };
				let mut col = col;
				for slot in 0..parts.len() as u32 {
					let part = rows.shape(slot)?;
					if col < part.cols {
						let bytes = rows.row(slot, row)?;
						let element = bytes::element(bytes.as_ref(), part.dtype, col);
						return element.ok_or(RowError::Operand { slot });
					}
					col = col.saturating_sub(part.cols);
				}
				Err(RowError::OutOfRange)
			}
			_ => {
				let bytes = self.row(row, fetch)?;
				bytes::element(&bytes, self.out.dtype, col).ok_or(RowError::OutOfRange)
			}
		}
	}

	/// The operations whose row depends on few rows.
	#[inline(always)]
	fn local_row<F, R, E>(
		&self,
		row: u32,
		rows: &mut Rows<'_, F>,
		out: &mut [u8],
	) -> Result<(), RowError<E>>
	where
		F: FnMut(u32, u32) -> Result<R, E>,
		R: AsRef<[u8]>,
	{
		match *self.node {
			Node::Input { .. }
			| Node::Const { .. }
			| Node::MatmulT { .. }
			| Node::Transpose { .. } => return Err(RowError::NotComputed),
			Node::Fill { ref seed, .. } => fill_row(seed, row, out),
			Node::Requant { shift, .. } => {
				let (x, bias, mult) = (rows.row(0, row)?, rows.row(1, 0)?, rows.row(2, 0)?);
				ops::requant(x.as_ref(), bias.as_ref(), mult.as_ref(), shift, out);
			}
			Node::Lut { .. } => ops::lut(rows.row(0, row)?.as_ref(), rows.row(1, 0)?.as_ref(), out),
			Node::Add { .. } => {
				ops::add(rows.row(0, row)?.as_ref(), rows.row_or_only(1, row)?.as_ref(), out)
			}
			Node::Mul { .. } => {
				ops::mul(rows.row(0, row)?.as_ref(), rows.row_or_only(1, row)?.as_ref(), out)
			}
			Node::Widen { .. } => {
				ops::widen(rows.row(0, row)?.as_ref(), rows.row(1, 0)?.as_ref(), out)
			}
			Node::RowSoftmax { mult, shift, .. } => {
				let (x, table) = (rows.row(0, row)?, rows.row(1, 0)?);
				ops::row_softmax(x.as_ref(), table.as_ref(), mult, shift, out);
			}
			Node::RowNorm { shift, .. } => {
				let (x, gain, bias) = (rows.row(0, row)?, rows.row(1, 0)?, rows.row(2, 0)?);
				ops::row_norm(x.as_ref(), gain.as_ref(), bias.as_ref(), shift, out);
			}
			Node::RowRms { shift, .. } => {
				let (x, gain) = (rows.row(0, row)?, rows.row(1, 0)?);
				ops::row_rms(x.as_ref(), gain.as_ref(), shift, out);
			}
			Node::Gather { .. } => {
				let index = rows.row(1, row)?;
				let index = bytes::element(index.as_ref(), crate::Dtype::I32, 0).unwrap_or(0);
				let last = rows.shape(0)?.rows.saturating_sub(1);
				let row = u32::try_from(index).unwrap_or(0).min(last);
				copy(out, rows.row(0, row)?.as_ref());
			}
			Node::SliceCols { start, .. } => {
				let start = start.saturating_mul(self.out.dtype.size()) as usize;
				copy(out, rows.row(0, row)?.as_ref().get(start..).unwrap_or(&[]));
			}
			Node::SliceRows { start, .. } => {
				copy(out, rows.row(0, row.saturating_add(start))?.as_ref())
			}
			Node::ConcatCols { ref parts } => {
				let mut rest = out;
				for slot in 0..parts.len() as u32 {
					let part = rows.row(slot, row)?;
					let width = part.as_ref().len().min(rest.len());
					let (now, later) = rest.split_at_mut(width);
					copy(now, part.as_ref());
					rest = later;
				}
			}
			Node::ConcatRows { ref parts } => {
				let mut row = row;
				for slot in 0..parts.len() as u32 {
					let part = rows.shape(slot)?;
					if row < part.rows {
						copy(out, rows.row(slot, row)?.as_ref());
						break;
					}
					row = row.saturating_sub(part.rows);
				}
			}
			Node::RowArgmax { .. } => {
				let dtype = rows.shape(0)?.dtype;
				ops::put_one(out, ops::row_argmax(rows.row(0, row)?.as_ref(), dtype));
			}
			Node::RowAbsmax { .. } => {
				ops::put_one(out, ops::row_absmax(rows.row(0, row)?.as_ref()))
			}
			Node::RowQuant { .. } => ops::row_quant(rows.row(0, row)?.as_ref(), out),
			Node::RowScale { shift, .. } => {
				let (x, scale) = (rows.row(0, row)?, rows.row(1, row)?);
				let scale = bytes::element(scale.as_ref(), crate::Dtype::I32, 0).unwrap_or(0);
				ops::row_scale(x.as_ref(), scale, shift, out);
			}
			Node::ColScale { shift, .. } => {
				let (x, mult) = (rows.row(0, row)?, rows.row(1, 0)?);
				ops::col_scale(x.as_ref(), mult.as_ref(), shift, out);
			}
		}
		Ok(())
	}
}

/// Copies as much as both sides have.
#[inline(always)]
fn copy(out: &mut [u8], from: &[u8]) {
	let len = out.len().min(from.len());
	if let (Some(out), Some(from)) = (out.get_mut(..len), from.get(..len)) {
		out.copy_from_slice(from);
	}
}
