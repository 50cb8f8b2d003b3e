//! Offers that cannot be had as promised are declined, never accepted.

use crate::common::{a_while, block_on, serve, tensor, until, weights, Buyer, Rig};
use assay_compute::{tensor_root, Node, Program, Root};
use assay_primitives::work::{Reason, TaskStatus};
use assay_worker::{chain::Call, journal::Journal, sabotage::Sabotage};
use axum::{
	body::Body,
	extract::Request,
	middleware::{from_fn, Next},
	response::{IntoResponse, Response},
};
use codec::Encode;
use std::time::Duration;

/// Serves the buyer's store, but `body` at `path`.
async fn forged(buyer: &Buyer, path: String, body: Vec<u8>) -> String {
	let forge = move |request: Request, next: Next| {
		let (path, body) = (path.clone(), body.clone());
		async move {
			if request.uri().path() == path {
				Response::new(Body::from(body)).into_response()
			} else {
				next.run(request).await
			}
		}
	};
	serve(assay_data::router(buyer.store.clone()).layer(from_fn(forge))).await
}

fn path(kind: &str, root: &Root) -> String {
	format!("/v1/{kind}/{}", hex::encode(root))
}

/// The worker declines the buyer's one task, served at `url`, and does nothing else.
async fn is_declined(what: &str, rig: &Rig, buyer: &Buyer, url: &str) {
	let tasks = buyer.post_at(&rig.chain, url);
	let worker = rig.start().await;
	let refunded = |task| match rig.chain.status(task) {
		TaskStatus::Refunded { reason, .. } => Some(reason),
		_ => None,
	};
	until(what, || refunded(tasks[0]).is_some()).await;
	assert_eq!(refunded(tasks[0]), Some(Reason::Declined), "{what}");
	a_while().await;
	worker.stop().await;
	assert_eq!(rig.chain.state().calls, [Call::Decline { task: tasks[0] }], "{what}");
	assert_eq!(rig.executions(), 0, "{what}");
	assert_eq!(Journal::peek(&rig.config.journal_dir()).unwrap(), [], "{what}");
}

#[test]
fn forged_bytes() {
	block_on(async {
		let buyer = Buyer::new(1).await;
		let input = buyer.lists[0][0];
		let mut other = Buyer::new(1).await;
		other.lists.push(other.lists[0].clone());
		let other_program = Program { nodes: vec![Node::Fill { rows: 1, cols: 1, seed: [0; 32] }] };
		let cases = [
			("wrong input", path("tensors", &input), tensor(5, 8, 9).into_data()),
			("short input", path("tensors", &input), vec![0; 39]),
			("long input", path("tensors", &input), vec![0; 1 << 20]),
			("wrong const", path("tensors", &tensor_root(&weights())), vec![7; 48]),
			("wrong program", path("programs", &buyer.program.id()), other_program.encode()),
			("no program", path("programs", &buyer.program.id()), b"program".to_vec()),
			("wrong list", path("tasks", &buyer.tasks_root()), other.lists.encode()),
			("no list", path("tasks", &buyer.tasks_root()), vec![255; 9]),
		];
		for (what, path, body) in cases {
			let rig = Rig::new();
			let url = forged(&buyer, path, body).await;
			is_declined(what, &rig, &buyer, &url).await;
		}
	});
}

#[test]
fn missing_things() {
	block_on(async {
		let buyer = Buyer::new(1).await;
		buyer.lose(&tensor_root(&weights()));
		is_declined("no const", &Rig::new(), &buyer, &buyer.url).await;

		let buyer = Buyer::new(1).await;
		buyer.lose(&buyer.lists[0][1]);
		is_declined("no input", &Rig::new(), &buyer, &buyer.url).await;
		is_declined("nobody there", &Rig::new(), &buyer, "http://127.0.0.1:1").await;
	});
}

#[test]
fn addresses_that_strangers_may_not_lead_to() {
	block_on(async {
		let buyer = Buyer::new(1).await;
		let mut rig = Rig::new();
		rig.config.allow_local = false;
		is_declined("loopback", &rig, &buyer, &buyer.url).await;
	});
}

