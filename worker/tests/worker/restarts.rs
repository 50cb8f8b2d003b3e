//! A kill at any point: the next start goes on from the chain and the journal.

use crate::common::{a_while, block_on, claim, fetch_trace, until, Buyer, Rig};
use assay_compute::execute;
use assay_primitives::{
	work::{Commitment, TaskId, TaskStatus},
	Root,
};
use assay_worker::{
	chain::{Call, Chain},
	journal::{Entry, Journal, Stage},
};
use std::sync::atomic::Ordering;

/// The right commitment of the buyer's task.
fn right(buyer: &Buyer, task: u32) -> Commitment {
	let made = execute(&buyer.program, &buyer.given(task)).unwrap().commit();
	Commitment { output_root: made.output_root.into(), trace_root: Some(made.trace_root.into()) }
}

fn entry(rig: &Rig, task: TaskId) -> Entry {
	let entries = Journal::peek(&rig.config.journal_dir()).unwrap();
	entries.into_iter().find(|entry| entry.task == task).expect("is in the journal")
}

fn submissions(rig: &Rig) -> Vec<Commitment> {
	let state = rig.chain.state();
	let given = state.calls.iter().filter_map(|call| match call {
		Call::Submit { commitment, .. } => Some(*commitment),
		_ => None,
	});
	given.collect()
}

async fn submitted(rig: &Rig, task: TaskId) {
	let is_so = || matches!(rig.chain.status(task), TaskStatus::Auditing { .. });
	until("submitted", is_so).await;
}

/// A task accepted, and the worker killed while it executes.
async fn running(rig: &Rig, buyer: &Buyer) -> TaskId {
	let tasks = buyer.post(&rig.chain);
	rig.backend.held_up.store(true, Ordering::SeqCst);
	let worker = rig.start().await;
	until("executing", || rig.backend.begun.load(Ordering::SeqCst) == 1).await;
	worker.kill().await;
	rig.backend.held_up.store(false, Ordering::SeqCst);
	tasks[0]
}

/// A task executed and stored, and the worker killed before the submission.
async fn committed(rig: &Rig, buyer: &Buyer) -> TaskId {
	let task = running(rig, buyer).await;
	// The node goes down just when the execution begins, so the submission fails.
	rig.backend.held_up.store(true, Ordering::SeqCst);
	let worker = rig.start().await;
	until("executing", || rig.backend.begun.load(Ordering::SeqCst) == 2).await;
	rig.chain.state().down = true;
	rig.backend.held_up.store(false, Ordering::SeqCst);
	until("written down", || matches!(entry(rig, task).stage, Stage::Committed(_))).await;
	worker.kill().await;
	rig.chain.state().down = false;
	assert_eq!(submissions(rig), []);
	assert_eq!(rig.executions(), 1);
	task
}

#[test]
fn after_the_inputs_were_checked() {
	block_on(async {
		let (rig, buyer) = (Rig::new(), Buyer::new(1).await);
		let tasks = buyer.post(&rig.chain);
		let job = rig.chain.job(tasks[0].job).await.unwrap().unwrap();
		// As if killed between writing the entry and accepting.
		let inputs = buyer.lists[0].iter().map(Root::from).collect();
		let journal = Journal::open(rig.config.journal_dir()).unwrap();
		journal.save(Entry::prepared(&job, &rig.chain.view(tasks[0]), inputs)).await.unwrap();
		let worker = rig.start().await;
		submitted(&rig, tasks[0]).await;
		worker.stop().await;
		assert_eq!(submissions(&rig), [right(&buyer, 0)]);
	});
}

#[test]
fn while_it_executed() {
	block_on(async {
		let (rig, buyer) = (Rig::new(), Buyer::new(1).await);
		let task = running(&rig, &buyer).await;
		assert_eq!(entry(&rig, task).stage, Stage::Prepared);
		let worker = rig.start().await;
		submitted(&rig, task).await;
		worker.stop().await;
		assert_eq!(submissions(&rig), [right(&buyer, 0)]);
		assert_eq!(rig.chain.count(|call| matches!(call, Call::Accept { .. })), 1);
		assert_eq!(rig.executions(), 1);
	});
}

