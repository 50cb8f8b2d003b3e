//! What the flags mean together: combinations that cannot be had are refused before anything
//! starts.

use crate::cli::{AuditorArgs, Cli, Seal, Switch};
use assay_auditor::{check_url, CustodyConfig};
use sc_service::{ChainType, Configuration};
use std::{
	net::Ipv4Addr,
	num::{NonZeroU32, NonZeroUsize},
	time::Duration,
};

/// Time that blocks made on demand are taken to be apart.
const INSTANT: Duration = Duration::from_secs(1);

/// GiB of disk that kept outputs take unless said otherwise.
const CUSTODY_GIB: u32 = 64;

/// How this node differs from a plain one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
	/// Blocks without consensus.
	pub seal: Option<Seal>,
	/// The auditor service, if it is to run.
	pub auditor: Option<AuditorOptions>,
}

/// How the auditor service is to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditorOptions {
	/// Port on 127.0.0.1; 0 for one that is free.
	pub port: u16,
	/// May it fetch from loopback and private addresses?
	pub allow_local: bool,
	/// Threads to compute on; `None` for all cores but one.
	pub threads: Option<NonZeroUsize>,
	/// Proxy to fetch through.
	pub proxy: Option<String>,
	/// How it keeps outputs for buyers, if it does.
	pub custody: Option<CustodyConfig>,
}

/// What the common flags made of the node.
struct Node {
	chain: ChainType,
	authority: bool,
	offchain_worker: bool,
}

impl Options {
	/// The options that the command line asks for in a node of this configuration, or why they
	/// cannot be had.
	pub fn new(cli: &Cli, config: &Configuration) -> Result<Self, String> {
		let node = Node {
			chain: config.chain_spec.chain_type(),
			authority: config.role.is_authority(),
			offchain_worker: config.offchain_worker.enabled,
		};
		Ok(Self { seal: seal(cli.seal, &node)?, auditor: auditor(&cli.auditor, &node)? })
	}

	/// Time between blocks.
	pub fn block_time(&self) -> Duration {
		match self.seal {
			Some(Seal::Every(interval)) => interval,
			Some(Seal::Instant) => INSTANT,
			None => Duration::from_millis(assay_runtime::MILLISECS_PER_BLOCK),
		}
	}
}

fn seal(asked: Option<Seal>, node: &Node) -> Result<Option<Seal>, String> {
	if asked.is_some() {
		if node.chain != ChainType::Development {
			return Err("`--seal` makes blocks without consensus, which only a development chain \
				accepts: add `--dev`, or leave `--seal` out"
				.into());
		}
		if !node.authority {
			return Err("`--seal` needs a node that makes blocks: add `--dev` or `--alice`".into());
		}
	}
	Ok(asked)
}

fn auditor(args: &AuditorArgs, node: &Node) -> Result<Option<AuditorOptions>, String> {
	let able = node.authority && node.offchain_worker;
	let on = match args.switch {
		Some(Switch::On) if !node.authority => {
			return Err(
				"`--auditor on` needs a validator, for only validators are asked to audit: \
				add `--validator`, or leave `--auditor` out"
					.into(),
			)
		}
		Some(Switch::On) if !node.offchain_worker => {
			return Err("`--auditor on` needs off-chain workers, which alone call the auditor: \
				leave `--offchain-worker never` out"
				.into())
		}
		Some(switch) => switch == Switch::On,
		None => able,
	};
	if !on {
		let given = [
			("--auditor-port", args.port.is_some()),
			("--auditor-allow-local", args.allow_local),
			("--auditor-threads", args.threads.is_some()),
			("--auditor-proxy", args.proxy.is_some()),
			("--custody-listen", args.custody_listen.is_some()),
			("--custody-url", args.custody_url.is_some()),
			("--custody-gib", args.custody_gib.is_some()),
		];
		return match given.iter().find(|(_, given)| *given) {
			Some((flag, _)) => Err(format!(
				"`{flag}` is given, but the auditor does not run: {}",
				if args.switch.is_some() {
					"leave one of `--auditor off` and this flag out"
				} else if node.authority {
					"it needs off-chain workers"
				} else {
					"it needs a validator, add `--validator`"
				}
			)),
			None => Ok(None),
		};
	}
	if args.allow_local && node.chain == ChainType::Live {
		return Err(
			"`--auditor-allow-local` would let strangers reach this machine's own network \
			through the auditor: it is refused on live chains"
				.into(),
		);
	}
	if let Some(proxy) = &args.proxy {
		if proxy.strip_prefix("http://").is_none_or(str::is_empty) {
			return Err(format!("`--auditor-proxy {proxy}`: expected http://host:port"));
		}
	}
	let own = matches!(node.chain, ChainType::Development | ChainType::Local);
	let allow_local = args.allow_local || own;
	Ok(Some(AuditorOptions {
		port: args.port.unwrap_or(0),
		allow_local,
		threads: args.threads,
		proxy: args.proxy.clone(),
		custody: custody(args, own, allow_local)?,
	}))
}

