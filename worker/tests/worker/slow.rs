//! Buyers whose data planes trickle.

use crate::common::{block_on, serve, until, Buyer, Rig};
use assay_primitives::work::TaskStatus;
use axum::{
	body::Body,
	extract::Request,
	middleware::{from_fn, Next},
	response::{IntoResponse, Response},
};
use futures::stream;
use std::{
	sync::{
		atomic::{AtomicUsize, Ordering},
		Arc,
	},
	time::Duration,
};

#[test]
fn a_trickling_buyer_keeps_nobody_elses_inputs_away() {
	block_on(async {
		let (mut rig, buyer) = (Rig::new(), Buyer::new(1).await);
		// Room for no more than one task's tensors at a time.
		rig.config.max_trace_bytes = 1 << 20;
		rig.config.parallel_fetches = 1;
		let asked = Arc::new(AtomicUsize::new(0));
		let counter = asked.clone();
		// All but the tensors comes at once.
		let trickle = move |request: Request, next: Next| {
			let counter = counter.clone();
			async move {
				if !request.uri().path().starts_with("/v1/tensors/") {
					return next.run(request).await;
				}
				counter.fetch_add(1, Ordering::SeqCst);
				let bytes = stream::unfold((), |()| async {
					tokio::time::sleep(Duration::from_millis(500)).await;
					Some((Ok::<_, std::io::Error>(vec![0u8]), ()))
				});
				Response::new(Body::from_stream(bytes)).into_response()
			}
		};
		let url = serve(assay_data::router(buyer.store.clone()).layer(from_fn(trickle))).await;
		let slow = buyer.post_at(&rig.chain, &url);
		let worker = rig.start().await;
		until("fetching", || asked.load(Ordering::SeqCst) == 1).await;
		let prompt = buyer.post(&rig.chain);
		let is_done = || matches!(rig.chain.status(prompt[0]), TaskStatus::Auditing { .. });
		until("the other is done", is_done).await;
		assert_eq!(asked.load(Ordering::SeqCst), 1, "the slow one is still at its first tensor");
		assert!(matches!(rig.chain.status(slow[0]), TaskStatus::Offered { .. }));
		worker.stop().await;
	});
}
