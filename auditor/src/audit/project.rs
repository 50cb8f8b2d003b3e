//! Projection of the trace that a worker serves, in memory for some rows of it.

use super::{
	found::{found, Found},
	served::Served,
	size::MIB,
	Auditing, Stop, Work,
};
use crate::{
	pace::Pace,
	spool::{Plan, SpoolTrace, Supply},
	turns::Turn,
};
use assay_compute::audit::stream;
use rand::{rngs::OsRng, RngCore};
use std::sync::Arc;

/// Most of the disk that one audit of more has, if that is enough for it: others have their part.
const SHARE: u64 = 4;

impl Auditing {
	/// Checks a whole committed trace, of which those tensors are on disk that are needed next.
	pub(super) async fn project(
		&self,
		work: &mut Work,
		served: Served<'_>,
		memory: Turn,
	) -> Result<Found, Stop> {
		let Served { subject, claim, roots, worker, buyer, lacking } = served;
		let program = subject.program.clone();
		let plan = Plan::new(&program, &roots);
		let (total, least, allowed) =
			(plan.total(|_| false), plan.least(), self.config.spool_bytes);
		if least > allowed {
			let why = format!("it takes {least} bytes of disk, {allowed} are set aside");
			return Err(Stop::Refused(why));
		}
		let budget = total.min(least.max(allowed / SHARE));
		// After the memory, which all take in this order.
		let disk = work.turn(&self.disk, budget.div_ceil(MIB)).await;
		let pace = Pace::idle(
			work.watch.clone(),
			self.computing.clone(),
			work.claimant.clone(),
			self.config.slice,
		);
		let pace = Arc::new(pace);
		let supply = Supply {
			worker,
			buyer,
			lacking,
			within: self.config.fetch_time,
			rate: self.config.fetch_rate,
			parallel: self.config.parallel_fetches,
			spool: self.spool.clone(),
			budget,
			tables: self.tables.clone(),
			projections: self.projections.clone(),
			watch: work.watch.clone(),
			pace: pace.clone(),
			turns: self.fetching.clone(),
			claimant: work.claimant.clone(),
		};
		let mut source = SpoolTrace::new(supply, plan, roots);
		let (limits, projections) = (self.config.stream, self.projections.clone());
		self.compute((memory, disk), pace, move || {
			// Of what is kept of it nobody ever learns anything but verdicts.
			let mut secret = zeroize::Zeroizing::new([0; 32]);
			OsRng.try_fill_bytes(&mut *secret).map_err(|error| error.to_string())?;
			let (mut keep, mut progress) = (&*projections, source.progress());
			let verdict = stream::audit_with(
				&program,
				&claim,
				&secret,
				&mut source,
				limits,
				&mut keep,
				&mut progress,
			);
			match found(&program, &claim, verdict, &mut source)? {
				// What came is the worker's trace: what else is wanting is this machine's.
				Found::Unavailable(why) => {
					Err(source.take_failure().map_or(Stop::Refused(why), Stop::from))
				}
				found => Ok(found),
			}
		})
		.await
	}
}
