//! Which calls were sent, and what came of them: a table at the end of a run, if
//! `ASSAY_FUZZ_COVERAGE` is set.

use assay_runtime::RuntimeCall;
use frame_support::traits::GetCallMetadata;
use std::{collections::BTreeMap, sync::Mutex};

/// What came of a call.
#[derive(Clone, Copy)]
pub enum Came {
	/// It was kept out of the block.
	KeptOut,
	/// It failed.
	Failed,
	/// It did what it does.
	Ok,
}

/// By pallet and call: how often each was kept out, failed, and did what it does.
static TABLE: Mutex<BTreeMap<(&str, &str), [u64; 3]>> = Mutex::new(BTreeMap::new());

/// Notes what came of a call.
pub fn note(pallet: &'static str, call: &'static str, came: Came) {
	let mut table = TABLE.lock().expect("nobody panics with it");
	table.entry((pallet, call)).or_default()[came as usize] += 1;
}

/// Prints the table when the process ends.
pub fn print_at_exit() {
	if std::env::var_os("ASSAY_FUZZ_COVERAGE").is_some() {
		// SAFETY: the function takes nothing and does not unwind.
		unsafe { libc::atexit(print) };
	}
}

extern "C" fn print() {
	let Ok(table) = TABLE.lock() else { return };
	eprintln!("{:>10} {:>10} {:>10}  call", "ok", "failed", "kept out");
	for pallet in RuntimeCall::get_module_names() {
		for call in RuntimeCall::get_call_names(pallet) {
			let [kept_out, failed, ok] = table.get(&(*pallet, *call)).copied().unwrap_or_default();
			eprintln!("{ok:>10} {failed:>10} {kept_out:>10}  {pallet}::{call}");
		}
	}
}
