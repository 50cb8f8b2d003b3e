//! Benchmarks: which pallets have them, and what they need of the rest of the runtime.
//!
//! `scripts/bench weights` runs them and writes the pallets' weights.

use crate::*;
use alloc::{string::String, vec, vec::Vec};
use assay_compute::{Dtype, Node, Program};
use assay_primitives::{
	auditor::AuditorId,
	market::{Ask, MachineClass},
	work::MAX_TASK_INPUTS,
	Root,
};
use codec::{Decode, Encode};
use frame_benchmarking::{account, BenchmarkBatch, BenchmarkConfig, BenchmarkList};
use frame_support::{
	assert_ok,
	traits::{fungible::Mutate, Get, StorageInfo, StorageInfoTrait, WhitelistedStorageKeys},
	BoundedVec,
};
use pallet_provider_registry::MachineSpec;
use pallet_verification::Auditor;
use sp_consensus_babe::{
	digests::{PreDigest, SecondaryVRFPreDigest},
	BABE_ENGINE_ID,
};
use sp_runtime::DigestItem;

frame_benchmarking::define_benchmarks!(
	[pallet_emissions, Emissions]
	[pallet_job_escrow, JobEscrow]
	[pallet_provider_registry, ProviderRegistry]
	[pallet_verification, Verification]
);

/// All benchmarks, and all storage they may touch.
pub fn list(extra: bool) -> (Vec<BenchmarkList>, Vec<StorageInfo>) {
	let mut list = Vec::new();
	list_benchmarks!(list, extra);
	(list, AllPalletsWithSystem::storage_info())
}

/// Runs one of them.
pub fn dispatch(config: BenchmarkConfig) -> Result<Vec<BenchmarkBatch>, String> {
	let whitelist = AllPalletsWithSystem::whitelisted_storage_keys();
	let mut batches = Vec::new();
	let params = (&config, &whitelist);
	add_benchmarks!(params, batches);
	Ok(batches)
}

/// The rest of the runtime, as a pallet's benchmarks need it.
pub struct Helper;

/// An account with more than it can spend.
fn rich(name: &'static str, n: u32) -> AccountId {
	let who = account(name, n, 0);
	Balances::set_balance(&who, 1_000_000 * ASY);
	who
}

impl pallet_job_escrow::BenchmarkHelper<AccountId> for Helper {
	fn subject() -> pallet_job_escrow::Subject {
		let auditors = (0..configs::MaxAuthorities::get())
			.map(|n| {
				let account: AccountId = account("validator", n, 0);
				let id =
					AuditorId::from(sp_core::sr25519::Public::from_raw(account.clone().into()));
				Auditor { id, account, keeps: true }
			})
			.collect::<Vec<_>>();
		pallet_verification::Keepers::<Runtime>::put(auditors.len() as u32);
		pallet_verification::Auditors::<Runtime>::put(BoundedVec::truncate_from(auditors));

		let input = Node::Input { dtype: Dtype::I8, rows: 1, cols: 1 };
		let mut nodes = vec![input; MAX_TASK_INPUTS as usize];
		nodes.push(Node::ConcatCols { parts: (0..MAX_TASK_INPUTS).collect() });
		let bytes = BoundedVec::truncate_from(Program { nodes }.encode());
		let owner = RuntimeOrigin::signed(rich("author", 0));
		assert_ok!(Verification::register_program(owner, bytes));
		let program = pallet_verification::Programs::<Runtime>::iter_keys().next();

		let inputs = vec![Root::repeat_byte(1); MAX_TASK_INPUTS as usize];
		let task = inputs.iter().map(|root| root.0).collect();
		pallet_job_escrow::Subject {
			program: program.unwrap_or_default(),
			inputs: BoundedVec::truncate_from(inputs),
			tasks_root: Root::from(assay_compute::tasks_root(&[task])),
			auditors: pallet_verification::MAX_DRAWN as u8,
		}
	}

	fn provider(n: u32, price: Balance) -> (AccountId, AccountId) {
		let who = rich("provider", n);
		let hot: AccountId = account("hot", n, 0);
		let origin = || RuntimeOrigin::signed(who.clone());
		let stake = pallet_provider_registry::Parameters::<Runtime>::get().min_stake;
		let url = BoundedVec::truncate_from(b"https://worker.example".to_vec());
		let name = BoundedVec::truncate_from(b"name".to_vec());
		let spec =
			MachineSpec { class: MachineClass::Cpu, model: name.clone(), memory_mib: u32::MAX };
		let ask = Ask {
			base: price,
			per_gmac: 0,
			per_melement: 0,
			per_value_block: 0,
			stake_percent: 1_000,
			max_value: Balance::MAX,
			max_macs: u128::MAX,
			max_trace_bytes: u128::MAX,
			min_deadline: 0,
			slots: 1,
		};
		assert_ok!(ProviderRegistry::register(origin(), hot.clone(), stake, name, url, None));
		assert_ok!(ProviderRegistry::add_machine(origin(), spec));
		assert_ok!(ProviderRegistry::set_ask(origin(), 0, ask));
		(who, hot)
	}

	fn exhaust(provider: &AccountId) {
		type MaxAsks = <Runtime as pallet_provider_registry::Config>::MaxAsksPerClass;
		for n in 1..MaxAsks::get() {
			Self::provider(n, 1);
		}
		pallet_provider_registry::Machines::<Runtime>::mutate(provider, 0, |machine| {
			if let Some(machine) = machine {
				machine.missed_offers = u32::MAX;
			}
		});
	}
}

impl pallet_verification::BenchmarkHelper for Helper {
	/// By the first validator's secondary slot, with a signature that is not looked at.
	fn give_output() {
		let Ok(vrf_signature) = Decode::decode(&mut &[0; 96][..]) else { return };
		let slot = SecondaryVRFPreDigest { authority_index: 0, slot: 1.into(), vrf_signature };
		let digest = PreDigest::SecondaryVRF(slot).encode();
		System::deposit_log(DigestItem::PreRuntime(BABE_ENGINE_ID, digest));
		pallet_babe::AuthorVrfRandomness::<Runtime>::put(Some([1; 32]));
	}
}
