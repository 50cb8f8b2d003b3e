//! Everything that one task costs a worker and an auditor, measured in turns of which the best
//! counts.

use crate::{
	source::Counted,
	spot,
	task::{Sizes, Task},
};
use assay_compute::{
	audit::{projection, replay, Claim, Kept, Verdict},
	tensor_root, Commitment, Trace,
};
use std::time::Instant;

/// Least turns, and most; in between as many as make two seconds of execution.
const TURNS: (usize, usize) = (5, 200);
const EXECUTION: f64 = 2.0;
/// Repetitions within a turn.
const REPEATS: usize = 4;
/// Enough for the projections of all constants.
const KEPT_BYTES: usize = 64 << 20;

pub fn seconds<T>(work: impl FnOnce() -> T) -> (f64, T) {
	let start = Instant::now();
	let made = work();
	(start.elapsed().as_secs_f64(), made)
}

/// The best of a few, for what is short beside the execution of its turn.
fn quickest<T>(mut work: impl FnMut() -> T) -> (f64, T) {
	let (mut best, mut made) = seconds(&mut work);
	for _ in 1..REPEATS {
		let (time, again) = seconds(&mut work);
		best = best.min(time);
		made = again;
	}
	(best, made)
}

/// Turns for something of which one takes so long.
pub fn turns(one: f64) -> usize {
	((EXECUTION / one.max(1e-9)) as usize).clamp(TURNS.0, TURNS.1)
}

/// Seconds.
#[derive(Clone, Copy, Debug)]
pub struct Times {
	pub execution: f64,
	/// Hashing every tensor but the constants, whose roots are known.
	pub commitment: f64,
	/// Hashing the output alone.
	pub output: f64,
	/// Hashing the constants, once for all tasks.
	pub constants: f64,
	/// Projection of a trace that was hashed before.
	pub projection: f64,
	/// The same with projections of constants kept from an earlier audit.
	pub kept: f64,
	/// Executing again, hashing, and comparing roots.
	pub replay: f64,
	/// A spot audit of the default depth.
	pub spot: f64,
}

impl Times {
	const NONE: Times = Times {
		execution: f64::MAX,
		commitment: f64::MAX,
		output: f64::MAX,
		constants: f64::MAX,
		projection: f64::MAX,
		kept: f64::MAX,
		replay: f64::MAX,
		spot: f64::MAX,
	};

	fn best(self, other: Times) -> Times {
		Times {
			execution: self.execution.min(other.execution),
			commitment: self.commitment.min(other.commitment),
			output: self.output.min(other.output),
			constants: self.constants.min(other.constants),
			projection: self.projection.min(other.projection),
			kept: self.kept.min(other.kept),
			replay: self.replay.min(other.replay),
			spot: self.spot.min(other.spot),
		}
	}
}

/// What one audit costs: computation ÷ execution, and bytes moved ÷ the job's own inputs, constants
/// and output.
#[derive(Clone, Copy, Debug)]
pub struct Audit {
	pub compute: f64,
	pub bytes: f64,
}

/// The audits of one task, for an auditor that holds the constants from an earlier one or has yet
/// to fetch and hash them.
#[derive(Clone, Copy, Debug)]
pub struct Audits {
	pub held: Audit,
	pub fresh: Audit,
}

/// A measured task.
pub struct Measured {
	pub name: String,
	pub times: Times,
	pub sizes: Sizes,
	/// Bytes that a spot audit of the default depth moved, at most.
	pub spot_bytes: f64,
	pub source: Counted,
	pub claim: Claim,
}

impl Measured {
	/// Hashing what was fetched, then projecting.
	pub fn projection(&self) -> Audits {
		let Times { commitment, projection, constants, .. } = self.times;
		let Sizes { trace, consts, roots, .. } = self.sizes;
		self.audits(commitment + projection, constants, trace - consts + roots, consts)
	}

