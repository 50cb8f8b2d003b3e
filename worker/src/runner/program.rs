//! Tasks that execute a tensor program.

use super::{
	open::open,
	supply::{on_disk, Source},
	Extent, Failure, Limits, Made, Prepared, Refusal, Runner, Supply,
};
use crate::{
	backend::{Backend, BackendError, Cancel},
	backlog::Backlog,
	device::{Device, Held},
	quota::{NoRoom, Quota},
	sabotage::Sabotage,
};
use assay_compute::{
	audit::Claim, proof::demand, prove_task, tensor_root, Root, Shape, Tensor, Trace, ValidProgram,
};
use assay_data::{store::Kind, StoreError};
use assay_primitives::{
	self as primitives,
	views::JobView,
	work::{self, TaskId},
};
use futures::future::BoxFuture;
use std::{
	collections::BTreeMap,
	sync::Arc,
	time::{Duration, Instant},
};
use tokio::{sync::RwLock, task::spawn_blocking};

/// Does `Program` jobs.
pub struct ProgramRunner {
	supply: Supply,
	quota: Arc<Quota>,
	backlog: Arc<Backlog>,
	backend: Arc<dyn Backend>,
	limits: Limits,
	/// Time to fetch what a task needs.
	fetch: Duration,
	/// Held shared while the store has what nothing names yet.
	collecting: Arc<RwLock<()>>,
	/// One task is executed at a time, on all of the backend.
	device: Arc<Device>,
	sabotage: Option<Sabotage>,
}

impl ProgramRunner {
	/// A runner that fetches for at most `fetch` for each task, and has nothing removed from the
	/// store by whoever holds `collecting` exclusively before what it made has a name.
	pub fn new(
		supply: Supply,
		quota: Arc<Quota>,
		backlog: Arc<Backlog>,
		backend: Arc<dyn Backend>,
		limits: Limits,
		fetch: Duration,
		collecting: Arc<RwLock<()>>,
	) -> Self {
		let device = Device::new(backlog.clone());
		let sabotage = None;
		Self { supply, quota, backlog, backend, limits, fetch, collecting, device, sabotage }
	}

	/// Has it lie. For development only.
	pub fn with_sabotage(mut self, lie: Option<Sabotage>) -> Self {
		self.sabotage = lie;
		self
	}

