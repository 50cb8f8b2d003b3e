//! The matrix product: every kernel that this processor has, against the scalar reference.

mod common;

use assay_compute::{matmul::Kernel, reference, MAX_MATMUL_K};
use common::Rng;
use proptest::prelude::*;

fn check(a: &[i8], b: &[i8], m: usize, n: usize, k: usize) {
	let want: Vec<u8> =
		reference::matmul_t(a, b, m, n, k).iter().flat_map(|v| v.to_le_bytes()).collect();
	for kernel in Kernel::available() {
		// Anything that is not overwritten shows.
		let mut out = vec![0xA5; m * n * 4];
		kernel.matmul_t(a, b, m, n, k, &mut out);
		assert!(out == want, "{} differs for {m} × {n} × {k}", kernel.name());
	}
}

fn values(rng: &mut Rng, len: usize) -> Vec<i8> {
	(0..len).map(|_| rng.value(assay_compute::Dtype::I8) as i8).collect()
}

proptest! {
	#![proptest_config(ProptestConfig::with_cases(200))]

	#[test]
	fn odd_shapes(seed: u64, m in 1usize..70, n in 1usize..70, k in 1usize..300) {
		let mut rng = Rng(seed);
		let (a, b) = (values(&mut rng, m * k), values(&mut rng, n * k));
		check(&a, &b, m, n, k);
	}

	/// Few rows and many columns, divided among threads by columns.
	#[test]
	fn few_rows(seed: u64, m in 1usize..12, n in 300usize..900, k in 200usize..400) {
		let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
		let mut rng = Rng(seed);
		let (a, b) = (values(&mut rng, m * k), values(&mut rng, n * k));
		pool.install(|| check(&a, &b, m, n, k));
	}
}

/// Longer than any block that kernels divide work into.
#[test]
fn beyond_every_block() {
	let mut rng = Rng(1);
	for (m, n, k) in
		[(130, 19, 2100), (7, 2100, 37), (260, 33, 1025), (125, 2049, 8), (6, 16, 4097)]
	{
		let (a, b) = (values(&mut rng, m * k), values(&mut rng, n * k));
		check(&a, &b, m, n, k);
	}
}

/// The longest sums of the largest products, where narrower arithmetic saturates or wraps.
#[test]
fn extreme_sums() {
	let k = MAX_MATMUL_K as usize;
	let patterns: [fn(usize) -> i8; 4] =
		[|_| -128, |_| 127, |t| if t % 2 == 0 { -128 } else { 127 }, |t| [-128, -128, 127][t % 3]];
	let (m, n) = (7, 4);
	let a: Vec<i8> = (0..m * k).map(|i| patterns[(i / k) % 4](i % k)).collect();
	let b: Vec<i8> = (0..n * k).map(|i| patterns[(i / k) % 4](i % k)).collect();
	check(&a, &b, m, n, k);
	let sums = reference::matmul_t(&a[..k], &b[..k], 1, 1, k);
	assert_eq!(sums, [131_071 * 128 * 128], "the largest sum there is");
}
