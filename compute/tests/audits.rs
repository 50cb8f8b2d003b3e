//! Audits name the first lie, whatever it is and wherever it hides.

mod common;

use assay_compute::{
	audit::{
		self, fetch_trace, projection, replay, spot, Claim, Fault, FaultKind, MemorySource,
		OpenRow, TraceSource, Verdict,
	},
	execute, Commitment, Node, Root, Tensor, Trace, ValidProgram,
};
use common::{random_case, random_place, Case, Rng};
use proptest::prelude::*;

/// Rows and columns of every tensor here.
const EVERYWHERE: spot::Depth = spot::Depth { rows: u32::MAX, cols: u32::MAX };

fn honest(case: &Case) -> (Trace, Vec<Root>) {
	let trace = execute(&case.program, &case.tensors).unwrap();
	let roots = trace.roots();
	let inputs = case.program.inputs().iter().map(|(node, _)| roots[*node as usize]).collect();
	(trace, inputs)
}

/// What all audits say of a worker that commits to `trace`.
fn verdicts(case: &Case, inputs: &[Root], trace: &Trace, output: Option<Root>) -> Vec<Verdict> {
	let commitment: Commitment = trace.commit();
	let mut claim = Claim::new(inputs.to_vec(), &commitment);
	claim.output_root = output.unwrap_or(claim.output_root);
	let program = &case.program;
	let source = || MemorySource::new(trace);
	assert_eq!(fetch_trace(program, &claim, &mut source()).as_ref(), Ok(trace));
	vec![
		audit::full(program, &claim, trace),
		projection::audit(program, &claim, trace, &[9; 32]),
		projection::audit_verified(program, &claim, trace, &commitment.tensor_roots, &[9; 32]),
		replay::audit(program, &claim, &case.tensors, &mut source()),
		spot::audit(program, &claim, EVERYWHERE, &[9; 32], &mut source()),
	]
}

/// Recomputes everything after `node` from what the trace now holds, as a careful liar would.
fn carry_on(program: &ValidProgram, trace: &mut Trace, node: u32) {
	for index in node + 1..program.len() {
		let step = program.step(index).unwrap();
		if matches!(step.node, Node::Input { .. } | Node::Const { .. }) {
			continue;
		}
		let operands: Vec<Tensor> =
			step.node.operands().map(|operand| trace.tensors[operand as usize].clone()).collect();
		let operands: Vec<&Tensor> = operands.iter().collect();
		let tensor = assay_compute::reference::compute(&step, &operands).unwrap().unwrap();
		trace.tensors[index as usize] = tensor;
	}
}

