//! What verification costs, as ratios to the work itself, one thread each, all measured in one run.
//!
//! ```text
//! verification [--json] [--quick]     --quick leaves out the largest product
//! ```
//!
//! A goal that is missed is printed as missed. Figures mean something on a quiet machine only: the
//! load before the run is printed with them.

use assay_compute::{
	audit::{
		projection, spot, Claim, Fault, FaultKind, Kept, MemorySource, OpenRow, TraceSource,
		Verdict,
	},
	matmul::Kernel,
	proof::prove,
	Commitment, Dtype, Node, Prepared, Program, Root, Shape, Tensor, Trace, ValidProgram,
};
use codec::Encode;
use serde_json::{json, Value};
use std::{collections::BTreeMap, hint::black_box, process::ExitCode, time::Instant};

/// Runs of the small products and of the large ones; the best of them counts.
const RUNS: usize = 7;
const LARGE_RUNS: usize = 3;
/// From this side on a product is large.
const LARGE: u32 = 4_096;

fn main() -> ExitCode {
	let arguments: Vec<String> = std::env::args().skip(1).collect();
	let has = |name: &str| arguments.iter().any(|argument| argument == name);
	if arguments.iter().any(|argument| argument != "--json" && argument != "--quick") {
		eprintln!("usage: verification [--json] [--quick]");
		return ExitCode::FAILURE;
	}
	let load = load_average();
	let pool =
		rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool of one thread");
	let figures = pool.install(|| measure(has("--quick")));
	if has("--json") {
		let figures: Vec<Value> = figures.iter().map(Figure::json).collect();
		let kernel = Kernel::detect().name();
		println!(
			"{}",
			json!({ "compute": { "kernel": kernel, "load": load, "figures": figures } })
		);
		return ExitCode::SUCCESS;
	}
	println!(
		"compute: one thread, kernel {}, load before {}",
		Kernel::detect().name(),
		load.map_or("unknown".into(), |load| load.to_string())
	);
	println!("{:<58}{:>12}{:>14}   ", "", "measured", "goal");
	for figure in &figures {
		println!("{figure}");
	}
	ExitCode::SUCCESS
}

/// The load of the last minute.
fn load_average() -> Option<f64> {
	std::fs::read_to_string("/proc/loadavg").ok()?.split_whitespace().next()?.parse().ok()
}

/// One measured value.
struct Figure {
	name: String,
	value: f64,
	goal: Goal,
}

#[derive(Clone, Copy)]
enum Goal {
	AtMost(f64),
	AtLeast(f64),
	/// Printed to make sense of the others.
	None,
}

impl Figure {
	fn new(name: impl Into<String>, value: f64, goal: Goal) -> Self {
		Figure { name: name.into(), value, goal }
	}

	fn met(&self) -> Option<bool> {
		match self.goal {
			Goal::AtMost(goal) => Some(self.value <= goal),
			Goal::AtLeast(goal) => Some(self.value >= goal),
			Goal::None => None,
		}
	}

	fn json(&self) -> Value {
		let mut json = json!({ "name": self.name, "value": rounded(self.value) });
		match self.goal {
			Goal::AtMost(goal) => json["at_most"] = rounded(goal).into(),
			Goal::AtLeast(goal) => json["at_least"] = rounded(goal).into(),
			Goal::None => {}
		}
		if let Some(met) = self.met() {
			json["met"] = met.into();
		}
		json
	}
}

impl std::fmt::Display for Figure {
	fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
		let goal = match self.goal {
			Goal::AtMost(goal) => format!("<= {}", rounded(goal)),
			Goal::AtLeast(goal) => format!(">= {}", rounded(goal)),
			Goal::None => String::new(),
		};
		let met = self.met().map_or("", |met| if met { "met" } else { "MISSED" });
		write!(f, "{:<58}{:>12}{goal:>14}   {met}", self.name, rounded(self.value))
	}
}

fn rounded(value: f64) -> f64 {
	(value * 10_000.0).round() / 10_000.0
}

