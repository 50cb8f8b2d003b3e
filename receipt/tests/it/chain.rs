//! A chain whose authorities change twice, and a receipt of a job on it.

use assay_primitives::{
	market::{MachineClass, Requirements},
	views::{JobMoney, TaskCounts},
	work::{Assurance, Commitment, Mode, Reason, TaskStatus},
	AccountId, Hash, Header, Root,
};
use assay_receipt::{
	authorities_key, keys, verify, Block, Checked, EngagementRecord, Finalised, Genesis, JobRecord,
	Outcome, Proof, Receipt, Records, TaskRecord,
};
use codec::{Compact, Encode};
use finality_grandpa::{Message, Precommit, SignedPrecommit};
use sp_consensus_grandpa::{
	localized_payload, AuthorityId, AuthorityList, Commit, ConsensusLog, GrandpaJustification,
	ScheduledChange, GRANDPA_ENGINE_ID,
};
use sp_core::{
	ed25519::Pair,
	storage::{StateVersion, Storage},
	Bytes, Pair as _,
};
use sp_runtime::{
	traits::{BlakeTwo256, Header as _},
	Digest, DigestItem,
};
use sp_state_machine::{prove_read, InMemoryBackend};

pub const JOB: u64 = 7;
pub const TASKS: u32 = 3;
pub const ROUND: u64 = 5;

/// Authorities by one letter each.
pub fn pairs(names: &str) -> Vec<Pair> {
	names.bytes().map(|name| Pair::from_seed(&[name; 32])).collect()
}

pub fn list(names: &str) -> AuthorityList {
	pairs(names).iter().map(|pair| (AuthorityId::from(pair.public()), 1)).collect()
}

/// A signal by which the authorities change.
pub fn change(names: &str) -> ConsensusLog<u32> {
	ConsensusLog::ScheduledChange(ScheduledChange { next_authorities: list(names), delay: 0 })
}

pub fn header(number: u32, state_root: Hash, log: Option<ConsensusLog<u32>>) -> Header {
	let logs = log.map(|log| DigestItem::Consensus(GRANDPA_ENGINE_ID, log.encode()));
	let extrinsics = Hash::repeat_byte(number as u8);
	let digest = Digest { logs: logs.into_iter().collect() };
	Header::new(number, extrinsics, state_root, Hash::zero(), digest)
}

/// Votes of these authorities of a set, each for a block.
pub fn votes(
	set: u64,
	target: &Header,
	votes: &[(char, &Header)],
	ancestry: &[Header],
) -> GrandpaJustification<Header> {
	let precommits = votes.iter().map(|(name, header)| {
		let pair = &pairs(&name.to_string())[0];
		let precommit = Precommit { target_hash: header.hash(), target_number: header.number };
		let payload = localized_payload(ROUND, set, &Message::Precommit(precommit.clone()));
		SignedPrecommit {
			precommit,
			signature: pair.sign(&payload).into(),
			id: AuthorityId::from(pair.public()),
		}
	});
	let commit = Commit::<Header> {
		target_hash: target.hash(),
		target_number: target.number,
		precommits: precommits.collect(),
	};
	GrandpaJustification { round: ROUND, commit, votes_ancestries: ancestry.to_vec() }
}

pub fn finalised(header: &Header, justification: GrandpaJustification<Header>) -> Finalised {
	Finalised { header: Bytes(header.encode()), justification: Bytes(justification.encode()) }
}

/// A block final by the votes of these authorities for it.
pub fn voted(header: &Header, set: u64, names: &str) -> Finalised {
	let all: Vec<_> = names.chars().map(|name| (name, header)).collect();
	finalised(header, votes(set, header, &all, &[]))
}

/// A state, its root and the proof of some of its keys.
pub fn prove(top: Vec<(Vec<u8>, Vec<u8>)>, keys: &[Vec<u8>]) -> (Hash, Vec<Bytes>) {
	// Neighbours, so that the trie has nodes besides those of the proof.
	let others =
		(0..200u32).map(|i| (sp_crypto_hashing::blake2_256(&i.encode()).to_vec(), i.encode()));
	let top = top.into_iter().chain(others).collect();
	let storage = Storage { top, children_default: Default::default() };
	let backend = InMemoryBackend::<BlakeTwo256>::from((storage, StateVersion::V1));
	let root = *backend.root();
	let proof = prove_read(backend, keys).unwrap();
	(root, proof.into_iter_nodes().map(Bytes).collect())
}

pub fn root(byte: u8) -> Root {
	Root::repeat_byte(byte)
}

pub fn account(byte: u8) -> AccountId {
	AccountId::new([byte; 32])
}