#[test]
fn lists_that_do_not_fit_the_program() {
	block_on(async {
		let mut buyer = Buyer::new(1).await;
		buyer.lists[0].pop();
		buyer.store.put_tasks(&buyer.lists).unwrap();
		is_declined("one input too few", &Rig::new(), &buyer, &buyer.url).await;

		// The two inputs' roots exchanged: no bytes have the declared shape and that root.
		let mut buyer = Buyer::new(1).await;
		buyer.lists[0].reverse();
		buyer.store.put_tasks(&buyer.lists).unwrap();
		is_declined("inputs exchanged", &Rig::new(), &buyer, &buyer.url).await;
	});
}

#[test]
fn huge_costs() {
	block_on(async {
		let fill = Node::Fill { rows: 1 << 24, cols: 512 * 1024, seed: [1; 32] };
		let tebibytes = vec![fill, Node::SliceRows { x: 0, start: 0, len: 1 }];
		let products = vec![
			Node::Fill { rows: 4_000, cols: 100_000, seed: [1; 32] },
			Node::MatmulT { a: 0, b: 0 },
		];
		for (what, nodes) in [("tebibytes", tebibytes), ("products", products)] {
			let mut buyer = Buyer::new(1).await;
			buyer.program = Program { nodes }.validate().unwrap();
			buyer.store.put_program(&buyer.program.encode()).unwrap();
			buyer.lists = vec![vec![]];
			buyer.store.put_tasks(&buyer.lists).unwrap();
			let mut rig = Rig::new();
			rig.config.max_macs = 1_000_000_000_000;
			is_declined(what, &rig, &buyer, &buyer.url).await;
		}

		let buyer = Buyer::new(1).await;
		let mut rig = Rig::new();
		rig.config.max_store_bytes = 100;
		is_declined("no room", &rig, &buyer, &buyer.url).await;
		let mut rig = Rig::new();
		rig.config.max_elements = 10;
		is_declined("elements", &rig, &buyer, &buyer.url).await;
	});
}

#[test]
fn stake_that_does_not_cover_it() {
	block_on(async {
		let buyer = Buyer::new(1).await;
		let rig = Rig::new();
		rig.chain.state().refuse_accept = Some("InsufficientStake");
		let tasks = buyer.post(&rig.chain);
		let worker = rig.start().await;
		until("declined", || rig.chain.state().calls == [Call::Decline { task: tasks[0] }]).await;
		worker.stop().await;
	});
}

#[test]
fn lies_that_cannot_be_told() {
	block_on(async {
		let buyer = Buyer::new(1).await;
		for lie in ["10:0:0:1", "2:5:0:1", "2:0:6:1", "0:0:0:1", "1:0:0:1", "3:0:0:256"] {
			let mut rig = Rig::new();
			let given: Sabotage = lie.parse().unwrap();
			rig.config = rig.config.with_sabotage(Some(given)).unwrap();
			is_declined(lie, &rig, &buyer, &buyer.url).await;
		}
	});
}

#[test]
fn a_slow_buyer_loses_the_offer_but_nothing_else() {
	block_on(async {
		let slow = |request: Request, next: Next| async move {
			tokio::time::sleep(Duration::from_secs(3)).await;
			next.run(request).await
		};
		let (rig, buyer) = (Rig::new(), Buyer::new(1).await);
		let url = serve(assay_data::router(buyer.store.clone()).layer(from_fn(slow))).await;
		let lapsing = buyer.post_at(&rig.chain, &url);
		let worker = rig.start().await;
		a_while().await;
		for _ in 0..60 {
			rig.chain.tick();
		}
		// Others are not held up by it.
		let prompt = buyer.post(&rig.chain);
		let is_done = || matches!(rig.chain.status(prompt[0]), TaskStatus::Auditing { .. });
		until("the other is done", is_done).await;
		worker.stop().await;
		let own = |call: &Call| match call {
			Call::Accept { task, .. } | Call::Decline { task } => *task == lapsing[0],
			_ => false,
		};
		assert!(!rig.chain.state().calls.iter().any(own));
		assert!(!rig.chain.state().failed.iter().any(|(call, _)| own(call)));
	});
}
