//! Replicas: sealed, and opened when the chain says so, by a worker that may be killed at any point.

use crate::common::{a_while, block_on, tensor, until, Buyer, Rig};
use assay_compute::{execute, Dtype, Shape, Tensor};
use assay_primitives::{
	replication::Outcome,
	work::{Assurance, TaskId, TaskStatus},
	Permill,
};
use assay_worker::{
	chain::Call,
	journal::{Entry, Journal, Stage},
	tasks::summarise,
};
use std::sync::atomic::Ordering;

/// A rig on a chain whose jobs have two replicas, and a buyer that has posted one of one task.
async fn posted(tolerance: u32) -> (Rig, Buyer, TaskId) {
	let (rig, buyer) = (Rig::new(), Buyer::new(1).await);
	rig.chain.state().assurance =
		Some(Assurance::Replicated { replicas: 2, tolerance, at_least: Permill::zero() });
	// The second slot is another provider's, but for the one test that looks at its inputs.
	let slots = buyer.post(&rig.chain);
	assert_eq!(slots.len(), 2);
	rig.chain.state().tasks.remove(&slots[0]);
	(rig, buyer, slots[1])
}

fn entry(rig: &Rig, slot: TaskId) -> Option<Entry> {
	let entries = Journal::peek(&rig.config.journal_dir()).unwrap();
	entries.into_iter().find(|entry| entry.task == slot)
}

async fn sealed(rig: &Rig, slot: TaskId) {
	until("sealed", || matches!(rig.chain.status(slot), TaskStatus::Sealed { .. })).await;
}

/// What was opened, once it is.
async fn opened(rig: &Rig, slot: TaskId) -> Outcome {
	let until_block = rig.chain.tick() + 50;
	rig.chain.set_status(slot, TaskStatus::Opening { until: until_block });
	until("opened", || rig.chain.view(slot).commitment.is_some()).await;
	let state = rig.chain.state();
	let mut opened = state.calls.iter().filter_map(|call| match call {
		Call::Open { outcome, .. } => Some(outcome.clone()),
		_ => None,
	});
	opened.next().unwrap()
}

fn right(buyer: &Buyer) -> Tensor {
	let trace = execute(&buyer.program, &buyer.given(0)).unwrap();
	trace.tensors.into_iter().next_back().unwrap()
}

#[test]
fn sealed_then_opened_and_nothing_shown_before() {
	block_on(async {
		let (rig, buyer, slot) = posted(0).await;
		let worker = rig.start().await;
		sealed(&rig, slot).await;
		a_while().await;
		assert_eq!(rig.chain.count(|call| matches!(call, Call::Open { .. })), 0);
		assert_eq!(rig.chain.count(|call| matches!(call, Call::Submit { .. })), 0);
		let outcome = opened(&rig, slot).await;
		assert!(outcome.summary.is_empty());
		let exact = execute(&buyer.program, &buyer.given(0)).unwrap().commit();
		assert_eq!(outcome.commitment.output_root.0, exact.output_root);
		a_while().await;
		assert_eq!(rig.chain.count(|call| matches!(call, Call::Seal { .. })), 1);
		assert_eq!(rig.chain.count(|call| matches!(call, Call::Open { .. })), 1);
		// Held and served until the window is over, as any result.
		rig.chain.set_status(slot, TaskStatus::Passed { settles_at: 999 });
		until("held", || {
			matches!(entry(&rig, slot), Some(Entry { stage: Stage::Submitted(_), .. }))
		})
		.await;
		worker.stop().await;
		assert!(rig.chain.state().failed.is_empty());
	});
}

