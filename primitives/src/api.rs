//! Runtime APIs of Assay.

use crate::{
	demand::DemandView,
	views::{
		ChallengeView, Demands, JobEvent, JobView, JobsPage, NetworkStats, ProviderView, TaskView,
	},
	work::{Assurance, Custody, JobId, ProgramInfo, TaskId, TaskIndex},
	AccountId, Balance, Root,
};
use alloc::vec::Vec;

sp_api::decl_runtime_apis! {
	/// Jobs and their tasks.
	pub trait JobsApi {
		/// One job.
		fn job(id: JobId) -> Option<JobView>;
		/// Jobs with numbers below `before` (all, if `None`), newest first, at most `limit` and
		/// [`crate::views::MAX_PAGE`].
		fn jobs(before: Option<JobId>, limit: u32) -> JobsPage;
		/// Tasks of a job from `start` on, at most `limit` and [`crate::views::MAX_PAGE`].
		fn tasks(job: JobId, start: TaskIndex, limit: u32) -> Vec<TaskView>;
		/// Tasks that a provider is matched to and that are not settled or refunded.
		fn tasks_of(provider: AccountId) -> Vec<TaskView>;
		/// What happened to jobs in this block.
		fn job_events() -> Vec<JobEvent>;
		/// What is kept of a registered program.
		fn program(id: Root) -> Option<ProgramInfo>;
		/// Audit fee in planck for one run of a task of the program; `None` if the program is
		/// unknown or the assurance cannot be given to a task of this declared value.
		fn audit_fee(program: Root, assurance: Assurance, value: Balance) -> Option<Balance>;
		/// What custody of an output of the program takes; `None` if the program is unknown or its
		/// output is larger than custodians fetch.
		fn custody(program: Root) -> Option<Custody>;
		/// What the assurance demands of machines; `None` if it cannot be given.
		fn demands(assurance: Assurance) -> Option<Demands>;
		/// Runs a task may take before its money goes back, and so how many audit fees are escrowed.
		fn max_attempts() -> u8;
		/// The task's result, if it may be challenged now.
		fn challenge(task: TaskId) -> Option<ChallengeView>;
		/// Demands about the results of a provider's tasks that wait for an answer.
		fn demands_on(provider: AccountId) -> Vec<DemandView>;
		/// Whether an audit of the task is under way.
		fn under_audit(task: TaskId) -> bool;
	}

	/// Providers and their machines.
	pub trait ProvidersApi {
		/// One provider.
		fn provider(account: AccountId) -> Option<ProviderView>;
		/// The provider for which a hot key acts.
		fn provider_of(hot_key: AccountId) -> Option<AccountId>;
		/// Providers after `after` in storage order, at most `limit` and
		/// [`crate::views::MAX_PAGE`].
		fn providers(after: Option<AccountId>, limit: u32) -> Vec<ProviderView>;
	}

	/// Figures of the network.
	pub trait NetworkApi {
		/// The figures at this block.
		fn network_stats() -> NetworkStats;
	}
}