/// How outputs are kept: on a chain of one's `own` machines without being told, elsewhere only where it
/// is said how they are reached.
fn custody(
	args: &AuditorArgs,
	own: bool,
	allow_local: bool,
) -> Result<Option<CustodyConfig>, String> {
	let AuditorArgs { custody_listen, custody_url, custody_gib, .. } = args;
	let listen = custody_listen.or(own.then_some((Ipv4Addr::LOCALHOST, 0).into()));
	let Some(listen) = listen else {
		let given =
			[("--custody-url", custody_url.is_some()), ("--custody-gib", custody_gib.is_some())];
		return match given.iter().find(|(_, given)| *given) {
			Some((flag, _)) => Err(format!(
				"`{flag}` is given, but nothing is kept: add `--custody-listen` with the address to \
				serve it at"
			)),
			None => Ok(None),
		};
	};
	match custody_url {
		Some(url) => check_url(url, allow_local)
			.map_err(|why| format!("`--custody-url {url}` is not to be announced: {why}"))?,
		None if !own => {
			return Err("`--custody-listen` needs `--custody-url` with the http or https URL that \
				leads there from outside: it is announced on the chain"
				.into())
		}
		None if listen.ip().is_unspecified() => {
			return Err(format!(
				"`--custody-listen {listen}` is no address to announce: add `--custody-url`"
			))
		}
		None => {}
	}
	let gib = u64::from(custody_gib.map_or(CUSTODY_GIB, NonZeroU32::get));
	Ok(Some(CustodyConfig { listen, url: custody_url.clone(), bytes: gib << 30 }))
}

#[cfg(test)]
mod tests {
	use super::*;

	fn validator(chain: ChainType) -> Node {
		Node { chain, authority: true, offchain_worker: true }
	}

	fn reader(chain: ChainType) -> Node {
		Node { chain, authority: false, offchain_worker: false }
	}

	#[test]
	fn seal_is_for_development_chains() {
		let asked = Some(Seal::Instant);
		assert_eq!(seal(asked, &validator(ChainType::Development)), Ok(asked));
		for chain in [ChainType::Local, ChainType::Live, ChainType::Custom("x".into())] {
			assert!(seal(asked, &validator(chain.clone())).unwrap_err().contains("development"));
			assert_eq!(seal(None, &validator(chain)), Ok(None));
		}
	}

	#[test]
	fn seal_needs_an_authority() {
		let error = seal(Some(Seal::Instant), &reader(ChainType::Development)).unwrap_err();
		assert!(error.contains("--alice"), "{error}");
	}

	#[test]
	fn auditor_follows_the_role() {
		let args = AuditorArgs::default();
		assert!(auditor(&args, &validator(ChainType::Live)).unwrap().is_some());
		assert_eq!(auditor(&args, &reader(ChainType::Live)), Ok(None));
		let idle = Node { offchain_worker: false, ..validator(ChainType::Live) };
		assert_eq!(auditor(&args, &idle), Ok(None));

		let off = AuditorArgs { switch: Some(Switch::Off), ..args.clone() };
		assert_eq!(auditor(&off, &validator(ChainType::Live)), Ok(None));

		let on = AuditorArgs { switch: Some(Switch::On), ..args };
		assert!(auditor(&on, &reader(ChainType::Live)).unwrap_err().contains("--validator"));
		assert!(auditor(&on, &idle).unwrap_err().contains("off-chain"));
	}

