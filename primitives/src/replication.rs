//! Replicated tasks: what replicas claim, when claims agree, who has the majority, and how often a
//! provider's results are replicated at all.
//!
//! A majority is a vote, never proof: it decides who is paid, and convicts nobody.
//!
//! How often follows BOINC's *adaptive replication* (<https://github.com/BOINC/boinc/wiki/AdaptiveReplication>,
//! `sched/validator.cpp`): a count, there CV(host, application version), of consecutive valid results
//! of replicated work; below 10 everything is replicated, from there on a result is trusted with
//! probability 1 − 1/CV; any invalid result sets the count to nought, and only replicated results
//! raise it. There the rate tends to nought, so that in the long run lying is never seen; here it
//! keeps a floor.

use crate::{
	work::{Commitment, TaskId},
	Root,
};
use alloc::vec::Vec;
use codec::{Decode, DecodeWithMemTracking, Encode, MaxEncodedLen};
use frame_support::{pallet_prelude::ConstU32, BoundedVec};
use scale_info::TypeInfo;
use sp_runtime::{
	traits::{BlakeTwo256, Hash},
	PerThing, Permill, Perquintill,
};

/// Most replicas of a task.
pub const MAX_REPLICAS: u32 = 7;
/// Most entries of a summary.
pub const MAX_SUMMARY: u32 = 32;
/// Results in a row that must have agreed with a majority before any is trusted unreplicated.
pub const ALWAYS_BELOW: u32 = 10;

/// What keeps a seal from being opened by guessing.
pub type Salt = [u8; 32];

/// What is compared where results need not be the same to the bit.
pub type Summary = BoundedVec<i32, ConstU32<MAX_SUMMARY>>;

/// What a replica claims.
#[derive(
	Clone, Debug, PartialEq, Eq, Encode, Decode, DecodeWithMemTracking, MaxEncodedLen, TypeInfo,
)]
pub struct Outcome {
	/// The result.
	pub commitment: Commitment,
	/// What is compared within the tolerance. Empty where results must be the same to the bit.
	pub summary: Summary,
}

impl Outcome {
	/// Whether it has what is to be compared, and nothing else.
	pub fn fits(&self, tolerance: u32) -> bool {
		self.summary.is_empty() == (tolerance == 0)
	}

	/// Whether the two say the same: the same output, or without a tolerance of nought entries of
	/// their summaries that differ by no more than it. Symmetric, but with a tolerance not transitive.
	pub fn agrees(&self, other: &Self, tolerance: u32) -> bool {
		if tolerance == 0 {
			return self.commitment.output_root == other.commitment.output_root;
		}
		!self.summary.is_empty()
			&& self.summary.len() == other.summary.len()
			&& self.summary.iter().zip(&other.summary).all(|(a, b)| a.abs_diff(*b) <= tolerance)
	}
}

/// The seal of a replica's outcome: BLAKE2b-256 over provider, slot, outcome and salt. Bound to the
/// provider, so that a copied seal cannot be opened by whoever copied it.
pub fn seal<AccountId: Encode>(
	provider: &AccountId,
	slot: TaskId,
	outcome: &Outcome,
	salt: &Salt,
) -> Root {
	BlakeTwo256::hash_of(&(b"assay/replica", provider, slot, outcome, salt))
}

/// Which of the outcomes form the majority of so many replicas, absent ones included; `None` if there
/// is none.
///
/// Of the sets of all that agree with one of them, the largest counts, if no other set is as large
/// and it has more than half of the replicas. So the order of the outcomes does not matter, and
/// nothing hangs on who is asked first where agreement is not transitive.
pub fn majority(outcomes: &[Outcome], replicas: u8, tolerance: u32) -> Option<Vec<bool>> {
	let mut best: (u32, Vec<bool>) = (0, Vec::new());
	let mut tied = false;
	for one in outcomes {
		let set: Vec<bool> = outcomes.iter().map(|other| one.agrees(other, tolerance)).collect();
		let size = set.iter().fold(0u32, |sum, agrees| sum.saturating_add((*agrees).into()));
		if size > best.0 {
			best = (size, set);
			tied = false;
		} else if size == best.0 && set != best.1 {
			tied = true;
		}
	}
	let (size, set) = best;
	(!tied && size > u32::from(replicas) / 2).then_some(set)
}