fn job() -> JobRecord {
	JobRecord {
		owner: account(1),
		program: root(2),
		tasks_root: root(3),
		tasks: TASKS,
		data_url: b"http://buyer.example".to_vec().try_into().unwrap(),
		requirements: Requirements { class: MachineClass::Cpu, min_memory_mib: 1, region: None },
		mode: Mode::BestAsk,
		assurance: Assurance::every_task(3),
		max_price: 1_000,
		value: 50,
		deadline: 100,
		lifetime: 600,
		audit_fee: 30,
		custody: Default::default(),
		runs: 3,
		posted_at: 20,
		expires_at: 620,
		closed_at: Some(110),
		money: JobMoney {
			escrow: 3_270,
			paid: 1_900,
			fees: 100,
			audit: 60,
			refunded: 1_180,
			..Default::default()
		},
		counts: TaskCounts { live: 0, settled: 2, refunded: 1 },
	}
}

fn task(index: u32) -> TaskRecord {
	let byte = 10 + index as u8;
	if index == 2 {
		let status = TaskStatus::Refunded { at: 110, reason: Reason::Expired };
		return TaskRecord {
			status,
			turn: 4,
			engaged: None,
			attempts: 1,
			refused: vec![account(9)],
			held: 30,
		};
	}
	TaskRecord {
		status: TaskStatus::Settled { at: 100 + index },
		turn: 5,
		engaged: Some(EngagementRecord {
			provider: account(byte),
			machine: index,
			price: 1_000,
			pledge: 5_000,
			collateral: 5_000,
			audit_paid: 30,
			inputs: vec![root(byte + 10)],
			commitment: Some(Commitment {
				output_root: root(byte + 20),
				trace_root: Some(root(byte + 30)),
			}),
			delivered: true,
		}),
		attempts: 0,
		refused: vec![],
		held: 0,
	}
}

pub fn records() -> Records {
	Records { runtime: 1, job: job(), tasks: (0..TASKS).map(task).collect() }
}

/// The records as the chain stores them.
pub fn stored(records: &Records) -> Vec<(Vec<u8>, Vec<u8>)> {
	let runtime = (Compact(records.runtime), "assay").encode();
	let tasks = records.tasks.iter().map(Encode::encode);
	let values = [runtime, records.job.encode()].into_iter().chain(tasks);
	keys(JOB, records.tasks.len() as u32).into_iter().zip(values).collect()
}

/// All that makes a receipt, to be bent.
pub struct World {
	pub genesis: Genesis,
	pub handoffs: Vec<Finalised>,
	pub block: Header,
	pub state: Vec<Bytes>,
	pub records: Records,
}

impl World {
	/// Authorities `abc` hand over to `defg` in block 50, these to `hij` in block 90, and the job is
	/// read at block 120.
	pub fn new() -> Self {
		Self::with(stored(&records()), &keys(JOB, TASKS))
	}

	/// The same with another state at the block, of which these keys are proved.
	pub fn with(top: Vec<(Vec<u8>, Vec<u8>)>, proved: &[Vec<u8>]) -> Self {
		let handoffs = vec![
			voted(&header(50, root(1), Some(change("defg"))), 0, "abc"),
			voted(&header(90, root(2), Some(change("hij"))), 1, "defg"),
		];
		let (state_root, state) = prove(top, proved);
		let block = header(120, state_root, None);
		Self { genesis: Self::genesis("abc"), handoffs, block, state, records: records() }
	}

	/// The first block, with these authorities.
	pub fn genesis(names: &str) -> Genesis {
		let key = authorities_key();
		let (state_root, authorities) = prove(vec![(key.clone(), list(names).encode())], &[key]);
		Genesis { header: Bytes(header(0, state_root, None).encode()), authorities }
	}

	pub fn hash(&self) -> Hash {
		sp_crypto_hashing::blake2_256(&self.genesis.header).into()
	}

	/// The receipt with the votes of the last set.
	pub fn receipt(&self) -> Receipt {
		self.receipt_by(voted(&self.block, 2, "hij"))
	}

	/// The receipt with other votes.
	pub fn receipt_by(&self, block: Finalised) -> Receipt {
		let at = Block { number: self.block.number, hash: self.block.hash() };
		let receipt = Receipt::new(self.hash(), at, JOB, self.records.clone());
		let (genesis, handoffs, state) =
			(self.genesis.clone(), self.handoffs.clone(), self.state.clone());
		Receipt { proof: Some(Proof { genesis, handoffs, block, state }), ..receipt }
	}
}

pub fn text(receipt: &Receipt) -> String {
	serde_json::to_string_pretty(receipt).unwrap()
}

pub fn checked(receipt: &Receipt) -> Outcome {
	verify(&text(receipt), Some(receipt.genesis))
}

/// The checks that failed, with why; fails if there are none.
pub fn failures(receipt: &Receipt) -> Vec<(&'static str, String)> {
	let outcome = checked(receipt);
	assert!(!outcome.ok());
	let failed = outcome.checks.into_iter().filter(|check| check.result == Checked::Failed);
	let failed: Vec<_> = failed.map(|check| (check.check, check.text)).collect();
	assert!(!failed.is_empty(), "what is not ok has a reason");
	failed
}

/// One check failed, and no other, for a reason with these words.
pub fn fails_at(receipt: &Receipt, check: &str, why: &str) {
	let failed = failures(receipt);
	assert_eq!(failed.len(), 1, "{failed:?}");
	assert!(failed[0].0 == check && failed[0].1.contains(why), "{failed:?}");
}