fn measure(quick: bool) -> Vec<Figure> {
	let mut figures = Vec::new();
	let sizes = [(1_024, 3.0), (2_048, 0.0), (4_096, 12.0), (8_192, 30.0)];
	for (n, goal) in sizes.into_iter().filter(|(n, _)| !quick || *n < 8_192) {
		let product = Product::new(n, n);
		let times = product.times();
		let mut add = |what: &str, value: f64, goal: Goal| {
			figures.push(Figure::new(format!("{what}, n = {n}"), value, goal));
		};
		add("execution, ms", times.execution * 1e3, Goal::None);
		if goal > 0.0 {
			let ratio = times.projection / times.execution;
			add("projection / execution", ratio, Goal::AtMost(1.0 / goal));
			let rate = product.bytes() as f64 / times.projection;
			add("projection bytes/s / memcpy bytes/s", rate / times.memcpy, Goal::AtLeast(0.5));
		}
		let overhead = (times.execution + times.commitment) / times.execution;
		match n {
			2_048 => add("(execution + commitment) / execution", overhead, Goal::AtMost(1.15)),
			4_096 => {
				add("(execution + commitment) / execution", overhead, Goal::AtMost(1.08));
				figures.extend(proofs(&product));
			}
			_ => {}
		}
	}
	figures.extend(kept());
	figures
}

/// Bytes without a pattern.
fn noise(len: usize, seed: u8) -> Vec<u8> {
	let mut bytes = vec![0; len];
	blake3::Hasher::new().update(&[seed]).finalize_xof().fill(&mut bytes);
	bytes
}

fn tensor(shape: Shape, seed: u8) -> Tensor {
	Tensor::new(shape, noise(shape.bytes() as usize, seed)).expect("bytes of the shape")
}

fn seconds<T>(work: impl FnOnce() -> T) -> (f64, T) {
	let start = Instant::now();
	let made = work();
	(start.elapsed().as_secs_f64(), made)
}

/// One product of `rows` rows of a task's activations with n × n weights.
struct Product {
	n: u32,
	program: ValidProgram,
	consts: BTreeMap<u32, Tensor>,
	inputs: BTreeMap<u32, Tensor>,
}

/// Seconds, but for the rate.
struct Times {
	execution: f64,
	commitment: f64,
	projection: f64,
	/// Bytes copied in a second.
	memcpy: f64,
}

impl Product {
	fn new(rows: u32, n: u32) -> Self {
		let (input, weights) = (Shape::new(Dtype::I8, rows, n), Shape::new(Dtype::I8, n, n));
		let (x, w) = (tensor(input, 1), tensor(weights, 2));
		let nodes = vec![
			Node::Input { dtype: Dtype::I8, rows, cols: n },
			Node::Const {
				dtype: Dtype::I8,
				rows: n,
				cols: n,
				root: assay_compute::tensor_root(&w),
			},
			Node::MatmulT { a: 0, b: 1 },
		];
		let program = Program { nodes }.validate().expect("a valid program");
		Product { n, program, consts: [(1, w)].into(), inputs: [(0, x)].into() }
	}

	/// Bytes of A, B and C.
	fn bytes(&self) -> usize {
		self.program.shapes().iter().map(|shape| shape.bytes() as usize).sum()
	}

	fn runs(&self) -> usize {
		if self.n < LARGE {
			RUNS
		} else {
			LARGE_RUNS
		}
	}

	fn prepared(&self) -> Prepared<'_> {
		Prepared::new(&self.program, self.consts.clone()).expect("consts of the program")
	}

	/// The best of several turns, in which everything is measured once.
	fn times(&self) -> Times {
		let prepared = self.prepared();
		let from = vec![1u8; self.bytes()];
		let mut to = vec![2u8; self.bytes()];
		let mut best =
			Times { execution: f64::MAX, commitment: f64::MAX, projection: f64::MAX, memcpy: 0.0 };
		for run in 0..self.runs() {
			let (execution, trace) = seconds(|| {
				prepared.execute(self.inputs.clone(), &mut ()).expect("a valid program")
			});
			let (commitment, made) = seconds(|| trace.commit_executed(&self.program));
			let claim = claim(&made);
			let secret = [run as u8; 32];
			let (projection, verdict) = seconds(|| {
				let roots = &made.tensor_roots;
				projection::audit_verified(&self.program, &claim, &trace, roots, &secret)
			});
			assert_eq!(verdict, Verdict::Valid);
			let (memcpy, _) = seconds(|| black_box(&mut to[..]).copy_from_slice(black_box(&from)));
			best.execution = best.execution.min(execution);
			best.commitment = best.commitment.min(commitment);
			best.projection = best.projection.min(projection);
			best.memcpy = best.memcpy.max(self.bytes() as f64 / memcpy);
		}
		best
	}
}

fn claim(commitment: &Commitment) -> Claim {
	Claim::new(vec![commitment.tensor_roots[0]], commitment)
}

