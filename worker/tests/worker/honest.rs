//! Tasks done rightly, served, and forgotten in the end.

use crate::{
	chain::{hot_key, provider, stored, FakeChain},
	common::{a_while, block_on, claim, fetch_trace, fetcher, until, Buyer, Rig},
};
use assay_compute::{audit, execute};
use assay_primitives::work::{TaskId, TaskStatus};
use assay_worker::{
	chain::Call,
	journal::{Journal, Stage},
	status::status,
};
use std::{sync::atomic::Ordering, time::Duration};

fn is_auditing(status: TaskStatus) -> bool {
	matches!(status, TaskStatus::Auditing { .. })
}

async fn done(chain: &FakeChain, tasks: &[TaskId]) {
	until("submitted", || tasks.iter().all(|task| is_auditing(chain.status(*task)))).await;
}

#[test]
fn results_are_right_and_served() {
	block_on(async {
		let (rig, buyer) = (Rig::new(), Buyer::new(3).await);
		let tasks = buyer.post(&rig.chain);
		let worker = rig.start().await;
		done(&rig.chain, &tasks).await;
		let chain = &rig.chain;
		assert_eq!(chain.count(|call| matches!(call, Call::Accept { .. })), 3);
		assert_eq!(chain.count(|call| matches!(call, Call::Submit { .. })), 3);
		assert_eq!(chain.state().calls.len(), 6);
		assert!(chain.state().failed.is_empty());
		// Also with a collection every few milliseconds.
		assert_eq!(rig.executions(), 3);
		for (index, task) in (0..).zip(&tasks) {
			let claim = claim(chain, *task);
			let exact = execute(&buyer.program, &buyer.given(index)).unwrap();
			assert_eq!(exact.commit().trace_root, claim.trace_root);
			let trace = fetch_trace(&worker.url, &buyer.program, &claim).await;
			assert_eq!(audit::full(&buyer.program, &claim, &trace), audit::Verdict::Valid);
		}
		// What an auditor needs beside the trace, when the buyer is gone.
		let id = buyer.program.id();
		assert_eq!(fetcher().program(&worker.url, &id).await.unwrap().id(), id);
		worker.stop().await;
	});
}

#[test]
fn what_is_done_is_not_done_again_while_the_chain_is_slow_to_show_it() {
	block_on(async {
		let (mut rig, buyer) = (Rig::new(), Buyer::new(3).await);
		rig.config.times.settle = Duration::from_millis(20);
		let tasks = buyer.post(&rig.chain);
		let offered: Vec<_> = tasks.iter().map(|task| rig.chain.view(*task)).collect();
		rig.backend.held_up.store(true, Ordering::SeqCst);
		let worker = rig.start().await;
		let is_running = |task| matches!(rig.chain.status(task), TaskStatus::Running { .. });
		until("accepted", || tasks.iter().all(|task| is_running(*task))).await;
		let running: Vec<_> = tasks.iter().map(|task| rig.chain.view(*task)).collect();
		// Submitted, but shown as running, then as offered, by a node that lags.
		rig.chain.state().shown = Some(running.clone());
		rig.backend.held_up.store(false, Ordering::SeqCst);
		done(&rig.chain, &tasks).await;
		a_while().await;
		rig.chain.state().shown = Some(offered);
		a_while().await;
		rig.chain.state().shown = Some(running);
		a_while().await;
		rig.chain.state().shown = None;
		let submitted =
			|entry: &assay_worker::journal::Entry| matches!(entry.stage, Stage::Submitted(_));
		let journal = || Journal::peek(&rig.config.journal_dir()).unwrap();
		until("noted", || journal().iter().all(submitted)).await;
		a_while().await;
		worker.stop().await;
		assert_eq!(rig.executions(), 3);
		assert_eq!(rig.chain.count(|call| matches!(call, Call::Submit { .. })), 3);
		assert_eq!(rig.chain.count(|call| matches!(call, Call::Accept { .. })), 3);
	});
}

