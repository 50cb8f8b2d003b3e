//! What the tests share: a program of many operations, workers honest and not, and a client.
#![allow(dead_code)]

use assay_auditor::{Auditor, Config, Handle, Policy, Retry};
use assay_compute::{
	audit::{self, spot, Fault, MemorySource},
	execute,
	proof::{demand, verify, FraudProof, OpenNode, Statement},
	tensor_root, trace_root, Dtype, Node, Prepared, Program, Root, Shape, Tensor, Trace,
	ValidProgram,
};
use assay_data::{Limits, Server, Store};
use assay_primitives::{
	auditor::{AuditId, AuditReply, AuditRequest, Demanded, Finding, PATH},
	demand::{Wanted, MAX_SEAT_DEMANDS},
	work::{Claim, Commitment, Depth, Place, TaskId, Verdict},
};
use codec::{Decode, DecodeAll, Encode};
use std::{
	collections::BTreeMap,
	sync::Arc,
	time::{Duration, Instant},
};
use tempfile::TempDir;
use tokio::sync::Semaphore;

pub const DEPTHS: [Depth; 2] = [Depth::Projection, Depth::Replay];
/// How thoroughly a spot audit must look to see everything.
pub const EVERYWHERE: spot::Depth = spot::Depth { rows: 1_000, cols: 1_000 };

/// Bytes that follow from `seed`.
fn noise(count: u64, seed: u32) -> Vec<u8> {
	// Spread, so that neighbouring seeds give other bytes.
	let seed = seed.wrapping_mul(0x9E37_79B1);
	let byte = |i: u32| (i.wrapping_mul(0x85EB_CA6B).wrapping_add(seed) >> 11) as u8;
	(0..count as u32).map(byte).collect()
}

pub fn i8_tensor(rows: u32, cols: u32, seed: u32) -> Tensor {
	let shape = Shape::new(Dtype::I8, rows, cols);
	Tensor::new(shape, noise(shape.bytes(), seed)).unwrap()
}

pub fn i32_row(cols: u32, seed: u32) -> Tensor {
	let values: Vec<i32> = noise(cols.into(), seed).into_iter().map(|b| i32::from(b) + 1).collect();
	Tensor::from_i32(1, cols, &values).unwrap()
}

pub fn constant(tensor: &Tensor) -> Node {
	let Shape { dtype, rows, cols } = tensor.shape();
	Node::Const { dtype, rows, cols, root: tensor_root(tensor) }
}

/// A task done rightly: its program, all tensors of its trace and their roots.
pub struct Work {
	pub program: ValidProgram,
	pub trace: Vec<Tensor>,
	pub roots: Vec<Root>,
}

pub const ROWS: u32 = 21;

impl Work {
	/// Every kind of node that an audit treats in its own way.
	pub fn new() -> Self {
		let weights = i8_tensor(6, 8, 1);
		let (bias, mult) = (i32_row(6, 2), i32_row(6, 3));
		let (table, exps) = (i8_tensor(1, 256, 4), i32_row(256, 5));
		let nodes = vec![
			Node::Input { dtype: Dtype::I8, rows: ROWS, cols: 8 },
			constant(&weights),
			constant(&bias),
			constant(&mult),
			Node::MatmulT { a: 0, b: 1 },
			Node::Requant { x: 4, bias: 2, mult: 3, shift: 12 },
			Node::Fill { rows: 6, cols: 6, seed: [6; 32] },
			constant(&table),
			Node::Lut { x: 5, table: 7 },
			Node::MatmulT { a: 8, b: 6 },
			Node::Add { a: 9, b: 4 },
			constant(&exps),
			Node::RowSoftmax { x: 10, table: 11, mult: 3, shift: 8 },
			Node::RowNorm { x: 10, gain: 3, bias: 2, shift: 8 },
			Node::RowQuant { x: 13 },
			Node::Transpose { x: 14 },
			Node::Transpose { x: 15 },
			Node::ConcatCols { parts: vec![12, 16] },
			Node::SliceCols { x: 17, start: 2, len: 6 },
			Node::Mul { a: 18, b: 12 },
			Node::RowArgmax { x: 19 },
			Node::Gather { table: 1, index: 20 },
			Node::MatmulT { a: 21, b: 1 },
		];
		let program = Program { nodes }.validate().unwrap();
		let given = [i8_tensor(ROWS, 8, 9), weights, bias, mult, table, exps];
		let given: BTreeMap<u32, Tensor> = [0, 1, 2, 3, 7, 11].into_iter().zip(given).collect();
		Self::of(program, given)
	}

