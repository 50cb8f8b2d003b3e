//! Clients that take all the connections they can, and honest ones beside them.

mod common;

use assay_data::Limits;
use common::{serve, store, tensor};
use std::time::{Duration, Instant};
use tokio::{
	io::{AsyncReadExt, AsyncWriteExt},
	net::{TcpSocket, TcpStream},
	time::timeout,
};

/// A connection from 127.0.0.`last`: on loopback that is a client of its own.
async fn connect(server: &str, last: u8) -> std::io::Result<TcpStream> {
	let socket = TcpSocket::new_v4()?;
	socket.bind(([127, 0, 0, last], 0).into())?;
	socket.connect(server.parse().unwrap()).await
}

/// A connection that asks for something large and reads none of it.
async fn hold(server: &str, last: u8, root: &str) -> TcpStream {
	let mut stream = connect(server, last).await.unwrap();
	let request = format!("GET /v1/tensors/{root} HTTP/1.1\r\nhost: a\r\n\r\n");
	let _ = stream.write_all(request.as_bytes()).await;
	stream
}

/// Asks whether the server is well; `None` if there is no answer.
async fn ask(stream: &mut TcpStream) -> Option<()> {
	stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n").await.ok()?;
	let (mut answer, mut piece) = (Vec::new(), [0; 256]);
	while !answer.ends_with(b"\r\n\r\nok") {
		let read = timeout(Duration::from_secs(5), stream.read(&mut piece)).await;
		match read.ok()?.ok()? {
			0 => return None,
			read => answer.extend_from_slice(&piece[..read]),
		}
	}
	answer.starts_with(b"HTTP/1.1 200 OK").then_some(())
}

/// Whether the server has closed it by now. What it had sent is read and forgotten.
async fn is_closed(stream: &mut TcpStream) -> bool {
	let mut rest = [0; 4096];
	loop {
		match timeout(Duration::from_millis(100), stream.read(&mut rest)).await {
			Ok(Ok(0) | Err(_)) => return true,
			Ok(Ok(_)) => {}
			Err(_) => return false,
		}
	}
}

/// A server with few connections, and something large that it serves.
async fn server(limits: Limits) -> (String, String, tempfile::TempDir) {
	let (dir, store) = store();
	let root = hex::encode(store.put_tensor(&tensor(4000, 10_000, 1)).unwrap());
	let url = serve(store, limits).await;
	(url.strip_prefix("http://").unwrap().to_owned(), root, dir)
}

const FEW: Limits = Limits {
	connections: 12,
	connections_per_client: 4,
	waiting: 4,
	seat_wait: Duration::from_secs(3),
	header_timeout: Duration::from_secs(30),
	stall_timeout: Duration::from_secs(60),
	min_rate: 0,
	rate_window: Duration::from_secs(60),
	response_timeout: Duration::from_secs(60),
};

#[tokio::test(flavor = "multi_thread")]
async fn one_address_holds_its_share_and_an_honest_client_gets_in() {
	let (server, root, _dir) = server(FEW).await;
	let mut held = Vec::new();
	for _ in 0..100 {
		held.push(hold(&server, 2, &root).await);
		held.push(connect(&server, 2).await.unwrap());
	}
	for _ in 0..20 {
		let begun = Instant::now();
		let mut honest = connect(&server, 1).await.unwrap();
		ask(&mut honest).await.expect("is served");
		assert!(begun.elapsed() < Duration::from_secs(2));
		held.push(hold(&server, 2, &root).await);
	}
}

#[tokio::test(flavor = "multi_thread")]
async fn many_addresses_at_work_make_room_for_one_that_has_none() {
	let (server, root, _dir) = server(FEW).await;
	let mut held = Vec::new();
	// Three are enough to take all there is.
	for round in 0..60 {
		held.push(hold(&server, 2 + round % 3, &root).await);
	}
	let mut honest = connect(&server, 1).await.unwrap();
	ask(&mut honest).await.expect("is served");
	// And it keeps its place while they go on.
	for round in 0..30 {
		held.push(hold(&server, 2 + round % 3, &root).await);
		ask(&mut honest).await.expect("is still served");
	}
}

