//! One product of a task's activations with n × n weights.

use crate::{noise::Noise, task::Task};
use assay_compute::{tensor_root, Dtype, Node, Program, Shape};

/// `rows` rows of activations.
pub fn task(rows: u32, n: u32) -> Result<Task, String> {
	let mut noise = Noise::new(1);
	let activations = noise.tensor(Shape::new(Dtype::I8, rows, n))?;
	let weights = noise.tensor(Shape::new(Dtype::I8, n, n))?;
	let nodes = vec![
		Node::Input { dtype: Dtype::I8, rows, cols: n },
		Node::Const { dtype: Dtype::I8, rows: n, cols: n, root: tensor_root(&weights) },
		Node::MatmulT { a: 0, b: 1 },
	];
	let tensors = [(0, activations), (1, weights)].into();
	Task::new(format!("product, n = {n}"), Program { nodes }, tensors)
}
