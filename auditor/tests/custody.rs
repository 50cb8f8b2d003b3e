//! Custodians: whether an output is to be had from the worker, and nothing else.

mod common;

use assay_data::store::Kind;
use assay_primitives::work::{Depth, Place, Verdict};
use common::{auditor, buyer, nothing, verdict, worker, Work};
use std::fs;

#[tokio::test(flavor = "multi_thread")]
async fn an_output_that_is_served_is_held_right_or_wrong() {
	let handle = auditor().await;
	let mut work = Work::new();
	let served = worker(&work, work.inputs()).await;
	let mut request = served.request(Depth::Custody);
	assert_eq!(verdict(&handle, &request).await, Verdict::Valid);
	// Without a trace too: nothing of it is looked at.
	request.audit.task.job += 1;
	request.audit.claim.commitment.trace_root = None;
	assert_eq!(verdict(&handle, &request).await, Verdict::Valid);
	// A lie is not a custodian's business: its output is there.
	work.corrupt(Place { node: 5, row: 1, col: 1 });
	let lying = worker(&work, work.inputs()).await;
	assert_eq!(verdict(&handle, &lying.request(Depth::Custody)).await, Verdict::Valid);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_output_that_is_not_served_is_unavailable() {
	let handle = auditor().await;
	let work = Work::new();
	let output = work.roots[work.last()];
	// Gone, or with one byte changed, or never there under that root.
	for change in [Some(None), Some(Some(3)), None] {
		let served = worker(&work, work.inputs()).await;
		let mut request = served.request(Depth::Custody);
		let name = format!("{}/{}", Kind::Tensor.folder(), hex::encode(output));
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
		assert_eq!(verdict(&handle, &request).await, Verdict::Unavailable, "{change:?}");
	}
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_without_a_data_plane_has_delivered_nothing() {
	let handle = auditor().await;
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
