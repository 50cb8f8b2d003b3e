mod claims;
mod eras;
mod parameters;
mod payouts;
mod random;