/// How often results of a provider are replicated, `agreed` of which have agreed with a majority in a
/// row: always until there are [`ALWAYS_BELOW`] of them, then one in as many, but never less often
/// than `floor`.
pub fn rate(agreed: u32, floor: Permill) -> Perquintill {
	if agreed < ALWAYS_BELOW {
		return Perquintill::one();
	}
	let floor =
		Perquintill::from_rational(u64::from(floor.deconstruct()), u64::from(Permill::ACCURACY));
	Perquintill::from_rational(1u64, u64::from(agreed)).max(floor)
}

#[cfg(test)]
mod tests {
	use super::*;
	use proptest::prelude::*;

	fn exact(output: u8) -> Outcome {
		let commitment = Commitment {
			output_root: Root::repeat_byte(output),
			trace_root: Some(Root::repeat_byte(output.wrapping_mul(7))),
		};
		Outcome { commitment, summary: Default::default() }
	}

	fn about(summary: &[i32]) -> Outcome {
		Outcome { summary: summary.to_vec().try_into().unwrap(), ..exact(0) }
	}

	fn scalars(values: &[i32]) -> Vec<Outcome> {
		values.iter().map(|value| about(&[*value])).collect()
	}

	#[test]
	fn exact_majorities() {
		let of = |outputs: &[u8], replicas| {
			let outcomes: Vec<_> = outputs.iter().map(|output| exact(*output)).collect();
			majority(&outcomes, replicas, 0)
		};
		assert_eq!(of(&[1, 2, 1], 3), Some(vec![true, false, true]));
		assert_eq!(of(&[1, 1], 3), Some(vec![true, true]), "one absent");
		assert_eq!(of(&[1], 3), None, "two absent");
		assert_eq!(of(&[1, 1], 4), None, "half is not more than half");
		assert_eq!(of(&[1, 2], 2), None);
		assert_eq!(of(&[1, 1], 2), Some(vec![true, true]));
		assert_eq!(of(&[1, 2, 3], 3), None);
		assert_eq!(of(&[], 3), None);
		assert_eq!(of(&[], 0), None);
	}

	#[test]
	fn a_summary_says_nothing_where_results_must_be_the_same() {
		let mut other = exact(1);
		other.summary = vec![5].try_into().unwrap();
		assert!(exact(1).agrees(&other, 0) && !other.fits(0) && exact(1).fits(0));
		assert!(!exact(1).fits(1) && !exact(1).agrees(&exact(1), 1), "nothing is not close to it");
	}

	#[test]
	fn the_edge_of_the_tolerance_is_within() {
		assert!(about(&[0, 10]).agrees(&about(&[3, 7]), 3));
		assert!(!about(&[0, 10]).agrees(&about(&[3, 6]), 3));
		assert!(!about(&[0]).agrees(&about(&[0, 0]), 3));
		assert!(about(&[i32::MIN]).agrees(&about(&[i32::MAX]), u32::MAX));
		assert!(!about(&[i32::MIN]).agrees(&about(&[i32::MAX]), u32::MAX - 1));
	}

	#[test]
	fn agreement_within_a_tolerance_is_not_transitive() {
		// All agree with the one in the middle.
		assert_eq!(majority(&scalars(&[0, 1, 2]), 3, 1), Some(vec![true; 3]));
		// Two sets of three of four: nobody can say which.
		assert_eq!(majority(&scalars(&[0, 1, 2, 3]), 4, 1), None);
		// The same set twice is no tie.
		assert_eq!(majority(&scalars(&[0, 1, 9]), 3, 1), Some(vec![true, true, false]));
	}

	#[test]
	fn seals_are_bound() {
		let slot = TaskId { job: 3, index: 4 };
		let base = seal(&7u64, slot, &exact(1), &[1; 32]);
		assert_eq!(base, seal(&7u64, slot, &exact(1), &[1; 32]));
		for other in [
			seal(&8u64, slot, &exact(1), &[1; 32]),
			seal(&7u64, TaskId { index: 5, ..slot }, &exact(1), &[1; 32]),
			seal(&7u64, TaskId { job: 4, ..slot }, &exact(1), &[1; 32]),
			seal(&7u64, slot, &exact(2), &[1; 32]),
			seal(&7u64, slot, &exact(1), &[2; 32]),
		] {
			assert_ne!(base, other);
		}
	}

