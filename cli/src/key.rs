//! `assay key`.

use crate::{context::Context, output::facts};
use anyhow::Context as _;
use assay_client::Signer;
use clap::Subcommand;
use serde::Serialize;
use sp_core::{crypto::Pair, sr25519};
use std::{
	fs::OpenOptions,
	io::Write,
	path::{Path, PathBuf},
};

/// Commands.
#[derive(Subcommand)]
pub enum Command {
	/// Make a new key: prints its mnemonic, or writes it to a file that only you may read.
	Generate {
		/// Write the mnemonic here instead of printing it. The file must not exist.
		#[arg(long, value_name = "PATH")]
		file: Option<PathBuf>,
	},
	/// Show the account of a key.
	Inspect {
		/// Mnemonic, hex seed or `//Alice`. Without it, --file, --key-file or --suri.
		#[arg(conflicts_with = "file")]
		suri: Option<String>,
		/// Key file.
		#[arg(long, value_name = "PATH")]
		file: Option<PathBuf>,
	},
}

#[derive(Serialize)]
struct Key {
	address: String,
	public_key: String,
	#[serde(skip_serializing_if = "Option::is_none")]
	mnemonic: Option<String>,
	#[serde(skip_serializing_if = "Option::is_none")]
	file: Option<String>,
}

impl Key {
	fn of(signer: &Signer) -> Self {
		let public_key = format!("0x{}", hex::encode(signer.account()));
		Self { address: signer.address(), public_key, mnemonic: None, file: None }
	}

	fn show(&self, context: &Context) {
		context.output.result(self, || {
			let mut rows =
				vec![("address", self.address.clone()), ("public key", self.public_key.clone())];
			rows.extend(self.mnemonic.clone().map(|words| ("mnemonic", words)));
			rows.extend(self.file.clone().map(|path| ("key file", path)));
			facts(rows)
		});
	}
}

/// Runs a command.
pub fn run(context: &Context, command: Command) -> anyhow::Result<()> {
	match command {
		Command::Generate { file } => {
			let (_, mnemonic, _) = sr25519::Pair::generate_with_phrase(None);
			let mut key = Key::of(&Signer::from_uri(&mnemonic)?);
			match file {
				Some(path) => {
					write_secret(&path, &mnemonic)
						.with_context(|| format!("cannot write the key file {}", path.display()))?;
					key.file = Some(path.display().to_string());
				}
				None => {
					key.mnemonic = Some(mnemonic);
					context
						.output
						.note("Whoever has the mnemonic has the account: keep it offline.");
				}
			}
			key.show(context);
		}
		Command::Inspect { suri, file } => {
			let signer = match (suri, file) {
				(Some(suri), _) => Signer::from_uri(&suri)?,
				(None, Some(path)) => Signer::from_file(path)?,
				(None, None) => context.signer()?,
			};
			Key::of(&signer).show(context);
		}
	}
	Ok(())
}

/// Writes a new file that only its owner may read.
fn write_secret(path: &Path, secret: &str) -> std::io::Result<()> {
	let mut options = OpenOptions::new();
	options.write(true).create_new(true);
	#[cfg(unix)]
	std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
	let mut file = options.open(path)?;
	writeln!(file, "{secret}")?;
	file.sync_all()
}
