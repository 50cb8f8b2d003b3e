//! Products, by projection.

use super::{check::Check, source::RowStreams};
use crate::{
	audit::{
		exact::Place,
		folded::{Folding, Projection},
		projection::weights,
		verdict::Stop,
	},
	ops,
};
use alloc::sync::Arc;

impl<S: RowStreams> Check<'_, S> {
	/// The first wrong element of node `index`, the product a · bᵀ.
	pub fn product(&mut self, index: u32, a: u32, b: u32) -> Result<Option<Place>, Stop> {
		let projection = self.projection(index, b)?;
		let (mut left, mut claimed) = (self.read(a)?, self.read(index)?);
		let block = self.block(&[left.shape(), claimed.shape()]);
		let mut wrong = None;
		while wrong.is_none() {
			let (left, claimed) = (left.block(block)?, claimed.block(block)?);
			if claimed.len() == 0 {
				break;
			}
			let place = |place: u32| claimed.first.saturating_add(place);
			let differs =
				|at: &u32| !projection.agrees(left.row(place(*at)), claimed.row(place(*at)));
			let found = find_first(claimed.len(), differs).map(place);
			wrong = found.map(|row| (row, left.row(row).to_vec(), claimed.row(row).to_vec()));
		}
		left.finish()?;
		claimed.finish()?;
		let Some((row, left, claimed)) = wrong else { return Ok(None) };
		// The row is wrong for certain: recomputing it names the element.
		let mut right = self.read(b)?;
		let block = self.block(&[right.shape()]);
		let mut claimed = ops::bytes::i32s(&claimed);
		let mut col = None;
		while col.is_none() {
			let right = right.block(block)?;
			if right.len() == 0 {
				break;
			}
			let rows = right.bytes.chunks_exact(right.width.max(1)).zip(&mut claimed);
			let mut rows = (right.first..).zip(rows);
			col = rows.find(|(_, (b, claimed))| ops::dot(&left, b) != *claimed).map(|(col, _)| col);
		}
		right.finish()?;
		Ok(col.map(|col| (row, col)))
	}

	/// Bᵀ·r, kept or folded from B as it passes.
	fn projection(&mut self, index: u32, b: u32) -> Result<Arc<Projection>, Stop> {
		let weights = weights(self.program, b);
		let shape = self.shape(b)?;
		let kept = weights.and_then(|weights| self.keep.get(&weights));
		if let Some(kept) = kept.filter(|kept| kept.fits(shape)) {
			return Ok(kept);
		}
		let mut right = self.read(b)?;
		let block = self.block(&[shape]);
		let mut folding = Folding::new(self.secret, index, shape.rows, shape.cols);
		loop {
			let rows = right.block(block)?;
			if rows.len() == 0 {
				break;
			}
			folding.push(bytemuck::cast_slice(rows.bytes));
		}
		right.finish()?;
		let projection = Arc::new(folding.finish());
		if let Some(weights) = weights {
			self.keep.put(&weights, &projection);
		}
		Ok(projection)
	}
}

/// The first number below `count` for which it holds, in parallel under `std`.
pub(super) fn find_first(count: u32, holds: impl Fn(&u32) -> bool + Send + Sync) -> Option<u32> {
	#[cfg(feature = "std")]
	{
		use rayon::prelude::*;
		(0..count).into_par_iter().find_first(|at| holds(at))
	}
	#[cfg(not(feature = "std"))]
	(0..count).find(|at| holds(at))
}