	/// Another program done rightly, on these inputs and constants.
	pub fn of(program: ValidProgram, given: BTreeMap<u32, Tensor>) -> Self {
		let trace = execute(&program, &given).unwrap().tensors;
		let roots = trace.iter().map(tensor_root).collect();
		Self { program, trace, roots }
	}

	/// What is wrong with it, by recomputing all of it.
	pub fn fault(&self) -> Option<Fault> {
		let claim = audit::Claim {
			input_roots: vec![self.roots[0]],
			output_root: self.roots[self.last()],
			trace_root: trace_root(&self.roots),
		};
		match audit::full(&self.program, &claim, &Trace { tensors: self.trace.clone() }) {
			audit::Verdict::Valid => None,
			audit::Verdict::Invalid(fault) => Some(fault),
			other => panic!("{other:?}"),
		}
	}

	/// What a proof that came for a request about it shows.
	pub fn proved(&self, request: &AuditRequest, reply: &AuditReply) -> Fault {
		let AuditReply::Done(Finding::Wrong(proof)) = reply else { panic!("{reply:?}") };
		let proof = FraudProof::decode_all(&mut &proof[..]).unwrap();
		let inputs: Vec<u32> = self.program.inputs().into_iter().map(|(node, _)| node).collect();
		let (id, claim) = (self.program.id(), claim(request));
		let nodes = self.program.len();
		let statement = Statement { program: &id, nodes, inputs: &inputs, claim: &claim };
		verify(&statement, &proof).unwrap()
	}

	/// A program that takes this many products of a gigaMAC after each other, and nothing to fetch
	/// for a replay. Tensors are not kept.
	pub fn long(products: u32) -> Self {
		let mut nodes = vec![Node::Fill { rows: 1024, cols: 1024, seed: [1; 32] }];
		for product in 0..products {
			let x = 2 * product;
			nodes.extend([Node::MatmulT { a: x, b: 0 }, Node::RowQuant { x: x + 1 }]);
		}
		let program = Program { nodes }.validate().unwrap();
		let mut roots = Vec::new();
		let prepared = Prepared::new(&program, BTreeMap::new()).unwrap();
		let mut sink = |_: u32, tensor: &Tensor| {
			roots.push(tensor_root(tensor));
			true
		};
		prepared.run(BTreeMap::new(), &mut sink).unwrap();
		drop(prepared);
		Self { program, trace: Vec::new(), roots }
	}

	/// The task's inputs as the chain has them.
	pub fn inputs(&self) -> Vec<assay_primitives::Root> {
		vec![self.roots[0].into()]
	}

	/// Makes an element of a node's committed tensor wrong.
	pub fn corrupt(&mut self, place: Place) {
		let Place { node, row, col } = place;
		let tensor = &self.trace[node as usize];
		let shape = tensor.shape();
		let at =
			u64::from(row) * u64::from(shape.row_bytes()) + u64::from(col * shape.dtype.size());
		let mut data = tensor.data().to_vec();
		data[at as usize] ^= 1;
		self.trace[node as usize] = Tensor::new(shape, data).unwrap();
		self.roots[node as usize] = tensor_root(&self.trace[node as usize]);
	}

	pub fn last(&self) -> usize {
		self.roots.len() - 1
	}
}

/// A worker's data plane and what it claims.
pub struct Worker {
	pub dir: TempDir,
	pub store: Store,
	pub url: String,
	pub claim: Claim,
}

/// A worker that serves this work, for a task with these inputs.
pub async fn worker(work: &Work, inputs: Vec<assay_primitives::Root>) -> Worker {
	let dir = tempfile::tempdir().unwrap();
	let store = Store::open(dir.path()).unwrap();
	let program = store.put_program(&work.program.encode()).unwrap();
	for tensor in &work.trace {
		store.put_tensor(tensor).unwrap();
	}
	// An honest store also has what the program declares.
	let honest = Work::new();
	for tensor in &honest.trace {
		store.put_tensor(tensor).unwrap();
	}
	store.put_trace(&work.roots).unwrap();
	let url = serve(&store).await;
	let output_root = work.roots[work.last()].into();
	let trace_root = Some(trace_root(&work.roots).into());
	let commitment = Commitment { output_root, trace_root };
	let claim = Claim { program: program.into(), inputs, commitment };
	Worker { dir, store, url, claim }
}

