//! Fraud proofs: every lie has one, and no honest trace does.

mod common;

use assay_compute::{
	audit::{self, Claim, Fault, FaultKind, MemorySource, Verdict},
	execute,
	json::load_cases,
	proof::{prove, verify, CannotProve, FraudProof, Rejected, Statement},
	Dtype, Node, Program, Root, Shape, Tensor, Trace, ValidProgram,
};
use codec::{Decode, Encode};
use common::{random_case, random_place, Case, Rng};
use proptest::prelude::*;
use std::collections::BTreeMap;

fn honest(case: &Case) -> (Trace, Vec<Root>) {
	let trace = execute(&case.program, &case.tensors).unwrap();
	let roots = trace.roots();
	let inputs = case.program.inputs().iter().map(|(node, _)| roots[*node as usize]).collect();
	(trace, inputs)
}

/// What the chain would say of a proof.
fn decide(program: &ValidProgram, claim: &Claim, proof: &FraudProof) -> Result<Fault, Rejected> {
	let inputs: Vec<u32> = program.inputs().into_iter().map(|(node, _)| node).collect();
	let id = program.id();
	verify(&Statement { program: &id, nodes: program.len(), inputs: &inputs, claim }, proof)
}

/// The trace with another value in one element.
fn wrong_at(trace: &Trace, node: u32, at: usize, change: u8) -> Trace {
	let mut trace = trace.clone();
	let tensor = &trace.tensors[node as usize];
	let mut data = tensor.data().to_vec();
	data[at] ^= change;
	trace.tensors[node as usize] = Tensor::new(tensor.shape(), data).unwrap();
	trace
}

/// Finds the lie, proves it, and has the proof decided after a round through its encoding.
fn convict(program: &ValidProgram, claim: &Claim, trace: &Trace) -> (Fault, FraudProof) {
	let Verdict::Invalid(fault) = audit::full(program, claim, trace) else {
		panic!("the audit finds nothing");
	};
	let proof = prove(program, claim, &fault, &mut MemorySource::new(trace)).unwrap();
	let proof = FraudProof::decode(&mut &proof.encode()[..]).unwrap();
	assert_eq!(decide(program, claim, &proof), Ok(fault));
	(fault, proof)
}

/// An honest claim about the right trace cannot be convicted of anything, by any proof made for a
/// place of it or for a claim about another trace.
fn cannot_frame(case: &Case, claim: &Claim, trace: &Trace, rng: &mut Rng) {
	let node = rng.range(0, case.program.len() - 1);
	let (row, col, _) = random_place(rng, trace.tensors[node as usize].shape());
	let computed =
		!matches!(case.program.nodes()[node as usize], Node::Input { .. } | Node::Const { .. });
	let kinds = [(FaultKind::Element, computed), (FaultKind::Root, !computed)];
	for (kind, fits) in kinds {
		let fault = Fault { node, row, col, kind };
		let made = prove(&case.program, claim, &fault, &mut MemorySource::new(trace));
		match (made, fits) {
			(Err(CannotProve::Rejected(Rejected::NoFault)), true) => {}
			(Err(CannotProve::Rejected(Rejected::Kind(_)) | CannotProve::NoPlace), false) => {}
			(other, _) => panic!("{kind:?} at node {node}: {other:?}"),
		}
	}
	let fault = Fault { node: 0, row: 0, col: 0, kind: FaultKind::Output };
	let made = prove(&case.program, claim, &fault, &mut MemorySource::new(trace));
	assert_eq!(made, Err(CannotProve::Rejected(Rejected::NoFault)));
}

