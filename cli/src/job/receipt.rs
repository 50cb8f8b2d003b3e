//! `assay job receipt`.

use super::missing;
use crate::context::Context;
use anyhow::Context as _;
use assay_primitives::work::JobId;
use std::{fs, path::Path};

/// Prints or writes a job's receipt.
pub async fn run(
	context: &Context,
	id: JobId,
	unproved: bool,
	out: Option<&Path>,
) -> anyhow::Result<()> {
	let client = context.connect().await?;
	let receipt = match unproved {
		true => client.unproved_receipt(id).await?,
		false => context.waiting("gathering the proof", client.receipt(id)).await?,
	};
	let receipt = receipt.ok_or_else(|| missing(id))?;
	if receipt.closed_at.is_none() {
		context.output.note("the job is not closed: a later receipt will say more");
	}
	if unproved {
		context.output.note("the receipt carries no proof: nobody can check what it says");
	}
	let text = serde_json::to_string_pretty(&receipt)?;
	if let Some(path) = out {
		fs::write(path, format!("{text}\n"))
			.with_context(|| format!("cannot write the receipt to {}", path.display()))?;
	}
	context.output.result(&receipt, || match out {
		Some(path) if unproved => format!("receipt of job {id} written to {}", path.display()),
		Some(path) => format!(
			"receipt of job {id} written to {}; whoever has it can check it: assay receipt verify {} \
			 --genesis {:#x}",
			path.display(),
			path.display(),
			receipt.genesis
		),
		None => text,
	});
	Ok(())
}
