//! Traces that come from workers which break off, lie about bytes, or take their time.

mod common;

use assay_auditor::{Auditor, Config, Retry};
use assay_data::server::serve_router;
use assay_primitives::{
	auditor::{AuditReply, Finding},
	work::{Depth, Verdict},
};
use axum::{
	body::Body,
	extract::Request,
	middleware::{from_fn, Next},
	response::Response,
};
use common::{ask, config, verdict, worker, Work, Worker};
use futures::{stream, StreamExt};
use std::{
	collections::HashMap,
	future::pending,
	io,
	sync::{
		atomic::{AtomicUsize, Ordering::SeqCst},
		Arc, Mutex,
	},
	time::{Duration, Instant},
};

/// What becomes of the answer to a request for a tensor.
#[derive(Clone, Copy)]
enum Answer {
	Right,
	/// Broken off after half of it.
	Half,
	/// The right length, and a wrong byte.
	Wrong,
	/// Without an end, and without a length that would tell.
	Endless,
	/// After so long.
	Late(Duration),
	Never,
}

/// Serves what the worker has, as `answer` says of the path of a tensor and of how often it was asked for
/// before, and how many tensors were asked for before.
async fn serves(
	worker: &Worker,
	answer: impl Fn(&str, usize, usize) -> Answer + Clone + Send + Sync + 'static,
) -> Vec<u8> {
	let asked: Arc<Mutex<HashMap<String, usize>>> = Arc::default();
	let all = Arc::new(AtomicUsize::new(0));
	let handle = move |request: Request, next: Next| {
		let (asked, all, answer) = (asked.clone(), all.clone(), answer.clone());
		async move {
			let path = request.uri().path().to_owned();
			let answered = next.run(request).await;
			if !path.starts_with("/v1/tensors/") {
				return answered;
			}
			let before = {
				let mut asked = asked.lock().unwrap();
				let count = asked.entry(path.clone()).or_default();
				*count += 1;
				*count - 1
			};
			let answer = answer(&path, before, all.fetch_add(1, SeqCst));
			spoilt(answered, answer).await
		}
	};
	let router = assay_data::router(worker.store.clone()).layer(from_fn(handle));
	let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
	let url = format!("http://{}", listener.local_addr().unwrap());
	tokio::spawn(serve_router(listener, router, assay_data::Limits::default(), pending()));
	url.into_bytes()
}

async fn spoilt(answered: Response, answer: Answer) -> Response {
	match answer {
		Answer::Right => return answered,
		Answer::Late(by) => {
			tokio::time::sleep(by).await;
			return answered;
		}
		Answer::Never => pending::<()>().await,
		Answer::Half | Answer::Wrong | Answer::Endless => {}
	}
	let (mut head, body) = answered.into_parts();
	let mut bytes = axum::body::to_bytes(body, usize::MAX).await.unwrap().to_vec();
	let body = match answer {
		Answer::Half => {
			bytes.truncate(bytes.len() / 2);
			let broken = Err(io::Error::other("broken off"));
			Body::from_stream(stream::iter([Ok(bytes), broken]))
		}
		Answer::Endless => {
			head.headers.remove("content-length");
			let piece = || Ok::<_, io::Error>(vec![7; 64 << 10]);
			Body::from_stream(stream::iter([Ok(bytes)]).chain(stream::repeat_with(piece)))
		}
		_ => {
			*bytes.last_mut().unwrap() ^= 1;
			Body::from(bytes)
		}
	};
	Response::from_parts(head, body)
}

/// Nothing is made up for by executing again.
fn served_only() -> Config {
	Config { max_replay_macs: 0, ..config() }
}

/// Each tensor comes whole only at the third try.
#[tokio::test(flavor = "multi_thread")]
async fn what_broke_off_is_fetched_again() {
	let work = Work::new();
	let worker = worker(&work, work.inputs()).await;
	let mut request = worker.request(Depth::Projection);
	request.endpoint = serves(&worker, |_, before, _| match before {
		0 => Answer::Half,
		1 => Answer::Wrong,
		_ => Answer::Right,
	})
	.await;
	let retry = Retry { attempts: 3, pause: Duration::from_millis(5), insist: true };
	let handle = Auditor::start(Config { retry, ..served_only() }).await.unwrap();
	assert_eq!(verdict(&handle, &request).await, Verdict::Valid);
}

/// A tensor that never is what was committed to ends the audit, at the cost of its declared bytes.
#[tokio::test(flavor = "multi_thread")]
async fn wrong_and_endless_tensors_are_none() {
	let work = Work::new();
	let worker = worker(&work, work.inputs()).await;
	let whole = work.program.costs().trace_bytes as u64;
	for node in [0, 4, 13, work.last()] {
		for answer in [Answer::Wrong, Answer::Endless] {
			let bad = format!("/v1/tensors/{}", hex::encode(work.roots[node]));
			let spoil = move |path: &str, _, _| if path == bad { answer } else { Answer::Right };
			let mut request = worker.request(Depth::Projection);
			request.endpoint = serves(&worker, spoil).await;
			let handle = Auditor::start(served_only()).await.unwrap();
			assert_eq!(ask(&handle, &request).await, AuditReply::Done(Finding::Unavailable));
			// Two tries; what exceeds a shape is in the last piece that came.
			let fetched = handle.metrics().bytes_fetched;
			assert!(fetched < 3 * whole + (256 << 10), "{fetched} of {whole}");
		}
	}
}

/// Where a trace is fetched in parts, there is one time for all of them: a worker does not gain more by
/// being slow, and so have the audit end without a word about it.
#[tokio::test(flavor = "multi_thread")]
async fn slow_parts_share_one_time() {
	let work = Work::new();
	let worker = worker(&work, work.inputs()).await;
	let mut patient = served_only();
	patient.fetch.idle_timeout = Duration::from_secs(600);
	// Room for what one node needs, and little more.
	patient.spool_bytes = 3 << 10;
	patient.fetch_time = Duration::from_millis(2_000);
	// Unhurried, it is right.
	let handle = Auditor::start(patient.clone()).await.unwrap();
	assert_eq!(verdict(&handle, &worker.request(Depth::Projection)).await, Verdict::Valid);
	let mut request = worker.request(Depth::Projection);
	request.audit.task.job = 7;
	request.endpoint = serves(&worker, |_, _, all| match all {
		0 => Answer::Late(Duration::from_millis(1_500)),
		1..8 => Answer::Right,
		_ => Answer::Never,
	})
	.await;
	let handle = Auditor::start(patient).await.unwrap();
	let begun = Instant::now();
	assert_eq!(verdict(&handle, &request).await, Verdict::Unavailable);
	let took = begun.elapsed();
	assert!(took > Duration::from_millis(1_900) && took < Duration::from_millis(3_000), "{took:?}");
	assert!(handle.metrics().bytes_fetched > 0);
}
