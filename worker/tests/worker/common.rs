//! A buyer on loopback, a backend that counts, and workers to start, stop and kill.

use crate::chain::FakeChain;
use assay_compute::{
	audit, tensor_root, Dtype, Node, Program, Root, Shape, Tensor, Trace, ValidProgram,
};
use assay_data::{Fetcher, Limits, Policy, Store};
use assay_primitives::work::TaskId;
use assay_worker::{
	backend::{Backend, BackendError, Cancel, Cpu},
	config::{Config, File, Times},
	speed::{Rates, Speed},
	stop::{self, Stopper},
	worker::Worker,
};
use std::{
	collections::BTreeMap,
	future::Future,
	path::Path,
	sync::{
		atomic::{AtomicBool, AtomicUsize, Ordering},
		Arc,
	},
	time::{Duration, Instant},
};
use tempfile::TempDir;
use tokio::task::JoinHandle;

/// An i8 tensor of bytes that follow from `seed`.
pub fn tensor(rows: u32, cols: u32, seed: u32) -> Tensor {
	let byte = |i: u32| (i.wrapping_mul(2654435761).wrapping_add(seed * 77_777) >> 11) as u8;
	Tensor::new(Shape::new(Dtype::I8, rows, cols), (0..rows * cols).map(byte).collect()).unwrap()
}

pub fn weights() -> Tensor {
	tensor(6, 8, 1)
}

/// Two inputs, a const, and operations that an audit treats in different ways.
pub fn program() -> ValidProgram {
	let nodes = vec![
		Node::Input { dtype: Dtype::I8, rows: 5, cols: 8 },
		Node::Const { dtype: Dtype::I8, rows: 6, cols: 8, root: tensor_root(&weights()) },
		Node::MatmulT { a: 0, b: 1 },
		Node::RowQuant { x: 2 },
		Node::Transpose { x: 3 },
		Node::Transpose { x: 4 },
		Node::Input { dtype: Dtype::I8, rows: 3, cols: 6 },
		Node::MatmulT { a: 5, b: 6 },
		Node::Add { a: 7, b: 7 },
		Node::RowArgmax { x: 8 },
	];
	Program { nodes }.validate().unwrap()
}

/// The inputs of one task.
pub fn inputs(task: u32) -> [Tensor; 2] {
	[tensor(5, 8, 100 + task), tensor(3, 6, 200 + task)]
}

/// A buyer's store, served on loopback.
pub struct Buyer {
	pub store: Store,
	pub url: String,
	pub program: ValidProgram,
	pub lists: Vec<Vec<Root>>,
	_dir: TempDir,
}

impl Buyer {
	/// With everything for that many tasks.
	pub async fn new(tasks: u32) -> Self {
		let dir = tempfile::tempdir().unwrap();
		let store = Store::open(dir.path()).unwrap();
		let program = program();
		store.put_program(&program.encode()).unwrap();
		store.put_tensor(&weights()).unwrap();
		let put = |tensor: &Tensor| store.put_tensor(tensor).unwrap();
		let lists = (0..tasks).map(|task| inputs(task).iter().map(put).collect()).collect();
		let url = serve(assay_data::router(store.clone())).await;
		let buyer = Self { store, url, program, lists, _dir: dir };
		buyer.store.put_tasks(&buyer.lists).unwrap();
		buyer
	}

	pub fn tasks_root(&self) -> Root {
		assay_compute::tasks_root(&self.lists)
	}

	/// Posts its job, offered to the provider.
	pub fn post(&self, chain: &FakeChain) -> Vec<TaskId> {
		self.post_at(chain, &self.url)
	}

	pub fn post_at(&self, chain: &FakeChain, url: &str) -> Vec<TaskId> {
		let count = self.lists.len() as u32;
		chain.post(self.program.id().into(), self.tasks_root().into(), count, url)
	}

	/// Tensors that its tasks need.
	pub fn given(&self, task: u32) -> BTreeMap<u32, Tensor> {
		let [first, second] = inputs(task);
		[(0, first), (1, weights()), (6, second)].into()
	}

	/// Removes a tensor, as if it had never been there.
	pub fn lose(&self, root: &Root) {
		let path = self.store.dir().join("tensors").join(hex::encode(root));
		std::fs::remove_file(path).unwrap();
	}
}

pub async fn serve(router: axum::Router) -> String {
	let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
	let url = format!("http://{}", listener.local_addr().unwrap());
	tokio::spawn(assay_data::server::serve_router(
		listener,
		router,
		Limits::default(),
		std::future::pending(),
	));
	url
}

/// The CPU, counting executions, and waiting for leave if it is held up.
pub struct Counting {
	cpu: Cpu,
	pub begun: AtomicUsize,
	pub ended: AtomicUsize,
	pub held_up: AtomicBool,
}

impl Backend for Counting {
	fn name(&self) -> String {
		"tests".into()
	}

