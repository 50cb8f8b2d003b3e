//! The economics of honesty (DESIGN §4): when lying does not pay, as the chain itself computes it.
//!
//! With G the gain of a lie that goes unproved, S the collateral that a proof costs the liar, φ the
//! part of S that a challenger is paid and P the probability that the lie is proved: a liar may
//! report himself through another account and recover φS, so he earns (1 − P)·G − P·(1 − φ)·S. That
//! is not positive if
//!
//! > P ≥ G / (G + (1 − φ)·S).
//!
//! A task that is audited with probability p by m drawn auditors is proved wrong with probability
//! P = p · d · (1 − ρ^m) · (1 − ρ): d is the probability that one honest auditor detects and proves
//! the lie, ρ the share of auditors that the adversary is assumed to control, ρ^m the chance that all
//! drawn are his, and the last factor what a bias of the draw may cost. One honest auditor is enough,
//! for he brings a proof, not a vote. A projection over 2^61 − 1 misses a lie with probability 2^−61
//! and a replay with none, so d = 1 for both.
//!
//! A spot audit of r random rows misses a fraction f of wrong work with probability (1 − f)^r. It is
//! allowed only where the gain grows with what was skipped (no declared value): there the gain of
//! skipping f is f·G and the detection is at least f, so that p for f = 1 is enough for any f. It
//! says nothing of one targeted element, and so is never a defence of declared value.

use crate::Balance;
use sp_runtime::{traits::CheckedConversion, PerThing, Perbill, Perquintill, Rounding};

/// φ: the part of a forfeit, after the buyer was made whole, that is paid to the challenger.
pub const CHALLENGER_SHARE: Perbill = Perbill::from_percent(50);
/// ρ: the share of auditors that the adversary is assumed to control, as 1 / this.
pub const ADVERSARY: u128 = 3;
/// Most auditors of a task: keeps the powers of [`ADVERSARY`] small.
pub const MAX_AUDITORS: u8 = 15;

/// The chance that an audited lie is proved, as a fraction: (1 − ρ^m)·(1 − ρ), which for ρ = 1/3 is
/// 2·(3^m − 1) / 3^(m + 1). `None` unless 1 ≤ m ≤ [`MAX_AUDITORS`].
fn strength(auditors: u8) -> Option<(u128, u128)> {
	if !(1..=MAX_AUDITORS).contains(&auditors) {
		return None;
	}
	let all = ADVERSARY.checked_pow(auditors.into())?;
	let honest = all.checked_sub(1)?.checked_mul(ADVERSARY.checked_sub(1)?)?;
	Some((honest, all.checked_mul(ADVERSARY)?))
}

/// P: the least probability of proof with which a lie that gains `gain` does not pay against
/// `collateral`, both in planck. Rounded up; one if there is no collateral.
pub fn proof_needed(gain: Balance, collateral: Balance) -> Perquintill {
	if gain == 0 {
		return Perquintill::zero();
	}
	let lost = collateral.saturating_sub(CHALLENGER_SHARE.mul_ceil(collateral));
	// Both at once below 2^127, so that their sum is exact. Halving the loss more than the gain is on
	// the safe side.
	let (gain, lost) = (gain.div_ceil(2), lost / 2);
	Perquintill::from_rational_with_rounding(gain, gain.saturating_add(lost), Rounding::Up)
		.unwrap_or(Perquintill::one())
}

/// p: how often a task must be audited by `auditors` drawn ones. Rounded up. `None` if no rate is
/// enough, and with none or too many auditors.
pub fn audit_rate(gain: Balance, collateral: Balance, auditors: u8) -> Option<Perquintill> {
	let (proved, of) = strength(auditors)?;
	let needed = u128::from(proof_needed(gain, collateral).deconstruct());
	let parts = needed.checked_mul(of)?.div_ceil(proved);
	let parts: u64 = parts.checked_into()?;
	(parts <= Perquintill::ACCURACY).then(|| Perquintill::from_parts(parts))
}

/// The least collateral in planck with which a task can be kept honest by auditing it at `rate`:
/// what [`audit_rate`] allows at that rate. `None` if the rate is nought, if there are none or too
/// many auditors, or if it does not fit into a balance.
pub fn least_collateral(gain: Balance, auditors: u8, rate: Perquintill) -> Option<Balance> {
	if gain == 0 {
		return Some(0);
	}
	let (mut low, mut high) = (0, Balance::MAX / 2);
	let enough = |collateral| audit_rate(gain, collateral, auditors).is_some_and(|p| p <= rate);
	if !enough(high) {
		return None;
	}
	// The rate falls as the collateral grows: at most 128 halvings.
	while low < high {
		let middle = low.saturating_add(high.saturating_sub(low) / 2);
		if enough(middle) {
			high = middle;
		} else {
			low = middle.saturating_add(1);
		}
	}
	Some(high)
}

