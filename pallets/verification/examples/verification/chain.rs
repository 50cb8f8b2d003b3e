//! What the chain itself says: weights measured in WASM, and how often it has tasks audited.

use assay_primitives::{honesty::audit_rate, ASY};
use frame_support::{
	derive_impl,
	weights::{constants::WEIGHT_REF_TIME_PER_SECOND, Weight},
};
use pallet_verification::{weights::SubstrateWeight, WeightInfo};

/// Locked stake over the gain of a lie, for which costs are shown.
pub const COLLATERALS: [u32; 3] = [20, 50, 100];
/// Auditors of a task that is audited, unless the buyer asks for more (`assay job submit`).
pub const AUDITORS: u8 = 1;
/// Seconds of weight in a block of the runtime.
const BLOCK_SECONDS: u64 = 2;

#[frame_support::runtime]
mod runtime {
	#[runtime::runtime]
	#[runtime::derive(RuntimeCall, RuntimeEvent, RuntimeError, RuntimeOrigin, RuntimeTask)]
	pub struct Free;

	#[runtime::pallet_index(0)]
	pub type System = frame_system::Pallet<Free>;
}

/// A runtime whose database costs nothing, so that only computation is left of weights.
#[derive_impl(frame_system::config_preludes::TestDefaultConfig)]
impl frame_system::Config for Free {
	type Block = frame_system::mocking::MockBlock<Free>;
	type DbWeight = ();
}
type Computation = SubstrateWeight<Free>;

fn milliseconds(weight: Weight) -> f64 {
	weight.ref_time() as f64 / 1e9
}

/// Milliseconds of WASM that verify a proof of so many bytes about a product.
pub fn verify_product(bytes: u32) -> f64 {
	milliseconds(Computation::verify_product(bytes))
}

/// The same about the operation with the widest evidence, a norm.
pub fn verify_norm(bytes: u32) -> f64 {
	milliseconds(Computation::verify_norm(bytes))
}

/// Milliseconds of WASM of a report beside its proof.
pub fn report() -> f64 {
	milliseconds(Computation::report_fraud())
}

/// What `report_fraud` with a proof of so many bytes is charged, the database's share included, as a
/// part of a block.
pub fn charged(bytes: u32) -> f64 {
	// As the call is: for the operation that costs most a byte.
	let judged = <()>::verify_fill(bytes)
		.max(<()>::verify_product(bytes))
		.max(<()>::verify_quant(bytes))
		.max(<()>::verify_norm(bytes));
	let weight = <() as WeightInfo>::report_fraud().saturating_add(judged);
	weight.ref_time() as f64 / (BLOCK_SECONDS * WEIGHT_REF_TIME_PER_SECOND) as f64
}

/// The part of a block that so many milliseconds are.
pub fn of_block(milliseconds: f64) -> f64 {
	milliseconds / 1e3 / BLOCK_SECONDS as f64
}

/// How often a task is audited by so many auditors if the provider has locked so many times what a
/// lie gains.
pub fn rate(collateral: u32, auditors: u8) -> Result<f64, String> {
	let rate = audit_rate(ASY, ASY * u128::from(collateral), auditors);
	let rate = rate.ok_or_else(|| format!("no rate is enough at {collateral} times"))?;
	Ok(rate.deconstruct() as f64 / 1e18)
}

#[cfg(test)]
mod tests {
	use super::*;

	#[test]
	fn the_rate_is_the_chain_s() {
		// P = 1/51, and one of three auditors is the adversary's, as is the draw.
		let rate = rate(100, 1).unwrap();
		assert!((rate - 9.0 / 4.0 / 51.0).abs() < 1e-9);
		assert!(super::rate(1, 1).is_err());
	}

	#[test]
	fn the_database_is_in_what_is_charged_alone() {
		let computed = of_block(report() + verify_product(10_000));
		assert!(computed > 0.0 && charged(10_000) > 1.5 * computed);
	}
}
