//! How fast this machine executes: measured when it starts, corrected by what its tasks then take.

use crate::backend::{Backend, BackendError, Cancel};
use assay_compute::{Costs, Dtype, Node, Program, Shape, Tensor, Trace, ValidProgram};
use assay_data::{Store, StoreError};
use std::{
	collections::BTreeMap,
	fmt, io,
	path::Path,
	sync::{Mutex, MutexGuard, PoisonError},
	time::{Duration, Instant},
};

/// Time for which each rate is measured, after a first run that does not count.
const MEASURE: Duration = Duration::from_millis(150);
/// What any task takes, however small: files are opened, and forced to the disk.
const OVERHEAD: Duration = Duration::from_millis(250);
/// What each tensor of a trace takes, however small: a file of its own, forced to the disk.
const PER_TENSOR: Duration = Duration::from_millis(2);
/// Least time beyond that from which anything is learnt: of what is shorter, most is chance.
const LEAST: Duration = Duration::from_secs(1);
/// Weight of the last task in the correction.
const WEIGHT: f64 = 0.25;
/// Most by which one task corrects, either way.
const MOST: f64 = 3.0;
/// Time in which half of the correction is forgotten: who declines everything learns nothing.
const HALF_LIFE: Duration = Duration::from_secs(600);
/// Longest estimate: beyond any deadline.
const FOREVER: f64 = 1e9;

/// How much a task is.
#[derive(Clone, Copy, Debug)]
pub struct Load {
	/// Operations and bytes.
	pub costs: Costs,
	/// Tensors of the trace.
	pub tensors: u32,
}

impl From<&ValidProgram> for Load {
	fn from(program: &ValidProgram) -> Self {
		Self { costs: *program.costs(), tensors: program.len() }
	}
}

/// What is done in a second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rates {
	/// Multiply–accumulates.
	pub macs: f64,
	/// Elements of other operations.
	pub elements: f64,
	/// Bytes of trace committed to and stored.
	pub bytes: f64,
}

impl fmt::Display for Rates {
	fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
		let Self { macs, elements, bytes } = self;
		let [gmacs, melements, mbytes] = [macs / 1e9, elements / 1e6, bytes / 1e6];
		write!(f, "{gmacs:.2} GMAC/s, {melements:.1} Melement/s, {mbytes:.1} MB/s of trace kept")
	}
}

