//! Transposes, by projection: out = Xᵀ exactly if out·r = Xᵀ·r, but for a probability of 1 / (2^61
//! − 1) over r.

use super::{check::Check, product::find_first, source::RowStreams};
use crate::{
	audit::{
		exact::Place,
		field,
		fold::{NarrowFold, NarrowVector, WideFold, WideVector},
		verdict::Stop,
	},
	ops::bytes::element,
	Dtype,
};
use alloc::vec::Vec;

/// A vector for either element type.
enum Vector {
	Narrow(NarrowVector),
	Wide(WideVector),
}

impl Vector {
	fn dot(&self, row: &[u8]) -> u64 {
		match self {
			Vector::Narrow(vector) => vector.dot(bytemuck::cast_slice(row)),
			Vector::Wide(vector) => vector.dot(row),
		}
	}
}

impl<S: RowStreams> Check<'_, S> {
	/// The first wrong element of node `index`, the transpose of x.
	pub fn transpose(&mut self, index: u32, x: u32) -> Result<Option<Place>, Stop> {
		let (r, folded) = self.fold(index, x)?;
		let mut claimed = self.read(index)?;
		let block = self.block(&[claimed.shape()]);
		let mut wrong = None;
		while wrong.is_none() {
			let claimed = claimed.block(block)?;
			if claimed.len() == 0 {
				break;
			}
			let place = |place: u32| claimed.first.saturating_add(place);
			let differs = |at: &u32| {
				let at = place(*at);
				folded.get(at as usize) != Some(&r.dot(claimed.row(at)))
			};
			let found = find_first(claimed.len(), differs).map(place);
			wrong = found.map(|row| (row, claimed.row(row).to_vec()));
		}
		claimed.finish()?;
		let Some((row, claimed)) = wrong else { return Ok(None) };
		// Column `row` of x is what the row should have been.
		let mut x = self.read(x)?;
		let (dtype, block) = (x.shape().dtype, self.block(&[x.shape()]));
		let mut col = None;
		while col.is_none() {
			let x = x.block(block)?;
			if x.len() == 0 {
				break;
			}
			let mut rows = (x.first..).zip(x.bytes.chunks_exact(x.width.max(1)));
			let differs =
				|(col, x): &(u32, &[u8])| element(x, dtype, row) != element(&claimed, dtype, *col);
			col = rows.find(differs).map(|(col, _)| col);
		}
		x.finish()?;
		Ok(col.map(|col| (row, col)))
	}

	/// A random r, and Xᵀ·r.
	fn fold(&mut self, index: u32, x: u32) -> Result<(Vector, Vec<u64>), Stop> {
		let mut x = self.read(x)?;
		let shape = x.shape();
		let block = self.block(&[shape]);
		let r = field::random_vector(self.secret, index, shape.rows as usize);
		let width = shape.cols as usize;
		match shape.dtype {
			Dtype::I8 => {
				let (r, mut fold) = (NarrowVector::new(&r), NarrowFold::new(width));
				loop {
					let rows = x.block(block)?;
					if rows.len() == 0 {
						break;
					}
					fold.push(bytemuck::cast_slice(rows.bytes), &r);
				}
				x.finish()?;
				Ok((Vector::Narrow(r), fold.finish()))
			}
			Dtype::I32 => {
				let (r, mut fold) = (WideVector::new(&r), WideFold::new(width));
				loop {
					let rows = x.block(block)?;
					if rows.len() == 0 {
						break;
					}
					fold.push(rows.bytes, &r);
				}
				x.finish()?;
				Ok((Vector::Wide(r), fold.finish()))
			}
		}
	}
}
