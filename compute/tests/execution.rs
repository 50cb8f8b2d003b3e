//! Execution against the plain meaning, on random programs over all operations.

mod common;

use assay_compute::{execute, execute_with, reference, ExecError, Node, Prepared, Tensor};
use common::random_case;
use proptest::prelude::*;
use std::{
	collections::{BTreeMap, BTreeSet},
	convert::Infallible,
};

proptest! {
	#![proptest_config(ProptestConfig::with_cases(300))]

	/// Whole tensors, single rows and single elements all agree with the reference.
	#[test]
	fn kernels_agree_with_the_reference(seed: u64, size in 1u32..24) {
		let case = random_case(seed, size);
		let trace = execute(&case.program, &case.tensors).unwrap();
		for (index, tensor) in (0u32..).zip(&trace.tensors) {
			let step = case.program.step(index).unwrap();
			let operands: Vec<&Tensor> =
				step.node.operands().map(|operand| &trace.tensors[operand as usize]).collect();
			match reference::compute(&step, &operands) {
				None => prop_assert_eq!(tensor, &case.tensors[&index]),
				Some(want) => {
					prop_assert_eq!(tensor, &want.unwrap(), "node {}: {:?}", index, step.node);
					let fetch = |slot: u32, row: u32| {
						Ok::<_, Infallible>(operands[slot as usize].row(row))
					};
					let row = seed as u32 % tensor.shape().rows;
					let col = (seed >> 32) as u32 % tensor.shape().cols;
					prop_assert_eq!(&step.row(row, fetch).unwrap()[..], tensor.row(row));
					prop_assert_eq!(step.element(row, col, fetch).ok(), tensor.get(row, col));
				},
			}
		}
	}

	/// Freeing tensors after their last use changes nothing.
	#[test]
	fn a_streamed_run_shows_the_same_tensors(seed: u64, size in 1u32..16) {
		let case = random_case(seed, size);
		let trace = execute(&case.program, &case.tensors).unwrap();
		let is_const = |node: &u32| matches!(case.program.nodes()[*node as usize], Node::Const { .. });
		let (consts, inputs) = case.tensors.clone().into_iter().partition(|(node, _)| is_const(node));
		let prepared = Prepared::new(&case.program, consts).unwrap();
		let mut seen = Vec::new();
		prepared.run(inputs, &mut |_, tensor| { seen.push(tensor.clone()); true }).unwrap();
		prop_assert_eq!(seen, trace.tensors.clone());
		prop_assert_eq!(trace.commit_executed(&case.program), trace.commit());
	}
}

/// The programs above are only worth something if no operation is missing from them.
#[test]
fn random_programs_use_every_operation() {
	let mut used = BTreeMap::<&str, usize>::new();
	for seed in 0..200 {
		for node in random_case(seed, 16).program.nodes() {
			*used.entry(node.name()).or_default() += 1;
		}
	}
	assert_eq!(used.len(), 23, "{used:?}");
	assert!(used.values().all(|count| *count >= 20), "{used:?}");
}

#[test]
fn wrong_tensors_are_refused() {
	let case = (0..)
		.map(|seed| random_case(seed, 12))
		.find(|case| !case.program.consts().is_empty() && !case.program.inputs().is_empty());
	let case = case.unwrap();
	let (const_node, ..) = case.program.consts()[0];
	let (input_node, shape) = case.program.inputs()[0];

	let mut missing = case.tensors.clone();
	missing.remove(&input_node);
	assert_eq!(execute(&case.program, &missing), Err(ExecError::Missing { node: input_node }));

	let mut forged = case.tensors.clone();
	let tensor = &forged[&const_node];
	let mut data = tensor.data().to_vec();
	data[0] ^= 1;
	let tensor = Tensor::new(tensor.shape(), data).unwrap();
	let got = assay_compute::tensor_root(&tensor);
	forged.insert(const_node, tensor);
	let refused = ExecError::Root { node: const_node, got };
	assert_eq!(execute(&case.program, &forged), Err(refused));

	let mut misshapen = case.tensors.clone();
	let other = assay_compute::Shape { rows: shape.rows + 1, ..shape };
	misshapen.insert(input_node, Tensor::new(other, vec![0; other.bytes() as usize]).unwrap());
	let refused = ExecError::Shape { node: input_node, want: shape, got: other };
	assert_eq!(execute(&case.program, &misshapen), Err(refused));

	let computed: BTreeSet<u32> =
		(0..case.program.len()).filter(|node| !case.tensors.contains_key(node)).collect();
	let node = *computed.first().unwrap();
	let mut unexpected = case.tensors.clone();
	unexpected.insert(node, Tensor::from_i8(1, 1, &[0]).unwrap());
	assert_eq!(execute(&case.program, &unexpected), Err(ExecError::Unexpected { node }));
}

#[test]
fn an_observer_sees_progress_and_can_stop() {
	let case = random_case(7, 10);
	let total = case.program.len();
	let mut seen = Vec::new();
	let mut observer = |node, of| {
		seen.push((node, of));
		true
	};
	execute_with(&case.program, &case.tensors, &mut observer).unwrap();
	assert_eq!(seen, (0..total).map(|node| (node, total)).collect::<Vec<_>>());
	let mut stop = |node, _| node < 2;
	let stopped = execute_with(&case.program, &case.tensors, &mut stop);
	assert_eq!(stopped, Err(ExecError::Stopped { node: 2 }));
}

/// More threads than rows, and a pool of one: results do not depend on how work is divided.
#[test]
fn threads_do_not_matter() {
	let run = |threads: usize| {
		let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
		pool.install(|| {
			(0..20)
				.map(|seed| {
					let case = random_case(seed, 12);
					execute(&case.program, &case.tensors).unwrap().commit()
				})
				.collect::<Vec<_>>()
		})
	};
	assert_eq!(run(1), run(7));
}
