//! The store: what is put comes back, what is damaged does not.

mod common;

use assay_compute::{tasks_root, tensor_root, trace_root, verify_row, Root};
use assay_data::{
	store::{Keep, Kind},
	Store, StoreError,
};
use common::{program, store, tensor};
use std::{fs, path::PathBuf, time::Duration};

fn path(store: &Store, kind: Kind, root: &Root) -> PathBuf {
	store.dir().join(kind.folder()).join(hex(root))
}

fn hex(root: &Root) -> String {
	root.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn is_damaged<T: std::fmt::Debug>(result: Result<T, StoreError>) -> bool {
	matches!(result, Err(StoreError::Damaged { .. }))
}

#[test]
fn everything_comes_back_also_after_reopening() {
	let (dir, store) = store();
	let (program, weights) = program();
	let roots = vec![[1; 32], [2; 32], [3; 32]];
	let tasks = vec![vec![[4; 32], [5; 32]], vec![], vec![[6; 32]]];

	let tensor_id = store.put_tensor(&weights).unwrap();
	let program_id = store.put_program(&program.encode()).unwrap();
	let trace_id = store.put_trace(&roots).unwrap();
	let tasks_id = store.put_tasks(&tasks).unwrap();
	assert_eq!(tensor_id, tensor_root(&weights));
	assert_eq!(program_id, program.clone().validate().unwrap().id());
	assert_eq!(trace_id, trace_root(&roots));
	assert_eq!(tasks_id, tasks_root(&tasks));

	drop(store);
	let store = Store::open(dir.path()).unwrap();
	assert_eq!(store.tensor(&tensor_id).unwrap(), Some(weights.clone()));
	assert_eq!(store.shape(&tensor_id).unwrap(), Some(weights.shape()));
	assert_eq!(store.program_bytes(&program_id).unwrap(), Some(program.encode()));
	assert_eq!(store.program(&program_id).unwrap().unwrap().id(), program_id);
	assert_eq!(store.trace(&trace_id).unwrap(), Some(roots));
	assert_eq!(store.tasks(&tasks_id).unwrap(), Some(tasks));
	// Kinds do not mix, and what was never put is not there.
	assert!(!store.has(Kind::Trace, &tensor_id).unwrap());
	assert_eq!(store.tensor(&trace_id).unwrap(), None);
	assert_eq!(fs::read_dir(dir.path().join("tmp")).unwrap().count(), 0);
}

#[test]
fn many_tensors_are_put_at_once() {
	let (dir, store) = store();
	let tensors: Vec<_> = (0..300).map(|seed| tensor(2, 3, seed * 9999)).collect();
	store.put_tensors(tensors.iter().map(|tensor| (tensor_root(tensor), tensor))).unwrap();
	for tensor in &tensors {
		assert_eq!(store.tensor(&tensor_root(tensor)).unwrap().as_ref(), Some(tensor));
	}
	assert_eq!(fs::read_dir(dir.path().join("tmp")).unwrap().count(), 0);
	store.put_tensors([]).unwrap();
}

#[test]
fn invalid_things_are_not_put() {
	let (_dir, store) = store();
	let (program, _) = program();
	let mut trailing = program.encode();
	trailing.push(0);
	let mut dead = program;
	dead.nodes.swap(0, 1);
	dead.nodes.pop();
	for bytes in [&[][..], &[0], &trailing, &dead.encode()] {
		assert!(matches!(store.put_program(bytes), Err(StoreError::Invalid { .. })));
	}
	assert!(matches!(store.put_trace(&[]), Err(StoreError::Invalid { .. })));
	assert!(matches!(store.put_tasks(&[]), Err(StoreError::Invalid { .. })));
}

/// Every byte of every kind of file, changed, cut off or added to, is noticed.
#[test]
fn damage_is_noticed_wherever_it_is_and_can_be_mended() {
	let (_dir, store) = store();
	let (program, _) = program();
	let small = tensor(3, 5, 1);
	let things = [
		(Kind::Tensor, store.put_tensor(&small).unwrap()),
		(Kind::Program, store.put_program(&program.encode()).unwrap()),
		(Kind::Trace, store.put_trace(&[[7; 32], [8; 32]]).unwrap()),
		(Kind::Tasks, store.put_tasks(&[vec![[9; 32]], vec![[1; 32]]]).unwrap()),
	];
	for (kind, root) in things {
		let path = path(&store, kind, &root);
		let good = fs::read(&path).unwrap();
		let read = || match kind {
			Kind::Tensor => store.tensor(&root).map(|found| found.is_some()),
			Kind::Program => store.program_bytes(&root).map(|found| found.is_some()),
			Kind::Trace => store.trace(&root).map(|found| found.is_some()),
			Kind::Tasks => store.tasks(&root).map(|found| found.is_some()),
		};
		let flipped = (0..good.len()).map(|at| {
			let mut bad = good.clone();
			bad[at] ^= 0x10;
			bad
		});
		let cut = (0..good.len()).map(|length| good[..length].to_vec());
		let longer = std::iter::once([&good[..], &[0]].concat());
		for bad in flipped.chain(cut).chain(longer) {
			fs::write(&path, &bad).unwrap();
			assert!(is_damaged(read()), "{kind}: {bad:?}");
			assert!(!read().unwrap(), "what is damaged is removed");
			fs::write(&path, &good).unwrap();
			assert!(read().unwrap());
		}
	}
	// Putting mends a file whose damage shows in its length.
	let root = tensor_root(&small);
	fs::write(path(&store, Kind::Tensor, &root), b"short").unwrap();
	store.put_tensor(&small).unwrap();
	assert_eq!(store.tensor(&root).unwrap(), Some(small));
}

#[test]
fn a_tensor_put_under_a_wrong_root_is_never_handed_out() {
	let (_dir, store) = store();
	store.put_tensor_as([5; 32], &tensor(2, 2, 1)).unwrap();
	assert!(
		is_damaged(store.row(&[5; 32], 0).map(|row| row.is_some())) || {
			// Its tree has another root, so its rows do not verify.
			store.row(&[5; 32], 0).unwrap().is_none()
		}
	);
	assert_eq!(store.tensor(&[5; 32]).unwrap(), None);
}

#[test]
fn reading_in_pieces_holds_the_last_piece_back_until_all_is_checked() {
	let (_dir, store) = store();
	let large = tensor(1000, 1000, 3);
	let root = store.put_tensor(&large).unwrap();
	let mut reader = store.read_tensor(&root).unwrap().unwrap();
	let mut data = Vec::new();
	let mut pieces = 0;
	while let Some(chunk) = reader.next_chunk().unwrap() {
		data.extend(chunk);
		pieces += 1;
	}
	assert!(pieces > 2);
	assert_eq!(data, large.data());

	let path = path(&store, Kind::Tensor, &root);
	let mut bytes = fs::read(&path).unwrap();
	bytes[500] ^= 1;
	fs::write(&path, bytes).unwrap();
	let mut reader = store.read_tensor(&root).unwrap().unwrap();
	let mut got = 0;
	let end = loop {
		match reader.next_chunk() {
			Ok(Some(chunk)) => got += chunk.len(),
			end => break end,
		}
	};
	assert!(is_damaged(end));
	assert!(got < large.data().len());
	assert!(reader.next_chunk().unwrap().is_none());
}

#[test]
fn rows_come_with_paths_that_prove_them() {
	for cache in [0, 1 << 20] {
		let dir = tempfile::tempdir().unwrap();
		let store = Store::open_with(dir.path(), cache).unwrap();
		let seven = tensor(7, 9, 2);
		let root = store.put_tensor(&seven).unwrap();
		for index in 0..7 {
			let row = store.row(&root, index).unwrap().unwrap();
			assert_eq!(row.bytes, seven.row(index));
			assert!(verify_row(&root, seven.shape(), index, &row.bytes, &row.path));
		}
		assert_eq!(store.row(&root, 7).unwrap(), None);
		assert_eq!(store.row(&[0; 32], 0).unwrap(), None);

		// Damage after the tree was made.
		let path = path(&store, Kind::Tensor, &root);
		let mut bytes = fs::read(&path).unwrap();
		*bytes.last_mut().unwrap() ^= 1;
		fs::write(&path, bytes).unwrap();
		assert!(is_damaged(store.row(&root, 6)));
		assert_eq!(store.row(&root, 6).unwrap(), None);
	}
}

#[test]
fn collecting_keeps_what_is_referred_to_and_what_is_young() {
	let (_dir, store) = store();
	let (program, weights) = program();
	let (input, output, other) = (tensor(3, 8, 1), tensor(1, 4, 2), tensor(1, 4, 3));
	let weights = store.put_tensor(&weights).unwrap();
	let input = store.put_tensor(&input).unwrap();
	let output = store.put_tensor(&output).unwrap();
	let other = store.put_tensor(&other).unwrap();
	let program = store.put_program(&program.encode()).unwrap();
	let trace = store.put_trace(&[weights, output]).unwrap();
	let old_trace = store.put_trace(&[other]).unwrap();
	let tasks = store.put_tasks(&[vec![input]]).unwrap();
	fs::write(store.dir().join("tensors/README"), "not ours").unwrap();

	let hour = Duration::from_secs(3600);
	assert_eq!(store.collect(&Keep::default(), hour).unwrap().files, 0);

	let mut keep = Keep::default();
	keep.add_program(&store, program).unwrap();
	keep.add_trace(&store, trace).unwrap();
	keep.add_tasks(&store, tasks).unwrap();
	let removed = store.collect(&keep, Duration::ZERO).unwrap();
	assert_eq!(removed.files, 2);
	assert_eq!(store.tensor(&other).unwrap(), None);
	assert_eq!(store.trace(&old_trace).unwrap(), None);
	for root in [weights, input, output] {
		assert!(store.tensor(&root).unwrap().is_some());
	}
	assert!(store.program(&program).unwrap().is_some());
	assert!(store.trace(&trace).unwrap().is_some());
	assert!(store.tasks(&tasks).unwrap().is_some());
	assert!(store.dir().join("tensors/README").exists());

	assert_eq!(store.collect(&Keep::default(), Duration::ZERO).unwrap().files, 6);
}