	#[test]
	fn trust_grows_to_a_floor() {
		let floor = Permill::from_percent(5);
		assert!((0..10).all(|agreed| rate(agreed, floor).is_one()));
		assert_eq!(rate(10, floor), Perquintill::from_percent(10));
		assert_eq!(rate(20, floor), Perquintill::from_percent(5));
		assert_eq!(rate(u32::MAX, floor), Perquintill::from_percent(5));
		assert_eq!(rate(1_000, Permill::zero()), Perquintill::from_rational(1u64, 1_000));
		assert!(rate(1_000, Permill::one()).is_one());
	}

	/// By the definition, over all subsets: of those with a member that agrees with all of them, the
	/// only one of the largest size.
	fn oracle(outcomes: &[Outcome], replicas: u8, tolerance: u32) -> Option<Vec<bool>> {
		let centred = (1u32..1 << outcomes.len()).filter(|set| {
			let members = || (0..outcomes.len()).filter(|i| set >> i & 1 == 1);
			members().any(|centre| {
				members().all(|i| match tolerance {
					0 => {
						outcomes[i].commitment.output_root
							== outcomes[centre].commitment.output_root
					}
					_ => {
						let (a, b) = (&outcomes[i].summary, &outcomes[centre].summary);
						let far = |(a, b): (&i32, &i32)| {
							(i64::from(*a) - i64::from(*b)).abs() > i64::from(tolerance)
						};
						a.len() == b.len() && !a.is_empty() && !a.iter().zip(b).any(far)
					}
				})
			})
		});
		let sets: Vec<u32> = centred.collect();
		let largest = sets.iter().map(|set| set.count_ones()).max()?;
		let mut largest_sets = sets.iter().filter(|set| set.count_ones() == largest);
		let set = largest_sets.next()?;
		let alone = largest_sets.next().is_none();
		(alone && 2 * largest > u32::from(replicas))
			.then(|| (0..outcomes.len()).map(|i| set >> i & 1 == 1).collect())
	}

	prop_compose! {
		fn outcomes()(
			values in prop::collection::vec((0..4u8, prop::collection::vec(-4..4i32, 1..3)), 0..=7),
			is_exact in any::<bool>(),
		) -> (Vec<Outcome>, bool) {
			let outcomes = values.iter().map(|(root, summary)| match is_exact {
				true => exact(*root),
				false => about(summary),
			});
			(outcomes.collect(), is_exact)
		}
	}

	proptest! {
		#![proptest_config(ProptestConfig::with_cases(2_000))]

		#[test]
		fn the_majority_is_what_its_definition_says(
			(outcomes, is_exact) in outcomes(),
			absent in 0..3u8,
			tolerance in 1..4u32,
		) {
			let tolerance = if is_exact { 0 } else { tolerance };
			let replicas = outcomes.len() as u8 + absent;
			let found = majority(&outcomes, replicas, tolerance);
			prop_assert_eq!(&found, &oracle(&outcomes, replicas, tolerance));
			// Whoever comes first.
			let mut turned = outcomes.clone();
			turned.reverse();
			let mut again = majority(&turned, replicas, tolerance);
			again.iter_mut().for_each(|set| set.reverse());
			prop_assert_eq!(&found, &again);
			// One more absent replica never makes a majority.
			prop_assert!(found.is_some() || majority(&outcomes, replicas + 1, tolerance).is_none());
		}

		#[test]
		fn rates_fall_and_keep_their_floor(a in any::<u32>(), b in any::<u32>(), f in 0..=1_000_000u32) {
			let floor = Permill::from_parts(f);
			let (low, high) = (a.min(b), a.max(b));
			prop_assert!(rate(low, floor) >= rate(high, floor));
			prop_assert!(u128::from(rate(a, floor).deconstruct()) >= u128::from(f) * 1_000_000_000_000);
		}
	}
}
