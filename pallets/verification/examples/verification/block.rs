//! A decoder block in the manner of Llama with W8A8 weights, and the head after it: the program of
//! the published vectors (`llama_block` of graphs.json) at any width. RMS norm, rotary embedding,
//! causal attention with one key–value head, gated MLP, per-token quantisation.

use crate::{noise::Noise, task::Task};
use assay_compute::{
	tensor_root,
	Dtype::{self, I32, I8},
	Node, Program, Shape, Tensor,
};
use std::collections::BTreeMap;

/// Shifts and factors of the vectors.
const NORM_SHIFT: u8 = 8;
const ROW_SHIFT: u8 = 14;
const COL_SHIFT: u8 = 15;
const SOFTMAX: (u32, u8) = (1_024, 16);

#[derive(Clone, Copy, Debug)]
pub struct Dims {
	/// Tokens.
	pub seq: u32,
	pub hidden: u32,
	pub heads: u32,
	/// Width within the MLP.
	pub ffn: u32,
	pub vocab: u32,
}

/// What a constant is for.
#[derive(Clone, Copy, Debug)]
pub enum Role {
	SoftmaxTable,
	Activation,
	Gain,
	Weights,
	Multipliers,
	Mask,
	Rotation,
}

/// Gives the constants: node, shape, role.
type Constants<'a> = &'a mut dyn FnMut(u32, Shape, Role) -> Result<Tensor, String>;

/// A block of real width: that of Llama 2 with 7 billion parameters, but with one key–value head, as
/// in the vectors.
pub fn task(seq: u32) -> Result<Task, String> {
	let dims = Dims { seq, hidden: 4_096, heads: 32, ffn: 11_008, vocab: 32_000 };
	let mut noise = Noise::new(2);
	let (program, mut tensors) =
		build(&dims, &mut |_, shape, role| constant(shape, role, &mut noise))?;
	tensors.insert(0, noise.between(seq, dims.hidden, -60_000, 60_000)?);
	Task::new(format!("Llama-style block, {seq} tokens × {}", dims.hidden), program, tensors)
}

/// Constants in the range of the vectors' own.
fn constant(shape: Shape, role: Role, noise: &mut Noise) -> Result<Tensor, String> {
	let Shape { rows, cols, .. } = shape;
	let of = |values: Vec<i32>| Tensor::from_i32(rows, cols, &values);
	match role {
		Role::Weights | Role::Rotation => noise.tensor(shape),
		Role::Gain => noise.between(rows, cols, 200, 400),
		Role::Multipliers => noise.between(rows, cols, 8_192, 32_768),
		Role::SoftmaxTable => {
			let exp = |d: i32| (65_535.0 * (-f64::from(d) / 24.0).exp()).round() as i32;
			of((0..cols as i32).map(exp).collect()).map_err(|error| error.to_string())
		}
		// What comes later cannot be seen.
		Role::Mask => {
			let value = |row, col| if col > row { -(1 << 30) } else { 0 };
			let row = |row| (0..cols).map(move |col| value(row, col));
			of((0..rows).flat_map(row).collect()).map_err(|error| error.to_string())
		}
		// SiLU at a scale of 16.
		Role::Activation => {
			let silu = |x: i32| {
				let x = f64::from(x - 128) / 16.0;
				(16.0 * x / (1.0 + (-x).exp())).round() as i8
			};
			let values: Vec<i8> = (0..cols as i32).map(silu).collect();
			Tensor::from_i8(rows, cols, &values).map_err(|error| error.to_string())
		}
	}
}

/// The program, and its constants by node.
pub fn build(
	dims: &Dims,
	constants: Constants<'_>,
) -> Result<(Program, BTreeMap<u32, Tensor>), String> {
	let Dims { seq, hidden, heads, ffn, vocab } = *dims;
	let wide = hidden.checked_div(heads).filter(|wide| wide.checked_mul(heads) == Some(hidden));
	let head = wide.ok_or("the heads do not divide the hidden width")?;
	let mut b = Builder { nodes: Vec::new(), tensors: BTreeMap::new(), constants, head, seq };
	let x = b.node(Node::Input { dtype: I32, rows: seq, cols: hidden });
	let table = b.constant(I32, 1, 256, Role::SoftmaxTable)?;
	let activation = b.constant(I8, 1, 256, Role::Activation)?;

	let normed = b.norm(x, hidden)?;
	let queries = b.linear(normed, hidden, hidden)?;
	let keys = b.linear(normed, hidden, head)?;
	let values = b.linear(normed, hidden, head)?;
	let mask = b.constant(I32, seq, seq, Role::Mask)?;
	let keys = b.node(Node::RowQuant { x: keys });
	let keys = b.rotate(keys)?;
	let values = b.node(Node::RowQuant { x: values });
	let values = b.node(Node::Transpose { x: values });
	let mut parts = Vec::new();
	for index in 0..heads {
		let query = b.node(Node::SliceCols { x: queries, start: index * head, len: head });
		let query = b.node(Node::RowQuant { x: query });
		let query = b.rotate(query)?;
		let scores = b.node(Node::MatmulT { a: query, b: keys });
		let scores = b.node(Node::Add { a: scores, b: mask });
		let (mult, shift) = SOFTMAX;
		let weights = b.node(Node::RowSoftmax { x: scores, table, mult, shift });
		parts.push(b.node(Node::MatmulT { a: weights, b: values }));
	}
	let attended = b.node(Node::ConcatCols { parts });
	let attended = b.linear(attended, hidden, hidden)?;
	let x = b.node(Node::Add { a: x, b: attended });

	let normed = b.norm(x, hidden)?;
	let gate = b.linear(normed, hidden, ffn)?;
	let gate = b.node(Node::RowQuant { x: gate });
	let gate = b.node(Node::Lut { x: gate, table: activation });
	let up = b.linear(normed, hidden, ffn)?;
	let up = b.node(Node::RowQuant { x: up });
	let gated = b.node(Node::Mul { a: gate, b: up });
	let down = b.linear(gated, ffn, hidden)?;
	let x = b.node(Node::Add { a: x, b: down });

	let normed = b.norm(x, hidden)?;
	let logits = b.linear(normed, hidden, vocab)?;
	b.node(Node::RowArgmax { x: logits });
	Ok((Program { nodes: b.nodes }, b.tensors))
}

