//! Receipts are read by the layout in which this runtime stores jobs.

use assay_primitives::{
	market::{MachineClass, Requirements},
	views::{JobMoney, TaskCounts},
	work::{Assurance, Commitment, Custody, Mode, TaskStatus},
	AccountId, Root,
};
use assay_receipt::{authorities_key, keys, EngagementRecord, JobRecord, TaskRecord, RUNTIMES};
use assay_runtime::{Runtime, VERSION};
use codec::{Compact, Decode, DecodeAll, Encode};
use frame_system::LastRuntimeUpgrade;
use pallet_job_escrow::{Engagement, Job, JobSpec, Jobs, Task, Tasks};

const JOB: u64 = 0x0102_0304_0506_0708;

fn account(byte: u8) -> AccountId {
	AccountId::new([byte; 32])
}

fn root(byte: u8) -> Root {
	Root::repeat_byte(byte)
}

fn read<T: Decode>(stored: impl Encode) -> T {
	T::decode_all(&mut &stored.encode()[..]).expect("the layout is the runtime's")
}

/// A change of a record's layout needs another `spec_version`, which belongs into `RUNTIMES` with
/// the layout. The old layout stays, for old receipts.
#[test]
fn this_version_is_read() {
	assert!(RUNTIMES.contains(&VERSION.spec_version), "add its layout to `assay-receipt`");
	let stored = frame_system::LastRuntimeUpgradeInfo::from(VERSION).encode();
	let read = <(Compact<u32>, String)>::decode_all(&mut &stored[..]);
	assert_eq!(read, Ok((Compact(VERSION.spec_version), "assay".into())));
}

#[test]
fn keys_are_those_of_the_storage() {
	let expected = [
		LastRuntimeUpgrade::<Runtime>::hashed_key().to_vec(),
		Jobs::<Runtime>::hashed_key_for(JOB),
		Tasks::<Runtime>::hashed_key_for(JOB, 0),
		Tasks::<Runtime>::hashed_key_for(JOB, 1),
	];
	assert_eq!(keys(JOB, 2), expected);
	assert_eq!(authorities_key(), pallet_grandpa::Authorities::<Runtime>::hashed_key());
}

#[test]
fn jobs_are_read_as_they_are_stored() {
	let spec = JobSpec {
		program: root(1),
		tasks_root: root(2),
		tasks: 3,
		data_url: b"http://x".to_vec().try_into().expect("short"),
		requirements: Requirements {
			class: MachineClass::Cpu,
			min_memory_mib: 4,
			region: Some(*b"CH"),
		},
		mode: Mode::Direct { provider: account(5), machine: 6 },
		assurance: Assurance::every_task(7),
		max_price: 8,
		value: 9,
		deadline: 10,
		lifetime: 11,
	};
	let money = JobMoney {
		escrow: 12,
		paid: 13,
		fees: 14,
		burned: 15,
		audit: 16,
		refunded: 17,
		held: 18,
		compensated: 19,
	};
	let counts = TaskCounts { live: 20, settled: 21, refunded: 22 };
	let job = Job::<Runtime> {
		owner: account(23),
		spec: spec.clone(),
		audit_fee: 24,
		custody: Custody { custodians: 29, fee: 30 },
		runs: 25,
		posted_at: 26,
		expires_at: 27,
		closed_at: Some(28),
		money,
		counts,
	};
	let expected = JobRecord {
		owner: account(23),
		program: spec.program,
		tasks_root: spec.tasks_root,
		tasks: spec.tasks,
		data_url: spec.data_url,
		requirements: spec.requirements,
		mode: spec.mode,
		assurance: spec.assurance,
		max_price: spec.max_price,
		value: spec.value,
		deadline: spec.deadline,
		lifetime: spec.lifetime,
		audit_fee: 24,
		custody: Custody { custodians: 29, fee: 30 },
		runs: 25,
		posted_at: 26,
		expires_at: 27,
		closed_at: Some(28),
		money,
		counts,
	};
	assert_eq!(read::<JobRecord>(job), expected);
}

#[test]
fn tasks_are_read_as_they_are_stored() {
	let commitment = Some(Commitment { output_root: root(1), trace_root: Some(root(2)) });
	let task = Task::<Runtime> {
		status: TaskStatus::Settled { at: 3 },
		turn: 4,
		engaged: Some(Engagement {
			provider: account(5),
			machine: 6,
			price: 7,
			pledge: 8,
			collateral: 9,
			audit_paid: 10,
			inputs: vec![root(11), root(12)].try_into().expect("few"),
			commitment,
			delivered: true,
		}),
		attempts: 13,
		refused: vec![account(14)].try_into().expect("few"),
		held: 15,
	};
	let expected = TaskRecord {
		status: TaskStatus::Settled { at: 3 },
		turn: 4,
		engaged: Some(EngagementRecord {
			provider: account(5),
			machine: 6,
			price: 7,
			pledge: 8,
			collateral: 9,
			audit_paid: 10,
			inputs: vec![root(11), root(12)],
			commitment,
			delivered: true,
		}),
		attempts: 13,
		refused: vec![account(14)],
		held: 15,
	};
	assert_eq!(read::<TaskRecord>(task), expected);
}
