//! Lots that are cast for other pallets.

use crate::{impls::draw::is_drawn, mock::*, *};
use assay_primitives::traits::{Cast, Lots};
use codec::Encode;
use sp_io::hashing::blake2_256;
use sp_runtime::Perquintill;

fn cast(lot: &mut Drawing, percent: u64) -> Cast {
	Verification::cast(lot, task(1), Perquintill::from_percent(percent))
}

#[test]
fn they_hang_on_blocks_that_follow_only() {
	test(|| {
		run_to(10);
		let mut lot = Verification::begin();
		// Depth 2: blocks 13, 14, 15 count, and 15 is known in 16.
		assert_eq!(cast(&mut lot, 50), Cast::Wait(16));
		run_to(15);
		assert_eq!(cast(&mut lot, 50), Cast::Wait(16));
		next_block();
		let outputs = vec![output(2, 13), output(3, 14), output(4, 15)];
		let seed = (b"assay/replicate", task(1), 10u32, outputs).using_encoded(blake2_256);
		let rate = Perquintill::from_percent(50);
		assert_eq!(cast(&mut lot, 50), Cast::Fell(is_drawn(seed, rate)));
		assert_eq!(cast(&mut lot, 0), Cast::Fell(false));
		assert_eq!(cast(&mut lot, 100), Cast::Fell(true));
	});
}

#[test]
fn for_want_of_entropy_they_fall() {
	test(|| {
		BlockAuthors::set(vec![Some(1), Some(2)]);
		run_to(10);
		let mut lot = Verification::begin();
		let mut tries = 0;
		loop {
			match cast(&mut lot, 0) {
				Cast::Wait(block) => run_to(block),
				fell => break assert_eq!(fell, Cast::Fell(true)),
			}
			tries += 1;
			assert!(tries < 50, "never");
		}
		assert_eq!(System::block_number(), 10 + 40 + 1);
	});
}
