//! Tensor programs: encoding, validity, costs.

mod costs;
mod decode;
mod infer;
mod valid;

pub use costs::Costs;
pub use decode::{DecodeError, Malformed};
pub use infer::{Invalid, ShapeRule};
pub use valid::{InvalidProgram, ValidProgram};

use crate::Node;
use alloc::vec::Vec;

/// Most nodes of a program.
pub const MAX_NODES: usize = 16_384;
/// Longest encoding of a program that is decoded.
pub const MAX_PROGRAM_BYTES: usize = 512 * 1024;

/// A list of nodes, each made from earlier ones; the last node is the output. Nothing is known of
/// it yet beyond its form: see [`Program::validate`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "std", serde(deny_unknown_fields))]
pub struct Program {
	/// The nodes in order.
	pub nodes: Vec<Node>,
}

impl Program {
	/// Reads the canonical SCALE encoding, and nothing but it: two different byte strings never
	/// decode to the same program.
	pub fn decode(bytes: &[u8]) -> Result<Program, DecodeError> {
		decode::program(bytes)
	}

	/// The canonical SCALE encoding.
	pub fn encode(&self) -> Vec<u8> {
		codec::Encode::encode(&self.nodes)
	}

	/// Checks references, shapes, types and limits, and computes every node's shape, the costs and
	/// the program id. Linear in the number of nodes and references.
	pub fn validate(self) -> Result<ValidProgram, InvalidProgram> {
		ValidProgram::new(self)
	}
}