/// Why the rates could not be measured.
#[derive(Debug, thiserror::Error)]
pub enum MeasureError {
	/// The programs for it are not valid, which is a bug.
	#[error("the programs that measure are wrong: {0}")]
	Program(String),
	/// The backend failed.
	#[error("the backend failed: {0}")]
	Backend(#[from] BackendError),
	/// The folder cannot be written.
	#[error("the folder cannot be written: {0}")]
	Io(#[from] io::Error),
	/// The store failed.
	#[error(transparent)]
	Store(#[from] StoreError),
}

/// Estimates how long tasks take.
pub struct Speed {
	rates: Rates,
	correction: Mutex<Correction>,
}

/// Time that tasks took beyond the overhead, as a multiple of what the rates promise.
struct Correction {
	factor: f64,
	learnt: Instant,
}

impl Correction {
	/// What is left of it.
	fn now(&self) -> f64 {
		let halves = self.learnt.elapsed().as_secs_f64() / HALF_LIFE.as_secs_f64();
		1.0 + (self.factor - 1.0) * 0.5f64.powf(halves)
	}
}

impl Speed {
	/// A machine of those rates.
	pub fn new(rates: Rates) -> Self {
		let correction = Correction { factor: 1.0, learnt: Instant::now() };
		Self { rates, correction: Mutex::new(correction) }
	}

	/// The rates to begin with.
	pub fn rates(&self) -> Rates {
		self.rates
	}

	/// Time to execute, commit and store a task.
	pub fn estimate(&self, load: &Load) -> Duration {
		let promised = self.promised(load).as_secs_f64();
		overhead(load) + Duration::from_secs_f64((promised * self.lock().now()).min(FOREVER))
	}

	/// A task took that long. Only what the rates promise is corrected: a small task, which takes
	/// little beyond the overhead, says nothing of a large one.
	pub fn learn(&self, load: &Load, took: Duration) {
		let promised = self.promised(load);
		if promised < LEAST {
			return;
		}
		let took = took.saturating_sub(overhead(load));
		let ratio = took.as_secs_f64() / promised.as_secs_f64();
		let mut correction = self.lock();
		let before = correction.now();
		let factor = before + WEIGHT * (ratio.clamp(1.0 / MOST, MOST) - before);
		*correction = Correction { factor, learnt: Instant::now() };
	}

	/// Time beyond the overhead.
	fn promised(&self, load: &Load) -> Duration {
		let costs = &load.costs;
		let Rates { macs, elements, bytes } = self.rates;
		let part = |cost: u128, rate: f64| cost as f64 / rate.max(f64::MIN_POSITIVE);
		let sum = part(costs.macs, macs)
			+ part(costs.elements, elements)
			+ part(costs.trace_bytes, bytes);
		Duration::from_secs_f64(sum.min(FOREVER))
	}

	fn lock(&self) -> MutexGuard<'_, Correction> {
		self.correction.lock().unwrap_or_else(PoisonError::into_inner)
	}
}

/// What a task takes however little there is to compute.
fn overhead(load: &Load) -> Duration {
	OVERHEAD + PER_TENSOR * load.tensors
}

/// What is taken for the rates where they cannot be measured: a slow machine's.
pub const CAUTIOUS: Rates = Rates { macs: 1e9, elements: 1e7, bytes: 1e7 };

/// Measures a backend, and the disk of a folder, for half a second or so. Blocks.
pub fn measure(backend: &dyn Backend, dir: &Path) -> Result<Rates, MeasureError> {
	let products = valid(vec![
		Node::Input { dtype: Dtype::I8, rows: 256, cols: 1024 },
		Node::Input { dtype: Dtype::I8, rows: 512, cols: 1024 },
		Node::MatmulT { a: 0, b: 1 },
	])?;
	let sums = valid(vec![
		Node::Input { dtype: Dtype::I32, rows: 256, cols: 1024 },
		Node::Add { a: 0, b: 0 },
		Node::Add { a: 1, b: 0 },
	])?;
	let (factors, terms) = (inputs(&products)?, inputs(&sums)?);
	let execute = |program: &ValidProgram, inputs: &BTreeMap<u32, Tensor>| {
		backend.execute(program, inputs, &Cancel::default())
	};
	let macs = rate(products.costs().macs, || Ok(execute(&products, &factors).map(drop)?))?;
	let elements = rate(sums.costs().elements, || Ok(execute(&sums, &terms).map(drop)?))?;

	let folder = tempfile::Builder::new().prefix(".measure-").tempdir_in(dir)?;
	let store = Store::open(folder.path())?;
	let mut tensors = execute(&sums, &terms)?.tensors;
	let mut turn = 0u16;
	let bytes = rate(sums.costs().trace_bytes, || {
		// Other bytes each time: the store writes nothing twice.
		turn = turn.wrapping_add(1);
		for tensor in &mut tensors {
			*tensor = marked(tensor, turn)?;
		}
		let trace = Trace { tensors: std::mem::take(&mut tensors) };
		let roots = trace.commit_executed(&sums).tensor_roots;
		tensors = trace.tensors;
		Ok(store.put_tensors(roots.into_iter().zip(&tensors))?)
	})?;
	Ok(Rates { macs, elements, bytes })
}

/// How much of something is done in a second, of which each run does `work`.
fn rate(
	work: u128,
	mut run: impl FnMut() -> Result<(), MeasureError>,
) -> Result<f64, MeasureError> {
	run()?;
	let (begun, mut runs) = (Instant::now(), 0u32);
	while begun.elapsed() < MEASURE {
		run()?;
		runs += 1;
	}
	Ok(work as f64 * f64::from(runs) / begun.elapsed().as_secs_f64())
}

fn valid(nodes: Vec<Node>) -> Result<ValidProgram, MeasureError> {
	Program { nodes }.validate().map_err(|error| MeasureError::Program(error.to_string()))
}

fn inputs(program: &ValidProgram) -> Result<BTreeMap<u32, Tensor>, MeasureError> {
	let inputs = program.inputs().into_iter();
	inputs.map(|(node, shape)| Ok((node, noise(shape, node as u8)?))).collect()
}

/// The tensor with other bytes at its beginning.
fn marked(tensor: &Tensor, mark: u16) -> Result<Tensor, MeasureError> {
	let mut bytes = tensor.data().to_vec();
	for (byte, mark) in bytes.iter_mut().zip(mark.to_le_bytes()) {
		*byte = mark;
	}
	made(tensor.shape(), bytes)
}

/// Bytes without a pattern that anything could save work by.
fn noise(shape: Shape, seed: u8) -> Result<Tensor, MeasureError> {
	let mut state = u32::from(seed).wrapping_add(1).wrapping_mul(0x9E37_79B1);
	let bytes = (0..shape.bytes()).map(|_| {
		state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
		(state >> 24) as u8
	});
	made(shape, bytes.collect())
}

fn made(shape: Shape, bytes: Vec<u8>) -> Result<Tensor, MeasureError> {
	Tensor::new(shape, bytes).map_err(|error| MeasureError::Program(error.to_string()))
}