#[test]
fn what_ended_is_kept_for_a_while_then_removed() {
	block_on(async {
		let (mut rig, buyer) = (Rig::new(), Buyer::new(2).await);
		let tasks = buyer.post(&rig.chain);
		let worker = rig.start().await;
		done(&rig.chain, &tasks).await;
		rig.chain.set_status(tasks[0], TaskStatus::Passed { settles_at: 99 });
		rig.chain.set_status(tasks[0], TaskStatus::Settled { at: 99 });
		let ended = |dir: &std::path::Path| {
			let entries = Journal::peek(&dir.join("journal")).unwrap();
			entries.iter().filter(|entry| entry.ended_at.is_some()).count()
		};
		let dir = rig.dir().to_owned();
		until("noted", || ended(&dir) == 1).await;
		a_while().await;
		let (first, second) = (claim(&rig.chain, tasks[0]), claim(&rig.chain, tasks[1]));
		fetch_trace(&worker.url, &buyer.program, &first).await;
		worker.stop().await;

		rig.config.times.retention = Duration::ZERO;
		let worker = rig.start().await;
		until("forgotten", || ended(&dir) == 0).await;
		let gone = hex::encode(first.output_root);
		until("collected", || !stored(&dir).contains(&gone)).await;
		// The other one is whole.
		a_while().await;
		fetch_trace(&worker.url, &buyer.program, &second).await;
		rig.chain.set_status(tasks[1], TaskStatus::Settled { at: 100 });
		until("empty", || stored(&dir).is_empty()).await;
		worker.stop().await;
		assert_eq!(rig.executions(), 2);
	});
}

#[test]
fn a_chain_out_of_reach_is_waited_for() {
	block_on(async {
		let (rig, buyer) = (Rig::new(), Buyer::new(1).await);
		rig.chain.state().down = true;
		let tasks = buyer.post(&rig.chain);
		let worker = rig.start().await;
		a_while().await;
		assert!(matches!(rig.chain.status(tasks[0]), TaskStatus::Offered { .. }));
		rig.chain.state().down = false;
		done(&rig.chain, &tasks).await;
		worker.stop().await;
	});
}

#[test]
fn a_worker_may_be_started_before_its_provider_is_registered() {
	block_on(async {
		let (rig, buyer) = (Rig::on(FakeChain::empty()), Buyer::new(1).await);
		let tasks = buyer.post(&rig.chain);
		let worker = rig.start().await;
		a_while().await;
		assert!(rig.chain.state().calls.is_empty());
		let view = FakeChain::new().state().providers[&provider()].clone();
		rig.chain.state().providers.insert(provider(), view);
		done(&rig.chain, &tasks).await;
		// The journal follows the chain.
		let journal = || Journal::peek(&rig.config.journal_dir()).unwrap();
		until("written down", || matches!(journal()[0].stage, Stage::Submitted(_))).await;
		let status = status(&rig.chain, &rig.config).await.unwrap();
		assert_eq!((status.hot_key.clone(), status.tasks.len()), (hot_key(), 1));
		assert!(status.to_string().contains("1-0"), "{status}");
		worker.stop().await;
	});
}

#[test]
fn calls_that_fail_because_the_task_moved_on_do_no_harm() {
	block_on(async {
		let (rig, buyer) = (Rig::new(), Buyer::new(2).await);
		rig.backend.held_up.store(true, Ordering::SeqCst);
		let tasks = buyer.post(&rig.chain);
		let worker = rig.start().await;
		let running = |task| matches!(rig.chain.status(task), TaskStatus::Running { .. });
		until("accepted", || tasks.iter().all(|task| running(*task))).await;
		// The chain gives the first one to another provider while it is executed.
		rig.chain.state().tasks.get_mut(&tasks[0]).unwrap().matched = None;
		rig.backend.held_up.store(false, Ordering::SeqCst);
		done(&rig.chain, &tasks[1..]).await;
		until("tried", || !rig.chain.state().failed.is_empty()).await;
		let (call, why) = rig.chain.state().failed[0].clone();
		assert!(matches!(call, Call::Submit { task, .. } if task == tasks[0]));
		assert_eq!(why, "NotYours");
		worker.stop().await;
	});
}

#[test]
fn one_worker_uses_a_folder() {
	block_on(async {
		let rig = Rig::new();
		let worker = rig.start().await;
		let error = rig.open().await.map(drop).unwrap_err().to_string();
		assert!(error.contains("another worker uses"), "{error}");
		worker.stop().await;
		rig.start().await.stop().await;
	});
}

#[test]
fn stopping_leaves_an_execution_to_the_next_start() {
	block_on(async {
		let (rig, buyer) = (Rig::new(), Buyer::new(1).await);
		rig.backend.held_up.store(true, Ordering::SeqCst);
		let tasks = buyer.post(&rig.chain);
		let worker = rig.start().await;
		until("begun", || rig.backend.begun.load(Ordering::SeqCst) == 1).await;
		let url = worker.url.clone();
		worker.stop().await;
		let program = fetcher().program(&url, &buyer.program.id()).await;
		assert!(program.is_err(), "the data plane is closed");
		assert!(matches!(rig.chain.status(tasks[0]), TaskStatus::Running { .. }));
		rig.backend.held_up.store(false, Ordering::SeqCst);
		let worker = rig.start().await;
		done(&rig.chain, &tasks).await;
		assert_eq!(rig.executions(), 1);
		worker.stop().await;
	});
}
