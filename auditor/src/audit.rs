//! One audit from request to reply.

use crate::{
	config::Config,
	lanes::Lanes,
	metrics::{Metrics, Queues},
	pace::{AtPace, Pace},
	source::{Endpoint, Fetching, HeldTrace, Missing, RemoteTrace},
	turns::{Claimant, Turn, Turns},
	watch::{Over, Watch},
};
use assay_compute::{
	audit::{self, projection, replay, spot, Fault, FaultKind, TraceSource},
	proof::{prove, CannotProve},
	Node, Root, Shape, Tensor, Trace, ValidProgram,
};
use assay_data::{lru::ByteLru, Fetcher, Policy};
use assay_primitives::{
	auditor::{AuditId, AuditReply, AuditRequest, Finding},
	work::{Depth, TaskId},
};
use codec::Encode;
use futures::{stream, StreamExt, TryStreamExt};
use rand::{rngs::OsRng, RngCore};
use rayon::ThreadPoolBuilder;
use std::{
	collections::{BTreeMap, HashMap, HashSet},
	sync::{Arc, Mutex, PoisonError},
	time::{Duration, Instant},
};
use tokio::task::spawn_blocking;

/// Memory of an audit that looks at a few rows.
const SPOT_BYTES: u64 = 128 * MIB;
/// Memory is handed out in mebibytes.
const MIB: u64 = 1 << 20;

/// Everything that audits share.
pub struct Auditing {
	pub config: Config,
	pub fetcher: Fetcher,
	pub metrics: Arc<Metrics>,
	/// Audits that fetch. None of them computes meanwhile.
	fetching: Arc<Turns>,
	/// Mebibytes for tensors.
	memory: Arc<Turns>,
	/// Audits that compute.
	computing: Arc<Turns>,
	/// Constants of earlier audits: models do not change from task to task.
	consts: Mutex<ByteLru<Root, Tensor>>,
}

/// Why an audit ends before it has checked everything.
enum Stop {
	/// A lie, and the proof of it.
	Fault(Fault, Vec<u8>),
	/// The worker does not give what it committed to.
	Unavailable(String),
	/// This machine cannot audit it.
	Refused(String),
	/// It is given up.
	Over(Over),
}

/// One audit at work.
struct Work {
	watch: Arc<Watch>,
	claimant: Claimant,
	/// How long it has waited for its turns to begin.
	waited: Duration,
}

impl Work {
	/// Waits for a turn.
	async fn turn(&mut self, turns: &Arc<Turns>, amount: u64) -> Turn {
		let begun = Instant::now();
		self.watch.set_waiting(true);
		let turn = turns.take(&self.claimant, amount).await;
		self.watch.set_waiting(false);
		self.waited += begun.elapsed();
		turn
	}
}

impl From<Missing> for Stop {
	fn from(missing: Missing) -> Self {
		match &missing {
			Missing::Failed(error) if error.reason.is_ours() => Stop::Refused(missing.to_string()),
			Missing::Over(over) => Stop::Over(*over),
			_ => Stop::Unavailable(missing.to_string()),
		}
	}
}

impl Auditing {
	pub fn new(config: Config) -> Self {
		// One bound on memory is enough.
		let policy = Policy {
			max_tensor_bytes: config.memory_bytes,
			// The turns to fetch share out what there is. An origin is whoever's it says it is: audits
			// of one provider must not wait for those of others that name the same.
			per_origin: config.fetching.saturating_mul(config.parallel_fetches),
			..config.fetch.clone()
		};
		Self {
			fetcher: Fetcher::new(policy),
			metrics: Default::default(),
			fetching: Turns::with_share(config.fetching as u64, config.fetching_each as u64),
			memory: Turns::new(config.memory_bytes / MIB),
			computing: Turns::new(config.computing as u64),
			consts: Mutex::new(ByteLru::new(config.const_cache_bytes)),
			config,
		}
	}

	/// What is under way, of which so many are `active`.
	pub fn queues(&self, active: usize) -> Queues {
		Queues {
			active: active as u64,
			waiting_to_fetch: self.fetching.waiting() as u64,
			waiting_for_memory: self.memory.waiting() as u64,
			waiting_to_compute: self.computing.waiting() as u64,
			fetching: self.fetching.held(),
			computing: self.computing.held(),
		}
	}

