//! The protocol between a validator's off-chain worker and its auditor service.
//!
//! The off-chain worker posts a SCALE-encoded [`AuditRequest`] to [`PATH`] on the loopback address
//! that the node left in its local storage under [`ACCESS_KEY`], and reads a SCALE-encoded
//! [`AuditReply`]. The same audit may be asked for any number of times, with whatever is current of
//! its round and its endpoint; it is worked on once, and for as long as it is asked for.

use crate::{
	demand::Wanted,
	work::{Claim, Depth, TaskId, Verdict},
	BlockNumber, Root,
};
use alloc::{string::String, vec::Vec};
use codec::{Decode, DecodeWithMemTracking, Encode, MaxEncodedLen};
use scale_info::TypeInfo;
use sp_core::crypto::KeyTypeId;
use sp_runtime::traits::{BlakeTwo256, Hash};

/// Type of the session key with which validators sign attestations.
pub const KEY_TYPE: KeyTypeId = KeyTypeId(*b"audi");

/// Application-specific sr25519 keys of auditors.
pub mod app {
	use sp_application_crypto::{app_crypto, sr25519};
	app_crypto!(sr25519, super::KEY_TYPE);
}

/// An auditor's session key.
pub type AuditorId = app::Public;
/// A signature by an [`AuditorId`].
pub type AuditorSignature = app::Signature;

/// Path of the audit call.
pub const PATH: &str = "/v1/audits";

/// Key in the node's persistent off-chain storage under which it leaves [`Access`].
pub const ACCESS_KEY: &[u8] = b"assay::auditor::access";

/// Where the auditor service listens and what it wants to hear.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct Access {
	/// Base URL on loopback, without a trailing slash.
	pub url: String,
	/// Secret of this start of the node, sent as a bearer token.
	pub token: String,
	/// Base URL at which the service serves the outputs that it keeps; empty where it keeps none.
	pub keeps_at: String,
}

/// One task to be audited.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct AuditRequest {
	/// Which audit.
	pub audit: AuditId,
	/// Base URL of the worker's data plane, as registered on chain.
	pub endpoint: Vec<u8>,
	/// Base URL at which the buyer serves program, constants and inputs, should the worker not.
	pub buyer: Vec<u8>,
	/// What was answered on the chain to this seat's demands so far, in order: encodings of
	/// `assay_compute::proof::demand::Opening`, or of the trace root if that was demanded.
	pub answers: Vec<Vec<u8>>,
	/// Block at which this is asked.
	pub now: BlockNumber,
	/// Last block in which the round takes an attestation.
	pub deadline: BlockNumber,
	/// For how many blocks a custodian keeps the output, and the program that says how to read it.
	pub keep_for: BlockNumber,
}

/// What makes an audit the same one, whoever asks for it and when.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct AuditId {
	/// Which task.
	pub task: TaskId,
	/// Block in which the claim was submitted: another attempt at the same task is another claim.
	pub submitted_at: BlockNumber,
	/// Whose work it is: the SCALE-encoded account of the provider.
	pub provider: Vec<u8>,
	/// What the worker claims.
	pub claim: Claim,
	/// How thoroughly.
	pub depth: Depth,
}

/// What the auditor service answers.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub enum AuditReply {
	/// The audit is under way; ask again.
	#[codec(index = 0)]
	Pending,
	/// The audit is done.
	#[codec(index = 1)]
	Done(Finding),
	/// The request cannot be worked on, and why.
	#[codec(index = 2)]
	Refused(String),
	/// The round's time ended before the audit did. Nothing is known about the claim.
	#[codec(index = 3)]
	Expired,
	/// The audit cannot go on before this is opened on the chain: the worker does not serve it, and
	/// what it committed to is not what comes out.
	#[codec(index = 4)]
	Demand(Demanded),
}

/// Something that an audit needs opened.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct Demanded {
	/// What.
	pub wanted: Wanted,
	/// The SCALE-encoded `assay_compute::proof::OpenNode` that shows that there is such a place;
	/// empty where it is about no node.
	pub opened: Vec<u8>,
}

/// What an audit found.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub enum Finding {
	/// Nothing wrong, at the depth of the audit.
	#[codec(index = 0)]
	Right,
	/// A lie, and the SCALE-encoded `assay_compute::proof::FraudProof` that shows it.
	#[codec(index = 1)]
	Wrong(Vec<u8>),
	/// What was committed to could not be had.
	#[codec(index = 2)]
	Unavailable,
}

/// What a drawn auditor signs when it commits to its verdict: bound to the chain, the claim, the
/// round and the seat.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct SignedSeal {
	/// Genesis hash of the chain.
	pub genesis: Root,
	/// The seat.
	pub seat: SeatId,
	/// The [`seal`] of the verdict.
	pub seal: Root,
}

/// What a drawn auditor signs to demand something.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct SignedDemand {
	/// Genesis hash of the chain.
	pub genesis: Root,
	/// The seat.
	pub seat: SeatId,
	/// How many demands the seat has made before.
	pub number: u8,
	/// What is demanded.
	pub wanted: Wanted,
}

/// What an auditor signs to say where it keeps outputs, or that it no longer does.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct SignedAnnouncement {
	/// Genesis hash of the chain.
	pub genesis: Root,
	/// Base URL at which the auditor serves what it keeps; empty where it keeps nothing.
	pub url: Vec<u8>,
	/// Block at which this is said: what was said later holds.
	pub at: BlockNumber,
}

/// A seat in one round of drawing for one claim.
#[derive(
	Clone,
	Copy,
	Debug,
	PartialEq,
	Eq,
	Encode,
	Decode,
	DecodeWithMemTracking,
	MaxEncodedLen,
	TypeInfo,
)]
pub struct SeatId {
	/// Which task.
	pub task: TaskId,
	/// Block in which the claim was submitted: another attempt at the same task is another claim.
	pub submitted_at: BlockNumber,
	/// Round of drawing, from 0.
	pub round: u8,
	/// Place among those drawn, from 0.
	pub number: u8,
}

/// Secret that keeps a sealed verdict from being guessed.
pub type Salt = [u8; 32];

/// The sealed form of a verdict, which says nothing of it until it is opened: BLAKE2b-256 over the
/// auditor's key, the seat, the verdict, the hash of its proof and the salt. Bound to the auditor, so
/// that a copied seal cannot be opened by another.
pub fn seal(
	auditor: &AuditorId,
	seat: &SeatId,
	verdict: &Verdict,
	proof: &[u8],
	salt: &Salt,
) -> Root {
	let proof = BlakeTwo256::hash(proof);
	BlakeTwo256::hash_of(&(b"assay/seal", auditor, seat, verdict, proof, salt))
}
