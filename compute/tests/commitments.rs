//! Commitments: the tree's shape, strict proofs, and hashing in pieces.

mod common;

use assay_compute::{
	commit::merkle, prove_node, prove_task, prove_trace, tasks_root, tensor_root, tensor_root_of,
	trace_root, verify_node, verify_row, verify_task, verify_trace, Dtype, GroupTree, HasherError,
	Root, RowTree, Shape, Tensor, TensorHasher,
};
use common::{random_case, Rng};
use proptest::prelude::*;
use std::ops::Range;

fn h(parts: &[&[u8]]) -> Root {
	let mut hasher = blake3::Hasher::new();
	for part in parts {
		hasher.update(part);
	}
	*hasher.finalize().as_bytes()
}

/// The definition, word by word: n leaves split at the largest power of two below n.
fn merkle_root(leaves: &[Root]) -> Root {
	match leaves {
		[leaf] => *leaf,
		_ => {
			let mut split = 1;
			while split * 2 < leaves.len() {
				split *= 2;
			}
			let (left, right) = leaves.split_at(split);
			h(&[&[1], &merkle_root(left), &merkle_root(right)])
		}
	}
}

fn tensor_root_by_definition(tensor: &Tensor) -> Root {
	let Shape { dtype, rows, cols } = tensor.shape();
	let leaves: Vec<Root> = (0..rows).map(|row| h(&[&[0], tensor.row(row)])).collect();
	let header = (dtype as u8, rows.to_le_bytes(), cols.to_le_bytes());
	h(&[&[2], &[header.0], &header.1, &header.2, &merkle_root(&leaves)])
}

fn tensor(seed: u64, rows: u32, cols: u32) -> Tensor {
	Rng(seed).tensor(Shape::new(
		if seed.is_multiple_of(2) { Dtype::I8 } else { Dtype::I32 },
		rows,
		cols,
	))
}