proptest! {
	#![proptest_config(ProptestConfig::with_cases(250))]

	#[test]
	fn honest_work_passes(seed: u64, size in 1u32..16) {
		let case = random_case(seed, size);
		let (trace, inputs) = honest(&case);
		for verdict in verdicts(&case, &inputs, &trace, None) {
			prop_assert_eq!(verdict, Verdict::Valid);
		}
	}

	/// Any wrong elements of any node, with the later nodes honest about them or not.
	#[test]
	fn every_lie_is_located(seed: u64, size in 1u32..16, lies in 1usize..4, careful: bool) {
		let case = random_case(seed, size);
		let (mut trace, inputs) = honest(&case);
		let mut rng = Rng(seed ^ 1);
		let node = rng.range(0, case.program.len() - 1);
		let tensor = trace.tensors[node as usize].clone();
		let mut data = tensor.data().to_vec();
		let mut first = (u32::MAX, u32::MAX);
		for _ in 0..lies {
			let (row, col, at) = random_place(&mut rng, tensor.shape());
			// Any byte of the element, changed once at most so that the change stays.
			let at = at + rng.range(0, tensor.shape().dtype.size() - 1) as usize;
			if data[at] == tensor.data()[at] {
				data[at] = data[at].wrapping_add(rng.range(1, 255) as u8);
				first = first.min((row, col));
			}
		}
		trace.tensors[node as usize] = Tensor::new(tensor.shape(), data).unwrap();
		if careful {
			carry_on(&case.program, &mut trace, node);
		}
		let given = matches!(
			case.program.nodes()[node as usize],
			Node::Input { .. } | Node::Const { .. }
		);
		let fault = match given {
			true => Fault { node, row: 0, col: 0, kind: FaultKind::Root },
			false => Fault { node, row: first.0, col: first.1, kind: FaultKind::Element },
		};
		for (which, verdict) in verdicts(&case, &inputs, &trace, None).into_iter().enumerate() {
			prop_assert_eq!(verdict, Verdict::Invalid(fault), "audit {}", which);
		}
	}

	/// Lies in several nodes: the first in node order is named.
	#[test]
	fn the_first_of_several_lies(seed: u64, size in 2u32..16) {
		let case = random_case(seed, size);
		let (mut trace, inputs) = honest(&case);
		let mut rng = Rng(seed ^ 2);
		let mut first = u32::MAX;
		for _ in 0..3 {
			let node = rng.range(0, case.program.len() - 1);
			let tensor = &trace.tensors[node as usize];
			if node == first {
				continue;
			}
			let (_, _, at) = random_place(&mut rng, tensor.shape());
			let mut data = tensor.data().to_vec();
			data[at] ^= 0x40;
			trace.tensors[node as usize] = Tensor::new(tensor.shape(), data).unwrap();
			first = first.min(node);
		}
		for verdict in verdicts(&case, &inputs, &trace, None) {
			match verdict {
				Verdict::Invalid(fault) => prop_assert_eq!(fault.node, first),
				other => prop_assert!(false, "{:?}", other),
			}
		}
	}

	/// The right trace with a wrong output beside it.
	#[test]
	fn the_output_must_be_the_last_node(seed: u64, size in 1u32..8) {
		let case = random_case(seed, size);
		let (trace, inputs) = honest(&case);
		let node = case.program.output();
		let fault = Fault { node, row: 0, col: 0, kind: FaultKind::Output };
		for verdict in verdicts(&case, &inputs, &trace, Some([1; 32])) {
			prop_assert_eq!(verdict, Verdict::Invalid(fault));
		}
	}

	/// The secret of a projection does not matter for the verdict, over many products and places.
	#[test]
	fn projections_of_products(seed: u64, m in 1u32..20, n in 1u32..700, k in 1u32..700) {
		let mut rng = Rng(seed);
		let shape = |rows| assay_compute::Shape::new(assay_compute::Dtype::I8, rows, k);
		let (a, b) = (rng.tensor(shape(m)), rng.tensor(shape(n)));
		let sums = assay_compute::reference::matmul_t(
			a.as_i8(), b.as_i8(), m as usize, n as usize, k as usize,
		);
		let secret = *blake3::hash(&seed.to_le_bytes()).as_bytes();
		let right = Tensor::from_i32(m, n, &sums).unwrap();
		prop_assert_eq!(projection::find_wrong(&a, &b, &right, &secret, 0), None);
		let (row, col, _) = random_place(&mut rng, right.shape());
		let mut wrong = sums;
		let at = (row * n + col) as usize;
		wrong[at] = wrong[at].wrapping_add(match rng.range(0, 2) {
			0 => 1,
			1 => i32::MIN,
			_ => rng.range(1, u32::MAX) as i32,
		});
		let wrong = Tensor::from_i32(m, n, &wrong).unwrap();
		prop_assert_eq!(projection::find_wrong(&a, &b, &wrong, &secret, 0), Some((row, col)));
	}
}

