//! `assay program run`.

use super::{inspect::summary, load};
use crate::{context::Context, output::facts, progress};
use anyhow::Context as _;
use assay_compute::{execute_with, Dtype, Tensor};
use assay_primitives::work::Costs;
use clap::Args;
use serde::Serialize;
use std::{fmt::Write, fs, path::PathBuf, time::Instant};

/// Most rows, and most elements of a row, that are shown to people.
const SHOWN: usize = 8;

/// Arguments.
#[derive(Args)]
pub struct Arguments {
	/// Program as JSON.
	program: PathBuf,
	/// One file of raw row-major bytes for each `input` node, in node order.
	#[arg(long, value_name = "FILE", num_args = 0.., value_delimiter = ',')]
	input: Vec<PathBuf>,
	/// Folder of the constants, each in `<root>.bin`; `tensors` beside the program unless given.
	#[arg(long, value_name = "DIR")]
	tensors: Option<PathBuf>,
	/// Write the output's raw bytes here.
	#[arg(long, value_name = "FILE")]
	output: Option<PathBuf>,
}

#[derive(Serialize)]
struct Report {
	program_id: String,
	output_shape: String,
	output_root: String,
	trace_root: String,
	tensor_roots: Vec<String>,
	costs: Costs,
	execute_ms: u128,
	commit_ms: u128,
	#[serde(skip_serializing_if = "Option::is_none")]
	output_file: Option<String>,
	/// The output's bytes in hex, unless they are many.
	#[serde(skip_serializing_if = "Option::is_none")]
	output: Option<String>,
}

/// Longest output that is printed in JSON, in bytes.
const PRINTED: usize = 64 * 1024;

/// Runs a program.
pub fn run(context: &Context, arguments: &Arguments) -> anyhow::Result<()> {
	let program = load::program(&arguments.program)?;
	let dir = load::tensors_dir(&arguments.program, arguments.tensors.as_deref());
	let mut tensors = load::inputs(&program, &arguments.input)?;
	tensors.extend(load::consts(&program, &dir)?);

	let bar = progress::bar(context.output, "executing", program.len().into());
	let started = Instant::now();
	let mut observer = |_: u32, _: u32| {
		bar.inc(1);
		true
	};
	let trace = execute_with(&program, &tensors, &mut observer)?;
	let execute_ms = started.elapsed().as_millis();
	bar.finish_and_clear();

	let spinner = progress::spinner(context.output, "committing");
	let started = Instant::now();
	let commitment = trace.commit_executed(&program);
	let commit_ms = started.elapsed().as_millis();
	spinner.finish_and_clear();

	let output = trace.output().context("a program without nodes")?;
	if let Some(path) = &arguments.output {
		fs::write(path, output.data())
			.with_context(|| format!("cannot write the output to {}", path.display()))?;
	}
	let report = Report {
		program_id: hex::encode(program.id()),
		output_shape: output.shape().to_string(),
		output_root: hex::encode(commitment.output_root),
		trace_root: hex::encode(commitment.trace_root),
		tensor_roots: commitment.tensor_roots.iter().map(hex::encode).collect(),
		costs: program.costs().into(),
		execute_ms,
		commit_ms,
		output_file: arguments.output.as_ref().map(|path| path.display().to_string()),
		output: (arguments.output.is_none() && output.data().len() <= PRINTED)
			.then(|| hex::encode(output.data())),
	};
	context.output.result(&report, || {
		let mut rows = vec![
			("output", report.output_shape.clone()),
			("output root", report.output_root.clone()),
			("trace root", report.trace_root.clone()),
			("executed in", format!("{execute_ms} ms")),
			("committed in", format!("{commit_ms} ms")),
		];
		rows.extend(report.output_file.clone().map(|path| ("written to", path)));
		format!("{}\n{}\n{}", summary(&program), facts(rows), preview(output))
	});
	Ok(())
}

/// The first rows and columns.
fn preview(tensor: &Tensor) -> String {
	let shape = tensor.shape();
	let mut text = String::new();
	for (index, row) in (0u32..).zip(tensor.rows()).take(SHOWN) {
		let elements: Vec<String> = match shape.dtype {
			Dtype::I8 => row.iter().take(SHOWN).map(|b| b.cast_signed().to_string()).collect(),
			Dtype::I32 => row
				.as_chunks::<4>()
				.0
				.iter()
				.take(SHOWN)
				.map(|bytes| i32::from_le_bytes(*bytes).to_string())
				.collect(),
		};
		let more = if shape.cols as usize > SHOWN { " …" } else { "" };
		let _ = writeln!(text, "row {index}: {}{more}", elements.join(" "));
	}
	if shape.rows as usize > SHOWN {
		let _ = writeln!(text, "… {} rows in all", shape.rows);
	}
	text
}
