//! One audit from request to reply.

mod alone;
mod fetch;
mod found;
mod hold;
mod project;
mod served;
mod size;
mod walk;

use crate::{
	config::Config,
	custody::{Custody, Held},
	metrics::{Metrics, Queues},
	pace::Pace,
	source::{Endpoint, Missing},
	spool::{Spool, Tables},
	turns::{Claimant, Turn, Turns},
	watch::{Over, Watch},
};
use assay_compute::{
	audit::{self, Kept},
	Root, Tensor, ValidProgram,
};
use assay_data::{lru::ByteLru, Fetcher, Policy};
use assay_primitives::{
	auditor::{AuditId, AuditReply, AuditRequest, Finding},
	demand::Wanted,
	work::{Claim, Depth, TaskId},
};
use found::Found;
use rayon::ThreadPoolBuilder;
use size::{cost, MIB};
use std::{
	sync::{Arc, Mutex},
	time::{Duration, Instant},
};
use tokio::task::spawn_blocking;

/// Everything that audits share.
pub struct Auditing {
	pub config: Config,
	pub fetcher: Fetcher,
	pub metrics: Arc<Metrics>,
	/// Audits that fetch. None of them computes meanwhile.
	fetching: Arc<Turns>,
	/// Mebibytes of memory.
	memory: Arc<Turns>,
	/// Mebibytes of disk.
	disk: Arc<Turns>,
	/// Audits that compute.
	computing: Arc<Turns>,
	/// Constants of earlier audits: models do not change from task to task.
	consts: Mutex<ByteLru<Root, Tensor>>,
	/// The same of audits that read them as streams, on disk.
	tables: Tables,
	/// Projections of earlier audits' weights. They are known to nobody outside of this process.
	projections: Arc<Mutex<Kept>>,
	/// What is kept for buyers, where anything is.
	custody: Option<Arc<Custody>>,
	spool: Spool,
}

/// Why an audit ends before it has found anything.
enum Stop {
	/// Those who are asked do not give what it needs.
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

/// Where an audit's data may be had.
struct Sources {
	/// From the worker, if it has a URL.
	worker: Option<Endpoint>,
	/// From the buyer, if it has one: program, constants and inputs.
	buyer: Option<Endpoint>,
}

/// What is audited.
struct Subject {
	program: ValidProgram,
	inputs: Vec<Root>,
	output_root: Root,
	/// None in a claim that is audited before its trace is committed to.
	trace_root: Option<Root>,
	depth: Depth,
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

impl Subject {
	/// The claim about a trace, if there is one.
	fn claim(&self) -> Option<audit::Claim> {
		let Self { inputs, output_root, trace_root, .. } = self;
		let (input_roots, output_root) = (inputs.clone(), *output_root);
		trace_root.map(|trace_root| audit::Claim { input_roots, output_root, trace_root })
	}
}

impl From<Missing> for Stop {
	fn from(missing: Missing) -> Self {
		match &missing {
			missing if missing.is_ours() => Stop::Refused(missing.to_string()),
			Missing::Over(over) => Stop::Over(*over),
			_ => Stop::Unavailable(missing.to_string()),
		}
	}
}

impl From<String> for Stop {
	fn from(why: String) -> Self {
		Stop::Refused(why)
	}
}

impl Auditing {
	pub fn new(config: Config, custody: Option<Arc<Custody>>) -> Self {
		// One bound on memory and those on the disk are enough.
		let keeps = config.custody.as_ref().map_or(0, |custody| custody.bytes);
		let policy = Policy {
			max_tensor_bytes: config.memory_bytes.max(config.spool_bytes).max(keeps),
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
			disk: Turns::new(config.spool_bytes.div_ceil(MIB)),
			computing: Turns::new(config.computing as u64),
			consts: Mutex::new(ByteLru::new(config.const_cache_bytes)),
			tables: Arc::new(Mutex::new(ByteLru::new(config.table_spool_bytes))),
			projections: Arc::new(Mutex::new(Kept::new(
				usize::try_from(config.projection_cache_bytes).unwrap_or(usize::MAX),
				config.projection_uses,
			))),
			custody,
			spool: Spool::new(config.folder.clone()),
			config,
		}
	}

	/// What is under way, of which so many are `active`.
	pub fn queues(&self, active: usize) -> Queues {
		Queues {
			active: active as u64,
			waiting_to_fetch: self.fetching.waiting() as u64,
			waiting_for_memory: self.memory.waiting().saturating_add(self.disk.waiting()) as u64,
			waiting_to_compute: self.computing.waiting() as u64,
			fetching: self.fetching.held(),
			computing: self.computing.held(),
		}
	}

	/// How much is kept for buyers.
	pub fn held(&self) -> Held {
		self.custody.as_ref().map(|custody| custody.held()).unwrap_or_default()
	}

	/// How long a request wants the output kept.
	pub fn keep_for(&self, request: &AuditRequest) -> Duration {
		self.config.block_time.saturating_mul(request.keep_for)
	}

