//! An auditor service that finds everything right and looks at nothing.

use crate::rpc::call;
use assay_devnet::Net;
use assay_primitives::auditor::{Access, AuditReply, Finding, ACCESS_KEY, PATH};
use codec::Encode;
use serde_json::json;
use std::{
	io::{Read, Write},
	net::{TcpListener, TcpStream},
	sync::{
		atomic::{AtomicU64, Ordering},
		Arc,
	},
	thread,
};

/// What a node's off-chain worker has to say to be answered.
const TOKEN: &str = "unseen";

/// The service.
pub struct Unseen {
	url: String,
	asked: Arc<AtomicU64>,
}

impl Unseen {
	/// Starts to listen.
	pub fn start() -> Self {
		let listener = TcpListener::bind("127.0.0.1:0").unwrap();
		let url = format!("http://{}", listener.local_addr().unwrap());
		let asked = Arc::new(AtomicU64::new(0));
		let count = asked.clone();
		thread::spawn(move || {
			for stream in listener.incoming().flatten() {
				answer(stream, &count);
			}
		});
		Self { url, asked }
	}

	/// Has the node's off-chain worker ask this service, as the node would have it ask its own.
	pub fn serve(&self, net: &Net) {
		let hex = |bytes: &[u8]| format!("0x{}", hex::encode(bytes));
		let access = hex(&self.access().encode());
		let set = json!(["PERSISTENT", hex(ACCESS_KEY), access]);
		let answer = call(net, "offchain_localStorageSet", set);
		assert!(answer["error"].is_null(), "{answer}");
	}

	/// Where the service is, as the off-chain worker is told.
	fn access(&self) -> Access {
		Access { url: self.url.clone(), token: TOKEN.into() }
	}

	/// Audits that it was asked for and found right.
	pub fn asked(&self) -> u64 {
		self.asked.load(Ordering::Relaxed)
	}
}

/// Reads one request to its end, or the reply might be lost with it.
fn answer(mut stream: TcpStream, asked: &AtomicU64) {
	let mut request = Vec::new();
	let mut part = [0; 4096];
	while !is_whole(&request) {
		match stream.read(&mut part) {
			Ok(read) if read > 0 => request.extend_from_slice(&part[..read]),
			_ => return,
		}
	}
	let head = head(&request).unwrap_or_default();
	let is_ours = head.starts_with(&format!("post {PATH} "))
		&& head.contains(&format!("authorization: bearer {TOKEN}\r\n"));
	let (status, reply) = match is_ours {
		true => ("200 OK", AuditReply::Done(Finding::Right).encode()),
		false => ("404 Not Found", Vec::new()),
	};
	let length = reply.len();
	let head =
		format!("HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n");
	let sent = stream.write_all(&[head.as_bytes(), &reply].concat());
	if is_ours && sent.is_ok() {
		asked.fetch_add(1, Ordering::Relaxed);
	}
}

/// The head of a request in small letters, once it is there.
fn head(request: &[u8]) -> Option<String> {
	let end = request.windows(4).position(|four| four == b"\r\n\r\n")? + 4;
	Some(String::from_utf8_lossy(&request[..end]).to_lowercase())
}

/// Whether a request is there with its body, whichever way that says where it ends.
fn is_whole(request: &[u8]) -> bool {
	let Some(head) = head(request) else { return false };
	let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
	match length {
		Some(length) => request.len() - head.len() >= length,
		None => !head.contains("chunked") || request.ends_with(b"\r\n0\r\n\r\n"),
	}
}