/// The longest sums with the largest values, where lazy reduction has the least room.
#[test]
fn projections_of_extreme_products() {
	let k = assay_compute::MAX_MATMUL_K;
	for values in [[-128i8, -128], [-128, 127], [127, 127]] {
		let a = Tensor::from_i8(2, k, &vec![values[0]; 2 * k as usize]).unwrap();
		let b = Tensor::from_i8(3, k, &vec![values[1]; 3 * k as usize]).unwrap();
		let sum = i32::from(values[0]) * i32::from(values[1]) * k as i32;
		let right = Tensor::from_i32(2, 3, &[sum; 6]).unwrap();
		let wrong = Tensor::from_i32(2, 3, &[sum, sum, sum, sum, sum - 1, sum]).unwrap();
		for seed in 0..8 {
			let secret = [seed; 32];
			assert_eq!(projection::find_wrong(&a, &b, &right, &secret, 0), None);
			assert_eq!(projection::find_wrong(&a, &b, &wrong, &secret, 0), Some((1, 1)));
		}
	}
	// Wide results of the largest magnitude, which no product reaches but a liar may claim.
	let (m, n) = (2, 131_072);
	let a = Tensor::from_i8(m, 1, &[-128, 127]).unwrap();
	let b = Tensor::from_i8(n, 1, &vec![-128; n as usize]).unwrap();
	let mut claimed = vec![i32::MIN; 2 * n as usize];
	claimed[..n as usize].fill(128 * 128);
	let claimed = Tensor::from_i32(m, n, &claimed).unwrap();
	assert_eq!(projection::find_wrong(&a, &b, &claimed, &[3; 32], 0), Some((1, 0)));
}

/// A source whose answers can be tampered with.
struct Tampered {
	inner: MemorySource,
	tamper: fn(&mut OpenRow),
	rows: usize,
}

impl TraceSource for Tampered {
	type Error = String;

	fn tensor_root(&mut self, node: u32) -> Result<Root, String> {
		self.inner.tensor_root(node)
	}

	fn tensor(&mut self, node: u32) -> Result<Tensor, String> {
		self.inner.tensor(node)
	}

	fn row(&mut self, node: u32, row: u32) -> Result<OpenRow, String> {
		self.rows += 1;
		let mut open = self.inner.row(node, row)?;
		(self.tamper)(&mut open);
		Ok(open)
	}
}

/// Whoever serves the rows can neither frame an honest worker nor clear a liar: rows that do not
/// open make the audit fail, not the verdict.
#[test]
fn tampered_rows_decide_nothing() {
	let tampers: [fn(&mut OpenRow); 4] = [
		|open| open.bytes[0] ^= 1,
		|open| open.path.push([0; 32]),
		|open| open.bytes.truncate(open.bytes.len() - 1),
		|open| open.bytes.clear(),
	];
	let case = random_case(3, 12);
	let (trace, inputs) = honest(&case);
	let claim = Claim::new(inputs, &trace.commit());
	for tamper in tampers {
		let mut source = Tampered { inner: MemorySource::new(&trace), tamper, rows: 0 };
		let verdict = spot::audit(&case.program, &claim, EVERYWHERE, &[1; 32], &mut source);
		assert!(matches!(verdict, Verdict::Unavailable(_)), "{verdict:?}");
	}
}

/// Tensor roots that are not those committed, and claims for another number of inputs.
#[test]
fn roots_must_be_the_committed_ones() {
	let case = random_case(3, 12);
	let (trace, inputs) = honest(&case);
	let mut claim = Claim::new(inputs, &trace.commit());
	claim.trace_root = [5; 32];
	let mut source = MemorySource::new(&trace);
	let unavailable = |verdict: Verdict| matches!(verdict, Verdict::Unavailable(_));
	assert!(unavailable(audit::full(&case.program, &claim, &trace)));
	assert!(unavailable(replay::audit(&case.program, &claim, &case.tensors, &mut source)));
	assert!(unavailable(spot::audit(&case.program, &claim, EVERYWHERE, &[1; 32], &mut source)));
	let mut claim = Claim::new(claim.input_roots, &trace.commit());
	claim.input_roots.push([0; 32]);
	assert!(unavailable(audit::full(&case.program, &claim, &trace)));
}

