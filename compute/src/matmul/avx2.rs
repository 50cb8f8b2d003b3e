//! Exact int8 product for AVX2 without VNNI. Bytes are widened to 16 bits while they are packed, so
//! that `vpmaddwd` sums two products into 32 bits without ever saturating, −128 · −128 included.

use super::Operands;
use crate::exec::for_each_chunk;
use core::arch::x86_64::*;

/// Rows of a tile: with [`NR`], 12 vectors of sums stay in the 16 registers.
const MR: usize = 6;
/// Columns of a tile: two vectors of i32.
const NR: usize = 16;
/// Pairs of k that are packed at once. The more, the fewer times the result is read and written;
/// a panel of b still fits the first-level cache.
const PAIRS: usize = 512;
/// Rows of a that are packed at once, for half the second-level cache.
const MC: usize = 20 * MR;
/// Rows of b (columns of the result) that are packed at once, for the third level.
const NC: usize = 128 * NR;

/// Two neighbours along k.
type Pair = [i16; 2];

pub(super) fn detected() -> bool {
	std::is_x86_feature_detected!("avx2")
}

/// As many rows as `out` has. Call only where [`detected`].
pub(super) fn matmul_t(Operands { a, b, n, k }: Operands<'_>, out: &mut [u8]) {
	let rows = out.len() / (4 * n);
	let threads = rayon::current_num_threads();
	// Whole tiles for every thread, and no more rows than are packed at once.
	let chunk = rows.div_ceil(threads).next_multiple_of(MR).min(MC);
	let mut panels = Vec::new();
	for first_col in (0..n).step_by(NC) {
		let cols = NC.min(n - first_col);
		for first_k in (0..k).step_by(2 * PAIRS) {
			let depth = (2 * PAIRS).min(k - first_k);
			let pairs = depth.div_ceil(2);
			pack_b(&mut panels, &b[first_col * k..], cols, k, first_k, depth);
			for_each_chunk(out, chunk * n * 4, |index, out| {
				let rows = out.len() / (4 * n);
				let a = pack_a(&a[index * chunk * k..], rows, k, first_k, depth);
				let block = Block { a: &a, panels: &panels, pairs, first_col, cols, n };
				// SAFETY: this module runs only on processors where AVX2 was detected.
				#[allow(unsafe_code)]
				unsafe {
					block.add_to(out, first_k == 0)
				};
			});
		}
	}
}

/// Widens `rows` rows of `depth` elements from `first_k` on; rows up to a whole tile and the odd
/// last element are zero.
fn pack_a(a: &[i8], rows: usize, k: usize, first_k: usize, depth: usize) -> Vec<Pair> {
	let pairs = depth.div_ceil(2);
	let mut packed = vec![[0; 2]; rows.next_multiple_of(MR) * pairs];
	for (packed, row) in packed.chunks_exact_mut(pairs).zip(a.chunks(k)).take(rows) {
		let row = &row[first_k..first_k + depth];
		for (packed, value) in packed.as_flattened_mut().iter_mut().zip(row) {
			*packed = i16::from(*value);
		}
	}
	packed
}

/// Packs panels of [`NR`] rows of b: for each pair along k, the pairs of all rows side by side.
fn pack_b(
	panels: &mut Vec<[__m256i; 2]>,
	b: &[i8],
	cols: usize,
	k: usize,
	first_k: usize,
	depth: usize,
) {
	let pairs = depth.div_ceil(2);
	panels.clear();
	panels.resize(cols.div_ceil(NR) * pairs, bytemuck::Zeroable::zeroed());
	let bytes: &mut [u8] = bytemuck::cast_slice_mut(panels);
	for_each_chunk(bytes, pairs * size_of::<[Pair; NR]>(), |index, bytes| {
		let panel: &mut [[Pair; NR]] = bytemuck::cast_slice_mut(bytes);
		let first = index * NR;
		for (j, row) in b[first * k..].chunks(k).take(NR.min(cols - first)).enumerate() {
			let row = &row[first_k..first_k + depth];
			for (packed, pair) in panel.iter_mut().zip(row.chunks(2)) {
				packed[j] = [i16::from(pair[0]), i16::from(*pair.get(1).unwrap_or(&0))];
			}
		}
	});
}

/// Packed operands, and where their product belongs in rows of `n` columns.
struct Block<'a> {
	a: &'a [Pair],
	panels: &'a [[__m256i; 2]],
	pairs: usize,
	first_col: usize,
	cols: usize,
	n: usize,
}

impl Block<'_> {
	/// Adds the product to `rows` rows of `out`, or puts it there the first time.
	#[target_feature(enable = "avx2")]
	fn add_to(&self, out: &mut [u8], first: bool) {
		let stride = 4 * self.n;
		for (index, panel) in self.panels.chunks_exact(self.pairs).enumerate() {
			let col = index * NR;
			let width = 4 * NR.min(self.cols - col);
			let start = 4 * (self.first_col + col);
			for (a, out) in self.a.chunks_exact(MR * self.pairs).zip(out.chunks_mut(MR * stride)) {
				for out in out.chunks_exact(stride) {
					// The sums are needed only after the products, but come from far away.
					prefetch(&out[start]);
				}
				let sums = tile(a, panel);
				for (out, sums) in out.chunks_exact_mut(stride).zip(sums) {
					add_row(&mut out[start..start + width], sums, first);
				}
			}
		}
	}
}

#[target_feature(enable = "avx2")]
fn prefetch(byte: &u8) {
	_mm_prefetch::<_MM_HINT_T0>((byte as *const u8).cast());
}

/// Adds sums to one row of a tile, which at the right edge is narrower than they are.
#[target_feature(enable = "avx2")]
fn add_row(out: &mut [u8], sums: [__m256i; 2], first: bool) {
	if let Ok(out) = <&mut [u8; 64]>::try_from(&mut *out) {
		let mut after = sums;
		if !first {
			let [low, high]: [__m256i; 2] = bytemuck::cast(*out);
			after = [_mm256_add_epi32(low, sums[0]), _mm256_add_epi32(high, sums[1])];
		}
		*out = bytemuck::cast(after);
	} else {
		let sums: [i32; NR] = bytemuck::cast(sums);
		for (out, sum) in out.as_chunks_mut::<4>().0.iter_mut().zip(sums) {
			let before = if first { 0 } else { i32::from_le_bytes(*out) };
			*out = before.wrapping_add(sum).to_le_bytes();
		}
	}
}

/// Products of [`MR`] packed rows of a with one panel of b.
#[target_feature(enable = "avx2")]
fn tile(a: &[Pair], panel: &[[__m256i; 2]]) -> [[__m256i; 2]; MR] {
	let [a0, a1, a2, a3, a4, a5]: [&[Pair]; MR] =
		core::array::from_fn(|i| &a[i * panel.len()..][..panel.len()]);
	let mut sums = [[_mm256_setzero_si256(); 2]; MR];
	for (((((([low, high], a0), a1), a2), a3), a4), a5) in
		panel.iter().zip(a0).zip(a1).zip(a2).zip(a3).zip(a4).zip(a5)
	{
		for (sums, a) in sums.iter_mut().zip([a0, a1, a2, a3, a4, a5]) {
			let a = _mm256_set1_epi32(bytemuck::cast(*a));
			sums[0] = _mm256_add_epi32(sums[0], _mm256_madd_epi16(a, *low));
			sums[1] = _mm256_add_epi32(sums[1], _mm256_madd_epi16(a, *high));
		}
	}
	sums
}