/// Rows of 16 tasks against weights whose projection is kept.
fn kept() -> Vec<Figure> {
	let (rows, n) = (16, 4_096);
	let product = Product::new(rows, n);
	let prepared = product.prepared();
	let mut keep = Kept::new(1 << 20, u32::MAX);
	let (mut execution, mut projection) = (f64::MAX, f64::MAX);
	let mut first = 0.0;
	for run in 0..3 * RUNS {
		let (time, trace) =
			seconds(|| prepared.execute(product.inputs.clone(), &mut ()).expect("a valid program"));
		execution = execution.min(time);
		let commitment = trace.commit_executed(&product.program);
		let (claim, secret) = (claim(&commitment), [run as u8; 32]);
		let (time, verdict) = seconds(|| {
			let (program, roots) = (&product.program, &commitment.tensor_roots);
			projection::audit_kept(program, &claim, &trace, roots, &secret, &mut keep, &mut ())
		});
		assert_eq!(verdict, Verdict::Valid);
		match run {
			0 => first = time,
			_ => projection = projection.min(time),
		}
	}
	let name = |what: &str| format!("{what}, {rows} rows, {n} x {n} weights");
	vec![
		Figure::new(name("execution, ms"), execution * 1e3, Goal::None),
		Figure::new(name("first projection / execution"), first / execution, Goal::None),
		Figure::new(
			name("kept projection / execution"),
			projection / execution,
			Goal::AtMost(1.0 / 30.0),
		),
	]
}

/// A source that counts what it hands out.
struct Counted {
	inner: MemorySource,
	/// Rows by node, and bytes of all with their paths.
	rows: BTreeMap<u32, u32>,
	bytes: usize,
}

impl TraceSource for Counted {
	type Error = String;

	fn tensor_root(&mut self, node: u32) -> Result<Root, String> {
		self.inner.tensor_root(node)
	}

	fn tensor(&mut self, node: u32) -> Result<Tensor, String> {
		self.inner.tensor(node)
	}

	fn row(&mut self, node: u32, row: u32) -> Result<OpenRow, String> {
		let open = self.inner.row(node, row)?;
		*self.rows.entry(node).or_default() += 1;
		self.bytes += open.encoded_size();
		Ok(open)
	}
}

/// A spot audit of 32 rows with 4 columns each, and a fraud proof, of the product of n × n
/// matrices.
fn proofs(product: &Product) -> Vec<Figure> {
	let (n, program) = (product.n, &product.program);
	let run = product.prepared().execute(product.inputs.clone(), &mut ());
	let mut trace: Trace = run.expect("a valid program");
	let depth = spot::Depth { rows: 32, cols: 4 };
	let mut source = Counted { inner: MemorySource::new(&trace), rows: BTreeMap::new(), bytes: 0 };
	let claim_of = |trace: &Trace| claim(&trace.commit_executed(program));
	let right = claim_of(&trace);
	let (mut time, mut most) = (f64::MAX, 0);
	for run in 0..RUNS {
		source.bytes = 0;
		source.rows.clear();
		let (took, verdict) =
			seconds(|| spot::audit(program, &right, depth, &[run as u8; 32], &mut source));
		assert_eq!(verdict, Verdict::Valid);
		time = time.min(took);
		most = most.max(source.bytes);
	}
	let output = program.output();
	let rows = f64::from(source.rows.get(&output).copied().unwrap_or(0));

	let shape = program.output_shape();
	let mut data = trace.tensors[output as usize].data().to_vec();
	*data.last_mut().expect("it has elements") ^= 1;
	trace.tensors[output as usize] = Tensor::new(shape, data).expect("bytes of the shape");
	let (row, col) = (shape.rows - 1, shape.cols - 1);
	let fault = Fault { node: output, row, col, kind: FaultKind::Element };
	let proof = prove(program, &claim_of(&trace), &fault, &mut MemorySource::new(&trace));
	let bytes = proof.expect("the element is wrong").encoded_size() as f64;

	let name = |what: &str| format!("{what}, n = {n}");
	let mib = f64::from(1 << 20);
	vec![
		Figure::new(name("spot audit, rows of the product"), rows, Goal::AtMost(32.0)),
		Figure::new(name("spot audit, MiB moved"), most as f64 / mib, Goal::AtMost(1.2)),
		Figure::new(name("spot audit, ms"), time * 1e3, Goal::AtMost(30.0)),
		Figure::new(name("fraud proof, KiB"), bytes / 1024.0, Goal::AtMost(40.0)),
	]
}
