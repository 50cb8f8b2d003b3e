//! What a small request may cost in memory. Alone in its file: it looks at the whole process.

#![cfg(target_os = "linux")]

mod common;

use assay_compute::{Dtype, Shape, TensorHasher};
use common::store;
use std::fs;

/// Most memory that the process has ever had, in KiB.
fn peak() -> u64 {
	let status = fs::read_to_string("/proc/self/status").unwrap();
	let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
	line.trim().trim_end_matches(" kB").parse().unwrap()
}

#[test]
fn a_row_of_a_large_tensor_takes_little_memory() {
	let (_dir, store) = store();
	let shape = Shape::new(Dtype::I8, 64 * 1024, 4 * 1024);
	let piece = vec![7; 1 << 20];
	let mut hasher = TensorHasher::new(shape).unwrap();
	(0..256).for_each(|_| hasher.push(&piece).unwrap());
	let root = hasher.finish().unwrap();
	let mut writer = store.write_tensor(root, shape).unwrap();
	(0..256).for_each(|_| writer.push(&piece).unwrap());
	assert!(writer.finish().unwrap());
	let before = peak();
	for index in [40_000, 0, 65_535] {
		assert_eq!(store.row(&root, index).unwrap().unwrap().bytes, vec![7; 4 * 1024]);
	}
	assert!(peak() - before < 16 * 1024, "{} KiB more", peak() - before);
}
