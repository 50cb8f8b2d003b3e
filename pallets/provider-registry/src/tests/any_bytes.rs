//! Whatever bytes decode to a call can be dispatched by anyone: nothing panics, no planck is lost, and
//! the state holds together.

use crate::mock::*;
use codec::Decode;
use frame_support::traits::UnfilteredDispatchable;
use proptest::{collection::vec, prelude::*};

/// Mostly small numbers, so that many calls are about something that there is.
fn byte() -> impl Strategy<Value = u8> {
	prop_oneof![10 => Just(0), 3 => 1..4u8, 1 => any::<u8>()]
}

fn sender() -> impl Strategy<Value = RuntimeOrigin> {
	prop_oneof![
		10 => (1..6u8).prop_map(origin),
		1 => Just(RuntimeOrigin::root()),
		1 => Just(RuntimeOrigin::none()),
	]
}

proptest! {
	#![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

	#[test]
	fn can_be_dispatched(
		sent in vec((0..20u8, vec(byte(), 0..300), sender(), 0..3u64), 1..60),
	) {
		build_and_execute(|| {
			provider(1, 10 * MIN_STAKE, 5);
			provider(2, 10 * MIN_STAKE, 6);
			for (index, mut bytes, origin, blocks) in sent {
				bytes.insert(0, index);
				bytes.resize(bytes.len() + 200, 0);
				let Ok(call) = crate::Call::<Test>::decode(&mut &bytes[..]) else { continue };
				// An error is an answer too.
				let _ = call.dispatch_bypass_filter(origin);
				let now = System::block_number();
				System::set_block_number(now + blocks as u32);
			}
		});
	}
}
