//! `assay job result`.

use super::{
	existing,
	replicas::{self, is_awaiting_payment},
};
use crate::{
	context::Context,
	failure::NotTrue,
	output::{bytes, table},
	progress,
};
use anyhow::{anyhow, bail, Context as _};
use assay_client::Submitter;
use assay_compute::{Shape, ValidProgram};
use assay_data::Fetcher;
use assay_primitives::{
	views::{JobView, TaskView},
	work::{JobId, TaskIndex},
	Root,
};
use serde::Serialize;
use std::{fs, io::Write, path::Path};

/// All results for JSON; also written beside them.
#[derive(Serialize)]
struct Report {
	ok: bool,
	job: JobId,
	program: Root,
	dtype: &'static str,
	rows: u32,
	cols: u32,
	fetched: usize,
	failed: usize,
	unsettled: usize,
	/// Tasks, or replicas of them, whose delivery was acknowledged on the chain now.
	acknowledged: Vec<TaskIndex>,
	tasks: Vec<Fetched>,
}

/// One task's output.
#[derive(Serialize)]
struct Fetched {
	index: u32,
	output_root: Root,
	#[serde(skip_serializing_if = "Option::is_none")]
	file: Option<String>,
	#[serde(skip_serializing_if = "Option::is_none")]
	error: Option<String>,
}

/// Fetches the outputs of all tasks whose results stand, and with the buyer's key acknowledges those
/// that are not paid yet, so that no custodians are asked for them.
pub async fn run(context: &Context, id: JobId, out: &Path) -> anyhow::Result<()> {
	// A key that cannot be read is told before anything is fetched.
	let submitter = match context.has_key() {
		true => Some(context.submitter().await?),
		false => None,
	};
	let client = match &submitter {
		Some(submitter) => submitter.client().pinned().await?,
		None => context.connect().await?.pinned().await?,
	};
	let job = existing(&client, id).await?;
	let tasks = client.all_tasks(id).await?;
	let by_task = replicas::standing(&job, &tasks);
	let standing: Vec<&TaskView> = by_task.iter().flat_map(|(_, slots)| slots).copied().collect();
	if standing.is_empty() {
		bail!(
			"no task of job {id} has a result that stands; follow it with `assay job watch {id}`"
		);
	}
	let fetcher = context.fetcher();
	let program = program(&fetcher, &job, &standing).await?;
	let shape = program.output_shape();
	fs::create_dir_all(out).with_context(|| format!("cannot make the folder {}", out.display()))?;

	let bar = progress::bar(context.output, "fetching", by_task.len() as u64);
	let mut fetched = Vec::new();
	for (index, slots) in &by_task {
		// Any replica will do: all that are paid agree.
		let mut last = None;
		for slot in slots {
			let output_root = slot.commitment.map(|commitment| commitment.output_root);
			let output_root = output_root
				.with_context(|| format!("task {index} has a result without a commitment"))?;
			let (file, error) = match fetch(&fetcher, slot, *index, output_root, shape, out).await {
				Ok(file) => (Some(file), None),
				Err(error) => (None, Some(format!("{error:#}"))),
			};
			let is_here = file.is_some();
			last = Some(Fetched { index: *index, output_root, file, error });
			if is_here {
				break;
			}
		}
		fetched.extend(last);
		bar.inc(1);
	}
	bar.finish_and_clear();

	let acknowledged = match &submitter {
		Some(submitter) if *submitter.account() == job.owner => {
			acknowledge(context, submitter, id, &standing, &fetched).await?
		}
		_ => Vec::new(),
	};
	let failed = fetched.iter().filter(|task| task.error.is_some()).count();
	let report = Report {
		ok: failed == 0,
		job: id,
		program: job.program,
		dtype: shape.dtype.name(),
		rows: shape.rows,
		cols: shape.cols,
		fetched: fetched.len() - failed,
		failed,
		unsettled: by_task.len() - fetched.len(),
		acknowledged,
		tasks: fetched,
	};
	write(out, "result.json", &serde_json::to_vec_pretty(&report)?)?;
	context.output.result(&report, || human(&report, shape, out));
	if report.ok {
		Ok(())
	} else {
		Err(NotTrue.into())
	}
}

