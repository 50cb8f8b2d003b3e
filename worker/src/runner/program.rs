//! Tasks that execute a tensor program.

use super::{
	supply::{on_disk, Source},
	Failure, Limits, Prepared, Refusal, Runner, Supply,
};
use crate::{
	backend::{Backend, BackendError, Cancel},
	quota::{NoRoom, Quota},
	sabotage::Sabotage,
};
use assay_compute::{prove_task, Commitment, Root, Shape, Tensor, Trace, ValidProgram};
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
use tokio::{
	sync::{OwnedSemaphorePermit, Semaphore},
	task::spawn_blocking,
};

/// Does `Program` jobs.
pub struct ProgramRunner {
	supply: Supply,
	quota: Arc<Quota>,
	backend: Arc<dyn Backend>,
	limits: Limits,
	/// Time to fetch what a task needs.
	fetch: Duration,
	/// One task is executed at a time, on all of the backend.
	device: Arc<Semaphore>,
	sabotage: Option<Sabotage>,
}

impl ProgramRunner {
	/// A runner that fetches for at most `fetch` for each task.
	pub fn new(
		supply: Supply,
		quota: Arc<Quota>,
		backend: Arc<dyn Backend>,
		limits: Limits,
		fetch: Duration,
	) -> Self {
		let device = Arc::new(Semaphore::new(1));
		Self { supply, quota, backend, limits, fetch, device, sabotage: None }
	}

	/// Has it lie. For development only.
	pub fn with_sabotage(mut self, lie: Option<Sabotage>) -> Self {
		self.sabotage = lie;
		self
	}

	fn source<'a>(&self, job: &'a JobView) -> Source<'a> {
		Source { base: &job.data_url, deadline: tokio::time::Instant::now() + self.fetch }
	}

	async fn do_prepare(&self, job: &JobView, task: TaskId) -> Result<Prepared, Refusal> {
		let from = self.source(job);
		let program = self.supply.program(from, job.program.0).await?;
		self.limits.check(program.costs())?;
		if let Some(lie) = self.sabotage {
			lie.check(&program)?;
		}
		let quota = self.quota.clone();
		// The limits fit 64 bits.
		let needed = u64::try_from(program.costs().trace_bytes).unwrap_or(u64::MAX);
		let reserved = spawn_blocking(move || quota.reserve(task, needed)).await;
		reserved.map_err(|error| NoRoom::Io(std::io::Error::other(error)))??;

		let shapes = program.inputs();
		let inputs = u32::try_from(shapes.len()).unwrap_or(u32::MAX);
		let tasks = self.supply.tasks(from, job.tasks_root.0, job.tasks, inputs).await?;
		let wrong = |given| Refusal::Inputs { given, declared: shapes.len() };
		let roots = tasks.get(task.index as usize).ok_or_else(|| wrong(0))?;
		if roots.len() != shapes.len() {
			return Err(wrong(roots.len()));
		}
		let path = prove_task(&tasks, task.index).ok_or_else(|| wrong(0))?;
		let given = given(&program, roots);
		self.supply.keep(from, given.iter().map(|(_, shape, root)| (*root, *shape))).await?;
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
	) -> Result<work::Commitment, Failure> {
		let from = self.source(job);
		let program = self.supply.program(from, job.program.0).await?;
		self.quota.insist(task, u64::try_from(program.costs().trace_bytes).unwrap_or(u64::MAX));
		let roots: Vec<Root> = inputs.iter().map(|root| root.0).collect();
		let given = given(&program, &roots);
		// Nobody waits for the network while holding the device.
		self.supply.keep(from, given.iter().map(|(_, shape, root)| (*root, *shape))).await?;
		// The semaphore is never closed.
		let device = self.device.clone().acquire_owned().await.ok();
		let tensors = self.supply.load(self.source(job), &given).await?;
		let commitment = self.execute(program, tensors, device).await?;
		self.quota.release(task);
		Ok(work::Commitment {
			output_root: commitment.output_root.into(),
			trace_root: commitment.trace_root.into(),
		})
	}

	/// Executes, commits and stores.
	async fn execute(
		&self,
		program: ValidProgram,
		tensors: BTreeMap<u32, Tensor>,
		device: Option<OwnedSemaphorePermit>,
	) -> Result<Commitment, Failure> {
		let cancel = Cancel::default();
		let _stops = cancel.on_drop();
		let (backend, store, lie) =
			(self.backend.clone(), self.supply.store().clone(), self.sabotage);
		let span = tracing::Span::current();
		let work = spawn_blocking(move || {
			let _entered = span.entered();
			// Given back when the device is free, even if nobody waits any more.
			let _device = device;
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
			let begun = Instant::now();
			let commitment = trace.commit_executed(&program);
			drop(tensors);
			let Trace { tensors } = trace;
			store.put_tensors(commitment.tensor_roots.iter().copied().zip(&tensors))?;
			store.put_trace(&commitment.tensor_roots)?;
			let bytes = program.costs().trace_bytes;
			tracing::info!("committed and stored {bytes} bytes in {:.2?}", begun.elapsed());
			Ok(commitment)
		});
		work.await.map_err(|error| Failure::Passing(error.to_string()))?
	}

	async fn do_holds(
		&self,
		program: Root,
		commitment: work::Commitment,
	) -> Result<bool, StoreError> {
		let held = on_disk(self.supply.store(), move |store| {
			let Some(roots) = store.trace(&commitment.trace_root.0)? else { return Ok(false) };
			if roots.last() != Some(&commitment.output_root.0)
				|| !store.has(Kind::Program, &program)?
			{
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
	) -> BoxFuture<'a, Result<Prepared, Refusal>> {
		Box::pin(self.do_prepare(job, task))
	}

	fn perform<'a>(
		&'a self,
		job: &'a JobView,
		task: TaskId,
		inputs: &'a [primitives::Root],
	) -> BoxFuture<'a, Result<work::Commitment, Failure>> {
		Box::pin(self.do_perform(job, task, inputs))
	}

	fn holds<'a>(
		&'a self,
		job: &'a JobView,
		commitment: work::Commitment,
	) -> BoxFuture<'a, Result<bool, StoreError>> {
		Box::pin(self.do_holds(job.program.0, commitment))
	}
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