	#[test]
	fn local_addresses_only_off_live_chains() {
		let local = |args: &AuditorArgs, chain| {
			auditor(args, &validator(chain)).map(|options| options.unwrap().allow_local)
		};
		let plain = AuditorArgs::default();
		assert_eq!(local(&plain, ChainType::Development), Ok(true));
		assert_eq!(local(&plain, ChainType::Local), Ok(true));
		assert_eq!(local(&plain, ChainType::Custom("test".into())), Ok(false));
		assert_eq!(local(&plain, ChainType::Live), Ok(false));
		let asked = AuditorArgs { allow_local: true, ..plain };
		assert_eq!(local(&asked, ChainType::Custom("test".into())), Ok(true));
		assert!(local(&asked, ChainType::Live).unwrap_err().contains("live"));
	}

	#[test]
	fn flags_of_an_auditor_that_does_not_run_are_refused() {
		let port = AuditorArgs { port: Some(1), ..Default::default() };
		assert!(auditor(&port, &reader(ChainType::Live)).unwrap_err().contains("--auditor-port"));
		let off = AuditorArgs {
			switch: Some(Switch::Off),
			threads: NonZeroUsize::new(1),
			..Default::default()
		};
		let error = auditor(&off, &validator(ChainType::Live)).unwrap_err();
		assert!(error.contains("--auditor-threads") && error.contains("--auditor off"), "{error}");
	}

	#[test]
	fn proxies_are_http_urls() {
		for (proxy, good) in [
			("http://proxy:3128", true),
			("https://proxy:3128", false),
			("proxy:3128", false),
			("http://", false),
			("ftp://proxy", false),
		] {
			let args = AuditorArgs { proxy: Some(proxy.into()), ..Default::default() };
			assert_eq!(auditor(&args, &validator(ChainType::Live)).is_ok(), good, "{proxy}");
		}
	}

	fn kept(args: &AuditorArgs, chain: ChainType) -> Result<Option<CustodyConfig>, String> {
		auditor(args, &validator(chain)).map(|options| options.unwrap().custody)
	}

	#[test]
	fn outputs_are_kept_unasked_only_on_own_chains() {
		let plain = AuditorArgs::default();
		let listen = ([127, 0, 0, 1], 0).into();
		let default = CustodyConfig { listen, url: None, bytes: 64 << 30 };
		for chain in [ChainType::Development, ChainType::Local] {
			assert_eq!(kept(&plain, chain), Ok(Some(default.clone())));
		}
		for chain in [ChainType::Live, ChainType::Custom("test".into())] {
			assert_eq!(kept(&plain, chain), Ok(None));
		}
		// No one fetches from everywhere.
		let anywhere = Some(([0, 0, 0, 0], 7_800).into());
		let open = AuditorArgs { custody_listen: anywhere, ..plain };
		assert!(kept(&open, ChainType::Local).unwrap_err().contains("--custody-url"));
		let url = Some("http://192.168.1.5:7800".to_owned());
		let told = AuditorArgs { custody_url: url, ..open };
		assert!(kept(&told, ChainType::Local).is_ok());
	}

	#[test]
	fn elsewhere_it_is_said_how_outputs_are_reached() {
		let listen = Some(([0, 0, 0, 0], 7_800).into());
		let gib = NonZeroU32::new(2);
		let url = |url: &str| Some(url.to_owned());
		let args = |custody_listen, custody_url, custody_gib| AuditorArgs {
			custody_listen,
			custody_url,
			custody_gib,
			..Default::default()
		};
		let good = url("https://keeper.example:7800");
		let found = kept(&args(listen, good.clone(), gib), ChainType::Live).unwrap().unwrap();
		assert_eq!(
			(found.listen, found.url, found.bytes),
			(listen.unwrap(), good.clone(), 2 << 30)
		);
		for (args, part) in [
			(args(listen, None, None), "`--custody-listen` needs `--custody-url`"),
			(args(None, good, None), "add `--custody-listen`"),
			(args(None, None, gib), "add `--custody-listen`"),
			(args(listen, url("http://127.0.0.1:7800"), None), "loopback"),
			(args(listen, url("http://10.1.1.1"), None), "private"),
			(args(listen, url("http://localhost"), None), "loopback"),
			(args(listen, url("ftp://keeper.example"), None), "http"),
			(args(listen, url("keeper.example"), None), "http"),
		] {
			for chain in [ChainType::Live, ChainType::Custom("test".into())] {
				let error = kept(&args, chain).unwrap_err();
				assert!(error.contains(part), "{error}");
			}
		}
		let off = AuditorArgs { switch: Some(Switch::Off), ..args(listen, None, None) };
		let error = auditor(&off, &validator(ChainType::Live)).unwrap_err();
		assert!(error.contains("--custody-listen"), "{error}");
	}
}