	fn source<'a>(&self, job: &'a JobView) -> Source<'a> {
		Source { base: &job.data_url, deadline: tokio::time::Instant::now() + self.fetch }
	}

	async fn do_prepare(
		&self,
		job: &JobView,
		task: TaskId,
		allowed: Duration,
	) -> Result<Prepared, Refusal> {
		let from = self.source(job);
		let program = self.supply.program(from, job.program.0).await?;
		self.limits.check(program.costs())?;
		if let Some(lie) = self.sabotage {
			lie.check(&program)?;
		}
		// Before anything large is fetched, and again after it, which takes its time. Until then
		// others are not kept from being taken on.
		self.backlog.check(task, &(&program).into(), allowed)?;
		let quota = self.quota.clone();
		// The limits fit 64 bits.
		let needed = u64::try_from(program.costs().trace_bytes).unwrap_or(u64::MAX);
		let reserved = spawn_blocking(move || quota.reserve(task, needed)).await;
		reserved.map_err(|error| NoRoom::Io(std::io::Error::other(error)))??;

		let shapes = program.inputs();
		let inputs = u32::try_from(shapes.len()).unwrap_or(u32::MAX);
		let tasks = self.supply.tasks(from, job.tasks_root.0, job.tasks, inputs).await?;
		let wrong = |given| Refusal::Inputs { given, declared: shapes.len() };
		let (index, _) = job.assurance.place(task.index);
		let roots = tasks.get(index as usize).ok_or_else(|| wrong(0))?;
		if roots.len() != shapes.len() {
			return Err(wrong(roots.len()));
		}
		let path = prove_task(&tasks, index).ok_or_else(|| wrong(0))?;
		let given = given(&program, roots);
		self.supply.keep(from, given.iter().map(|(_, shape, root)| (*root, *shape))).await?;
		self.backlog.admit(task, &(&program).into(), allowed)?;
		Ok(Prepared {
			inputs: roots.iter().map(|root| root.into()).collect(),
			path: path.iter().map(|root| root.into()).collect(),
		})
	}

	async fn do_perform(
		&self,
		job: &JobView,
		task: TaskId,
		inputs: &[primitives::Root],
		extent: Extent,
		due: Instant,
	) -> Result<Made, Failure> {
		let from = self.source(job);
		let program = self.supply.program(from, job.program.0).await?;
		self.quota.insist(task, u64::try_from(program.costs().trace_bytes).unwrap_or(u64::MAX));
		self.backlog.insist(task, &(&program).into(), due);
		let roots: Vec<Root> = inputs.iter().map(|root| root.0).collect();
		let given = given(&program, &roots);
		// Nobody waits for the network while holding the device.
		self.supply.keep(from, given.iter().map(|(_, shape, root)| (*root, *shape))).await?;
		let device = Arc::new(self.device.take(task, due).await);
		let working = self.backlog.begin(task);
		let tensors = self.supply.load(self.source(job), &given).await?;
		let program = Arc::new(program);
		let begun = Instant::now();
		let trace = self.execute(program.clone(), tensors, device.clone()).await?;
		let executed = begun.elapsed();
		// Until the journal names it, nobody else knows that the trace is needed.
		let unnamed = self.collecting.clone().read_owned().await;
		let begun = Instant::now();
		let commitment = self.store(program, trace, extent, device).await?;
		working.done(executed.saturating_add(begun.elapsed()));
		self.quota.release(task);
		Ok(Made { commitment, unnamed })
	}

	/// Executes.
	async fn execute(
		&self,
		program: Arc<ValidProgram>,
		tensors: BTreeMap<u32, Tensor>,
		device: Arc<Held>,
	) -> Result<Trace, Failure> {
		let cancel = Cancel::default();
		let _stops = cancel.on_drop();
		let (backend, lie) = (self.backend.clone(), self.sabotage);
		blocking(device, move || {
			let begun = Instant::now();
			let mut trace =
				backend.execute(&program, &tensors, &cancel).map_err(|error| match error {
					BackendError::Cancelled => Failure::Stopped,
					BackendError::Failed(why) => Failure::Passing(why),
				})?;
			log_rate(&program, begun.elapsed());
			if let Some(lie) = lie {
				tracing::warn!("SABOTAGE: {lie:?} is applied; this result is a lie");
				lie.apply(&program, &mut trace).map_err(|e| Failure::Lasting(e.to_string()))?;
			}
			Ok(trace)
		})
		.await
	}

	/// Commits and stores.
	async fn store(
		&self,
		program: Arc<ValidProgram>,
		trace: Trace,
		extent: Extent,
		device: Arc<Held>,
	) -> Result<work::Commitment, Failure> {
		let store = self.supply.store().clone();
		blocking(device, move || {
			let begun = Instant::now();
			let (commitment, bytes) = match extent {
				Extent::Trace => {
					let commitment = trace.commit_executed(&program);
					let Trace { tensors } = trace;
					store.put_tensors(commitment.tensor_roots.iter().copied().zip(&tensors))?;
					store.put_trace(&commitment.tensor_roots)?;
					let trace_root = Some(commitment.trace_root.into());
					let output_root = commitment.output_root.into();
					let bytes = program.costs().trace_bytes;
					(work::Commitment { output_root, trace_root }, bytes)
				}
				Extent::Output => {
					let output = trace.output();
					let output = output.ok_or_else(|| Failure::Lasting("no output".into()))?;
					let root = tensor_root(output);
					store.put_tensors([(root, output)])?;
					let commitment =
						work::Commitment { output_root: root.into(), trace_root: None };
					(commitment, output.shape().bytes().into())
				}
			};
			tracing::info!("committed and stored {bytes} bytes in {:.2?}", begun.elapsed());
			Ok(commitment)
		})
		.await
	}

	async fn do_open(
		&self,
		job: &JobView,
		inputs: &[primitives::Root],
		commitment: work::Commitment,
		place: demand::Wanted,
	) -> Result<Vec<u8>, Failure> {
		let Some(trace_root) = commitment.trace_root else {
			return Err(Failure::Lasting("nothing is committed to but the output".into()));
		};
		let claim = Claim {
			input_roots: inputs.iter().map(|root| root.0).collect(),
			output_root: commitment.output_root.0,
			trace_root: trace_root.0,
		};
		let program = self.supply.program(self.source(job), job.program.0).await?;
		let store = self.supply.store().clone();
		let opened = spawn_blocking(move || open(&store, &program, &claim, &place));
		opened.await.map_err(|error| Failure::Passing(error.to_string()))?
	}

	async fn do_holds(
		&self,
		program: Root,
		commitment: work::Commitment,
	) -> Result<bool, StoreError> {
		let held = on_disk(self.supply.store(), move |store| {
			let output = commitment.output_root.0;
			if !store.has(Kind::Program, &program)? {
				return Ok(false);
			}
			let Some(trace_root) = commitment.trace_root else {
				return store.has(Kind::Tensor, &output);
			};
			let Some(roots) = store.trace(&trace_root.0)? else { return Ok(false) };
			if roots.last() != Some(&output) {
				return Ok(false);
			}
			for root in &roots {
				if !store.has(Kind::Tensor, root)? {
					return Ok(false);
				}
			}
			Ok(true)
		});
		match held.await {
			Err(StoreError::Damaged { .. }) => Ok(false),
			held => held,
		}
	}
}

