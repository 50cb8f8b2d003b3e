//! Whatever bytes decode to a call can be dispatched by anyone: nothing panics, no planck is lost, and
//! the state holds together.

use super::*;
use codec::Decode;
use frame_support::traits::UnfilteredDispatchable;
use proptest::{collection::vec, prelude::*};

/// Mostly small numbers, so that many calls are about something that there is.
fn byte() -> impl Strategy<Value = u8> {
	prop_oneof![10 => Just(0), 3 => 1..4u8, 1 => any::<u8>()]
}

fn sender() -> impl Strategy<Value = RuntimeOrigin> {
	let accounts = [BUYER, OTHER, PROVIDER, HOT, AUDITOR, TREASURY];
	prop_oneof![
		10 => prop::sample::select(accounts.to_vec()).prop_map(RuntimeOrigin::signed),
		1 => Just(RuntimeOrigin::root()),
		1 => Just(RuntimeOrigin::none()),
	]
}

proptest! {
	#![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

	#[test]
	fn can_be_dispatched(
		sent in vec((0..9u8, vec(byte(), 0..300), sender(), 0..3u32), 1..60),
	) {
		build_and_execute(|| {
			post(3);
			pass(1);
			accept(0);
			for (index, mut bytes, origin, blocks) in sent {
				bytes.insert(0, index);
				bytes.resize(bytes.len() + 200, 0);
				let Ok(call) = crate::Call::<Test>::decode(&mut &bytes[..]) else { continue };
				// An error is an answer too.
				let _ = call.dispatch_bypass_filter(origin);
				pass(blocks);
			}
		});
	}
}
