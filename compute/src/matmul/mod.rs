//! The int8 matrix product, exact for every value. The fastest kernel that the processor has and
//! that never saturates is chosen once, at run time.

#[cfg(all(feature = "std", target_arch = "x86_64"))]
mod avx2;
mod portable;
#[cfg(feature = "std")]
mod rten;
mod split;

/// A kernel of the product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
	/// Plain Rust, vectorised by the compiler.
	Portable,
	/// 16-bit multiply–add of AVX2.
	#[cfg(all(feature = "std", target_arch = "x86_64"))]
	Avx2,
	/// int8 dot products (VNNI, ARM) of rten-gemm.
	#[cfg(feature = "std")]
	Rten,
}

/// Operands of a product: a has k columns, b is n × k; both have at least one row and column.
#[derive(Clone, Copy)]
struct Operands<'a> {
	a: &'a [i8],
	b: &'a [i8],
	n: usize,
	k: usize,
}

impl Kernel {
	/// The kernels that this processor has, fastest first.
	pub fn available() -> impl Iterator<Item = Self> {
		let kernels = [
			#[cfg(feature = "std")]
			rten::detected().then_some(Kernel::Rten),
			#[cfg(all(feature = "std", target_arch = "x86_64"))]
			avx2::detected().then_some(Kernel::Avx2),
			Some(Kernel::Portable),
		];
		kernels.into_iter().flatten()
	}

	/// The fastest kernel that this processor has.
	pub fn detect() -> Self {
		Self::available().next().unwrap_or(Kernel::Portable)
	}

	/// Name for reports and metrics.
	pub const fn name(self) -> &'static str {
		match self {
			Kernel::Portable => "portable",
			#[cfg(all(feature = "std", target_arch = "x86_64"))]
			Kernel::Avx2 => "avx2",
			#[cfg(feature = "std")]
			Kernel::Rten => "rten",
		}
	}

	/// [`matmul_t`] with this kernel, which must be [available](Self::available): the portable one
	/// stands in for another.
	pub fn matmul_t(self, a: &[i8], b: &[i8], m: usize, n: usize, k: usize, out: &mut [u8]) {
		let fits = |len: usize, rows: usize, width: usize| Some(len) == rows.checked_mul(width);
		if out.is_empty() || k == 0 || !fits(a.len(), m, k) || !fits(b.len(), n, k) {
			return;
		}
		if !n.checked_mul(4).is_some_and(|width| fits(out.len(), m, width)) {
			return;
		}
		split::matmul_t(self, Operands { a, b, n, k }, out);
	}

	fn run(self, operands: Operands<'_>, out: &mut [u8]) {
		match self {
			#[cfg(all(feature = "std", target_arch = "x86_64"))]
			Kernel::Avx2 if avx2::detected() => avx2::matmul_t(operands, out),
			#[cfg(feature = "std")]
			Kernel::Rten => rten::matmul_t(operands, out),
			_ => portable::matmul_t(operands, out),
		}
	}
}

/// out\[i, j\] = Σ a\[i, t\]·b\[j, t\] as little-endian i32, for a: m × k, b: n × k, k ≤ 131,071.
/// Slices of other lengths leave `out` as it is.
pub fn matmul_t(a: &[i8], b: &[i8], m: usize, n: usize, k: usize, out: &mut [u8]) {
	Kernel::detect().matmul_t(a, b, m, n, k, out);
}
