//! A node, its workers and its users.

use crate::{free_port, programs, Cli, Process};
use anyhow::Result;
use std::{
	path::{Path, PathBuf},
	process::Command,
	time::Duration,
};
use tempfile::TempDir;

/// Time a node has to answer for the first time.
const NODE_PATIENCE: Duration = Duration::from_secs(120);
/// Time a worker has to say that it works.
const WORKER_PATIENCE: Duration = Duration::from_secs(60);

/// How to start a network.
#[derive(Clone, Debug)]
pub struct Options {
	/// Milliseconds between blocks.
	pub block_time: u64,
	/// Whether the node audits at all.
	pub auditor: bool,
}

impl Default for Options {
	fn default() -> Self {
		Self { block_time: 400, auditor: true }
	}
}

/// How to start a worker.
#[derive(Clone, Debug)]
pub struct WorkerOptions {
	/// Secret of the provider's account, such as `//Bob`.
	pub controller: String,
	/// Base price of a task, in ASY.
	pub price: String,
	/// Stake, in ASY.
	pub stake: String,
	/// `NODE:ROW:COL:DELTA`: one element to falsify.
	pub sabotage: Option<String>,
}

impl WorkerOptions {
	/// An honest worker of the account with this secret.
	pub fn honest(controller: &str) -> Self {
		Self {
			controller: controller.into(),
			price: "1".into(),
			stake: "5000".into(),
			sabotage: None,
		}
	}
}

/// A development chain of one node that makes a block at an interval.
#[derive(Debug)]
pub struct Net {
	/// The node.
	pub node: Process,
	/// `assay` for this network.
	pub cli: Cli,
	/// URL of the node's RPC.
	pub url: String,
	programs: PathBuf,
	folder: TempDir,
	node_args: Vec<String>,
	restarts: u32,
}

impl Net {
	/// Starts the network and waits until it answers.
	pub fn start(options: Options) -> Result<Self> {
		let programs = programs()?;
		let folder = tempfile::Builder::new().prefix("assay-net-").tempdir()?;
		let rpc = free_port()?;
		let url = format!("ws://127.0.0.1:{rpc}");
		let text = |s: &str| s.to_string();
		let mut node_args = vec![
			text("--dev"),
			text("--seal"),
			options.block_time.to_string(),
			text("--base-path"),
			folder.path().join("chain").display().to_string(),
			text("--rpc-port"),
			rpc.to_string(),
			text("--port"),
			free_port()?.to_string(),
			text("--prometheus-port"),
			free_port()?.to_string(),
			text("--no-telemetry"),
			text("--no-mdns"),
			text("--auditor"),
			text(if options.auditor { "on" } else { "off" }),
		];
		node_args.push(text("--rpc-max-connections=1000"));
		let cli = Cli::new(&programs.join("assay"), &url, &folder.path().join("buyer"));
		let node = start_node(&programs, &node_args, folder.path())?;
		let mut net = Self { node, cli, url, programs, folder, node_args, restarts: 0 };
		net.wait_ready()?;
		Ok(net)
	}

	/// Where the network keeps its files.
	pub fn folder(&self) -> &Path {
		self.folder.path()
	}

	/// Waits until the node answers.
	pub fn wait_ready(&mut self) -> Result<()> {
		let cli = self.cli.clone();
		self.node.wait_until(
			"the first answer",
			NODE_PATIENCE,
			|_| matches!(cli.attempt(&["network"]), Ok(Ok(v)) if v["block"].as_u64() > Some(0)),
		)
	}

	/// Kills the node and starts it again on the same data.
	pub fn restart_node(&mut self) -> Result<()> {
		self.node.kill();
		self.node = start_node(&self.programs, &self.node_args, self.folder.path())?;
		self.wait_ready()
	}

	/// Registers a provider with a machine and an ask, and starts its worker.
	pub fn worker(&mut self, options: &WorkerOptions) -> Result<Process> {
		let port = free_port()?;
		let name = options.controller.trim_start_matches('/').to_lowercase();
		let data = self.folder.path().join(format!("worker-{name}"));
		let hot = format!("{}//hot", options.controller);
		let endpoint = format!("http://127.0.0.1:{port}");
		let listen = format!("127.0.0.1:{port}");
		let program = self.programs.join("assay-worker");
		let output = Command::new(&program)
			.args(["register", "--node", &self.url, "--controller", &options.controller])
			.args(["--hot-key", &hot, "--endpoint", &endpoint, "--stake", &options.stake])
			.args(["--price-base", &options.price, "--slots", "16"])
			.args(["--fund", "100", "--name", &name])
			.output()?;
		if !output.status.success() {
			anyhow::bail!(
				"`assay-worker register` failed: {}",
				String::from_utf8_lossy(&output.stderr)
			);
		}
		self.start_worker(&name, &hot, &listen, &endpoint, &data, options.sabotage.as_deref())
	}

	/// Starts the worker of a provider that is registered already.
	pub fn start_worker(
		&mut self,
		name: &str,
		hot: &str,
		listen: &str,
		endpoint: &str,
		data: &Path,
		sabotage: Option<&str>,
	) -> Result<Process> {
		self.restarts += 1;
		let mut command = Command::new(self.programs.join("assay-worker"));
		command
			.args(["run", "--node", &self.url, "--hot-key", hot, "--listen", listen])
			.args(["--endpoint", endpoint, "--allow-local", "--data-dir"])
			.arg(data);
		if let Some(place) = sabotage {
			command.args(["--sabotage", place]);
		}
		let log = self.folder.path().join(format!("worker-{name}-{}.log", self.restarts));
		let mut worker = Process::start(&format!("worker {name}"), &mut command, &log)?;
		worker
			.wait_until("it served its data", WORKER_PATIENCE, |w| w.log().contains("serves "))?;
		Ok(worker)
	}
}

fn start_node(programs: &Path, args: &[String], folder: &Path) -> Result<Process> {
	let mut command = Command::new(programs.join("assay-node"));
	command.args(args);
	Process::start("node", &mut command, &folder.join("node.log"))
}