/// Serves a store.
async fn serve(store: &Store) -> String {
	let limits = Limits::default();
	let server = Server::bind("127.0.0.1:0".parse().unwrap(), store.clone(), limits).await.unwrap();
	let url = format!("http://{}", server.local_addr().unwrap());
	tokio::spawn(server.run(std::future::pending()));
	url
}

/// A data plane, for as long as its folder is kept.
pub struct Plane {
	pub dir: TempDir,
	pub store: Store,
	pub url: Vec<u8>,
}

/// A data plane that has nothing.
pub async fn nothing() -> Plane {
	let dir = tempfile::tempdir().unwrap();
	let store = Store::open(dir.path()).unwrap();
	let url = serve(&store).await.into_bytes();
	Plane { dir, store, url }
}

/// A buyer that serves what its tasks are computed from.
pub async fn buyer(work: &Work) -> Plane {
	let plane = nothing().await;
	plane.store.put_program(&work.program.encode()).unwrap();
	for (node, tensor) in work.program.nodes().iter().zip(&work.trace) {
		if matches!(node, Node::Input { .. } | Node::Const { .. }) {
			plane.store.put_tensor(tensor).unwrap();
		}
	}
	plane
}

impl Worker {
	pub fn request(&self, depth: Depth) -> AuditRequest {
		AuditRequest {
			audit: AuditId {
				task: TaskId { job: 1, index: 2 },
				submitted_at: 90,
				provider: b"provider".to_vec(),
				claim: self.claim.clone(),
				depth,
			},
			endpoint: self.url.clone().into_bytes(),
			buyer: Vec::new(),
			answers: Vec::new(),
			now: 100,
			deadline: 200,
			keep_for: 1_000,
		}
	}
}

/// A worker that accepts connections and never answers.
pub async fn silent() -> (tokio::net::TcpListener, Vec<u8>) {
	let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
	let url = format!("http://{}", listener.local_addr().unwrap());
	(listener, url.into_bytes())
}

/// Leads to a worker that has so many connections to spare, each of which takes a while to answer; a
/// further one is closed at once.
pub async fn narrow(worker: &Worker, connections: usize) -> Vec<u8> {
	let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
	let url = format!("http://{}", listener.local_addr().unwrap());
	let behind = worker.url.strip_prefix("http://").unwrap().to_owned();
	let free = Arc::new(Semaphore::new(connections));
	tokio::spawn(async move {
		while let Ok((mut stream, _)) = listener.accept().await {
			let (Ok(seat), behind) = (free.clone().try_acquire_owned(), behind.clone()) else {
				continue;
			};
			tokio::spawn(async move {
				let _seat = seat;
				tokio::time::sleep(Duration::from_millis(200)).await;
				let mut behind = tokio::net::TcpStream::connect(behind).await.unwrap();
				let _ = tokio::io::copy_bidirectional(&mut stream, &mut behind).await;
			});
		}
	});
	url.into_bytes()
}

/// Waits until it is so.
pub async fn until(mut so: impl FnMut() -> bool) {
	let end = Instant::now() + Duration::from_secs(60);
	while !so() {
		assert!(Instant::now() < end, "it never came to be so");
		tokio::time::sleep(Duration::from_millis(5)).await;
	}
}

/// Settings for loopback, and for little patience.
pub fn config() -> Config {
	Config {
		fetch: Policy {
			allow_local: true,
			idle_timeout: Duration::from_millis(500),
			..Policy::default()
		},
		retry: Retry { attempts: 2, pause: Duration::from_millis(20), insist: true },
		fetch_time: Duration::from_secs(20),
		block_time: Duration::from_secs(1),
		..Config::default()
	}
}

pub async fn auditor() -> Handle {
	Auditor::start(config()).await.unwrap()
}

/// One call.
pub async fn post(handle: &Handle, request: &AuditRequest) -> AuditReply {
	let call = reqwest::Client::new().post(format!("{}{PATH}", handle.url));
	let response = call.bearer_auth(&handle.token).body(request.encode()).send().await.unwrap();
	assert_eq!(response.status(), 200);
	AuditReply::decode(&mut &response.bytes().await.unwrap()[..]).unwrap()
}

