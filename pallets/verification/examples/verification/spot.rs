//! Spot audits.

use crate::{measure::seconds, source::Counted, task::Task};
use assay_compute::audit::{
	spot::{self, Depth},
	Claim, Verdict,
};

/// What an auditor looks at unless it is told otherwise (`[spot]` of its configuration).
pub const DEFAULT: Depth = Depth { rows: 2, cols: 4 };
/// The deepest that a spot audit is meant to go.
pub const DEEP: Depth = Depth { rows: 32, cols: 4 };

/// One turn: seconds, and in `source` what it fetched.
pub fn turn(
	task: &Task,
	claim: &Claim,
	depth: Depth,
	turn: usize,
	source: &mut Counted,
) -> Result<f64, String> {
	source.reset();
	let secret = [turn as u8; 32];
	let (time, verdict) = seconds(|| spot::audit(&task.program, claim, depth, &secret, source));
	match verdict {
		Verdict::Valid => Ok(time),
		other => Err(format!("{}: a spot audit of honest work says {other:?}", task.name)),
	}
}