/// Acknowledges what is here and not paid yet. Which they were, by number.
async fn acknowledge(
	context: &Context,
	submitter: &Submitter,
	job: JobId,
	standing: &[&TaskView],
	fetched: &[Fetched],
) -> anyhow::Result<Vec<TaskIndex>> {
	let is_here =
		|root: Root| fetched.iter().any(|task| task.file.is_some() && task.output_root == root);
	let here: Vec<TaskIndex> = standing
		.iter()
		.filter(|task| is_awaiting_payment(&task.status) && !task.delivered)
		.filter(|task| task.commitment.is_some_and(|made| is_here(made.output_root)))
		.map(|task| task.id.index)
		.collect();
	if here.is_empty() {
		return Ok(here);
	}
	let sent = submitter.acknowledge(job, here.clone());
	match context.waiting("acknowledging", sent).await {
		Ok(_) => Ok(here),
		// One of them was paid meanwhile: what is here is here all the same.
		Err(error) if error.module_error().is_some_and(|name| name == "WrongState") => {
			context.output.note("some are paid already: custodians were before you");
			Ok(Vec::new())
		}
		Err(error) => Err(error.into()),
	}
}

/// The program, from any provider that has it, or else from the buyer. Its id is on the chain, so
/// it does not matter who serves it.
async fn program(
	fetcher: &Fetcher,
	job: &JobView,
	standing: &[&TaskView],
) -> anyhow::Result<ValidProgram> {
	let mut sources: Vec<&str> = standing
		.iter()
		.filter_map(|task| task.matched.as_ref())
		.map(|matched| matched.endpoint.as_str())
		.chain([job.data_url.as_str()])
		.filter(|url| !url.is_empty())
		.collect();
	sources.sort_unstable();
	sources.dedup();
	let mut errors = Vec::new();
	for source in sources {
		match fetcher.program(source, &job.program.0).await {
			Ok(program) => return Ok(program),
			Err(error) => errors.push(error.to_string()),
		}
	}
	Err(anyhow!("nobody serves the program any more: {}", errors.join("; ")))
}

/// Fetches one output, hashed as it arrives, and writes it.
async fn fetch(
	fetcher: &Fetcher,
	task: &TaskView,
	index: TaskIndex,
	root: Root,
	shape: Shape,
	out: &Path,
) -> anyhow::Result<String> {
	let matched = task.matched.as_ref().context("the task has no provider")?;
	if matched.endpoint.is_empty() {
		bail!("the provider is no longer registered");
	}
	let tensor = fetcher.tensor(&matched.endpoint, &root.0, shape).await?;
	let name = format!("task-{index:05}.bin");
	write(out, &name, tensor.data())?;
	Ok(name)
}

/// Writes a file whole or not at all.
fn write(dir: &Path, name: &str, bytes: &[u8]) -> anyhow::Result<()> {
	let path = dir.join(name);
	let failed = || format!("cannot write {}", path.display());
	let mut file = tempfile::NamedTempFile::new_in(dir).with_context(failed)?;
	file.write_all(bytes).with_context(failed)?;
	#[cfg(unix)]
	{
		// Temporary files are private; results are as the user has files made.
		use std::os::unix::fs::PermissionsExt;
		let permissions = fs::Permissions::from_mode(0o644);
		file.as_file().set_permissions(permissions).with_context(failed)?;
	}
	file.persist(&path).with_context(failed)?;
	Ok(())
}

fn human(report: &Report, shape: Shape, out: &Path) -> String {
	let tasks = table(
		&["task", "output root", "file"],
		&["task"],
		report.tasks.iter().map(|task| {
			let file = task.file.clone().or_else(|| task.error.clone()).unwrap_or_default();
			vec![task.index.to_string(), format!("{:#x}", task.output_root), file]
		}),
	);
	format!(
		"{tasks}\n{} of {} outputs, each {shape} ({}), fetched to {} and checked against the chain; \
		 {} tasks have no result that stands, {} were acknowledged",
		report.fetched,
		report.tasks.len(),
		bytes(shape.bytes().into()),
		out.display(),
		report.unsettled,
		report.acknowledged.len()
	)
}
