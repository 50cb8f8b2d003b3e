//! The prime field of 2^61 − 1 elements, and secret random vectors over it.

use alloc::vec::Vec;
use zeroize::Zeroizing;

/// The modulus, 2^61 − 1.
pub(super) const P: u64 = (1 << 61) - 1;

/// Reduces any 64-bit value.
pub(super) fn reduce(x: u64) -> u64 {
	// 2^61 ≡ 1, so the high bits are added to the low ones.
	let folded = (x & P) + (x >> 61);
	if folded >= P {
		folded - P
	} else {
		folded
	}
}

/// The residue of a signed value.
pub(super) fn residue(x: i64) -> u64 {
	let magnitude = reduce(x.unsigned_abs());
	if x < 0 && magnitude != 0 {
		P - magnitude
	} else {
		magnitude
	}
}

/// a + b for reduced operands.
pub(super) fn add(a: u64, b: u64) -> u64 {
	reduce(a + b)
}

/// a · b for reduced operands.
pub(super) fn mul(a: u64, b: u64) -> u64 {
	let product = u128::from(a) * u128::from(b);
	reduce((product as u64 & P) + (product >> 61) as u64)
}

/// `len` independent uniform elements, decided by `secret` and `stream`; overwritten when dropped.
pub(super) fn random_vector(secret: &[u8; 32], stream: u32, len: usize) -> Zeroizing<Vec<u64>> {
	let mut hasher = blake3::Hasher::new_keyed(secret);
	hasher.update(b"projection").update(&stream.to_le_bytes());
	let mut reader = hasher.finalize_xof();
	let mut vector = Zeroizing::new(Vec::with_capacity(len));
	let mut block = [0u8; 512];
	while vector.len() < len {
		reader.fill(&mut block);
		let words = block.as_chunks::<8>().0.iter().map(|b| u64::from_le_bytes(*b) & P);
		// P itself would be a second zero; rejecting it keeps the elements uniform.
		let missing = len - vector.len();
		vector.extend(words.filter(|word| *word != P).take(missing));
	}
	vector
}