#[test]
fn a_kill_after_the_seal_loses_nothing() {
	block_on(async {
		let (rig, _buyer, slot) = posted(0).await;
		// The seal is in a block, but the worker never hears of it.
		let worker = rig.start().await;
		until("accepted", || matches!(rig.chain.status(slot), TaskStatus::Running { .. })).await;
		rig.chain.state().mute = true;
		sealed(&rig, slot).await;
		worker.kill().await;
		rig.chain.state().mute = false;
		let secret = entry(&rig, slot).unwrap().sealed.unwrap();
		let worker = rig.start().await;
		a_while().await;
		opened(&rig, slot).await;
		worker.stop().await;
		assert_eq!(rig.executions(), 1);
		assert_eq!(rig.chain.count(|call| matches!(call, Call::Seal { .. })), 1);
		assert_eq!(entry(&rig, slot).unwrap().sealed.unwrap(), secret);
	});
}

#[test]
fn a_kill_before_the_seal_goes_out_has_it_sealed_with_the_same_salt() {
	block_on(async {
		let (rig, _buyer, slot) = posted(0).await;
		rig.backend.held_up.store(true, Ordering::SeqCst);
		let worker = rig.start().await;
		until("executing", || rig.backend.begun.load(Ordering::SeqCst) == 1).await;
		rig.chain.state().down = true;
		rig.backend.held_up.store(false, Ordering::SeqCst);
		until("written down", || entry(&rig, slot).is_some_and(|e| e.sealed.is_some())).await;
		worker.kill().await;
		let secret = entry(&rig, slot).unwrap().sealed;
		rig.chain.state().down = false;
		let worker = rig.start().await;
		sealed(&rig, slot).await;
		opened(&rig, slot).await;
		worker.stop().await;
		assert_eq!(entry(&rig, slot).unwrap().sealed, secret);
		assert_eq!(rig.executions(), 1);
	});
}

#[test]
fn what_the_journal_does_not_know_is_not_opened() {
	block_on(async {
		let (rig, _buyer, slot) = posted(0).await;
		let worker = rig.start().await;
		sealed(&rig, slot).await;
		worker.stop().await;
		std::fs::remove_dir_all(rig.config.journal_dir()).unwrap();
		let worker = rig.start().await;
		let until_block = rig.chain.tick() + 50;
		rig.chain.set_status(slot, TaskStatus::Opening { until: until_block });
		a_while().await;
		worker.stop().await;
		assert!(rig.chain.view(slot).commitment.is_none());
		assert!(rig.chain.state().failed.is_empty());
	});
}

#[test]
fn a_tolerance_has_the_output_summed_up() {
	block_on(async {
		let (rig, buyer, slot) = posted(3).await;
		let worker = rig.start().await;
		sealed(&rig, slot).await;
		let outcome = opened(&rig, slot).await;
		worker.stop().await;
		assert!(outcome.fits(3));
		assert_eq!(outcome.summary.to_vec(), summarise(&right(&buyer)));
	});
}

#[test]
fn summaries_are_of_all_elements() {
	let small = tensor(3, 5, 7);
	let elements: Vec<i32> = small.as_i8().iter().map(|element| i32::from(*element)).collect();
	assert_eq!(summarise(&small), elements);
	// Every element counts, once.
	for (rows, cols) in [(1, 32), (1, 33), (7, 11), (64, 64), (1, 1)] {
		let large = tensor(rows, cols, 3);
		let summary = summarise(&large);
		assert_eq!(summary.len(), (rows * cols).min(32) as usize);
		let sum: i32 = large.as_i8().iter().map(|element| i32::from(*element)).sum();
		assert_eq!(summary.iter().sum::<i32>(), sum);
	}
	let words = [i32::MIN, -1, 0, 7, i32::MAX];
	let bytes = words.iter().flat_map(|word| word.to_le_bytes()).collect();
	let wide = Tensor::new(Shape::new(Dtype::I32, 1, 5), bytes).unwrap();
	assert_eq!(summarise(&wide), words);
	// Sums too large stop at the end of what can be written.
	let bytes = std::iter::repeat_n(i32::MAX.to_le_bytes(), 64).flatten().collect();
	let huge = Tensor::new(Shape::new(Dtype::I32, 8, 8), bytes).unwrap();
	assert_eq!(summarise(&huge), [i32::MAX; 32]);
}
