//! BLAKE3 of eight messages of one length at once, one in each 32-bit lane of AVX2. The hash of a
//! long message is fast because its kilobyte chunks are hashed side by side; rows of tensors and
//! pairs of hashes are too short for that, but there are many of them.

use super::Root;
use core::arch::x86_64::*;

/// Messages at once.
pub(super) const LANES: usize = 8;
/// Longest message without its tag: longer ones have chunks enough of their own.
pub(super) const MAX_WIDTH: usize = 32 * 1024;

/// One word of each message.
type Words = __m256i;
/// A chaining value of each message.
type Value = [Words; 8];

const CHUNK: usize = 1024;
const BLOCK: usize = 64;
/// Subtrees that can wait for their right-hand sides below 2^6 chunks.
const DEPTH: usize = 6;

const CHUNK_START: u32 = 1;
const CHUNK_END: u32 = 2;
const PARENT: u32 = 4;
const ROOT: u32 = 8;

const IV: [u32; 8] = [
	0x6A09_E667,
	0xBB67_AE85,
	0x3C6E_F372,
	0xA54F_F53A,
	0x510E_527F,
	0x9B05_688C,
	0x1F83_D9AB,
	0x5BE0_CD19,
];
/// Order in which each round takes the words of the one before.
const PERMUTATION: [usize; 16] = [2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8];
const ROUNDS: usize = 7;
/// Order in which each round takes the words of a block.
const SCHEDULE: [[usize; 16]; ROUNDS] = {
	let mut schedule = [[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]; ROUNDS];
	let mut round = 1;
	while round < ROUNDS {
		let mut word = 0;
		while word < 16 {
			schedule[round][word] = schedule[round - 1][PERMUTATION[word]];
			word += 1;
		}
		round += 1;
	}
	schedule
};

pub(super) fn detected() -> bool {
	std::is_x86_feature_detected!("avx2")
}

/// H(tag ‖ row) of eight rows of one length, at most [`MAX_WIDTH`].
#[target_feature(enable = "avx2")]
pub(super) fn hash(tag: u8, rows: [&[u8]; LANES], out: &mut [Root; LANES]) {
	let length = rows[0].len() + 1;
	let chunks = length.div_ceil(CHUNK);
	let mut waiting = [[_mm256_setzero_si256(); 8]; DEPTH];
	let mut depth = 0;
	let mut value = initial();
	for chunk in 0..chunks {
		let root = if chunks == 1 { ROOT } else { 0 };
		value = hash_chunk(tag, &rows, chunk, (length - chunk * CHUNK).min(CHUNK), root);
		if chunk + 1 < chunks {
			// As many subtrees are complete now as this chunk's number ends in ones.
			for _ in 0..chunk.trailing_ones() {
				depth -= 1;
				value = parent(&waiting[depth], &value, 0);
			}
			waiting[depth] = value;
			depth += 1;
		}
	}
	while depth > 0 {
		depth -= 1;
		value = parent(&waiting[depth], &value, if depth == 0 { ROOT } else { 0 });
	}
	*out = bytemuck::cast(transpose(value));
}

#[target_feature(enable = "avx2")]
fn initial() -> Value {
	let mut value = [_mm256_setzero_si256(); 8];
	for (value, word) in value.iter_mut().zip(IV) {
		*value = _mm256_set1_epi32(word as i32);
	}
	value
}

/// The chaining value of `length` bytes of a chunk.
#[target_feature(enable = "avx2")]
fn hash_chunk(tag: u8, rows: &[&[u8]; LANES], chunk: usize, length: usize, root: u32) -> Value {
	let mut value = initial();
	let blocks = length.div_ceil(BLOCK);
	for block in 0..blocks {
		let start = chunk * CHUNK + block * BLOCK;
		let length = (length - block * BLOCK).min(BLOCK);
		let mut vectors = [[_mm256_setzero_si256(); 2]; LANES];
		let bytes: &mut [[u8; BLOCK]; LANES] = bytemuck::cast_mut(&mut vectors);
		for (bytes, row) in bytes.iter_mut().zip(rows) {
			// The tag takes the first byte, so the row's own bytes lie one further on.
			match start.checked_sub(1) {
				None => {
					bytes[0] = tag;
					bytes[1..length].copy_from_slice(&row[..length - 1]);
				}
				Some(start) => match row[start..].first_chunk::<BLOCK>() {
					Some(whole) => *bytes = *whole,
					None => bytes[..length].copy_from_slice(&row[start..start + length]),
				},
			}
		}
		let mut flags = 0;
		if block == 0 {
			flags |= CHUNK_START;
		}
		if block + 1 == blocks {
			flags |= CHUNK_END | root;
		}
		value = compress(&value, &words(&vectors), chunk as u32, length as u32, flags);
	}
	value
}

#[target_feature(enable = "avx2")]
fn parent(left: &Value, right: &Value, root: u32) -> Value {
	let mut block = [_mm256_setzero_si256(); 16];
	block[..8].copy_from_slice(left);
	block[8..].copy_from_slice(right);
	compress(&initial(), &block, 0, BLOCK as u32, PARENT | root)
}

