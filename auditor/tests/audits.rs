//! Verdicts on workers honest and not.

mod common;

use assay_auditor::{Auditor, Config};
use assay_compute::Node;
use assay_data::store::Kind;
use assay_primitives::{
	auditor::AuditReply,
	demand::Wanted,
	work::{Depth, Place, Verdict},
};
use common::{
	ask, auditor, config, demanded, judged, narrow, verdict, worker, Work, DEPTHS, EVERYWHERE, ROWS,
};
use std::{fs, time::Duration};

#[tokio::test(flavor = "multi_thread")]
async fn honest_work_is_valid() {
	let work = Work::new();
	let worker = worker(&work, work.inputs()).await;
	let handle = auditor().await;
	for depth in DEPTHS {
		assert_eq!(verdict(&handle, &worker.request(depth)).await, Verdict::Valid);
	}
	let metrics = handle.metrics();
	assert_eq!((metrics.valid, metrics.queues.active), (2, 0));
	assert!(metrics.bytes_fetched > work.program.costs().trace_bytes as u64);
	assert!(metrics.audit_seconds >= metrics.compute_seconds && metrics.compute_seconds > 0.0);
}

/// A wrong element in each computed tensor: at its first place, a middle one, or its last.
#[tokio::test(flavor = "multi_thread")]
async fn every_wrong_element_is_found_and_placed() {
	let handle = auditor().await;
	let honest = Work::new();
	let mut wrong = 0;
	for (node, op) in (0..).zip(honest.program.nodes()) {
		if matches!(op, Node::Input { .. } | Node::Const { .. }) {
			continue;
		}
		let shape = honest.program.shapes()[node as usize];
		let (row, col) = match node % 3 {
			0 => (0, 0),
			1 => (shape.rows / 2, shape.cols / 2),
			_ => (shape.rows - 1, shape.cols - 1),
		};
		let place = Place { node, row, col };
		let mut work = Work::new();
		work.corrupt(place);
		let worker = worker(&work, work.inputs()).await;
		for depth in DEPTHS {
			let found = verdict(&handle, &worker.request(depth)).await;
			assert_eq!(found, Verdict::Invalid(place), "{op:?} {depth:?}");
			wrong += 1;
		}
	}
	assert_eq!((wrong, handle.metrics().invalid), (34, 34));
}

/// A spot audit that looks everywhere finds what the others do.
#[tokio::test(flavor = "multi_thread")]
async fn spot_audits_find_what_they_look_at() {
	let everywhere = Auditor::start(Config { spot: EVERYWHERE, ..config() }).await.unwrap();
	let honest = Work::new();
	let served = worker(&honest, honest.inputs()).await;
	let request = served.request(Depth::Spot);
	assert_eq!(verdict(&everywhere, &request).await, Verdict::Valid);
	for node in [4, 5, 6, 9, 12, 14, 15, 17, 20, 21] {
		let shape = honest.program.shapes()[node as usize];
		let place = Place { node, row: shape.rows - 1, col: shape.cols / 2 };
		let mut work = Work::new();
		work.corrupt(place);
		let worker = worker(&work, work.inputs()).await;
		let found = verdict(&everywhere, &worker.request(Depth::Spot)).await;
		assert_eq!(found, Verdict::Invalid(place));
	}
	// At its usual depth it moves little, and so may miss one element.
	let handle = auditor().await;
	assert_eq!(verdict(&handle, &request).await, Verdict::Valid);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_of_several_lies_is_named() {
	let handle = auditor().await;
	let mut work = Work::new();
	let first = Place { node: 5, row: 3, col: 4 };
	work.corrupt(Place { node: 22, row: 0, col: 0 });
	work.corrupt(Place { node: 5, row: ROWS - 1, col: 0 });
	work.corrupt(Place { node: 5, row: 3, col: 5 });
	work.corrupt(first);
	let worker = worker(&work, work.inputs()).await;
	for depth in DEPTHS {
		assert_eq!(verdict(&handle, &worker.request(depth)).await, Verdict::Invalid(first));
	}
}

#[tokio::test(flavor = "multi_thread")]
async fn inputs_consts_and_outputs_must_be_the_declared_ones() {
	let handle = auditor().await;
	let honest = Work::new();
	for node in [0, 1, 2, 7, 11] {
		let mut work = Work::new();
		work.corrupt(Place { node, row: 0, col: 3 });
		// The chain's task still has the honest input.
		let worker = worker(&work, honest.inputs()).await;
		for depth in DEPTHS {
			let place = Place { node, row: 0, col: 0 };
			assert_eq!(verdict(&handle, &worker.request(depth)).await, Verdict::Invalid(place));
		}
	}
	// The right trace, but another output claimed.
	let mut worker = worker(&honest, honest.inputs()).await;
	worker.claim.commitment.output_root = honest.roots[4].into();
	for depth in DEPTHS {
		let place = Place { node: honest.last() as u32, row: 0, col: 0 };
		assert_eq!(verdict(&handle, &worker.request(depth)).await, Verdict::Invalid(place));
	}
}

/// Nobody is to blame for the lack of what the auditor does without. What it cannot do without has to
/// be opened on the chain, and of a program that nobody has nothing can be.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_withheld_or_damaged_is_done_without_or_owed() {
	let work = Work::new();
	let file = |kind: Kind, root: &[u8; 32]| format!("{}/{}", kind.folder(), hex::encode(root));
	let trace = assay_compute::trace_root(&work.roots);
	let owed = |node: u32| move |wanted: Wanted| matches!(wanted, Wanted::Row { node: n, .. } if n == node);
	for (path, owes) in [
		(file(Kind::Program, &work.program.id()), None),
		(file(Kind::Trace, &trace), Some(None)),
		(file(Kind::Tensor, &work.roots[13]), Some(None)),
		(file(Kind::Tensor, &work.roots[0]), Some(Some(owed(0)))),
		(file(Kind::Tensor, &work.roots[1]), Some(Some(owed(1)))),
	] {
		for depth in DEPTHS {
			for damage in [true, false] {
				// A new service, which has kept no constants.
				let handle = auditor().await;
				let worker = worker(&work, work.inputs()).await;
				let path = worker.dir.path().join(&path);
				if damage {
					let mut bytes = fs::read(&path).unwrap();
					*bytes.last_mut().unwrap() ^= 1;
					fs::write(&path, bytes).unwrap();
				} else {
					fs::remove_file(&path).unwrap();
				}
				let request = worker.request(depth);
				let reply = ask(&handle, &request).await;
				match owes {
					Some(Some(place)) => {
						assert!(place(common::owed(&request, &reply)), "{path:?} {depth:?}");
						assert_eq!(handle.metrics().demands, 1);
					}
					_ => {
						let verdict = owes.map_or(Verdict::Unavailable, |_| Verdict::Valid);
						assert_eq!(judged(&request, reply), verdict, "{path:?} {depth:?}");
					}
				}
			}
		}
	}
}

