//! The data plane over HTTP.

mod common;

use assay_compute::verify_row;
use assay_data::{
	store::{Kind, Row},
	Limits, Tasks,
};
use codec::Decode;
use common::{program, serve, store, tensor};
use reqwest::{Client, Method, StatusCode};
use std::{
	fs,
	time::{Duration, Instant},
};
use tokio::{
	io::{AsyncReadExt, AsyncWriteExt},
	net::TcpStream,
};

async fn get(url: &str) -> (StatusCode, Vec<u8>) {
	let response = Client::new().get(url).send().await.unwrap();
	(response.status(), response.bytes().await.unwrap().to_vec())
}

#[tokio::test(flavor = "multi_thread")]
async fn every_path_serves_what_was_put() {
	let (_dir, store) = store();
	let (program, _) = program();
	let large = tensor(700, 1000, 5);
	let tasks: Tasks = vec![vec![[1; 32]], vec![[2; 32], [3; 32]]];
	let roots = [[4; 32], [5; 32]];
	let tensor_id = hex::encode(store.put_tensor(&large).unwrap());
	let program_id = hex::encode(store.put_program(&program.encode()).unwrap());
	let trace_id = hex::encode(store.put_trace(&roots).unwrap());
	let tasks_id = hex::encode(store.put_tasks(&tasks).unwrap());
	let url = serve(store, Limits::default()).await;

	let response = Client::new().get(format!("{url}/v1/tensors/{tensor_id}")).send().await.unwrap();
	assert_eq!(response.status(), StatusCode::OK);
	assert_eq!(response.content_length(), Some(700_000));
	for (name, value) in
		[("x-assay-dtype", "i8"), ("x-assay-rows", "700"), ("x-assay-cols", "1000")]
	{
		assert_eq!(response.headers()[name], value);
	}
	assert_eq!(response.bytes().await.unwrap(), large.data());

	let (status, body) = get(&format!("{url}/v1/tensors/{tensor_id}/rows/699")).await;
	assert_eq!(status, StatusCode::OK);
	let row = Row::decode(&mut &body[..]).unwrap();
	let root = assay_compute::tensor_root(&large);
	assert!(verify_row(&root, large.shape(), 699, &row.bytes, &row.path));

	let (_, body) = get(&format!("{url}/v1/traces/{trace_id}")).await;
	assert_eq!(body, roots.as_flattened());
	let (_, body) = get(&format!("{url}/v1/programs/{program_id}")).await;
	assert_eq!(body, program.encode());
	let (_, body) = get(&format!("{url}/v1/tasks/{tasks_id}")).await;
	assert_eq!(Tasks::decode(&mut &body[..]).unwrap(), tasks);
	assert_eq!(get(&format!("{url}/healthz")).await, (StatusCode::OK, b"ok".to_vec()));

	let head = Client::new().head(format!("{url}/v1/tensors/{tensor_id}")).send().await.unwrap();
	assert_eq!(head.status(), StatusCode::OK);
	assert_eq!(head.headers()["content-length"], "700000");
	assert_eq!(head.bytes().await.unwrap().len(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn errors_are_json_and_nothing_else_is_served() {
	let (dir, store) = store();
	let small = tensor(3, 3, 1);
	let root = hex::encode(store.put_tensor(&small).unwrap());
	fs::write(dir.path().join("secret"), "secret").unwrap();
	let url = serve(store, Limits::default()).await;
	let upper = root.to_uppercase();
	let unknown = "0".repeat(64);
	let cases = [
		(format!("/v1/tensors/{unknown}"), 404),
		(format!("/v1/programs/{root}"), 404),
		(format!("/v1/traces/{root}"), 404),
		(format!("/v1/tasks/{root}"), 404),
		(format!("/v1/tensors/{root}/rows/3"), 404),
		(format!("/v1/tensors/{upper}"), if upper == root { 200 } else { 400 }),
		(format!("/v1/tensors/{}", &root[1..]), 400),
		(format!("/v1/tensors/{root}0"), 400),
		("/v1/tensors/..%2F..%2Fsecret".into(), 400),
		("/v1/tensors/%FF".into(), 400),
		(format!("/v1/tensors/{root}/rows/-1"), 400),
		(format!("/v1/tensors/{root}/rows/+1"), 400),
		(format!("/v1/tensors/{root}/rows/01"), 400),
		(format!("/v1/tensors/{root}/rows/4294967296"), 400),
		(format!("/v1/tensors/{root}?x=1"), 400),
		(format!("/v1/tensors/{root}/"), 404),
		("/".into(), 404),
		("/secret".into(), 404),
		("/v1/tensors/".into(), 404),
	];
	for (path, expected) in cases {
		let (status, body) = get(&format!("{url}{path}")).await;
		assert_eq!(status, expected, "{path}");
		let body: serde_json::Value = serde_json::from_slice(&body).expect(&path);
		assert!(body["error"].is_string(), "{path}");
	}
	for method in [Method::POST, Method::PUT, Method::DELETE] {
		let request = Client::new().request(method, format!("{url}/v1/tensors/{root}"));
		let response = request.send().await.unwrap();
		assert_eq!(response.status(), StatusCode::METHOD_NOT_ALLOWED);
		assert!(response.text().await.unwrap().contains("error"));
	}
}

#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_tensor_is_cut_short_then_unknown() {
	let (_dir, store) = store();
	let large = tensor(700, 1000, 5);
	let root = hex::encode(store.put_tensor(&large).unwrap());
	let path = store.dir().join(Kind::Tensor.folder()).join(&root);
	let mut bytes = fs::read(&path).unwrap();
	bytes[1000] ^= 1;
	fs::write(&path, bytes).unwrap();
	let url = format!("{}/v1/tensors/{root}", serve(store, Limits::default()).await);
	let response = Client::new().get(&url).send().await.unwrap();
	assert_eq!(response.status(), StatusCode::OK);
	assert!(response.bytes().await.is_err());
	assert_eq!(get(&url).await.0, StatusCode::NOT_FOUND);
}

/// Whether the server closes the connection within two seconds.
async fn is_closed(stream: &mut TcpStream) -> bool {
	let mut rest = Vec::new();
	tokio::time::timeout(Duration::from_secs(2), stream.read_to_end(&mut rest)).await.is_ok()
}

#[tokio::test(flavor = "multi_thread")]
async fn slow_clients_are_dropped() {
	let (_dir, store) = store();
	let limits = Limits {
		header_timeout: Duration::from_millis(200),
		stall_timeout: Duration::from_millis(300),
		// More than 64 KiB each 20 ms.
		min_rate: 8 << 20,
		rate_window: Duration::from_millis(500),
		..Limits::default()
	};
	let large = tensor(4000, 10_000, 1);
	let root = hex::encode(store.put_tensor(&large).unwrap());
	let url = serve(store, limits).await;
	let address = url.strip_prefix("http://").unwrap();

	// One byte of a head now and then.
	let mut slow = TcpStream::connect(address).await.unwrap();
	let begun = Instant::now();
	slow.write_all(b"GET /hea").await.unwrap();
	assert!(is_closed(&mut slow).await);
	assert!(begun.elapsed() < Duration::from_millis(1500));

	// No byte at all, also after a good request.
	let mut silent = TcpStream::connect(address).await.unwrap();
	assert!(is_closed(&mut silent).await);
	let mut idle = TcpStream::connect(address).await.unwrap();
	idle.write_all(b"GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n").await.unwrap();
	assert!(is_closed(&mut idle).await);

	// A reader that takes too little at a time.
	let mut trickle = TcpStream::connect(address).await.unwrap();
	let request = format!("GET /v1/tensors/{root} HTTP/1.1\r\nhost: a\r\n\r\n");
	trickle.write_all(request.as_bytes()).await.unwrap();
	let (mut piece, mut got, begun) = ([0; 64 * 1024], 0, Instant::now());
	while let Ok(read @ 1..) = trickle.read(&mut piece).await {
		got += read;
		assert!(got < large.data().len() && begun.elapsed() < Duration::from_secs(60));
		tokio::time::sleep(Duration::from_millis(20)).await;
	}

	// A reader that does not read gets no more than the kernel's buffers hold.
	let mut lazy = TcpStream::connect(address).await.unwrap();
	let request = format!("GET /v1/tensors/{root} HTTP/1.1\r\nhost: a\r\n\r\n");
	lazy.write_all(request.as_bytes()).await.unwrap();
	tokio::time::sleep(Duration::from_millis(1500)).await;
	let mut got = Vec::new();
	let _ = lazy.read_to_end(&mut got).await;
	assert!(got.len() < large.data().len());

	// An endless head.
	let mut endless = TcpStream::connect(address).await.unwrap();
	let mut sent = 0;
	while sent < 10_000_000 && endless.write_all(&[b'a'; 1000]).await.is_ok() {
		sent += 1000;
	}
	assert!(sent < 10_000_000);
	drop(endless);
}

/// The first row of a tensor costs reading all of it: one client has that done once at a time.
#[tokio::test(flavor = "multi_thread")]
async fn rows_of_many_tensors_are_not_made_ready_at_once() {
	let (_dir, store) = store();
	let put = |seed| store.put_tensor(&tensor(2_000, 10_000, seed)).unwrap();
	let roots: Vec<_> = (0..6).map(|seed| hex::encode(put(seed))).collect();
	let url = serve(store, Limits::default()).await;
	let row = |root: &String| format!("{url}/v1/tensors/{root}/rows/1999");
	let urls: Vec<_> = roots.iter().map(row).collect();
	let answers = futures::future::join_all(urls.iter().map(|url| get(url))).await;
	let with = |wanted| answers.iter().filter(|(status, _)| *status == wanted).count();
	let (served, busy) = (with(StatusCode::OK), with(StatusCode::SERVICE_UNAVAILABLE));
	assert!(served > 0 && busy > 0 && served + busy == 6, "{served} and {busy}");
	// One after the other all are served, and then at once.
	for url in &urls {
		assert_eq!(get(url).await.0, StatusCode::OK);
	}
	let answers = futures::future::join_all(urls.iter().map(|url| get(url))).await;
	assert!(answers.iter().all(|(status, _)| *status == StatusCode::OK));
}

#[tokio::test(flavor = "multi_thread")]
async fn shutdown_ends_the_server() {
	let (_dir, store) = store();
	let server = assay_data::Server::bind("127.0.0.1:0".parse().unwrap(), store, Limits::default());
	let server = server.await.unwrap();
	let url = format!("http://{}/healthz", server.local_addr().unwrap());
	let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
	let running = tokio::spawn(server.run(async { drop(stopped.await) }));
	assert_eq!(get(&url).await.0, StatusCode::OK);
	stop.send(()).unwrap();
	tokio::time::timeout(Duration::from_secs(7), running).await.unwrap().unwrap().unwrap();
	assert!(Client::new().get(&url).send().await.is_err());
}
