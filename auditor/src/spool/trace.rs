//! A committed trace of which those tensors are on disk that are needed next.

use super::{plan::Slot, Plan, Spool, Spooled};
use crate::{
	pace::Pace,
	source::{Endpoint, Missing},
	turns::{Claimant, Turns},
	watch::{Lacking, Over, Watch},
};
use assay_compute::{
	audit::{
		stream::{RowBytes, RowStreams},
		Kept, OpenRow, TraceSource,
	},
	GroupTree, Observer, Root, Shape, Tensor,
};
use assay_data::lru::ByteLru;
use futures::{stream, StreamExt};
use std::{
	collections::{BTreeMap, BTreeSet},
	fs::File,
	io::{self, Read},
	sync::{
		atomic::{AtomicU32, Ordering::Relaxed},
		Arc, Mutex, MutexGuard, PoisonError,
	},
	time::Duration,
};
use tokio::{runtime::Handle, time::Instant};

/// Constants on disk that are read in every audit of a model.
pub type Tables = Arc<Mutex<ByteLru<(Root, Shape), Arc<Spooled>>>>;

/// Where a trace is had from, and how.
pub struct Supply {
	pub worker: Endpoint,
	/// Who has to serve the constants as well.
	pub buyer: Option<Endpoint>,
	/// What it means if something is not to be had.
	pub lacking: Lacking,
	/// Time for all that is fetched, beside that for its bytes, of which so many are moved in a second.
	pub within: Duration,
	pub rate: u64,
	/// Fetches at a time.
	pub parallel: usize,
	pub spool: Spool,
	/// Bytes that are on disk at a time.
	pub budget: u64,
	pub tables: Tables,
	/// Weights with one of these are not fetched.
	pub projections: Arc<Mutex<Kept>>,
	pub watch: Arc<Watch>,
	/// The right to compute, which is not held while anything is fetched.
	pub pace: Arc<Pace>,
	/// Where it gets the right to fetch, and as whom.
	pub turns: Arc<Turns>,
	pub claimant: Claimant,
}

/// The trace behind one claim, read node by node. Blocks: for threads outside the runtime only.
pub struct SpoolTrace {
	supply: Supply,
	plan: Plan,
	roots: Vec<Root>,
	held: BTreeMap<Slot, Arc<Spooled>>,
	/// The first node that is not known to be right.
	at: Arc<AtomicU32>,
	/// Time that is left to fetch in.
	left: Option<Duration>,
	/// What rows were opened with last.
	tree: Option<(Slot, GroupTree)>,
	failed: Option<Missing>,
	runtime: Handle,
}

/// One tensor, read from its beginning.
pub struct SpoolRows {
	file: File,
	pace: Arc<Pace>,
}

/// Tells a trace how far its audit has come, and the audit whether to go on.
pub struct Progress {
	at: Arc<AtomicU32>,
	pace: Arc<Pace>,
}

type Files = Vec<(Slot, Arc<Spooled>)>;

impl SpoolTrace {
	/// The trace of `plan` with these roots; call within the runtime.
	pub fn new(supply: Supply, plan: Plan, roots: Vec<Root>) -> Self {
		Self {
			supply,
			plan,
			roots,
			held: BTreeMap::new(),
			at: Arc::default(),
			left: None,
			tree: None,
			failed: None,
			runtime: Handle::current(),
		}
	}

	/// The audit's observer.
	pub fn progress(&self) -> Progress {
		Progress { at: self.at.clone(), pace: self.supply.pace.clone() }
	}

	/// Why something was not to be had, if that was so.
	pub fn take_failure(&mut self) -> Option<Missing> {
		self.failed.take()
	}

	fn file(&mut self, node: u32) -> Result<(Slot, Arc<Spooled>), Missing> {
		let slot = self.plan.slot(node).ok_or(Missing::NoNode(node))?;
		if !self.held.contains_key(&slot) {
			self.fill(slot)?;
		}
		let file = self.held.get(&slot).ok_or(Missing::NoNode(node))?;
		Ok((slot, file.clone()))
	}

