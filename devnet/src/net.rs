//! A node, its workers and its users.

use crate::{free_port, programs, Cli, Process};
use anyhow::{Context, Result};
use std::{
	path::{Path, PathBuf},
	process::Command,
	time::Duration,
};
use tempfile::TempDir;

/// Time a node has to answer for the first time.
const NODE_PATIENCE: Duration = Duration::from_secs(120);
/// Time validators have to find each other and finalise a block.
const FINALITY_PATIENCE: Duration = Duration::from_secs(180);
/// Network keys of validators, so that the others know where the first one is.
const NODE_KEYS: [&str; 3] = [
	"0000000000000000000000000000000000000000000000000000000000000001",
	"0000000000000000000000000000000000000000000000000000000000000002",
	"0000000000000000000000000000000000000000000000000000000000000003",
];
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
	/// Base price of a task, such as `1ASY`.
	pub price: String,
	/// Stake, such as `5000ASY`.
	pub stake: String,
	/// `NODE:ROW:COL:DELTA`: one element to falsify.
	pub sabotage: Option<String>,
}

impl WorkerOptions {
	/// An honest worker of the account with this secret.
	pub fn honest(controller: &str) -> Self {
		Self {
			controller: controller.into(),
			price: "1ASY".into(),
			stake: "5000ASY".into(),
			sabotage: None,
		}
	}
}

/// A registered provider.
#[derive(Clone, Debug)]
pub struct Provider {
	/// Its name.
	pub name: String,
	/// Address of its account.
	pub address: String,
	/// Secret of the key that its worker signs with.
	pub hot: String,
	/// Where its worker listens.
	pub listen: String,
	/// URL under which it is registered.
	pub endpoint: String,
	/// The worker's folder.
	pub data: PathBuf,
}

/// A development chain of one node that makes a block at an interval, or a network of validators.
#[derive(Debug)]
pub struct Net {
	/// The node.
	pub node: Process,
	/// Further validators.
	pub others: Vec<Process>,
	/// `assay` for this network.
	pub cli: Cli,
	/// URL of the node's RPC.
	pub url: String,
	/// Port of the node's network.
	port: u16,
	programs: PathBuf,
	folder: TempDir,
	node_args: Vec<String>,
	restarts: u32,
}

impl Net {
	/// Starts a development chain and waits until it answers.
	pub fn start(options: Options) -> Result<Self> {
		let auditor = if options.auditor { "on" } else { "off" };
		let block_time = options.block_time.to_string();
		Self::first_node(&["--dev", "--seal", &block_time, "--auditor", auditor])
	}

	/// Starts a network of three validators that agree by BABE and GRANDPA, and waits until it has
	/// finalised a block.
	pub fn validators() -> Result<Self> {
		let [alice, bob, charlie] = NODE_KEYS;
		let mut net = Self::first_node(&["--chain", "local", "--alice", "--node-key", alice])?;
		let inspected = Command::new(net.programs.join("assay-node"))
			.args(["key", "inspect-node-key", "--file"])
			.arg(net.write("node-key", alice)?)
			.output()?;
		let peer = String::from_utf8(inspected.stdout)?;
		let first = format!("/ip4/127.0.0.1/tcp/{}/p2p/{}", net.port, peer.trim());
		for (name, key) in [("bob", bob), ("charlie", charlie)] {
			let (flag, folder) = (format!("--{name}"), net.folder().join(name));
			let more = ["--chain", "local", &flag, "--node-key", key, "--bootnodes", &first];
			let (args, ..) = node_args(&folder, &more)?;
			let log = net.folder().join(format!("{name}.log"));
			net.others.push(start_node(&net.programs, &args, &log)?);
		}
		let cli = net.cli.clone();
		net.node.wait_until("a finalised block", FINALITY_PATIENCE, |_| {
			let stats = cli.attempt(&["network"]);
			matches!(stats, Ok(Ok(v)) if v["finalised"]["number"].as_u64() > Some(0))
		})?;
		Ok(net)
	}

	fn first_node(more: &[&str]) -> Result<Self> {
		Self::prepared(|_, _| Ok(more.iter().map(|arg| arg.to_string()).collect()))
	}

	/// Starts a first node with the arguments that `prepare` returns when it has put into the network's
	/// folder what they need. It is told where the programs and that folder are; the node's data is in
	/// `chain` there.
	pub(crate) fn prepared(
		prepare: impl FnOnce(&Path, &Path) -> Result<Vec<String>>,
	) -> Result<Self> {
		let programs = programs()?;
		let folder = tempfile::Builder::new().prefix("assay-net-").tempdir()?;
		let more = prepare(&programs, folder.path())?;
		let (node_args, rpc, port) = node_args(&folder.path().join("chain"), &more)?;
		let url = format!("ws://127.0.0.1:{rpc}");
		let cli = Cli::new(&programs.join("assay"), &url, &folder.path().join("buyer"));
		let node = start_node(&programs, &node_args, &folder.path().join("node.log"))?;
		let others = Vec::new();
		let mut net =
			Self { node, others, cli, url, port, programs, folder, node_args, restarts: 0 };
		net.wait_ready()?;
		Ok(net)
	}

