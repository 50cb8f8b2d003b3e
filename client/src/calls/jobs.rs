//! Programs and jobs.

use super::{id, url};
use crate::{
	chain::{
		self, job_escrow::events::Posted, runtime_types as types,
		verification::events::ProgramRegistered,
	},
	Error, Outcome, Submitter,
};
use assay_primitives::{
	market::Requirements,
	work::{Assurance, Commitment, JobId, Mode, TaskId, TaskIndex, MAX_TASK_INPUTS},
	AccountId, Balance, BlockNumber, Root,
};
use subxt::utils::Static;
use types::bounded_collections::bounded_vec::BoundedVec;

/// Longest path from a task to the tasks root.
const MAX_PATH: usize = 32;

/// What a buyer asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobSpec {
	/// A registered program.
	pub program: Root,
	/// Merkle root over the tasks' input roots.
	pub tasks_root: Root,
	/// Number of tasks.
	pub tasks: u32,
	/// Base URL at which the buyer serves program, constants and inputs.
	pub data_url: String,
	/// What the machine must be.
	pub requirements: Requirements,
	/// How a machine is found.
	pub mode: Mode<AccountId>,
	/// How results come to be believed.
	pub assurance: Assurance,
	/// Highest price of one task, in planck.
	pub max_price: Balance,
	/// Value declared at risk beyond the price, per task, in planck.
	pub value: Balance,
	/// Blocks from acceptance to the last block of submission.
	pub deadline: BlockNumber,
	/// Blocks after which tasks that nobody took are refunded.
	pub lifetime: BlockNumber,
}

impl JobSpec {
	fn for_chain(
		&self,
	) -> Result<types::pallet_job_escrow::types::JobSpec<subxt::utils::AccountId32>, Error> {
		use types::assay_primitives::work::Mode as ChainMode;
		let mode = match &self.mode {
			Mode::Direct { provider, machine } => {
				ChainMode::Direct { provider: id(provider), machine: *machine }
			}
			Mode::BestAsk => ChainMode::BestAsk,
		};
		Ok(types::pallet_job_escrow::types::JobSpec {
			program: self.program,
			tasks_root: self.tasks_root,
			tasks: self.tasks,
			data_url: url("data URL", &self.data_url)?,
			requirements: Static(self.requirements),
			mode,
			assurance: Static(self.assurance),
			max_price: self.max_price,
			value: self.value,
			deadline: self.deadline,
			lifetime: self.lifetime,
		})
	}
}

impl Submitter {
	/// Registers a program by its canonical bytes and returns its id. Holds a deposit.
	pub async fn register_program(&self, bytes: Vec<u8>) -> Result<(Root, Outcome), Error> {
		let call = chain::tx().verification().register_program(BoundedVec(bytes));
		let outcome = self.submit(&call).await?;
		let event = outcome.find::<ProgramRegistered>();
		let event = event.ok_or(Error::NoEvent("Verification.ProgramRegistered"))?;
		Ok((event.program, outcome))
	}

	/// Removes a program that no job names and takes the deposit back.
	pub async fn remove_program(&self, program: Root) -> Result<Outcome, Error> {
		self.submit(&chain::tx().verification().remove_program(program)).await
	}

	/// Posts a job and returns its number. Holds `tasks × (max_price + runs × audit fee)`.
	pub async fn post_job(&self, spec: &JobSpec) -> Result<(JobId, Outcome), Error> {
		let call = chain::tx().job_escrow().post(spec.for_chain()?);
		let outcome = self.submit(&call).await?;
		let event = outcome.find::<Posted>().ok_or(Error::NoEvent("JobEscrow.Posted"))?;
		Ok((event.job, outcome))
	}

	/// Refunds every task of a job that nobody has accepted, and those that come back later.
	pub async fn cancel(&self, job: JobId) -> Result<Outcome, Error> {
		self.submit(&chain::tx().job_escrow().cancel(job)).await
	}

	/// Says that the owner has the outputs of these tasks.
	pub async fn acknowledge(&self, job: JobId, tasks: Vec<TaskIndex>) -> Result<Outcome, Error> {
		self.submit(&chain::tx().job_escrow().acknowledge(job, BoundedVec(tasks))).await
	}

	/// Does what is due for a task now.
	pub async fn advance(&self, task: TaskId) -> Result<Outcome, Error> {
		self.submit(&chain::tx().job_escrow().advance(task.job, task.index)).await
	}

	/// Takes up an offer, as a provider's hot key: `inputs` are the task's input roots in node
	/// order, `path` leads from it to the job's tasks root.
	pub async fn accept(
		&self,
		task: TaskId,
		inputs: Vec<Root>,
		path: Vec<Root>,
	) -> Result<Outcome, Error> {
		if inputs.len() > MAX_TASK_INPUTS as usize || path.len() > MAX_PATH {
			let (inputs, path) = (inputs.len(), path.len());
			return Err(Error::Argument(format!(
				"{inputs} inputs and a path of {path}: at most {MAX_TASK_INPUTS} and {MAX_PATH} are taken"
			)));
		}
		let (inputs, path) = (BoundedVec(inputs), BoundedVec(path));
		self.submit(&chain::tx().job_escrow().accept(task.job, task.index, inputs, path)).await
	}

	/// Turns an offer down, as a provider's hot key.
	pub async fn decline(&self, task: TaskId) -> Result<Outcome, Error> {
		self.submit(&chain::tx().job_escrow().decline(task.job, task.index)).await
	}

	/// Commits to a result, as a provider's hot key.
	pub async fn submit_result(
		&self,
		task: TaskId,
		commitment: Commitment,
	) -> Result<Outcome, Error> {
		let call = chain::tx().job_escrow().submit(task.job, task.index, Static(commitment));
		self.submit(&call).await
	}

	/// Gives up an accepted task, as a provider's hot key; counts as a missed deadline.
	pub async fn abandon(&self, task: TaskId) -> Result<Outcome, Error> {
		self.submit(&chain::tx().job_escrow().abandon(task.job, task.index)).await
	}
}
