//! Bytes as evidence against a worker: whatever they are, an honest one is convicted of nothing, and
//! its trace opens to nothing else than what it is.
//!
//! The first byte chooses the task, the second what the rest is taken for.

use crate::{program::vectors, Seed};
use assay_compute::{
	audit::{full, Claim, MemorySource, Verdict},
	execute,
	proof::{
		demand::{open, verify_opening, Opening, Wanted},
		prove, verify, FraudProof, OpenNode, OpenTensor, Statement,
	},
	Position, Tensor, Trace, ValidProgram,
};
use codec::{Decode, DecodeAll, Encode};
use std::sync::OnceLock;

/// A task whose worker was honest, and what others claimed of it who were not.
struct Task {
	program: ValidProgram,
	trace: Trace,
	claim: Claim,
	/// By node: the claim of who has that node's tensor wrong, and the proof.
	lies: Vec<(Claim, FraudProof)>,
}

/// Takes the bytes for a fraud proof, or for the answer to a demand.
pub fn run(bytes: &[u8]) {
	let [task, kind, rest @ ..] = bytes else { return };
	let tasks = tasks();
	let task = &tasks[usize::from(*task) % tasks.len()];
	match kind {
		0 => task.answer(rest),
		kind => task.accuse(usize::from(kind - 1) % task.lies.len(), rest),
	}
}

impl Task {
	fn accuse(&self, liar: usize, bytes: &[u8]) {
		let Ok(proof) = FraudProof::decode_all(&mut &bytes[..]) else { return };
		assert_eq!(proof.encode(), bytes, "two encodings of one proof");
		let verdict = self.decide(&self.claim, |statement| verify(statement, &proof));
		assert!(verdict.is_err(), "an honest worker is convicted: {verdict:?}");
		if let Ok(fault) = self.decide(&self.lies[liar].0, |statement| verify(statement, &proof)) {
			let step = self.program.step(fault.node).expect("a fault is at a node");
			let near = step.node.operands().any(|operand| operand as usize == liar);
			assert!(fault.node as usize == liar || near, "node {liar} lied, not {fault:?}");
		}
	}

	fn answer(&self, bytes: &[u8]) {
		let rest = &mut &bytes[..];
		let Ok(wanted) = Wanted::decode(rest) else { return };
		let Ok(opening) = Opening::decode_all(rest) else { return };
		if self.decide(&self.claim, |s| verify_opening(s, &wanted, &opening)).is_ok() {
			assert_eq!(self.open(&wanted), opening, "another opening of {wanted:?}");
		}
	}

	fn decide<T>(&self, claim: &Claim, decide: impl FnOnce(&Statement) -> T) -> T {
		let inputs: Vec<u32> = self.program.inputs().into_iter().map(|(node, _)| node).collect();
		let program = &self.program.id();
		decide(&Statement { program, nodes: self.program.len(), inputs: &inputs, claim })
	}

	fn open(&self, wanted: &Wanted) -> Opening {
		let mut source = MemorySource::new(&self.trace);
		open(&self.program, &self.claim, wanted, &mut source).expect("an honest trace opens")
	}

	/// The same place as in the proof of a lie, opened in the honest trace.
	fn honest(&self, proof: &FraudProof) -> FraudProof {
		let mut proof = proof.clone();
		let roots = self.trace.roots();
		let path = |node| assay_compute::prove_trace(&roots, node).expect("there is such a node");
		match &mut proof {
			FraudProof::Element { node, row, operands, claimed, .. } => {
				*claimed = self.row(*node, *row);
				let step = self.program.step(*node).expect("there is such a node");
				for (operand, at) in operands.iter_mut().zip(step.node.operands()) {
					let Some(open) = &mut operand.row else { continue };
					let tensor = &self.trace.tensors[at as usize];
					let is = |row: &u32| tensor.row(*row) == open.row.bytes;
					if let Some(row) = (0..tensor.shape().rows).find(is) {
						*open = self.row(at, row);
					}
				}
			}
			FraudProof::Declared { node, root, path: to, .. } => {
				(*root, *to) = (roots[*node as usize], path(*node));
			}
			FraudProof::Output { root, path: to } => {
				let last = self.program.output();
				(*root, *to) = (roots[last as usize], path(last));
			}
		}
		proof
	}

