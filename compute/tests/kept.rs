//! Audits with kept projections of weights say what audits without say.

mod common;

use assay_compute::{
	audit::{
		projection,
		stream::{self, Limits, MemoryRows, RowStreams},
		Claim, Fault, FaultKind, Keep, Kept, MemorySource, OpenRow, Projection, TraceSource,
		Verdict,
	},
	execute, Node, Root, Tensor, Trace,
};
use common::{random_case, random_place, Case, Rng};
use proptest::prelude::*;
use std::{collections::BTreeMap, sync::Arc};

/// Counts what is kept and found.
struct Counted {
	inner: Kept,
	found: usize,
	made: usize,
}

impl Counted {
	fn new(capacity: usize, uses: u32) -> Self {
		Counted { inner: Kept::new(capacity, uses), found: 0, made: 0 }
	}
}

impl Keep for Counted {
	fn get(&mut self, weights: &Root) -> Option<Arc<Projection>> {
		let found = self.inner.get(weights);
		self.found += usize::from(found.is_some());
		found
	}

	fn put(&mut self, weights: &Root, projection: &Arc<Projection>) {
		self.made += 1;
		self.inner.put(weights, projection);
	}
}

/// Counts the streams opened, by node.
struct Opened {
	inner: MemorySource,
	opened: BTreeMap<u32, usize>,
}

impl RowStreams for Opened {
	type Error = String;
	type Rows = MemoryRows;

	fn tensor_root(&mut self, node: u32) -> Result<Root, String> {
		TraceSource::tensor_root(&mut self.inner, node)
	}

	fn rows(&mut self, node: u32) -> Result<MemoryRows, String> {
		*self.opened.entry(node).or_default() += 1;
		self.inner.rows(node)
	}

	fn row(&mut self, node: u32, row: u32) -> Result<OpenRow, String> {
		TraceSource::row(&mut self.inner, node, row)
	}
}

/// Nodes that multiply by a const.
fn products_with_weights(case: &Case) -> usize {
	let is_const = |b: u32| matches!(case.program.nodes()[b as usize], Node::Const { .. });
	let weighs = |node: &&Node| matches!(node, Node::MatmulT { b, .. } if is_const(*b));
	case.program.nodes().iter().filter(weighs).count()
}

/// Another task of the same program.
fn task(case: &Case, rng: &mut Rng, lie: bool) -> (Trace, Claim) {
	let mut tensors = case.tensors.clone();
	for (node, shape) in case.program.inputs() {
		tensors.insert(node, rng.tensor(shape));
	}
	let mut trace = execute(&case.program, &tensors).unwrap();
	let roots = trace.roots();
	let inputs = case.program.inputs().iter().map(|(node, _)| roots[*node as usize]).collect();
	if lie {
		let node = rng.range(0, case.program.len() - 1);
		let tensor = &trace.tensors[node as usize];
		let (_, _, at) = random_place(rng, tensor.shape());
		let mut data = tensor.data().to_vec();
		data[at] ^= 1 << rng.range(0, 7);
		trace.tensors[node as usize] = Tensor::new(tensor.shape(), data).unwrap();
	}
	let claim = Claim::new(inputs, &trace.commit());
	(trace, claim)
}

proptest! {
	#![proptest_config(ProptestConfig::with_cases(200))]

	/// Over many tasks of a program, right and wrong, in memory and streamed, with room and uses
	/// for some projections, for all, and for none.
	#[test]
	fn verdicts_are_the_same(seed: u64, size in 1u32..14, bound in 0usize..4) {
		let case = random_case(seed, size);
		let mut rng = Rng(seed ^ 1);
		let (capacity, uses) = [(0, 9), (500, 2), (1 << 20, 3), (1 << 20, u32::MAX)][bound];
		let mut keep = Counted::new(capacity, uses);
		let mut whole = 0;
		for round in 0..5u8 {
			let lie = rng.chance(2);
			let (trace, claim) = task(&case, &mut rng, lie);
			let (program, roots, secret) = (&case.program, trace.roots(), [round; 32]);
			let want = projection::audit(program, &claim, &trace, &[99; 32]);
			let got = match rng.chance(2) {
				true => projection::audit_kept(
					program, &claim, &trace, &roots, &secret, &mut keep, &mut (),
				),
				false => stream::audit_with(
					program, &claim, &secret, &mut MemorySource::new(&trace),
					Limits::default(), &mut keep, &mut (),
				),
			};
			prop_assert_eq!(&got, &want);
			whole += usize::from(got == Verdict::Valid);
			prop_assert!(keep.inner.bytes() <= capacity);
		}
		// Each product with weights looks for a projection, and makes one if there is none.
		prop_assert!(keep.found + keep.made >= whole * products_with_weights(&case));
		if uses == u32::MAX {
			let products = products_with_weights(&case);
			prop_assert!(keep.made <= products, "{} made for {} products", keep.made, products);
		}
	}
}

