//! One audit from request to reply.

use crate::{
	config::Config,
	metrics::Metrics,
	source::{Endpoint, Missing, RemoteTrace},
};
use assay_compute::{
	audit::{self, Fault, FaultKind},
	Node, Root, Shape, Tensor, Trace, ValidProgram,
};
use assay_data::{lru::ByteLru, Fetcher, Policy};
use assay_primitives::{
	auditor::{AuditReply, AuditRequest, Depth},
	work::{Place, TaskId, Verdict},
};
use futures::{stream, StreamExt, TryStreamExt};
use rand::{rngs::OsRng, RngCore};
use rayon::ThreadPoolBuilder;
use std::{
	collections::{BTreeMap, HashMap, HashSet},
	sync::{Arc, Mutex, PoisonError},
	time::Instant,
};
use tokio::{
	sync::{OwnedSemaphorePermit, Semaphore},
	task::spawn_blocking,
};

/// Memory is handed out in mebibytes.
const MIB: u64 = 1 << 20;

/// Everything that audits share.
pub struct Auditing {
	pub config: Config,
	pub fetcher: Fetcher,
	pub metrics: Metrics,
	/// Audits under way.
	audits: Arc<Semaphore>,
	/// Mebibytes for their tensors.
	memory: Arc<Semaphore>,
	/// Audits that compute.
	computing: Arc<Semaphore>,
	/// Constants of earlier audits: models do not change from task to task.
	consts: Mutex<ByteLru<Root, Tensor>>,
}

/// Why an audit ends before it has checked everything.
enum Stop {
	/// A lie.
	Fault(Fault),
	/// The worker does not give what it committed to.
	Unavailable(String),
	/// This machine cannot audit it.
	Refused(String),
}

impl From<Missing> for Stop {
	fn from(missing: Missing) -> Self {
		match &missing {
			Missing::Failed(error) if error.reason.is_ours() => Stop::Refused(missing.to_string()),
			_ => Stop::Unavailable(missing.to_string()),
		}
	}
}

impl Auditing {
	pub fn new(config: Config) -> Self {
		let semaphore =
			|permits: usize| Arc::new(Semaphore::new(permits.clamp(1, Semaphore::MAX_PERMITS)));
		// One bound on memory is enough.
		let policy = Policy { max_tensor_bytes: config.memory_bytes, ..config.fetch.clone() };
		Self {
			fetcher: Fetcher::new(policy),
			metrics: Metrics::default(),
			audits: semaphore(config.audits),
			memory: semaphore(usize::try_from(config.memory_bytes / MIB).unwrap_or(usize::MAX)),
			computing: semaphore(config.computing),
			consts: Mutex::new(ByteLru::new(config.const_cache_bytes)),
			config,
		}
	}

	/// Audits one task when its turn comes.
	pub async fn run(&self, request: AuditRequest) -> AuditReply {
		let _slot = self.audits.clone().acquire_owned().await.ok();
		let begun = Instant::now();
		let TaskId { job, index } = request.task;
		let reply = match self.audit(request).await {
			Ok(()) => AuditReply::Done(Verdict::Valid),
			Err(Stop::Fault(fault)) => {
				tracing::info!("task {index} of job {job} is wrong: {fault}");
				let Fault { node, row, col, .. } = fault;
				AuditReply::Done(Verdict::Invalid(Place { node, row, col }))
			}
			Err(Stop::Unavailable(why)) => {
				tracing::info!("task {index} of job {job} is not to be had: {why}");
				AuditReply::Done(Verdict::Unavailable)
			}
			Err(Stop::Refused(why)) => {
				tracing::warn!("task {index} of job {job} cannot be audited here: {why}");
				AuditReply::Refused(why)
			}
		};
		self.metrics.done(&reply, begun.elapsed());
		reply
	}

	async fn audit(&self, request: AuditRequest) -> Result<(), Stop> {
		let base = String::from_utf8(request.endpoint)
			.map_err(|_| Stop::Unavailable("the worker's endpoint is not a URL".into()))?;
		let endpoint = Endpoint {
			fetcher: self.fetcher.clone(),
			base,
			retry: self.config.retry,
			deadline: tokio::time::Instant::now() + self.config.deadline,
		};
		let (fetcher, base) = (&endpoint.fetcher, &endpoint.base);
		let id = request.claim.program.0;
		let program = endpoint.get(|| fetcher.program(base, &id)).await?;
		let claim = audit::Claim {
			input_roots: request.claim.inputs.iter().map(|root| root.0).collect(),
			output_root: request.claim.commitment.output_root.0,
			trace_root: request.claim.commitment.trace_root.0,
		};
		let mebibytes = self.check_size(&program, &claim, request.depth)?;
		let (trace_root, nodes) = (claim.trace_root, program.len());
		let roots = endpoint.get(|| fetcher.trace(base, &trace_root, nodes)).await?;
		check_roots(&program, &claim, &roots)?;
		// The semaphores are never closed.
		let memory = self.memory.clone().acquire_many_owned(mebibytes).await.ok();
		let endpoint = endpoint.again(self.config.deadline);
		let verdict = match request.depth {
			Depth::Projection => self.project(endpoint, program, claim, roots, memory).await,
			Depth::Replay => self.replay(endpoint, program, claim, roots, memory).await,
		};
		match verdict? {
			audit::Verdict::Valid => Ok(()),
			audit::Verdict::Invalid(fault) => Err(Stop::Fault(fault)),
			audit::Verdict::Unavailable(why) => Err(Stop::Unavailable(why)),
		}
	}

