//! What is due for one task of the example, worked out from what is documented of asks, fees and
//! slashes, and from nothing that the chain says.

/// One token, in planck.
pub const ASY: u128 = 1_000_000_000_000;
/// What a drawn auditor is paid, and what each custodian: the base and one unit of each kind of work.
pub const AUDIT: u128 = 1_000_000_000 + 10_000_000 + 10_000_000;
pub const CUSTODY: u128 = 1_000_000_000 + 10_000_000;
/// What an auditor has at risk for each result.
pub const DEPOSIT: u128 = ASY;
/// Runs that the escrow covers.
pub const RUNS: u128 = 3;

/// A worker's ask: its base, one unit of each kind of work, and for each block of the deadline a
/// planck for every 10^9 of declared value.
pub fn price(base: u128, value: u128, deadline: u128) -> u128 {
	base + ASY / 1_000 + ASY / 10_000 + (value * deadline).div_ceil(1_000_000_000)
}

/// S: twenty times what a lie gains, which is the price, the most that emission could add to it (3 %),
/// and the declared value.
pub fn collateral(price: u128, value: u128) -> u128 {
	20 * (price + (price * 3).div_ceil(100) + value)
}

/// What becomes of a price that is paid: 5 % is the network's fee, of which 60 % is burned and the
/// rest the treasury's.
pub struct Paid {
	pub provider: u128,
	pub treasury: u128,
	pub burned: u128,
}

pub fn paid(price: u128) -> Paid {
	let fee = price * 5 / 100;
	let burned = fee * 60 / 100;
	Paid { provider: price - fee, treasury: fee - burned, burned }
}
