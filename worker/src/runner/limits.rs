//! How large a task this machine takes on.

use assay_compute::Costs;

/// Greatest costs of one task.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
	/// Bytes of its trace, which is held in memory.
	pub trace_bytes: u64,
	/// Multiply–accumulates.
	pub macs: u128,
	/// Elements of other operations.
	pub elements: u128,
}

/// A task that costs too much.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the program takes {cost} {what}, at most {limit} are taken on ({key})")]
pub struct Exceeded {
	/// What it takes too much of.
	pub what: &'static str,
	/// How much it takes.
	pub cost: u128,
	/// How much is allowed.
	pub limit: u128,
	/// The setting.
	pub key: &'static str,
}

impl Limits {
	/// Checks a program's costs.
	pub fn check(&self, costs: &Costs) -> Result<(), Exceeded> {
		let figures = [
			("bytes of trace", costs.trace_bytes, self.trace_bytes.into(), "max_trace_bytes"),
			("multiply-accumulates", costs.macs, self.macs, "max_macs"),
			("elements", costs.elements, self.elements, "max_elements"),
		];
		match figures.into_iter().find(|(_, cost, limit, _)| cost > limit) {
			Some((what, cost, limit, key)) => Err(Exceeded { what, cost, limit, key }),
			None => Ok(()),
		}
	}
}
