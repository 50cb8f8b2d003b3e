//! The books of a whole chain, to the planck: what every account has, what transactions cost each and
//! which authors have had that. Fees are read from the blocks, so that all else can be told exactly.

use assay_client::{chain::transaction_payment::events::TransactionFeePaid, At, Client, Signer};
use assay_devnet::{Net, Panel};
use assay_primitives::AccountId;
use codec::{Decode, Encode};
use std::{collections::BTreeMap, sync::Arc};
use subxt::{
	backend::LegacyBackend, config::substrate::DigestItem, rpcs::RpcClient, OnlineClient,
	SubstrateConfig,
};
use tokio::runtime::Runtime;

/// Accounts with a balance on every development chain.
const WELL_KNOWN: [&str; 6] = ["//Alice", "//Bob", "//Charlie", "//Dave", "//Eve", "//Ferdie"];
/// Accounts of the chain itself.
const TREASURY: &str = "treasury";
const POT: &str = "pot";

type Amounts = BTreeMap<String, i128>;

/// What all accounts had at one block.
struct Page {
	block: u32,
	amounts: Amounts,
	issuance: i128,
}

/// Books that were opened at a block.
pub struct Books {
	runtime: Runtime,
	client: Client,
	online: OnlineClient<SubstrateConfig>,
	accounts: BTreeMap<String, AccountId>,
	/// In the order in which BABE numbers them.
	authors: Vec<String>,
	opened: Page,
}

/// What has changed since, but for fees of transactions.
#[derive(Debug)]
pub struct Changes {
	/// By how much for each account, where it has at all.
	pub accounts: Amounts,
	/// Of the money that there is.
	pub issuance: i128,
}

impl Books {
	/// Opens the books of a chain on which these providers are registered.
	pub fn open(net: &Net, panel: &Panel, providers: &[&str]) -> Self {
		let runtime = Runtime::new().unwrap();
		let authors = panel.secrets();
		let known = WELL_KNOWN.iter().flat_map(|name| [name.to_string(), format!("{name}//stash")]);
		let hot = providers.iter().map(|name| format!("{name}//hot"));
		let mut accounts: BTreeMap<_, _> = known
			.chain(hot)
			.chain(authors.iter().cloned())
			.map(|name| (name.clone(), Signer::from_uri(&name).unwrap().account().clone()))
			.collect();
		accounts.insert(TREASURY.into(), of_pallet(b"asy/trsy"));
		accounts.insert(POT.into(), of_pallet(b"asy/escr"));
		let (client, online) = runtime.block_on(connect(&net.url));
		let opened = runtime.block_on(read(&client, &accounts));
		Self { runtime, client, online, accounts, authors, opened }
	}

	/// What has changed until now. Nothing may be under way.
	pub fn changes(&self) -> Changes {
		let now = self.runtime.block_on(read(&self.client, &self.accounts));
		let fees = self.runtime.block_on(self.fees(now.block));
		let changed = |name: &String| {
			let fees = fees.get(name).copied().unwrap_or_default();
			now.amounts[name] - self.opened.amounts[name] - fees
		};
		let changes = self.accounts.keys().map(|name| (name.clone(), changed(name)));
		Changes {
			accounts: changes.filter(|(_, change)| *change != 0).collect(),
			issuance: now.issuance - self.opened.issuance,
		}
	}

	/// What transactions after the books were opened have brought each account, or cost it: all that
	/// one costs goes to the author of its block.
	async fn fees(&self, last: u32) -> Amounts {
		let mut fees = Amounts::new();
		for number in self.opened.block + 1..=last {
			let block = self.online.at_block(u64::from(number)).await.unwrap();
			let events = block.events().fetch().await.unwrap();
			let author = author(&block.block_header().await.unwrap().digest.logs);
			for paid in events.find::<TransactionFeePaid>() {
				let paid = paid.unwrap();
				let payer = AccountId::from(paid.who.0);
				let payer = self.accounts.iter().find(|(_, account)| **account == payer);
				let (payer, _) = payer.expect("a stranger to these books has made a transaction");
				let fee = paid.actual_fee as i128;
				*fees.entry(payer.clone()).or_default() -= fee;
				*fees.entry(self.authors[author].clone()).or_default() += fee;
			}
		}
		fees
	}
}

async fn connect(url: &str) -> (Client, OnlineClient<SubstrateConfig>) {
	let client = Client::connect(url).await.unwrap();
	let rpc = RpcClient::from_insecure_url(url).await.unwrap();
	let backend = Arc::new(LegacyBackend::builder().build(rpc));
	let config = SubstrateConfig::builder().set_genesis_hash(client.genesis()).build();
	let online = OnlineClient::from_backend_with_config(config, backend).await.unwrap();
	(client, online)
}

/// All at one block. The accounts have all the money that there is: nothing is anywhere else.
async fn read(client: &Client, accounts: &BTreeMap<String, AccountId>) -> Page {
	let block = client.block().await.unwrap();
	let client = client.at(At::Block(block.hash));
	let mut amounts = Amounts::new();
	for (name, account) in accounts {
		let balance = client.balance(account).await.unwrap();
		amounts.insert(name.clone(), (balance.free + balance.held) as i128);
	}
	let issuance = client.network_stats().await.unwrap().issuance as i128;
	assert_eq!(amounts.values().sum::<i128>(), issuance, "{amounts:?}");
	Page { block: block.number, amounts, issuance }
}

/// The number of a block's author, which BABE's digest has behind one byte for its kind.
fn author(logs: &[DigestItem]) -> usize {
	let babe = logs.iter().find_map(|log| match log {
		DigestItem::PreRuntime(engine, data) if engine == b"BABE" => Some(data),
		_ => None,
	});
	let number = &babe.expect("every block has an author")[1..5];
	u32::from_le_bytes(number.try_into().unwrap()) as usize
}

/// The account of a pallet.
fn of_pallet(id: &[u8; 8]) -> AccountId {
	let mut account = [0; 32];
	(b"modl", id).using_encoded(|bytes| account[..bytes.len()].copy_from_slice(bytes));
	AccountId::decode(&mut &account[..]).unwrap()
}
