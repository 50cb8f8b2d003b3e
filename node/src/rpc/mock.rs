//! A chain for tests of the RPC: blocks 1, 2 and 3 (hashes of repeated bytes), a fork of two blocks
//! on block 1, and a far head. Every block holds one event of job 1 and one of job 2.

use crate::service::{Block, Hash};
use assay_primitives::{
	demand::DemandView,
	views::{
		ChallengeView, Demands, JobEvent, JobEventKind, JobView, JobsPage, NetworkStats,
		ProviderView, TaskView,
	},
	work::{Assurance, Custody, JobId, ProgramInfo, TaskId, TaskIndex},
	AccountId, Balance, BlockNumber, Header, Root,
};
use sp_api::{ApiError, ApiRef, ProvideRuntimeApi};
use sp_blockchain::{
	BlockStatus, CachedHeaderMetadata, Error, HeaderBackend, HeaderMetadata, Info, Result,
};
use sp_runtime::traits::Header as _;

/// The best and finalised block.
pub const BEST: Hash = Hash::repeat_byte(3);
/// A known block without state.
pub const PRUNED: Hash = Hash::repeat_byte(0xee);
/// Head of the fork.
pub const FORK: Hash = Hash::repeat_byte(0xf3);

/// The chain.
pub struct Mock;

fn height(hash: Hash) -> Option<BlockNumber> {
	match hash.0 {
		[a, .., b] if a == b && (1..=3).contains(&a) => Some(a.into()),
		[0xf2, .., 0xf2] => Some(2),
		[0xf3, .., 0xf3] => Some(3),
		_ if hash == PRUNED => Some(0),
		[0, ..] => Some(hash.to_low_u64_be() as BlockNumber),
		_ => None,
	}
}

fn parent(hash: Hash) -> Hash {
	match hash.0[0] {
		0xf2 => Hash::repeat_byte(1),
		0xf3 => Hash::repeat_byte(0xf2),
		0 if hash.to_low_u64_be() == 4 => Hash::repeat_byte(3),
		0 => Hash::from_low_u64_be(hash.to_low_u64_be() - 1),
		byte => Hash::repeat_byte(byte - 1),
	}
}

impl HeaderBackend<Block> for Mock {
	fn header(&self, hash: Hash) -> Result<Option<Header>> {
		Ok(height(hash).map(|number| {
			Header::new(number, Hash::zero(), Hash::zero(), parent(hash), Default::default())
		}))
	}

	fn info(&self) -> Info<Block> {
		Info {
			best_hash: BEST,
			best_number: 3,
			genesis_hash: Hash::zero(),
			finalized_hash: BEST,
			finalized_number: 3,
			finalized_state: None,
			number_leaves: 1,
			block_gap: None,
		}
	}

	fn status(&self, hash: Hash) -> Result<BlockStatus> {
		Ok(height(hash).map_or(BlockStatus::Unknown, |_| BlockStatus::InChain))
	}

	fn number(&self, hash: Hash) -> Result<Option<BlockNumber>> {
		Ok(height(hash))
	}

	fn hash(&self, number: BlockNumber) -> Result<Option<Hash>> {
		Ok(u8::try_from(number).ok().map(Hash::repeat_byte))
	}
}

impl HeaderMetadata<Block> for Mock {
	type Error = Error;

	fn header_metadata(&self, hash: Hash) -> Result<CachedHeaderMetadata<Block>> {
		let header = self.expect_header(hash)?;
		let mut metadata = CachedHeaderMetadata::from(&header);
		// The mock's hashes tell the height and are no hashes.
		metadata.hash = hash;
		Ok(metadata)
	}

	fn insert_header_metadata(&self, _: Hash, _: CachedHeaderMetadata<Block>) {}

	fn remove_header_metadata(&self, _: Hash) {}
}

impl ProvideRuntimeApi<Block> for Mock {
	type Api = MockApi;

	fn runtime_api(&self) -> ApiRef<'_, MockApi> {
		MockApi.into()
	}
}

/// The mock's runtime.
#[derive(Clone)]
pub struct MockApi;

sp_api::mock_impl_runtime_apis! {
	impl assay_primitives::api::JobsApi<Block> for MockApi {
		fn job(_: JobId) -> Option<JobView> { None }
		fn jobs(_: Option<JobId>, _: u32) -> JobsPage {
			JobsPage { jobs: Vec::new(), next: None }
		}
		fn tasks(_: JobId, _: TaskIndex, _: u32) -> Vec<TaskView> { Vec::new() }
		fn tasks_of(_: AccountId) -> Vec<TaskView> { Vec::new() }
		fn job_events() -> Vec<JobEvent> {
			[1, 2].map(|job| JobEvent { job, task: None, kind: JobEventKind::Closed }).to_vec()
		}
		fn program(_: Root) -> Option<ProgramInfo> { None }
		fn audit_fee(_: Root, _: Assurance, _: Balance) -> Option<Balance> { None }
		fn custody(_: Root) -> Option<Custody> { None }
		fn demands_on(_: AccountId) -> Vec<DemandView> { Vec::new() }
		fn demands(_: Assurance) -> Option<Demands> { None }
		fn challenge(_: TaskId) -> Option<ChallengeView> { None }
		fn max_attempts() -> u8 { 3 }
		fn under_audit(_: TaskId) -> bool { false }
	}

	impl assay_primitives::api::ProvidersApi<Block> for MockApi {
		fn provider(_: AccountId) -> Option<ProviderView> { None }
		fn provider_of(_: AccountId) -> Option<AccountId> { None }
		fn providers(_: Option<AccountId>, _: u32) -> Vec<ProviderView> { Vec::new() }
	}

	impl assay_primitives::api::NetworkApi<Block> for MockApi {
		#[advanced]
		fn network_stats(at: Hash) -> std::result::Result<NetworkStats, ApiError> {
			if at == PRUNED {
				return Err(ApiError::UnknownBlock("state already discarded".into()));
			}
			let block = height(at).unwrap_or_default();
			Ok(NetworkStats { block, escrow: Balance::MAX, ..Default::default() })
		}
	}
}
