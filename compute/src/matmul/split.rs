//! How a product is divided among threads. Kernels divide the rows of the result; where there are
//! too few of them for that, as when a decoder makes one token after another, its columns are
//! divided first.

use super::{Kernel, Operands};

/// With fewer rows than this, packing b would cost more than it saves.
const FEW_ROWS: usize = 6;
/// Rows that keep one thread's kernel at its full rate.
#[cfg(feature = "std")]
const ROWS_PER_THREAD: usize = 48;
/// Products that are not worth a thread of their own.
#[cfg(feature = "std")]
const SMALL: usize = 1 << 18;

pub(super) fn matmul_t(kernel: Kernel, operands: Operands<'_>, out: &mut [u8]) {
	let rows = out.len() / (4 * operands.n);
	let kernel = if rows < FEW_ROWS { Kernel::Portable } else { kernel };
	#[cfg(feature = "std")]
	{
		let threads = rayon::current_num_threads();
		let work = rows.saturating_mul(operands.n).saturating_mul(operands.k);
		if threads > 1 && rows < ROWS_PER_THREAD * threads && work > SMALL {
			return by_columns(kernel, operands, rows, threads, out);
		}
	}
	kernel.run(operands, out);
}

#[cfg(feature = "std")]
fn by_columns(
	kernel: Kernel,
	Operands { a, b, n, k }: Operands<'_>,
	rows: usize,
	threads: usize,
	out: &mut [u8],
) {
	use rayon::prelude::*;
	let cols = n.div_ceil(threads).next_multiple_of(16);
	let parts: Vec<Vec<u8>> = b
		.par_chunks(cols * k)
		.map(|b| {
			let n = b.len() / k;
			let mut part = vec![0; rows * n * 4];
			kernel.run(Operands { a, b, n, k }, &mut part);
			part
		})
		.collect();
	for (row, out) in out.chunks_exact_mut(n * 4).enumerate() {
		for (part, out) in parts.iter().zip(out.chunks_mut(cols * 4)) {
			out.copy_from_slice(&part[row * out.len()..][..out.len()]);
		}
	}
}