	/// Audits one task while its `watch` lasts. `None`: nobody wants to know any more.
	pub async fn run(&self, request: AuditRequest, watch: Arc<Watch>) -> Option<AuditReply> {
		let begun = Instant::now();
		let AuditRequest { audit, endpoint, deadline, .. } = request;
		let TaskId { job, index } = audit.task;
		let provider = audit.provider.as_slice().into();
		let claimant = Claimant { provider, deadline, cost: 0 };
		let mut work = Work { watch: watch.clone(), claimant, waited: Duration::ZERO };
		let outcome = tokio::select! {
			// What was given up meanwhile is given up, whatever it has come to.
			biased;
			over = watch.ended() => Err(Stop::Over(over)),
			outcome = self.audit(&mut work, audit, endpoint) => outcome,
		};
		let reply = match outcome {
			Ok(()) => AuditReply::Done(Finding::Right),
			Err(Stop::Fault(fault, proof)) => {
				let bytes = proof.len();
				tracing::info!(
					"task {index} of job {job} is wrong: {fault}, proved in {bytes} bytes"
				);
				AuditReply::Done(Finding::Wrong(proof))
			}
			Err(Stop::Unavailable(why)) => {
				tracing::info!("task {index} of job {job} is not to be had: {why}");
				AuditReply::Done(Finding::Unavailable)
			}
			Err(Stop::Refused(why)) => {
				tracing::warn!("task {index} of job {job} cannot be audited here: {why}");
				AuditReply::Refused(why)
			}
			Err(Stop::Over(why)) => {
				tracing::warn!("the audit of task {index} of job {job} is given up: {why}");
				self.metrics.dropped(why);
				return (why == Over::Expired).then_some(AuditReply::Expired);
			}
		};
		self.metrics.done(&reply, begun.elapsed().saturating_sub(work.waited));
		Some(reply)
	}

	async fn audit(&self, work: &mut Work, audit: AuditId, endpoint: Vec<u8>) -> Result<(), Stop> {
		let base = String::from_utf8(endpoint)
			.map_err(|_| Stop::Unavailable("the worker's endpoint is not a URL".into()))?;
		let AuditId { claim, depth, .. } = audit;
		let turn = work.turn(&self.fetching, 1).await;
		let endpoint = Endpoint {
			fetcher: self.fetcher.clone(),
			base,
			retry: self.config.retry,
			lanes: Lanes::new(self.config.parallel_fetches),
			deadline: tokio::time::Instant::now() + work.watch.fetch_time(self.config.fetch_time),
		};
		let (fetcher, base) = (&endpoint.fetcher, &endpoint.base);
		let id = claim.program.0;
		let program = endpoint.get(|| fetcher.program(base, &id)).await?;
		let claim = audit::Claim {
			input_roots: claim.inputs.iter().map(|root| root.0).collect(),
			output_root: claim.commitment.output_root.0,
			trace_root: claim.commitment.trace_root.0,
		};
		let mebibytes = self.check_size(&program, &claim, depth)?;
		let (trace_root, nodes) = (claim.trace_root, program.len());
		let roots = endpoint.get(|| fetcher.trace(base, &trace_root, nodes)).await?;
		check_roots(&program, &claim, &roots)?;
		drop(turn);
		work.claimant.cost = cost(&program, depth);
		// Memory before the turn to fetch: who waits for memory must not keep others from fetching.
		let memory = work.turn(&self.memory, mebibytes).await;
		let found = match depth {
			Depth::Projection => self.project(work, endpoint, program, claim, roots, memory).await,
			Depth::Replay => self.replay(work, endpoint, program, claim, roots, memory).await,
			Depth::Spot => self.spot(work, endpoint, program, claim, roots, memory).await,
		};
		match found? {
			Found::Right => Ok(()),
			Found::Wrong(fault, proof) => Err(Stop::Fault(fault, proof)),
			Found::Unavailable(why) => Err(Stop::Unavailable(why)),
		}
	}

