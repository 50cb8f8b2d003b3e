//! Bytes as a program: decoded in one way only, and if valid and small, executed as its plain meaning
//! says.

use crate::Seed;
use assay_compute::{
	audit::{full, Claim, Verdict},
	execute,
	json::load_cases,
	reference, Costs, Dtype, Node, Program, Shape, Tensor, ValidProgram,
};
use assay_primitives::{
	honesty,
	market::{Ask, Work},
	Balance, Permill,
};
use std::collections::BTreeMap;

/// Most elements and multiply–accumulates of a program that is executed.
const SMALL: u128 = 20_000;

/// Decodes, validates, prices, and executes.
pub fn run(bytes: &[u8]) {
	let Ok(program) = Program::decode(bytes) else { return };
	assert_eq!(program.encode(), bytes, "two encodings of one program");
	let Ok(valid) = program.validate() else { return };
	for shape in valid.shapes() {
		shape.check().expect("a valid program has valid shapes");
	}
	price(valid.costs());
	let Costs { macs, elements, trace_bytes, leaves, .. } = *valid.costs();
	if macs + elements + trace_bytes + leaves <= SMALL {
		check_execution(&valid);
	}
}

/// Prices of tasks of any cost are numbers or refused.
fn price(costs: &Costs) {
	for amount in [0, 1, 1_000_000_000_000, Balance::MAX / 2, Balance::MAX] {
		let work = Work {
			costs: costs.into(),
			value: amount,
			deadline: 10,
			premium: Permill::from_percent(3),
			stake_percent: 100,
		};
		let ask = Ask {
			base: amount,
			per_gmac: amount,
			per_melement: amount,
			per_value_block: 1,
			max_value: Balance::MAX,
			max_macs: u128::MAX,
			max_trace_bytes: u128::MAX,
			min_deadline: 0,
			slots: 1,
			stake_percent: 100,
		};
		let Some(price) = ask.price(&work) else { continue };
		let Some(gain) = work.gain(price) else { continue };
		if let Some(rate) = honesty::audit_rate(gain, gain.saturating_mul(10), 3) {
			honesty::least_collateral(gain, 3, rate);
		}
	}
}

/// The fast execution agrees with the plain meaning of every operation, and its audit finds nothing.
fn check_execution(program: &ValidProgram) {
	// The bytes behind a const's root are not known: it may as well be an input.
	let nodes = program.nodes().iter().map(|node| match node.clone() {
		Node::Const { dtype, rows, cols, .. } => Node::Input { dtype, rows, cols },
		other => other,
	});
	let program = Program { nodes: nodes.collect() }.validate().expect("as valid as before");
	let inputs: BTreeMap<_, _> =
		program.inputs().into_iter().map(|(node, shape)| (node, tensor(node, shape))).collect();
	let trace = execute(&program, &inputs).expect("a valid program runs on its inputs");
	for index in 0..program.len() {
		let step = program.step(index).expect("there is such a node");
		let operands: Vec<_> = step.node.operands().map(|o| &trace.tensors[o as usize]).collect();
		if let Some(plain) = reference::compute(&step, &operands) {
			assert_eq!(plain.as_ref(), Ok(&trace.tensors[index as usize]), "node {index}");
		}
	}
	let roots = trace.roots();
	let inputs = inputs.keys().map(|node| roots[*node as usize]).collect();
	let claim = Claim::new(inputs, &trace.commit());
	assert_eq!(full(&program, &claim, &trace), Verdict::Valid);
}

/// Numbers of which many are extreme.
fn tensor(node: u32, shape: Shape) -> Tensor {
	let mut state = u64::from(node) + 1;
	let mut data = Vec::new();
	for _ in 0..shape.elements() {
		state =
			state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
		let any = (state >> 32) as i32;
		match (shape.dtype, state >> 61) {
			(Dtype::I8, 0) => data.push(0x80),
			(Dtype::I8, _) => data.push(any as u8),
			(Dtype::I32, 0) => data.extend(i32::MIN.to_le_bytes()),
			(Dtype::I32, 1) => data.extend(i32::MAX.to_le_bytes()),
			(Dtype::I32, 2 | 3) => data.extend((any % 9).to_le_bytes()),
			(Dtype::I32, _) => data.extend(any.to_le_bytes()),
		}
	}
	Tensor::new(shape, data).expect("as many bytes as the shape has")
}

/// The published vectors, valid and not.
pub fn seeds() -> Vec<Seed> {
	let files = ["ops", "ops_edge", "graphs", "pointed", "invalid"];
	let programs =
		files.iter().flat_map(|file| vectors(file).into_iter().map(|c| c.program.encode()));
	let small = programs.filter(|bytes| bytes.len() <= 1_024);
	small.enumerate().map(|(number, bytes)| (format!("vector-{number:03}"), bytes)).collect()
}

/// The cases of one file of published vectors.
pub(crate) fn vectors(file: &str) -> Vec<assay_compute::json::Case> {
	let path = format!("{}/../compute/tests/vectors/{file}.json", env!("CARGO_MANIFEST_DIR"));
	let text = std::fs::read_to_string(path).expect("the vectors are in the checkout");
	load_cases(&text).expect("the vectors are sound")
}
