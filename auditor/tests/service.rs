//! The service: who may ask, what is answered, and how often work is done.

mod common;

use assay_auditor::{Auditor, Config, StartError};
use assay_primitives::{
	auditor::{AuditReply, Finding, PATH},
	work::{Depth, Verdict},
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
