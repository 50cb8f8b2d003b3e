//! What is owed when it is demanded.

use crate::{
	chain::FakeChain,
	common::{block_on, until, Buyer, Rig},
};
use assay_compute::{
	audit::Claim,
	execute,
	proof::demand::{verify_opening, Opening},
	proof::Statement,
	Trace,
};
use assay_primitives::{
	demand::{DemandView, Wanted},
	work::{Assurance, Commitment, TaskId, TaskStatus},
	AccountId, Root,
};
use assay_worker::{chain::Call, journal::Journal};
use codec::{DecodeAll, Encode};

fn eve() -> AccountId {
	AccountId::new([9; 32])
}

fn demand(chain: &FakeChain, task: TaskId, wanted: Wanted) {
	let demand = DemandView { task, by: eve(), wanted, until: 500, price: 1 };
	chain.state().demands.push(demand);
	chain.tick();
}

/// Answers so far, in order.
fn answers(chain: &FakeChain) -> Vec<Vec<u8>> {
	let state = chain.state();
	let calls = state.calls.iter().filter_map(|call| match call {
		Call::Answer { by, answer, .. } if *by == eve() => Some(answer.clone()),
		_ => None,
	});
	calls.collect()
}

async fn submitted(chain: &FakeChain, task: TaskId) -> Commitment {
	let auditing = |status| matches!(status, TaskStatus::Auditing { .. });
	until("submitted", || auditing(chain.status(task))).await;
	chain.view(task).commitment.unwrap()
}

fn exact(buyer: &Buyer) -> Trace {
	execute(&buyer.program, &buyer.given(0)).unwrap()
}

fn opens(buyer: &Buyer, wanted: Wanted, answer: &[u8]) -> bool {
	let trace = exact(buyer);
	let commitment = trace.commit();
	let inputs: Vec<u32> = buyer.program.inputs().iter().map(|(node, _)| *node).collect();
	let roots = inputs.iter().map(|node| trace.roots()[*node as usize]).collect();
	let claim = Claim::new(roots, &commitment);
	let id = buyer.program.id();
	let statement =
		Statement { program: &id, nodes: buyer.program.len(), inputs: &inputs, claim: &claim };
	let opening = Opening::decode_all(&mut &answer[..]).unwrap();
	verify_opening(&statement, &wanted.place().unwrap(), &opening).is_ok()
}

#[test]
fn places_of_the_trace_are_opened() {
	block_on(async {
		let (rig, buyer) = (Rig::new(), Buyer::new(1).await);
		let task = buyer.post(&rig.chain)[0];
		let worker = rig.start().await;
		submitted(&rig.chain, task).await;
		let last = buyer.program.output();
		let level = assay_compute::Position::root(buyer.program.len()).level;
		for (number, wanted) in (1..).zip([
			Wanted::Row { node: last, row: 0 },
			Wanted::Row { node: 0, row: 0 },
			Wanted::Tensors { level, index: 0 },
		]) {
			demand(&rig.chain, task, wanted);
			until("answered", || answers(&rig.chain).len() == number).await;
			assert!(opens(&buyer, wanted, &answers(&rig.chain)[number - 1]), "{wanted:?}");
		}
		worker.stop().await;
		assert_eq!(rig.executions(), 1);
		assert!(rig.chain.state().failed.is_empty());
	});
}

#[test]
fn nothing_but_the_output_is_committed_to_where_nobody_needs_more() {
	block_on(async {
		let (rig, buyer) = (Rig::new(), Buyer::new(1).await);
		let task = buyer.post(&rig.chain)[0];
		let jobs: Vec<_> = rig.chain.state().jobs.keys().copied().collect();
		for job in jobs {
			rig.chain.state().jobs.get_mut(&job).unwrap().assurance = Assurance::Optimistic;
		}
		let worker = rig.start().await;
		let commitment = submitted(&rig.chain, task).await;
		let made = exact(&buyer).commit();
		let output_root = Root::from(made.output_root);
		assert_eq!(commitment, Commitment { output_root, trace_root: None });
		assert!(rig.store().tensor(&made.output_root).unwrap().is_some());
		assert!(rig.store().trace(&made.trace_root).unwrap().is_none());

		// Executed again for whoever demands more, once, also when it is killed in between.
		demand(&rig.chain, task, Wanted::Trace);
		until("answered", || answers(&rig.chain).len() == 1).await;
		assert_eq!(answers(&rig.chain)[0], made.trace_root.encode());
		worker.kill().await;
		let entry = Journal::open(rig.config.journal_dir()).unwrap().get(task).unwrap();
		assert_eq!(entry.trace, Some(made.trace_root.into()));
		let worker = rig.start().await;
		let wanted = Wanted::Row { node: buyer.program.output(), row: 0 };
		demand(&rig.chain, task, wanted);
		until("answered", || answers(&rig.chain).len() == 2).await;
		assert!(opens(&buyer, wanted, &answers(&rig.chain)[1]));
		worker.stop().await;
		assert_eq!(rig.executions(), 2);
	});
}

/// What was written down is given, and not what another execution would give.
#[test]
fn a_trace_root_that_was_written_down_is_the_one_given() {
	block_on(async {
		let (rig, buyer) = (Rig::new(), Buyer::new(1).await);
		let task = buyer.post(&rig.chain)[0];
		let worker = rig.start().await;
		let commitment = submitted(&rig.chain, task).await;
		worker.stop().await;
		std::fs::remove_dir_all(rig.config.store_dir()).unwrap();
		let worker = rig.start().await;
		let wanted = Wanted::Row { node: buyer.program.output(), row: 0 };
		demand(&rig.chain, task, wanted);
		until("answered", || answers(&rig.chain).len() == 1).await;
		assert!(opens(&buyer, wanted, &answers(&rig.chain)[0]));
		worker.stop().await;
		assert_eq!(rig.chain.view(task).commitment, Some(commitment));
	});
}