	/// Executing again from inputs and constants. Moves the roots of all tensors beside them.
	///
	/// The work is that of execution and commitment, so the slower of both measurements counts: on a
	/// busy machine a replay may happen to look faster than the execution that it repeats.
	pub fn replay(&self) -> Audits {
		let Times { execution, commitment, replay, .. } = self.times;
		let time = replay.max(execution + commitment);
		let Sizes { inputs, consts, roots, .. } = self.sizes;
		self.audits(time, self.times.constants, inputs + roots, consts)
	}

	/// A few rows, those of constants among them, whoever holds them.
	pub fn spot(&self) -> Audits {
		self.audits(self.times.spot, 0.0, self.spot_bytes, 0.0)
	}

	fn audits(&self, time: f64, hashing: f64, bytes: f64, consts: f64) -> Audits {
		let audit = |time, bytes| Audit {
			compute: time / self.times.execution,
			bytes: bytes / self.sizes.own,
		};
		Audits { held: audit(time, bytes), fresh: audit(time + hashing, bytes + consts) }
	}

	/// Executing and committing ÷ executing.
	pub fn committed(&self) -> f64 {
		(self.times.execution + self.times.commitment) / self.times.execution
	}
}

/// Measures a task, all in turns.
pub fn measure(task: &Task) -> Result<Measured, String> {
	let (first, trace) = execute(task)?;
	let mut source = Counted::new(&trace);
	drop(trace);
	let commitment = Commitment::new(source.roots(task.program.len())?);
	let claim = task.claim(&commitment);
	let (mut best, mut spot_bytes) = (Times::NONE, 0);
	let mut keep = Kept::new(KEPT_BYTES, u32::MAX);
	for turn in 0..turns(first) {
		let times = one_turn(task, &commitment, &claim, &mut source, &mut keep, turn)?;
		best = best.best(times);
		spot_bytes = spot_bytes.max(source.bytes);
	}
	let (name, sizes) = (task.name.clone(), task.sizes());
	Ok(Measured { name, times: best, sizes, spot_bytes: spot_bytes as f64, source, claim })
}

pub fn execute(task: &Task) -> Result<(f64, Trace), String> {
	let prepared = task.prepare()?;
	let (time, trace) = seconds(|| prepared.execute(task.inputs.clone(), &mut ()));
	Ok((time, trace.map_err(|error| format!("{}: {error}", task.name))?))
}

/// Leaves in `source` what the spot audit fetched.
fn one_turn(
	task: &Task,
	committed: &Commitment,
	claim: &Claim,
	source: &mut Counted,
	keep: &mut Kept,
	turn: usize,
) -> Result<Times, String> {
	let (constants, prepared) = seconds(|| task.prepare());
	let prepared = prepared?;
	let (execution, trace) = seconds(|| prepared.execute(task.inputs.clone(), &mut ()));
	let trace = trace.map_err(|error| format!("{}: {error}", task.name))?;
	let (output, _) = quickest(|| trace.output().map(tensor_root));
	let (commitment, made) = quickest(|| trace.commit_executed(&task.program));
	if made != *committed {
		return Err(format!("{}: two executions differ", task.name));
	}
	let secret = [turn as u8; 32];
	let roots = &made.tensor_roots;
	let (projection, verdict) =
		quickest(|| projection::audit_verified(&task.program, claim, &trace, roots, &secret));
	let valid = |depth: &str, verdict: Verdict| match verdict {
		Verdict::Valid => Ok(()),
		other => Err(format!("{}: {depth} of honest work says {other:?}", task.name)),
	};
	valid("a projection", verdict)?;
	let (kept, verdict) = quickest(|| {
		let (program, roots) = (&task.program, &made.tensor_roots);
		projection::audit_kept(program, claim, &trace, roots, &secret, keep, &mut ())
	});
	valid("a projection with kept weights", verdict)?;
	drop(trace);
	let (replay, verdict) =
		seconds(|| replay::audit_prepared(&prepared, claim, task.inputs.clone(), source));
	valid("a replay", verdict)?;
	let spot = spot::turn(task, claim, spot::DEFAULT, turn, source)?;
	Ok(Times { execution, commitment, output, constants, projection, kept, replay, spot })
}
