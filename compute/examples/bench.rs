//! Speed of execution, commitment and projection on one thread.
//!
//! ```text
//! bench compute [--json]                      matrix products at four sizes, and the two ratios
//! bench matmul --n N --runs R [--json]        one size, every run: for scripts/bench_compute.py
//! ```

use assay_compute::{
	audit::{projection, Claim, Verdict},
	matmul::{matmul_t, Kernel},
	Dtype, Node, Prepared, Program, Tensor, ValidProgram,
};
use serde_json::{json, Value};
use std::{collections::BTreeMap, hint::black_box, process::ExitCode, time::Instant};

const SIZES: [usize; 4] = [512, 1024, 2048, 4096];
/// Side of the products whose commitment and projection are timed.
const RATIO_SIZE: u32 = 2048;
const RATIO_RUNS: usize = 7;

fn main() -> ExitCode {
	let arguments: Vec<String> = std::env::args().skip(1).collect();
	let json = arguments.iter().any(|argument| argument == "--json");
	let number = |name: &str| {
		let at = arguments.iter().position(|argument| argument == name)?;
		arguments.get(at + 1)?.parse::<usize>().ok().filter(|value| *value > 0)
	};
	let pool =
		rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool of one thread");
	let report = pool.install(|| match arguments.first().map(String::as_str) {
		Some("compute") => Some(compute()),
		Some("matmul") => Some(runs(number("--n")?, number("--runs")?)),
		_ => None,
	});
	match report {
		Some(report) if json => println!("{report}"),
		Some(report) => print(&report),
		None => {
			eprintln!("usage: bench compute [--json] | bench matmul --n N --runs R [--json]");
			return ExitCode::FAILURE;
		}
	}
	ExitCode::SUCCESS
}

fn print(report: &Value) {
	for (key, value) in report.as_object().into_iter().flatten() {
		println!("{key:<36} {value}");
	}
}

/// Bytes without a pattern.
fn noise(len: usize, seed: u8) -> Vec<u8> {
	let mut bytes = vec![0; len];
	blake3::Hasher::new().update(&[seed]).finalize_xof().fill(&mut bytes);
	bytes
}

/// Seconds of each of `runs` products of n × n matrices.
fn product_seconds(n: usize, runs: usize) -> Vec<f64> {
	let values = |seed| noise(n * n, seed).into_iter().map(|b| b as i8).collect::<Vec<i8>>();
	let (a, b) = (values(1), values(2));
	let mut out = vec![0; n * n * 4];
	matmul_t(&a, &b, n, n, n, &mut out);
	let run = |_| seconds(|| matmul_t(black_box(&a), black_box(&b), n, n, n, &mut out));
	(0..runs).map(run).collect()
}

fn seconds(work: impl FnOnce()) -> f64 {
	let start = Instant::now();
	work();
	start.elapsed().as_secs_f64()
}

fn best(seconds: &[f64]) -> f64 {
	seconds.iter().copied().fold(f64::INFINITY, f64::min)
}

fn rounded(value: f64) -> f64 {
	(value * 1000.0).round() / 1000.0
}

fn runs(n: usize, runs: usize) -> Value {
	let rates: Vec<f64> = product_seconds(n, runs)
		.into_iter()
		.map(|seconds| rounded(n.pow(3) as f64 / seconds / 1e9))
		.collect();
	json!({ "kernel": Kernel::detect().name(), "n": n, "gmac_per_s": rates })
}

fn compute() -> Value {
	let mut report = serde_json::Map::new();
	report.insert("kernel".into(), Kernel::detect().name().into());
	for n in SIZES {
		let seconds = product_seconds(n, (1usize << 34).div_ceil(n.pow(3)).clamp(3, 30));
		let rate = n.pow(3) as f64 / best(&seconds) / 1e9;
		report.insert(format!("matmul_gmac_per_s_{n}"), rounded(rate).into());
	}
	for (name, program) in [("matmul", product()), ("requantised", requantised())] {
		let [execution, commitment, projection, audit] = ratios(&program);
		let mut insert = |key: &str, value: f64| {
			report.insert(format!("{name}_{key}"), rounded(value).into());
		};
		insert("execution_ms", execution * 1e3);
		insert("commitment_per_execution", commitment / execution);
		insert("projection_per_execution", projection / execution);
		insert("whole_audit_per_execution", audit / execution);
	}
	report.into()
}

/// Seconds to execute a program, to commit to its trace, to check what its nodes say, and to audit
/// the trace with all its hashes checked too.
fn ratios(program: &ValidProgram) -> [f64; 4] {
	let tensor = |node: u32| {
		let shape = program.shapes()[node as usize];
		Tensor::new(shape, noise(shape.bytes() as usize, node as u8)).expect("bytes of the shape")
	};
	let consts = program.consts().into_iter().map(|(node, ..)| (node, tensor(node)));
	let prepared = Prepared::new(program, consts.collect()).expect("consts of the program");
	let inputs: BTreeMap<u32, Tensor> =
		program.inputs().into_iter().map(|(node, _)| (node, tensor(node))).collect();
	let mut samples: [Vec<f64>; 4] = Default::default();
	for run in 0..RATIO_RUNS {
		let mut trace = None;
		samples[0].push(seconds(|| trace = prepared.execute(inputs.clone(), &mut ()).ok()));
		let trace = trace.expect("a valid program");
		let mut commitment = None;
		samples[1].push(seconds(|| commitment = Some(trace.commit_executed(program))));
		let commitment = commitment.expect("it was made");
		let input_roots = vec![commitment.tensor_roots[0]];
		let claim = Claim::new(input_roots, &commitment);
		let secret = [run as u8; 32];
		let roots = &commitment.tensor_roots;
		samples[2].push(seconds(|| {
			let verdict = projection::audit_verified(program, &claim, &trace, roots, &secret);
			assert_eq!(verdict, Verdict::Valid);
		}));
		samples[3].push(seconds(|| {
			assert_eq!(projection::audit(program, &claim, &trace, &secret), Verdict::Valid);
		}));
	}
	samples.each_ref().map(|samples| best(samples))
}

/// One product of a task's activations with weights.
fn product() -> ValidProgram {
	let weights = constant(Dtype::I8, RATIO_SIZE, RATIO_SIZE, 1);
	valid(vec![
		Node::Input { dtype: Dtype::I8, rows: RATIO_SIZE, cols: RATIO_SIZE },
		weights,
		Node::MatmulT { a: 0, b: 1 },
	])
}

/// The same, brought back to i8 as between two layers of a model.
fn requantised() -> ValidProgram {
	valid(vec![
		Node::Input { dtype: Dtype::I8, rows: RATIO_SIZE, cols: RATIO_SIZE },
		constant(Dtype::I8, RATIO_SIZE, RATIO_SIZE, 1),
		constant(Dtype::I32, 1, RATIO_SIZE, 2),
		constant(Dtype::I32, 1, RATIO_SIZE, 3),
		Node::MatmulT { a: 0, b: 1 },
		Node::Requant { x: 4, bias: 2, mult: 3, shift: 40 },
	])
}

/// A const with the bytes that [`ratios`] gives node `node`.
fn constant(dtype: Dtype, rows: u32, cols: u32, node: u8) -> Node {
	let shape = assay_compute::Shape::new(dtype, rows, cols);
	let tensor =
		Tensor::new(shape, noise(shape.bytes() as usize, node)).expect("bytes of the shape");
	Node::Const { dtype, rows, cols, root: assay_compute::tensor_root(&tensor) }
}

fn valid(nodes: Vec<Node>) -> ValidProgram {
	Program { nodes }.validate().expect("a valid program")
}
