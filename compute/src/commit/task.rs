//! The commitment to a job's tasks: each is the tensor roots of its inputs in node order.

use super::{
	hash::{hash, Tag},
	merkle::{self, Tree},
	Root,
};
use alloc::vec::Vec;

fn leaf(input_roots: &[Root]) -> Root {
	let count = (input_roots.len() as u32).to_le_bytes();
	hash(Tag::TaskLeaf, &[&count, input_roots.as_flattened()])
}

fn seal(count: u32, tasks: &Root) -> Root {
	hash(Tag::Tasks, &[&count.to_le_bytes(), tasks])
}

/// H(tasks tag ‖ number of tasks ‖ root over H(task tag ‖ number of inputs ‖ input roots)).
pub fn tasks_root(tasks: &[Vec<Root>]) -> Root {
	seal(tasks.len() as u32, &merkle::root(tasks.iter().map(|task| leaf(task))))
}

/// The path that opens task `index`; `None` past the last task.
pub fn prove_task(tasks: &[Vec<Root>], index: u32) -> Option<Vec<Root>> {
	Tree::new(tasks.iter().map(|task| leaf(task)).collect()).prove(index)
}

/// Whether task `index` of `count` has these input roots.
pub fn verify_task(
	tasks_root: &Root,
	count: u32,
	index: u32,
	input_roots: &[Root],
	path: &[Root],
) -> bool {
	merkle::root_from_path(leaf(input_roots), index, count, path)
		.is_some_and(|tasks| seal(count, &tasks) == *tasks_root)
}
