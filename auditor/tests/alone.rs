//! Audits without the worker: executed again, and walked by what it has to open on the chain.

mod common;

use assay_auditor::{Auditor, Config};
use assay_compute::Node;
use assay_primitives::{
	auditor::{AuditReply, AuditRequest, Finding},
	demand::Wanted,
	work::{Depth, Place, Verdict},
};
use common::{
	ask, auditor, buyer, config, demanded, judged, nothing, opened, verdict, walked, worker, Plane,
	Work, Worker, DEPTHS, ROWS,
};
use std::{collections::HashSet, fs};

const RIGHT: AuditReply = AuditReply::Done(Finding::Right);
const ALL: [Depth; 3] = [Depth::Projection, Depth::Replay, Depth::Spot];

/// A claim of a worker that serves nothing.
async fn withheld(worker: &Worker, depth: Depth, buyer: &Plane) -> (AuditRequest, Plane) {
	let silent = nothing().await;
	let (endpoint, buyer) = (silent.url.clone(), buyer.url.clone());
	(AuditRequest { endpoint, buyer, ..worker.request(depth) }, silent)
}

/// The same claim without a trace.
fn on_demand(request: &AuditRequest) -> AuditRequest {
	let mut request = request.clone();
	request.audit.claim.commitment.trace_root = None;
	request
}

#[tokio::test(flavor = "multi_thread")]
async fn the_truth_is_right_if_its_output_is_served() {
	let work = Work::new();
	let (worker, buyer, handle) =
		(worker(&work, work.inputs()).await, buyer(&work).await, auditor().await);
	for depth in ALL {
		let (request, silent) = withheld(&worker, depth, &buyer).await;
		assert_eq!(verdict(&handle, &request).await, Verdict::Unavailable, "{depth:?}");
		// Nor from no URL.
		for (job, endpoint) in [(10, &b""[..]), (11, b"\xff\xfe"), (12, b"file:///etc/passwd")] {
			let mut request = AuditRequest { endpoint: endpoint.to_vec(), ..request.clone() };
			request.audit.task.job = job;
			assert_eq!(verdict(&handle, &request).await, Verdict::Unavailable, "{depth:?}");
		}
		// Nothing else is needed of it.
		silent.store.put_tensor(&work.trace[work.last()]).unwrap();
		let mut request = request.clone();
		request.audit.task.job = 13;
		assert_eq!(verdict(&handle, &request).await, Verdict::Valid, "{depth:?}");
	}
	let metrics = handle.metrics();
	assert_eq!((metrics.valid, metrics.demands, metrics.unavailable), (3, 0, 12));
}

/// In each computed tensor, at its first place, a middle one, or its last.
#[tokio::test(flavor = "multi_thread")]
async fn every_lie_is_proved_by_what_has_to_be_opened() {
	let (honest, handle) = (Work::new(), auditor().await);
	let buyer = buyer(&honest).await;
	let mut proved = 0;
	for (node, op) in (0..).zip(honest.program.nodes()) {
		let given = matches!(op, Node::Input { .. } | Node::Const { .. });
		let shape = honest.program.shapes()[node as usize];
		let (row, col) = match node % 3 {
			0 => (0, 0),
			1 => (shape.rows / 2, shape.cols / 2),
			_ => (shape.rows - 1, shape.cols - 1),
		};
		let place = Place { node, row, col };
		let mut work = Work::new();
		work.corrupt(place);
		// Later ones are wrong as well: the first is named.
		work.corrupt(Place { node: 22, row: ROWS - 1, col: 5 });
		if node == 22 {
			work.corrupt(place);
		}
		let worker = worker(&work, honest.inputs()).await;
		let depth = ALL[node as usize % 3];
		let (mut request, _silent) = withheld(&worker, depth, &buyer).await;
		let (reply, demands) = walked(&handle, &mut request, &work).await;
		let first = match (given, node) {
			(true, _) => Place { node, row: 0, col: 0 },
			(false, 22) => Place { node, row: ROWS - 1, col: 5 },
			_ => place,
		};
		assert_eq!(judged(&request, reply), Verdict::Invalid(first), "{op:?} {demands:?}");
		// The roots of all tensors at once, the rows of one at once, and the row.
		assert!(matches!(demands[0], Wanted::Tensors { .. }));
		assert_eq!(
			demands.len(),
			if given {
				1
			} else if shape.rows == 1 {
				2
			} else {
				3
			}
		);
		proved += 1;
	}
	let metrics = handle.metrics();
	assert_eq!((proved, metrics.invalid, metrics.refused), (23, 23, 0));
}