/// The words of eight blocks, lane by lane.
#[target_feature(enable = "avx2")]
fn words([a, b, c, d, e, f, g, h]: &[[Words; 2]; LANES]) -> [Words; 16] {
	let low = transpose([a[0], b[0], c[0], d[0], e[0], f[0], g[0], h[0]]);
	let high = transpose([a[1], b[1], c[1], d[1], e[1], f[1], g[1], h[1]]);
	let mut words = [_mm256_setzero_si256(); 16];
	words[..8].copy_from_slice(&low);
	words[8..].copy_from_slice(&high);
	words
}

/// Transposes eight rows of eight 32-bit words.
#[target_feature(enable = "avx2")]
fn transpose(r: [Words; 8]) -> [Words; 8] {
	let mut pairs = r;
	for i in [0, 2, 4, 6] {
		pairs[i] = _mm256_unpacklo_epi32(r[i], r[i + 1]);
		pairs[i + 1] = _mm256_unpackhi_epi32(r[i], r[i + 1]);
	}
	let mut fours = pairs;
	for i in [0, 4] {
		fours[i] = _mm256_unpacklo_epi64(pairs[i], pairs[i + 2]);
		fours[i + 1] = _mm256_unpackhi_epi64(pairs[i], pairs[i + 2]);
		fours[i + 2] = _mm256_unpacklo_epi64(pairs[i + 1], pairs[i + 3]);
		fours[i + 3] = _mm256_unpackhi_epi64(pairs[i + 1], pairs[i + 3]);
	}
	let mut eights = fours;
	for i in 0..4 {
		eights[i] = _mm256_permute2x128_si256::<0x20>(fours[i], fours[i + 4]);
		eights[i + 4] = _mm256_permute2x128_si256::<0x31>(fours[i], fours[i + 4]);
	}
	eights
}

/// The quarter round. A macro, so that the state stays in registers.
macro_rules! mix {
	($s:ident, $a:literal, $b:literal, $c:literal, $d:literal, $x:expr, $y:expr) => {
		$s[$a] = _mm256_add_epi32(_mm256_add_epi32($s[$a], $x), $s[$b]);
		$s[$d] = rotate_16(_mm256_xor_si256($s[$d], $s[$a]));
		$s[$c] = _mm256_add_epi32($s[$c], $s[$d]);
		$s[$b] = rotate::<12, 20>(_mm256_xor_si256($s[$b], $s[$c]));
		$s[$a] = _mm256_add_epi32(_mm256_add_epi32($s[$a], $y), $s[$b]);
		$s[$d] = rotate_8(_mm256_xor_si256($s[$d], $s[$a]));
		$s[$c] = _mm256_add_epi32($s[$c], $s[$d]);
		$s[$b] = rotate::<7, 25>(_mm256_xor_si256($s[$b], $s[$c]));
	};
}

#[target_feature(enable = "avx2")]
fn compress(value: &Value, block: &[Words; 16], chunk: u32, length: u32, flags: u32) -> Value {
	let [v0, v1, v2, v3, v4, v5, v6, v7] = *value;
	let [i0, i1, i2, i3, ..] = initial();
	let (chunk, flags) = (_mm256_set1_epi32(chunk as i32), _mm256_set1_epi32(flags as i32));
	let (zero, length) = (_mm256_setzero_si256(), _mm256_set1_epi32(length as i32));
	let mut s = [v0, v1, v2, v3, v4, v5, v6, v7, i0, i1, i2, i3, chunk, zero, length, flags];
	for order in &SCHEDULE {
		// The mask tells the compiler that the index is in range.
		macro_rules! m {
			($word:literal) => {
				block[order[$word] & 15]
			};
		}
		mix!(s, 0, 4, 8, 12, m!(0), m!(1));
		mix!(s, 1, 5, 9, 13, m!(2), m!(3));
		mix!(s, 2, 6, 10, 14, m!(4), m!(5));
		mix!(s, 3, 7, 11, 15, m!(6), m!(7));
		mix!(s, 0, 5, 10, 15, m!(8), m!(9));
		mix!(s, 1, 6, 11, 12, m!(10), m!(11));
		mix!(s, 2, 7, 8, 13, m!(12), m!(13));
		mix!(s, 3, 4, 9, 14, m!(14), m!(15));
	}
	let mut value = [zero; 8];
	for i in 0..8 {
		value[i] = _mm256_xor_si256(s[i], s[i + 8]);
	}
	value
}

/// Rotates each word right by `R` bits; `L` is 32 − R.
#[target_feature(enable = "avx2")]
#[inline]
fn rotate<const R: i32, const L: i32>(x: Words) -> Words {
	_mm256_or_si256(_mm256_srli_epi32::<R>(x), _mm256_slli_epi32::<L>(x))
}

/// Rotates each word right by 8 bits: byte i comes from byte i + 1 of its word.
#[target_feature(enable = "avx2")]
#[inline]
fn rotate_8(x: Words) -> Words {
	let (low, high) = (0x0407_0605_0003_0201, 0x0C0F_0E0D_080B_0A09);
	_mm256_shuffle_epi8(x, _mm256_set_epi64x(high, low, high, low))
}

/// Rotates each word right by 16 bits.
#[target_feature(enable = "avx2")]
#[inline]
fn rotate_16(x: Words) -> Words {
	let (low, high) = (0x0504_0706_0100_0302, 0x0D0C_0F0E_0908_0B0A);
	_mm256_shuffle_epi8(x, _mm256_set_epi64x(high, low, high, low))
}