struct Builder<'a> {
	nodes: Vec<Node>,
	tensors: BTreeMap<u32, Tensor>,
	constants: Constants<'a>,
	/// Width of a head.
	head: u32,
	seq: u32,
}

impl Builder<'_> {
	fn node(&mut self, node: Node) -> u32 {
		self.nodes.push(node);
		(self.nodes.len() - 1) as u32
	}

	fn constant(&mut self, dtype: Dtype, rows: u32, cols: u32, role: Role) -> Result<u32, String> {
		let index = self.nodes.len() as u32;
		let tensor = (self.constants)(index, Shape::new(dtype, rows, cols), role)?;
		let root = tensor_root(&tensor);
		self.tensors.insert(index, tensor);
		Ok(self.node(Node::Const { dtype, rows, cols, root }))
	}

	fn norm(&mut self, x: u32, width: u32) -> Result<u32, String> {
		let gain = self.constant(I32, 1, width, Role::Gain)?;
		Ok(self.node(Node::RowRms { x, gain, shift: NORM_SHIFT }))
	}

	/// A product with weights, quantised by token before and scaled back after.
	fn linear(&mut self, x: u32, from: u32, to: u32) -> Result<u32, String> {
		let a = self.node(Node::RowQuant { x });
		let scale = self.node(Node::RowAbsmax { x });
		let b = self.constant(I8, to, from, Role::Weights)?;
		let x = self.node(Node::MatmulT { a, b });
		let x = self.node(Node::RowScale { x, scale, shift: ROW_SHIFT });
		let mult = self.constant(I32, 1, to, Role::Multipliers)?;
		Ok(self.node(Node::ColScale { x, mult, shift: COL_SHIFT }))
	}

	/// Rotary embedding of one head.
	fn rotate(&mut self, x: u32) -> Result<u32, String> {
		let (seq, head) = (self.seq, self.head);
		let cosines = self.constant(I8, seq, head, Role::Rotation)?;
		let sines = self.constant(I8, seq, head, Role::Rotation)?;
		let half = head / 2;
		let low = self.node(Node::SliceCols { x, start: 0, len: half });
		let high = self.node(Node::SliceCols { x, start: half, len: half });
		let swapped = self.node(Node::ConcatCols { parts: vec![high, low] });
		let a = self.node(Node::Mul { a: x, b: cosines });
		let b = self.node(Node::Mul { a: swapped, b: sines });
		let x = self.node(Node::Add { a, b });
		Ok(self.node(Node::RowQuant { x }))
	}
}

#[cfg(test)]
mod tests {
	use super::*;
	use assay_compute::json::{load_cases, Case};

	/// The dimensions of a published block: the first weights are the queries', the second the keys',
	/// and the last of all are the MLP's way down and the head's.
	fn dims(case: &Case) -> Dims {
		let Node::Input { rows: seq, cols: hidden, .. } = case.program.nodes[0] else {
			panic!("it begins with its input");
		};
		let nodes = &case.program.nodes;
		let weights = nodes.iter().filter_map(|node| match node {
			Node::MatmulT { b, .. } => match nodes[*b as usize] {
				Node::Const { rows, cols, .. } => Some((rows, cols)),
				_ => None,
			},
			_ => None,
		});
		let weights: Vec<(u32, u32)> = weights.collect();
		let [_, (head, _), .., (_, ffn), (vocab, _)] = weights[..] else {
			panic!("it has weights");
		};
		Dims { seq, hidden, heads: hidden / head, ffn, vocab }
	}

	#[test]
	fn it_is_the_block_of_the_vectors() {
		let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../compute/tests/vectors/graphs.json");
		let cases = load_cases(&std::fs::read_to_string(path).unwrap()).unwrap();
		let mut blocks = 0;
		for case in cases.iter().filter(|case| case.name == "llama_block") {
			let (program, _) = build(&dims(case), &mut |node, shape, _| {
				Tensor::new(shape, case.tensors.0[&node].clone()).map_err(|e| e.to_string())
			})
			.unwrap();
			assert_eq!(program, case.program);
			blocks += 1;
		}
		assert!(blocks >= 2, "the committed vectors are all there");
	}

	#[test]
	fn heads_that_do_not_fit_are_refused() {
		let dims = Dims { seq: 2, hidden: 10, heads: 3, ffn: 4, vocab: 5 };
		assert!(build(&dims, &mut |_, _, _| Err("not asked".into())).is_err());
		assert!(build(&Dims { heads: 0, ..dims }, &mut |_, _, _| Err("not".into())).is_err());
	}
}
