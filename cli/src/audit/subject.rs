//! What is looked at, and the look.

use super::usage;
use crate::{context::Context, job};
use anyhow::{bail, Context as _};
use assay_auditor::{Config, Once, Policy, Retry};
use assay_client::Client;
use assay_compute::{
	audit::{Claim as ComputeClaim, Fault},
	proof::{verify, FraudProof, Statement},
	ValidProgram,
};
use assay_primitives::{
	auditor::{AuditId, AuditReply, AuditRequest},
	views::{ChallengeView, MatchView, TaskView},
	work::{Claim, Depth, TaskId},
};
use codec::{DecodeAll, Encode};
use tokio::sync::OnceCell;

/// What is to be looked at.
pub struct Subject {
	pub view: TaskView,
	/// How it may be challenged, if it may.
	pub challenge: Option<ChallengeView>,
	pub matched: MatchView,
	claim: Claim,
	/// Where the buyer serves program, constants and inputs.
	buyer: String,
	program: OnceCell<ValidProgram>,
}

/// Who looks.
pub struct Auditor(Once);

impl Auditor {
	pub fn new(context: &Context) -> Self {
		Self(Once::new(Config {
			fetch: Policy { allow_local: context.allow_local(), ..Policy::default() },
			// A worker that is not reached is done without.
			retry: Retry::default(),
			..Config::default()
		}))
	}

	/// Looks, with what was opened on the chain so far.
	pub async fn audit(
		&self,
		context: &Context,
		subject: &Subject,
		depth: Depth,
		answers: &[Vec<u8>],
	) -> anyhow::Result<AuditReply> {
		let Subject { view, challenge, matched, claim, buyer, .. } = subject;
		let request = AuditRequest {
			audit: AuditId {
				task: view.id,
				submitted_at: challenge.map_or(0, |challenge| challenge.submitted_at),
				provider: matched.provider.encode(),
				claim: claim.clone(),
				depth,
			},
			endpoint: matched.endpoint.clone().into_bytes(),
			buyer: buyer.clone().into_bytes(),
			answers: answers.to_vec(),
			now: 0,
			deadline: 0,
			keep_for: 0,
		};
		let spinner = crate::progress::spinner(context.output, "auditing …");
		let reply = self.0.audit(request).await;
		spinner.finish_and_clear();
		Ok(reply)
	}
}

impl Subject {
	pub async fn read(client: &Client, task: TaskId) -> anyhow::Result<Self> {
		let pinned = client.pinned().await?;
		let job = job::existing(&pinned, task.job).await?;
		let slots = job.tasks.saturating_mul(job.assurance.slots());
		if task.index >= slots {
			return Err(usage(format!("job {} has {slots} tasks", task.job)));
		}
		let view = pinned.tasks(task.job, task.index, 1).await?.into_iter().next();
		let view = view.context("the task is not there")?;
		let (Some(commitment), Some(matched)) = (view.commitment, view.matched.clone()) else {
			bail!("nothing is submitted for task {} of job {}", task.index, task.job);
		};
		let challenge = pinned.challenge(task).await?;
		// A trace root may have been given since.
		let commitment = challenge.map_or(commitment, |challenge| challenge.commitment);
		let claim = Claim { program: job.program, inputs: view.inputs.clone(), commitment };
		let program = OnceCell::new();
		Ok(Self { view, challenge, matched, claim, buyer: job.data_url, program })
	}

	/// Reads the same attempt at the task again: its trace root may have been given.
	pub async fn read_again(&mut self, client: &Client) -> anyhow::Result<()> {
		let challenge = self.challenge()?;
		let now = client.challenge(self.view.id).await?;
		let now = now.filter(|now| now.submitted_at == challenge.submitted_at);
		let now = now.context("the result was decided meanwhile")?;
		self.claim.commitment = now.commitment;
		self.challenge = Some(now);
		Ok(())
	}

	/// Whether the worker has committed to a trace.
	pub fn has_trace(&self) -> bool {
		self.claim.commitment.trace_root.is_some()
	}

	/// How the result may be challenged.
	pub fn challenge(&self) -> anyhow::Result<ChallengeView> {
		let TaskId { job, index } = self.view.id;
		self.challenge.with_context(|| {
			format!("the result of task {index} of job {job} stands and cannot be challenged")
		})
	}

	/// The program, from whoever serves it.
	async fn program(&self, context: &Context) -> anyhow::Result<&ValidProgram> {
		let fetch = || async {
			let (fetcher, id) = (context.fetcher(), self.claim.program.0);
			if let Ok(program) = fetcher.program(&self.buyer, &id).await {
				return anyhow::Ok(program);
			}
			Ok(fetcher.program(&self.matched.endpoint, &id).await?)
		};
		self.program.get_or_try_init(fetch).await
	}

	/// Decides something as the chain would.
	pub async fn state<T>(
		&self,
		context: &Context,
		decide: impl FnOnce(&Statement<'_>) -> T,
	) -> anyhow::Result<T> {
		let program = self.program(context).await?;
		let inputs: Vec<u32> = program.inputs().into_iter().map(|(node, _)| node).collect();
		let (id, commitment) = (self.claim.program.0, &self.claim.commitment);
		let claim = ComputeClaim {
			input_roots: self.claim.inputs.iter().map(|root| root.0).collect(),
			output_root: commitment.output_root.0,
			trace_root: commitment.trace_root.context("no trace root was given")?.0,
		};
		let nodes = program.len();
		Ok(decide(&Statement { program: &id, nodes, inputs: &inputs, claim: &claim }))
	}

	/// Decides a proof as the chain would.
	pub async fn judge(&self, context: &Context, proof: &[u8]) -> anyhow::Result<Fault> {
		let proof = FraudProof::decode_all(&mut &proof[..])?;
		Ok(self.state(context, |statement| verify(statement, &proof)).await??)
	}
}