	fn execute(
		&self,
		program: &ValidProgram,
		tensors: &BTreeMap<u32, Tensor>,
		cancel: &Cancel,
	) -> Result<Trace, BackendError> {
		self.begun.fetch_add(1, Ordering::SeqCst);
		while self.held_up.load(Ordering::SeqCst) {
			if cancel.is_cancelled() {
				return Err(BackendError::Cancelled);
			}
			std::thread::sleep(Duration::from_millis(5));
		}
		let trace = self.cpu.execute(program, tensors, cancel)?;
		self.ended.fetch_add(1, Ordering::SeqCst);
		Ok(trace)
	}
}

/// A worker's folder and settings, which outlive any one start.
pub struct Rig {
	pub config: Config,
	pub chain: FakeChain,
	pub backend: Arc<Counting>,
	/// What the worker believes of its speed.
	pub rates: Rates,
	dir: TempDir,
}

impl Rig {
	pub fn new() -> Self {
		Self::on(FakeChain::new())
	}

	pub fn on(chain: FakeChain) -> Self {
		let dir = tempfile::tempdir().unwrap();
		let file = File {
			data_dir: Some(dir.path().into()),
			listen: Some("127.0.0.1:0".parse().unwrap()),
			allow_local: Some(true),
			..File::default()
		};
		let mut config = Config::load(None, file).unwrap();
		let ms = Duration::from_millis;
		config.times = Times {
			fetch: Duration::from_secs(20),
			poll: ms(50),
			pause: ms(20),
			longest_pause: ms(100),
			settle: Duration::from_secs(20),
			collect: ms(50),
			collect_age: Duration::ZERO,
			grace: ms(500),
			..config.times
		};
		let backend = Arc::new(Counting {
			cpu: Cpu::new(2).unwrap(),
			begun: AtomicUsize::new(0),
			ended: AtomicUsize::new(0),
			held_up: AtomicBool::new(false),
		});
		let rates = Rates { macs: 1e9, elements: 1e9, bytes: 1e9 };
		Self { config, chain, backend, rates, dir }
	}

	pub fn dir(&self) -> &Path {
		self.dir.path()
	}

	pub fn executions(&self) -> usize {
		self.backend.ended.load(Ordering::SeqCst)
	}

	pub fn store(&self) -> Store {
		Store::open(self.config.store_dir()).unwrap()
	}

	pub async fn open(&self) -> anyhow::Result<(Worker<FakeChain>, Stopper)> {
		let (stopper, stop) = stop::channel();
		let (chain, backend) = (self.chain.clone(), self.backend.clone());
		let speed = Speed::new(self.rates);
		let worker = Worker::open(&self.config, chain, backend, speed, stop).await?;
		Ok((worker, stopper))
	}

	pub async fn start(&self) -> Running {
		let (worker, stopper) = self.open().await.unwrap();
		let url = format!("http://{}", worker.local_addr().unwrap());
		Running { url, stopper, handle: tokio::spawn(worker.run()) }
	}
}

pub struct Running {
	pub url: String,
	stopper: Stopper,
	handle: JoinHandle<anyhow::Result<()>>,
}

impl Running {
	pub async fn stop(self) {
		self.stopper.stop();
		self.handle.await.unwrap().unwrap();
	}

	/// Ends it with no chance to do anything.
	pub async fn kill(self) {
		self.handle.abort();
		assert!(self.handle.await.unwrap_err().is_cancelled());
		// Its tasks are cancelled with it, each in its own time.
		a_while().await;
	}
}

/// Waits for something to become so.
pub async fn until(what: &str, mut so: impl FnMut() -> bool) {
	let end = Instant::now() + Duration::from_secs(30);
	while !so() {
		assert!(Instant::now() < end, "never so: {what}");
		tokio::time::sleep(Duration::from_millis(5)).await;
	}
}

/// Gives the worker time to do what it should not.
pub async fn a_while() {
	tokio::time::sleep(Duration::from_millis(300)).await;
}

pub fn fetcher() -> Fetcher {
	Fetcher::new(Policy { allow_local: true, ..Policy::default() })
}

/// All of a task's committed trace, fetched as an auditor does.
pub async fn fetch_trace(url: &str, program: &ValidProgram, claim: &audit::Claim) -> Trace {
	let fetcher = fetcher();
	let roots = fetcher.trace(url, &claim.trace_root, program.len()).await.unwrap();
	let mut tensors = Vec::new();
	for (root, shape) in roots.iter().zip(program.shapes()) {
		tensors.push(fetcher.tensor(url, root, *shape).await.unwrap());
	}
	Trace { tensors }
}

/// What the chain shows as claimed for a task.
pub fn claim(chain: &FakeChain, task: TaskId) -> audit::Claim {
	let view = chain.view(task);
	let commitment = view.commitment.unwrap();
	audit::Claim {
		input_roots: view.inputs.iter().map(|root| root.0).collect(),
		output_root: commitment.output_root.0,
		trace_root: commitment.trace_root.expect("committed to").0,
	}
}

/// Runs a test on several threads.
pub fn block_on(test: impl Future<Output = ()>) {
	let runtime =
		tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
	runtime.block_on(test);
	runtime.shutdown_timeout(Duration::from_secs(1));
}
