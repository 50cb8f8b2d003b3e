//! How tasks and depths are named.

use assay_primitives::work::{Depth, TaskId};
use clap::ValueEnum;
use std::str::FromStr;

/// A task as `JOB:INDEX`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskName(pub TaskId);

impl FromStr for TaskName {
	type Err = String;

	fn from_str(text: &str) -> Result<Self, String> {
		let parts = text.split_once([':', '/']);
		let id = parts.and_then(|(job, index)| {
			Some(TaskId { job: job.parse().ok()?, index: index.parse().ok()? })
		});
		id.map(Self).ok_or_else(|| "expected JOB:INDEX, for example 3:0".into())
	}
}

/// Depths of audits.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum DepthName {
	/// Every product by a random projection, everything else again: finds any wrong element
	Projection,
	/// All of it again: finds any wrong element, and moves less data
	Replay,
	/// A few random rows: finds skipped work, not one wrong element
	Spot,
}

impl From<DepthName> for Depth {
	fn from(depth: DepthName) -> Self {
		match depth {
			DepthName::Projection => Self::Projection,
			DepthName::Replay => Self::Replay,
			DepthName::Spot => Self::Spot,
		}
	}
}

#[cfg(test)]
mod tests {
	use super::*;

	#[test]
	fn tasks_have_names() {
		let named = |text: &str| text.parse::<TaskName>().map(|TaskName(id)| (id.job, id.index));
		assert_eq!(named("3:0"), Ok((3, 0)));
		assert_eq!(named("3/17"), Ok((3, 17)));
		for wrong in ["", "3", "3:", ":0", "a:b", "3:-1", "3:0:1"] {
			assert!(named(wrong).is_err(), "{wrong}");
		}
	}
}
