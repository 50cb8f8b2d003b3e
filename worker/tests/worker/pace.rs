//! How fast machine and chain are, and what that means for offers.

use crate::{
	chain::{BLOCK_TIME, DEADLINE},
	common::{a_while, block_on, until, Buyer, Rig},
};
use assay_primitives::work::{TaskId, TaskStatus};
use assay_worker::{
	backend::Cpu,
	backlog::{Backlog, OutOfReach},
	chain::{Call, Pace, NOMINAL},
	device::Device,
	speed::{measure, Load, Rates, Speed},
	status::status,
	tally::Declined,
};
use futures::FutureExt;
use std::{
	sync::{atomic::Ordering, Arc, Mutex},
	time::{Duration, Instant},
};

const fn seconds(seconds: u64) -> Duration {
	Duration::from_secs(seconds)
}

/// Rates at which the buyer's task takes so long.
fn taking(buyer: &Buyer, time: Duration) -> Rates {
	let macs = buyer.program.costs().macs as f64 / time.as_secs_f64();
	Rates { macs, elements: 1e12, bytes: 1e12 }
}

fn is_declined(rig: &Rig, task: TaskId) -> bool {
	matches!(rig.chain.status(task), TaskStatus::Refunded { .. })
}

#[test]
fn offers_whose_deadline_is_out_of_reach_are_declined() {
	block_on(async {
		let (mut rig, buyer) = (Rig::new(), Buyer::new(1).await);
		// Without slack it would just be done in time.
		rig.rates = taking(&buyer, BLOCK_TIME * (DEADLINE - 10));
		let task = buyer.post(&rig.chain)[0];
		let worker = rig.start().await;
		until("declined", || is_declined(&rig, task)).await;
		a_while().await;
		assert_eq!(rig.chain.state().calls, [Call::Decline { task }]);
		let shown = status(&rig.chain, &rig.config).await.unwrap();
		assert_eq!(shown.declined, Declined { offers: 1, out_of_reach: 1 });
		assert!(shown.to_string().contains("declined     1 offers, 1 whose deadline"));
		// For other reasons it is counted apart.
		buyer.lose(&buyer.lists[0][0]);
		worker.stop().await;
		rig.rates = taking(&buyer, seconds(1));
		let task = buyer.post(&rig.chain)[0];
		let worker = rig.start().await;
		until("declined", || is_declined(&rig, task)).await;
		worker.stop().await;
		let shown = status(&rig.chain, &rig.config).await.unwrap();
		assert_eq!(shown.declined, Declined { offers: 2, out_of_reach: 1 });
		assert_eq!(rig.executions(), 0);
	});
}

#[test]
fn tasks_taken_on_before_count() {
	block_on(async {
		let (mut rig, buyer) = (Rig::new(), Buyer::new(1).await);
		rig.rates = taking(&buyer, BLOCK_TIME * (DEADLINE / 2));
		rig.backend.held_up.store(true, Ordering::SeqCst);
		let first = buyer.post(&rig.chain)[0];
		let worker = rig.start().await;
		until("executing", || rig.backend.begun.load(Ordering::SeqCst) == 1).await;
		let second = buyer.post(&rig.chain)[0];
		until("declined", || is_declined(&rig, second)).await;
		// After a restart too.
		worker.stop().await;
		let worker = rig.start().await;
		until("executing", || rig.backend.begun.load(Ordering::SeqCst) == 2).await;
		let third = buyer.post(&rig.chain)[0];
		until("declined", || is_declined(&rig, third)).await;
		// Once it is done there is time again.
		rig.backend.held_up.store(false, Ordering::SeqCst);
		let is_done = |task| matches!(rig.chain.status(task), TaskStatus::Auditing { .. });
		until("done", || is_done(first)).await;
		let fourth = buyer.post(&rig.chain)[0];
		until("done too", || is_done(fourth)).await;
		worker.stop().await;
		assert_eq!(rig.executions(), 2);
	});
}

