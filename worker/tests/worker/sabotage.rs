//! The lie for development: one element, exactly where it was asked for.

use crate::common::{block_on, claim, fetch_trace, program, until, Buyer, Rig};
use assay_compute::{
	audit::{self, Fault, FaultKind, Verdict},
	execute, Dtype, Trace, ValidProgram,
};
use assay_primitives::work::TaskStatus;
use assay_worker::{
	config::{Config, ConfigError, File},
	sabotage::{Sabotage, SabotageError},
};
use std::convert::Infallible;

/// Every element that is not the exact result of the trace's own operands.
fn wrong_elements(program: &ValidProgram, trace: &Trace) -> Vec<(u32, u32, u32)> {
	let mut wrong = Vec::new();
	for node in 0..program.len() {
		let step = program.step(node).unwrap();
		let operands: Vec<u32> = step.node.operands().collect();
		let tensor = &trace.tensors[node as usize];
		for row in 0..step.out.rows {
			let fetch = |slot: u32, row: u32| {
				let operand = &trace.tensors[operands[slot as usize] as usize];
				Ok::<_, Infallible>(operand.row(row).to_vec())
			};
			// Inputs and consts are not computed.
			let Ok(exact) = step.row(row, fetch) else { continue };
			let size = step.out.dtype.size() as usize;
			let pairs = exact.chunks(size).zip(tensor.row(row).chunks(size));
			let cols = (0..).zip(pairs).filter(|(_, (exact, claimed))| exact != claimed);
			wrong.extend(cols.map(|(col, _)| (node, row, col)));
		}
	}
	wrong
}

#[test]
fn every_node_can_hold_the_one_lie() {
	block_on(async {
		let buyer = Buyer::new(1).await;
		let program = program();
		let exact = execute(&program, &buyer.given(0)).unwrap();
		for (node, shape) in (0..).zip(program.shapes()) {
			let (row, col) = (shape.rows - 1, shape.cols / 2);
			for delta in [1, -1, 127, i32::MIN + 1] {
				let lie = Sabotage { node, row, col, delta };
				let mut trace = exact.clone();
				match lie.apply(&program, &mut trace) {
					Ok(()) => {}
					Err(SabotageError::Given { .. }) => {
						assert!([0, 1, 6].contains(&node));
						assert_eq!(trace, exact);
						continue;
					}
					other => panic!("{lie:?}: {other:?}"),
				}
				assert_eq!(wrong_elements(&program, &trace), [(node, row, col)], "{lie:?}");
				let (old, new) = (&exact.tensors[node as usize], &trace.tensors[node as usize]);
				let (old, new) = (old.get(row, col).unwrap(), new.get(row, col).unwrap());
				match shape.dtype {
					Dtype::I8 => assert_eq!(new, i32::from((old as i8).wrapping_add(delta as i8))),
					Dtype::I32 => assert_eq!(new, old.wrapping_add(delta)),
				}
			}
		}
	});
}

#[test]
fn auditors_find_it_at_its_place() {
	block_on(async {
		let buyer = Buyer::new(1).await;
		let mut rig = Rig::new();
		let lie = "2:1:3:5".parse().unwrap();
		rig.config = rig.config.with_sabotage(Some(lie)).unwrap();
		let tasks = buyer.post(&rig.chain);
		let worker = rig.start().await;
		let is_done = || matches!(rig.chain.status(tasks[0]), TaskStatus::Auditing { .. });
		until("submitted", is_done).await;
		let claim = claim(&rig.chain, tasks[0]);
		let trace = fetch_trace(&worker.url, &buyer.program, &claim).await;
		let fault = Fault { node: 2, row: 1, col: 3, kind: FaultKind::Element };
		let program = &buyer.program;
		assert_eq!(audit::full(program, &claim, &trace), Verdict::Invalid(fault));
		let found = audit::projection::audit(program, &claim, &trace, &[3; 32]);
		assert_eq!(found, Verdict::Invalid(fault));
		assert_eq!(wrong_elements(program, &trace), [(2, 1, 3)]);
		worker.stop().await;
	});
}

#[test]
fn malformed_lies_are_refused() {
	assert_eq!("1:2:3:-4".parse(), Ok(Sabotage { node: 1, row: 2, col: 3, delta: -4 }));
	for bad in
		["", "1:2:3", "1:2:3:4:5", "1:2:3:0", "-1:2:3:4", "1:2:3:x", "1:2:3:2147483648", "1: 2:3:4"]
	{
		let error = bad.parse::<Sabotage>().unwrap_err().to_string();
		assert!(error.contains("NODE:ROW:COL:DELTA"), "{error}");
	}
	let check = |lie: &str| lie.parse::<Sabotage>().unwrap().check(&program());
	for (lie, words) in [
		("10:0:0:1", "there is no node 10; the program has nodes 0 to 9"),
		("0:0:0:1", "node 0 is input"),
		("1:0:0:1", "node 1 is const"),
		("2:5:0:1", "node 2 has no element (5, 0)"),
		("2:0:6:1", "node 2 has no element (0, 6)"),
		("3:0:0:-512", "-512 is nought in i8"),
	] {
		let error = check(lie).unwrap_err().to_string();
		assert!(error.contains(words), "{lie}: {error}");
	}
	assert_eq!(check("2:4:5:256"), Ok(()));
}

#[test]
fn lies_are_for_development_only() {
	let lie = Some("2:0:0:1".parse().unwrap());
	let public = Config::load(None, File::default()).unwrap();
	assert!(matches!(public.clone().with_sabotage(lie), Err(ConfigError::Sabotage)));
	assert!(public.with_sabotage(None).is_ok());
	let local = File { allow_local: Some(true), ..File::default() };
	assert_eq!(Config::load(None, local).unwrap().with_sabotage(lie).unwrap().sabotage, lie);
}
