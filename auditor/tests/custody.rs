//! Custodians: whether an output is to be had, and is kept and served from then on.

mod common;

use assay_auditor::{Auditor, Config, CustodyConfig, Handle, Held, Policy, StartError};
use assay_compute::{verify_row, Root, Tensor};
use assay_data::{store::Kind, Fetcher};
use assay_primitives::{
	auditor::{AuditReply, AuditRequest, Finding},
	work::{Depth, Place, Verdict},
};
use common::{
	ask, auditor, buyer, config, i8_tensor, nothing, post, until, verdict, worker, Work, Worker,
};
use std::{fs, path::Path, time::Duration};
use tempfile::TempDir;

/// Room for many outputs of the tests.
const ROOM: u64 = 1 << 20;

/// Settings of a custodian in this folder, with so many bytes.
fn keeping(folder: &Path, bytes: u64) -> Config {
	let custody = CustodyConfig { listen: ([127, 0, 0, 1], 0).into(), url: None, bytes };
	Config { folder: Some(folder.into()), custody: Some(custody), ..config() }
}

/// A custodian, and its folder.
async fn custodian() -> (Handle, TempDir) {
	let dir = tempfile::tempdir().unwrap();
	(Auditor::start(keeping(dir.path(), ROOM)).await.unwrap(), dir)
}

fn output(work: &Work) -> (Root, &Tensor) {
	(work.roots[work.last()], &work.trace[work.last()])
}

/// A program of its own, whose output is as good as unique to the seed, and whose task is `job`.
async fn other(seed: u32, job: u64) -> (Work, Worker, AuditRequest) {
	let program = Work::new().program;
	let mut given: std::collections::BTreeMap<u32, Tensor> =
		Work::new().trace.into_iter().zip(0..).map(|(tensor, node)| (node, tensor)).collect();
	let consts: Vec<u32> = program.consts().into_iter().map(|(node, ..)| node).collect();
	given.retain(|node, _| *node == 0 || consts.contains(node));
	given.insert(0, i8_tensor(common::ROWS, 8, seed));
	let work = Work::of(program, given);
	let worker = worker(&work, work.inputs()).await;
	let mut request = worker.request(Depth::Custody);
	request.audit.task.job = job;
	(work, worker, request)
}

/// What a stranger gets of an output: all of it, each row with its path, and the program.
async fn served(keeps_at: &str, work: &Work) -> Result<Tensor, String> {
	let fetcher = Fetcher::new(Policy { allow_local: true, ..Policy::default() });
	let (root, right) = output(work);
	let shape = work.program.output_shape();
	let found = fetcher.tensor(keeps_at, &root, shape).await.map_err(|e| e.to_string())?;
	for index in 0..shape.rows {
		let row = fetcher.row_with_path(keeps_at, &root, shape, index).await.unwrap();
		assert_eq!(row.bytes, right.row(index));
		assert!(verify_row(&root, shape, index, &row.bytes, &row.path));
	}
	let program = fetcher.program(keeps_at, &work.program.id()).await.map_err(|e| e.to_string())?;
	assert_eq!(program.encode(), work.program.encode());
	Ok(found)
}

