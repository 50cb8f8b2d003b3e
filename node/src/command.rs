//! Runs what the command line asks for.

use crate::{
	chain_spec,
	cli::{Cli, Subcommand},
	options::Options,
	service::{self, Block, FullClient, Partial},
};
use sc_cli::SubstrateCli;
use sc_network::{config::NetworkBackendType, Litep2pNetworkBackend, NetworkWorker};
use sp_core::crypto::{set_default_ss58_version, Ss58AddressFormat};
use sp_runtime::traits::Block as BlockT;
use std::{path::PathBuf, sync::Arc};

impl SubstrateCli for Cli {
	fn impl_name() -> String {
		"Assay Node".into()
	}

	fn impl_version() -> String {
		env!("SUBSTRATE_CLI_IMPL_VERSION").into()
	}

	fn description() -> String {
		env!("CARGO_PKG_DESCRIPTION").into()
	}

	fn author() -> String {
		env!("CARGO_PKG_AUTHORS").into()
	}

	fn support_url() -> String {
		concat!(env!("CARGO_PKG_REPOSITORY"), "/issues").into()
	}

	fn copyright_start_year() -> i32 {
		2026
	}

	fn load_spec(&self, id: &str) -> Result<Box<dyn sc_service::ChainSpec>, String> {
		Ok(Box::new(match id {
			"" => {
				return Err("which chain? `--dev` for one of your own, `--chain local` for a few \
					nodes on one machine, or `--chain FILE` with a chain specification"
					.into())
			}
			"dev" => chain_spec::development()?,
			"local" => chain_spec::local()?,
			path => chain_spec::ChainSpec::from_json_file(PathBuf::from(path)).map_err(|e| {
				format!("`--chain {path}` is neither `dev`, `local` nor a readable file: {e}")
			})?,
		}))
	}
}

/// Runs the command line to its end.
pub fn run() -> sc_cli::Result<()> {
	// Accounts in answers, logs and key commands are written with the chain's own prefix.
	set_default_ss58_version(Ss58AddressFormat::custom(assay_primitives::SS58_PREFIX));
	let cli = Cli::from_args();
	match &cli.subcommand {
		None => run_node(&cli),
		Some(Subcommand::Key(cmd)) => cmd.run(&cli),
		Some(Subcommand::BuildSpec(cmd)) => {
			cli.create_runner(cmd)?.sync_run(|config| cmd.run(config.chain_spec, config.network))
		}
		Some(Subcommand::ExportChainSpec(cmd)) => cmd.run(cli.load_spec(&cmd.chain)?),
		Some(Subcommand::CheckBlock(cmd)) => cli.create_runner(cmd)?.async_run(|config| {
			let Partial { client, task_manager, import_queue, .. } =
				service::partial(&config, None)?;
			Ok((cmd.run(client, import_queue), task_manager))
		}),
		Some(Subcommand::ExportBlocks(cmd)) => cli.create_runner(cmd)?.async_run(|config| {
			let Partial { client, task_manager, .. } = service::partial(&config, None)?;
			Ok((cmd.run(client, config.database), task_manager))
		}),
		Some(Subcommand::ExportState(cmd)) => cli.create_runner(cmd)?.async_run(|config| {
			let Partial { client, task_manager, .. } = service::partial(&config, None)?;
			Ok((cmd.run(client, config.chain_spec), task_manager))
		}),
		Some(Subcommand::ImportBlocks(cmd)) => cli.create_runner(cmd)?.async_run(|config| {
			let Partial { client, task_manager, import_queue, .. } =
				service::partial(&config, None)?;
			Ok((cmd.run(client, import_queue), task_manager))
		}),
		Some(Subcommand::PurgeChain(cmd)) => {
			cli.create_runner(cmd)?.sync_run(|config| cmd.run(config.database))
		}
		Some(Subcommand::Revert(cmd)) => cli.create_runner(cmd)?.async_run(|config| {
			let Partial { client, task_manager, backend, .. } = service::partial(&config, None)?;
			let consensus_too = Box::new(|client: Arc<FullClient>, backend, blocks| {
				sc_consensus_babe::revert(client.clone(), backend, blocks)?;
				sc_consensus_grandpa::revert(client, blocks)?;
				Ok(())
			});
			Ok((cmd.run(client, backend, Some(consensus_too)), task_manager))
		}),
		Some(Subcommand::ChainInfo(cmd)) => {
			cli.create_runner(cmd)?.sync_run(|config| cmd.run::<Block>(&config))
		}
	}
}

fn run_node(cli: &Cli) -> sc_cli::Result<()> {
	let runner = cli.create_runner(&cli.run)?;
	let options = Options::new(cli, runner.config())?;
	runner.run_node_until_exit(|config| async move {
		match config.network.network_backend {
			NetworkBackendType::Libp2p => {
				service::start::<NetworkWorker<Block, <Block as BlockT>::Hash>>(config, options)
					.await
			}
			NetworkBackendType::Litep2p => {
				service::start::<Litep2pNetworkBackend>(config, options).await
			}
		}
		.map_err(sc_cli::Error::Service)
	})
}
