//! The command line.

use clap::{Args, Parser, ValueEnum};
use std::{
	net::SocketAddr,
	num::{NonZeroU32, NonZeroUsize},
	str::FromStr,
	time::Duration,
};

/// Longest interval of `--seal`: more is a mistaken unit.
const MAX_INTERVAL: Duration = Duration::from_secs(3_600);

/// All that the command line says.
#[derive(Debug, Parser)]
pub struct Cli {
	/// What to do instead of running a node.
	#[command(subcommand)]
	pub subcommand: Option<Subcommand>,

	/// Flags of every Substrate node.
	#[clap(flatten)]
	pub run: sc_cli::RunCmd,

	/// Makes blocks without consensus, each finalised at once, on a development chain: `instant`
	/// for a block whenever transactions arrive, or a number of milliseconds for a block at that
	/// interval.
	///
	/// Every block takes one slot of the chain's clock, whatever time passed between blocks.
	#[arg(long, value_name = "instant|MILLIS")]
	pub seal: Option<Seal>,

	/// Flags of the auditor service.
	#[clap(flatten)]
	pub auditor: AuditorArgs,
}

/// Commands other than running a node.
#[derive(Debug, clap::Subcommand)]
#[allow(clippy::large_enum_variant)]
pub enum Subcommand {
	/// Makes, reads and stores keys.
	#[command(subcommand)]
	Key(sc_cli::KeySubcommand),
	/// Writes a chain specification (`export-chain-spec` is preferred).
	BuildSpec(sc_cli::BuildSpecCmd),
	/// Writes a chain specification.
	ExportChainSpec(sc_cli::ExportChainSpecCmd),
	/// Checks a stored block again.
	CheckBlock(sc_cli::CheckBlockCmd),
	/// Writes blocks to a file.
	ExportBlocks(sc_cli::ExportBlocksCmd),
	/// Writes the state at a block as a chain specification.
	ExportState(sc_cli::ExportStateCmd),
	/// Reads blocks from a file.
	ImportBlocks(sc_cli::ImportBlocksCmd),
	/// Removes the whole chain from disk.
	PurgeChain(sc_cli::PurgeChainCmd),
	/// Goes back by some blocks that are not finalised.
	Revert(sc_cli::RevertCmd),
	/// Tells what the database holds.
	ChainInfo(sc_cli::ChainInfoCmd),
}

/// When a block is made without consensus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seal {
	/// Whenever transactions arrive.
	Instant,
	/// At an interval.
	Every(Duration),
}

impl FromStr for Seal {
	type Err = String;

	fn from_str(text: &str) -> Result<Self, String> {
		if text == "instant" {
			return Ok(Self::Instant);
		}
		let millis: u64 = text
			.parse()
			.map_err(|_| "expected `instant` or a number of milliseconds".to_string())?;
		let interval = Duration::from_millis(millis);
		if interval.is_zero() {
			return Err("an interval of 0 ms makes no blocks; did you mean `instant`?".into());
		}
		if interval > MAX_INTERVAL {
			return Err(format!(
				"the interval is in milliseconds, at most {}",
				MAX_INTERVAL.as_millis()
			));
		}
		Ok(Self::Every(interval))
	}
}

/// On or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Switch {
	/// On.
	On,
	/// Off.
	Off,
}

/// Flags of the auditor service: native code on loopback that fetches what workers serve and
/// checks it for the off-chain worker.
#[derive(Clone, Debug, Default, Args)]
pub struct AuditorArgs {
	/// Runs the auditor service; by default on for validators with off-chain workers.
	#[arg(
		id = "auditor",
		long = "auditor",
		value_name = "on|off",
		value_enum,
		hide_possible_values = true
	)]
	pub switch: Option<Switch>,

	/// Port of the auditor service on 127.0.0.1; by default one that is free.
	#[arg(id = "auditor-port", long = "auditor-port", value_name = "PORT")]
	pub port: Option<u16>,

	/// For development: lets the auditor fetch from loopback and private addresses, which it
	/// refuses otherwise; implied on development and local chains.
	#[arg(id = "auditor-allow-local", long = "auditor-allow-local")]
	pub allow_local: bool,

	/// Threads that the auditor computes on; by default all cores but one.
	#[arg(id = "auditor-threads", long = "auditor-threads", value_name = "N")]
	pub threads: Option<NonZeroUsize>,

	/// Proxy through which the auditor fetches, as http://host:port.
	#[arg(id = "auditor-proxy", long = "auditor-proxy", value_name = "URL")]
	pub proxy: Option<String>,

	/// Address at which the outputs are served that the auditor keeps for buyers as a custodian. On
	/// development and local chains 127.0.0.1:0 by default, elsewhere none: then it keeps nothing.
	#[arg(id = "custody-listen", long = "custody-listen", value_name = "ADDR")]
	pub custody_listen: Option<SocketAddr>,

	/// URL that leads to that address from outside, as announced on the chain; by default the address
	/// itself on development and local chains, needed elsewhere.
	#[arg(id = "custody-url", long = "custody-url", value_name = "URL")]
	pub custody_url: Option<String>,

	/// GiB of disk that kept outputs take together; by default 64.
	#[arg(id = "custody-gib", long = "custody-gib", value_name = "N")]
	pub custody_gib: Option<NonZeroU32>,
}

