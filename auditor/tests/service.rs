//! The service: who may ask, what is answered, and how often work is done.

mod common;

use assay_auditor::{Auditor, Config, StartError};
use assay_primitives::{
	auditor::{AuditReply, Finding, PATH},
	work::{Depth, Place, Verdict},
};
use codec::Encode;
use common::{auditor, config, post, silent, verdict, worker, Work};
use reqwest::{Client, StatusCode};
use std::time::Duration;

#[tokio::test(flavor = "multi_thread")]
async fn only_the_right_token_is_let_in() {
	let work = Work::new();
	let worker = worker(&work, work.inputs()).await;
	let handle = auditor().await;
	let url = format!("{}{PATH}", handle.url);
	let body = worker.request(Depth::Replay).encode();
	let longer = format!("{}0", handle.token);
	let mut wrong = handle.token.clone().into_bytes();
	wrong[63] ^= 1;
	let wrong = String::from_utf8(wrong).unwrap();
	for token in ["", "x", &handle.token[..63], &longer, &wrong] {
		let call = Client::new().post(&url).bearer_auth(token).body(body.clone());
		assert_eq!(call.send().await.unwrap().status(), StatusCode::UNAUTHORIZED);
	}
	let without = Client::new().post(&url).body(body.clone()).send().await.unwrap();
	assert_eq!(without.status(), StatusCode::UNAUTHORIZED);
	let basic = Client::new().post(&url).basic_auth("", Some(&handle.token)).body(body);
	assert_eq!(basic.send().await.unwrap().status(), StatusCode::UNAUTHORIZED);
	assert_eq!(handle.metrics().queues.active, 0);

	let health = Client::new().get(format!("{}/healthz", handle.url)).send().await.unwrap();
	assert_eq!(health.status(), StatusCode::OK);
	assert_ne!(handle.token, auditor().await.token);
	let access = handle.access();
	assert_eq!((access.url, access.token), (handle.url.clone(), handle.token.clone()));
	assert_eq!(access.keeps_at, "");
}

