//! What a receipt is proved with.

use crate::{
	authorities::{self, AuthoritySet},
	finality::{self, Votes},
	state, Error, Records,
};
use assay_primitives::{work::JobId, Hash, Header};
use codec::DecodeAll;
use serde::{Deserialize, Serialize};
use sp_core::Bytes;

/// Everything between the hash of the chain's first block and the records of a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proof {
	/// Who voted on finality in the beginning.
	pub genesis: Genesis,
	/// The blocks in which one authority set handed over to the next, each final by the votes of the
	/// set that ended with it.
	pub handoffs: Vec<Finalised>,
	/// The block at which the records were read, final by the votes of the last set.
	pub block: Finalised,
	/// Nodes of that block's state trie, from its state root to the records.
	pub state: Vec<Bytes>,
}

/// The first block, and its authorities.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Genesis {
	/// Header, in SCALE.
	pub header: Bytes,
	/// Nodes of its state trie, from its state root to the list of authorities.
	pub authorities: Vec<Bytes>,
}

/// A block and the votes that made it final.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Finalised {
	/// Header, in SCALE.
	pub header: Bytes,
	/// GRANDPA's justification, in SCALE.
	pub justification: Bytes,
}

/// A part of the way from the first block to the last one that is final, as nodes tell it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Page {
	/// Blocks in which a set handed over, and at the end of the way the last block with votes.
	pub blocks: Vec<Finalised>,
	/// Whether it is the last part.
	pub finished: bool,
}

impl Genesis {
	/// The header, if it hashes to this.
	pub fn header(&self, genesis: Hash) -> Result<Header, Error> {
		let header = header(&self.header)?;
		if header.hash() != genesis {
			return Err(Error::OtherHeader { is: header.hash(), named: genesis });
		}
		match header.number {
			0 => Ok(header),
			number => Err(Error::NotGenesis(number)),
		}
	}

	/// The authorities that its state names.
	pub fn authorities(&self, header: &Header) -> Result<AuthoritySet, Error> {
		let key = authorities::authorities_key();
		let values = state::read(header.state_root, &self.authorities, std::slice::from_ref(&key))?;
		AuthoritySet::genesis(values.get(&key).ok_or(Error::Missing("authorities"))?)
	}
}

impl Finalised {
	/// The header.
	pub fn header(&self) -> Result<Header, Error> {
		header(&self.header)
	}

	/// The header, if the set's votes make it final, and whose votes those are.
	pub fn verify(&self, set: &AuthoritySet) -> Result<(Header, Votes), Error> {
		let header = self.header()?;
		let votes = finality::verify(&self.justification, &header, set)?;
		Ok((header, votes))
	}
}

impl Proof {
	/// The authority set that the handoffs lead to.
	pub fn last_set(&self, mut set: AuthoritySet) -> Result<AuthoritySet, Error> {
		let mut last = 0;
		for handoff in &self.handoffs {
			let (header, _) = handoff.verify(&set)?;
			last = following(last, &header)?;
			set = set.next(&header)?;
		}
		Ok(set)
	}

	/// The block's header, if the votes of this set make it final.
	pub fn finality(&self, set: &AuthoritySet) -> Result<(Header, Votes), Error> {
		let (header, votes) = self.block.verify(set)?;
		let last = self.handoffs.last().map_or(Ok(0), |last| last.header().map(|h| h.number))?;
		following(last, &header)?;
		Ok((header, votes))
	}

	/// The job's records in the block's state.
	pub fn records(&self, job: JobId) -> Result<Records, Error> {
		Records::prove(job, self.block.header()?.state_root, &self.state)
	}
}

/// The height of a block that must come after another.
fn following(last: u32, header: &Header) -> Result<u32, Error> {
	match header.number > last {
		true => Ok(header.number),
		false => Err(Error::Order { last, next: header.number }),
	}
}

fn header(bytes: &[u8]) -> Result<Header, Error> {
	Header::decode_all(&mut &bytes[..]).map_err(|_| Error::Encoding("a header"))
}
