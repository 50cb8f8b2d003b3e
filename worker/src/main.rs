//! `assay-worker`.

use anyhow::{bail, Context};
use assay_client::{parse_account, use_chain_addresses, Amount, MachineSpec};
use assay_primitives::market::Ask;
use assay_worker::{
	backend::{Backend, Cpu},
	chain::Node,
	cli::{self, AskArgs, Cli, Command},
	config::{Config, File, EXAMPLE},
	machine,
	register::{register, Registered, Wish},
	speed::{self, Speed},
	status::status,
	stop::{self, Stopper},
	worker::Worker,
};
use clap::Parser;
use std::{
	io::{self, IsTerminal},
	process::ExitCode,
	sync::Arc,
	time::Duration,
};
use tracing_subscriber::EnvFilter;

/// Time for threads to end after everything else has.
const LEAVE: Duration = Duration::from_secs(5);
/// What is logged unless `RUST_LOG` says otherwise.
const FILTER: &str = "warn,assay_worker=info,assay_client=info,assay_data=info";

fn main() -> ExitCode {
	use_chain_addresses();
	let command = Cli::parse().command;
	let json = matches!(&command, Command::Run(run) if run.json);
	start_logging(json);
	match execute(command) {
		Ok(()) => ExitCode::SUCCESS,
		Err(error) => {
			if json {
				tracing::error!("{error:#}");
			} else {
				eprintln!("error: {error:#}");
			}
			ExitCode::FAILURE
		}
	}
}

fn start_logging(json: bool) {
	let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(FILTER));
	let logs = tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr);
	if json {
		logs.json().flatten_event(true).init();
	} else {
		logs.with_target(false).with_ansi(io::stderr().is_terminal()).init();
	}
}

fn execute(command: Command) -> anyhow::Result<()> {
	if let Command::Config = command {
		print!("{EXAMPLE}");
		return Ok(());
	}
	let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
	let result = runtime.block_on(async {
		match command {
			Command::Run(args) => run(args).await,
			Command::Register(args) => run_register(args).await,
			Command::Status(args) => run_status(args).await,
			Command::Config => Ok(()),
		}
	});
	// An execution may be in the middle of a product: the process does not wait for it.
	runtime.shutdown_timeout(LEAVE);
	result
}

async fn run(args: cli::Run) -> anyhow::Result<()> {
	let config = Config::load(args.config.as_deref(), args.settings)?;
	let config = config.with_sabotage(args.sabotage)?;
	let signer = config.hot_key()?.load()?;
	if let Some(lie) = config.sabotage {
		tracing::warn!("SABOTAGE: this worker lies: {lie:?}. Development only!");
	}
	tracing::info!("signs as {}", signer.address());
	let (stopper, stop) = stop::channel();
	let signals = tokio::spawn(obey_signals(stopper));
	let chain = match Node::connect(&config.nodes, signer, &stop).await {
		Err(_) if stop.is_set() => return Ok(()),
		connected => connected?,
	};
	let name = chain.chain_name().await?;
	tracing::info!("connected to {} of chain \"{name}\"", chain.url());
	let backend = Arc::new(Cpu::new(config.threads).context("cannot start threads")?);
	let speed = measured(&config, backend.clone()).await?;
	Worker::open(&config, chain, backend, speed, stop).await?.run().await?;
	signals.abort();
	tracing::info!("stopped");
	Ok(())
}

/// How fast the backend and the folder's disk are.
async fn measured(config: &Config, backend: Arc<dyn Backend>) -> anyhow::Result<Speed> {
	let dir = config.data_dir.clone();
	std::fs::create_dir_all(&dir).with_context(|| format!("cannot make {}", dir.display()))?;
	let rates = match tokio::task::spawn_blocking(move || speed::measure(&*backend, &dir)).await? {
		Ok(rates) => {
			tracing::info!("measured: {rates}");
			rates
		}
		// What is under audit must be served all the same, with a full disk for example.
		Err(error) => {
			tracing::warn!("cannot measure how fast this machine is: {error}; taken as slow");
			speed::CAUTIOUS
		}
	};
	Ok(Speed::new(rates))
}

