//! What an audit concludes.

use crate::exec::ExecError;
use alloc::{
	format,
	string::{String, ToString},
};
use codec::{Decode, Encode, MaxEncodedLen};

/// The place of the first lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Encode, Decode, MaxEncodedLen)]
pub struct Fault {
	/// The node at fault.
	pub node: u32,
	/// Row of its first wrong element; 0 unless the kind is [`FaultKind::Element`].
	pub row: u32,
	/// Column of that element; 0 unless the kind is [`FaultKind::Element`].
	pub col: u32,
	/// What is wrong.
	pub kind: FaultKind,
}

/// What is wrong at the place of a fault, and so what proves it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Encode, Decode, MaxEncodedLen)]
pub enum FaultKind {
	/// An element differs from the exact result of its committed operands.
	#[codec(index = 0)]
	Element,
	/// The committed root of an input or const is not the declared one.
	#[codec(index = 1)]
	Root,
	/// The claimed output root is not the committed root of the last node.
	#[codec(index = 2)]
	Output,
}

/// The outcome of an audit.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub enum Verdict {
	/// Nothing wrong was found (at the depth of the audit).
	#[codec(index = 0)]
	Valid,
	/// A lie, and its place: everything needed to prove it.
	#[codec(index = 1)]
	Invalid(Fault),
	/// The audit could not be carried out, and why. Not a lie by itself.
	#[codec(index = 2)]
	Unavailable(String),
}

impl Fault {
	pub(super) fn element(node: u32, row: u32, col: u32) -> Self {
		Fault { node, row, col, kind: FaultKind::Element }
	}

	pub(super) fn root(node: u32) -> Self {
		Fault { node, row: 0, col: 0, kind: FaultKind::Root }
	}

	pub(super) fn output(node: u32) -> Self {
		Fault { node, row: 0, col: 0, kind: FaultKind::Output }
	}
}

impl core::fmt::Display for Fault {
	fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
		let Fault { node, row, col, .. } = self;
		match self.kind {
			FaultKind::Element => write!(f, "node {node}: element ({row}, {col}) is wrong"),
			FaultKind::Root => write!(f, "node {node}: committed root is not the declared one"),
			FaultKind::Output => {
				write!(f, "the claimed output is not the committed result of node {node}")
			}
		}
	}
}

/// Why an audit stops before its end: with a lie, or for want of something.
pub(super) enum Stop {
	Fault(Fault),
	Unavailable(String),
}

impl Stop {
	pub(super) fn no_node(node: u32) -> Self {
		Stop::Unavailable(format!("there is no node {node}"))
	}

	/// A node's data could not be had, or are not the committed ones.
	pub(super) fn no_data(node: u32, why: &dyn core::fmt::Display) -> Self {
		Stop::Unavailable(format!("node {node}: {why}"))
	}

	pub(super) fn stopped(node: u32) -> Self {
		Stop::Unavailable(ExecError::Stopped { node }.to_string())
	}
}

impl core::fmt::Display for Stop {
	fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
		match self {
			Stop::Fault(fault) => fault.fmt(f),
			Stop::Unavailable(why) => f.write_str(why),
		}
	}
}

impl From<Result<(), Stop>> for Verdict {
	fn from(outcome: Result<(), Stop>) -> Self {
		match outcome {
			Ok(()) => Verdict::Valid,
			Err(Stop::Fault(fault)) => Verdict::Invalid(fault),
			Err(Stop::Unavailable(why)) => Verdict::Unavailable(why),
		}
	}
}
