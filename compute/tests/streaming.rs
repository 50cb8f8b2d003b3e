//! The streaming audit says what the audit in memory says, whatever the split, and nothing that
//! rests on bytes which are not the committed ones.

mod common;

use assay_compute::{
	audit::{
		projection,
		stream::{self, Limits, MemoryRows, RowBytes, RowStreams},
		Claim, Fault, FaultKind, MemorySource, OpenRow, TraceSource, Verdict,
	},
	execute, Dtype, Node, Observer, Program, Root, Shape, Tensor, Trace, ValidProgram,
};
use common::{random_case, random_place, Case, Rng};
use proptest::prelude::*;
use std::{cell::RefCell, rc::Rc};

fn honest(case: &Case) -> (Trace, Vec<Root>) {
	let trace = execute(&case.program, &case.tensors).unwrap();
	let roots = trace.roots();
	let inputs = case.program.inputs().iter().map(|(node, _)| roots[*node as usize]).collect();
	(trace, inputs)
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

/// What is done to one node's stream.
#[derive(Clone, Copy, Debug)]
enum Tamper {
	Flip(u64),
	End(u64),
	Fail(u64),
	Surplus,
}

/// Streams that come in odd pieces, one of them tampered with.
struct Pieces {
	inner: MemorySource,
	rng: Rc<RefCell<Rng>>,
	tamper: Option<(u32, Tamper)>,
	opened: Vec<u32>,
}

struct PiecesOf {
	inner: MemoryRows,
	rng: Rc<RefCell<Rng>>,
	tamper: Option<Tamper>,
	at: u64,
}

impl Pieces {
	fn new(trace: &Trace, seed: u64) -> Self {
		let rng = Rc::new(RefCell::new(Rng(seed)));
		Pieces { inner: MemorySource::new(trace), rng, tamper: None, opened: Vec::new() }
	}
}

impl RowBytes for PiecesOf {
	type Error = String;

	fn read(&mut self, into: &mut [u8]) -> Result<usize, String> {
		let most = into.len().min(1000) as u32;
		let len = self.rng.borrow_mut().range(1, most) as usize;
		let mut got = self.inner.read(&mut into[..len])?;
		let (start, end) = (self.at, self.at + got as u64);
		match self.tamper {
			Some(Tamper::Flip(at)) if (start..end).contains(&at) => {
				into[(at - start) as usize] ^= 0x10
			}
			Some(Tamper::End(at)) => got = got.min(at.saturating_sub(start) as usize),
			Some(Tamper::Fail(at)) if (start..end).contains(&at) => return Err("gone".into()),
			Some(Tamper::Surplus) if got == 0 => got = 1,
			_ => {}
		}
		self.at += got as u64;
		Ok(got)
	}
}

impl RowStreams for Pieces {
	type Error = String;
	type Rows = PiecesOf;

	fn tensor_root(&mut self, node: u32) -> Result<Root, String> {
		TraceSource::tensor_root(&mut self.inner, node)
	}

	fn rows(&mut self, node: u32) -> Result<PiecesOf, String> {
		self.opened.push(node);
		let tamper = self.tamper.filter(|(at, _)| *at == node).map(|(_, tamper)| tamper);
		Ok(PiecesOf { inner: self.inner.rows(node)?, rng: self.rng.clone(), tamper, at: 0 })
	}

	fn row(&mut self, node: u32, row: u32) -> Result<OpenRow, String> {
		TraceSource::row(&mut self.inner, node, row)
	}
}

fn random_limits(rng: &mut Rng) -> Limits {
	let block_bytes = [0, 1, 70, 300, 4_096, 256 << 10][rng.range(0, 5) as usize];
	let table_bytes = [0, 40, 300, 1 << 20][rng.range(0, 3) as usize];
	Limits { block_bytes, table_bytes }
}

fn streamed(case: &Case, claim: &Claim, limits: Limits, source: &mut Pieces) -> Verdict {
	stream::audit_with(&case.program, claim, &[9; 32], source, limits, &mut (), &mut ())
}

/// A trace with a few wrong elements in random nodes, at times carried on with care.
fn corrupted(case: &Case, right: &Trace, rng: &mut Rng, lies: usize) -> Trace {
	let mut wrong = right.clone();
	for _ in 0..lies {
		let node = rng.range(0, case.program.len() - 1);
		let tensor = &wrong.tensors[node as usize];
		let (_, _, at) = random_place(rng, tensor.shape());
		let mut data = tensor.data().to_vec();
		data[at] = data[at].wrapping_add(rng.range(1, 255) as u8);
		wrong.tensors[node as usize] = Tensor::new(tensor.shape(), data).unwrap();
		if rng.chance(2) {
			carry_on(&case.program, &mut wrong, node);
		}
	}
	wrong
}

proptest! {
	#![proptest_config(ProptestConfig::with_cases(300))]

	#[test]
	fn verdicts_are_those_of_the_audit_in_memory(seed: u64, size in 1u32..16, lies in 0usize..4) {
		let case = random_case(seed, size);
		let (right, inputs) = honest(&case);
		let mut rng = Rng(seed ^ 1);
		let trace = corrupted(&case, &right, &mut rng, lies);
		let claim = Claim::new(inputs, &trace.commit());
		let want = projection::audit(&case.program, &claim, &trace, &[3; 32]);
		if lies == 0 {
			prop_assert_eq!(&want, &Verdict::Valid);
		}
		let limits = random_limits(&mut rng);
		let got = streamed(&case, &claim, limits, &mut Pieces::new(&trace, seed));
		prop_assert_eq!(&got, &want, "{:?}", limits);
		let whole =
			stream::audit(&case.program, &claim, &[5; 32], &mut MemorySource::new(&trace));
		prop_assert_eq!(whole, want);
	}

	/// Whoever serves the streams neither frames an honest worker nor clears a liar.
	#[test]
	fn tampered_streams_decide_nothing(seed: u64, size in 1u32..12, kind in 0u32..3, lie: bool) {
		let case = random_case(seed, size);
		let (right, inputs) = honest(&case);
		let mut rng = Rng(seed ^ 2);
		let trace = corrupted(&case, &right, &mut rng, usize::from(lie));
		let claim = Claim::new(inputs, &trace.commit());
		let limits = random_limits(&mut rng);
		let want = streamed(&case, &claim, limits, &mut Pieces::new(&trace, seed));
		let node = rng.range(0, case.program.len() - 1);
		let bytes = case.program.shapes()[node as usize].bytes();
		let at = u64::from(rng.range(0, bytes as u32 - 1));
		let tamper = match kind {
			0 => Tamper::Flip(at),
			1 => Tamper::End(at),
			_ => Tamper::Fail(at),
		};
		let mut source = Pieces::new(&trace, seed);
		source.tamper = Some((node, tamper));
		let got = streamed(&case, &claim, limits, &mut source);
		if source.opened.contains(&node) {
			prop_assert!(matches!(got, Verdict::Unavailable(_)), "{:?}: {:?}", tamper, got);
		} else {
			// It was found before, or the tensor is a table of which rows were opened.
			prop_assert_eq!(got, want);
		}
	}

	/// More than the shape has is not asked for.
	#[test]
	fn surplus_bytes_are_not_read(seed: u64, size in 1u32..8) {
		let case = random_case(seed, size);
		let (trace, inputs) = honest(&case);
		let claim = Claim::new(inputs, &trace.commit());
		let mut source = Pieces::new(&trace, seed);
		source.tamper = Some((case.program.output(), Tamper::Surplus));
		let verdict = streamed(&case, &claim, Limits::default(), &mut source);
		prop_assert_eq!(verdict, Verdict::Valid);
	}
}

/// Rows of a table that is not held whole are opened, and a row that does not open decides nothing.
#[test]
fn tables_are_held_whole_or_opened_row_by_row() {
	let nodes = vec![
		Node::Fill { rows: 50, cols: 16, seed: [1; 32] },
		Node::Input { dtype: Dtype::I32, rows: 40, cols: 1 },
		Node::Gather { table: 0, index: 1 },
	];
	let program = Program { nodes }.validate().unwrap();
	let index: Vec<i32> = (0..40).map(|i| (i * 37) % 60 - 5).collect();
	let index = Tensor::from_i32(40, 1, &index).unwrap();
	let case = Case { program, tensors: [(1, index)].into() };
	let (right, inputs) = honest(&case);
	let mut wrong = right.clone();
	let mut data = wrong.tensors[2].data().to_vec();
	data[33 * 16 + 7] ^= 1;
	wrong.tensors[2] = Tensor::new(Shape::new(Dtype::I8, 40, 16), data).unwrap();
	for table_bytes in [0, 100, 50 * 16 - 1, 50 * 16] {
		let limits = Limits { table_bytes, block_bytes: 64 };
		for (trace, want) in [
			(&right, Verdict::Valid),
			(
				&wrong,
				Verdict::Invalid(Fault { node: 2, row: 33, col: 7, kind: FaultKind::Element }),
			),
		] {
			let claim = Claim::new(inputs.clone(), &trace.commit());
			let mut source = Pieces::new(trace, 1);
			assert_eq!(streamed(&case, &claim, limits, &mut source), want);
			// Once for the table's own check, and once more where it is held whole.
			let reads = source.opened.iter().filter(|node| **node == 0).count();
			assert_eq!(reads, if table_bytes < 50 * 16 { 1 } else { 2 });
		}
	}
}

#[test]
fn an_observer_stops_it_at_any_node() {
	let case = random_case(11, 12);
	let (trace, inputs) = honest(&case);
	let claim = Claim::new(inputs, &trace.commit());
	let run = |after: usize| {
		let mut told = 0;
		let mut observer = |_: u32, total: u32| {
			assert_eq!(total, case.program.len());
			told += 1;
			told < after
		};
		let observer: &mut dyn Observer = &mut observer;
		let mut source = MemorySource::new(&trace);
		let limits = Limits::default();
		let program = &case.program;
		let verdict =
			stream::audit_with(program, &claim, &[9; 32], &mut source, limits, &mut (), observer);
		(verdict, told)
	};
	let (verdict, all) = run(usize::MAX);
	assert_eq!(verdict, Verdict::Valid);
	assert!(all > 1);
	for after in 1..=all {
		let (verdict, told) = run(after);
		assert!(matches!(verdict, Verdict::Unavailable(_)));
		assert_eq!(told, after);
	}
}

/// Transposes and products of more rows and columns than one block, tile or exact sum holds.
#[test]
fn large_transposes_and_products() {
	for dtype in [Dtype::I8, Dtype::I32] {
		let mut rng = Rng(4);
		let x = rng.tensor(Shape::new(dtype, 2_300, 700));
		let (rows, cols) = (2_300, 700);
		let nodes = vec![Node::Input { dtype, rows, cols }, Node::Transpose { x: 0 }];
		let program = Program { nodes }.validate().unwrap();
		let case = Case { program, tensors: [(0, x)].into() };
		wrong_places(&case, &mut rng);
	}
	let nodes = vec![
		Node::Fill { rows: 600, cols: 1_100, seed: [1; 32] },
		Node::Fill { rows: 530, cols: 1_100, seed: [2; 32] },
		Node::MatmulT { a: 0, b: 1 },
	];
	let program = Program { nodes }.validate().unwrap();
	wrong_places(&Case { program, tensors: Default::default() }, &mut Rng(5));
}

fn wrong_places(case: &Case, rng: &mut Rng) {
	let (right, inputs) = honest(case);
	let node = case.program.output();
	let shape = case.program.output_shape();
	for _ in 0..8 {
		let (row, col, at) = random_place(rng, shape);
		let mut trace = right.clone();
		let mut data = trace.tensors[node as usize].data().to_vec();
		data[at] ^= 1 << rng.range(0, 7);
		trace.tensors[node as usize] = Tensor::new(shape, data).unwrap();
		let claim = Claim::new(inputs.clone(), &trace.commit());
		let verdict =
			stream::audit(&case.program, &claim, &[7; 32], &mut MemorySource::new(&trace));
		let fault = Fault { node, row, col, kind: FaultKind::Element };
		assert_eq!(verdict, Verdict::Invalid(fault));
	}
	let claim = Claim::new(inputs, &right.commit());
	let verdict = stream::audit(&case.program, &claim, &[7; 32], &mut MemorySource::new(&right));
	assert_eq!(verdict, Verdict::Valid);
}
