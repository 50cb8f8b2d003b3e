//! Running `assay` and reading what it prints.

use anyhow::{bail, Context, Result};
use serde_json::Value;
use std::{
	path::{Path, PathBuf},
	process::{Command, Output, Stdio},
	thread,
	time::{Duration, Instant},
};

/// The command line of a network's users.
#[derive(Clone, Debug)]
pub struct Cli {
	program: PathBuf,
	url: String,
	home: PathBuf,
}

/// How a command failed.
#[derive(Debug)]
pub struct Failure {
	/// Its exit code.
	pub code: Option<i32>,
	/// The error it printed.
	pub error: String,
}

impl Cli {
	/// `program` against the node at `url`, with its own data under `home`.
	pub fn new(program: &Path, url: &str, home: &Path) -> Self {
		Self { program: program.into(), url: url.into(), home: home.into() }
	}

	/// A command against the network's node, for whatever [`Cli::run`] does not do.
	pub fn command(&self, args: &[&str]) -> Command {
		let mut command = Command::new(&self.program);
		command
			.args(["--url", &self.url, "--json"])
			.args(args)
			.env("XDG_DATA_HOME", &self.home)
			.stdin(Stdio::null());
		command
	}

	/// Runs a command and reads the object on the last line of its output.
	pub fn run(&self, args: &[&str]) -> Result<Value> {
		match self.attempt(args)? {
			Ok(value) => Ok(value),
			Err(f) => bail!("`assay {}` failed ({:?}): {}", args.join(" "), f.code, f.error),
		}
	}

	/// Runs a command that may fail.
	pub fn attempt(&self, args: &[&str]) -> Result<std::result::Result<Value, Failure>> {
		let output = self.command(args).output().context("assay does not start")?;
		let value = last_object(&output);
		if output.status.success() {
			let value = value.with_context(|| {
				let text = String::from_utf8_lossy(&output.stdout);
				format!("`assay {}` printed no JSON but: {text}", args.join(" "))
			})?;
			return Ok(Ok(value));
		}
		let error = value
			.as_ref()
			.and_then(|v| v["error"].as_str().map(String::from))
			.unwrap_or_else(|| String::from_utf8_lossy(&output.stderr).trim().to_string());
		Ok(Err(Failure { code: output.status.code(), error }))
	}

	/// Posts a job as `buyer`, serves its inputs and follows it until it closes. Returns what
	/// `job watch` says of it in the end: `ok`, `job`, `tasks` and `history`.
	pub fn follow(
		&self,
		buyer: &str,
		program: &Path,
		inputs: &[PathBuf],
		more: &[&str],
	) -> Result<Value> {
		let mut submission = self.submission(buyer, program, inputs, more);
		let output = submission.stderr(Stdio::inherit()).output()?;
		last_object(&output).filter(|value| value["job"]["id"].is_u64()).with_context(|| {
			let text = String::from_utf8_lossy(&output.stdout);
			format!("the job was not followed to its end: {text}")
		})
	}

	/// The command that posts a job, serves its inputs and follows it.
	pub fn submission(
		&self,
		buyer: &str,
		program: &Path,
		inputs: &[PathBuf],
		more: &[&str],
	) -> Command {
		let mut command = self.command(&["--suri", buyer, "job", "submit"]);
		command.arg(program).arg("--watch").args(more);
		command.arg("--inputs").args(inputs);
		command
	}

	/// Repeats a reading command until `done` is satisfied with what it says.
	pub fn until(
		&self,
		what: &str,
		args: &[&str],
		patience: Duration,
		mut done: impl FnMut(&Value) -> bool,
	) -> Result<Value> {
		let start = Instant::now();
		loop {
			let value = self.run(args)?;
			if done(&value) {
				return Ok(value);
			}
			if start.elapsed() > patience {
				bail!("waited over {patience:?} for {what}; last seen: {value}");
			}
			thread::sleep(Duration::from_millis(200));
		}
	}
}

/// The object on the last line of JSON.
fn last_object(output: &Output) -> Option<Value> {
	let text = String::from_utf8_lossy(&output.stdout);
	let line = text.lines().rev().find(|line| line.starts_with('{'))?;
	serde_json::from_str(line).ok()
}

/// An amount as the programs print it, a decimal string of planck; nought if it is none.
pub fn planck(value: &Value) -> u128 {
	value.as_str().and_then(|text| text.parse().ok()).unwrap_or(0)
}
