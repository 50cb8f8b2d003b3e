//! Rows picked from a table by the values of another tensor.

use super::{check::Check, local::first_wrong, source::RowStreams};
use crate::{
	audit::{exact::Place, verdict::Stop},
	commit::verify_row,
	ops::bytes::i32s,
};
use alloc::{collections::BTreeMap, format, vec::Vec};

/// Bytes that keeping a row takes beside its own.
const BESIDE: usize = 96;

/// Rows of the table, all of them or those met so far.
enum Table {
	Whole(Vec<u8>),
	Met { rows: BTreeMap<u32, Vec<u8>>, bytes: usize },
}

impl<S: RowStreams> Check<'_, S> {
	/// The first wrong element of node `index`, which takes from `table` the rows that `of` names.
	pub fn gather(&mut self, index: u32, table: u32, of: u32) -> Result<Option<Place>, Stop> {
		let mut held = self.table(table)?;
		let last = self.shape(table)?.rows.saturating_sub(1);
		let (mut of, mut claimed) = (self.read(of)?, self.read(index)?);
		let block = self.block(&[claimed.shape()]);
		let out = claimed.shape();
		let mut exact = Vec::new();
		let mut wrong = None;
		while wrong.is_none() {
			let (of, claimed) = (of.block(block)?, claimed.block(block)?);
			if claimed.len() == 0 {
				break;
			}
			exact.clear();
			for named in i32s(of.bytes) {
				let row = u32::try_from(named).unwrap_or(0).min(last);
				self.take(table, row, &mut held, &mut exact)?;
			}
			wrong = first_wrong(&exact, claimed, out);
		}
		of.finish()?;
		claimed.finish()?;
		Ok(wrong)
	}

	/// The table whole, verified, if it is small.
	fn table(&mut self, table: u32) -> Result<Table, Stop> {
		let shape = self.shape(table)?;
		if shape.bytes() > self.limits.table_bytes as u64 {
			return Ok(Table::Met { rows: BTreeMap::new(), bytes: 0 });
		}
		let mut reader = self.read(table)?;
		let block = self.block(&[shape]);
		let mut whole = Vec::with_capacity(shape.bytes() as usize);
		loop {
			let rows = reader.block(block)?;
			if rows.len() == 0 {
				break;
			}
			whole.extend_from_slice(rows.bytes);
		}
		reader.finish()?;
		Ok(Table::Whole(whole))
	}

	/// Appends a row of the table, verified.
	fn take(
		&mut self,
		table: u32,
		row: u32,
		held: &mut Table,
		out: &mut Vec<u8>,
	) -> Result<(), Stop> {
		let (shape, root) = (self.shape(table)?, self.root(table)?);
		match held {
			Table::Whole(whole) => {
				let width = shape.row_bytes() as usize;
				let row = whole.chunks_exact(width.max(1)).nth(row as usize);
				out.extend_from_slice(row.unwrap_or(&[]));
			}
			Table::Met { rows, bytes } => {
				if let Some(row) = rows.get(&row) {
					out.extend_from_slice(row);
					return Ok(());
				}
				let open =
					self.source.row(table, row).map_err(|error| Stop::no_data(table, &error))?;
				if !verify_row(&root, shape, row, &open.bytes, &open.path) {
					let why = format!("row {row} does not open to the committed root");
					return Err(Stop::no_data(table, &why));
				}
				out.extend_from_slice(&open.bytes);
				// However narrow the rows, they take no more memory than there is for them.
				let kept = open.bytes.len().saturating_add(BESIDE);
				if bytes.saturating_add(kept) > self.limits.table_bytes {
					rows.clear();
					*bytes = 0;
				}
				*bytes = bytes.saturating_add(kept);
				rows.insert(row, open.bytes);
			}
		}
		Ok(())
	}
}
