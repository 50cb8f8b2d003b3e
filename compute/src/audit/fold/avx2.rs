//! The three kernels of a projection for AVX2. Bounds are those of the portable ones; sums are
//! spread over lanes, so each lane holds fewer terms than the bound allows.

use super::{
	narrow::{self, ROWS},
	wide,
};
use core::arch::x86_64::*;

/// Columns at once.
const COLS: usize = 16;

pub(super) fn detected() -> bool {
	std::is_x86_feature_detected!("avx2")
}

/// Digits of eight rows, as pairs of neighbouring rows in every 32-bit lane.
#[target_feature(enable = "avx2")]
fn pairs(digits: &[i16; ROWS]) -> [__m256i; ROWS / 2] {
	core::array::from_fn(|pair| {
		_mm256_set1_epi32(bytemuck::cast([digits[2 * pair], digits[2 * pair + 1]]))
	})
}

/// partial\[d\]\[t\] += Σ rows\[j\]\[t\]·digits\[d\]\[j\] for as many columns as are a multiple of
/// 16; says how many.
#[target_feature(enable = "avx2")]
pub(super) fn add_rows(
	partial: &mut [i32],
	rows: [&[i8]; ROWS],
	digits: &[[i16; ROWS]; narrow::DIGITS],
) -> usize {
	let width = rows[0].len();
	let whole = width - width % COLS;
	let digits: [[__m256i; ROWS / 2]; narrow::DIGITS] =
		[pairs(&digits[0]), pairs(&digits[1]), pairs(&digits[2]), pairs(&digits[3])];
	for first in (0..whole).step_by(COLS) {
		let part = |row: usize| -> __m128i {
			let part: &[i8; COLS] = rows[row][first..].first_chunk().unwrap_or(&[0; COLS]);
			bytemuck::cast(*part)
		};
		let mut low = [_mm256_setzero_si256(); ROWS / 2];
		let mut high = low;
		for pair in 0..ROWS / 2 {
			// Elements of two rows side by side, which `vpmaddwd` multiplies and adds.
			let (upper, lower) = (part(2 * pair), part(2 * pair + 1));
			low[pair] = _mm256_cvtepi8_epi16(_mm_unpacklo_epi8(upper, lower));
			high[pair] = _mm256_cvtepi8_epi16(_mm_unpackhi_epi8(upper, lower));
		}
		for (partial, digits) in partial.chunks_exact_mut(width).zip(&digits) {
			let Some(sums) = partial[first..].first_chunk_mut::<COLS>() else { continue };
			let [mut left, mut right]: [__m256i; 2] = bytemuck::cast(*sums);
			for ((low, high), digits) in low.iter().zip(&high).zip(digits) {
				left = _mm256_add_epi32(left, _mm256_madd_epi16(*low, *digits));
				right = _mm256_add_epi32(right, _mm256_madd_epi16(*high, *digits));
			}
			*sums = bytemuck::cast([left, right]);
		}
	}
	whole
}

/// Σ row\[t\]·digits\[d\]\[t\] for the elements in whole vectors; says how many these are.
#[target_feature(enable = "avx2")]
pub(super) fn narrow_dot(
	row: &[i8],
	digits: [&[i16]; narrow::DIGITS],
) -> ([i64; narrow::DIGITS], usize) {
	// Eight lanes of at most 256 terms each.
	const TERMS: usize = 8 * narrow::TERMS;
	let whole = row.len() - row.len() % COLS;
	let mut sums = [0i64; narrow::DIGITS];
	for first in (0..whole).step_by(TERMS) {
		let end = whole.min(first + TERMS);
		let (row, _) = row[first..end].as_chunks::<COLS>();
		let [d0, d1, d2, d3] = digits.map(|digits| digits[first..end].as_chunks::<COLS>().0);
		let mut lanes = [_mm256_setzero_si256(); narrow::DIGITS];
		for ((((x, d0), d1), d2), d3) in row.iter().zip(d0).zip(d1).zip(d2).zip(d3) {
			let x = _mm256_cvtepi8_epi16(bytemuck::cast(*x));
			lanes[0] = _mm256_add_epi32(lanes[0], _mm256_madd_epi16(x, bytemuck::cast(*d0)));
			lanes[1] = _mm256_add_epi32(lanes[1], _mm256_madd_epi16(x, bytemuck::cast(*d1)));
			lanes[2] = _mm256_add_epi32(lanes[2], _mm256_madd_epi16(x, bytemuck::cast(*d2)));
			lanes[3] = _mm256_add_epi32(lanes[3], _mm256_madd_epi16(x, bytemuck::cast(*d3)));
		}
		for (sum, lanes) in sums.iter_mut().zip(lanes) {
			let lanes: [i32; 8] = bytemuck::cast(lanes);
			*sum += lanes.into_iter().map(i64::from).sum::<i64>();
		}
	}
	(sums, whole)
}

/// Elements of a vector of i32.
const WIDE: usize = 8;
/// Elements whose products one lane may sum: four lanes of at most 2,048 terms each.
pub(super) const WIDE_TERMS: usize = 4 * wide::TERMS;

/// Σ row\[t\]·digits\[d\]\[t\] for whole vectors, at most [`WIDE_TERMS`] elements.
#[target_feature(enable = "avx2")]
pub(super) fn wide_dot(
	row: &[[u8; 4 * WIDE]],
	[d0, d1, d2]: [&[[i32; WIDE]]; wide::DIGITS],
) -> [[i64; 4]; wide::DIGITS] {
	let mut lanes = [_mm256_setzero_si256(); wide::DIGITS];
	for (((x, d0), d1), d2) in row.iter().zip(d0).zip(d1).zip(d2) {
		// Products are of the even elements; the odd ones are shifted into their places.
		let even: __m256i = bytemuck::cast(*x);
		let odd = _mm256_srli_epi64::<32>(even);
		let d = [d0, d1, d2];
		for (lanes, d) in lanes.iter_mut().zip(d) {
			let d: __m256i = bytemuck::cast(*d);
			let products = _mm256_add_epi64(
				_mm256_mul_epi32(even, d),
				_mm256_mul_epi32(odd, _mm256_srli_epi64::<32>(d)),
			);
			*lanes = _mm256_add_epi64(*lanes, products);
		}
	}
	bytemuck::cast(lanes)
}
