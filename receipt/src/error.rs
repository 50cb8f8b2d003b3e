//! Why a proof does not hold.

use assay_primitives::{work::TaskIndex, BlockNumber, Hash};

/// A proof that does not hold, and in what.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
	/// Bytes that are not what they should encode.
	#[error("{0} cannot be decoded")]
	Encoding(&'static str),
	/// A header that is not the one named.
	#[error("the header hashes to {is:#x}, not to {named:#x}")]
	OtherHeader {
		/// Its hash.
		is: Hash,
		/// The hash named.
		named: Hash,
	},
	/// A genesis block that is not at height nought.
	#[error("the genesis header is of block {0}")]
	NotGenesis(BlockNumber),
	/// The state proof does not lead from the state root to the records.
	#[error("the state proof does not lead from the block's state root {root:#x} to what is to be read: {reason}")]
	State {
		/// The block's state root.
		root: Hash,
		/// What is wrong.
		reason: String,
	},
	/// The state proof has nodes that nothing needs.
	#[error("the state proof has {0} nodes that prove nothing of this")]
	Superfluous(usize),
	/// A record that should be in the state is not.
	#[error("the block's state has no {0}")]
	Missing(&'static str),
	/// A task of the job has no record.
	#[error("the block's state has no task {0} of the job")]
	MissingTask(TaskIndex),
	/// More tasks than a job can have.
	#[error("the job has {0} tasks, more than can be")]
	TooManyTasks(u32),
	/// Another chain's runtime.
	#[error("the chain runs `{0}`, not `assay`")]
	OtherChain(String),
	/// A runtime whose records this version does not read.
	#[error("the records are of runtime {0}, which this version of `assay` does not read: use the one of that time")]
	Runtime(u32),
	/// No authorities, or with weights that cannot be.
	#[error("the authorities named are no possible set")]
	Authorities,
	/// Votes for another block.
	#[error("the votes are for block {number} ({hash:#x}), not for this header")]
	OtherTarget {
		/// Its height.
		number: BlockNumber,
		/// Its hash.
		hash: Hash,
	},
	/// A vote by somebody without a vote.
	#[error("a vote is by {0}, who is not of authority set {1}")]
	Stranger(String, u64),
	/// A vote whose signature is not by the key named, or for another round or set.
	#[error("the signature of {0} is not over this vote in authority set {1}")]
	Signature(String, u64),
	/// Too few votes, or none that lead to the block.
	#[error("the votes do not finalise the block: more than two thirds of authority set {0} must vote for it or its descendants")]
	NoQuorum(u64),
	/// The headers beside the votes are not those needed.
	#[error("the headers that lead from the votes to the block are not those needed")]
	Ancestry,
	/// A handoff without the signal of one.
	#[error("block {0} hands over to no other authority set")]
	NoHandoff(BlockNumber),
	/// A change of authorities that nobody voted for.
	#[error("block {0} forces another authority set, which no votes can prove")]
	Forced(BlockNumber),
	/// Blocks that do not follow one another.
	#[error("block {next} does not come after block {last}")]
	Order {
		/// The block before.
		last: BlockNumber,
		/// The one that should be after.
		next: BlockNumber,
	},
}
