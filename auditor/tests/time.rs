//! Time: audits end with their rounds, and nobody takes that of others.

mod common;

use assay_auditor::{Auditor, Config};
use assay_data::server::serve_router;
use assay_primitives::{
	auditor::{AuditReply, AuditRequest, Finding},
	demand::Wanted,
	work::{Depth, Verdict},
};
use axum::{
	extract::Request,
	middleware::{from_fn, Next},
};
use common::{buyer, config, owed, post, silent, until, verdict, worker, Work, DEPTHS};
use std::time::{Duration, Instant};

/// Settings that wait for a silent worker for as long as the round lasts.
fn patient() -> Config {
	let mut config = config();
	config.fetch.idle_timeout = Duration::from_secs(600);
	config
}

/// The same of another task and provider.
fn of(request: &AuditRequest, job: u64, provider: &[u8]) -> AuditRequest {
	let mut request = request.clone();
	request.audit.task.job = job;
	request.audit.provider = provider.to_vec();
	request
}

/// A slow worker has half of the places to fetch in, however many of its audits there are, and none
/// to compute in.
#[tokio::test(flavor = "multi_thread")]
async fn a_silent_worker_holds_nobody_up() {
	let work = Work::new();
	let worker = worker(&work, work.inputs()).await;
	let (_silent, url) = silent().await;
	let handle = Auditor::start(Config { fetching: 4, ..patient() }).await.unwrap();
	let mut stuck = worker.request(Depth::Projection);
	stuck.endpoint = url;
	// It has the most urgent work, too.
	stuck.deadline -= 50;
	for job in 10..20 {
		assert_eq!(post(&handle, &of(&stuck, job, b"slow")).await, AuditReply::Pending);
	}
	until(|| handle.metrics().queues.fetching == 2).await;
	for depth in DEPTHS {
		let request = worker.request(depth);
		let found = tokio::time::timeout(Duration::from_secs(20), verdict(&handle, &request));
		assert_eq!(found.await, Ok(Verdict::Valid));
	}
	let queues = handle.metrics().queues;
	assert_eq!((queues.active, queues.fetching, queues.waiting_to_fetch), (10, 2, 8));
	assert_eq!((queues.computing, queues.waiting_to_compute), (0, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn one_provider_takes_half_of_the_places_at_most() {
	let work = Work::new();
	let worker = worker(&work, work.inputs()).await;
	let (_silent, url) = silent().await;
	let handle = Auditor::start(Config { max_active: 6, ..patient() }).await.unwrap();
	let mut stuck = worker.request(Depth::Projection);
	stuck.endpoint = url;
	for job in 10..20 {
		assert_eq!(post(&handle, &of(&stuck, job, b"slow")).await, AuditReply::Pending);
	}
	let metrics = handle.metrics();
	assert_eq!((metrics.queues.active, metrics.turned_away), (3, 7));
	let found = verdict(&handle, &worker.request(Depth::Projection)).await;
	assert_eq!(found, Verdict::Valid);
}

/// A worker that gives nothing is found not to give before the round ends, however much time its size
/// would have earned it; where the round ends while an audit waits for its turn, or soon after, that
/// says nothing about the worker.
#[tokio::test(flavor = "multi_thread")]
async fn an_audit_ends_with_its_round() {
	let work = Work::new();
	let worker = worker(&work, work.inputs()).await;
	let (_silent, url) = silent().await;
	let config = Config { block_time: Duration::from_millis(20), fetching: 1, ..patient() };
	let handle = Auditor::start(config).await.unwrap();
	let mut stuck = worker.request(Depth::Projection);
	stuck.endpoint = url;
	let begun = Instant::now();
	// One that fetches and one that waits to.
	let queued = of(&stuck, 9, b"other");
	assert_eq!(post(&handle, &stuck).await, AuditReply::Pending);
	assert_eq!(post(&handle, &queued).await, AuditReply::Pending);
	until(|| handle.metrics().queues.active == 0).await;
	assert!(begun.elapsed() >= Duration::from_millis(2_000));
	assert_eq!(post(&handle, &stuck).await, AuditReply::Done(Finding::Unavailable));
	assert_eq!(post(&handle, &queued).await, AuditReply::Expired);
	let metrics = handle.metrics();
	assert_eq!((metrics.expired, metrics.unavailable, metrics.valid), (1, 1, 0));
	let queues = metrics.queues;
	assert_eq!((queues.fetching, queues.waiting_to_fetch), (0, 0));
	// A round that is over is not begun, and the next one is another chance.
	let mut late = of(&stuck, 11, b"late");
	late.now = late.deadline;
	assert_eq!(post(&handle, &late).await, AuditReply::Expired);
	stuck.endpoint = worker.url.clone().into_bytes();
	(stuck.now, stuck.deadline) = (300, 10_000);
	assert_eq!(verdict(&handle, &stuck).await, Verdict::Valid);
}

/// No round makes an audit longer than the settings allow.
#[tokio::test(flavor = "multi_thread")]
async fn there_is_a_longest_time() {
	let work = Work::new();
	let worker = worker(&work, work.inputs()).await;
	let (_silent, url) = silent().await;
	let config = Config { audit_time: Duration::from_millis(300), ..patient() };
	let handle = Auditor::start(config).await.unwrap();
	let mut stuck = worker.request(Depth::Projection);
	stuck.endpoint = url;
	stuck.deadline = u32::MAX;
	let begun = Instant::now();
	assert_eq!(verdict(&handle, &stuck).await, Verdict::Unavailable);
	assert!(begun.elapsed() < Duration::from_millis(1_000));
}

/// Even where its tensors are so large that it should be given longer than the round lasts, there is
/// time left to have one opened on the chain.
#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_holds_its_tensors_back_is_found_not_to_give() {
	let work = Work::new();
	let worker = worker(&work, work.inputs()).await;
	// All else comes at once.
	let only_small = |request: Request, next: Next| async move {
		if request.uri().path().starts_with("/v1/tensors/") {
			std::future::pending::<()>().await;
		}
		next.run(request).await
	};
	let router = assay_data::router(worker.store.clone()).layer(from_fn(only_small));
	let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
	let url = format!("http://{}", listener.local_addr().unwrap());
	let limits = assay_data::Limits::default();
	tokio::spawn(serve_router(listener, router, limits, std::future::pending()));
	let config = Config {
		block_time: Duration::from_millis(30),
		fetch_time: Duration::from_secs(600),
		..patient()
	};
	let handle = Auditor::start(config).await.unwrap();
	let mut request = worker.request(Depth::Projection);
	request.endpoint = url.into_bytes();
	let begun = Instant::now();
	// Blocks go by while it is asked.
	let reply = loop {
		request.now = 100 + (begun.elapsed().as_millis() / 30) as u32;
		match post(&handle, &request).await {
			AuditReply::Pending => tokio::time::sleep(Duration::from_millis(10)).await,
			reply => break reply,
		}
	};
	assert!(matches!(owed(&request, &reply), Wanted::Row { node: 0, .. }));
	assert!(request.now < request.deadline, "{:?}", begun.elapsed());
}

/// A worker that lets everybody wait leaves time to do without it.
#[tokio::test(flavor = "multi_thread")]
async fn a_silent_worker_is_audited_within_the_round() {
	let work = Work::new();
	let worker = worker(&work, work.inputs()).await;
	let buyer = buyer(&work).await;
	let (_silent, url) = silent().await;
	let handle = Auditor::start(Config { block_time: Duration::from_millis(20), ..patient() });
	let handle = handle.await.unwrap();
	for depth in DEPTHS {
		let mut request = worker.request(depth);
		(request.endpoint, request.buyer) = (url.clone(), buyer.url.clone());
		// Right, and of no use to a buyer who does not get it.
		assert_eq!(verdict(&handle, &request).await, Verdict::Unavailable);
	}
	// Within the round, or it would not have been said.
	assert_eq!((handle.metrics().unavailable, handle.metrics().expired), (2, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_nobody_asks_for_is_given_up() {
	let work = Work::new();
	let worker = worker(&work, work.inputs()).await;
	let (_silent, url) = silent().await;
	let config = Config { patience: Duration::from_millis(300), ..patient() };
	let handle = Auditor::start(config).await.unwrap();
	let mut stuck = worker.request(Depth::Projection);
	stuck.endpoint = url;
	assert_eq!(post(&handle, &stuck).await, AuditReply::Pending);
	until(|| handle.metrics().queues.active == 0).await;
	assert_eq!((handle.metrics().abandoned, handle.metrics().expired), (1, 0));
	// Whoever asks after all begins it anew.
	stuck.endpoint = worker.url.clone().into_bytes();
	assert_eq!(verdict(&handle, &stuck).await, Verdict::Valid);
}

/// An audit that computes stops between two nodes once its round is over.
#[tokio::test(flavor = "multi_thread")]
async fn computing_stops_with_the_round() {
	let work = Work::long(24);
	let worker = worker(&work, vec![]).await;
	let config = Config { block_time: Duration::from_millis(1), ..config() };
	let handle = Auditor::start(config).await.unwrap();
	let mut request = worker.request(Depth::Replay);
	request.deadline = u32::MAX;
	let begun = Instant::now();
	assert_eq!(verdict(&handle, &request).await, Verdict::Valid);
	let whole = begun.elapsed();

	let mut request = of(&request, 7, b"provider");
	request.deadline = request.now + (whole.as_millis() / 3) as u32;
	let begun = Instant::now();
	assert_eq!(post(&handle, &request).await, AuditReply::Pending);
	until(|| handle.metrics().queues.computing == 1).await;
	until(|| handle.metrics().queues.active == 0).await;
	until(|| handle.metrics().queues.computing == 0).await;
	assert!(begun.elapsed() < whole.mul_f64(0.75), "{:?} of {whole:?}", begun.elapsed());
	assert_eq!(post(&handle, &request).await, AuditReply::Expired);
	let metrics = handle.metrics();
	assert_eq!((metrics.expired, metrics.valid, metrics.refused), (1, 1, 0));
}

/// A long audit gives way to another provider's, and comes to its end all the same.
#[tokio::test(flavor = "multi_thread")]
async fn a_long_audit_gives_way() {
	// Many more turns than the short one takes.
	let work = Work::long(96);
	let long = worker(&work, vec![]).await;
	let work = Work::new();
	let short = worker(&work, work.inputs()).await;
	let config = Config { computing: 1, slice: Duration::ZERO, ..config() };
	let handle = Auditor::start(config).await.unwrap();
	let mut urgent = of(&long.request(Depth::Replay), 7, b"large");
	urgent.deadline -= 50;
	assert_eq!(post(&handle, &urgent).await, AuditReply::Pending);
	until(|| handle.metrics().queues.computing == 1).await;
	let found = verdict(&handle, &short.request(Depth::Projection)).await;
	assert_eq!(found, Verdict::Valid);
	assert_eq!(post(&handle, &urgent).await, AuditReply::Pending);
	assert_eq!(verdict(&handle, &urgent).await, Verdict::Valid);
}
