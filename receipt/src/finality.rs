//! Whether votes make a block final: GRANDPA's own rule, as nodes apply it to justifications.

use crate::{AuthoritySet, Error};
use assay_primitives::{BlockNumber, Hash, Header};
use codec::DecodeAll;
use finality_grandpa::{Chain, Error as GrandpaError, Message};
use sp_consensus_grandpa::{check_message_signature, AuthorityId, GrandpaJustification};
use sp_core::crypto::ByteArray;
use sp_runtime::traits::Header as _;
use std::collections::{BTreeSet, HashMap, HashSet};

/// Whose votes made a block final.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Votes {
	/// Number of the authority set.
	pub set: u64,
	/// Authorities that voted.
	pub voted: usize,
	/// Authorities of the set.
	pub authorities: usize,
}

/// Checks that a justification makes the block of this header final.
pub(crate) fn verify(
	justification: &[u8],
	header: &Header,
	set: &AuthoritySet,
) -> Result<Votes, Error> {
	let justification = GrandpaJustification::<Header>::decode_all(&mut &justification[..])
		.map_err(|_| Error::Encoding("a justification"))?;
	let commit = &justification.commit;
	if (commit.target_hash, commit.target_number) != (header.hash(), header.number) {
		let (number, hash) = (commit.target_number, commit.target_hash);
		return Err(Error::OtherTarget { number, hash });
	}
	// The signatures first: what follows reckons with votes that their voters meant.
	let mut voters = BTreeSet::new();
	for signed in &commit.precommits {
		let name = || format!("0x{}", hex(&signed.id));
		if !set.voters().contains(&signed.id) {
			return Err(Error::Stranger(name(), set.id));
		}
		let vote = Message::Precommit(signed.precommit.clone());
		let (id, signature) = (&signed.id, &signed.signature);
		if !check_message_signature(&vote, id, signature, justification.round, set.id).is_valid() {
			return Err(Error::Signature(name(), set.id));
		}
		voters.insert(&signed.id);
	}
	let ancestry = Ancestry::new(&justification.votes_ancestries);
	match finality_grandpa::validate_commit(commit, set.voters(), &ancestry) {
		Ok(result) if result.is_valid() => {}
		_ => return Err(Error::NoQuorum(set.id)),
	}
	ancestry.all_needed(commit.precommits.iter().map(|signed| {
		let vote = &signed.precommit;
		(vote.target_number, vote.target_hash)
	}))?;
	Ok(Votes { set: set.id, voted: voters.len(), authorities: set.len() })
}

fn hex(id: &AuthorityId) -> String {
	id.as_slice().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Headers from the blocks voted for to the lowest of them, by hash.
struct Ancestry(HashMap<Hash, Header>);

impl Ancestry {
	fn new(headers: &[Header]) -> Self {
		Self(headers.iter().map(|header| (header.hash(), header.clone())).collect())
	}

	/// Every header lies on the way from a vote to the lowest vote.
	fn all_needed(
		&self,
		votes: impl Iterator<Item = (BlockNumber, Hash)> + Clone,
	) -> Result<(), Error> {
		let lowest = votes.clone().min_by_key(|(number, _)| *number);
		let (_, base) = lowest.ok_or(Error::Ancestry)?;
		let mut needed = HashSet::new();
		for (_, target) in votes.filter(|(_, target)| *target != base) {
			needed.insert(target);
			needed.extend(self.ancestry(base, target).map_err(|_| Error::Ancestry)?);
		}
		match needed.len() == self.0.len() && needed.iter().all(|hash| self.0.contains_key(hash)) {
			true => Ok(()),
			false => Err(Error::Ancestry),
		}
	}
}

impl Chain<Hash, BlockNumber> for Ancestry {
	/// Hashes between the two, neither included.
	fn ancestry(&self, base: Hash, block: Hash) -> Result<Vec<Hash>, GrandpaError> {
		let mut route = Vec::new();
		let mut current = block;
		while current != base {
			let header = self.0.get(&current).ok_or(GrandpaError::NotDescendent)?;
			current = *header.parent_hash();
			route.push(current);
		}
		// The last is the base.
		route.pop();
		Ok(route)
	}
}