#[test]
fn before_it_submitted() {
	block_on(async {
		let (rig, buyer) = (Rig::new(), Buyer::new(1).await);
		let task = committed(&rig, &buyer).await;
		let worker = rig.start().await;
		submitted(&rig, task).await;
		assert_eq!(submissions(&rig), [right(&buyer, 0)]);
		assert_eq!(rig.executions(), 1, "not executed again");
		fetch_trace(&worker.url, &buyer.program, &claim(&rig.chain, task)).await;
		worker.stop().await;
	});
}

#[test]
fn before_it_submitted_any_of_several() {
	block_on(async {
		let (mut rig, buyer) = (Rig::new(), Buyer::new(3).await);
		let tasks = buyer.post(&rig.chain);
		rig.backend.held_up.store(true, Ordering::SeqCst);
		let worker = rig.start().await;
		let is_running = |task| matches!(rig.chain.status(task), TaskStatus::Running { .. });
		until("accepted", || tasks.iter().all(|task| is_running(*task))).await;
		until("executing", || rig.backend.begun.load(Ordering::SeqCst) == 1).await;
		a_while().await;
		// No submission arrives, so all that comes of them is in the journal.
		rig.chain.state().down = true;
		rig.backend.held_up.store(false, Ordering::SeqCst);
		let is_committed = |task: &TaskId| matches!(entry(&rig, *task).stage, Stage::Committed(_));
		until("written down", || tasks.iter().all(is_committed)).await;
		// What a kill leaves is what is on the disk now.
		let left = tempfile::tempdir().unwrap();
		copy(rig.dir(), left.path());
		worker.kill().await;
		assert_eq!((submissions(&rig).len(), rig.executions()), (0, 3));

		rig.config.data_dir = left.path().into();
		rig.chain.state().down = false;
		let worker = rig.start().await;
		for task in &tasks {
			submitted(&rig, *task).await;
			fetch_trace(&worker.url, &buyer.program, &claim(&rig.chain, *task)).await;
		}
		a_while().await;
		worker.stop().await;
		assert_eq!((submissions(&rig).len(), rig.executions()), (3, 3));
	});
}

/// Copies a folder and all in it.
fn copy(from: &std::path::Path, to: &std::path::Path) {
	std::fs::create_dir_all(to).unwrap();
	for file in std::fs::read_dir(from).unwrap() {
		let path = file.unwrap().path();
		let target = to.join(path.file_name().unwrap());
		// Temporary files go while the others are copied.
		match path.is_dir() {
			true => copy(&path, &target),
			false => drop(std::fs::copy(&path, &target)),
		}
	}
}

#[test]
fn before_it_submitted_with_the_trace_damaged() {
	block_on(async {
		let (rig, buyer) = (Rig::new(), Buyer::new(1).await);
		let task = committed(&rig, &buyer).await;
		let Stage::Committed(known) = entry(&rig, task).stage else { panic!() };
		let output = hex::encode(known.output_root);
		std::fs::remove_file(rig.config.store_dir().join("tensors").join(output)).unwrap();
		let worker = rig.start().await;
		submitted(&rig, task).await;
		assert_eq!(submissions(&rig), [right(&buyer, 0)]);
		assert_eq!(rig.executions(), 2, "executed again, for its trace");
		fetch_trace(&worker.url, &buyer.program, &claim(&rig.chain, task)).await;
		worker.stop().await;
	});
}