#[cfg(test)]
mod tests {
	use super::*;
	use crate::ASY;

	/// The formula in floating point.
	fn rate(gain: f64, collateral: f64, auditors: i32) -> f64 {
		let (rho, phi) = (1.0 / 3.0, 0.5);
		let needed = gain / (gain + (1.0 - phi) * collateral);
		needed / ((1.0 - f64::powi(rho, auditors)) * (1.0 - rho))
	}

	fn float(p: Perquintill) -> f64 {
		p.deconstruct() as f64 / 1e18
	}

	#[test]
	fn the_rate_is_the_formula() {
		for auditors in [1u8, 2, 3, 5, 15] {
			for ratio in [3u128, 20, 50, 100, 1_000] {
				let exact = rate(1.0, ratio as f64, auditors.into());
				let ours = float(audit_rate(ASY, ratio * ASY, auditors).unwrap());
				assert!(ours >= exact * (1.0 - 1e-12), "{auditors} {ratio}: {ours} < {exact}");
				assert!(ours <= exact * (1.0 + 1e-9), "{auditors} {ratio}: {ours} > {exact}");
			}
		}
		// P = 1/51 for a hundredfold collateral; one auditor then audits 4.4 % of tasks.
		let p = float(audit_rate(ASY, 100 * ASY, 1).unwrap());
		assert!((p - 9.0 / 4.0 / 51.0).abs() < 1e-9);
	}

	#[test]
	fn lying_never_pays_at_the_rate_given() {
		for (gain, collateral) in [(70, 1_000), (ASY, 3 * ASY), (ASY, 500 * ASY)] {
			let Some(p) = audit_rate(gain, collateral, 3) else { panic!("{gain} {collateral}") };
			let proved = float(p) * (26.0 / 27.0) * (2.0 / 3.0);
			let lost = collateral as f64 / 2.0;
			let earned = (1.0 - proved) * gain as f64 - proved * lost;
			assert!(earned <= gain as f64 * 1e-9, "{gain} {collateral}: earns {earned}");
		}
	}

	#[test]
	fn thin_collateral_is_refused() {
		// One auditor proves 4/9 of audited lies: P ≤ 4/9 needs S ≥ 2.5·G; three need 29/26·G.
		assert_eq!(audit_rate(1_000, 2_400, 1), None);
		assert!(audit_rate(1_000, 2_504, 1).is_some());
		assert_eq!(audit_rate(26_000, 28_900, 3), None);
		assert!(audit_rate(26_000, 29_004, 3).is_some());
		assert_eq!(audit_rate(ASY, 0, 15), None);
		assert_eq!(audit_rate(ASY, ASY * 100, 0), None);
		assert_eq!(audit_rate(ASY, ASY * 100, 16), None);
		// Nothing to gain, nothing to audit.
		assert_eq!(audit_rate(0, 0, 1), Some(Perquintill::zero()));
	}

	#[test]
	fn extremes_do_not_overflow() {
		let most = Balance::MAX;
		assert_eq!(proof_needed(most, 0), Perquintill::one());
		assert!(proof_needed(most, most) > Perquintill::from_percent(66));
		assert!(proof_needed(most, most) < Perquintill::from_percent(67));
		assert!(proof_needed(1, most) > Perquintill::zero());
		assert!(audit_rate(most, most, 15).is_none());
		assert!(audit_rate(1, most, 1).is_some());
		assert_eq!(least_collateral(most, 1, Perquintill::one()), None);
	}

	#[test]
	fn the_least_collateral_is_the_least() {
		for (gain, auditors, percent) in [(ASY, 1, 100), (ASY, 3, 100), (17, 2, 10), (ASY, 5, 3)] {
			let rate = Perquintill::from_percent(percent);
			let least = least_collateral(gain, auditors, rate).unwrap();
			assert!(audit_rate(gain, least, auditors).unwrap() <= rate);
			let thinner = audit_rate(gain, least - 1, auditors);
			assert!(thinner.is_none_or(|p| p > rate));
		}
		assert_eq!(least_collateral(ASY, 3, Perquintill::zero()), None);
		assert_eq!(least_collateral(ASY, 0, Perquintill::one()), None);
		assert_eq!(least_collateral(0, 3, Perquintill::zero()), Some(0));
	}
}
