//! What a custodian does: has an output on its own disk, and vouches for it only then.

use super::{found::Found, Auditing, Stop, Work};
use crate::{
	custody::{Custody, CustodyError, Named, Writing},
	source::{Endpoint, Missing},
};
use assay_compute::{Root, Shape, ValidProgram};
use assay_data::{fetch::Reason, FetchError};
use assay_primitives::auditor::AuditRequest;
use std::{
	future::Future,
	sync::{
		atomic::{AtomicU64, Ordering::Relaxed},
		Arc,
	},
	time::{Duration, Instant},
};

/// Bytes of an output that are held before they are written.
const BATCH: usize = 256 << 10;

/// What is to be kept, where, and for how long.
pub(super) struct Hold {
	custody: Arc<Custody>,
	named: Named,
	lasts: Duration,
}

impl From<CustodyError> for Stop {
	fn from(error: CustodyError) -> Self {
		Stop::Refused(error.to_string())
	}
}

impl Auditing {
	/// What a request wants kept.
	pub(super) fn to_hold(&self, request: &AuditRequest) -> Result<Hold, Stop> {
		let custody = self.custody.clone();
		let custody = custody.ok_or_else(|| Stop::Refused("nothing is kept here".into()))?;
		let claim = &request.audit.claim;
		let named = Named { output: claim.commitment.output_root.0, program: claim.program.0 };
		Ok(Hold { custody, named, lasts: self.keep_for(request) })
	}

	/// Fetches an output from the worker, unless it is there, and keeps it.
	pub(super) async fn hold(
		&self,
		work: &mut Work,
		worker: Option<Endpoint>,
		hold: Hold,
		program: &ValidProgram,
	) -> Result<Found, Stop> {
		let Hold { custody, named, lasts } = hold;
		let (shape, bytes) = (program.output_shape(), program.encode());
		let place = custody.reserve(named, shape, bytes.len() as u64).await?;
		if !custody.has(named.output).await? {
			let Some(worker) = worker else {
				return Err(Stop::Unavailable("there is no worker to ask".into()));
			};
			let (_turn, worker) = self.turn_to_fetch(work, worker, shape).await;
			let written = fetch(&custody, &worker, named.output, shape).await?;
			if !written.finish().await? {
				return Err(Stop::Refused("what was fetched is not what was written".into()));
			}
		}
		custody.keep(place, Some(bytes), lasts).await?;
		Ok(Found::Right)
	}
}

impl Hold {
	/// Keeps for longer what is kept already. Whether it is.
	pub async fn again(&self) -> Result<bool, Stop> {
		let Self { custody, named, lasts } = self;
		let Some(place) = custody.present(*named).await? else { return Ok(false) };
		custody.keep(place, None, *lasts).await?;
		Ok(true)
	}
}

/// Fetches an output, hashed as it arrives and written as it comes. Where this machine's disk took most
/// of the time, too little of it says nothing of the worker.
async fn fetch(
	custody: &Arc<Custody>,
	worker: &Endpoint,
	output: Root,
	shape: Shape,
) -> Result<Writing, Stop> {
	let (begun, disk) = (Instant::now(), AtomicU64::new(0));
	let fetched = worker.get(|| into(custody, worker, output, shape, &disk)).await;
	fetched.map_err(|missing| match missing {
		Missing::Failed(_) | Missing::TooLate(_) if is_most(&disk, begun.elapsed()) => {
			Stop::Refused(format!("the disk is too slow: {missing}"))
		}
		missing => missing.into(),
	})
}

/// One try.
async fn into(
	custody: &Arc<Custody>,
	worker: &Endpoint,
	output: Root,
	shape: Shape,
	disk: &AtomicU64,
) -> Result<Writing, FetchError> {
	let mut pieces = worker.fetcher.tensor_pieces(&worker.base, &output, shape).await?;
	let begun = timed(disk, custody.begin(output, shape)).await;
	let mut writing = begun.map_err(|reason| pieces.error(reason))?;
	let mut batch = Vec::with_capacity(BATCH);
	while let Some(piece) = pieces.next().await? {
		batch.extend_from_slice(&piece);
		if batch.len() >= BATCH {
			let full = std::mem::replace(&mut batch, Vec::with_capacity(BATCH));
			let pushed = timed(disk, writing.push(full)).await;
			writing = pushed.map_err(|reason| pieces.error(reason))?;
		}
	}
	timed(disk, writing.push(batch)).await.map_err(|reason| pieces.error(reason))
}

/// Adds the time that the disk takes.
async fn timed<T>(
	micros: &AtomicU64,
	work: impl Future<Output = Result<T, Reason>>,
) -> Result<T, Reason> {
	/// Counts also if the deadline comes before the disk is done.
	struct Timer<'t>(&'t AtomicU64, Instant);
	impl Drop for Timer<'_> {
		fn drop(&mut self) {
			let took = u64::try_from(self.1.elapsed().as_micros()).unwrap_or(u64::MAX);
			self.0.fetch_add(took, Relaxed);
		}
	}
	let _timer = Timer(micros, Instant::now());
	work.await
}

/// Whether so many microseconds are more than half of a time.
fn is_most(micros: &AtomicU64, of: Duration) -> bool {
	Duration::from_micros(micros.load(Relaxed)) > of / 2
}
