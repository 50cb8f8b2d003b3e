//! `assay job result`.

use super::{existing, replicas};
use crate::{
	context::Context,
	failure::NotTrue,
	output::{bytes, table},
	progress,
};
use anyhow::{anyhow, bail, Context as _};
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

/// Fetches the outputs of all settled tasks.
pub async fn run(context: &Context, id: JobId, out: &Path) -> anyhow::Result<()> {
	let client = context.connect().await?.pinned().await?;
	let job = existing(&client, id).await?;
	let tasks = client.all_tasks(id).await?;
	let by_task = replicas::settled(&job, &tasks);
	let settled: Vec<&TaskView> = by_task.iter().flat_map(|(_, slots)| slots).copied().collect();
	if settled.is_empty() {
		bail!("no task of job {id} is settled yet; follow it with `assay job watch {id}`");
	}
	let fetcher = context.fetcher();
	let program = program(&fetcher, &job, &settled).await?;
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
				.with_context(|| format!("task {index} is settled without a commitment"))?;
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

/// The program, from any provider that has it, or else from the buyer. Its id is on the chain, so
/// it does not matter who serves it.
async fn program(
	fetcher: &Fetcher,
	job: &JobView,
	settled: &[&TaskView],
) -> anyhow::Result<ValidProgram> {
	let mut sources: Vec<&str> = settled
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
		 {} tasks are not settled",
		report.fetched,
		report.tasks.len(),
		bytes(shape.bytes().into()),
		out.display(),
		report.unsettled
	)
}
