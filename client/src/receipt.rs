//! Gathering receipts: the records of a job, and everything that proves them.

use crate::{rpc::Rpc, At, Client, Error};
use assay_primitives::{work::JobId, BlockNumber, Hash};
use assay_receipt::{keys, task_count, verify, Block, Checked, Finalised, Proof, Receipt, Records};
use sp_core::Bytes;
use std::time::Duration;
use tokio::time::{sleep, Instant};

/// JSON-RPC's code for a method that does not exist.
const NO_SUCH_METHOD: i32 = -32_601;
/// Time for the votes on a block that is final to be stored.
const VOTES_PATIENCE: Duration = Duration::from_secs(60);
/// Pause between looks for them.
const VOTES_PAUSE: Duration = Duration::from_secs(1);

impl Client {
	/// The receipt of a job at the last block whose finality can be proved, which is one that is
	/// final now or a later one; `None` if there is no such job. It was checked as
	/// [`assay_receipt::verify`] does.
	///
	/// # Errors
	/// [`Error::NoFinality`] on a chain on which nobody votes, [`Error::NoProofs`] if the node does
	/// not give proofs, [`Error::NoVotes`] if there are none for that block within a minute.
	pub async fn receipt(&self, job: JobId) -> Result<Option<Receipt>, Error> {
		let rpc = self.rpc();
		if self.at(At::Finalised).job(job).await?.is_none() {
			return Ok(None);
		}
		let final_now = self.at(At::Finalised).block().await?.number;
		let genesis = match rpc.prove_genesis().await {
			Err(Error::Rpc { code: Some(NO_SUCH_METHOD), .. }) => return Err(no_proofs(rpc).await?),
			genesis => genesis?,
		};
		let mut handoffs = way_to(rpc, final_now).await?;
		let block = handoffs.pop().ok_or(Error::NoVotes(final_now))?;
		let header = block.header()?;
		let at = Block { number: header.number, hash: header.hash() };
		let Some(state) = state(rpc, job, at.hash).await? else { return Ok(None) };

		let proof = Proof { genesis, handoffs, block, state };
		let records = proof.records(job)?;
		let receipt = Receipt::new(self.genesis(), at, job, records);
		let receipt = Receipt { proof: Some(proof), ..receipt };
		check(&receipt)?;
		Ok(Some(receipt))
	}

	/// The receipt of a job without a proof, at the last finalised block: the node's word.
	pub async fn unproved_receipt(&self, job: JobId) -> Result<Option<Receipt>, Error> {
		let block = self.at(At::Finalised).block().await?;
		let header = self.rpc().header(block.hash).await?;
		let Some(state) = state(self.rpc(), job, block.hash).await? else { return Ok(None) };
		let records = Records::prove(job, header.state_root, &state)?;
		let block = Block { number: block.number, hash: block.hash };
		Ok(Some(Receipt::new(self.genesis(), block, job, records)))
	}
}

/// Why there are no proofs.
async fn no_proofs(rpc: &Rpc) -> Result<Error, Error> {
	Ok(match rpc.knows("engine_createBlock").await? {
		true => Error::NoFinality,
		false => Error::NoProofs("assay_proveGenesis"),
	})
}

/// The handoffs from the first block on, and at the end a block at this height or above.
async fn way_to(rpc: &Rpc, height: BlockNumber) -> Result<Vec<Finalised>, Error> {
	let deadline = Instant::now() + VOTES_PATIENCE;
	loop {
		let way = way(rpc).await?;
		let last = way.last().map(|block| block.header()).transpose()?;
		if last.is_some_and(|header| header.number >= height) {
			return Ok(way);
		}
		if Instant::now() > deadline {
			return Err(Error::NoVotes(height));
		}
		sleep(VOTES_PAUSE).await;
	}
}

async fn way(rpc: &Rpc) -> Result<Vec<Finalised>, Error> {
	let mut way: Vec<Finalised> = Vec::new();
	let (mut from, mut height) = (None, 0);
	loop {
		let page = rpc.prove_finality(from).await?;
		way.extend(page.blocks);
		let last = way.last().map(|block| block.header()).transpose()?;
		let Some(last) = last.filter(|_| !page.finished) else { return Ok(way) };
		// A node that leads nowhere is not followed for ever.
		if last.number <= height {
			return Err(Error::Proof(format!("its pages do not go on from block {height}")));
		}
		(from, height) = (Some(last.hash()), last.number);
	}
}

/// The proof of everything that a receipt of the job is made from; `None` if there is no such job.
async fn state(rpc: &Rpc, job: JobId, at: Hash) -> Result<Option<Vec<Bytes>>, Error> {
	let key = keys(job, 0).pop().unwrap_or_default();
	let Some(record) = rpc.storage(&key, at).await? else { return Ok(None) };
	Ok(Some(rpc.read_proof(&keys(job, task_count(&record)?), at).await?))
}

/// Checks the receipt as whoever keeps it will.
fn check(receipt: &Receipt) -> Result<(), Error> {
	let text = serde_json::to_string(receipt).map_err(|error| Error::Proof(error.to_string()))?;
	let outcome = verify(&text, Some(receipt.genesis));
	if outcome.ok() {
		return Ok(());
	}
	let failed = outcome.checks.iter().filter(|check| check.result == Checked::Failed);
	let failed: Vec<_> = failed.map(|c| format!("{}: {}", c.check, c.text)).collect();
	Err(Error::Proof(failed.join("; ")))
}
