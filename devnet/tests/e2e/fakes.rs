//! Providers that are no worker: a key that says on the chain what the test has it say, and a
//! server that answers as the test has it answer.

use crate::common::claim;
use assay_client::{Client, Signer, Submitter};
use assay_devnet::{Net, Provider, WorkerOptions};
use assay_primitives::{
	work::{Commitment, TaskId, TaskStatus},
	Root,
};
use std::{
	io::{Read, Write},
	net::{TcpListener, TcpStream},
	sync::{
		atomic::{AtomicU64, Ordering},
		Arc,
	},
	thread,
	time::Duration,
};
use tokio::runtime::Runtime;

/// What a server does with a connection.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Behaviour {
	/// Hangs up.
	Closed,
	/// Sends a header and then without end.
	Endless,
	/// Sends a header and then a byte a second.
	Trickle,
}

/// Listens as told and counts the bytes it got rid of.
pub fn serve(behaviour: Behaviour) -> (String, Arc<AtomicU64>) {
	let listener = TcpListener::bind("127.0.0.1:0").unwrap();
	let url = format!("http://{}", listener.local_addr().unwrap());
	let sent = Arc::new(AtomicU64::new(0));
	let count = sent.clone();
	thread::spawn(move || {
		for stream in listener.incoming().flatten() {
			let count = count.clone();
			thread::spawn(move || answer(stream, behaviour, &count));
		}
	});
	(url, sent)
}

fn answer(mut stream: TcpStream, behaviour: Behaviour, sent: &AtomicU64) {
	if behaviour == Behaviour::Closed {
		return;
	}
	let mut request = [0; 4096];
	let _ = stream.read(&mut request);
	let head = b"HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\n\
		Transfer-Encoding: chunked\r\n\r\n";
	if stream.write_all(head).is_err() {
		return;
	}
	let size = if behaviour == Behaviour::Endless { 1 << 20 } else { 1 };
	let chunk = [format!("{size:x}\r\n").into_bytes(), vec![7; size], b"\r\n".to_vec()].concat();
	while stream.write_all(&chunk).is_ok() {
		sent.fetch_add(size as u64, Ordering::Relaxed);
		if behaviour == Behaviour::Trickle {
			thread::sleep(Duration::from_secs(1));
		}
	}
}

/// A registered provider whose hot key is the test's.
pub struct Fake {
	pub provider: Provider,
	pub runtime: Runtime,
	pub client: Client,
	pub hot: Submitter,
}

impl Fake {
	pub fn register(net: &Net, controller: &str, endpoint: &str) -> Self {
		let provider = net.register(&WorkerOptions::honest(controller), Some(endpoint)).unwrap();
		let runtime = Runtime::new().unwrap();
		let client = runtime.block_on(Client::connect(&net.url)).unwrap();
		let hot = Submitter::new(&client, Signer::from_uri(&provider.hot).unwrap());
		Self { provider, runtime, client, hot }
	}

	/// Waits until the only task of a job is offered.
	pub fn offered(&self, job: u64) -> TaskId {
		let task = TaskId { job, index: 0 };
		crate::common::until("an offer", || {
			let view = self.runtime.block_on(self.client.task(task)).unwrap();
			view.is_some_and(|view| matches!(view.status, TaskStatus::Offered { .. }))
		});
		task
	}

	/// Accepts the only task of a job of the first batch.
	pub fn accept(&self, job: u64) -> TaskId {
		let task = self.offered(job);
		self.runtime.block_on(self.hot.accept(task, vec![input()], vec![])).unwrap();
		task
	}

	/// Submits roots, right or made up.
	pub fn submit(&self, task: TaskId, output_root: Root, trace_root: Root) {
		let commitment = Commitment { output_root, trace_root: Some(trace_root) };
		self.runtime.block_on(self.hot.submit_result(task, commitment)).unwrap();
	}
}

/// A root from the hex of a claim.
pub fn root(text: &str) -> Root {
	let mut root = [0; 32];
	hex::decode_to_slice(text.trim_start_matches("0x"), &mut root).unwrap();
	Root::from(root)
}

/// The input of the first batch.
pub fn input() -> Root {
	root(&claim(0)[0])
}
