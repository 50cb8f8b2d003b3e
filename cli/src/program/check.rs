//! `assay program check`.

use crate::{context::Context, failure::NotTrue, progress};
use assay_compute::json::{check_case, load_cases};
use serde::Serialize;
use std::{fmt::Write, fs, path::Path, path::PathBuf};

/// What became of all files.
#[derive(Serialize, Default)]
struct Report {
	ok: bool,
	cases: usize,
	right: usize,
	/// Of the right ones, programs that were rejected as they should be.
	rejected: usize,
	files: Vec<FileReport>,
}

#[derive(Serialize)]
struct FileReport {
	file: String,
	cases: usize,
	right: usize,
	#[serde(skip_serializing_if = "Option::is_none")]
	error: Option<String>,
	#[serde(skip_serializing_if = "Vec::is_empty")]
	failures: Vec<Failure>,
	/// Why each invalid program was rejected.
	#[serde(skip_serializing_if = "Vec::is_empty")]
	rejected: Vec<Rejected>,
}

#[derive(Serialize)]
struct Failure {
	case: String,
	what: String,
}

#[derive(Serialize)]
struct Rejected {
	case: String,
	reason: String,
}

/// Checks every case of every file, whatever fails before.
pub fn run(context: &Context, files: &[PathBuf]) -> anyhow::Result<()> {
	let mut report = Report { ok: true, ..Report::default() };
	for path in files {
		let file = check(context, path);
		report.cases += file.cases;
		report.right += file.right;
		report.rejected += file.rejected.len();
		report.ok &= file.error.is_none() && file.right == file.cases;
		report.files.push(file);
	}
	context.output.result(&report, || human(&report));
	if report.ok {
		Ok(())
	} else {
		Err(NotTrue.into())
	}
}

fn check(context: &Context, path: &Path) -> FileReport {
	let mut report = FileReport {
		file: path.display().to_string(),
		cases: 0,
		right: 0,
		error: None,
		failures: Vec::new(),
		rejected: Vec::new(),
	};
	let cases = fs::read_to_string(path)
		.map_err(|error| error.to_string())
		.and_then(|text| load_cases(&text).map_err(|error| error.to_string()));
	let cases = match cases {
		Ok(cases) if cases.is_empty() => {
			report.error = Some("it holds no cases".into());
			return report;
		}
		Ok(cases) => cases,
		Err(error) => {
			report.error = Some(error);
			return report;
		}
	};
	report.cases = cases.len();
	let bar = progress::bar(context.output, &report.file, cases.len() as u64);
	for case in &cases {
		match check_case(case) {
			Ok(found) => {
				report.right += 1;
				if let Some(reason) = found.rejected {
					report.rejected.push(Rejected { case: found.name, reason });
				}
			}
			Err(failure) => {
				report.failures.push(Failure { case: failure.name, what: failure.what });
			}
		}
		bar.inc(1);
	}
	bar.finish_and_clear();
	report
}

fn human(report: &Report) -> String {
	let mut text = String::new();
	for file in &report.files {
		if let Some(error) = &file.error {
			let _ = writeln!(text, "WRONG {}: {error}", file.file);
		}
		for failure in &file.failures {
			let _ = writeln!(text, "WRONG {}: case {}: {}", file.file, failure.case, failure.what);
		}
		if file.error.is_none() {
			let rejected = match file.rejected.len() {
				0 => String::new(),
				count => format!(", {count} of them invalid programs that were rejected"),
			};
			let _ = writeln!(
				text,
				"{}: {} of {} cases right{rejected}",
				file.file, file.right, file.cases
			);
		}
	}
	let _ = write!(
		text,
		"{} of {} cases right in {} files",
		report.right,
		report.cases,
		report.files.len()
	);
	text
}