#[test]
fn the_backlog_counts_what_is_left() {
	let program = crate::common::program();
	let (costs, load) = (*program.costs(), Load { costs: *program.costs(), tensors: 1 });
	let task = |index| TaskId { job: 1, index };
	let backlog = Backlog::new(Speed::new(Rates { macs: 1e-9, elements: 1e12, bytes: 1e12 }));
	assert!(backlog.admit(task(0), &load, seconds(3_600)).is_err(), "too slow for anything");

	let macs = costs.macs as f64 / 10.0;
	let backlog = Backlog::new(Speed::new(Rates { macs, elements: 1e12, bytes: 1e12 }));
	assert!(backlog.admit(task(0), &load, seconds(14)).is_err());
	backlog.admit(task(0), &load, seconds(16)).unwrap();
	backlog.admit(task(0), &load, seconds(16)).unwrap();
	let refused = backlog.admit(task(1), &load, seconds(30)).unwrap_err();
	let OutOfReach::Own { queued, needed, .. } = refused else { panic!("{refused}") };
	assert!(queued > seconds(10) && needed > seconds(30), "{refused}");
	assert!(refused.to_string().contains("out of reach"), "{refused}");
	backlog.admit(task(1), &load, seconds(32)).unwrap();
	backlog.retain(&[task(1)].into());
	backlog.admit(task(2), &load, seconds(32)).unwrap();
	backlog.release(task(1));
	// Tasks that took less than was thought shorten what is left of others.
	backlog.begin(task(2)).done(Duration::ZERO);
	backlog.admit(task(3), &load, seconds(14)).unwrap();
	// Only checked, a task keeps no other from being taken on.
	backlog.release(task(3));
	backlog.check(task(4), &load, seconds(14)).unwrap();
	backlog.check(task(5), &load, seconds(14)).unwrap();
}

/// A backlog of a machine that takes 10 seconds for each of these.
fn ten_seconds_each() -> (Arc<Backlog>, Load) {
	let costs = *crate::common::program().costs();
	let macs = costs.macs as f64 / 10.0;
	let speed = Speed::new(Rates { macs, elements: 1e12, bytes: 1e12 });
	(Backlog::new(speed), Load { costs, tensors: 1 })
}

#[test]
fn a_task_is_judged_by_those_that_are_due_before_and_for_those_due_later() {
	let (backlog, load) = ten_seconds_each();
	let task = |index| TaskId { job: 1, index };
	// What is due later takes nothing from what is due before …
	backlog.admit(task(0), &load, seconds(34)).unwrap();
	backlog.admit(task(1), &load, seconds(16)).unwrap();
	// … but would be late if it had to let another one pass.
	let refused = backlog.admit(task(2), &load, seconds(33)).unwrap_err();
	assert!(matches!(refused, OutOfReach::Other { other, .. } if other == task(0)), "{refused}");
	assert!(refused.to_string().contains("out of reach"), "{refused}");
	backlog.admit(task(2), &load, seconds(50)).unwrap();
	// Who is late anyhow keeps nobody else away, but the time that it takes counts.
	let (backlog, load) = ten_seconds_each();
	let mut large = load;
	large.costs.macs *= 3;
	backlog.insist(task(0), &large, Instant::now() + seconds(18));
	backlog.admit(task(1), &load, seconds(16)).unwrap();
	assert!(matches!(backlog.admit(task(2), &load, seconds(60)), Err(OutOfReach::Own { .. })));
	// What is executed is before all others, whenever it is due.
	let (backlog, load) = ten_seconds_each();
	backlog.admit(task(0), &load, seconds(1_000)).unwrap();
	let working = backlog.begin(task(0));
	assert!(backlog.admit(task(1), &load, seconds(16)).is_err());
	drop(working);
	backlog.admit(task(1), &load, seconds(16)).unwrap();
}

#[test]
fn the_device_is_for_who_is_due_first() {
	block_on(async {
		let (backlog, _) = ten_seconds_each();
		let device = Device::new(backlog);
		let task = |index| TaskId { job: 1, index };
		let now = Instant::now();
		let held = device.take(task(0), now + seconds(9)).await;
		let order = Arc::new(Mutex::new(Vec::new()));
		// They come in the order of their numbers.
		let waiting = [30, 10, 20, 10].into_iter().zip(1..).map(|(due, index)| {
			let (device, order) = (device.clone(), order.clone());
			async move {
				let held = device.take(task(index), now + seconds(due)).await;
				order.lock().unwrap().push(index);
				tokio::task::yield_now().await;
				drop(held);
			}
		});
		let free = async {
			a_while().await;
			drop(held);
		};
		tokio::join!(free, futures::future::join_all(waiting));
		assert_eq!(*order.lock().unwrap(), [2, 4, 3, 1]);
		// Who has left holds nobody up.
		let held = device.take(task(0), now).await;
		assert!(device.take(task(1), now).now_or_never().is_none());
		drop(held);
		assert!(device.take(task(2), now + seconds(9)).now_or_never().is_some());
	});
}