/// The right trace, but another output claimed: there is nothing to open.
#[tokio::test(flavor = "multi_thread")]
async fn another_output_is_proved_at_once() {
	let work = Work::new();
	let mut worker = worker(&work, work.inputs()).await;
	worker.claim.commitment.output_root = work.roots[4].into();
	let buyer = buyer(&work).await;
	let (request, _silent) = withheld(&worker, Depth::Projection, &buyer).await;
	let place = Place { node: work.last() as u32, row: 0, col: 0 };
	assert_eq!(verdict(&auditor().await, &request).await, Verdict::Invalid(place));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_demand_is_worked_on_once() {
	let mut work = Work::new();
	work.corrupt(Place { node: 9, row: 3, col: 1 });
	let worker = worker(&work, work.inputs()).await;
	let (handle, buyer) = (auditor().await, buyer(&work).await);
	let (mut request, _silent) = withheld(&worker, Depth::Projection, &buyer).await;
	let first = demanded(&handle, &request).await;
	let before = handle.metrics();
	for _ in 0..20 {
		request.now += 1;
		assert_eq!(demanded(&handle, &request).await, first);
	}
	// It is on the chain.
	request.deadline += 1_000;
	assert_eq!(demanded(&handle, &request).await, first);
	assert_eq!(handle.metrics(), before);
	request.answers.push(opened(&request, &work, first));
	assert_ne!(demanded(&handle, &request).await, first);
	assert_eq!(handle.metrics().demands, 2);
}

/// The chain takes none of these: they are the node's own error.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_answer_is_an_error() {
	let mut work = Work::new();
	work.corrupt(Place { node: 9, row: 3, col: 1 });
	let worker = worker(&work, work.inputs()).await;
	let (handle, buyer) = (auditor().await, buyer(&work).await);
	let (mut request, _silent) = withheld(&worker, Depth::Projection, &buyer).await;
	let first = demanded(&handle, &request).await;
	let right = opened(&request, &work, first);
	let mut wrong = right.clone();
	wrong[40] ^= 1;
	let longer = [&right[..], &[0]].concat();
	for (job, bad) in (10..).zip([vec![], vec![7; 100], wrong, longer]) {
		request.audit.task.job = job;
		request.answers = vec![bad];
		let reply = ask(&handle, &request).await;
		assert!(matches!(reply, AuditReply::Refused(_)), "{reply:?}");
	}
}

#[tokio::test(flavor = "multi_thread")]
async fn a_result_without_a_trace_is_executed_again() {
	let work = Work::new();
	let served = worker(&work, work.inputs()).await;
	let handle = auditor().await;
	// From the worker, or else from the buyer.
	let request = on_demand(&served.request(Depth::Replay));
	assert_eq!(ask(&handle, &request).await, RIGHT);
	let buyer = buyer(&work).await;
	let (request, _silent) = withheld(&served, Depth::Replay, &buyer).await;
	let mut request = on_demand(&request);
	request.audit.task.job += 1;
	assert_eq!(ask(&handle, &request).await, AuditReply::Done(Finding::Unavailable));
	// What is not claimed cannot be wrong.
	let mut inner = Work::new();
	inner.corrupt(Place { node: 9, row: 3, col: 1 });
	let liar = worker(&inner, work.inputs()).await;
	assert_eq!(ask(&handle, &on_demand(&liar.request(Depth::Replay))).await, RIGHT);
	for depth in [Depth::Projection, Depth::Spot] {
		let reply = ask(&handle, &on_demand(&served.request(depth))).await;
		assert!(matches!(reply, AuditReply::Refused(_)), "{reply:?}");
	}
}

#[tokio::test(flavor = "multi_thread")]
async fn the_trace_behind_a_wrong_output_is_demanded_and_walked() {
	let place = Place { node: 18, row: 7, col: 2 };
	let mut work = Work::new();
	work.corrupt(place);
	work.corrupt(Place { node: 22, row: 2, col: 2 });
	let worker = worker(&work, work.inputs()).await;
	let (handle, buyer) = (auditor().await, buyer(&work).await);
	let (mut request, _silent) = withheld(&worker, Depth::Replay, &buyer).await;
	assert_eq!(demanded(&handle, &on_demand(&request)).await, Wanted::Trace);
	// Its answer is known by the claim, and may be among the answers or not.
	let root = request.audit.claim.commitment.trace_root.unwrap();
	for (job, answers) in [(10, vec![]), (11, vec![root.0.to_vec()])] {
		request.audit.task.job = job;
		request.answers = answers;
		let (reply, demands) = walked(&handle, &mut request, &work).await;
		assert_eq!(judged(&request, reply), Verdict::Invalid(place));
		assert_eq!(demands.len(), 3);
	}
	// A worker that gives the root of the right trace has claimed another output than its own.
	let honest = Work::new();
	let mut request = request.clone();
	request.audit.claim.commitment.trace_root =
		Some(assay_compute::trace_root(&honest.roots).into());
	request.answers.clear();
	let output = Place { node: 22, row: 0, col: 0 };
	assert_eq!(verdict(&handle, &request).await, Verdict::Invalid(output));
}

