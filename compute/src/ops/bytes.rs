//! Rows as bytes. Elements are read and written in place, little-endian, at any alignment.

use crate::Dtype;

/// The i32 elements of a row.
#[inline(always)]
pub(crate) fn i32s(bytes: &[u8]) -> impl ExactSizeIterator<Item = i32> + Clone + '_ {
	bytes.as_chunks::<4>().0.iter().map(|b| i32::from_le_bytes(*b))
}

/// The i8 elements of a row.
#[inline(always)]
pub(crate) fn i8s(bytes: &[u8]) -> impl ExactSizeIterator<Item = i8> + Clone + '_ {
	bytes.iter().map(|b| *b as i8)
}

/// Writes i32 elements, as many as both sides have.
#[inline(always)]
pub(crate) fn put_i32(out: &mut [u8], values: impl Iterator<Item = i32>) {
	for (out, value) in out.as_chunks_mut::<4>().0.iter_mut().zip(values) {
		*out = value.to_le_bytes();
	}
}

/// Writes i8 elements, as many as both sides have.
#[inline(always)]
pub(crate) fn put_i8(out: &mut [u8], values: impl Iterator<Item = i8>) {
	for (out, value) in out.iter_mut().zip(values) {
		*out = value as u8;
	}
}

/// Element `col` of a row, widened; `None` past its end.
pub(crate) fn element(row: &[u8], dtype: Dtype, col: u32) -> Option<i32> {
	match dtype {
		Dtype::I8 => row.get(col as usize).map(|b| i32::from(*b as i8)),
		Dtype::I32 => row.as_chunks::<4>().0.get(col as usize).map(|b| i32::from_le_bytes(*b)),
	}
}

/// First column where two rows of `dtype` differ.
pub(crate) fn first_difference(a: &[u8], b: &[u8], dtype: Dtype) -> Option<u32> {
	let byte = a.iter().zip(b).position(|(a, b)| a != b)?;
	Some(byte as u32 / dtype.size())
}