	/// Whether this machine can audit the program, and the mebibytes that takes.
	fn check_size(
		&self,
		program: &ValidProgram,
		claim: &audit::Claim,
		depth: Depth,
	) -> Result<u64, Stop> {
		let refused = |why| Err(Stop::Refused(why));
		let (named, inputs) = (claim.input_roots.len(), program.inputs().len());
		if named != inputs {
			return refused(format!("{named} inputs are named, the program has {inputs}"));
		}
		let costs = program.costs();
		if depth == Depth::Replay && costs.macs > self.config.max_replay_macs {
			let allowed = self.config.max_replay_macs;
			return refused(format!("{} MAC, at most {allowed} are executed", costs.macs));
		}
		if depth == Depth::Spot {
			// Rows only, of which some are kept.
			return Ok(self.config.memory_bytes.min(SPOT_BYTES) / MIB);
		}
		// The whole trace, and a result that is compared with it.
		let largest = program.shapes().iter().map(|shape| shape.bytes()).max().unwrap_or(0);
		let needed = costs.trace_bytes.saturating_add(largest.into());
		let allowed = self.config.memory_bytes;
		match u64::try_from(needed).ok().filter(|needed| *needed <= allowed) {
			Some(needed) => Ok(needed.div_ceil(MIB)),
			None => refused(format!("it takes {needed} bytes of memory, {allowed} are set aside")),
		}
	}

	/// Checks a whole committed trace by projection.
	async fn project(
		&self,
		work: &mut Work,
		endpoint: Endpoint,
		program: ValidProgram,
		claim: audit::Claim,
		roots: Vec<Root>,
		memory: Turn,
	) -> Result<Found, Stop> {
		let shapes = program.shapes().iter().copied();
		let wanted: Vec<_> = roots.iter().copied().zip(shapes).collect();
		let consts: Vec<Root> = program.consts().into_iter().map(|(_, _, root)| root).collect();
		let tensors = self.tensors(work, &endpoint, &wanted, &consts).await?;
		let held = wanted.iter().filter_map(|(root, shape)| tensors.get(&(*root, *shape)));
		let trace = Trace { tensors: held.cloned().collect() };
		drop(tensors);
		let pace = self.pace(work).await;
		self.compute(memory, move || {
			let mut secret = [0; 32];
			OsRng.try_fill_bytes(&mut secret).map_err(|error| error.to_string())?;
			let mut pace = AtPace(&pace);
			// The tensors were hashed as they came.
			let verdict =
				projection::audit_with(&program, &claim, &trace, &roots, &secret, &mut pace);
			let mut source = HeldTrace { roots: &roots, trace: &trace };
			match found(&program, &claim, verdict, &mut source)? {
				// Everything is here and verified, so what is wanting is this machine's.
				Found::Unavailable(why) => Err(why),
				found => Ok(found),
			}
		})
		.await
	}

	/// Executes the program again and compares.
	async fn replay(
		&self,
		work: &mut Work,
		endpoint: Endpoint,
		program: ValidProgram,
		claim: audit::Claim,
		roots: Vec<Root>,
		memory: Turn,
	) -> Result<Found, Stop> {
		let consts = program.consts();
		let inputs = program.inputs().into_iter().zip(&claim.input_roots);
		let inputs = inputs.map(|((node, shape), root)| (node, shape, *root));
		let given: Vec<_> = inputs.chain(consts.iter().copied()).collect();
		let wanted: Vec<_> = given.iter().map(|(_, shape, root)| (*root, *shape)).collect();
		let consts: Vec<Root> = consts.into_iter().map(|(_, _, root)| root).collect();
		let tensors = self.tensors(work, &endpoint, &wanted, &consts).await?;
		let given: BTreeMap<u32, Tensor> = given
			.into_iter()
			.filter_map(|(node, shape, root)| Some((node, tensors.get(&(root, shape))?.clone())))
			.collect();
		drop(tensors);
		let pace = self.pace(work).await;
		let fetching = Fetching {
			within: self.config.fetch_time,
			watch: work.watch.clone(),
			pace: pace.clone(),
			turns: self.fetching.clone(),
			claimant: work.claimant.clone(),
		};
		let shapes = program.shapes().to_vec();
		let mut source = RemoteTrace::new(endpoint, roots, shapes, fetching);
		self.compute(memory, move || {
			let mut pace = AtPace(&pace);
			let verdict = replay::audit_with(&program, &claim, &given, &mut source, &mut pace);
			match found(&program, &claim, verdict, &mut source)? {
				// Not the worker's fault: it gave all that was asked.
				Found::Unavailable(why) if !source.has_failed() => Err(why),
				found => Ok(found),
			}
		})
		.await
	}

