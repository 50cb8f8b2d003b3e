//! Kernels of rten-gemm, for processors with an int8 dot product that never saturates: VNNI with
//! AVX-512, and dot product or i8mm on ARM.

use super::{portable, Operands};
use rten_gemm::{GemmExecutor, GemmInputA, GemmInputB, GemmOptions, QuantParams};
use rten_tensor::NdTensorView;
use std::sync::OnceLock;

type Executor = GemmExecutor<u8, i8, i32>;

/// The left operand is shifted from i8 to u8, which its zero point takes back.
const ZERO: u8 = 128;

/// Whether this processor has such a kernel and it gives the right sums where others saturate.
pub(super) fn detected() -> bool {
	static DETECTED: OnceLock<bool> = OnceLock::new();
	*DETECTED.get_or_init(|| !Executor::new().may_saturate() && passes_check())
}

/// Runs the check on threads of its own: a thread of the caller's pool that waited for parallel
/// work could take up another task meanwhile, and come here again.
fn passes_check() -> bool {
	let check = || {
		let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
		pool.is_ok_and(|pool| pool.install(|| is_exact(&Executor::new())))
	};
	std::thread::Builder::new().spawn(check).is_ok_and(|thread| thread.join().unwrap_or(false))
}

/// Calculates small products of extreme values and compares. A worker whose processor or kernel sums
/// otherwise would lose its stake, so this is worth a few microseconds once.
fn is_exact(executor: &Executor) -> bool {
	// Rows of one extreme value, whose neighbouring products saturate in 16 bits, and mixed ones.
	let extreme = |row: usize, t: usize| match row % 4 {
		0 => 127,
		1 => -128,
		2 => [127, -128][t % 2],
		_ => [-128, -1, 127, 0, 1][(t * 7 + t / 3) % 5],
	};
	[(1, 1, 1), (5, 17, 3), (9, 33, 130), (16, 32, 4099)].into_iter().all(|(m, n, k)| {
		let a: Vec<i8> = (0..m * k).map(|i| extreme(i / k, i % k)).collect();
		let b: Vec<i8> = (0..n * k).map(|i| extreme(i / k, i % k)).collect();
		let operands = Operands { a: &a, b: &b, n, k };
		let (mut got, mut want) = (vec![0; m * n * 4], vec![0; m * n * 4]);
		product(executor, operands, &mut got) && {
			portable::matmul_t(operands, &mut want);
			got == want
		}
	})
}

/// Call only where [`detected`].
pub(super) fn matmul_t(operands: Operands<'_>, out: &mut [u8]) {
	if !product(&Executor::new(), operands, out) {
		portable::matmul_t(operands, out);
	}
}

fn product(executor: &Executor, Operands { a, b, n, k }: Operands<'_>, out: &mut [u8]) -> bool {
	let m = a.len() / k;
	let shifted: Vec<u8> = a.iter().map(|x| (*x as u8) ^ ZERO).collect();
	let zeros = vec![ZERO; m];
	let gemm = |out: &mut [i32]| {
		let a = NdTensorView::from_data([m, k], &shifted[..]);
		let b = NdTensorView::from_data([n, k], b);
		let options =
			GemmOptions { a_quant: Some(QuantParams { zero_point: &zeros }), ..Default::default() };
		let (a, b) = (GemmInputA::Unpacked(a), GemmInputB::Unpacked(b.transposed()));
		executor.gemm(out, a, b, options).is_ok()
	};
	// Results are little-endian bytes, which these processors' integers are too.
	if cfg!(target_endian = "big") {
		return false;
	}
	match bytemuck::try_cast_slice_mut(out) {
		Ok(out) => gemm(out),
		Err(_) => {
			let mut sums = vec![0; m * n];
			let done = gemm(&mut sums);
			out.copy_from_slice(bytemuck::cast_slice(&sums));
			done
		}
	}
}

#[cfg(test)]
mod tests {
	use super::*;

	/// With b so small that no kernel saturates, the product is right on every processor: the shift
	/// of a, the zero point and the layout are.
	#[test]
	fn shifted_products_are_exact_within_range() {
		for (m, n, k) in [(1, 1, 1), (6, 7, 33), (37, 19, 130), (13, 70, 1031)] {
			let a: Vec<i8> = (0..m * k).map(|i| (i * 37 + i / 11) as i8).collect();
			let b: Vec<i8> = (0..n * k).map(|i| ((i * 53 + i / 7) % 127) as i8 - 63).collect();
			let operands = Operands { a: &a, b: &b, n, k };
			let (mut got, mut want) = (vec![0; m * n * 4 + 1], vec![0; m * n * 4]);
			portable::matmul_t(operands, &mut want);
			// At either alignment of the result.
			for start in [0, 1] {
				let got = &mut got[start..start + want.len()];
				assert!(product(&Executor::new(), operands, got));
				assert_eq!(got, want);
			}
		}
	}

	/// The check that admits a kernel turns away one that saturates.
	#[test]
	fn saturating_kernels_are_not_admitted() {
		assert_eq!(passes_check(), !Executor::new().may_saturate());
	}
}
