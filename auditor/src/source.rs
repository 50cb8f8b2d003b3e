//! Where an audit has its data from: somebody's data plane, a worker's committed trace fetched as it is
//! asked for, or a trace in memory.

use crate::{
	lanes::Lanes,
	pace::Pace,
	turns::{Claimant, Turn, Turns},
	watch::{Lacking, Over, Watch},
};
use assay_compute::{
	audit::{OpenRow, TraceSource},
	proof::demand::TraceHolder,
	Root, RowTree, Shape, Tensor, Trace,
};
use assay_data::{fetch::Retry, FetchError, Fetcher};
use std::{future::Future, sync::Arc, time::Duration};
use tokio::{runtime::Handle, time::Instant};

/// Where somebody's things are fetched from, and how patiently.
#[derive(Clone)]
pub struct Endpoint {
	pub fetcher: Fetcher,
	pub base: String,
	pub retry: Retry,
	pub lanes: Arc<Lanes>,
	pub deadline: Instant,
}

/// Why something was not to be had.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Missing {
	/// The last try failed.
	#[error("{0}")]
	Failed(FetchError),
	/// Time is up.
	#[error("{0}: the deadline has passed")]
	TooLate(String),
	/// The audit is given up.
	#[error("{0}")]
	Over(Over),
	/// There is no such node.
	#[error("there is no node {0}")]
	NoNode(u32),
	/// What was fetched is not to be read again.
	#[error("on disk: {0}")]
	Disk(String),
}

impl Missing {
	/// Whether that is this side's own doing, and says nothing of the other.
	pub fn is_ours(&self) -> bool {
		match self {
			Missing::Failed(error) => error.reason.is_ours(),
			Missing::Disk(_) => true,
			Missing::TooLate(_) | Missing::Over(_) | Missing::NoNode(_) => false,
		}
	}
}

impl Endpoint {
	/// Fetches with retries, at most until the deadline.
	pub async fn get<T, F: Future<Output = Result<T, FetchError>>>(
		&self,
		mut fetch: impl FnMut() -> F,
	) -> Result<T, Missing> {
		let in_lane = || {
			let fetch = fetch();
			async {
				let lane = self.lanes.enter().await;
				let found = fetch.await;
				if found.as_ref().is_err_and(|error| error.reason.is_busy()) {
					lane.close();
				}
				found
			}
		};
		self.retry.run(self.deadline, in_lane).await.map_err(|error| match error {
			Some(error) => Missing::Failed(error),
			None => Missing::TooLate(self.base.clone()),
		})
	}

	/// The same endpoint with a new deadline.
	pub fn again(&self, within: Duration) -> Self {
		Self { deadline: Instant::now() + within, ..self.clone() }
	}
}

/// How a [`RemoteTrace`] goes about fetching.
pub struct Fetching {
	/// Time for all that is fetched, from the first fetch.
	pub within: Duration,
	/// What it means if something is not to be had.
	pub lacking: Lacking,
	/// Whether the audit is still wanted.
	pub watch: Arc<Watch>,
	/// The right to compute. A replay that asks for a row has found the lie and only has to name its
	/// place: it must not keep others waiting for as long as a worker likes to take.
	pub pace: Arc<Pace>,
	/// Where it gets the right to fetch, and as whom.
	pub turns: Arc<Turns>,
	pub claimant: Claimant,
}

/// The trace behind one claim. Blocks: for threads outside the runtime only.
pub struct RemoteTrace {
	endpoint: Endpoint,
	roots: Vec<Root>,
	shapes: Vec<Shape>,
	fetching: Fetching,
	/// The right to fetch.
	turn: Option<Turn>,
	/// Whether something was not to be had.
	failed: bool,
	runtime: Handle,
}

impl RemoteTrace {
	/// `roots` and `shapes` of all nodes; call within the runtime.
	pub fn new(
		endpoint: Endpoint,
		roots: Vec<Root>,
		shapes: Vec<Shape>,
		fetching: Fetching,
	) -> Self {
		let runtime = Handle::current();
		Self { endpoint, roots, shapes, fetching, turn: None, failed: false, runtime }
	}

	/// Whether the worker did not give something that was asked of it here.
	pub fn has_failed(&self) -> bool {
		self.failed
	}

	fn committed(&self, node: u32) -> Result<(Root, Shape), Missing> {
		let at = node as usize;
		match (self.roots.get(at), self.shapes.get(at)) {
			(Some(root), Some(shape)) => Ok((*root, *shape)),
			_ => Err(Missing::NoNode(node)),
		}
	}

	/// Fetches, which ends the computing and begins the time to fetch.
	fn get<T, F: Future<Output = Result<T, FetchError>>>(
		&mut self,
		fetch: impl Fn(Fetcher, String) -> F,
	) -> Result<T, Missing> {
		let Self { endpoint, fetching, turn, runtime, .. } = self;
		fetching.pace.let_go();
		let get = async {
			if turn.is_none() {
				*turn = Some(fetching.turns.take(&fetching.claimant, 1).await);
				let time = fetching.watch.fetch_time(fetching.within, fetching.lacking);
				*endpoint = endpoint.again(time);
			}
			let Endpoint { fetcher, base, .. } = &*endpoint;
			endpoint.get(|| fetch(fetcher.clone(), base.clone())).await
		};
		let found = runtime.block_on(async {
			tokio::select! {
				over = fetching.watch.ended() => Err(Missing::Over(over)),
				found = get => found,
			}
		});
		self.failed |= found.is_err();
		found
	}
}

impl TraceSource for RemoteTrace {
	type Error = Missing;

	fn tensor_root(&mut self, node: u32) -> Result<Root, Missing> {
		self.committed(node).map(|(root, _)| root)
	}

	fn tensor(&mut self, node: u32) -> Result<Tensor, Missing> {
		let (root, shape) = self.committed(node)?;
		self.get(|fetcher, base| async move { fetcher.tensor(&base, &root, shape).await })
	}

	fn row(&mut self, node: u32, row: u32) -> Result<OpenRow, Missing> {
		let (root, shape) = self.committed(node)?;
		let found = self.get(|fetcher, base| async move {
			fetcher.row_with_path(&base, &root, shape, row).await
		})?;
		Ok(OpenRow { bytes: found.bytes, path: found.path })
	}
}

/// A trace in memory whose tensors have these roots.
pub struct HeldTrace<'a> {
	pub roots: &'a [Root],
	pub trace: &'a Trace,
}

impl HeldTrace<'_> {
	fn held(&self, node: u32) -> Result<&Tensor, Missing> {
		self.trace.tensors.get(node as usize).ok_or(Missing::NoNode(node))
	}
}

impl TraceSource for HeldTrace<'_> {
	type Error = Missing;

	fn tensor_root(&mut self, node: u32) -> Result<Root, Missing> {
		self.roots.get(node as usize).copied().ok_or(Missing::NoNode(node))
	}

	fn tensor(&mut self, node: u32) -> Result<Tensor, Missing> {
		self.held(node).cloned()
	}

	fn row(&mut self, node: u32, row: u32) -> Result<OpenRow, Missing> {
		let tensor = self.held(node)?;
		// Few rows are ever asked for: those of one proof.
		let path = RowTree::new(tensor).prove(row).ok_or(Missing::NoNode(node))?;
		Ok(OpenRow { bytes: tensor.row(row).to_vec(), path })
	}
}

impl TraceHolder for HeldTrace<'_> {
	fn tree(&mut self, node: u32) -> Result<Arc<RowTree>, Missing> {
		self.held(node).map(|tensor| Arc::new(RowTree::new(tensor)))
	}
}
