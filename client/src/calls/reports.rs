//! Reports of fraud.

use super::id;
use crate::{
	chain::{
		self,
		runtime_types::{
			assay_primitives::{demand::Wanted as ChainWanted, work::TaskId as ChainTask},
			bounded_collections::bounded_vec::BoundedVec,
		},
		verification::events::{Convicted, ReportRejected},
	},
	Error, Outcome, Submitter,
};
use assay_primitives::{demand::Wanted, work::TaskId, AccountId, BlockNumber, Root};
use codec::Encode;
use sp_crypto_hashing::blake2_256;

/// What came of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgement {
	/// The provider was convicted.
	Convicted,
	/// The proof showed no fault, and the bond is gone.
	Rejected,
	/// It had been decided before; the bond is back.
	Decided,
}

impl Submitter {
	/// Seals a report of fraud, which holds a bond. It must be opened with
	/// [`Submitter::report_fraud`].
	pub async fn commit_report(&self, task: TaskId, seal: Root) -> Result<Outcome, Error> {
		self.submit(&chain::tx().verification().commit_report(of_chain(task), seal)).await
	}

	/// Opens a sealed report: the SCALE-encoded proof and the salt it was sealed with.
	pub async fn report_fraud(
		&self,
		task: TaskId,
		proof: Vec<u8>,
		salt: [u8; 32],
	) -> Result<(Judgement, Outcome), Error> {
		let (task, proof) = (of_chain(task), BoundedVec(proof));
		let call = chain::tx().verification().report_fraud(task, proof, salt);
		let outcome = self.submit(&call).await?;
		let judgement = if outcome.find::<Convicted>().is_some() {
			Judgement::Convicted
		} else if outcome.find::<ReportRejected>().is_some() {
			Judgement::Rejected
		} else {
			Judgement::Decided
		};
		Ok((judgement, outcome))
	}

	/// Demands that the worker open something of its result on the chain: `opened` is the node that
	/// it is about, empty where it is about none. Holds its price.
	pub async fn demand(
		&self,
		task: TaskId,
		wanted: Wanted,
		opened: Vec<u8>,
	) -> Result<Outcome, Error> {
		let (task, wanted) = (of_chain(task), wanted_of_chain(wanted));
		self.submit(&chain::tx().verification().demand(task, wanted, BoundedVec(opened))).await
	}

	/// Answers a demand.
	pub async fn answer(
		&self,
		task: TaskId,
		demander: &AccountId,
		answer: Vec<u8>,
	) -> Result<Outcome, Error> {
		let (task, answer) = (of_chain(task), BoundedVec(answer));
		self.submit(&chain::tx().verification().answer(task, id(demander), answer)).await
	}

	/// Puts up a bond as an auditor.
	pub async fn bond_auditor(&self, amount: assay_primitives::Balance) -> Result<Outcome, Error> {
		self.submit(&chain::tx().verification().bond(amount)).await
	}
}

/// The seal of a report: only this reporter can open it, for this attempt at the task.
pub fn report_seal(
	reporter: &AccountId,
	task: TaskId,
	submitted_at: BlockNumber,
	proof: &[u8],
	salt: &[u8; 32],
) -> Root {
	let proof = blake2_256(proof);
	let reporter = id(reporter);
	Root::from(blake2_256(&(b"assay/report", reporter.0, task, submitted_at, proof, salt).encode()))
}

fn wanted_of_chain(wanted: Wanted) -> ChainWanted {
	match wanted {
		Wanted::Row { node, row } => ChainWanted::Row { node, row },
		Wanted::Tensors { level, index } => ChainWanted::Tensors { level, index },
		Wanted::Rows { node, level, index } => ChainWanted::Rows { node, level, index },
		Wanted::Trace => ChainWanted::Trace,
	}
}

fn of_chain(task: TaskId) -> ChainTask {
	ChainTask { job: task.job, index: task.index }
}
