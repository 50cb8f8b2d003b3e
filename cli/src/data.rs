//! `assay data`.

use crate::{context::Context, failure::Usage, job::Folder};
use anyhow::Context as _;
use assay_data::{Limits, Server, Store};
use clap::Subcommand;
use serde_json::json;
use std::{net::SocketAddr, path::PathBuf};

/// Commands.
#[derive(Subcommand)]
pub enum Command {
	/// Serve a job's program, constants and inputs until interrupted.
	Serve {
		/// Folder of the content, as `assay job submit` names it. Without it, that of the only job
		/// there is.
		#[arg(long, value_name = "DIR")]
		dir: Option<PathBuf>,
		/// Address to listen on.
		#[arg(long, default_value = "127.0.0.1:0", value_name = "ADDRESS:PORT")]
		listen: SocketAddr,
	},
}

/// Runs a command.
pub async fn run(context: &Context, command: Command) -> anyhow::Result<()> {
	let Command::Serve { dir, listen } = command;
	let dir = match dir {
		Some(dir) if dir.is_dir() => dir,
		Some(dir) => anyhow::bail!("there is no folder {}", dir.display()),
		None => only_job()?,
	};
	let store = Store::open(&dir)?;
	let server = Server::bind(listen, store, Limits::default()).await;
	let server = server.with_context(|| format!("cannot listen on {listen}"))?;
	let address = server.local_addr()?;
	let value = json!({ "url": format!("http://{address}"), "dir": dir });
	context.output.result(&value, || {
		format!("serving {} at http://{address} until interrupted", dir.display())
	});
	server.run(interrupted()).await?;
	Ok(())
}

/// Resolves on Ctrl-C or a request to terminate.
pub async fn interrupted() {
	let ctrl_c = async {
		if tokio::signal::ctrl_c().await.is_err() {
			std::future::pending::<()>().await;
		}
	};
	#[cfg(unix)]
	{
		use tokio::signal::unix::{signal, SignalKind};
		if let Ok(mut terminate) = signal(SignalKind::terminate()) {
			tokio::select! {
				() = ctrl_c => {},
				_ = terminate.recv() => {},
			}
			return;
		}
	}
	ctrl_c.await;
}

fn only_job() -> anyhow::Result<PathBuf> {
	let mut jobs = Folder::all()?;
	match (jobs.pop(), jobs.is_empty()) {
		(Some(only), true) => Ok(only),
		(None, _) => {
			Err(Usage("no job was submitted from here; name a folder with --dir".into()).into())
		}
		(Some(last), false) => {
			let folders: Vec<String> = jobs
				.iter()
				.chain([&last])
				.map(|path| format!("  --dir {}", path.display()))
				.collect();
			let text =
				format!("several jobs were submitted from here; name one:\n{}", folders.join("\n"));
			Err(Usage(text).into())
		}
	}
}