	fn write(&self, name: &str, text: &str) -> Result<PathBuf> {
		let path = self.folder().join(name);
		std::fs::write(&path, text)?;
		Ok(path)
	}

	/// Where the network keeps its files.
	pub fn folder(&self) -> &Path {
		self.folder.path()
	}

	/// Waits until the node answers.
	fn wait_ready(&mut self) -> Result<()> {
		let cli = self.cli.clone();
		self.node.wait_until("the first answer", NODE_PATIENCE, |_| {
			cli.attempt(&["network"]).is_ok_and(|answer| answer.is_ok())
		})
	}

	/// Kills the node and starts it again on the same data.
	pub fn restart_node(&mut self) -> Result<()> {
		self.node.kill();
		self.node =
			start_node(&self.programs, &self.node_args, &self.folder.path().join("node.log"))?;
		self.wait_ready()
	}

	/// Registers a provider with a machine and an ask, and starts its worker.
	pub fn worker(&mut self, options: &WorkerOptions) -> Result<Process> {
		let provider = self.register(options, None)?;
		self.start_worker(&provider, options.sabotage.as_deref())
	}

	/// Registers a provider with a machine and an ask. It is reached at `endpoint`, or else at a
	/// free port.
	pub fn register(&self, options: &WorkerOptions, endpoint: Option<&str>) -> Result<Provider> {
		let listen = format!("127.0.0.1:{}", free_port()?);
		let endpoint = endpoint.map_or_else(|| format!("http://{listen}"), String::from);
		let name = options.controller.trim_start_matches('/').to_lowercase();
		let hot = format!("{}//hot", options.controller);
		let output = Command::new(self.programs.join("assay-worker"))
			.args(["register", "--node", &self.url, "--controller", &options.controller])
			.args(["--hot-key", &hot, "--endpoint", &endpoint, "--stake", &options.stake])
			.args(["--price-base", &options.price, "--slots", "16"])
			.args(["--fund", "100ASY", "--name", &name])
			.output()?;
		if !output.status.success() {
			let error = String::from_utf8_lossy(&output.stderr);
			anyhow::bail!("`assay-worker register` failed: {error}");
		}
		let account = self.cli.run(&["key", "inspect", &options.controller])?;
		let address = account["address"].as_str().context("the key has no address")?.to_string();
		let data = self.folder.path().join(format!("worker-{name}"));
		Ok(Provider { name, address, hot, listen, endpoint, data })
	}

	/// Starts the worker of a registered provider.
	pub fn start_worker(&mut self, provider: &Provider, sabotage: Option<&str>) -> Result<Process> {
		self.restarts += 1;
		let mut command = Command::new(self.programs.join("assay-worker"));
		command
			.args(["run", "--node", &self.url, "--hot-key", &provider.hot])
			.args(["--listen", &provider.listen, "--endpoint", &provider.endpoint])
			.args(["--allow-local", "--data-dir"])
			.arg(&provider.data);
		if let Some(place) = sabotage {
			command.args(["--sabotage", place]);
		}
		let log =
			self.folder.path().join(format!("worker-{}-{}.log", provider.name, self.restarts));
		let mut worker = Process::start(&format!("worker {}", provider.name), &mut command, &log)?;
		worker
			.wait_until("it served its data", WORKER_PATIENCE, |w| w.log().contains("serves "))?;
		Ok(worker)
	}
}

/// Arguments of a node with its data in `folder` and free ports, with the ports of its RPC and of
/// its network.
fn node_args(folder: &Path, more: &[impl AsRef<str>]) -> Result<(Vec<String>, u16, u16)> {
	let [rpc, port, prometheus] = [free_port()?, free_port()?, free_port()?];
	let own = [
		"--base-path".into(),
		folder.display().to_string(),
		format!("--rpc-port={rpc}"),
		format!("--port={port}"),
		format!("--prometheus-port={prometheus}"),
		"--rpc-max-connections=1000".into(),
		"--no-telemetry".into(),
		"--no-mdns".into(),
	];
	Ok((more.iter().map(|arg| arg.as_ref().to_string()).chain(own).collect(), rpc, port))
}

fn start_node(programs: &Path, args: &[String], log: &Path) -> Result<Process> {
	Process::start("node", Command::new(programs.join("assay-node")).args(args), log)
}
