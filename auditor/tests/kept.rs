//! What is kept of a model from one audit to the next.

mod common;

use assay_auditor::{Auditor, Config, Handle};
use assay_compute::{Dtype, Node, Program, Tensor};
use assay_data::Store;
use assay_primitives::{
	auditor::{AuditReply, AuditRequest, Finding},
	work::{Depth, Place},
};
use common::{ask, buyer, config, constant, i32_row, i8_tensor, worker, Work, Worker};

const RIGHT: AuditReply = AuditReply::Done(Finding::Right);

/// A task of a model with two weights and three other constants, by the seed of its input.
fn task(seed: u32) -> Work {
	let (up, down) = (i8_tensor(80, 96, 1), i8_tensor(48, 80, 2));
	let (bias, mult, table) = (i32_row(80, 3), i32_row(80, 4), i8_tensor(1, 256, 5));
	let nodes = vec![
		Node::Input { dtype: Dtype::I8, rows: 33, cols: 96 },
		constant(&up),
		constant(&bias),
		constant(&mult),
		constant(&table),
		constant(&down),
		Node::MatmulT { a: 0, b: 1 },
		Node::Requant { x: 6, bias: 2, mult: 3, shift: 12 },
		Node::Lut { x: 7, table: 4 },
		Node::MatmulT { a: 8, b: 5 },
	];
	let program = Program { nodes }.validate().unwrap();
	let given = [up, bias, mult, table, down].into_iter();
	let given = (1..).zip(given).chain([(0, i8_tensor(33, 96, seed))]);
	Work::of(program, given.collect())
}

const WEIGHTS: [usize; 2] = [1, 5];
const OTHERS: [usize; 3] = [2, 3, 4];

/// Bytes of tensors of a task.
fn bytes(work: &Work, nodes: impl IntoIterator<Item = usize>) -> u64 {
	nodes.into_iter().map(|node| work.program.shapes()[node].bytes()).sum()
}

/// Bytes of what an audit fetches of its own: program, roots, input and results.
fn own(work: &Work) -> u64 {
	let described = work.program.encode().len() + 32 * work.roots.len();
	described as u64 + bytes(work, [0, 6, 7, 8, 9])
}

fn request(worker: &Worker, job: u64) -> AuditRequest {
	let mut request = worker.request(Depth::Projection);
	request.audit.task.job = job;
	request
}

/// Has a store not have these tensors.
fn without(store: &Store, work: &Work, nodes: impl IntoIterator<Item = usize>) {
	for node in nodes {
		let file = store.dir().join("tensors").join(hex::encode(work.roots[node]));
		std::fs::remove_file(file).unwrap();
	}
}

async fn started(change: impl FnOnce(&mut Config)) -> Handle {
	// Nothing is made up for by executing again.
	let mut config = Config { max_replay_macs: 0, ..config() };
	change(&mut config);
	Auditor::start(config).await.unwrap()
}

/// Audits another task of the model, whose worker serves none of these constants, and says how many
/// bytes were fetched.
async fn next(handle: &Handle, seed: u32, lacks: &[usize]) -> (AuditReply, u64) {
	let work = task(seed);
	assert_eq!(work.fault(), None);
	let worker = worker(&work, work.inputs()).await;
	without(&worker.store, &work, lacks.iter().copied());
	let before = handle.metrics().bytes_fetched;
	let reply = ask(handle, &request(&worker, seed.into())).await;
	(reply, handle.metrics().bytes_fetched - before)
}

#[tokio::test(flavor = "multi_thread")]
async fn constants_of_a_known_model_are_not_fetched_again() {
	let (model, handle) = (task(0), started(|_| {}).await);
	let constants = bytes(&model, WEIGHTS.into_iter().chain(OTHERS));
	assert_eq!(next(&handle, 10, &[]).await, (RIGHT, own(&model) + constants));
	// By a worker that has none of them, too.
	for seed in 11..14 {
		assert_eq!(next(&handle, seed, &[1, 2, 3, 4, 5]).await, (RIGHT, own(&model)));
	}
	// Another service knows nothing of it.
	let (reply, _) = next(&started(|_| {}).await, 14, &[1]).await;
	assert_eq!(reply, AuditReply::Done(Finding::Unavailable));
}

