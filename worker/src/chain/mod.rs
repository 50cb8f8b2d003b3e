//! What the worker reads of the chain and asks of it.

mod client;
mod pace;

pub use assay_client::{Error as ChainError, MachineSpec, Profile};
pub use client::Node;
pub use pace::{Pace, NOMINAL};

use assay_primitives::{
	demand::DemandView,
	market::{Ask, MachineId},
	replication::{Outcome, Salt},
	views::{JobView, ProviderView, TaskView},
	work::{Commitment, JobId, TaskId},
	AccountId, Balance, BlockNumber, Root,
};
use std::{future::Future, time::Duration};
use tokio::sync::watch;

/// One account's view of the chain, always of finalised blocks: nothing it is told is taken back.
pub trait Chain: Send + Sync + 'static {
	/// The account with whose key [`send`](Self::send) signs.
	fn account(&self) -> AccountId;

	/// Height of the last finalised block, as it grows.
	fn heights(&self) -> watch::Receiver<BlockNumber>;

	/// Time between two blocks, as far as is known.
	fn block_time(&self) -> Duration;

	/// The provider for which a hot key acts.
	fn provider_of(
		&self,
		hot_key: &AccountId,
	) -> impl Future<Output = Result<Option<AccountId>, ChainError>> + Send;

	/// One provider.
	fn provider(
		&self,
		account: &AccountId,
	) -> impl Future<Output = Result<Option<ProviderView>, ChainError>> + Send;

	/// Tasks that a provider is matched to and that have not ended.
	fn tasks_of(
		&self,
		provider: &AccountId,
	) -> impl Future<Output = Result<Vec<TaskView>, ChainError>> + Send;

	/// Demands about the results of a provider's tasks that wait for an answer.
	fn demands_on(
		&self,
		provider: &AccountId,
	) -> impl Future<Output = Result<Vec<DemandView>, ChainError>> + Send;

	/// One task.
	fn task(&self, id: TaskId)
		-> impl Future<Output = Result<Option<TaskView>, ChainError>> + Send;

	/// One job.
	fn job(&self, id: JobId) -> impl Future<Output = Result<Option<JobView>, ChainError>> + Send;

	/// What an account may spend, in planck.
	fn balance(
		&self,
		account: &AccountId,
	) -> impl Future<Output = Result<Balance, ChainError>> + Send;

	/// Signs a call, sends it, and waits until it is final. `Ok`: it succeeded.
	fn send(&self, call: Call) -> impl Future<Output = Result<(), ChainError>> + Send;
}

/// What may be asked of the chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Call {
	/// Takes up an offer; signed by the hot key, as the next five.
	Accept {
		/// The task.
		task: TaskId,
		/// Roots of its inputs, in node order.
		inputs: Vec<Root>,
		/// Path from the task to the job's tasks root.
		path: Vec<Root>,
	},
	/// Turns an offer down.
	Decline {
		/// The task.
		task: TaskId,
	},
	/// Commits to a result.
	Submit {
		/// The task.
		task: TaskId,
		/// The result.
		commitment: Commitment,
	},
	/// Seals what a replica found.
	Seal {
		/// The slot.
		task: TaskId,
		/// The seal.
		seal: Root,
	},
	/// Opens what a replica has sealed.
	Open {
		/// The slot.
		task: TaskId,
		/// What was found.
		outcome: Outcome,
		/// With which it was sealed.
		salt: Salt,
	},
	/// Gives an accepted task up.
	Abandon {
		/// The task.
		task: TaskId,
	},
	/// Opens on the chain what is demanded of a result.
	Answer {
		/// The task.
		task: TaskId,
		/// Whose demand.
		by: AccountId,
		/// The encoding of what is opened.
		answer: Vec<u8>,
	},
	/// Registers the signer as a provider; signed by the provider, as all that follow.
	Register {
		/// With which its worker signs.
		hot_key: AccountId,
		/// What is held, in planck.
		stake: Balance,
		/// What it says of itself.
		profile: Profile,
	},
	/// Sets what the provider says of itself.
	SetProfile(Profile),
	/// Has the worker sign with another key.
	SetHotKey(AccountId),
	/// Adds to the stake, in planck.
	BondExtra(Balance),
	/// Adds a machine.
	AddMachine(MachineSpec),
	/// Sets the terms on which a machine takes work.
	SetAsk(MachineId, Ask),
	/// Sends planck to an account.
	Transfer(AccountId, Balance),
}

/// Whether a call failed because the task is no longer what it was when the call was decided on.
pub fn has_moved_on(error: &ChainError) -> bool {
	const MOVED: [&str; 9] = [
		"AlreadyOpened",
		"UnknownJob",
		"UnknownTask",
		"NotHotKey",
		"NotYours",
		"WrongState",
		"OfferLapsed",
		"DeadlinePassed",
		"NoDemand",
	];
	error.module_error().is_some_and(|name| MOVED.contains(&name))
}