proptest! {
	#![proptest_config(ProptestConfig::with_cases(200))]

	#[test]
	fn roots_follow_the_definition(seed: u64, rows in 1u32..70, cols in 1u32..600) {
		let tensor = tensor(seed, rows, cols);
		let root = tensor_root_by_definition(&tensor);
		prop_assert_eq!(tensor_root(&tensor), root);
		prop_assert_eq!(tensor_root_of(tensor.shape(), tensor.data()), root);
		prop_assert_eq!(RowTree::new(&tensor).root(), root);
	}

	/// Chunk boundaries of the hash, in which rows of every width end differently.
	#[test]
	fn roots_of_wide_rows(seed: u64, rows in 1u32..20, cols in 1000u32..9000) {
		let tensor = tensor(seed, rows, cols);
		prop_assert_eq!(tensor_root(&tensor), tensor_root_by_definition(&tensor));
	}

	#[test]
	fn hashing_in_pieces_is_hashing_the_whole(
		seed: u64,
		rows in 1u32..40,
		cols in 1u32..40,
		cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
	) {
		let tensor = tensor(seed, rows, cols);
		let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(tensor.data().len() + 1)).collect();
		cuts.sort();
		let mut hasher = TensorHasher::new(tensor.shape()).unwrap();
		let mut start = 0;
		for cut in cuts.into_iter().chain([tensor.data().len()]) {
			prop_assert_eq!(hasher.missing(), (tensor.data().len() - start) as u64);
			hasher.push(&tensor.data()[start..cut]).unwrap();
			start = cut;
		}
		prop_assert_eq!(hasher.clone().push(&[0]), Err(HasherError::TooLong));
		prop_assert_eq!(hasher.finish(), Ok(tensor_root(&tensor)));
	}

	/// From groups of rows it is the same tree: of narrow rows and of those wider than a group.
	#[test]
	fn groups_open_rows_as_the_whole_tree_does(
		seed: u64,
		rows in 1u32..10_000,
		wide in any::<prop::sample::Index>(),
	) {
		let cols = [1, 3, 64, 20_000, 70_000][wide.index(5)];
		let rows = rows.min(400_000 / cols).max(1);
		let tensor = tensor(seed, rows, cols);
		let (shape, width) = (tensor.shape(), tensor.shape().row_bytes() as usize);
		let bytes = |rows: Range<u32>| {
			&tensor.data()[rows.start as usize * width..rows.end as usize * width]
		};
		let mut asked = 0;
		let groups = GroupTree::build(shape, |rows| {
			assert_eq!(rows.start, asked, "in order");
			assert!(bytes(rows.clone()).len() <= width.max(64 * 1024));
			asked = rows.end;
			Ok::<_, ()>(bytes(rows).to_vec())
		}).unwrap();
		let whole = RowTree::new(&tensor);
		prop_assert_eq!((asked, groups.root()), (rows, whole.root()));
		prop_assert!(groups.bytes() <= 64 + 64 * u64::from(rows.div_ceil(4_096)).max(shape.bytes() / 32_768));
		for row in [0, rows / 3, rows / 2, rows - 1] {
			let group = groups.group_of(row);
			prop_assert!(group.contains(&row));
			prop_assert_eq!(groups.prove(row, bytes(group)), whole.prove(row));
		}
		prop_assert_eq!(groups.prove(rows, &[]), None);
	}

	/// A row opens at its place and nowhere else, with its path and no other.
	#[test]
	fn row_proofs_are_strict(seed: u64, rows in 1u32..40, cols in 1u32..20) {
		let tensor = tensor(seed, rows, cols);
		let (shape, tree) = (tensor.shape(), RowTree::new(&tensor));
		let root = tree.root();
		for row in 0..rows {
			let path = tree.prove(row).unwrap();
			let bytes = tensor.row(row);
			prop_assert!(verify_row(&root, shape, row, bytes, &path));
			for other in (0..rows + 2).chain([u32::MAX]).filter(|other| *other != row) {
				let same = other < rows && tensor.row(other) == bytes;
				prop_assert!(same || !verify_row(&root, shape, other, bytes, &path));
			}
			for taller in [rows - 1, rows + 1, rows * 2] {
				let shape = Shape { rows: taller, ..shape };
				prop_assert!(!verify_row(&root, shape, row, bytes, &path));
			}
			let mut longer = path.clone();
			longer.push([0; 32]);
			prop_assert!(!verify_row(&root, shape, row, bytes, &longer));
			let mut longer = path.clone();
			longer.insert(0, [0; 32]);
			prop_assert!(!verify_row(&root, shape, row, bytes, &longer));
			if let Some((_, shorter)) = path.split_last() {
				prop_assert!(!verify_row(&root, shape, row, bytes, shorter));
				prop_assert!(!verify_row(&root, shape, row, bytes, &path[1..]));
			}
			let mut longer = bytes.to_vec();
			longer.push(0);
			prop_assert!(!verify_row(&root, shape, row, &longer, &path));
			prop_assert!(!verify_row(&root, shape, row, &bytes[1..], &path));
			let mut wrong = bytes.to_vec();
			wrong[0] ^= 1;
			prop_assert!(!verify_row(&root, shape, row, &wrong, &path));
		}
		prop_assert_eq!(tree.prove(rows), None);
	}

	#[test]
	fn steps_say_which_leaves_a_sibling_covers(count in 1u32..200) {
		let leaves: Vec<Root> = (0..count).map(|i| h(&[&i.to_le_bytes()])).collect();
		let tree = merkle::Tree::new(leaves.clone());
		prop_assert_eq!(tree.root(), merkle_root(&leaves));
		for index in 0..count {
			let path = tree.prove(index).unwrap();
			let steps = merkle::steps(index, count).unwrap();
			prop_assert_eq!(steps.len(), path.len());
			for (step, sibling) in steps.iter().zip(&path) {
				let covered = &leaves[step.start as usize..][..step.count as usize];
				prop_assert_eq!(merkle_root(covered), *sibling);
				prop_assert_eq!(step.sibling_is_left, step.start < index);
			}
		}
		prop_assert_eq!(merkle::steps(count, count), None);
	}

	#[test]
	fn program_trace_and_task_proofs(seed: u64, size in 1u32..12) {
		let case = random_case(seed, size);
		let (program, count) = (&case.program, case.program.len());
		let roots: Vec<Root> = (0..count).map(|i| h(&[&i.to_le_bytes()])).collect();
		let trace = trace_root(&roots);
		let tasks: Vec<Vec<Root>> = (0..count).map(|i| roots[..i as usize % 5].to_vec()).collect();
		let job = tasks_root(&tasks);
		for index in 0..count {
			let at = index as usize;
			let (node, shape) = (&program.nodes()[at], program.shapes()[at]);
			let path = prove_node(program, index).unwrap();
			prop_assert!(verify_node(&program.id(), count, index, node, shape, &path));
			prop_assert!(!verify_node(&program.id(), count + 1, index, node, shape, &path));
			let taller = Shape { rows: shape.rows + 1, ..shape };
			prop_assert!(!verify_node(&program.id(), count, index, node, taller, &path));

			let path = prove_trace(&roots, index).unwrap();
			prop_assert!(verify_trace(&trace, count, index, &roots[at], &path));
			prop_assert!(!verify_trace(&trace, count, index + 1, &roots[at], &path));
			prop_assert!(!verify_trace(&trace, count, index, &[7; 32], &path));

			let path = prove_task(&tasks, index).unwrap();
			prop_assert!(verify_task(&job, count, index, &tasks[at], &path));
			prop_assert!(!verify_task(&job, count + 1, index, &tasks[at], &path));
			prop_assert!(!verify_task(&job, count, index + 1, &tasks[at], &path)
				|| tasks[at] == tasks[at + 1]);
			let mut more = tasks[at].clone();
			more.push([0; 32]);
			prop_assert!(!verify_task(&job, count, index, &more, &path));
		}
		prop_assert_eq!(prove_node(program, count), None);
		prop_assert_eq!(prove_trace(&roots, count), None);
		prop_assert_eq!(prove_task(&tasks, count), None);
	}
}

