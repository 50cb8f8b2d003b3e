//! The ring of block outputs.

use crate::{mock::*, *};
use assay_primitives::Root;

#[test]
fn each_block_leaves_its_author_and_output() {
	test(|| {
		run_to(6);
		for block in 1..=5u32 {
			let author = BlockAuthors::get()[block as usize % 4].unwrap();
			let kept = Entropy::<Test>::get(block).unwrap();
			assert_eq!(kept.author, Root::from_low_u64_be(author));
			assert_eq!(kept.output, output(author, block));
		}
		// The block under way has none yet.
		assert_eq!(Entropy::<Test>::get(6), None);
	});
}

#[test]
fn a_block_without_output_leaves_nothing() {
	test(|| {
		BlockAuthors::set(vec![Some(1), None]);
		run_to(9);
		let blocks = Entropy::<Test>::iter_keys().collect::<std::collections::BTreeSet<_>>();
		assert_eq!(blocks, [2, 4, 6, 8].into());
	});
}

#[test]
fn the_ring_keeps_the_last_blocks() {
	test(|| {
		run_to(201);
		let blocks = Entropy::<Test>::iter_keys().collect::<std::collections::BTreeSet<_>>();
		assert_eq!(blocks, (137..=200).collect());
	});
}