proptest! {
	#![proptest_config(ProptestConfig::with_cases(250))]

	#[test]
	fn every_lie_has_a_proof_that_frames_nobody_else(seed: u64, size in 1u32..16, change in 1u8..) {
		let case = random_case(seed, size);
		let (right, inputs) = honest(&case);
		let mut rng = Rng(seed ^ 3);
		let node = rng.range(0, case.program.len() - 1);
		let (row, col, at) = random_place(&mut rng, right.tensors[node as usize].shape());
		let trace = wrong_at(&right, node, at, change);
		let claim = Claim::new(inputs.clone(), &trace.commit());
		let (fault, proof) = convict(&case.program, &claim, &trace);
		prop_assert_eq!(fault.node, node);
		if fault.kind == FaultKind::Element {
			prop_assert_eq!((fault.row, fault.col), (row, col));
		}
		// The same evidence says nothing of a worker that committed to the right trace.
		let innocent = Claim::new(inputs, &right.commit());
		prop_assert!(decide(&case.program, &innocent, &proof).is_err());
		cannot_frame(&case, &innocent, &right, &mut rng);
	}

	/// Whatever is changed in a proof, it convicts of the same fault or of nothing; and a proof about
	/// an honest trace never convicts.
	#[test]
	fn tampered_proofs_convict_of_nothing_new(seed: u64, size in 1u32..12, flips in 1usize..4) {
		let case = random_case(seed, size);
		let (right, inputs) = honest(&case);
		let mut rng = Rng(seed ^ 4);
		let node = rng.range(0, case.program.len() - 1);
		let (_, _, at) = random_place(&mut rng, right.tensors[node as usize].shape());
		let trace = wrong_at(&right, node, at, 0x40);
		let claim = Claim::new(inputs.clone(), &trace.commit());
		let (fault, proof) = convict(&case.program, &claim, &trace);
		let innocent = Claim::new(inputs, &right.commit());
		let bytes = proof.encode();
		for _ in 0..32 {
			let mut bytes = bytes.clone();
			for _ in 0..flips {
				let at = rng.range(0, bytes.len() as u32 - 1) as usize;
				bytes[at] ^= 1 << rng.range(0, 7);
			}
			let Ok(changed) = FraudProof::decode(&mut &bytes[..]) else { continue };
			prop_assert!(decide(&case.program, &innocent, &changed).is_err());
			if let Ok(found) = decide(&case.program, &claim, &changed) {
				prop_assert_eq!(found.node, fault.node);
			}
		}
	}

	/// Decoding whatever bytes, and deciding what comes of it, ends in an error.
	#[test]
	fn noise_is_no_proof(bytes in prop::collection::vec(any::<u8>(), 0..600), seed: u64) {
		let case = random_case(seed, 4);
		let (trace, inputs) = honest(&case);
		let claim = Claim::new(inputs, &trace.commit());
		if let Ok(proof) = FraudProof::decode(&mut &bytes[..]) {
			prop_assert!(decide(&case.program, &claim, &proof).is_err());
		}
	}
}

/// Every node of every published program, at its first, last and middle element.
#[test]
fn every_node_of_every_vector() {
	let mut proved = BTreeMap::new();
	for file in ["ops.json", "ops_edge.json", "graphs.json", "pointed.json"] {
		let path = format!("{}/tests/vectors/{file}", env!("CARGO_MANIFEST_DIR"));
		for case in load_cases(&std::fs::read_to_string(path).unwrap()).unwrap() {
			if case.expect.invalid.is_some() {
				continue;
			}
			let program = case.program.clone().validate().unwrap();
			let shape = |node: &u32| program.shapes()[*node as usize];
			let tensors = case.tensors.0.iter();
			let tensors: BTreeMap<u32, Tensor> = tensors
				.map(|(node, bytes)| (*node, Tensor::new(shape(node), bytes.clone()).unwrap()))
				.collect();
			let case = Case { program, tensors };
			let (right, inputs) = honest(&case);
			for node in 0..case.program.len() {
				let size = right.tensors[node as usize].data().len();
				for at in [0, size / 2, size - 1] {
					let trace = wrong_at(&right, node, at, 0xFF);
					let claim = Claim::new(inputs.clone(), &trace.commit());
					let (fault, _) = convict(&case.program, &claim, &trace);
					assert_eq!(fault.node, node);
					*proved.entry(case.program.nodes()[node as usize].name()).or_insert(0) += 1;
				}
			}
		}
	}
	assert_eq!(proved.len(), 23, "every operation: {proved:?}");
}

/// A product of 4096 × 4096 matrices: three rows and their paths.
#[test]
fn a_wide_products_proof_is_small() {
	let k = 4_096;
	let shape = Shape::new(Dtype::I8, k, k);
	let fill = |seed| Node::Fill { rows: k, cols: k, seed: [seed; 32] };
	let nodes = vec![
		fill(1),
		fill(2),
		Node::MatmulT { a: 0, b: 1 },
		Node::SliceRows { x: 2, start: 7, len: 1 },
	];
	let program = Program { nodes }.validate().unwrap();
	assert_eq!(program.shapes()[0], shape);
	// Nothing is executed: an all-zero result is as wrong as any.
	let mut trace = execute(
		&Program { nodes: vec![fill(1), fill(2), Node::ConcatRows { parts: vec![0, 1] }] }
			.validate()
			.unwrap(),
		&BTreeMap::new(),
	)
	.unwrap();
	trace.tensors.truncate(2);
	let zeros = |rows, cols| {
		let shape = Shape::new(Dtype::I32, rows, cols);
		Tensor::new(shape, vec![0; shape.bytes() as usize]).unwrap()
	};
	trace.tensors.extend([zeros(k, k), zeros(1, k)]);
	let claim = Claim::new(Vec::new(), &trace.commit());
	let fault = Fault { node: 2, row: 4_095, col: 17, kind: FaultKind::Element };
	let proof = prove(&program, &claim, &fault, &mut MemorySource::new(&trace)).unwrap();
	assert_eq!(decide(&program, &claim, &proof), Ok(fault));
	assert!(proof.encoded_size() <= 40 * 1024, "{} bytes", proof.encoded_size());
}