	/// Has this tensor on disk, those that the same node needs, and as many of the next ones as there
	/// is room for.
	fn fill(&mut self, wanted: Slot) -> Result<(), Missing> {
		let filled = self.try_fill(wanted);
		filled.inspect_err(|missing| self.failed = Some(missing.clone()))
	}

	fn try_fill(&mut self, wanted: Slot) -> Result<(), Missing> {
		let held: BTreeSet<Slot> = self.held.keys().copied().collect();
		let (at, budget) = (self.at.load(Relaxed), self.supply.budget);
		let has = |slot| self.has_projection(slot);
		let change = self.plan.change(at, wanted, &held, budget, has);
		for slot in change.drop {
			self.held.remove(&slot);
		}
		let mut missing = Vec::new();
		for slot in change.fetch {
			match self.kept_table(slot) {
				Some(file) => drop(self.held.insert(slot, file)),
				None => missing.push(slot),
			}
		}
		if !missing.is_empty() {
			self.supply.pace.let_go();
			let (runtime, watch) = (self.runtime.clone(), self.supply.watch.clone());
			let fetched = runtime.block_on(async {
				tokio::select! {
					over = watch.ended() => Err(Missing::Over(over)),
					fetched = self.fetch(missing) => fetched,
				}
			})?;
			for (slot, file) in fetched {
				self.keep_table(slot, &file);
				self.held.insert(slot, file);
			}
		}
		match self.supply.pace.resume() {
			true => Ok(()),
			false => Err(Missing::Over(self.supply.watch.over().unwrap_or(Over::Stopped))),
		}
	}

	/// Fetches from the worker, and what it lacks of the constants from the buyer.
	async fn fetch(&mut self, slots: Vec<Slot>) -> Result<Files, Missing> {
		let Supply { watch, turns, claimant, within, lacking, .. } = &self.supply;
		watch.set_waiting(true);
		let _turn = turns.take(claimant, 1).await;
		watch.set_waiting(false);
		// One time for the whole trace: a worker does not earn more of it by being slow.
		let left = match self.left {
			Some(left) => left,
			None => {
				let had = |slot| self.has_projection(slot) || self.kept_table(slot).is_some();
				let time = within.saturating_add(self.moving(self.plan.total(had)));
				watch.fetch_time(time, *lacking)
			}
		};
		let begun = Instant::now();
		let fetched = self.fetch_from(&self.supply.worker.again(left), slots).await;
		self.left = Some(left.saturating_sub(begun.elapsed()));
		let (mut files, lacks) = fetched?;
		let Some(buyer) = self.supply.buyer.as_ref().filter(|_| !lacks.is_empty()) else {
			return Ok(files);
		};
		let bytes = lacks.iter().filter_map(|slot| self.plan.named(*slot));
		let bytes = bytes.map(|(_, shape)| shape.bytes()).fold(0, u64::saturating_add);
		let Supply { watch, within, lacking, .. } = &self.supply;
		let time = watch.fetch_time(within.saturating_add(self.moving(bytes)), *lacking);
		let buyer = buyer.again(time);
		let fetches = lacks.into_iter().map(|slot| self.fetch_one(&buyer, slot));
		let mut fetches = stream::iter(fetches).buffer_unordered(self.supply.parallel.max(1));
		while let Some((slot, fetched)) = fetches.next().await {
			files.push((slot, fetched?));
		}
		drop(fetches);
		Ok(files)
	}

	/// What a worker gives, and the constants that it does not, if there is a buyer.
	async fn fetch_from(
		&self,
		worker: &Endpoint,
		slots: Vec<Slot>,
	) -> Result<(Files, Vec<Slot>), Missing> {
		let fetches = slots.into_iter().map(|slot| self.fetch_one(worker, slot));
		let mut fetches = stream::iter(fetches).buffer_unordered(self.supply.parallel.max(1));
		let (mut files, mut lacks) = (Vec::new(), Vec::new());
		while let Some((slot, fetched)) = fetches.next().await {
			let from_buyer = self.supply.buyer.is_some() && self.plan.is_constant(slot);
			match fetched {
				Ok(file) => files.push((slot, file)),
				Err(missing) if from_buyer && !missing.is_ours() => lacks.push(slot),
				// The others are of no use then.
				Err(missing) => return Err(missing),
			}
		}
		Ok((files, lacks))
	}

