//! Sequences of calls of the real runtime, sent through all that a transaction goes through, with
//! blocks between them; then everything that must always hold is checked.
//!
//! The first byte of an input chooses the chain. The rest are steps of [`STEP`] bytes, so that bytes
//! changed, moved or doubled make another sequence and not nonsense.

mod calls;
mod chain;
mod check;
mod coverage;
mod seeds;
mod subject;

pub use seeds::seeds;

use assay_runtime::RuntimeCall;
use calls::Step;
use chain::By;
use codec::{DecodeLimit, Encode};
use coverage::Came;
use frame_support::traits::GetCallMetadata;
use sp_runtime::DispatchError;
use std::sync::Once;

/// Bytes of a step.
const STEP: usize = 8;
/// Most steps of an input.
const MAX_STEPS: usize = 64;
/// Most blocks of an input.
const MAX_BLOCKS: u32 = 300;
/// As deep as the runtime decodes transactions.
const MAX_DEPTH: u32 = 256;

/// Takes the steps that the bytes are.
pub fn run(bytes: &[u8]) {
	static ONCE: Once = Once::new();
	ONCE.call_once(|| {
		sp_core::crypto::set_default_ss58_version(assay_primitives::SS58_PREFIX.into());
		coverage::print_at_exit();
		check::errors_panic();
	});
	let Some((which, mut steps)) = bytes.split_first() else { return };
	chain::with(*which, || {
		let genesis = check::issuance();
		let mut blocks = 0;
		for _ in 0..MAX_STEPS {
			let Some(step) = Step::read(&mut steps) else { break };
			match step.blocks() {
				Some((count, empty)) => {
					for _ in 0..count.min(MAX_BLOCKS - blocks) {
						chain::next_block(empty);
						blocks += 1;
					}
				}
				None => {
					if let Some((by, call)) = step.call(&mut steps) {
						send(by, call);
					}
				}
			}
		}
		// What is due in the next block falls due, too.
		chain::next_block(0);
		check::check(genesis);
	})
}

fn send(by: By, call: RuntimeCall) {
	// Validators alone include this one, once a block.
	if matches!((&by, &call), (By::None, RuntimeCall::Timestamp(..))) {
		return;
	}
	let name = call.get_call_metadata();
	if std::env::var_os("ASSAY_FUZZ_SHOW").is_some() {
		eprintln!("{}: {by:?} {call:?}", assay_runtime::System::block_number());
	}
	let sent = chain::send(by, call);
	if std::env::var_os("ASSAY_FUZZ_SHOW").is_some() {
		eprintln!("  {sent:?}");
	}
	let came = match &sent {
		Err(_) => Came::KeptOut,
		Ok(Ok(_)) => Came::Ok,
		Ok(Err(failed)) => {
			assert!(
				!is_defect(&failed.error),
				"{}::{}: {failed:?}",
				name.pallet_name,
				name.function_name
			);
			Came::Failed
		}
	};
	coverage::note(name.pallet_name, name.function_name, came);
}

/// Whether the error says that records contradict each other.
fn is_defect(error: &DispatchError) -> bool {
	*error == pallet_job_escrow::Error::<assay_runtime::Runtime>::Inconsistent.into()
}

/// The call with one byte of its encoding changed, if it is one still.
fn corrupt(call: RuntimeCall, at: u8, change: u8) -> Option<RuntimeCall> {
	if change == 0 {
		return Some(call);
	}
	let mut bytes = call.encode();
	let place = match bytes.len() {
		short @ ..=256 => usize::from(at) % short,
		long => usize::from(at) * long / 256,
	};
	bytes[place] ^= change;
	RuntimeCall::decode_all_with_depth_limit(MAX_DEPTH, &mut &bytes[..]).ok()
}