#[tokio::test(flavor = "multi_thread")]
async fn the_longest_idle_makes_room() {
	let (server, root, _dir) = server(FEW).await;
	let mut idle = Vec::new();
	for round in 0..11 {
		let mut stream = connect(&server, 2 + round % 3).await.unwrap();
		ask(&mut stream).await.expect("is served");
		idle.push(stream);
	}
	let mut busy = hold(&server, 5, &root).await;
	// The first has asked again since, so the second has been idle for longest.
	tokio::time::sleep(Duration::from_millis(50)).await;
	ask(&mut idle[0]).await.expect("is served");
	let mut newcomer = connect(&server, 1).await.unwrap();
	ask(&mut newcomer).await.expect("is served");
	assert!(is_closed(&mut idle[1]).await);
	assert!(!is_closed(&mut idle[0]).await && !is_closed(&mut idle[2]).await);
	let mut some = [0; 1024];
	assert!(busy.read(&mut some).await.unwrap() > 0, "a response under way goes on");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_beyond_its_share_loses_its_own_idle_connection() {
	let (server, root, _dir) = server(FEW).await;
	let mut first = connect(&server, 1).await.unwrap();
	ask(&mut first).await.expect("is served");
	let mut busy = Vec::new();
	for _ in 0..3 {
		busy.push(hold(&server, 1, &root).await);
	}
	let mut other = connect(&server, 2).await.unwrap();
	ask(&mut other).await.expect("is served");
	busy.push(hold(&server, 1, &root).await);
	assert!(is_closed(&mut first).await);
	assert!(!is_closed(&mut other).await);
	// All it may have is at work: the further one is closed.
	tokio::time::sleep(Duration::from_millis(100)).await;
	let mut further = connect(&server, 1).await.unwrap();
	assert!(ask(&mut further).await.is_none());
}

/// As many clients as there are connections, each with one at work: nobody is closed for another.
#[tokio::test(flavor = "multi_thread")]
async fn who_finds_no_room_waits_for_some() {
	let (server, root, _dir) = server(FEW).await;
	let mut held = Vec::new();
	for last in 2..14 {
		let mut stream = hold(&server, last, &root).await;
		assert!(stream.read(&mut [0; 64]).await.unwrap() > 0, "it is served");
		held.push(stream);
	}
	let mut waiting = connect(&server, 1).await.unwrap();
	let leave = async {
		tokio::time::sleep(Duration::from_millis(300)).await;
		drop(held.pop());
	};
	let (served, ()) = tokio::join!(ask(&mut waiting), leave);
	served.expect("is served once somebody has left");
	// If nobody leaves, the wait ends.
	let request = format!("GET /v1/tensors/{root} HTTP/1.1\r\nhost: a\r\n\r\n");
	waiting.write_all(request.as_bytes()).await.unwrap();
	assert!(waiting.read(&mut [0; 64]).await.unwrap() > 0, "it is at work too");
	let mut late = connect(&server, 20).await.unwrap();
	let begun = Instant::now();
	assert!(ask(&mut late).await.is_none());
	assert!((2_500..4_500).contains(&begun.elapsed().as_millis()), "{:?}", begun.elapsed());
}

#[tokio::test(flavor = "multi_thread")]
async fn idle_connections_are_closed_after_a_while() {
	let header_timeout = Duration::from_millis(300);
	let (server, _, _dir) = server(Limits { header_timeout, ..FEW }).await;
	let mut idle = connect(&server, 1).await.unwrap();
	ask(&mut idle).await.expect("is served");
	tokio::time::sleep(header_timeout * 2).await;
	assert!(is_closed(&mut idle).await);
}