/// Asks until there is an answer.
pub async fn ask(handle: &Handle, request: &AuditRequest) -> AuditReply {
	let end = Instant::now() + Duration::from_secs(60);
	loop {
		match post(handle, request).await {
			AuditReply::Pending if Instant::now() < end => {
				tokio::time::sleep(Duration::from_millis(10)).await
			}
			reply => return reply,
		}
	}
}

/// Asks and expects a verdict. A lie must come with a proof that holds.
pub async fn verdict(handle: &Handle, request: &AuditRequest) -> Verdict {
	judged(request, ask(handle, request).await)
}

/// The verdict that a reply gives.
pub fn judged(request: &AuditRequest, reply: AuditReply) -> Verdict {
	match reply {
		AuditReply::Done(Finding::Right) => Verdict::Valid,
		AuditReply::Done(Finding::Unavailable) => Verdict::Unavailable,
		AuditReply::Done(Finding::Wrong(proof)) => Verdict::Invalid(proved(request, &proof)),
		other => panic!("{other:?}"),
	}
}

/// Asks and expects that something is demanded: what there is, as the chain sees it.
pub async fn demanded(handle: &Handle, request: &AuditRequest) -> Wanted {
	owed(request, &ask(handle, request).await)
}

/// What a reply demands.
pub fn owed(request: &AuditRequest, reply: &AuditReply) -> Wanted {
	let AuditReply::Demand(Demanded { wanted, opened }) = reply else { panic!("{reply:?}") };
	let Some(place) = wanted.place() else {
		assert!(opened.is_empty() && request.audit.claim.commitment.trace_root.is_none());
		return *wanted;
	};
	let node = match &opened[..] {
		[] => None,
		bytes => Some(OpenNode::decode_all(&mut &bytes[..]).unwrap()),
	};
	stated(request, |statement| place.check(statement, node.as_ref())).unwrap();
	*wanted
}

/// Opens what is demanded, as a worker does that has committed to `work`.
pub fn opened(request: &AuditRequest, work: &Work, wanted: Wanted) -> Vec<u8> {
	let place = wanted.place().unwrap();
	let mut trace = MemorySource::new(&Trace { tensors: work.trace.clone() });
	let opening = demand::open(&work.program, &claim(request), &place, &mut trace).unwrap();
	opening.encode()
}

/// Goes on for as long as something is demanded, which `work` opens. Says what was.
pub async fn walked(
	handle: &Handle,
	request: &mut AuditRequest,
	work: &Work,
) -> (AuditReply, Vec<Wanted>) {
	let mut all = Vec::new();
	loop {
		let reply = ask(handle, request).await;
		if !matches!(reply, AuditReply::Demand(_)) {
			return (reply, all);
		}
		let wanted = owed(request, &reply);
		assert!(all.len() < MAX_SEAT_DEMANDS as usize, "{all:?} and {wanted:?}");
		request.answers.push(opened(request, work, wanted));
		// Waiting for the answer and for the verdict puts the end of the round off.
		request.deadline += 100;
		all.push(wanted);
	}
}

/// What is claimed of a trace.
fn claim(request: &AuditRequest) -> audit::Claim {
	let claim = &request.audit.claim;
	audit::Claim {
		input_roots: claim.inputs.iter().map(|root| root.0).collect(),
		output_root: claim.commitment.output_root.0,
		trace_root: claim.commitment.trace_root.expect("committed to").0,
	}
}

/// Asks the chain. The program is the one of [`Work::new`].
fn stated<T>(request: &AuditRequest, ask: impl FnOnce(&Statement<'_>) -> T) -> T {
	let program = Work::new().program;
	let inputs: Vec<u32> = program.inputs().into_iter().map(|(node, _)| node).collect();
	let (id, claim) = (&request.audit.claim.program.0, claim(request));
	ask(&Statement { program: id, nodes: program.len(), inputs: &inputs, claim: &claim })
}

/// Where a proof shows that what is audited is wrong. The program is the one of [`Work::new`].
fn proved(request: &AuditRequest, proof: &[u8]) -> Place {
	let proof = FraudProof::decode_all(&mut &proof[..]).unwrap();
	let Fault { node, row, col, .. } = stated(request, |known| verify(known, &proof)).unwrap();
	Place { node, row, col }
}