/// The first signal stops the worker, the second the process.
async fn obey_signals(stopper: Stopper) {
	for first in [true, false] {
		let signal = next_signal().await;
		if !first {
			std::process::exit(130);
		}
		tracing::info!("{signal}: stopping; a second signal stops at once");
		stopper.stop();
	}
}

#[cfg(unix)]
async fn next_signal() -> &'static str {
	use tokio::signal::unix::{signal, SignalKind};
	let terminate = async {
		match signal(SignalKind::terminate()) {
			Ok(mut signal) => {
				signal.recv().await;
			}
			Err(error) => {
				tracing::warn!("cannot hear SIGTERM: {error}");
				std::future::pending::<()>().await;
			}
		}
	};
	tokio::select! {
		() = terminate => "SIGTERM",
		_ = tokio::signal::ctrl_c() => "SIGINT",
	}
}

#[cfg(not(unix))]
async fn next_signal() -> &'static str {
	let _ = tokio::signal::ctrl_c().await;
	"Ctrl-C"
}

async fn run_register(args: cli::Register) -> anyhow::Result<()> {
	let flags = File {
		nodes: args.nodes.clone(),
		hot_key: args.hot_key.clone(),
		endpoint: args.endpoint.clone(),
		..File::default()
	};
	let config = Config::load(args.config.as_deref(), flags)?;
	let hot_key = match &args.hot_account {
		Some(address) => parse_account(address)?,
		None => config.hot_key()?.load()?.account().clone(),
	};
	let signer = args.controller.load().context("--controller")?;
	let chain = Node::try_connect(&config.nodes, signer).await?;
	let missing = "this system does not tell; give it";
	let wish = Wish {
		hot_key,
		stake: args.stake.0,
		name: args.name,
		endpoint: config.endpoint.as_ref().map(|endpoint| endpoint.as_str().into()),
		region: args.region,
		machine: MachineSpec {
			class: args.class.into(),
			model: args.model.or_else(machine::processor).context("--model").context(missing)?,
			memory_mib: args
				.memory_mib
				.or_else(machine::memory_mib)
				.context("--memory-mib")
				.context(missing)?,
		},
		ask: ask(&args.ask, &config),
		replace_ask: args.ask != AskArgs::default(),
		fund: args.fund.map_or(0, |amount| amount.0),
	};
	if wish.ask.slots == 0 {
		bail!("--slots must be at least 1");
	}
	let registered = register(&chain, &wish).await?;
	if args.json {
		println!("{}", serde_json::to_string(&registered)?);
	} else {
		let Registered { provider, hot_key, machine, .. } = &registered;
		println!("provider {provider}, hot key {hot_key}, machine {machine}");
	}
	Ok(())
}

fn ask(args: &AskArgs, config: &Config) -> Ask {
	let planck = |amount: Option<Amount>, default: u128| amount.map_or(default, |a| a.0);
	const MILLI: u128 = assay_primitives::ASY / 1_000;
	Ask {
		base: planck(args.price_base, MILLI),
		per_gmac: planck(args.price_per_gmac, MILLI),
		per_melement: planck(args.price_per_melement, MILLI / 10),
		per_value_block: planck(args.price_per_value_block, 1),
		max_value: planck(args.max_value, 100 * assay_primitives::ASY),
		max_macs: args.max_macs.unwrap_or(config.max_macs),
		max_trace_bytes: args.max_trace_bytes.unwrap_or(config.max_trace_bytes.into()),
		min_deadline: args.min_deadline.unwrap_or(10),
		slots: args.slots.unwrap_or(4),
		stake_percent: args.stake_percent.unwrap_or(2_000),
	}
}

async fn run_status(args: cli::Status) -> anyhow::Result<()> {
	let config = Config::load(args.config.as_deref(), args.settings)?;
	let signer = config.hot_key()?.load()?;
	let chain = Node::try_connect(&config.nodes, signer).await?;
	let status = status(&chain, &config).await?;
	if args.json {
		println!("{}", serde_json::to_string(&status)?);
	} else {
		println!("{status}");
	}
	Ok(())
}
