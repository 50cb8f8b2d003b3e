//! Proofs, from the first block on, that blocks are final: with them whoever knows the first block's
//! hash needs to trust no node. Receipts are made of them.

use crate::service::{Block, FullClient, Hash};
use assay_receipt::{authorities_key, Finalised, Genesis, Page};
use codec::{DecodeAll, Encode};
use jsonrpsee::{
	core::RpcResult,
	proc_macros::rpc,
	types::{error::INTERNAL_ERROR_CODE, ErrorObjectOwned},
	RpcModule,
};
use sc_consensus_grandpa::warp_proof::WarpSyncFragment;
use sc_network_sync::strategy::warp::{EncodedProof, WarpSyncProvider};
use sc_service::{ChainSpec, Error};
use sp_blockchain::HeaderBackend;
use sp_core::{
	storage::{StateVersion, Storage},
	Bytes,
};
use sp_runtime::traits::BlakeTwo256;
use sp_state_machine::{prove_read, InMemoryBackend};
use std::sync::{Arc, OnceLock};

/// Most bytes of one page, before they are written as hexadecimal digits.
const MAX_PAGE: usize = 1024 * 1024;

/// Reads of proofs.
#[rpc(server, namespace = "assay")]
pub trait FinalityApi {
	/// The first block's header, and the proof of the authorities that its state names.
	#[method(name = "proveGenesis", blocking)]
	fn genesis(&self) -> RpcResult<Genesis>;

	/// The blocks after `from`, or after the first one, in which one set of authorities handed over
	/// to the next, and at the end of these the last block with votes, each with the votes that made
	/// it final. If a page is not the last, the next begins from its last block.
	#[method(name = "proveFinality", blocking)]
	fn finality(&self, from: Option<Hash>) -> RpcResult<Page>;
}

/// What the proofs are made from.
#[derive(Clone)]
pub struct Finality {
	handoffs: Arc<dyn WarpSyncProvider<Block>>,
	first: assay_primitives::Header,
	spec: Arc<dyn ChainSpec>,
	genesis: Arc<OnceLock<Result<Genesis, String>>>,
}

impl Finality {
	/// Proofs out of what nodes prove to each other when they skip over blocks.
	pub fn new(
		client: &FullClient,
		handoffs: Arc<dyn WarpSyncProvider<Block>>,
		spec: Box<dyn ChainSpec>,
	) -> Result<Self, Error> {
		let first = client.header(client.info().genesis_hash)?;
		let first = first.ok_or_else(|| Error::Other("the database holds no genesis".into()))?;
		Ok(Self { handoffs, first, spec: spec.into(), genesis: Default::default() })
	}

	/// A node drops the first block's state like any other, so it is made again, once.
	fn first_state(&self) -> Result<Genesis, String> {
		let storage = self.spec.as_storage_builder().build_storage()?;
		prove_genesis(&self.first, &storage)
	}
}

/// The methods.
pub fn module(finality: Finality) -> RpcModule<impl Send + Sync> {
	finality.into_rpc()
}

impl FinalityApiServer for Finality {
	fn genesis(&self) -> RpcResult<Genesis> {
		self.genesis.get_or_init(|| self.first_state()).clone().map_err(error)
	}

	fn finality(&self, from: Option<Hash>) -> RpcResult<Page> {
		let proof = self.handoffs.generate(from.unwrap_or_else(|| self.first.hash()));
		page(&proof.map_err(|reason| error(reason.to_string()))?).map_err(error)
	}
}

/// The proof of the first block's authorities, out of its whole state.
fn prove_genesis(first: &assay_primitives::Header, storage: &Storage) -> Result<Genesis, String> {
	// The header tells by which rule its state was hashed.
	let backend = [StateVersion::V1, StateVersion::V0]
		.into_iter()
		.map(|version| InMemoryBackend::<BlakeTwo256>::from((storage.clone(), version)))
		.find(|backend| backend.root() == &first.state_root)
		.ok_or("the chain specification makes another first state than the first block has")?;
	let proof = prove_read(backend, [authorities_key()]).map_err(|error| error.to_string())?;
	Ok(Genesis {
		header: Bytes(first.encode()),
		authorities: proof.into_iter_nodes().map(Bytes).collect(),
	})
}

