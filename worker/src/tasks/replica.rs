//! Replicas: what was found is sealed, and opened once all others are sealed too.
//!
//! The salt is in the journal, on the disk, before the seal goes out: without it nothing can be
//! opened, and that costs a part of the collateral.

use super::{Context, Outcome, StepError};
use crate::{
	chain::{Call, Chain},
	journal::{Entry, Secret},
	runner::on_disk,
};
use assay_compute::{Dtype, Tensor};
use assay_primitives::{
	replication::{self, MAX_SUMMARY},
	views::TaskView,
	work::Commitment,
	BlockNumber,
};
use rand::{rngs::OsRng, RngCore};

impl<C: Chain> Context<C> {
	/// Seals what was made.
	pub(super) async fn seal(
		&self,
		view: &TaskView,
		mut entry: Entry,
		commitment: Commitment,
		tolerance: u32,
	) -> Result<Outcome, StepError> {
		let Some(matched) = &view.matched else { return Ok(Outcome::Waits) };
		let secret = match entry.sealed.clone() {
			Some(secret) => secret,
			None => {
				let summary = self.summary(commitment, tolerance).await?;
				let secret = Secret { salt: salt()?, summary };
				entry.sealed = Some(secret.clone());
				self.journal.save(entry).await?;
				secret
			}
		};
		let (outcome, salt) = (outcome(commitment, &secret)?, secret.salt.0);
		let seal = replication::seal(&matched.provider, view.id, &outcome, &salt);
		let done = self.send(Call::Seal { task: view.id, seal }).await?;
		tracing::info!("sealed output {:#x}", commitment.output_root);
		Ok(done)
	}

	/// Opens what was sealed.
	pub(super) async fn open(
		&self,
		view: &TaskView,
		until: BlockNumber,
	) -> Result<Outcome, StepError> {
		if view.commitment.is_some() {
			return Ok(Outcome::Waits);
		}
		let known = self
			.journal
			.get(view.id)
			.filter(|entry| entry.attempts == view.attempts && entry.inputs == view.inputs);
		let known = known.and_then(|entry| Some((entry.commitment()?, entry.sealed?)));
		let Some((commitment, secret)) = known else {
			tracing::error!("the journal does not say what was sealed: it cannot be opened");
			return Ok(Outcome::Waits);
		};
		if *self.chain.heights().borrow() > until {
			tracing::warn!("the last block to open in, {until}, has passed");
			return Ok(Outcome::Waits);
		}
		let (outcome, salt) = (outcome(commitment, &secret)?, secret.salt.0);
		let done = self.send(Call::Open { task: view.id, outcome, salt }).await?;
		tracing::info!("opened output {:#x}", commitment.output_root);
		Ok(done)
	}

	/// What others' results are compared with within a tolerance: nothing, where there is none.
	async fn summary(&self, made: Commitment, tolerance: u32) -> Result<Vec<i32>, StepError> {
		if tolerance == 0 {
			return Ok(Vec::new());
		}
		let root = made.output_root.0;
		let output = on_disk(&self.store, move |store| store.tensor(&root)).await?;
		let output = output.ok_or_else(|| StepError::Work("its output is gone".into()))?;
		Ok(summarise(&output))
	}
}

fn salt() -> Result<assay_primitives::Root, StepError> {
	let mut salt = [0; 32];
	let filled = OsRng.try_fill_bytes(&mut salt);
	filled
		.map_err(|error| StepError::Work(format!("the system has no random numbers: {error}")))?;
	Ok(salt.into())
}

fn outcome(commitment: Commitment, secret: &Secret) -> Result<replication::Outcome, StepError> {
	let summary = secret.summary.clone().try_into();
	let summary = summary.map_err(|_| StepError::Work("its summary is too long".into()))?;
	Ok(replication::Outcome { commitment, summary })
}

/// The elements of a small tensor; of a larger one the sums of so many stretches of its elements, as
/// long as each other but for one, row by row.
pub fn summarise(tensor: &Tensor) -> Vec<i32> {
	let elements: Vec<i64> = match tensor.shape().dtype {
		Dtype::I8 => tensor.as_i8().iter().map(|element| i64::from(*element)).collect(),
		Dtype::I32 => {
			let word = |bytes: &[u8]| bytes.iter().rev().fold(0u32, |w, b| w << 8 | u32::from(*b));
			tensor.data().chunks_exact(4).map(|bytes| i64::from(word(bytes) as i32)).collect()
		}
	};
	let (count, most) = (elements.len(), MAX_SUMMARY as usize);
	let parts = count.min(most);
	(0..parts)
		.map(|part| {
			let stretch = &elements[part * count / parts..(part + 1) * count / parts];
			let sum = stretch.iter().fold(0i64, |sum, element| sum.saturating_add(*element));
			sum.clamp(i32::MIN.into(), i32::MAX.into()) as i32
		})
		.collect()
}