/// Who does not keep its inputs has to open a row of one, which nobody can foresee.
#[tokio::test(flavor = "multi_thread")]
async fn an_input_that_nobody_has_is_owed() {
	let work = Work::new();
	let worker = worker(&work, work.inputs()).await;
	let buyer = nothing().await;
	let program = work.program.encode();
	buyer.store.put_program(&program).unwrap();
	let mut rows = HashSet::new();
	for depth in ALL.into_iter().cycle().take(12) {
		let handle = auditor().await;
		let (mut request, _silent) = withheld(&worker, depth, &buyer).await;
		let wanted = demanded(&handle, &request).await;
		let Wanted::Row { node: 0, row } = wanted else { panic!("{wanted:?}") };
		rows.insert(row);
		request.answers.push(opened(&request, &work, wanted));
		assert_eq!(verdict(&handle, &request).await, Verdict::Unavailable);
	}
	assert!(rows.len() > 1 && rows.iter().all(|row| *row < ROWS), "{rows:?}");
	// Without a trace there is no row to open.
	let (request, _silent) = withheld(&worker, Depth::Replay, &buyer).await;
	assert_eq!(demanded(&auditor().await, &on_demand(&request)).await, Wanted::Trace);
	// Without the program nothing is known to be owed.
	let (request, _silent) = withheld(&worker, Depth::Replay, &nothing().await).await;
	assert_eq!(verdict(&auditor().await, &request).await, Verdict::Unavailable);
}

/// Once the buyer is back, the walk begins; what was opened before is no part of it.
#[tokio::test(flavor = "multi_thread")]
async fn inputs_may_come_later() {
	let place = Place { node: 10, row: 20, col: 3 };
	let mut work = Work::new();
	work.corrupt(place);
	let worker = worker(&work, work.inputs()).await;
	let (handle, late) = (auditor().await, nothing().await);
	late.store.put_program(&work.program.encode()).unwrap();
	let (mut request, _silent) = withheld(&worker, Depth::Projection, &late).await;
	let row = demanded(&handle, &request).await;
	request.answers.push(opened(&request, &work, row));
	let buyer = buyer(&work).await;
	request.buyer = buyer.url.clone();
	let (reply, demands) = walked(&handle, &mut request, &work).await;
	assert_eq!((judged(&request, reply), demands.len()), (Verdict::Invalid(place), 3));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_too_large_to_execute_is_unavailable() {
	let work = Work::new();
	let worker = worker(&work, work.inputs()).await;
	let buyer = buyer(&work).await;
	let weak = Auditor::start(Config { max_replay_macs: 10, ..config() }).await.unwrap();
	let small = Auditor::start(Config { memory_bytes: 1000, ..config() }).await.unwrap();
	for (handle, depth) in [(&weak, Depth::Projection), (&weak, Depth::Spot), (&small, Depth::Spot)]
	{
		let (request, _silent) = withheld(&worker, depth, &buyer).await;
		assert_eq!(verdict(handle, &request).await, Verdict::Unavailable, "{depth:?}");
	}
	// One that is served is audited all the same.
	let mut request = worker.request(Depth::Projection);
	request.audit.task.job += 1;
	assert_eq!(verdict(&weak, &request).await, Verdict::Valid);
}

/// A worker that gives all but what would prove its lie.
#[tokio::test(flavor = "multi_thread")]
async fn rows_that_are_not_served_have_to_be_opened() {
	let handle = auditor().await;
	let place = Place { node: 13, row: 7, col: 1 };
	let mut work = Work::new();
	work.corrupt(place);
	for depth in DEPTHS {
		let worker = worker(&work, work.inputs()).await;
		let lie = worker.dir.path().join("tensors").join(hex::encode(work.roots[13]));
		fs::remove_file(lie).unwrap();
		let mut request = worker.request(depth);
		let (reply, demands) = walked(&handle, &mut request, &work).await;
		assert_eq!((judged(&request, reply), demands.len()), (Verdict::Invalid(place), 3));
	}
}
