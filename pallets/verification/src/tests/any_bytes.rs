//! Whatever bytes decode to a call can be dispatched by anyone: nothing panics, no planck is lost, and
//! the state holds together.

use crate::{mock::*, *};
use codec::Decode;
use frame_support::traits::UnfilteredDispatchable;
use proptest::{collection::vec, prelude::*};

/// Mostly small numbers, so that many calls are about something that there is.
fn byte() -> impl Strategy<Value = u8> {
	prop_oneof![10 => Just(0), 3 => 1..4u8, 1 => any::<u8>()]
}

/// Who sends it: anyone of these, root, or nobody, through the pipeline of general transactions.
fn sender() -> impl Strategy<Value = Option<RuntimeOrigin>> {
	let accounts = [1, 2, REPORTER, OTHER, OWNER, HOT, BUYER, POOR];
	prop_oneof![
		8 => prop::sample::select(accounts.to_vec()).prop_map(|who| Some(RuntimeOrigin::signed(who))),
		1 => Just(Some(RuntimeOrigin::root())),
		4 => Just(None),
	]
}

proptest! {
	#![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

	#[test]
	fn can_be_dispatched(
		sent in vec((0..13u8, vec(byte(), 0..400), sender(), 0..3u32), 1..60),
	) {
		test(|| {
			for job in 0..3 {
				open(task(job), 2);
			}
			run_until_drawn(task(0));
			for (index, mut bytes, sender, blocks) in sent {
				bytes.insert(0, index);
				bytes.resize(bytes.len() + 200, 0);
				let Ok(call) = Call::<Test>::decode(&mut &bytes[..]) else { continue };
				// What a valid transaction of any origin may do; errors are answers.
				let _ = match sender {
					Some(origin) => call.dispatch_bypass_filter(origin).map(drop).map_err(drop),
					None => submit(call.into()).map(drop).map_err(drop),
				};
				run(blocks);
			}
		});
	}

	/// Truncated, lengthened and changed proofs and answers are refused, or do what the right one does.
	#[test]
	fn a_changed_proof_convicts_nobody_who_is_right(
		at in any::<prop::sample::Index>(),
		bit in 0..8u8,
		cut in any::<prop::sample::Index>(),
		keep in any::<bool>(),
	) {
		new_test_ext().execute_with(|| {
			let mut bytes = proof();
			let place = at.index(bytes.len());
			bytes[place] ^= 1 << bit;
			if !keep {
				bytes.truncate(cut.index(bytes.len()));
			}
			let honest = claim_of(&trace());
			let judged =
				Verification::judge(&honest.program, &honest.inputs, &honest.commitment, &bytes);
			prop_assert!(judged.is_err());
			Ok(())
		})?;
	}
}