/// A long task that could begin waits for a short one that is accepted but not here yet, if that would
/// be late otherwise.
#[test]
fn the_device_is_kept_for_who_would_be_late() {
	block_on(async {
		let (backlog, load) = ten_seconds_each();
		let task = |index| TaskId { job: 1, index };
		let begun = Instant::now();
		backlog.insist(task(0), &load, begun + seconds(100));
		backlog.admit(task(1), &load, seconds(16)).unwrap();
		let device = Device::new(backlog.clone());
		let long = device.take(task(0), begun + seconds(100));
		assert!(tokio::time::timeout(seconds(1), long).await.is_err());
		let short = device.take(task(1), begun + seconds(16)).now_or_never();
		drop(short.expect("has it at once"));
		// It is not accepted after all.
		backlog.release(task(1));
		assert!(device.take(task(0), begun + seconds(100)).now_or_never().is_some());
		// One that has time enough lets it go first.
		backlog.admit(task(2), &load, seconds(50)).unwrap();
		assert!(device.take(task(0), begun + seconds(100)).now_or_never().is_some());
	});
}

#[test]
fn estimates_learn_within_bounds() {
	let costs = *crate::common::program().costs();
	let load = Load { costs, tensors: 1 };
	let speed = Speed::new(Rates { macs: costs.macs as f64 / 10.0, elements: 1e12, bytes: 1e12 });
	let near = |expected: u64| {
		let estimate = speed.estimate(&load);
		assert!(estimate.abs_diff(seconds(expected)) < seconds(1), "{estimate:?}, not {expected}");
	};
	near(10);
	for _ in 0..40 {
		speed.learn(&load, seconds(20));
	}
	near(20);
	speed.learn(&load, seconds(1_000_000));
	near(23);
	for _ in 0..40 {
		speed.learn(&load, Duration::ZERO);
	}
	near(3);
	// Many small tensors take time however small they are.
	let many = Load { costs, tensors: 16_384 };
	assert!(speed.estimate(&many) > speed.estimate(&load) + seconds(10));
}

/// Whoever posts tiny tasks does not have the machine believe that it is fast.
#[test]
fn small_tasks_teach_nothing_about_large_ones() {
	let costs = *crate::common::program().costs();
	let mut large = Load { costs, tensors: 1 };
	large.costs.macs *= 1_000;
	let speed = Speed::new(Rates { macs: costs.macs as f64 * 10.0, elements: 1e12, bytes: 1e12 });
	let before = speed.estimate(&large);
	assert!(before > seconds(100));
	for tensors in [1, 10_000] {
		for took in [Duration::ZERO, seconds(60)] {
			(0..40).for_each(|_| speed.learn(&Load { costs, tensors }, took));
			assert!(speed.estimate(&large).abs_diff(before) < seconds(1));
		}
	}
	// Of a large one that takes as long as promised, all but the overhead counts.
	let many = Load { tensors: 10_000, ..large };
	let took = speed.estimate(&many);
	(0..40).for_each(|_| speed.learn(&many, took));
	assert!(speed.estimate(&large).abs_diff(before) < seconds(1));
}

#[test]
fn a_machine_is_measured() {
	let dir = tempfile::tempdir().unwrap();
	let rates = measure(&Cpu::new(1).unwrap(), dir.path()).unwrap();
	for rate in [rates.macs, rates.elements, rates.bytes] {
		// From a slow disk to what no memory can do.
		assert!(rate > 1e4 && rate < 1e14, "{rates}");
	}
	assert!(rates.macs > rates.elements, "{rates}");
	assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0, "nothing is left behind");
	assert!(measure(&Cpu::new(1).unwrap(), "/no/such/folder".as_ref()).is_err());
}

#[test]
fn the_time_between_blocks_is_measured() {
	let begun = Instant::now();
	let after = |millis: u64| begun + Duration::from_millis(millis);
	let mut pace = Pace::default();
	assert_eq!(pace.block_time(), NOMINAL);
	// One each 400 ms: not believed at once.
	for block in 0..50u32 {
		pace.note(after(u64::from(block) * 400), 100 + block);
	}
	assert_eq!(pace.block_time(), NOMINAL);
	for block in 50..3_000u32 {
		pace.note(after(u64::from(block) * 400), 100 + block);
	}
	assert!(pace.block_time().abs_diff(Duration::from_millis(400)) < Duration::from_millis(5));
	// A sync or a stall that ends says nothing.
	let block_time = pace.block_time();
	pace.note(after(1_200_100), 4_000);
	assert_ne!(pace.block_time(), block_time);
	assert_eq!(pace.block_time(), NOMINAL);
	// Slow for a while: the chain may catch up, and no deadline waits for it.
	for block in 0..60u64 {
		pace.note(after(1_210_000 + block * 20_000), 4_001 + block as u32);
	}
	assert_eq!(pace.block_time(), NOMINAL);
}