/// Asks and expects to be refused for that reason.
async fn refused(handle: &Handle, request: &AuditRequest, part: &str) {
	let reply = ask(handle, request).await;
	assert!(matches!(&reply, AuditReply::Refused(why) if why.contains(part)), "{reply:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_output_is_kept_and_served_right_or_wrong() {
	let (handle, _dir) = custodian().await;
	let access = handle.access();
	assert!(access.keeps_at.starts_with("http://127.0.0.1:") && access.keeps_at != access.url);
	let mut work = Work::new();
	assert!(served(&access.keeps_at, &work).await.is_err());
	let honest = worker(&work, work.inputs()).await;
	let mut request = honest.request(Depth::Custody);
	assert_eq!(verdict(&handle, &request).await, Verdict::Valid);
	assert_eq!(&served(&access.keeps_at, &work).await.unwrap(), output(&work).1);
	let one = handle.metrics().held;
	assert!(one.outputs == 1 && one.bytes > output(&work).1.data().len() as u64, "{one:?}");
	// Without a trace too: nothing of it is looked at. The same output is kept once.
	request.audit.task.job += 1;
	request.audit.claim.commitment.trace_root = None;
	assert_eq!(verdict(&handle, &request).await, Verdict::Valid);
	assert_eq!(handle.metrics().held, one);
	// A lie is not a custodian's business: its output is there.
	work.corrupt(Place { node: work.last() as u32, row: 1, col: 1 });
	let lying = worker(&work, work.inputs()).await;
	assert_eq!(verdict(&handle, &lying.request(Depth::Custody)).await, Verdict::Valid);
	assert_eq!(&served(&access.keeps_at, &work).await.unwrap(), output(&work).1);
	let two = handle.metrics().held;
	assert!(two.outputs == 2 && two.bytes < 2 * one.bytes, "one program is kept: {two:?}");
	// By the routes that any data plane has.
	for (path, status) in [("healthz", 200), ("v1/traces/0", 400), ("v1/x", 404)] {
		let got = reqwest::get(format!("{}/{path}", access.keeps_at)).await.unwrap();
		assert_eq!(got.status(), status, "{path}");
	}
}

#[tokio::test(flavor = "multi_thread")]
async fn an_output_that_is_not_served_is_unavailable_and_not_kept() {
	let (handle, _dir) = custodian().await;
	let work = Work::new();
	let root = output(&work).0;
	// Gone, or with one byte changed, or never there under that root.
	for change in [Some(None), Some(Some(60)), None] {
		let served = worker(&work, work.inputs()).await;
		let mut request = served.request(Depth::Custody);
		let name = format!("{}/{}", Kind::Tensor.folder(), hex::encode(root));
		let path = served.dir.path().join(name);
		match change {
			Some(None) => fs::remove_file(&path).unwrap(),
			Some(Some(at)) => {
				let mut bytes = fs::read(&path).unwrap();
				bytes[at] ^= 1;
				fs::write(&path, bytes).unwrap();
			}
			None => request.audit.claim.commitment.output_root = [7; 32].into(),
		}
		// The buyer's word that it has it is said on the chain, not here.
		let buyer = buyer(&work).await;
		buyer.store.put_tensor(&work.trace[work.last()]).unwrap();
		request.buyer = buyer.url.clone();
		request.audit.task.job += change.map_or(0, |at| 1 + at.unwrap_or(0) as u64);
		assert_eq!(verdict(&handle, &request).await, Verdict::Unavailable, "{change:?}");
	}
	assert_eq!(handle.metrics().held, Held::default());
	assert!(served(&handle.keeps_at, &work).await.is_err());
}

/// A worker's data plane serves what it is asked for from its store, so these bytes come from one that
/// does not.
#[tokio::test(flavor = "multi_thread")]
async fn wrong_bytes_are_not_kept() {
	let (handle, dir) = custodian().await;
	let work = Work::new();
	let (root, right) = output(&work);
	let honest = worker(&work, work.inputs()).await;
	let mut wrong = right.data().to_vec();
	wrong[7] ^= 1;
	let (long, short) = ([right.data(), &[0]].concat(), right.data()[1..].to_vec());
	for (job, body) in [(10, wrong), (11, long), (12, short)] {
		let path = format!("/v1/tensors/{}", hex::encode(root));
		let plane = assay_data::router(honest.store.clone());
		let own = axum::Router::new()
			.route(&path, axum::routing::get(move || async move { body }))
			.fallback_service(plane);
		let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
		let url = format!("http://{}", listener.local_addr().unwrap());
		let limits = assay_data::Limits::default();
		let serve = assay_data::server::serve_router(listener, own, limits, std::future::pending());
		tokio::spawn(serve);
		let mut request = honest.request(Depth::Custody);
		(request.endpoint, request.audit.task.job) = (url.into_bytes(), job);
		assert_eq!(verdict(&handle, &request).await, Verdict::Unavailable, "{job}");
	}
	assert_eq!(handle.metrics().held, Held::default());
	// Nor is anything of them left.
	for folder in ["tensors", "tmp", "terms"] {
		let left = fs::read_dir(dir.path().join("custody").join(folder)).unwrap().count();
		assert_eq!(left, 0, "{folder}");
	}
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_without_a_data_plane_has_delivered_nothing() {
	let (handle, _dir) = custodian().await;
	let work = Work::new();
	let served = worker(&work, work.inputs()).await;
	let buyer = buyer(&work).await;
	for endpoint in [vec![], nothing().await.url.clone()] {
		let mut request = served.request(Depth::Custody);
		(request.endpoint, request.buyer) = (endpoint, buyer.url.clone());
		request.audit.task.job += request.endpoint.len() as u64;
		assert_eq!(verdict(&handle, &request).await, Verdict::Unavailable);
	}
}

#[tokio::test(flavor = "multi_thread")]
async fn who_keeps_nothing_vouches_for_nothing() {
	let handle = auditor().await;
	let work = Work::new();
	let served = worker(&work, work.inputs()).await;
	refused(&handle, &served.request(Depth::Custody), "nothing is kept").await;
	assert_eq!((handle.access().keeps_at, handle.metrics().bytes_fetched), (String::new(), 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_kept_is_not_fetched_again() {
	let (handle, dir) = custodian().await;
	let work = Work::new();
	let served_by = worker(&work, work.inputs()).await;
	let mut request = served_by.request(Depth::Custody);
	assert_eq!(verdict(&handle, &request).await, Verdict::Valid);
	let (fetched, held) = (handle.metrics().bytes_fetched, handle.metrics().held);
	// Another task, of a provider that serves nothing, or a later round.
	request.endpoint = nothing().await.url.clone();
	request.audit.task.job = 20;
	assert_eq!(verdict(&handle, &request).await, Verdict::Valid);
	request.deadline += 100;
	assert_eq!(verdict(&handle, &request).await, Verdict::Valid);
	assert_eq!((handle.metrics().bytes_fetched, handle.metrics().held), (fetched, held));
	// What was damaged meanwhile is no reason to vouch for it, and is fetched again.
	let name = hex::encode(output(&work).0);
	let path = dir.path().join("custody").join(Kind::Tensor.folder()).join(name);
	let whole = fs::read(&path).unwrap();
	let mut damaged = whole.clone();
	damaged[60] ^= 1;
	fs::write(&path, damaged).unwrap();
	request.deadline += 100;
	assert_eq!(verdict(&handle, &request).await, Verdict::Unavailable);
	(request.audit.task.job, request.endpoint) = (21, served_by.url.clone().into_bytes());
	assert_eq!(verdict(&handle, &request).await, Verdict::Valid);
	assert_eq!((fs::read(&path).unwrap(), handle.metrics().held), (whole, held));
}

#[tokio::test(flavor = "multi_thread")]
async fn two_at_once_keep_an_output_once() {
	let (handle, _dir) = custodian().await;
	let work = Work::new();
	let workers = [worker(&work, work.inputs()).await, worker(&work, work.inputs()).await];
	let mut requests = workers.each_ref().map(|worker| worker.request(Depth::Custody));
	requests[1].audit.task.job = 30;
	requests[1].audit.provider = b"another".to_vec();
	let asked = requests.iter().map(|request| verdict(&handle, request));
	assert_eq!(futures::future::join_all(asked).await, [Verdict::Valid; 2]);
	assert_eq!(handle.metrics().held.outputs, 1);
	assert_eq!(&served(&handle.keeps_at, &work).await.unwrap(), output(&work).1);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_kept_outlives_a_restart_and_then_ends() {
	let dir = tempfile::tempdir().unwrap();
	let work = Work::new();
	let first = worker(&work, work.inputs()).await;
	let (later, second, other) = other(77, 40).await;
	let handle = Auditor::start(keeping(dir.path(), ROOM)).await.unwrap();
	assert_eq!(verdict(&handle, &first.request(Depth::Custody)).await, Verdict::Valid);
	// A block takes a second here.
	let short = AuditRequest { keep_for: 4, ..other };
	assert_eq!(verdict(&handle, &short).await, Verdict::Valid);
	let held = handle.metrics().held;
	assert_eq!(held.outputs, 2);
	handle.stop().await;
	// What was being written when it ended, and what nobody keeps.
	let folder = dir.path().join("custody");
	fs::write(folder.join("tmp").join("half"), [0; 9]).unwrap();
	fs::write(folder.join("tensors").join(hex::encode([5; 32])), [0; 9]).unwrap();
	let handle = Auditor::start(keeping(dir.path(), ROOM)).await.unwrap();
	assert_eq!(handle.metrics().held, held);
	for (work, right) in [(&work, output(&work).1), (&later, output(&later).1)] {
		assert_eq!(&served(&handle.keeps_at, work).await.unwrap(), right);
	}
	assert_eq!(fs::read_dir(folder.join("tmp")).unwrap().count(), 0);
	// Its time is over; the other's is not, nor that of the program.
	until(|| handle.metrics().held.outputs == 1).await;
	assert!(served(&handle.keeps_at, &later).await.is_err());
	assert!(served(&handle.keeps_at, &work).await.is_ok());
	assert_eq!(fs::read_dir(folder.join("tensors")).unwrap().count(), 1);
	assert_eq!(fs::read_dir(folder.join("terms")).unwrap().count(), 1);
	// It is kept anew, and then for longer than it was to be.
	let again = AuditRequest { keep_for: 2, deadline: 300, ..short.clone() };
	assert_eq!(verdict(&handle, &again).await, Verdict::Valid);
	drop(second);
	let longer = AuditRequest { keep_for: 1_000, deadline: 400, ..short };
	assert_eq!(verdict(&handle, &longer).await, Verdict::Valid);
	tokio::time::sleep(Duration::from_secs(4)).await;
	assert!(served(&handle.keeps_at, &later).await.is_ok());
}

#[tokio::test(flavor = "multi_thread")]
async fn there_is_room_for_so_much_only() {
	let (one, other_one) = (other(1, 51).await, other(2, 52).await);
	// Two outputs with their terms take four blocks, the program a fifth.
	const BLOCK: u64 = 4_096;
	let full = |more: u64| {
		let dir = tempfile::tempdir().unwrap();
		let mut config = keeping(dir.path(), 3 * BLOCK + more);
		config.retry_after = Duration::from_millis(1);
		// The silence of a worker that serves slowly.
		config.fetch.idle_timeout = Duration::from_secs(20);
		(dir, config)
	};
	let (_dir, config) = full(2 * BLOCK - 1);
	let handle = Auditor::start(config).await.unwrap();
	let short = AuditRequest { keep_for: 3, ..one.2.clone() };
	assert_eq!(verdict(&handle, &short).await, Verdict::Valid);
	assert_eq!(handle.metrics().held, Held { outputs: 1, bytes: 3 * BLOCK });
	let before = handle.metrics().bytes_fetched;
	refused(&handle, &other_one.2, "are not kept").await;
	// Only the program was asked for, and what is kept needs no room.
	let asked = handle.metrics().bytes_fetched - before;
	assert_eq!(asked, one.0.program.encode().len() as u64);
	// Once the first has had its time there is room.
	until(|| handle.metrics().held.outputs == 0).await;
	assert_eq!(verdict(&handle, &other_one.2).await, Verdict::Valid);
	let mut next = other_one.2.clone();
	next.audit.task.job = 53;
	assert_eq!(verdict(&handle, &next).await, Verdict::Valid);

	let (_dir, config) = full(2 * BLOCK);
	let handle = Auditor::start(config).await.unwrap();
	assert_eq!(verdict(&handle, &one.2).await, Verdict::Valid);
	assert_eq!(verdict(&handle, &other_one.2).await, Verdict::Valid);
	assert_eq!(handle.metrics().held, Held { outputs: 2, bytes: 5 * BLOCK });

	// What is on its way has its room set aside.
	let (_dir, config) = full(2 * BLOCK - 1);
	let handle = Auditor::start(config).await.unwrap();
	let gate = std::sync::Arc::new(tokio::sync::Semaphore::new(0));
	let (plane, held) = (assay_data::router(one.1.store.clone()), gate.clone());
	let path = format!("/v1/tensors/{}", hex::encode(output(&one.0).0));
	let body = output(&one.0).1.data().to_vec();
	let slow = move || async move {
		let _ = held.acquire().await;
		body
	};
	let own = axum::Router::new().route(&path, axum::routing::get(slow)).fallback_service(plane);
	let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
	let url = format!("http://{}", listener.local_addr().unwrap());
	let limits = assay_data::Limits::default();
	tokio::spawn(assay_data::server::serve_router(listener, own, limits, std::future::pending()));
	let waiting = AuditRequest { endpoint: url.into_bytes(), ..one.2.clone() };
	assert_eq!(post(&handle, &waiting).await, AuditReply::Pending);
	until(|| handle.metrics().bytes_fetched > 0 && handle.metrics().queues.fetching == 1).await;
	tokio::time::sleep(Duration::from_millis(100)).await;
	refused(&handle, &other_one.2, "are not kept").await;
	gate.add_permits(9);
	assert_eq!(verdict(&handle, &waiting).await, Verdict::Valid);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_disk_that_fails_is_nobody_elses_fault() {
	let (handle, dir) = custodian().await;
	let (_, _, request) = other(3, 60).await;
	let folder = dir.path().join("custody");
	// Where it is written, or where it is said for how long.
	fs::remove_dir_all(folder.join("tmp")).unwrap();
	refused(&handle, &request, "tensors").await;
	fs::create_dir(folder.join("tmp")).unwrap();
	fs::remove_dir_all(folder.join("terms")).unwrap();
	let mut second = request.clone();
	second.audit.task.job = 61;
	refused(&handle, &second, "terms").await;
	fs::create_dir(folder.join("terms")).unwrap();
	assert_eq!(handle.metrics().held, Held::default());
	second.audit.task.job = 62;
	assert_eq!(ask(&handle, &second).await, AuditReply::Done(Finding::Right));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_kept_or_announced_is_not_begun() {
	let without = Config { folder: None, ..keeping(Path::new("unused"), ROOM) };
	assert!(matches!(Auditor::start(without).await, Err(StartError::NoFolder)));
	let dir = tempfile::tempdir().unwrap();
	let announced = |url: &str, allow_local| {
		let mut config = keeping(dir.path(), ROOM);
		config.fetch.allow_local = allow_local;
		config.custody.as_mut().unwrap().url = Some(url.into());
		Auditor::start(config)
	};
	let handle = announced("https://keeper.example:7800/", false).await.unwrap();
	assert_eq!(handle.access().keeps_at, "https://keeper.example:7800");
	drop(handle);
	assert!(announced("http://10.0.0.1:7800", true).await.is_ok());
	for url in ["http://10.0.0.1:7800", "http://localhost", "file:///etc"] {
		let started = announced(url, false).await;
		assert!(matches!(started, Err(StartError::CustodyUrl { .. })), "{url}");
	}
	// A file in the way.
	let file = tempfile::tempdir().unwrap();
	fs::write(file.path().join("custody"), []).unwrap();
	let started = Auditor::start(keeping(file.path(), ROOM)).await;
	assert!(matches!(started, Err(StartError::Custody(_))));
}
