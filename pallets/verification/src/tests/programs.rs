//! Registering and removing programs.

use crate::{mock::*, *};
use assay_compute::{Dtype, Node};
use assay_primitives::{traits::Programs as _, Root};
use frame_support::{
	assert_noop, assert_ok,
	pallet_prelude::DispatchResult,
	traits::fungible::{Inspect, InspectHold},
};
use sp_runtime::TokenError;

fn register_bytes(who: AccountId, bytes: Vec<u8>) -> DispatchResult {
	Verification::register_program(RuntimeOrigin::signed(who), bytes.try_into().unwrap())
}

fn held(who: AccountId) -> u128 {
	Balances::balance_on_hold(&HoldReason::ProgramDeposit.into(), &who)
}

#[test]
fn registering_keeps_id_costs_and_deposit() {
	test(|| {
		let bytes = program(5).encode();
		let valid = program(5).validate().unwrap();
		let id = register(5);
		assert_eq!(id.0, valid.id());

		let kept = Programs::<Test>::get(id).unwrap();
		assert_eq!(kept.owner, OWNER);
		assert_eq!(kept.users, 0);
		assert_eq!(kept.deposit, 1_000 + 10 * bytes.len() as u128);
		assert_eq!(held(OWNER), kept.deposit);
		// x: i8[5,4], w: i8[3,4], result i32[5,3].
		let costs = kept.info.costs;
		assert_eq!(costs.macs, 5 * 3 * 4);
		assert_eq!(costs.trace_bytes, 5 * 4 + 3 * 4 + 4 * 5 * 3);
		assert_eq!(costs.leaves, 5 + 3 + 5);
		assert_eq!(costs.const_bytes, 0);
		assert_eq!(costs.elements, 3 * 4);
		assert_eq!((kept.info.nodes, kept.info.inputs), (3, 1));
		assert_eq!(kept.info.bytes as usize, bytes.len());
		assert_eq!(Verification::info(&id), Some(kept.info));
		assert!(events().contains(&Event::ProgramRegistered {
			program: id,
			owner: OWNER,
			costs,
			deposit: kept.deposit
		}));
	});
}

#[test]
fn a_program_is_registered_once() {
	test(|| {
		register(5);
		assert_noop!(register_bytes(OWNER, program(5).encode()), Error::<Test>::AlreadyRegistered);
		register(6);
		// And the one that the tests' claims are about.
		assert_eq!(Programs::<Test>::iter().count(), 3);
	});
}

#[test]
fn malformed_bytes_are_refused() {
	test(|| {
		let good = program(5).encode();
		let mut trailing = good.clone();
		trailing.push(0);
		let mut op = good.clone();
		op[1] = 23;
		let cut = good[..good.len() - 1].to_vec();
		// The same count of nodes, 3, in two bytes: not the canonical compact.
		let mut long = vec![0b0000_1101, 0];
		long.extend(&good[1..]);
		for bytes in [trailing, op, cut, long, vec![], vec![0xff; 64]] {
			assert_noop!(register_bytes(OWNER, bytes), Error::<Test>::ProgramMalformed);
		}
	});
}

#[test]
fn every_invalid_vector_is_refused() {
	#[derive(serde::Deserialize)]
	struct Case {
		name: String,
		program: assay_compute::Program,
	}
	let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../compute/tests/vectors/invalid.json");
	let text = std::fs::read_to_string(path).expect("the vectors are kept with the compute crate");
	let cases: Vec<Case> = serde_json::from_str(&text).unwrap();
	assert!(cases.len() >= 40, "only {} cases", cases.len());
	test(|| {
		for case in cases {
			let refused = register_bytes(OWNER, case.program.encode()).unwrap_err();
			assert!(
				refused == Error::<Test>::ProgramInvalid.into()
					|| refused == Error::<Test>::ProgramMalformed.into(),
				"{}: {refused:?}",
				case.name
			);
		}
		assert_eq!(Programs::<Test>::iter().count(), 1);
		assert_eq!(held(OWNER), 0);
	});
}

#[test]
fn inputs_are_limited_to_what_a_task_may_have() {
	let with_inputs = |n: u32| {
		let mut nodes = vec![Node::Input { dtype: Dtype::I8, rows: 1, cols: 1 }; n as usize];
		nodes.push(Node::ConcatCols { parts: (0..n).collect() });
		assay_compute::Program { nodes }.encode()
	};
	test(|| {
		assert_noop!(register_bytes(OWNER, with_inputs(17)), Error::<Test>::TooManyInputs);
		assert_ok!(register_bytes(OWNER, with_inputs(16)));
	});
}

#[test]
fn the_deposit_must_be_there() {
	test(|| {
		assert_noop!(register_bytes(POOR, program(5).encode()), TokenError::FundsUnavailable);
		assert_eq!(held(POOR), 0);
	});
}

#[test]
fn the_owner_gets_the_deposit_back() {
	test(|| {
		let before = Balances::balance(&OWNER);
		let id = register(5);
		// A change of rates does not change what is given back.
		let params = Params { program_deposit_per_byte: 99, ..params() };
		assert_ok!(Verification::set_parameters(RuntimeOrigin::root(), params));
		assert_ok!(Verification::remove_program(RuntimeOrigin::signed(OWNER), id));
		assert_eq!(held(OWNER), 0);
		assert_eq!(Balances::balance(&OWNER), before);
		assert_eq!(Verification::info(&id), None);
		assert_noop!(
			Verification::remove_program(RuntimeOrigin::signed(OWNER), id),
			Error::<Test>::UnknownProgram
		);
	});
}

#[test]
fn only_the_owner_removes_and_only_what_is_unused() {
	test(|| {
		let id = register(5);
		assert_noop!(
			Verification::remove_program(RuntimeOrigin::signed(POOR), id),
			Error::<Test>::NotOwner
		);
		assert_ok!(Verification::hold(&id));
		assert_ok!(Verification::hold(&id));
		Verification::unhold(&id);
		assert_noop!(
			Verification::remove_program(RuntimeOrigin::signed(OWNER), id),
			Error::<Test>::InUse
		);
		Verification::unhold(&id);
		assert_ok!(Verification::remove_program(RuntimeOrigin::signed(OWNER), id));
		assert_noop!(Verification::hold(&id), Error::<Test>::UnknownProgram);
		// Nothing comes back to life.
		Verification::unhold(&id);
		assert_eq!(Verification::info(&id), None);
	});
}

#[test]
fn inputs_of_a_task_are_verified_against_the_jobs_root() {
	let tasks: Vec<Vec<[u8; 32]>> = (0..5u8).map(|i| vec![[i; 32], [i + 100; 32]]).collect();
	let root = Root::from(assay_compute::tasks_root(&tasks));
	let roots = |bytes: &[[u8; 32]]| bytes.iter().map(|b| Root::from(*b)).collect::<Vec<_>>();
	for (i, task) in tasks.iter().enumerate() {
		let path = roots(&assay_compute::prove_task(&tasks, i as u32).unwrap());
		let verify = |index, inputs: &[Root], path: &[Root]| {
			Verification::verify_inputs(&root, 5, index, inputs, path)
		};
		assert!(verify(i as u32, &roots(task), &path));
		assert!(!verify((i as u32 + 1) % 5, &roots(task), &path));
		assert!(!verify(5, &roots(task), &path));
		assert!(!verify(i as u32, &roots(&task[..1]), &path));
		let mut longer = path.clone();
		longer.push(Root::zero());
		assert!(!verify(i as u32, &roots(task), &longer));
	}
}
