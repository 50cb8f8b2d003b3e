//! What `assay audit task` prints.

use super::named;
use crate::output::facts;
use assay_compute::audit::Fault;
use assay_primitives::{
	demand::Wanted,
	work::{Depth, TaskId},
};
use serde::Serialize;

/// What came of a look.
#[derive(Serialize)]
pub struct Report {
	job: u64,
	index: u32,
	depth: Depth,
	/// `right`, `wrong`, `owed` or `unavailable`.
	pub finding: &'static str,
	#[serde(skip_serializing_if = "Option::is_none")]
	fault: Option<String>,
	#[serde(skip_serializing_if = "Option::is_none")]
	node: Option<u32>,
	#[serde(skip_serializing_if = "Option::is_none")]
	row: Option<u32>,
	#[serde(skip_serializing_if = "Option::is_none")]
	col: Option<u32>,
	#[serde(skip_serializing_if = "Option::is_none")]
	proof_bytes: Option<usize>,
	/// What the provider has to open on the chain, if it is owed.
	#[serde(skip_serializing_if = "Option::is_none")]
	pub wanted: Option<Wanted>,
	/// What the chain made of the report, if one was made.
	#[serde(skip_serializing_if = "Option::is_none")]
	pub reported: Option<&'static str>,
}

impl Report {
	/// Nothing is found yet.
	pub fn new(task: TaskId, depth: Depth) -> Self {
		Self {
			job: task.job,
			index: task.index,
			depth,
			finding: "right",
			fault: None,
			node: None,
			row: None,
			col: None,
			proof_bytes: None,
			wanted: None,
			reported: None,
		}
	}

	/// It is wrong here, with a proof of so many bytes.
	pub fn wrong(&mut self, fault: &Fault, proof_bytes: usize) {
		self.finding = "wrong";
		self.fault = Some(fault.to_string());
		self.node = Some(fault.node);
		self.row = Some(fault.row);
		self.col = Some(fault.col);
		self.proof_bytes = Some(proof_bytes);
	}

	/// The same for people.
	pub fn human(&self) -> String {
		let mut lines = vec![
			("task", format!("{} of job {}", self.index, self.job)),
			("finding", self.finding.to_owned()),
		];
		lines.extend(self.wanted.map(|wanted| ("wanted", named(&wanted))));
		lines.extend(self.fault.clone().map(|fault| ("fault", fault)));
		lines.extend(self.proof_bytes.map(|bytes| ("proof", format!("{bytes} bytes"))));
		lines.extend(self.reported.map(|what| ("report", what.to_owned())));
		facts(lines)
	}
}