/// The attack that checking by index bits lets through: in a tree of three leaves the last one's
/// path is a single left sibling, which reads like the upper end of a path for index 1.
#[test]
fn row_2_of_3_does_not_pass_as_row_1() {
	let tensor = Tensor::from_i8(3, 2, &[1, 2, 3, 4, 5, 6]).unwrap();
	let tree = RowTree::new(&tensor);
	let path = tree.prove(2).unwrap();
	assert_eq!(path.len(), 1);
	assert!(verify_row(&tree.root(), tensor.shape(), 2, tensor.row(2), &path));
	assert!(!verify_row(&tree.root(), tensor.shape(), 1, tensor.row(2), &path));
	assert!(!verify_row(&tree.root(), tensor.shape(), 0, tensor.row(2), &path));
}

/// An inner node is no leaf: its two children do not pass as a row.
#[test]
fn inner_nodes_do_not_pass_as_rows() {
	let tensor = Tensor::from_i8(2, 64, &[3; 128]).unwrap();
	let tree = RowTree::new(&tensor);
	let leaf = tree.tree().node(0, 0).unwrap();
	let children = [leaf, leaf].concat();
	let short = Shape::new(Dtype::I8, 1, 64);
	assert!(!verify_row(&tree.root(), short, 0, &children, &[]));
}

#[test]
fn tensors_that_end_early_have_no_root() {
	let mut hasher = TensorHasher::new(Shape::new(Dtype::I8, 2, 3)).unwrap();
	hasher.push(&[1, 2, 3, 4]).unwrap();
	assert_eq!(hasher.clone().finish(), Err(HasherError::TooShort { missing: 2 }));
	assert_eq!(hasher.push(&[5, 6, 7]), Err(HasherError::TooLong));
	assert!(TensorHasher::new(Shape::new(Dtype::I8, 0, 3)).is_err());
}

/// More rows than are hashed at once, in pieces that cut and that keep whole rows.
#[test]
fn many_rows_hash_in_any_pieces() {
	for (rows, cols) in [(4_095, 3), (4_096, 3), (9_000, 5), (8_193, 1)] {
		let tensor = tensor(2, rows, cols);
		let root = tensor_root_by_definition(&tensor);
		for piece in [cols, 7 * cols, 1_000 * cols, 5_000 * cols + 1, u32::MAX] {
			let mut hasher = TensorHasher::new(tensor.shape()).unwrap();
			tensor.data().chunks(piece as usize).for_each(|piece| hasher.push(piece).unwrap());
			assert_eq!(hasher.finish(), Ok(root), "{rows} rows by {piece} bytes");
		}
	}
}