/// Replay names the row of a large tensor after opening a logarithm of its rows.
#[test]
fn replay_opens_few_rows() {
	let rows = 10_000;
	let program = assay_compute::Program {
		nodes: vec![
			Node::Fill { rows, cols: 8, seed: [1; 32] },
			Node::SliceCols { x: 0, start: 1, len: 5 },
		],
	};
	let case = Case { program: program.validate().unwrap(), tensors: Default::default() };
	for wrong in [0, 1, 2, 4095, 4096, 8191, 8192, 9998, 9999] {
		let (mut trace, inputs) = honest(&case);
		let mut data = trace.tensors[1].data().to_vec();
		for row in [wrong, 9999] {
			data[row * 5 + 3] ^= 0x80;
		}
		if wrong == 9999 {
			data[wrong * 5 + 3] ^= 0x80;
		}
		trace.tensors[1] = Tensor::new(trace.tensors[1].shape(), data).unwrap();
		let claim = Claim::new(inputs, &trace.commit());
		let inner = MemorySource::new(&trace);
		let mut source = Tampered { inner, tamper: |_| (), rows: 0 };
		let verdict = replay::audit(&case.program, &claim, &case.tensors, &mut source);
		let fault = Fault { node: 1, row: wrong as u32, col: 3, kind: FaultKind::Element };
		assert_eq!(verdict, Verdict::Invalid(fault));
		assert!(source.rows <= 15, "{} rows opened", source.rows);
	}
}

/// A sparse spot audit looks at as many rows as it was told, and finds work that was skipped.
#[test]
fn spot_checks_catch_skipped_work() {
	let program = assay_compute::Program {
		nodes: vec![
			Node::Fill { rows: 64, cols: 32, seed: [1; 32] },
			Node::Fill { rows: 48, cols: 32, seed: [2; 32] },
			Node::MatmulT { a: 0, b: 1 },
			Node::RowQuant { x: 2 },
		],
	};
	let case = Case { program: program.validate().unwrap(), tensors: Default::default() };
	let (honest_trace, inputs) = honest(&case);
	let mut lazy = honest_trace.clone();
	lazy.tensors[2] = Tensor::from_i32(64, 48, &vec![0; 64 * 48]).unwrap();
	carry_on(&case.program, &mut lazy, 2);
	let depth = spot::Depth { rows: 4, cols: 4 };
	for secret in 0..20u8 {
		let audit = |trace: &Trace| {
			let claim = Claim::new(inputs.clone(), &trace.commit());
			let inner = MemorySource::new(trace);
			let mut source = Tampered { inner, tamper: |_| (), rows: 0 };
			let verdict = spot::audit(&case.program, &claim, depth, &[secret; 32], &mut source);
			(verdict, source.rows)
		};
		let (verdict, rows) = audit(&honest_trace);
		assert_eq!(verdict, Verdict::Valid);
		// 4 rows each of four nodes, with 4 rows of b for each row of the product.
		assert!(rows <= 4 + 4 + 4 * (1 + 1 + 4) + 4 * 2, "{rows} rows opened");
		assert!(matches!(audit(&lazy).0, Verdict::Invalid(Fault { node: 2, .. })));
	}
}

/// An audit that its observer stops looks at no further node, and does not pass.
#[test]
fn an_observer_stops_an_audit_at_any_node() {
	let case = random_case(11, 12);
	let (trace, inputs) = honest(&case);
	let claim = Claim::new(inputs, &trace.commit());
	let roots = trace.roots();
	let run = |depth: &str, after: usize| {
		let mut told = 0;
		let mut observer = |_: u32, total: u32| {
			assert_eq!(total, case.program.len());
			told += 1;
			told < after
		};
		let (program, trace) = (&case.program, &trace);
		let verdict = match depth {
			"projection" => {
				projection::audit_with(program, &claim, trace, &roots, &[9; 32], &mut observer)
			}
			_ => {
				let mut source = MemorySource::new(trace);
				replay::audit_with(program, &claim, &case.tensors, &mut source, &mut observer)
			}
		};
		(verdict, told)
	};
	for depth in ["projection", "replay"] {
		let (verdict, all) = run(depth, usize::MAX);
		assert_eq!(verdict, Verdict::Valid);
		assert!(all > 1, "{depth}");
		for after in 1..=all {
			let (verdict, told) = run(depth, after);
			assert!(matches!(verdict, Verdict::Unavailable(_)), "{depth} {after}: {verdict:?}");
			assert_eq!(told, after, "{depth}");
		}
	}
}
