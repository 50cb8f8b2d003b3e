//! Rows times rows in plain Rust: for processors without a kernel of their own, and for so few rows
//! that packing the other operand would cost more than the product.

use super::Operands;
use crate::{exec::for_each_chunk, ops};

pub(super) fn matmul_t(Operands { a, b, n, k }: Operands<'_>, out: &mut [u8]) {
	for_each_chunk(out, n * 4, |i, out| {
		let a = a.get(i * k..).unwrap_or(&[]);
		row(bytemuck::cast_slice(a), bytemuck::cast_slice(b), k, out);
	});
}

vectorised! {
	/// One row of the result: the first k elements of a with every row of b.
	fn row(a: &[u8], b: &[u8], k: usize, out: &mut [u8]) {
		let a = a.get(..k).unwrap_or(&[]);
		for (b, out) in b.chunks_exact(k.max(1)).zip(out.as_chunks_mut::<4>().0) {
			*out = ops::dot(a, b).to_le_bytes();
		}
	}
}