/// As much of a proof as fits a page, and at least one block of it.
fn page(EncodedProof(proof): &EncodedProof) -> Result<Page, String> {
	// The fields of the SDK's `WarpSyncProof`, which keeps them to itself.
	let (fragments, complete): (Vec<WarpSyncFragment<Block>>, bool) =
		DecodeAll::decode_all(&mut &proof[..]).map_err(|error| error.to_string())?;
	let mut bytes = 0usize;
	let total = fragments.len();
	let fits = |block: &Finalised| {
		let first = bytes == 0;
		bytes = bytes.saturating_add(block.header.len() + block.justification.len());
		first || bytes <= MAX_PAGE
	};
	let blocks: Vec<_> = fragments
		.into_iter()
		.map(|fragment| Finalised {
			header: Bytes(fragment.header.encode()),
			justification: Bytes(fragment.justification.encode()),
		})
		.take_while(fits)
		.collect();
	Ok(Page { finished: complete && blocks.len() == total, blocks })
}

fn error(message: String) -> ErrorObjectOwned {
	ErrorObjectOwned::owned(INTERNAL_ERROR_CODE, message, None::<()>)
}

#[cfg(test)]
mod tests {
	use super::*;
	use sp_core::storage::well_known_keys::CODE;
	use sp_runtime::traits::Header as _;

	/// A state with a value long enough to be hashed apart.
	fn storage() -> Storage {
		let top = [(authorities_key(), vec![7; 40]), (CODE.to_vec(), vec![1; 100])];
		Storage { top: top.into_iter().collect(), children_default: Default::default() }
	}

	fn header(state_root: Hash) -> assay_primitives::Header {
		let zero = Hash::zero();
		assay_primitives::Header::new(0, zero, state_root, zero, Default::default())
	}

	#[test]
	fn the_first_state_is_proved_by_the_rule_it_was_hashed_by() {
		for version in [StateVersion::V0, StateVersion::V1] {
			let backend = InMemoryBackend::<BlakeTwo256>::from((storage(), version));
			let first = header(*backend.root());
			let genesis = prove_genesis(&first, &storage()).unwrap();
			assert_eq!(genesis.header(first.hash()).unwrap(), first);
			let nodes = sp_state_machine::StorageProof::new(
				genesis.authorities.iter().map(|node| node.0.clone()),
			);
			let read = sp_state_machine::read_proof_check::<BlakeTwo256, _>(
				first.state_root,
				nodes,
				[authorities_key()],
			);
			assert_eq!(read.unwrap()[&authorities_key()], Some(vec![7; 40]), "{version:?}");
		}
	}

	#[test]
	fn another_state_than_the_first_blocks_proves_nothing() {
		let error = prove_genesis(&header(Hash::repeat_byte(1)), &storage()).unwrap_err();
		assert!(error.contains("another first state"), "{error}");
	}

	/// Blocks with so many headers beside their votes.
	fn proof(blocks: &[usize], complete: bool) -> EncodedProof {
		let fragment = |headers: &usize| {
			let votes: sp_consensus_grandpa::GrandpaJustification<assay_primitives::Header> =
				sp_consensus_grandpa::GrandpaJustification {
					round: 1,
					commit: sp_consensus_grandpa::Commit::<assay_primitives::Header> {
						target_hash: Hash::zero(),
						target_number: 1,
						precommits: Vec::new(),
					},
					votes_ancestries: vec![header(Hash::zero()); *headers],
				};
			(header(Hash::zero()), votes)
		};
		EncodedProof((blocks.iter().map(fragment).collect::<Vec<_>>(), complete).encode())
	}

	#[test]
	fn pages_are_bounded_and_the_last_says_so() {
		let whole = page(&proof(&[0, 1, 2], true)).unwrap();
		assert!(whole.finished && whole.blocks.len() == 3);
		assert!(!page(&proof(&[0, 1, 2], false)).unwrap().finished);

		// Headers are of 98 bytes here: some 10,700 fill a page.
		let part = page(&proof(&[5_000, 5_000, 5_000], true)).unwrap();
		assert!(!part.finished && part.blocks.len() == 2);
		let one = page(&proof(&[20_000, 1], true)).unwrap();
		assert!(!one.finished && one.blocks.len() == 1, "a page makes some progress");
		assert!(page(&EncodedProof(vec![1])).is_err());
		assert!(page(&proof(&[], true)).unwrap().finished);
	}
}
