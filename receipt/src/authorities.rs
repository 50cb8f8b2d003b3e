//! Who votes on finality, from genesis on.

use crate::Error;
use assay_primitives::{BlockNumber, Header};
use codec::DecodeAll;
use finality_grandpa::voter_set::VoterSet;
use sp_consensus_grandpa::{
	AuthorityId, AuthorityList, ConsensusLog, ScheduledChange, SetId, GRANDPA_ENGINE_ID,
};
use sp_crypto_hashing::twox_128;
use sp_runtime::{generic::OpaqueDigestItemId, traits::Header as _};

/// Key under which the state keeps the authorities.
pub fn authorities_key() -> Vec<u8> {
	[twox_128(b"Grandpa"), twox_128(b"Authorities")].concat()
}

/// A set of authorities and its place in the row of sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuthoritySet {
	/// Its number: nought at genesis.
	pub id: SetId,
	voters: VoterSet<AuthorityId>,
}

impl AuthoritySet {
	/// The set of genesis, from its record in the state.
	pub fn genesis(record: &[u8]) -> Result<Self, Error> {
		let list = AuthorityList::decode_all(&mut &record[..]);
		Self::new(0, list.map_err(|_| Error::Encoding("the list of authorities"))?)
	}

	fn new(id: SetId, list: AuthorityList) -> Result<Self, Error> {
		Ok(Self { id, voters: VoterSet::new(list).ok_or(Error::Authorities)? })
	}

	/// Number of authorities.
	pub fn len(&self) -> usize {
		self.voters.len().get()
	}

	/// Never: there is no empty set.
	pub fn is_empty(&self) -> bool {
		false
	}

	pub(crate) fn voters(&self) -> &VoterSet<AuthorityId> {
		&self.voters
	}

	/// The set that this block hands over to. The runtime signals a change in the block in which it
	/// comes into force, which is the last that the old set votes on.
	pub fn next(&self, header: &Header) -> Result<Self, Error> {
		let change = match signal(header) {
			Some(ConsensusLog::ScheduledChange(ScheduledChange { next_authorities, delay: 0 })) => {
				next_authorities
			}
			Some(ConsensusLog::ForcedChange(..)) => return Err(Error::Forced(header.number)),
			_ => return Err(Error::NoHandoff(header.number)),
		};
		Self::new(self.id.checked_add(1).ok_or(Error::Authorities)?, change)
	}
}

/// The signal of a change of authorities that counts: a forced one takes precedence.
fn signal(header: &Header) -> Option<ConsensusLog<BlockNumber>> {
	let id = OpaqueDigestItemId::Consensus(&GRANDPA_ENGINE_ID);
	let signals =
		|| header.digest().logs().iter().filter_map(move |log| log.try_to::<ConsensusLog<_>>(id));
	signals()
		.find(|log| matches!(log, ConsensusLog::ForcedChange(..)))
		.or_else(|| signals().find(|log| matches!(log, ConsensusLog::ScheduledChange(_))))
}