/// Weights with a kept projection are not read again, but to name the element of a wrong row.
#[test]
fn kept_weights_are_not_read() {
	let mut rng = Rng(1);
	let shape = assay_compute::Shape::new(assay_compute::Dtype::I8, 30, 20);
	let weights = rng.tensor(shape);
	let root = assay_compute::tensor_root(&weights);
	let (dtype, cols) = (shape.dtype, shape.cols);
	let nodes = vec![
		Node::Const { dtype, rows: 30, cols, root },
		Node::Input { dtype, rows: 7, cols },
		Node::MatmulT { a: 1, b: 0 },
	];
	let program = assay_compute::Program { nodes }.validate().unwrap();
	let case = Case { program, tensors: [(0, weights)].into() };
	let mut keep = Counted::new(1 << 20, 3);
	// Reads of the weights in each of five audits: the third use is the last of the first r.
	for (round, want) in [1, 0, 0, 1, 0].into_iter().enumerate() {
		let (trace, claim) = task(&case, &mut rng, false);
		let inner = MemorySource::new(&trace);
		let mut source = Opened { inner, opened: BTreeMap::new() };
		let (limits, secret) = (Limits::default(), [round as u8; 32]);
		let program = &case.program;
		let verdict =
			stream::audit_with(program, &claim, &secret, &mut source, limits, &mut keep, &mut ());
		assert_eq!(verdict, Verdict::Valid);
		assert_eq!(source.opened.get(&0).copied().unwrap_or(0), want, "audit {round}");
	}
	assert_eq!((keep.found, keep.made), (3, 2));
	let (mut trace, claim) = task(&case, &mut rng, false);
	let mut data = trace.tensors[2].data().to_vec();
	data[(3 * 30 + 17) * 4] ^= 1;
	trace.tensors[2] = Tensor::new(trace.tensors[2].shape(), data).unwrap();
	let claim = Claim::new(claim.input_roots, &trace.commit());
	let inner = MemorySource::new(&trace);
	let mut source = Opened { inner, opened: BTreeMap::new() };
	let (limits, secret) = (Limits::default(), [8; 32]);
	let verdict =
		stream::audit_with(&case.program, &claim, &secret, &mut source, limits, &mut keep, &mut ());
	let fault = Fault { node: 2, row: 3, col: 17, kind: FaultKind::Element };
	assert_eq!(verdict, Verdict::Invalid(fault));
	assert_eq!(source.opened.get(&0), Some(&1));
}

/// A program that declares kept weights with another shape, which no bytes can have, is not audited
/// with their projection.
#[test]
fn a_root_of_another_shape_is_not_taken_for_the_weights() {
	let mut rng = Rng(2);
	let i8s = |rows, cols| assay_compute::Shape::new(assay_compute::Dtype::I8, rows, cols);
	let keep = std::sync::Mutex::new(Kept::new(1 << 20, 100));
	let audit = |case: &Case, claim: &Claim, trace: &Trace, secret: u8| {
		let (limits, mut source) = (Limits::default(), MemorySource::new(trace));
		let (secret, keep) = ([secret; 32], &mut &keep);
		stream::audit_with(&case.program, claim, &secret, &mut source, limits, keep, &mut ())
	};
	let weights = rng.tensor(i8s(30, 20));
	let root = assay_compute::tensor_root(&weights);
	let program = |rows: u32, cols: u32| {
		let dtype = assay_compute::Dtype::I8;
		let nodes = vec![
			Node::Const { dtype, rows, cols, root },
			Node::Input { dtype, rows: 7, cols },
			Node::MatmulT { a: 1, b: 0 },
		];
		assay_compute::Program { nodes }.validate().unwrap()
	};
	let case = Case { program: program(30, 20), tensors: [(0, weights.clone())].into() };
	let (trace, claim) = task(&case, &mut rng, false);
	assert_eq!(audit(&case, &claim, &trace, 1), Verdict::Valid);
	assert_eq!(keep.lock().unwrap().len(), 1);
	for (rows, cols) in [(20, 30), (600, 1), (1, 600), (30, 21), (31, 20), (60, 40)] {
		let other = Case { program: program(rows, cols), tensors: BTreeMap::new() };
		let shapes = other.program.shapes();
		let tensors = shapes.iter().map(|shape| rng.tensor(*shape)).collect();
		let trace = Trace { tensors };
		// A liar commits to the declared root all the same.
		let mut roots = trace.roots();
		roots[0] = root;
		let commitment = assay_compute::Commitment::new(roots.clone());
		let claim = Claim::new(vec![roots[1]], &commitment);
		let mut source = Forged { inner: MemorySource::new(&trace), root };
		let (limits, secret) = (Limits::default(), [2; 32]);
		let program = &other.program;
		let mut shared = &keep;
		let verdict =
			stream::audit_with(program, &claim, &secret, &mut source, limits, &mut shared, &mut ());
		assert!(matches!(verdict, Verdict::Unavailable(_)), "{rows} x {cols}: {verdict:?}");
	}
}

/// Says that node 0 has the root.
struct Forged {
	inner: MemorySource,
	root: Root,
}

impl RowStreams for Forged {
	type Error = String;
	type Rows = MemoryRows;

	fn tensor_root(&mut self, node: u32) -> Result<Root, String> {
		match node {
			0 => Ok(self.root),
			_ => TraceSource::tensor_root(&mut self.inner, node),
		}
	}

	fn rows(&mut self, node: u32) -> Result<MemoryRows, String> {
		self.inner.rows(node)
	}

	fn row(&mut self, node: u32, row: u32) -> Result<OpenRow, String> {
		TraceSource::row(&mut self.inner, node, row)
	}
}
