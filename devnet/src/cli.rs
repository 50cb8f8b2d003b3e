//! Running `assay` and reading what it prints.

use anyhow::{bail, Context, Result};
use serde_json::Value;
use std::{
	path::{Path, PathBuf},
	process::{Command, Stdio},
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
		let text = String::from_utf8_lossy(&output.stdout);
		let last = text.lines().rev().find(|line| line.starts_with(['{', '[']));
		let value: Option<Value> = last.and_then(|line| serde_json::from_str(line).ok());
		if output.status.success() {
			let value = value.with_context(|| {
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