#[tokio::test(flavor = "multi_thread")]
async fn garbage_is_rejected() {
	let work = Work::new();
	let worker = worker(&work, work.inputs()).await;
	let handle = auditor().await;
	let good = worker.request(Depth::Replay).encode();
	let send = |body: Vec<u8>| {
		let call = Client::new().post(format!("{}{PATH}", handle.url)).bearer_auth(&handle.token);
		async move { call.body(body).send().await.unwrap().status() }
	};
	let longer = [&good[..], &[0]].concat();
	for body in [vec![], vec![0xff; 100], good[..good.len() - 1].to_vec(), longer] {
		assert_eq!(send(body).await, StatusCode::BAD_REQUEST);
	}
	assert_eq!(send(vec![0; 8 * 532 * 1024]).await, StatusCode::PAYLOAD_TOO_LARGE);
	let call = Client::new().get(format!("{}{PATH}", handle.url)).bearer_auth(&handle.token);
	assert_eq!(call.send().await.unwrap().status(), StatusCode::METHOD_NOT_ALLOWED);
	assert_eq!(handle.metrics(), Default::default());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_request_is_worked_on_once() {
	let work = Work::new();
	let worker = worker(&work, work.inputs()).await;
	let handle = auditor().await;
	let request = worker.request(Depth::Projection);
	let asked = (0..40).map(|_| verdict(&handle, &request));
	for found in futures::future::join_all(asked).await {
		assert_eq!(found, Verdict::Valid);
	}
	assert_eq!(handle.metrics().valid, 1);
	// The answer is kept: nothing is fetched again.
	let fetched = handle.metrics().bytes_fetched;
	assert_eq!(post(&handle, &request).await, AuditReply::Done(Finding::Right));
	assert_eq!(handle.metrics().bytes_fetched, fetched);
	// A later block of the round, a later round, or a worker that has moved: still the same audit.
	let mut later = request.clone();
	(later.now, later.deadline, later.endpoint) = (150, 300, b"http://elsewhere".to_vec());
	assert_eq!(post(&handle, &later).await, AuditReply::Done(Finding::Right));
	assert_eq!(handle.metrics().bytes_fetched, fetched);
	// Another task with the same claim is another audit, and so is another attempt at it.
	let mut other = request.clone();
	other.audit.task.job += 1;
	assert_eq!(verdict(&handle, &other).await, Verdict::Valid);
	assert_eq!(handle.metrics().valid, 2);
	let mut other = request;
	other.audit.submitted_at += 1;
	assert_eq!(verdict(&handle, &other).await, Verdict::Valid);
	assert_eq!(handle.metrics().valid, 3);
}

/// The chain may take blocks back. What is included again as it was is the audit that was done; a claim
/// that comes in another block, or another claim in the same block, is not.
#[tokio::test(flavor = "multi_thread")]
async fn after_a_reorg_only_the_same_claim_is_known() {
	let honest = Work::new();
	let mut lying = Work::new();
	lying.corrupt(Place { node: 5, row: 3, col: 4 });
	let (truth, lie) =
		(worker(&honest, honest.inputs()).await, worker(&lying, lying.inputs()).await);
	let handle = auditor().await;
	let request = truth.request(Depth::Projection);
	assert_eq!(verdict(&handle, &request).await, Verdict::Valid);
	// On the other fork the same task has another claim, of the same provider and block.
	let other = lie.request(Depth::Projection);
	assert_eq!((other.audit.task, other.audit.submitted_at), (request.audit.task, 90));
	let place = Place { node: 5, row: 3, col: 4 };
	assert_eq!(verdict(&handle, &other).await, Verdict::Invalid(place));
	assert_eq!((handle.metrics().valid, handle.metrics().invalid), (1, 1));
	// Back, and forth again: both are known, and nothing is fetched.
	let fetched = handle.metrics().bytes_fetched;
	for _ in 0..2 {
		let mut again = request.clone();
		(again.now, again.deadline) = (95, 180);
		assert_eq!(post(&handle, &again).await, AuditReply::Done(Finding::Right));
		let AuditReply::Done(Finding::Wrong(_)) = post(&handle, &other).await else { panic!() };
	}
	assert_eq!(handle.metrics().bytes_fetched, fetched);
	// Included in a later block, or claimed by another, it is another attempt.
	let mut later = request.clone();
	later.audit.submitted_at = 91;
	let mut others = request.clone();
	others.audit.provider = b"another".to_vec();
	for (request, valid) in [(later, 2), (others, 3)] {
		assert_eq!(verdict(&handle, &request).await, Verdict::Valid);
		assert_eq!(handle.metrics().valid, valid);
	}
	assert!(handle.metrics().bytes_fetched > fetched);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restart_loses_nothing_but_work() {
	let folder = tempfile::tempdir().unwrap();
	let fetch_time = Duration::from_secs(2);
	let config = || Config { folder: Some(folder.path().into()), fetch_time, ..config() };
	let honest = Work::new();
	let mut lying = Work::new();
	let place = Place { node: 9, row: 2, col: 1 };
	lying.corrupt(place);
	let (truth, lie) =
		(worker(&honest, honest.inputs()).await, worker(&lying, lying.inputs()).await);
	let (right, wrong) = (truth.request(Depth::Projection), lie.request(Depth::Replay));
	let handle = Auditor::start(config()).await.unwrap();
	assert_eq!(verdict(&handle, &right).await, Verdict::Valid);
	assert_eq!(verdict(&handle, &wrong).await, Verdict::Invalid(place));
	// What was not to be had may be later: nobody remembers it.
	let mut nowhere = truth.request(Depth::Projection);
	nowhere.audit.task.job = 9;
	nowhere.endpoint = b"http://127.0.0.1:9".to_vec();
	assert_eq!(verdict(&handle, &nowhere).await, Verdict::Unavailable);
	// One is broken off.
	let (_silent, url) = silent().await;
	let mut stuck = truth.request(Depth::Projection);
	(stuck.audit.task.job, stuck.endpoint) = (10, url);
	assert_eq!(post(&handle, &stuck).await, AuditReply::Pending);
	handle.stop().await;

	let handle = Auditor::start(config()).await.unwrap();
	assert_eq!(post(&handle, &right).await, AuditReply::Done(Finding::Right));
	let AuditReply::Done(Finding::Wrong(_)) = post(&handle, &wrong).await else { panic!() };
	assert_eq!(verdict(&handle, &wrong).await, Verdict::Invalid(place));
	assert_eq!(handle.metrics(), Default::default());
	for request in [&mut nowhere, &mut stuck] {
		request.endpoint = truth.url.clone().into_bytes();
		assert_eq!(verdict(&handle, request).await, Verdict::Valid);
	}
	assert_eq!(handle.metrics().valid, 2);
	// A folder that cannot be one costs results, and no audits.
	let file = folder.path().join("results").join("file");
	std::fs::write(&file, b"").unwrap();
	let handle = Auditor::start(Config { folder: Some(file), ..config() }).await.unwrap();
	let replied = verdict(&handle, &truth.request(Depth::Replay)).await;
	assert_eq!(replied, Verdict::Valid);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_unavailable_is_tried_again_later() {
	let work = Work::new();
	let worker = worker(&work, work.inputs()).await;
	let config = Config { retry_after: Duration::from_millis(1_500), ..config() };
	let handle = Auditor::start(config).await.unwrap();
	let request = worker.request(Depth::Replay);
	let path = worker.dir.path().join("programs").join(hex::encode(work.program.id()));
	std::fs::remove_file(path).unwrap();
	assert_eq!(verdict(&handle, &request).await, Verdict::Unavailable);
	worker.store.put_program(&work.program.encode()).unwrap();
	assert_eq!(post(&handle, &request).await, AuditReply::Done(Finding::Unavailable));
	tokio::time::sleep(Duration::from_millis(1_600)).await;
	assert_eq!(verdict(&handle, &request).await, Verdict::Valid);
}

/// Audits stuck on a silent worker leave the service answering, and end with it.
#[tokio::test(flavor = "multi_thread")]
async fn a_full_service_says_ask_again_and_stops_when_told() {
	let work = Work::new();
	let worker = worker(&work, work.inputs()).await;
	let (_silent, url) = silent().await;
	let mut patient = config();
	patient.fetch.idle_timeout = Duration::from_secs(600);
	patient.max_active = 3;
	let handle = Auditor::start(patient).await.unwrap();
	for job in 0..3 {
		let mut stuck = worker.request(Depth::Replay);
		stuck.audit.task.job = 100 + job;
		stuck.audit.provider = job.to_le_bytes().to_vec();
		stuck.endpoint = url.clone();
		assert_eq!(post(&handle, &stuck).await, AuditReply::Pending);
	}
	let request = worker.request(Depth::Replay);
	assert_eq!(post(&handle, &request).await, AuditReply::Pending);
	tokio::time::sleep(Duration::from_millis(100)).await;
	assert_eq!(post(&handle, &request).await, AuditReply::Pending);
	let metrics = handle.metrics();
	assert_eq!((metrics.queues.active, metrics.turned_away), (3, 2));
	let url = format!("{}/healthz", handle.url);
	tokio::time::timeout(Duration::from_secs(8), handle.stop()).await.unwrap();
	assert!(Client::new().get(url).send().await.is_err());
}

#[tokio::test]
async fn it_listens_on_loopback_only() {
	for address in ["0.0.0.0:0", "[::]:0", "192.0.2.1:0"] {
		let config = Config { listen: address.parse().unwrap(), ..config() };
		let started = Auditor::start(config).await;
		assert!(matches!(started.err(), Some(StartError::NotLoopback(_))), "{address}");
	}
	let config = Config { token: Some("known".into()), ..config() };
	assert_eq!(Auditor::start(config).await.unwrap().token, "known");
}
