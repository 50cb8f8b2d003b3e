//! Sealing a report, waiting as long as it takes, and opening it.

use super::{judged, subject::Subject, usage, Sealed};
use crate::{context::Context, failure::NotTrue, output::facts, progress};
use anyhow::Context as _;
use assay_client::{address, report_seal, Amount, Error, Judgement, Submitter};
use assay_primitives::{views::ChallengeView, work::TaskId, BlockNumber};
use rand::{rngs::OsRng, RngCore};
use serde_json::json;
use std::{
	fs,
	path::{Path, PathBuf},
	time::Duration,
};

/// Reports a lie.
pub async fn report(
	context: &Context,
	subject: &Subject,
	submitter: &Submitter,
	proof: Vec<u8>,
	out: Option<&Path>,
) -> anyhow::Result<Judgement> {
	let task = subject.view.id;
	let ChallengeView { submitted_at, delay, bond, .. } = subject.challenge()?;
	if !is_open(submitter, task, submitted_at).await? {
		return Ok(Judgement::Decided);
	}
	let mut salt = [0; 32];
	OsRng.try_fill_bytes(&mut salt)?;
	let mut sealed = Sealed {
		genesis: submitter.client().genesis(),
		task,
		submitted_at,
		reporter: address(submitter.account()),
		sealed_at: None,
		delay,
		proof: hex::encode(&proof),
		salt: hex::encode(salt),
	};
	let path = sealed.path(out)?;
	if path.exists() {
		// An earlier run's, whose bond depends on it.
		let earlier = Sealed::read(&path)?;
		if !earlier.is_about_the_same(&sealed) {
			let text = format!("{} holds another report; see `assay audit resume`", path.display());
			return Err(usage(text));
		}
		return finish(context, submitter, earlier, &path).await;
	}
	// Before it is sealed: from then on the bond depends on the salt.
	sealed.write(&path)?;
	let what = format!("sealing the report, bond {}", Amount(bond));
	match commit(context, submitter, &mut sealed, &path, &what).await {
		// It is in a block and has failed: there is nothing to open.
		Err(error) if matches!(error.downcast_ref(), Some(Error::Dispatch(_))) => {
			forget(context, &path);
			return Err(error);
		}
		done => done.with_context(|| kept(&path))?,
	}
	open(context, submitter, &sealed, &path).await
}

/// Opens a report that an earlier run has sealed, or was about to.
pub async fn resume(context: &Context, path: PathBuf) -> anyhow::Result<()> {
	let sealed = Sealed::read(&path)?;
	let submitter = context.submitter().await?;
	let client = submitter.client();
	if client.genesis() != sealed.genesis {
		return Err(usage("the report was sealed on another chain"));
	}
	if address(submitter.account()) != sealed.reporter {
		return Err(usage(format!("the report is {}'s: give that key", sealed.reporter)));
	}
	let task = sealed.task;
	let judgement = finish(context, &submitter, sealed, &path).await?;
	let reported = judged(judgement);
	let value = json!({ "job": task.job, "index": task.index, "reported": reported });
	context.output.result(&value, || {
		let name = format!("{} of job {}", task.index, task.job);
		facts([("task", name), ("report", reported.to_owned())])
	});
	match judgement {
		Judgement::Rejected => Err(NotTrue.into()),
		Judgement::Convicted | Judgement::Decided => Ok(()),
	}
}

/// Goes on with a report that was kept: it may have been sealed or not.
async fn finish(
	context: &Context,
	submitter: &Submitter,
	mut sealed: Sealed,
	path: &Path,
) -> anyhow::Result<Judgement> {
	if sealed.sealed_at.is_none() && is_open(submitter, sealed.task, sealed.submitted_at).await? {
		match commit(context, submitter, &mut sealed, path, "sealing the report").await {
			// It had been sealed, in this block at the latest.
			Err(error) if named(&error) == Some("AlreadyReported") => {
				sealed.sealed_at = Some(submitter.client().block().await?.number);
			}
			done => done.with_context(|| kept(path))?,
		}
	}
	open(context, submitter, &sealed, path).await
}

/// Whether this attempt at the task may still be challenged. The audit took its time, and a report on
/// another attempt would cost the bond.
async fn is_open(
	submitter: &Submitter,
	task: TaskId,
	submitted_at: BlockNumber,
) -> anyhow::Result<bool> {
	let now = submitter.client().challenge(task).await?;
	Ok(now.is_some_and(|now| now.submitted_at == submitted_at))
}

/// Seals it, and notes when.
async fn commit(
	context: &Context,
	submitter: &Submitter,
	sealed: &mut Sealed,
	path: &Path,
	what: &str,
) -> anyhow::Result<()> {
	let (proof, salt) = sealed.opens_with()?;
	let Sealed { task, submitted_at, .. } = *sealed;
	let seal = report_seal(submitter.account(), task, submitted_at, &proof, &salt);
	let outcome = context.waiting(what, submitter.commit_report(task, seal)).await?;
	sealed.sealed_at = Some(outcome.block.number);
	sealed.write(path)
}

/// Opens it as soon as that may be, and forgets it.
async fn open(
	context: &Context,
	submitter: &Submitter,
	sealed: &Sealed,
	path: &Path,
) -> anyhow::Result<Judgement> {
	let (proof, salt) = sealed.opens_with()?;
	let due = sealed.sealed_at.unwrap_or(0).saturating_add(sealed.delay);
	let spinner = progress::spinner(context.output, format!("waiting for block {due} …"));
	while submitter.client().block().await?.number.saturating_add(1) < due {
		tokio::time::sleep(Duration::from_millis(200)).await;
	}
	spinner.finish_and_clear();
	let opening = submitter.report_fraud(sealed.task, proof, salt);
	let opened = context.waiting("opening the report", opening).await;
	match opened.map_err(anyhow::Error::from) {
		Ok((judgement, _)) => {
			forget(context, path);
			Ok(judgement)
		}
		Err(error) if named(&error) == Some("NoReport") => {
			forget(context, path);
			Err(error.context("the report was opened before, or its time is over"))
		}
		Err(error) => Err(error.context(kept(path))),
	}
}

fn forget(context: &Context, path: &Path) {
	if let Err(error) = fs::remove_file(path) {
		context.output.note(&format!("{} can be deleted: {error}", path.display()));
	}
}

/// The pallet's error, if it is one.
fn named(error: &anyhow::Error) -> Option<&str> {
	error.downcast_ref::<Error>().and_then(Error::module_error)
}

fn kept(path: &Path) -> String {
	format!("the report is kept: open it with `assay audit resume {}`", path.display())
}