	fn row(&self, node: u32, row: u32) -> OpenTensor {
		match self.open(&Wanted::Row { node, row }) {
			Opening::Row { tensor, .. } => tensor,
			_ => unreachable!("a row opens to a row"),
		}
	}
}

/// Small published programs that together have every operation.
fn tasks() -> &'static [Task] {
	static TASKS: OnceLock<Vec<Task>> = OnceLock::new();
	TASKS.get_or_init(|| {
		let cases = ["ops", "graphs"].into_iter().flat_map(vectors);
		let valid = cases.filter_map(|case| {
			let program = case.program.validate().ok()?;
			let shape = |node: u32| program.shapes()[node as usize];
			let tensors = case.tensors.0.iter().map(|(node, bytes)| {
				(*node, Tensor::new(shape(*node), bytes.clone()).expect("vectors are sound"))
			});
			let small = program.len() <= 40 && program.costs().trace_bytes <= 4_096;
			let trace = small.then(|| execute(&program, &tensors.collect()))?.ok()?;
			Some(task(program, trace))
		});
		valid.collect()
	})
}

fn task(program: ValidProgram, trace: Trace) -> Task {
	let roots = trace.roots();
	let inputs: Vec<_> =
		program.inputs().into_iter().map(|(node, _)| roots[node as usize]).collect();
	let lies = (0..trace.tensors.len()).map(|node| {
		let mut wrong = trace.clone();
		let tensor = &trace.tensors[node];
		let mut data = tensor.data().to_vec();
		data[0] ^= 1;
		wrong.tensors[node] = Tensor::new(tensor.shape(), data).expect("the same shape");
		let claim = Claim::new(inputs.clone(), &wrong.commit());
		let Verdict::Invalid(fault) = full(&program, &claim, &wrong) else {
			panic!("the lie is not found")
		};
		let proof = prove(&program, &claim, &fault, &mut MemorySource::new(&wrong));
		(claim, proof.expect("a lie has a proof"))
	});
	let lies = lies.collect();
	let claim = Claim::new(inputs, &trace.commit());
	Task { program, trace, claim, lies }
}

/// The proof of a lie at each node, the same place in the honest trace, and answers to demands.
pub fn seeds() -> Vec<Seed> {
	let mut seeds = Vec::new();
	for (number, task) in (0u8..).zip(tasks()) {
		let name = |what: &str| format!("task-{number:03}-{what}");
		for (node, (_, proof)) in (0u8..).zip(&task.lies) {
			let of = |proof: FraudProof| [vec![number, node + 1], proof.encode()].concat();
			seeds.push((name(&format!("node-{node:02}-lie")), of(proof.clone())));
			seeds.push((name(&format!("node-{node:02}-honest")), of(task.honest(proof))));
		}
		let last = task.program.output();
		let rows = Position::root(task.program.output_shape().rows);
		let mut wanted = vec![
			Wanted::Row { node: last, row: 0 },
			Wanted::tensors(Position::root(task.program.len())),
		];
		// A single row is no subtree of its own.
		wanted.extend((rows.level > 0).then(|| Wanted::rows(last, rows)));
		for (place, wanted) in wanted.iter().enumerate() {
			let bytes = [vec![number, 0], wanted.encode(), task.open(wanted).encode()].concat();
			seeds.push((name(&format!("opening-{place}")), bytes));
		}
		let node = OpenNode::of(&task.program, last).expect("there is a last node");
		seeds.push((name("node"), [vec![number, 0], node.encode()].concat()));
	}
	seeds
}
