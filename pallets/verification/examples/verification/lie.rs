//! Fraud proofs of one wrong element.

use crate::{
	measure::execute,
	source::{Counted, Lied},
	task::Task,
};
use assay_compute::{
	audit::{Fault, FaultKind},
	proof::prove,
	tensor_root, Commitment, Dtype, Node, Program, RowTree, Shape, Tensor,
};
use codec::Encode;
use std::collections::BTreeSet;

/// Longest proofs about a program, in bytes.
#[derive(Default)]
pub struct Longest {
	/// About a product.
	pub product: usize,
	/// About any operation, and which.
	pub any: (usize, &'static str),
}

/// Proves a lie in each operation that is computed, once for each kind and shape, by falsifying the
/// last element of its result.
pub fn longest(task: &Task, source: &mut Counted) -> Result<Longest, String> {
	let program = &task.program;
	let roots = source.roots(program.len())?;
	let (mut seen, mut longest) = (BTreeSet::new(), Longest::default());
	for (node, index) in program.nodes().iter().zip(0u32..) {
		if matches!(node, Node::Input { .. } | Node::Const { .. }) {
			continue;
		}
		let shape_of = |node: u32| program.shapes().get(node as usize).map(Shape::to_string);
		let operands: Vec<_> = node.operands().map(shape_of).collect();
		if !seen.insert((node.name(), operands, shape_of(index))) {
			continue;
		}
		let bytes = length(task, source, &roots, index)?;
		if matches!(node, Node::MatmulT { .. }) {
			longest.product = longest.product.max(bytes);
		}
		longest.any = longest.any.max((bytes, node.name()));
	}
	Ok(longest)
}

/// Bytes of the proof that the last element of this node is wrong.
fn length(
	task: &Task,
	source: &mut Counted,
	roots: &[assay_compute::Root],
	node: u32,
) -> Result<usize, String> {
	use assay_compute::audit::TraceSource;
	let honest = source.tensor(node)?;
	let shape = honest.shape();
	let mut data = honest.data().to_vec();
	if let Some(last) = data.last_mut() {
		*last ^= 1;
	}
	let tensor = Tensor::new(shape, data).map_err(|error| error.to_string())?;
	let tree = RowTree::new(&tensor);
	let mut roots = roots.to_vec();
	if let Some(root) = roots.get_mut(node as usize) {
		*root = tree.root();
	}
	let claim = task.claim(&Commitment::new(roots));
	let fault = Fault { node, row: shape.rows - 1, col: shape.cols - 1, kind: FaultKind::Element };
	let mut lied = Lied { held: source, node, tensor, tree };
	let proof = prove(&task.program, &claim, &fault, &mut lied);
	proof.map(|proof| proof.encoded_size()).map_err(|error| format!("{}: {error}", task.name))
}

/// Bytes of the widest evidence that there is: four rows of 512 KiB, as a norm has them.
pub fn widest() -> Result<usize, String> {
	let cols = assay_compute::MAX_ROW_BYTES / 4;
	let tensor = |rows, value: i32| {
		let values = vec![value; (rows * cols) as usize];
		Tensor::from_i32(rows, cols, &values).map_err(|error| error.to_string())
	};
	let (x, gain, bias) = (tensor(2, 3)?, tensor(1, 2)?, tensor(1, 1)?);
	let of_root = |tensor: &Tensor| Node::Const {
		dtype: Dtype::I32,
		rows: 1,
		cols,
		root: tensor_root(tensor),
	};
	let nodes = vec![
		Node::Input { dtype: Dtype::I32, rows: 2, cols },
		of_root(&gain),
		of_root(&bias),
		Node::RowNorm { x: 0, gain: 1, bias: 2, shift: 8 },
	];
	let tensors = [(0, x), (1, gain), (2, bias)].into();
	let task = Task::new("the widest norm", Program { nodes }, tensors)?;
	let mut source = Counted::new(&execute(&task)?.1);
	Ok(longest(&task, &mut source)?.any.0)
}