	async fn fetch_one(
		&self,
		endpoint: &Endpoint,
		slot: Slot,
	) -> (Slot, Result<Arc<Spooled>, Missing>) {
		let Some((root, shape)) = self.plan.named(slot) else {
			return (slot, Err(Missing::NoNode(slot as u32)));
		};
		let Endpoint { fetcher, base, .. } = endpoint;
		let spool = &self.supply.spool;
		let fetch = || spool.fetch(fetcher.clone(), base.clone(), root, shape);
		(slot, endpoint.get(fetch).await)
	}

	/// Time that so many bytes take.
	fn moving(&self, bytes: u64) -> Duration {
		Duration::from_secs(bytes / self.supply.rate.max(1))
	}

	fn has_projection(&self, slot: Slot) -> bool {
		let named = self.plan.named(slot).filter(|_| self.plan.is_constant(slot));
		named.is_some_and(|(root, shape)| lock(&self.supply.projections).has(&root, shape))
	}

	fn kept_table(&self, slot: Slot) -> Option<Arc<Spooled>> {
		let named = self.plan.named(slot).filter(|_| self.plan.is_table(slot))?;
		lock(&self.supply.tables).get(&named)
	}

	fn keep_table(&self, slot: Slot, file: &Arc<Spooled>) {
		if let Some(named) = self.plan.named(slot).filter(|_| self.plan.is_table(slot)) {
			lock(&self.supply.tables).insert(named, file.clone(), file.bytes());
		}
	}

	fn root(&self, node: u32) -> Result<Root, Missing> {
		self.roots.get(node as usize).copied().ok_or(Missing::NoNode(node))
	}

	fn open(&mut self, node: u32, row: u32) -> Result<OpenRow, Missing> {
		let (slot, file) = self.file(node)?;
		let disk = |error: io::Error| Missing::Disk(error.to_string());
		if self.tree.as_ref().is_none_or(|(of, _)| *of != slot) {
			// One at a time.
			self.tree = None;
			self.tree = Some((slot, file.tree().map_err(disk)?));
		}
		let opened = match &self.tree {
			Some((_, tree)) => file.open(tree, row).map_err(disk)?,
			None => None,
		};
		opened.ok_or_else(|| Missing::Disk(format!("node {node} has no row {row}")))
	}
}

impl RowStreams for SpoolTrace {
	type Error = Missing;
	type Rows = SpoolRows;

	fn tensor_root(&mut self, node: u32) -> Result<Root, Missing> {
		self.root(node)
	}

	fn rows(&mut self, node: u32) -> Result<SpoolRows, Missing> {
		let (_, file) = self.file(node)?;
		let file = file.read().map_err(|error| Missing::Disk(error.to_string()))?;
		Ok(SpoolRows { file, pace: self.supply.pace.clone() })
	}

	fn row(&mut self, node: u32, row: u32) -> Result<OpenRow, Missing> {
		self.open(node, row)
	}
}

/// For the proof of what was found.
impl TraceSource for SpoolTrace {
	type Error = Missing;

	fn tensor_root(&mut self, node: u32) -> Result<Root, Missing> {
		self.root(node)
	}

	fn tensor(&mut self, _: u32) -> Result<Tensor, Missing> {
		Err(Missing::Disk("tensors are not held whole".into()))
	}

	fn row(&mut self, node: u32, row: u32) -> Result<OpenRow, Missing> {
		self.open(node, row)
	}
}

impl RowBytes for SpoolRows {
	type Error = Missing;

	fn read(&mut self, into: &mut [u8]) -> Result<usize, Missing> {
		// One node may take long: others have their turn, and the round may end.
		if !self.pace.go_on() {
			return Err(Missing::Over(Over::Stopped));
		}
		loop {
			match self.file.read(into) {
				Ok(read) => return Ok(read),
				Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
				Err(error) => return Err(Missing::Disk(error.to_string())),
			}
		}
	}
}

impl Observer for Progress {
	fn node_done(&mut self, node: u32, _: u32) -> bool {
		self.at.store(node.saturating_add(1), Relaxed);
		self.pace.go_on()
	}
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
	mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
