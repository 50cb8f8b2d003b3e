//! The proof of the records.

use crate::chain::*;
use assay_receipt::{keys, RUNTIMES};
use codec::{Compact, Encode};
use sp_core::Bytes;

/// The receipt of a chain that stores something else under a key.
fn storing(key: usize, value: Option<Vec<u8>>) -> assay_receipt::Receipt {
	let mut top = stored(&records());
	match value {
		Some(value) => top[key].1 = value,
		None => drop(top.remove(key)),
	}
	World::with(top, &keys(JOB, TASKS)).receipt()
}

#[test]
fn nodes_lead_from_the_state_root_to_the_records() {
	let world = World::new();
	for i in 0..world.state.len() {
		let mut receipt = world.receipt();
		receipt.proof.as_mut().unwrap().state.remove(i);
		fails_at(&receipt, "state", "state proof");
		// Each byte of a node is hashed; one of each will do here.
		let mut receipt = world.receipt();
		receipt.proof.as_mut().unwrap().state[i].0[0] ^= 1;
		fails_at(&receipt, "state", "state proof");
	}
	// The state of another block.
	let mut other = World::new();
	other.block = header(120, root(9), None);
	fails_at(&other.receipt(), "state", "state proof");
}

#[test]
fn nothing_is_in_the_proof_that_proves_nothing() {
	let with = |node: Vec<u8>| {
		let mut receipt = World::new().receipt();
		receipt.proof.as_mut().unwrap().state.push(Bytes(node));
		receipt
	};
	fails_at(&with(vec![1, 2, 3]), "state", "1 nodes that prove nothing");
	fails_at(&with(World::new().state[0].0.clone()), "state", "1 nodes that prove nothing");
	let mut receipt = World::new().receipt();
	receipt.proof.as_mut().unwrap().genesis.authorities.push(Bytes(vec![0]));
	fails_at(&receipt, "authorities", "1 nodes that prove nothing");
}

#[test]
fn every_record_must_be_there_and_readable() {
	fails_at(&storing(0, None), "state", "version of its runtime");
	fails_at(&storing(1, None), "state", "such job");
	fails_at(&storing(4, None), "state", "no task 2");
	fails_at(&storing(1, Some(vec![1, 2])), "state", "record of the job cannot be decoded");
	fails_at(&storing(3, Some(vec![9])), "state", "record of a task cannot be decoded");
	let mut long = records().job.encode();
	long.push(0);
	fails_at(&storing(1, Some(long)), "state", "record of the job cannot be decoded");
	let mut job = records().job;
	job.tasks = u32::MAX;
	fails_at(&storing(1, Some(job.encode())), "state", "more than can be");
	// A task that the job does not have, and one too few.
	job.tasks = TASKS - 1;
	fails_at(&storing(1, Some(job.encode())), "state", "prove nothing");
}

#[test]
fn records_are_read_by_the_layout_of_their_runtime_only() {
	let unknown = RUNTIMES.iter().max().unwrap() + 1;
	let receipt = storing(0, Some((Compact(unknown), "assay").encode()));
	fails_at(&receipt, "state", "does not read");
	fails_at(&storing(0, Some((Compact(1u32), "other").encode())), "state", "`other`");
}
