//! What can go wrong while fetching.

use std::{net::IpAddr, time::Duration};

/// A failed fetch: from where, and what was wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{url}: {reason}")]
pub struct FetchError {
	/// What was asked for.
	pub url: String,
	/// What was wrong.
	pub reason: Reason,
}

/// Why a fetch failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
	/// Not a base URL that is followed.
	#[error("not a usable base URL: {0}")]
	BadUrl(&'static str),
	/// The name leads nowhere.
	#[error("cannot resolve the name: {0}")]
	Resolve(String),
	/// The name leads, among others perhaps, where strangers may not lead us.
	#[error("{address} is forbidden: it is {range}")]
	ForbiddenAddress {
		/// The address.
		address: IpAddr,
		/// The range it is in.
		range: &'static str,
	},
	/// What was asked for is larger than this side takes.
	#[error("{declared} bytes were asked for, at most {allowed} are taken")]
	TooLarge {
		/// Bytes that the declared shape has.
		declared: u64,
		/// Bytes taken at most.
		allowed: u64,
	},
	/// What was asked for cannot exist.
	#[error("cannot be asked for: {0}")]
	BadRequest(&'static str),
	/// No connection, or it broke.
	#[error("the connection failed: {0}")]
	Connection(String),
	/// Too slow.
	#[error("timed out {0}")]
	Timeout(&'static str),
	/// The body came, but too slowly.
	#[error("too slow: fewer than {floor} bytes came in {window:?}")]
	TooSlow {
		/// Bytes that should have come in that time.
		floor: u64,
		/// The time.
		window: Duration,
	},
	/// The other side sends us elsewhere.
	#[error("redirected (status {0}); redirects are not followed")]
	Redirect(u16),
	/// The other side does not have it.
	#[error("it is not there (status 404)")]
	NotFound,
	/// Another status than 200.
	#[error("status {0}")]
	Status(u16),
	/// More bytes than what was asked for can have.
	#[error("the body is longer than the {allowed} bytes that it may have")]
	TooLong {
		/// Bytes it may have.
		allowed: u64,
	},
	/// Fewer bytes than what was asked for has.
	#[error("the body ended after {got} of {expected} bytes")]
	TooShort {
		/// Bytes it should have.
		expected: u64,
		/// Bytes it had.
		got: u64,
	},
	/// The bytes are not what was asked for.
	#[error("the bytes do not hash to the root")]
	WrongBytes,
	/// The bytes are not an encoding of what was asked for.
	#[error("the body is malformed: {0}")]
	Malformed(String),
	/// This side cannot keep what came.
	#[error("it cannot be kept: {0}")]
	Unkept(String),
	/// This side cannot work.
	#[error("the fetcher cannot be set up: {0}")]
	Setup(String),
}

impl Reason {
	/// Whether the failure is this side's own, and says nothing of the other.
	pub fn is_ours(&self) -> bool {
		matches!(
			self,
			Reason::TooLarge { .. } | Reason::BadRequest(_) | Reason::Unkept(_) | Reason::Setup(_)
		)
	}

	/// Whether it may be others who keep the other side from answering, as when they hold all of its
	/// connections.
	pub fn is_busy(&self) -> bool {
		matches!(self, Reason::Connection(_) | Reason::Status(503))
	}

	/// Whether another try may end otherwise without anybody changing what was asked.
	pub fn is_worth_another_try(&self) -> bool {
		!self.is_ours() && !matches!(self, Reason::BadUrl(_) | Reason::ForbiddenAddress { .. })
	}
}
