//! What can go wrong between this side and the chain.

use crate::KeyError;
use assay_primitives::{BlockNumber, Hash};
use std::time::Duration;

/// A failed read or transaction.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
	/// No connection to the node, or it does not answer.
	#[error("cannot reach the node at {url}: {reason}")]
	Unreachable {
		/// Where it should be.
		url: String,
		/// What happened.
		reason: String,
	},
	/// The node answers but cannot be used yet.
	#[error("the node at {url} is not ready after {after:?}: {reason}")]
	NotReady {
		/// Where it is.
		url: String,
		/// Time waited.
		after: Duration,
		/// What it lacks.
		reason: String,
	},
	/// The node refused a request.
	#[error("the node refused {method}: {message}")]
	Rpc {
		/// The RPC method or runtime API.
		method: String,
		/// JSON-RPC error code, if it gave one.
		code: Option<i32>,
		/// What it said.
		message: String,
	},
	/// The node's answer is not what this client understands.
	#[error(
		"the node's answer to {method} cannot be read ({reason}): it runs another version of the \
		 chain than this client was built for"
	)]
	Answer {
		/// The RPC method or runtime API.
		method: String,
		/// What is wrong with it.
		reason: String,
	},
	/// The runtime's calls are not those this client was built for.
	#[error("this client does not fit the node's runtime: {0}; use the client of its version")]
	Incompatible(String),
	/// No such block, or its state is no longer kept.
	#[error("the node does not know block {0}, or no longer keeps its state")]
	UnknownBlock(String),
	/// Nobody votes on finality, so that nothing can be proved final.
	#[error(
		"this network has no finality that could be proved: its node seals blocks by itself \
		 (`--seal`), and no validators vote on them"
	)]
	NoFinality,
	/// The node proves no finality from the first block on.
	#[error("the node gives no proofs of finality: it has no {0}")]
	NoProofs(&'static str),
	/// The block that is final has no votes to show yet.
	#[error("the node has no votes to show for block {0} yet")]
	NoVotes(BlockNumber),
	/// What the node sent as a proof proves nothing.
	#[error("what the node sent as a proof does not hold: {0}")]
	Proof(String),
	/// Not an account.
	#[error("{0}")]
	Address(String),
	/// Not a key.
	#[error(transparent)]
	Key(#[from] KeyError),
	/// A value is outside what a call takes.
	#[error("{0}")]
	Argument(String),
	/// The transaction did not enter the pool, or left it again; nothing has changed but, perhaps,
	/// that another transaction with its nonce did.
	#[error("the transaction was not taken: {0}")]
	Refused(String),
	/// The transaction is in a finalised block, but its call failed. Its fee is paid.
	#[error("the call failed: {0}")]
	Dispatch(DispatchError),
	/// It is not known in time what became of a transaction.
	#[error("transaction {tx:#x} was not finalised within {after:?}; it still may be")]
	NotFinalised {
		/// Its hash.
		tx: Hash,
		/// Time waited.
		after: Duration,
	},
	/// A transaction can no longer be included.
	#[error("transaction {tx:#x} is in no finalised block up to {last} and can no longer be")]
	Expired {
		/// Its hash.
		tx: Hash,
		/// Last block it could have been in.
		last: BlockNumber,
	},
	/// A call succeeded without the event that tells its result.
	#[error("the call succeeded but left no {0} event: the runtime is of another version")]
	NoEvent(&'static str),
}

/// Why a call failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DispatchError {
	/// A pallet's own error.
	#[error("{pallet}::{name}: {docs}")]
	Module {
		/// The pallet.
		pallet: String,
		/// The error's name.
		name: String,
		/// What the pallet says of it.
		docs: String,
	},
	/// An error of no pallet, as of the currency.
	#[error("{0}")]
	Other(String),
}

impl From<assay_receipt::Error> for Error {
	fn from(error: assay_receipt::Error) -> Self {
		Self::Proof(error.to_string())
	}
}

impl Error {
	/// Whether the node could not be reached or was not ready, so that waiting may help.
	pub fn is_unreachable(&self) -> bool {
		matches!(self, Error::Unreachable { .. } | Error::NotReady { .. })
	}

	/// Name of the pallet's error that a call failed with, as `UnknownJob`.
	pub fn module_error(&self) -> Option<&str> {
		match self {
			Error::Dispatch(DispatchError::Module { name, .. }) => Some(name),
			_ => None,
		}
	}
}
