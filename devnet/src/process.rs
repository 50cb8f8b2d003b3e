//! Child processes that end with their owner.

use anyhow::{bail, Context, Result};
use std::{
	fs::{self, File},
	net::TcpListener,
	path::{Path, PathBuf},
	process::{Child, Command, Stdio},
	thread,
	time::{Duration, Instant},
};

/// The folder of Assay's programs: where this one was built.
pub fn programs() -> Result<PathBuf> {
	let own = std::env::current_exe().context("this program has no path")?;
	let folder =
		own.ancestors().skip(1).find(|folder| folder.join("assay-node").is_file()).context(
			"assay-node was not found beside this program: run `cargo build --workspace`",
		)?;
	for name in ["assay-node", "assay-worker", "assay"] {
		let program = folder.join(name);
		if !program.is_file() {
			bail!("{} is missing: run `cargo build --workspace`", program.display());
		}
	}
	Ok(folder.to_path_buf())
}

/// A port of loopback that nobody listened on just now.
pub fn free_port() -> Result<u16> {
	Ok(TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port())
}

/// A running program whose output goes to a file.
#[derive(Debug)]
pub struct Process {
	name: String,
	child: Child,
	log: PathBuf,
}

impl Process {
	/// Starts `command`, with its output in `log`.
	pub fn start(name: &str, command: &mut Command, log: &Path) -> Result<Self> {
		let out = File::options().create(true).append(true).open(log)?;
		let child = command
			.stdin(Stdio::null())
			.stdout(out.try_clone()?)
			.stderr(out)
			.spawn()
			.with_context(|| format!("{name} does not start"))?;
		Ok(Self { name: name.into(), child, log: log.into() })
	}

	/// The process's number.
	pub fn id(&self) -> u32 {
		self.child.id()
	}

	/// All it has written.
	pub fn log(&self) -> String {
		fs::read(&self.log).map(|b| String::from_utf8_lossy(&b).into_owned()).unwrap_or_default()
	}

	/// Whether it still runs.
	pub fn is_running(&mut self) -> bool {
		matches!(self.child.try_wait(), Ok(None))
	}

	/// Waits until `ready` holds. Fails when the process ends or `patience` runs out, with the last
	/// lines it wrote.
	pub fn wait_until(
		&mut self,
		what: &str,
		patience: Duration,
		mut ready: impl FnMut(&Self) -> bool,
	) -> Result<()> {
		let start = Instant::now();
		while !ready(self) {
			if !self.is_running() {
				bail!("{} ended before {what}:\n{}", self.name, self.tail());
			}
			if start.elapsed() > patience {
				bail!("{} took over {patience:?} before {what}:\n{}", self.name, self.tail());
			}
			thread::sleep(Duration::from_millis(50));
		}
		Ok(())
	}

	/// The last lines it wrote.
	pub fn tail(&self) -> String {
		let log = self.log();
		let lines: Vec<_> = log.lines().collect();
		lines[lines.len().saturating_sub(20)..].join("\n")
	}

	/// Ends it at once, as `kill -9` does.
	pub fn kill(&mut self) {
		let _ = self.child.kill();
		let _ = self.child.wait();
	}
}

impl Drop for Process {
	fn drop(&mut self) {
		self.kill();
	}
}