	/// Audits one task while its `watch` lasts. `None`: nobody wants to know any more.
	pub async fn run(&self, request: AuditRequest, watch: Arc<Watch>) -> Option<AuditReply> {
		let begun = Instant::now();
		let TaskId { job, index } = request.audit.task;
		let provider = request.audit.provider.as_slice().into();
		let claimant = Claimant { provider, deadline: request.deadline, cost: 0 };
		let mut work = Work { watch: watch.clone(), claimant, waited: Duration::ZERO };
		let outcome = tokio::select! {
			// What was given up meanwhile is given up, whatever it has come to.
			biased;
			over = watch.ended() => Err(Stop::Over(over)),
			outcome = self.audit(&mut work, request) => outcome,
		};
		// What computes may have seen the end of its time a moment earlier, and stopped.
		let outcome = match (outcome, watch.over()) {
			(Err(Stop::Refused(_)), Some(over)) => Err(Stop::Over(over)),
			(outcome, _) => outcome,
		};
		let reply = match outcome {
			Ok(Found::Right) => AuditReply::Done(Finding::Right),
			Ok(Found::Wrong(fault, proof)) => {
				let bytes = proof.len();
				tracing::info!(
					"task {index} of job {job} is wrong: {fault}, proved in {bytes} bytes"
				);
				AuditReply::Done(Finding::Wrong(proof))
			}
			Ok(Found::Demand(demanded)) => {
				let wanted: Wanted = demanded.wanted;
				tracing::info!(
					"task {index} of job {job}: {wanted:?} is to be opened on the chain"
				);
				AuditReply::Demand(demanded)
			}
			Ok(Found::Unavailable(why)) | Err(Stop::Unavailable(why)) => {
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

	/// By what the worker serves, if it serves; else alone, from inputs and constants that whoever has
	/// them may give, and from what is opened on the chain.
	async fn audit(&self, work: &mut Work, request: AuditRequest) -> Result<Found, Stop> {
		let hold = match request.audit.depth {
			Depth::Custody => Some(self.to_hold(&request)?),
			_ => None,
		};
		let AuditRequest { audit, endpoint, buyer, answers, .. } = request;
		let AuditId { claim: Claim { program, inputs, commitment }, depth, .. } = audit;
		let shown = matches!(depth, Depth::Projection | Depth::Spot);
		if commitment.trace_root.is_none() && shown {
			return Err(Stop::Refused("no trace root was committed to".into()));
		}
		let mut sources = Sources { worker: self.endpoint(endpoint), buyer: self.endpoint(buyer) };
		let turn = work.turn(&self.fetching, 1).await;
		if let Some(hold) = &hold {
			if hold.again().await? {
				return Ok(Found::Right);
			}
		}
		// Once something had to be demanded, the worker is not asked first again.
		let (program, served_by) =
			self.program(work, &mut sources, &program.0, answers.is_empty()).await?;
		let subject = Subject {
			program,
			inputs: inputs.iter().map(|root| root.0).collect(),
			output_root: commitment.output_root.0,
			trace_root: commitment.trace_root.map(|root| root.0),
			depth,
		};
		let mebibytes = self.check_size(&subject)?;
		if let Some(hold) = hold {
			drop(turn);
			work.claimant.cost = cost(&subject.program, depth);
			let _memory = work.turn(&self.memory, mebibytes).await;
			return self.hold(work, sources.worker, hold, &subject.program).await;
		}
		let mut worker_first = served_by == fetch::By::Worker;
		if let (Some(claim), true) = (subject.claim(), worker_first && answers.is_empty()) {
			match self.served(work, &sources, &subject, claim, mebibytes, turn).await {
				Ok(Found::Unavailable(why)) | Err(Stop::Unavailable(why)) => {
					tracing::debug!("goes on without the worker: {why}");
					worker_first = false;
				}
				found => return found,
			}
		} else {
			drop(turn);
		}
		let (worker, program, root) =
			(sources.worker.clone(), subject.program.clone(), subject.output_root);
		match self.alone(work, sources.in_order(worker_first), subject, answers).await? {
			Found::Right => self.delivered(work, worker, &program, root).await,
			found => Ok(found),
		}
	}

	/// A right result is worth nothing to a buyer who does not get it: found without the worker, it
	/// counts as right only if the worker serves every row of the output.
	async fn delivered(
		&self,
		work: &mut Work,
		worker: Option<Endpoint>,
		program: &ValidProgram,
		output_root: Root,
	) -> Result<Found, Stop> {
		let Some(worker) = worker else {
			return Err(Stop::Unavailable("there is no worker to ask".into()));
		};
		self.look_at(work, worker, output_root, program.output_shape()).await?;
		Ok(Found::Right)
	}

	/// Waits for the turn to compute.
	async fn pace(&self, work: &mut Work) -> Arc<Pace> {
		let turn = work.turn(&self.computing, 1).await;
		let Work { watch, claimant, .. } = work;
		let turns = self.computing.clone();
		Arc::new(Pace::new(turn, watch.clone(), turns, claimant.clone(), self.config.slice))
	}

	/// Runs what computes on threads of its own. What it `takes` is given back when it ends, even if
	/// nobody waits for it any more.
	async fn compute(
		&self,
		takes: impl Send + 'static,
		pace: Arc<Pace>,
		work: impl FnOnce() -> Result<Found, Stop> + Send + 'static,
	) -> Result<Found, Stop> {
		let threads = self.config.threads;
		let metrics = self.metrics.clone();
		let result = spawn_blocking(move || {
			let _takes = takes;
			let begun = Instant::now();
			// Not a shared pool: an audit may wait for the network or its turn on one of its threads.
			let pool = ThreadPoolBuilder::new()
				.num_threads(threads)
				.thread_name(|index| format!("auditor-{index}"))
				.build()
				.map_err(|error| error.to_string())?;
			let result = pool.install(work);
			metrics.computed(begun.elapsed().saturating_sub(pace.idled()));
			result
		});
		result.await.map_err(|error| error.to_string())?
	}
}
