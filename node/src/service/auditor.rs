//! The auditor service: native code on loopback that fetches what strangers serve and checks it.
//!
//! Where it listens and the secret it wants to hear are left in the off-chain storage for the
//! off-chain worker, its only caller.

use crate::options::AuditorOptions;
use assay_auditor::{Auditor, Config, Handle, Policy};
use assay_primitives::auditor::{Access, ACCESS_KEY};
use codec::Encode;
use sc_service::Error;
use sp_core::offchain::{OffchainStorage, STORAGE_PREFIX};
use std::{net::Ipv4Addr, num::NonZeroUsize, path::PathBuf, sync::Arc, time::Duration};

/// Blocks within which a worker must have given what one of the two fetching parts of an audit
/// needs, beside the time that large tensors take. That may be longer than the audit window: the
/// auditor gives it no more than a share of what is left, so that who sends slowly is found not to
/// give, rather than keep the auditors from coming to an end.
const FETCH_BLOCKS: u32 = 20;

/// Most blocks of time that one audit takes, however long the chain's window for attestations is.
const AUDIT_BLOCKS: u32 = 600;

/// Blocks after which an audit that the off-chain worker does not ask for any more is given up. It
/// sees to four duties in a block, in turn: of up to 160, to each in that time.
const PATIENCE_BLOCKS: u32 = 40;

/// Starts the service, if it is to run, with a folder of its own, and tells the off-chain worker
/// where it is or that there is none. The service ends with the last copy of its handle.
pub async fn start(
	options: Option<AuditorOptions>,
	block_time: Duration,
	folder: PathBuf,
	storage: Option<impl OffchainStorage>,
) -> Result<Option<Arc<Handle>>, Error> {
	let mut storage = storage.ok_or_else(|| Error::Other("no off-chain storage".into()))?;
	let handle = match options {
		None => None,
		Some(options) => {
			Some(Auditor::start(config(options, block_time, folder)).await.map_err(|error| {
				Error::Other(format!("the auditor service cannot start: {error}"))
			})?)
		}
	};
	if let Some(Handle { keeps_at, .. }) = &handle {
		match &keeps_at[..] {
			"" => log::info!("🗄 Keeps no outputs for buyers: no --custody-listen"),
			url => log::info!("🗄 Serves the outputs that it keeps for buyers at {url}"),
		}
	}
	announce(&mut storage, handle.as_ref().map(Handle::access));
	Ok(handle.map(Arc::new))
}

fn config(options: AuditorOptions, block_time: Duration, folder: PathBuf) -> Config {
	let defaults = Config::default();
	Config {
		listen: (Ipv4Addr::LOCALHOST, options.port).into(),
		fetch: Policy {
			allow_local: options.allow_local,
			proxy: options.proxy,
			..Policy::default()
		},
		folder: Some(folder),
		custody: options.custody,
		threads: options.threads.map_or(defaults.threads, NonZeroUsize::get),
		block_time,
		fetch_time: block_time * FETCH_BLOCKS,
		audit_time: block_time * AUDIT_BLOCKS,
		patience: block_time * PATIENCE_BLOCKS,
		..defaults
	}
}

/// Leaves the access of this start, or takes that of an earlier one away.
fn announce(storage: &mut impl OffchainStorage, access: Option<Access>) {
	match access {
		Some(access) => storage.set(STORAGE_PREFIX, ACCESS_KEY, &access.encode()),
		None => storage.remove(STORAGE_PREFIX, ACCESS_KEY),
	}
}

#[cfg(test)]
mod tests {
	use super::*;
	use assay_auditor::CustodyConfig;
	use codec::Decode;
	use sp_core::offchain::storage::InMemOffchainStorage;

	#[test]
	fn only_what_is_asked_for_differs_from_the_defaults() {
		let custody = CustodyConfig { listen: ([0; 4], 7_800).into(), url: None, bytes: 1 << 30 };
		let options = AuditorOptions {
			custody: Some(custody.clone()),
			port: 4_400,
			allow_local: true,
			threads: NonZeroUsize::new(3),
			proxy: Some("http://proxy:3128".into()),
		};
		let made = config(options, Duration::from_secs(6), "auditor".into());
		assert_eq!(made.fetch_time, Duration::from_secs(120));
		assert_eq!(made.block_time, Duration::from_secs(6));
		assert!(made.patience < made.audit_time);
		assert_eq!(made.folder, Some("auditor".into()));
		assert_eq!(made.listen.to_string(), "127.0.0.1:4400");
		assert_eq!((made.threads, made.custody), (3, Some(custody)));
		assert!(made.fetch.allow_local);
		assert_eq!(made.fetch.proxy.as_deref(), Some("http://proxy:3128"));

		let options = AuditorOptions {
			port: 0,
			allow_local: false,
			threads: None,
			proxy: None,
			custody: None,
		};
		let made = config(options, Duration::from_secs(6), "auditor".into());
		assert_eq!((made.threads, made.custody), (Config::default().threads, None));
		assert!(!made.fetch.allow_local && made.fetch.proxy.is_none() && made.token.is_none());
	}

	#[test]
	fn the_offchain_worker_finds_the_access_of_this_start_only() {
		let mut storage = InMemOffchainStorage::default();
		let (url, keeps_at) = ("http://127.0.0.1:1".into(), "http://127.0.0.1:2".into());
		let access = Access { url, token: "secret".into(), keeps_at };
		announce(&mut storage, Some(access.clone()));
		let stored = storage.get(STORAGE_PREFIX, ACCESS_KEY).unwrap();
		assert_eq!(Access::decode(&mut &stored[..]), Ok(access));
		announce(&mut storage, None);
		assert_eq!(storage.get(STORAGE_PREFIX, ACCESS_KEY), None);
	}
}