	/// Recomputes a few rows.
	async fn spot(
		&self,
		work: &mut Work,
		endpoint: Endpoint,
		program: ValidProgram,
		claim: audit::Claim,
		roots: Vec<Root>,
		memory: Turn,
	) -> Result<Found, Stop> {
		let pace = self.pace(work).await;
		let fetching = Fetching {
			within: self.config.fetch_time,
			watch: work.watch.clone(),
			pace,
			turns: self.fetching.clone(),
			claimant: work.claimant.clone(),
		};
		let shapes = program.shapes().to_vec();
		let mut source = RemoteTrace::new(endpoint, roots, shapes, fetching);
		let depth = self.config.spot;
		self.compute(memory, move || {
			let mut secret = [0; 32];
			OsRng.try_fill_bytes(&mut secret).map_err(|error| error.to_string())?;
			let verdict = spot::audit(&program, &claim, depth, &secret, &mut source);
			match found(&program, &claim, verdict, &mut source)? {
				Found::Unavailable(why) if !source.has_failed() => Err(why),
				found => Ok(found),
			}
		})
		.await
	}

	/// Waits for the turn to compute.
	async fn pace(&self, work: &mut Work) -> Arc<Pace> {
		let turn = work.turn(&self.computing, 1).await;
		let Work { watch, claimant, .. } = work;
		let turns = self.computing.clone();
		Arc::new(Pace::new(turn, watch.clone(), turns, claimant.clone(), self.config.slice))
	}

	/// Runs what computes on threads of its own. `memory` is given back when it ends, even if
	/// nobody waits for it any more.
	async fn compute(
		&self,
		memory: Turn,
		work: impl FnOnce() -> Result<Found, String> + Send + 'static,
	) -> Result<Found, Stop> {
		let threads = self.config.threads;
		let metrics = self.metrics.clone();
		let result = spawn_blocking(move || {
			let _memory = memory;
			let begun = Instant::now();
			// Not a shared pool: an audit may wait for the network or its turn on one of its threads.
			let pool = ThreadPoolBuilder::new()
				.num_threads(threads)
				.thread_name(|index| format!("auditor-{index}"))
				.build()
				.map_err(|error| error.to_string())?;
			let result = pool.install(work);
			metrics.computed(begun.elapsed());
			result
		});
		let result = result.await.map_err(|error| error.to_string());
		result.and_then(|found| found).map_err(Stop::Refused)
	}

	/// Fetches tensors, each distinct one once, when its turn comes. `consts` are kept for later
	/// audits.
	async fn tensors(
		&self,
		work: &mut Work,
		endpoint: &Endpoint,
		wanted: &[(Root, Shape)],
		consts: &[Root],
	) -> Result<HashMap<(Root, Shape), Tensor>, Stop> {
		let distinct: HashSet<(Root, Shape)> = wanted.iter().copied().collect();
		let consts: HashSet<&Root> = consts.iter().collect();
		let mut tensors = HashMap::with_capacity(distinct.len());
		let mut missing = Vec::new();
		for (root, shape) in distinct {
			match self.kept(&root, shape) {
				Some(tensor) => {
					tensors.insert((root, shape), tensor);
				}
				None => missing.push((root, shape)),
			}
		}
		if missing.is_empty() {
			return Ok(tensors);
		}
		let _turn = work.turn(&self.fetching, 1).await;
		let bytes = missing.iter().map(|(_, shape)| shape.bytes()).fold(0, u64::saturating_add);
		let moving = Duration::from_secs(bytes / self.config.fetch_rate.max(1));
		let wanted = self.config.fetch_time.saturating_add(moving);
		let endpoint = &endpoint.again(work.watch.fetch_time(wanted));
		let fetches = missing.into_iter().map(|(root, shape)| async move {
			let (fetcher, base) = (&endpoint.fetcher, &endpoint.base);
			let tensor = endpoint.get(|| fetcher.tensor(base, &root, shape)).await?;
			Ok::<_, Stop>(((root, shape), tensor))
		});
		let fetches = stream::iter(fetches).buffer_unordered(self.config.parallel_fetches.max(1));
		let fetched: Vec<_> = fetches.try_collect().await?;
		for ((root, shape), tensor) in fetched {
			if consts.contains(&root) {
				let mut kept = self.consts.lock().unwrap_or_else(PoisonError::into_inner);
				kept.insert(root, tensor.clone(), shape.bytes());
			}
			tensors.insert((root, shape), tensor);
		}
		Ok(tensors)
	}

