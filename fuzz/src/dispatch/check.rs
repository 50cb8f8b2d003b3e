//! What must hold after every input (DESIGN §8).

use assay_runtime::{
	AccountId, AllPalletsWithSystem, Balance, Balances, Emissions, Runtime, System,
};
use frame_support::traits::{fungible::Inspect, TryState, TryStateSelect};

/// What there was of the token before anything happened.
pub fn issuance() -> Balance {
	<Balances as Inspect<AccountId>>::total_issuance()
}

/// The pallets' own checks hold, and no planck is lost or comes from nowhere.
pub fn check(genesis: Balance) {
	let now = System::block_number();
	if let Err(why) = AllPalletsWithSystem::try_state(now, TryStateSelect::All) {
		panic!("try_state: {why:?}");
	}
	let held = frame_system::Account::<Runtime>::iter_values()
		.fold(0, |sum: Balance, account| sum + account.data.free + account.data.reserved);
	assert_eq!(held, issuance(), "balances do not sum up to what is issued");
	let pallet_emissions::Figures { minted, burned, destroyed, .. } = Emissions::figures();
	assert_eq!(genesis + minted - burned - destroyed, issuance(), "issuance is not accounted for");
}

/// Has whatever the runtime logs as an error, which says that its records contradict each other, end
/// in a panic.
pub fn errors_panic() {
	struct Errors;
	impl log::Log for Errors {
		fn enabled(&self, metadata: &log::Metadata) -> bool {
			metadata.level() == log::Level::Error
		}
		fn log(&self, record: &log::Record) {
			if self.enabled(record.metadata()) {
				panic!("{}: {}", record.target(), record.args());
			}
		}
		fn flush(&self) {}
	}
	if log::set_logger(&Errors).is_ok() {
		log::set_max_level(log::LevelFilter::Error);
	}
}