#[cfg(test)]
mod tests {
	use super::*;
	use sc_cli::SubstrateCli;

	#[test]
	fn seal_is_read() {
		assert_eq!("instant".parse(), Ok(Seal::Instant));
		assert_eq!("500".parse(), Ok(Seal::Every(Duration::from_millis(500))));
		assert_eq!("3600000".parse(), Ok(Seal::Every(MAX_INTERVAL)));
	}

	#[test]
	fn wrong_seals_are_refused() {
		for (text, part) in [
			("", "expected `instant`"),
			("Instant", "expected `instant`"),
			("-5", "expected `instant`"),
			("0.5", "expected `instant`"),
			("500ms", "expected `instant`"),
			("0", "did you mean"),
			("3600001", "at most 3600000"),
		] {
			let error = text.parse::<Seal>().unwrap_err();
			assert!(error.contains(part), "{text}: {error}");
		}
	}

	fn parse(args: &[&str]) -> Result<Cli, String> {
		let args = std::iter::once("assay-node").chain(args.iter().copied());
		Cli::try_from_iter(args).map_err(|e| e.to_string())
	}

	#[test]
	fn no_flag_takes_the_place_of_another() {
		use clap::CommandFactory;
		let command = Cli::command();
		let mut ids = std::collections::BTreeSet::new();
		let mut longs = std::collections::BTreeSet::new();
		for arg in command.get_arguments() {
			assert!(ids.insert(arg.get_id().as_str()), "id {} stands twice", arg.get_id());
			if let Some(long) = arg.get_long() {
				assert!(longs.insert(long), "--{long} stands twice");
			}
		}
		assert!(longs.contains("auditor-port") && longs.contains("port"));
	}

	#[test]
	fn own_flags_stand_beside_the_common_ones() {
		let cli =
			parse(&["--dev", "--seal", "500", "--tmp", "--auditor", "off", "--rpc-port", "9955"])
				.unwrap();
		assert_eq!(cli.seal, Some(Seal::Every(Duration::from_millis(500))));
		assert_eq!(cli.auditor.switch, Some(Switch::Off));
		assert!(cli.run.shared_params.dev && cli.run.tmp);

		let cli =
			parse(&["--validator", "--auditor-port", "4400", "--auditor-threads", "2"]).unwrap();
		assert_eq!(cli.auditor.port, Some(4_400));
		assert_eq!(cli.auditor.threads, NonZeroUsize::new(2));
		assert_eq!(cli.auditor.switch, None);

		let args = ["--validator", "--custody-listen", "0.0.0.0:7800", "--custody-gib", "8"];
		let cli = parse(&args).unwrap();
		assert_eq!(cli.auditor.custody_listen, Some(([0, 0, 0, 0], 7_800).into()));
		assert_eq!(cli.auditor.custody_gib, NonZeroU32::new(8));
		assert_eq!(cli.auditor.custody_url, None);
	}

	#[test]
	fn malformed_flags_are_refused() {
		assert!(parse(&["--dev", "--seal", "fast"]).unwrap_err().contains("--seal"));
		assert!(parse(&["--auditor", "maybe"]).unwrap_err().contains("--auditor"));
		assert!(parse(&["--auditor-threads", "0"]).unwrap_err().contains("--auditor-threads"));
		assert!(parse(&["--auditor-port", "70000"]).unwrap_err().contains("--auditor-port"));
		assert!(parse(&["--custody-listen", "7800"]).unwrap_err().contains("--custody-listen"));
		assert!(parse(&["--custody-gib", "0"]).unwrap_err().contains("--custody-gib"));
		assert!(parse(&["--dev", "purge-chain"]).is_err());
	}
}