	/// Whether this machine can audit the program, and the mebibytes that takes.
	fn check_size(
		&self,
		program: &ValidProgram,
		claim: &audit::Claim,
		depth: Depth,
	) -> Result<u32, Stop> {
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
		// The whole trace, and a result that is compared with it.
		let largest = program.shapes().iter().map(|shape| shape.bytes()).max().unwrap_or(0);
		let needed = costs.trace_bytes.saturating_add(largest.into());
		let allowed = self.config.memory_bytes;
		let mebibytes = u32::try_from(needed.div_ceil(MIB.into())).ok();
		match mebibytes.filter(|_| needed <= allowed.into()) {
			Some(mebibytes) => Ok(mebibytes.min(self.memory_permits())),
			None => refused(format!("it takes {needed} bytes of memory, {allowed} are set aside")),
		}
	}

	/// Mebibytes there are in all.
	fn memory_permits(&self) -> u32 {
		u32::try_from(self.config.memory_bytes / MIB).unwrap_or(u32::MAX).max(1)
	}

	/// Checks a whole committed trace by projection.
	async fn project(
		&self,
		endpoint: Endpoint,
		program: ValidProgram,
		claim: audit::Claim,
		roots: Vec<Root>,
		memory: Option<OwnedSemaphorePermit>,
	) -> Result<audit::Verdict, Stop> {
		let wanted: Vec<_> = roots.into_iter().zip(program.shapes().iter().copied()).collect();
		let consts: Vec<Root> = program.consts().into_iter().map(|(_, _, root)| root).collect();
		let tensors = self.tensors(&endpoint, &wanted, &consts).await?;
		let found = wanted.iter().filter_map(|(root, shape)| tensors.get(&(*root, *shape)));
		let trace = Trace { tensors: found.cloned().collect() };
		drop(tensors);
		let turn = self.computing.clone().acquire_owned().await.ok();
		self.compute(memory, move || {
			let _turn = turn;
			let mut secret = [0; 32];
			OsRng.try_fill_bytes(&mut secret).map_err(|error| error.to_string())?;
			match audit::projection::audit(&program, &claim, &trace, &secret) {
				// Everything is here and verified, so what is wanting is this machine's.
				audit::Verdict::Unavailable(why) => Err(why),
				verdict => Ok(verdict),
			}
		})
		.await
	}

	/// Executes the program again and compares.
	async fn replay(
		&self,
		endpoint: Endpoint,
		program: ValidProgram,
		claim: audit::Claim,
		roots: Vec<Root>,
		memory: Option<OwnedSemaphorePermit>,
	) -> Result<audit::Verdict, Stop> {
		let consts = program.consts();
		let inputs = program.inputs().into_iter().zip(&claim.input_roots);
		let inputs = inputs.map(|((node, shape), root)| (node, shape, *root));
		let given: Vec<_> = inputs.chain(consts.iter().copied()).collect();
		let wanted: Vec<_> = given.iter().map(|(_, shape, root)| (*root, *shape)).collect();
		let consts: Vec<Root> = consts.into_iter().map(|(_, _, root)| root).collect();
		let tensors = self.tensors(&endpoint, &wanted, &consts).await?;
		let given: BTreeMap<u32, Tensor> = given
			.into_iter()
			.filter_map(|(node, shape, root)| Some((node, tensors.get(&(root, shape))?.clone())))
			.collect();
		drop(tensors);
		let Ok(turn) = self.computing.clone().acquire_owned().await else {
			return Err(Stop::Refused("the service is stopping".into()));
		};
		let shapes = program.shapes().to_vec();
		let mut source = RemoteTrace::new(endpoint, roots, shapes, self.config.deadline, turn);
		self.compute(memory, move || {
			match audit::replay::audit(&program, &claim, &given, &mut source) {
				// Not the worker's fault: it gave all that was asked.
				audit::Verdict::Unavailable(why) if !source.has_failed() => Err(why),
				verdict => Ok(verdict),
			}
		})
		.await
	}

	/// Runs what computes on threads of its own. `memory` is given back when it ends, even if
	/// nobody waits for it any more.
	async fn compute(
		&self,
		memory: Option<OwnedSemaphorePermit>,
		work: impl FnOnce() -> Result<audit::Verdict, String> + Send + 'static,
	) -> Result<audit::Verdict, Stop> {
		let threads = self.config.threads;
		let begun = Instant::now();
		let result = spawn_blocking(move || {
			let _memory = memory;
			// Not a shared pool: a replay may wait for the network on one of its threads.
			let pool = ThreadPoolBuilder::new()
				.num_threads(threads)
				.thread_name(|index| format!("auditor-{index}"))
				.build()
				.map_err(|error| error.to_string())?;
			pool.install(work)
		});
		let result = result.await.map_err(|error| error.to_string());
		self.metrics.computed(begun.elapsed());
		result.and_then(|verdict| verdict).map_err(Stop::Refused)
	}

	/// Fetches tensors, each distinct one once. `consts` are kept for later audits.
	async fn tensors(
		&self,
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
			return Err(fault(index, FaultKind::Root));
		}
	}
	match roots.last() {
		Some(root) if *root == claim.output_root => Ok(()),
		_ => Err(fault(program.output(), FaultKind::Output)),
	}
}

fn fault(node: u32, kind: FaultKind) -> Stop {
	Stop::Fault(Fault { node, row: 0, col: 0, kind })
}