#[tokio::test(flavor = "multi_thread")]
async fn endpoints_that_lead_nowhere_are_unavailable() {
	let work = Work::new();
	let worker = worker(&work, work.inputs()).await;
	// This one may not fetch from loopback.
	let mut strict = config();
	strict.fetch.allow_local = false;
	let strict = Auditor::start(strict).await.unwrap();
	let request = worker.request(Depth::Replay);
	assert_eq!(verdict(&strict, &request).await, Verdict::Unavailable);
	let impatient = Config { fetch_time: Duration::from_millis(300), ..config() };
	let handle = Auditor::start(impatient.clone()).await.unwrap();
	let nowhere = [&b"http://127.0.0.1:9"[..], b"file:///etc/passwd", b"", b"\xff\xfe"];
	for (job, endpoint) in (10..).zip(nowhere) {
		let mut request = worker.request(Depth::Replay);
		request.audit.task.job = job;
		request.endpoint = endpoint.to_vec();
		assert_eq!(verdict(&handle, &request).await, Verdict::Unavailable);
	}
	// Somebody who accepts and never answers, until the deadline.
	let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
	let impatient = Auditor::start(impatient).await.unwrap();
	let mut request = worker.request(Depth::Projection);
	request.endpoint = format!("http://{}", silent.local_addr().unwrap()).into_bytes();
	let begun = std::time::Instant::now();
	assert_eq!(verdict(&impatient, &request).await, Verdict::Unavailable);
	assert!(begun.elapsed() < Duration::from_secs(2));
}

/// Others hold all but a few of the connections of an honest worker.
#[tokio::test(flavor = "multi_thread")]
async fn a_worker_with_few_connections_to_spare_is_audited_through_them() {
	let work = Work::new();
	let worker = worker(&work, work.inputs()).await;
	for connections in [1, 3] {
		let mut request = worker.request(Depth::Projection);
		request.endpoint = narrow(&worker, connections).await;
		assert_eq!(verdict(&auditor().await, &request).await, Verdict::Valid, "{connections}");
	}
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_too_large_or_makes_no_sense_is_refused() {
	let work = Work::new();
	let mut worker = worker(&work, work.inputs()).await;
	let refused = |reply: &AuditReply| matches!(reply, AuditReply::Refused(_));
	let small = Auditor::start(Config { memory_bytes: 1000, ..config() }).await.unwrap();
	let weak = Auditor::start(Config { max_replay_macs: 10, ..config() }).await.unwrap();
	for depth in DEPTHS {
		assert!(refused(&ask(&small, &worker.request(depth)).await));
	}
	assert!(refused(&ask(&weak, &worker.request(Depth::Replay)).await));
	let projected = verdict(&weak, &worker.request(Depth::Projection)).await;
	assert_eq!(projected, Verdict::Valid);
	assert_eq!(small.metrics().refused, 2);
	// Refused before any tensor was fetched.
	assert!(small.metrics().bytes_fetched < 4 * work.program.encode().len() as u64);

	let handle = auditor().await;
	worker.claim.inputs.push(Default::default());
	assert!(refused(&ask(&handle, &worker.request(Depth::Replay)).await));
}

#[tokio::test(flavor = "multi_thread")]
async fn constants_are_kept_between_audits() {
	let work = Work::new();
	let worker = worker(&work, work.inputs()).await;
	let handle = auditor().await;
	assert_eq!(verdict(&handle, &worker.request(Depth::Replay)).await, Verdict::Valid);
	// Without its constants, this worker would not do for a new service.
	for node in [1, 2, 3, 7, 11] {
		let path = worker.dir.path().join("tensors").join(hex::encode(work.roots[node]));
		fs::remove_file(path).unwrap();
	}
	let mut request = worker.request(Depth::Replay);
	request.audit.task.index += 1;
	assert_eq!(verdict(&handle, &request).await, Verdict::Valid);
	assert!(matches!(demanded(&auditor().await, &request).await, Wanted::Row { .. }));
}
