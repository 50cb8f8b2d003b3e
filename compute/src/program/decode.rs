//! Strict decoding: canonical, bounded before it allocates, and without panics whatever the bytes.

use super::{Program, MAX_NODES, MAX_PROGRAM_BYTES};
use crate::{node::MAX_PARTS, Dtype, Node};
use alloc::vec::Vec;
use codec::{Compact, Decode, Input};

/// Bytes that are not the canonical encoding of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("byte {offset}, node {node}: {reason}")]
pub struct DecodeError {
	/// Bytes read before the failure.
	pub offset: u32,
	/// Nodes read before the failure.
	pub node: u32,
	/// What is wrong there.
	pub reason: Malformed,
}

/// What is wrong with an encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
	/// Longer than [`MAX_PROGRAM_BYTES`].
	#[error("longer than {MAX_PROGRAM_BYTES} bytes")]
	TooLong,
	/// The bytes end within a value.
	#[error("the bytes end early")]
	Truncated,
	/// Bytes after the last node.
	#[error("bytes follow the last node")]
	Trailing,
	/// A length that is cut off, has a shorter encoding, or does not fit 32 bits.
	#[error("not the shortest compact encoding of a 32-bit length")]
	Compact,
	/// No such operation.
	#[error("unknown operation {0}")]
	UnknownOp(u8),
	/// No such element type.
	#[error("unknown element type {0}")]
	UnknownDtype(u8),
	/// More than [`MAX_NODES`] nodes.
	#[error("{0} nodes, at most {MAX_NODES} are allowed")]
	TooManyNodes(u32),
	/// More than [`MAX_PARTS`] parts of a concatenation.
	#[error("{0} parts, at most {MAX_PARTS} are allowed")]
	TooManyParts(u32),
}

pub(super) fn program(bytes: &[u8]) -> Result<Program, DecodeError> {
	let mut nodes = Vec::new();
	let mut rest = bytes;
	let read = (|| {
		if bytes.len() > MAX_PROGRAM_BYTES {
			return Err(Malformed::TooLong);
		}
		let count = compact(&mut rest)?;
		if count as usize > MAX_NODES {
			return Err(Malformed::TooManyNodes(count));
		}
		// Every node takes at least one byte, so this reserves no more than the input justifies.
		nodes.reserve((count as usize).min(rest.len()));
		for _ in 0..count {
			nodes.push(node(&mut rest)?);
		}
		if rest.is_empty() {
			Ok(())
		} else {
			Err(Malformed::Trailing)
		}
	})();
	match read {
		Ok(()) => Ok(Program { nodes }),
		Err(reason) => Err(DecodeError {
			offset: bytes.len().saturating_sub(rest.len()) as u32,
			node: nodes.len() as u32,
			reason,
		}),
	}
}

/// One node, as strict as in a program. For proofs that open single nodes.
impl Decode for Node {
	fn decode<I: Input>(input: &mut I) -> Result<Self, codec::Error> {
		node(input).map_err(|reason| match reason {
			Malformed::Truncated => "node: the bytes end early".into(),
			Malformed::UnknownOp(_) => "node: unknown operation".into(),
			Malformed::UnknownDtype(_) => "node: unknown element type".into(),
			Malformed::TooManyParts(_) => "node: too many parts".into(),
			_ => "node: malformed".into(),
		})
	}
}

impl codec::DecodeWithMemTracking for Node {}

fn node<I: Input>(input: &mut I) -> Result<Node, Malformed> {
	let i = input;
	Ok(match byte(i)? {
		0 => Node::Input { dtype: dtype(i)?, rows: word(i)?, cols: word(i)? },
		1 => Node::Const { dtype: dtype(i)?, rows: word(i)?, cols: word(i)?, root: hash(i)? },
		2 => Node::Fill { rows: word(i)?, cols: word(i)?, seed: hash(i)? },
		3 => Node::MatmulT { a: word(i)?, b: word(i)? },
		4 => Node::Requant { x: word(i)?, bias: word(i)?, mult: word(i)?, shift: byte(i)? },
		5 => Node::Lut { x: word(i)?, table: word(i)? },
		6 => Node::Add { a: word(i)?, b: word(i)? },
		7 => Node::Widen { x: word(i)?, mult: word(i)? },
		8 => Node::RowSoftmax { x: word(i)?, table: word(i)?, mult: word(i)?, shift: byte(i)? },
		9 => Node::RowNorm { x: word(i)?, gain: word(i)?, bias: word(i)?, shift: byte(i)? },
		10 => Node::Gather { table: word(i)?, index: word(i)? },
		11 => Node::Transpose { x: word(i)? },
		12 => Node::SliceCols { x: word(i)?, start: word(i)?, len: word(i)? },
		13 => Node::ConcatCols { parts: parts(i)? },
		14 => Node::SliceRows { x: word(i)?, start: word(i)?, len: word(i)? },
		15 => Node::ConcatRows { parts: parts(i)? },
		16 => Node::RowArgmax { x: word(i)? },
		17 => Node::Mul { a: word(i)?, b: word(i)? },
		18 => Node::RowRms { x: word(i)?, gain: word(i)?, shift: byte(i)? },
		19 => Node::RowAbsmax { x: word(i)? },
		20 => Node::RowQuant { x: word(i)? },
		21 => Node::RowScale { x: word(i)?, scale: word(i)?, shift: byte(i)? },
		22 => Node::ColScale { x: word(i)?, mult: word(i)?, shift: byte(i)? },
		other => return Err(Malformed::UnknownOp(other)),
	})
}

fn array<const N: usize, I: Input>(input: &mut I) -> Result<[u8; N], Malformed> {
	let mut bytes = [0; N];
	input.read(&mut bytes).map_err(|_| Malformed::Truncated)?;
	Ok(bytes)
}

fn byte<I: Input>(input: &mut I) -> Result<u8, Malformed> {
	array::<1, I>(input).map(|[b]| b)
}

fn word<I: Input>(input: &mut I) -> Result<u32, Malformed> {
	array(input).map(u32::from_le_bytes)
}

fn hash<I: Input>(input: &mut I) -> Result<[u8; 32], Malformed> {
	array(input)
}

fn dtype<I: Input>(input: &mut I) -> Result<Dtype, Malformed> {
	match byte(input)? {
		0 => Ok(Dtype::I8),
		1 => Ok(Dtype::I32),
		other => Err(Malformed::UnknownDtype(other)),
	}
}

fn parts<I: Input>(input: &mut I) -> Result<Vec<u32>, Malformed> {
	let count = compact(input)?;
	if count as usize > MAX_PARTS {
		return Err(Malformed::TooManyParts(count));
	}
	(0..count).map(|_| word(input)).collect()
}

/// A compact length; the codec accepts only the shortest form, and no more than 32 bits.
fn compact<I: Input>(input: &mut I) -> Result<u32, Malformed> {
	Compact::<u32>::decode(input).map(|length| length.0).map_err(|_| Malformed::Compact)
}