	fn kept(&self, root: &Root, shape: Shape) -> Option<Tensor> {
		let mut kept = self.consts.lock().unwrap_or_else(PoisonError::into_inner);
		kept.get(root).filter(|tensor| tensor.shape() == shape)
	}
}

/// About how many operations an audit takes, to tell short ones from long ones: bytes looked at, and
/// for a replay the products.
fn cost(program: &ValidProgram, depth: Depth) -> u128 {
	let costs = program.costs();
	match depth {
		Depth::Projection => costs.trace_bytes,
		Depth::Replay => costs.trace_bytes.saturating_add(costs.macs),
		Depth::Spot => costs.leaves,
	}
}

/// What an audit came to, with the proof of a lie.
enum Found {
	Right,
	Wrong(Fault, Vec<u8>),
	Unavailable(String),
}

/// Proves what a verdict says, from where the audit had its data.
fn found<S: TraceSource>(
	program: &ValidProgram,
	claim: &audit::Claim,
	verdict: audit::Verdict,
	source: &mut S,
) -> Result<Found, String> {
	let fault = match verdict {
		audit::Verdict::Valid => return Ok(Found::Right),
		audit::Verdict::Unavailable(why) => return Ok(Found::Unavailable(why)),
		audit::Verdict::Invalid(fault) => fault,
	};
	match prove(program, claim, &fault, source) {
		Ok(proof) => Ok(Found::Wrong(fault, proof.encode())),
		Err(why @ CannotProve::Unavailable { .. }) => Ok(Found::Unavailable(why.to_string())),
		Err(why) => Err(format!("{fault}, but {why}")),
	}
}

/// Holds the committed roots against those that the chain and the program declare: lies that need
/// no tensor to be seen, found before anything large is fetched.
fn check_roots(program: &ValidProgram, claim: &audit::Claim, roots: &[Root]) -> Result<(), Stop> {
	let mut inputs = claim.input_roots.iter();
	for ((index, node), committed) in (0..).zip(program.nodes()).zip(roots) {
		let declared = match node {
			Node::Input { .. } => inputs.next(),
			Node::Const { root, .. } => Some(root),
			_ => continue,
		};
		if declared != Some(committed) {
			return Err(declared_otherwise(program, claim, roots, index, FaultKind::Root));
		}
	}
	match roots.last() {
		Some(root) if *root == claim.output_root => Ok(()),
		_ => Err(declared_otherwise(program, claim, roots, program.output(), FaultKind::Output)),
	}
}

/// A root that was committed to and is not the declared one. It takes no tensor to prove.
fn declared_otherwise(
	program: &ValidProgram,
	claim: &audit::Claim,
	roots: &[Root],
	node: u32,
	kind: FaultKind,
) -> Stop {
	let trace = Trace { tensors: Vec::new() };
	let mut source = HeldTrace { roots, trace: &trace };
	let verdict = audit::Verdict::Invalid(Fault { node, row: 0, col: 0, kind });
	match found(program, claim, verdict, &mut source) {
		Ok(Found::Wrong(fault, proof)) => Stop::Fault(fault, proof),
		Ok(Found::Right) => Stop::Refused("a lie that is none".into()),
		Ok(Found::Unavailable(why)) | Err(why) => Stop::Refused(why),
	}
}
