//! What the tests share: a store in a temporary folder and servers on loopback, honest and not.
#![allow(dead_code)]

use assay_compute::{Dtype, Node, Program, Shape, Tensor};
use assay_data::{Limits, Policy, Server, Store};
use std::{
	net::SocketAddr,
	sync::{
		atomic::{AtomicU64, Ordering},
		Arc,
	},
	time::Duration,
};
use tempfile::TempDir;
use tokio::{
	io::{AsyncReadExt, AsyncWriteExt},
	net::TcpListener,
};

pub fn store() -> (TempDir, Store) {
	let dir = tempfile::tempdir().unwrap();
	let store = Store::open(dir.path()).unwrap();
	(dir, store)
}

/// An i8 tensor of bytes that follow from `seed`.
pub fn tensor(rows: u32, cols: u32, seed: u32) -> Tensor {
	// Spread, so that neighbouring seeds give other bytes.
	let seed = seed.wrapping_mul(0x9E37_79B1);
	let byte = |i: u32| (i.wrapping_mul(0x85EB_CA6B).wrapping_add(seed) >> 13) as u8;
	let bytes = (0..rows * cols).map(byte).collect();
	Tensor::new(Shape::new(Dtype::I8, rows, cols), bytes).unwrap()
}

/// `input · constᵀ`, and its const.
pub fn program() -> (Program, Tensor) {
	let weights = tensor(4, 8, 7);
	let root = assay_compute::tensor_root(&weights);
	let nodes = vec![
		Node::Input { dtype: Dtype::I8, rows: 3, cols: 8 },
		Node::Const { dtype: Dtype::I8, rows: 4, cols: 8, root },
		Node::MatmulT { a: 0, b: 1 },
	];
	(Program { nodes }, weights)
}

/// Serves a store on loopback for as long as the test runs.
pub async fn serve(store: Store, limits: Limits) -> String {
	let server = Server::bind("127.0.0.1:0".parse().unwrap(), store, limits).await.unwrap();
	let url = format!("http://{}", server.local_addr().unwrap());
	tokio::spawn(server.run(std::future::pending()));
	url
}

/// A policy for loopback with short times.
pub fn local() -> Policy {
	Policy {
		allow_local: true,
		idle_timeout: Duration::from_millis(300),
		total_timeout: Duration::from_millis(1500),
		..Policy::default()
	}
}

/// A server that answers every connection with `head`, then `piece` again and again, `pause`
/// apart, until it has sent `total` bytes or the client leaves. Counts the bytes that it sent.
pub async fn raw(
	head: &str,
	piece: Vec<u8>,
	total: u64,
	pause: Duration,
) -> (SocketAddr, Arc<AtomicU64>) {
	let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
	let address = listener.local_addr().unwrap();
	let sent = Arc::new(AtomicU64::new(0));
	let (head, counter) = (head.to_owned(), sent.clone());
	tokio::spawn(async move {
		while let Ok((mut stream, _)) = listener.accept().await {
			let (head, piece, counter) = (head.clone(), piece.clone(), counter.clone());
			tokio::spawn(async move {
				let mut request = [0; 4096];
				let _ = stream.read(&mut request).await;
				let _ = stream.write_all(head.as_bytes()).await;
				let mut left = total;
				while left > 0 {
					let length = left.min(piece.len() as u64) as usize;
					if stream.write_all(&piece[..length]).await.is_err() {
						break;
					}
					counter.fetch_add(length as u64, Ordering::Relaxed);
					left -= length as u64;
					if !pause.is_zero() {
						tokio::time::sleep(pause).await;
					}
				}
				let _ = stream.shutdown().await;
			});
		}
	});
	(address, sent)
}