impl Runner for ProgramRunner {
	fn prepare<'a>(
		&'a self,
		job: &'a JobView,
		task: TaskId,
		allowed: Duration,
	) -> BoxFuture<'a, Result<Prepared, Refusal>> {
		Box::pin(self.do_prepare(job, task, allowed))
	}

	fn perform<'a>(
		&'a self,
		job: &'a JobView,
		task: TaskId,
		inputs: &'a [primitives::Root],
		extent: Extent,
		due: Instant,
	) -> BoxFuture<'a, Result<Made, Failure>> {
		Box::pin(self.do_perform(job, task, inputs, extent, due))
	}

	fn open<'a>(
		&'a self,
		job: &'a JobView,
		inputs: &'a [primitives::Root],
		commitment: work::Commitment,
		place: demand::Wanted,
	) -> BoxFuture<'a, Result<Vec<u8>, Failure>> {
		Box::pin(self.do_open(job, inputs, commitment, place))
	}

	fn holds<'a>(
		&'a self,
		job: &'a JobView,
		commitment: work::Commitment,
	) -> BoxFuture<'a, Result<bool, StoreError>> {
		Box::pin(self.do_holds(job.program.0, commitment))
	}
}

/// Works away from the threads that wait for the network. The device is given back when it is free,
/// even if nobody waits any more.
async fn blocking<T: Send + 'static>(
	device: Arc<Held>,
	work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
	let span = tracing::Span::current();
	let work = spawn_blocking(move || {
		let (_entered, _device) = (span.entered(), device);
		work()
	});
	work.await.map_err(|error| Failure::Passing(error.to_string()))?
}

/// Inputs and consts: node, shape and root.
fn given(program: &ValidProgram, inputs: &[Root]) -> Vec<(u32, Shape, Root)> {
	let inputs = program.inputs().into_iter().zip(inputs);
	let inputs = inputs.map(|((node, shape), root)| (node, shape, *root));
	inputs.chain(program.consts()).collect()
}

fn log_rate(program: &ValidProgram, took: Duration) {
	let macs = program.costs().macs;
	let rate = macs as f64 / took.as_secs_f64().max(1e-9) / 1e9;
	tracing::info!("executed {macs} MAC in {took:.2?} ({rate:.1} GMAC/s)");
}
