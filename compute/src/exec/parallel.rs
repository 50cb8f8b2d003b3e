//! The one place that knows of threads.

/// Calls `work(index, chunk)` for each chunk of `size` bytes of `out`; in parallel on the current
/// rayon pool under `std`, else in order.
pub(crate) fn for_each_chunk(
	out: &mut [u8],
	size: usize,
	work: impl Fn(usize, &mut [u8]) + Send + Sync,
) {
	let size = size.max(1);
	#[cfg(feature = "std")]
	{
		use rayon::prelude::*;
		if out.len() > size {
			out.par_chunks_mut(size).enumerate().for_each(|(index, chunk)| work(index, chunk));
			return;
		}
	}
	out.chunks_mut(size).enumerate().for_each(|(index, chunk)| work(index, chunk));
}