#[test]
fn before_it_submitted_what_it_can_no_longer_make() {
	block_on(async {
		let (rig, buyer) = (Rig::new(), Buyer::new(1).await);
		let task = committed(&rig, &buyer).await;
		let journal = Journal::open(rig.config.journal_dir()).unwrap();
		let other = Commitment { output_root: [1; 32].into(), trace_root: Some([2; 32].into()) };
		let stage = Stage::Committed(other);
		journal.save(Entry { stage, ..entry(&rig, task) }).await.unwrap();
		let worker = rig.start().await;
		until("abandoned", || rig.chain.state().calls.contains(&Call::Abandon { task })).await;
		worker.stop().await;
		assert_eq!(submissions(&rig), [], "neither the one nor the other");
	});
}

#[test]
fn before_it_heard_that_it_had_submitted() {
	block_on(async {
		let (rig, buyer) = (Rig::new(), Buyer::new(1).await);
		let task = committed(&rig, &buyer).await;
		rig.chain.state().mute = true;
		let worker = rig.start().await;
		submitted(&rig, task).await;
		worker.kill().await;
		rig.chain.state().mute = false;
		assert!(matches!(entry(&rig, task).stage, Stage::Committed(_)));
		let worker = rig.start().await;
		until("noted", || matches!(entry(&rig, task).stage, Stage::Submitted(_))).await;
		a_while().await;
		fetch_trace(&worker.url, &buyer.program, &claim(&rig.chain, task)).await;
		worker.stop().await;
		assert_eq!(submissions(&rig), [right(&buyer, 0)]);
		assert!(rig.chain.state().failed.is_empty());
		assert_eq!(rig.executions(), 1);
	});
}

#[test]
fn with_its_folder_lost() {
	block_on(async {
		let (rig, buyer) = (Rig::new(), Buyer::new(1).await);
		let task = running(&rig, &buyer).await;
		std::fs::remove_dir_all(rig.dir()).unwrap();
		let worker = rig.start().await;
		submitted(&rig, task).await;
		worker.stop().await;
		assert_eq!(submissions(&rig), [right(&buyer, 0)]);

		// And once more while auditors want to see it.
		std::fs::remove_dir_all(rig.dir()).unwrap();
		let worker = rig.start().await;
		until("executed again", || rig.executions() == 2).await;
		let trace = right(&buyer, 0).trace_root.expect("committed to");
		let store = rig.store();
		until("stored", || store.trace(&trace.0).unwrap().is_some()).await;
		fetch_trace(&worker.url, &buyer.program, &claim(&rig.chain, task)).await;
		worker.stop().await;
		assert_eq!(submissions(&rig).len(), 1);
	});
}

#[test]
fn another_run_of_the_same_task_owes_nothing_to_the_first() {
	block_on(async {
		let (rig, buyer) = (Rig::new(), Buyer::new(1).await);
		let task = committed(&rig, &buyer).await;
		// The first run's entry names something else, as if it had been made by a lie.
		let journal = Journal::open(rig.config.journal_dir()).unwrap();
		let other = Commitment { output_root: [1; 32].into(), trace_root: Some([2; 32].into()) };
		let stage = Stage::Committed(other);
		journal.save(Entry { stage, ..entry(&rig, task) }).await.unwrap();
		{
			let mut state = rig.chain.state();
			let view = state.tasks.get_mut(&task).unwrap();
			view.attempts = 1;
			view.status = TaskStatus::Running { due: 400 };
		}
		let worker = rig.start().await;
		submitted(&rig, task).await;
		worker.stop().await;
		assert_eq!(submissions(&rig), [right(&buyer, 0)]);
	});
}

#[test]
fn with_a_damaged_journal() {
	block_on(async {
		let (rig, buyer) = (Rig::new(), Buyer::new(1).await);
		let task = running(&rig, &buyer).await;
		let path = rig.config.journal_dir().join("1-0.json");
		std::fs::write(&path, "{ \"task\": ").unwrap();
		let worker = rig.start().await;
		submitted(&rig, task).await;
		worker.stop().await;
		assert_eq!(submissions(&rig), [right(&buyer, 0)]);
		assert!(path.with_extension("damaged").exists());
	});
}