/// A projection checks so many products and no more: then the weights are read again, for another one.
#[tokio::test(flavor = "multi_thread")]
async fn a_projection_is_used_a_bounded_number_of_times() {
	let model = task(0);
	let handle = started(|config| config.projection_uses = 3).await;
	let (weights, others) = (bytes(&model, WEIGHTS), bytes(&model, OTHERS));
	let mut fetched = Vec::new();
	for seed in 20..27 {
		let (reply, bytes) = next(&handle, seed, &[]).await;
		assert_eq!(reply, RIGHT);
		fetched.push(bytes - own(&model));
	}
	assert_eq!(fetched, [weights + others, 0, 0, weights, 0, 0, weights]);
	// None is kept where there is no memory for it.
	let handle = started(|config| config.projection_cache_bytes = 0).await;
	for (seed, more) in [(30, weights + others), (31, weights)] {
		assert_eq!(next(&handle, seed, &[]).await, (RIGHT, own(&model) + more));
	}
	// Nor other constants where there is no disk.
	let handle = started(|config| config.table_spool_bytes = 0).await;
	for (seed, more) in [(40, weights + others), (41, others)] {
		assert_eq!(next(&handle, seed, &[]).await, (RIGHT, own(&model) + more));
	}
}

/// Weights are read again to name what is wrong. Whoever lied does not help itself by withholding them
/// then: the buyer has them as well.
#[tokio::test(flavor = "multi_thread")]
async fn a_lie_in_a_product_with_known_weights_is_found_and_proved() {
	let model = task(0);
	let buyer = buyer(&model).await;
	let places = [
		Place { node: 6, row: 0, col: 0 },
		Place { node: 6, row: 32, col: 79 },
		Place { node: 9, row: 17, col: 5 },
	];
	for (job, place) in (100..).zip(places) {
		let handle = started(|_| {}).await;
		assert_eq!(next(&handle, 50, &[]).await.0, RIGHT);
		let mut lie = task(51);
		lie.corrupt(place);
		let fault = lie.fault().unwrap();
		assert_eq!((fault.node, fault.row, fault.col), (place.node, place.row, place.col));
		let worker = worker(&lie, lie.inputs()).await;
		let told = request(&worker, job);
		let before = handle.metrics().bytes_fetched;
		assert_eq!(lie.proved(&told, &ask(&handle, &told).await), fault);
		// Those weights, and no other constant.
		let weights = if place.node == 6 { 1 } else { 5 };
		let fetched = handle.metrics().bytes_fetched - before;
		assert_eq!(fetched, own(&lie) + bytes(&lie, [weights]));

		without(&worker.store, &lie, 1..6);
		let mut withheld = request(&worker, job + 100);
		assert_eq!(ask(&handle, &withheld).await, AuditReply::Done(Finding::Unavailable));
		withheld.buyer = buyer.url.clone();
		withheld.audit.task.job += 100;
		assert_eq!(lie.proved(&withheld, &ask(&handle, &withheld).await), fault);
	}
}

/// A worker that serves other bytes for a constant than it committed to is found out though the right
/// ones are known: its root is another.
#[tokio::test(flavor = "multi_thread")]
async fn known_weights_do_not_vouch_for_others() {
	let handle = started(|_| {}).await;
	assert_eq!(next(&handle, 60, &[]).await.0, RIGHT);
	let honest = task(61);
	// Done rightly, with other weights.
	let mut nodes = honest.program.nodes().to_vec();
	let other: Tensor = i8_tensor(80, 96, 99);
	nodes[1] = constant(&other);
	let program = Program { nodes }.validate().unwrap();
	let mut given: std::collections::BTreeMap<u32, Tensor> =
		(0..6).map(|node| (node, honest.trace[node as usize].clone())).collect();
	given.insert(1, other);
	let done = Work::of(program, given);
	let lie = Work { program: honest.program, trace: done.trace, roots: done.roots };
	let fault = lie.fault().unwrap();
	assert_eq!(fault.node, 1);
	let worker = worker(&lie, lie.inputs()).await;
	let told = request(&worker, 1);
	assert_eq!(lie.proved(&told, &ask(&handle, &told).await), fault);
}
