//! Random valid programs over all operations, with their inputs and consts.
#![allow(dead_code)]

use assay_compute::{
	tensor_root, Dtype, Dtype::I32, Dtype::I8, Node, Program, Shape, Tensor, ValidProgram,
};
use std::collections::BTreeMap;

/// SplitMix64: reproducible from the seed that proptest shrinks.
pub struct Rng(pub u64);

impl Rng {
	pub fn next(&mut self) -> u64 {
		self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
		let mut z = self.0;
		z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
		z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
		z ^ (z >> 31)
	}

	/// From `low` to `high`, both included.
	pub fn range(&mut self, low: u32, high: u32) -> u32 {
		low + (self.next() % (u64::from(high - low) + 1)) as u32
	}

	pub fn chance(&mut self, of: u64) -> bool {
		self.next().is_multiple_of(of)
	}

	/// A value that is often extreme.
	pub fn value(&mut self, dtype: Dtype) -> i32 {
		let (min, max) = match dtype {
			I8 => (-128, 127),
			I32 => (i32::MIN, i32::MAX),
		};
		let any = self.next() as i32;
		match self.range(0, 9) {
			0 => min,
			1 => max,
			2 => 0,
			3 => -1,
			4 => 1,
			5 => min + 1,
			6 | 7 => any % 300,
			_ => any,
		}
		.clamp(min, max)
	}

	pub fn tensor(&mut self, shape: Shape) -> Tensor {
		let mut data = Vec::new();
		for _ in 0..shape.elements() {
			match shape.dtype {
				I8 => data.push(self.value(I8) as i8 as u8),
				I32 => data.extend(self.value(I32).to_le_bytes()),
			}
		}
		Tensor::new(shape, data).unwrap()
	}
}

pub struct Case {
	pub program: ValidProgram,
	/// Inputs and consts by node.
	pub tensors: BTreeMap<u32, Tensor>,
}

struct Builder {
	rng: Rng,
	nodes: Vec<Node>,
	shapes: Vec<Shape>,
	tensors: BTreeMap<u32, Tensor>,
}

/// Number of operations that [`Builder::operation`] can add.
const OPERATIONS: u32 = 20;

/// A random valid program of about `size` operations.
pub fn random_case(seed: u64, size: u32) -> Case {
	let mut builder =
		Builder { rng: Rng(seed), nodes: Vec::new(), shapes: Vec::new(), tensors: BTreeMap::new() };
	for _ in 0..size {
		let operation = builder.rng.range(0, OPERATIONS - 1);
		builder.operation(operation);
	}
	builder.finish()
}

impl Builder {
	fn push(&mut self, node: Node, shape: Shape) -> u32 {
		self.nodes.push(node);
		self.shapes.push(shape);
		self.nodes.len() as u32 - 1
	}

	fn dimension(&mut self) -> u32 {
		if self.rng.chance(12) {
			self.rng.range(250, 300)
		} else {
			self.rng.range(1, 9)
		}
	}

	/// An input, const or fill.
	fn leaf(&mut self, shape: Shape) -> u32 {
		let Shape { dtype, rows, cols } = shape;
		if dtype == I8 && self.rng.chance(4) {
			let seed = *blake3::hash(&self.rng.next().to_le_bytes()).as_bytes();
			return self.push(Node::Fill { rows, cols, seed }, shape);
		}
		let tensor = self.rng.tensor(shape);
		let node = match self.rng.chance(2) {
			true => Node::Input { dtype, rows, cols },
			false => Node::Const { dtype, rows, cols, root: tensor_root(&tensor) },
		};
		let index = self.push(node, shape);
		self.tensors.insert(index, tensor);
		index
	}

	fn find(&mut self, fits: impl Fn(Shape) -> bool) -> Option<u32> {
		let fitting: Vec<u32> =
			(0..self.shapes.len() as u32).filter(|i| fits(self.shapes[*i as usize])).collect();
		if fitting.is_empty() {
			return None;
		}
		let pick = self.rng.range(0, fitting.len() as u32 - 1);
		Some(fitting[pick as usize])
	}

	/// A node of a type, mostly an existing one.
	fn any(&mut self, dtype: Dtype) -> (u32, Shape) {
		let found = if self.rng.chance(5) { None } else { self.find(|s| s.dtype == dtype) };
		let index = found.unwrap_or_else(|| {
			let shape = Shape::new(dtype, self.dimension(), self.dimension());
			self.leaf(shape)
		});
		(index, self.shapes[index as usize])
	}

	fn any_type(&mut self) -> (u32, Shape) {
		let dtype = if self.rng.chance(2) { I8 } else { I32 };
		self.any(dtype)
	}

	/// A node of exactly this shape.
	fn exactly(&mut self, shape: Shape) -> u32 {
		let found = if self.rng.chance(2) { None } else { self.find(|s| s == shape) };
		found.unwrap_or_else(|| self.leaf(shape))
	}

	fn vector(&mut self, cols: u32) -> u32 {
		self.exactly(Shape::new(I32, 1, cols))
	}

	fn same_or_row(&mut self, a: Shape) -> u32 {
		let rows = if self.rng.chance(2) { 1 } else { a.rows };
		self.exactly(Shape { rows, ..a })
	}

	fn shift(&mut self, max: u8) -> u8 {
		match self.rng.range(0, 3) {
			0 => 0,
			1 => max,
			_ => self.rng.range(0, max.into()) as u8,
		}
	}

	fn slice(&mut self, of: u32) -> (u32, u32) {
		let start = self.rng.range(0, of - 1);
		(start, self.rng.range(1, of - start))
	}

	fn operation(&mut self, operation: u32) -> u32 {
		match operation {
			0 => {
				let (a, s) = self.any(I8);
				let found = self.find(|t| t.dtype == I8 && t.cols == s.cols);
				let rows = self.dimension();
				let b = match self.rng.chance(2) {
					true => found.unwrap_or(a),
					false => self.leaf(Shape::new(I8, rows, s.cols)),
				};
				let n = self.shapes[b as usize].rows;
				self.push(Node::MatmulT { a, b }, Shape::new(I32, s.rows, n))
			}
			1 => {
				let (x, s) = self.any(I32);
				let (bias, mult, shift) =
					(self.vector(s.cols), self.vector(s.cols), self.shift(62));
				self.push(Node::Requant { x, bias, mult, shift }, Shape { dtype: I8, ..s })
			}
			2 => {
				let (x, s) = self.any(I8);
				let table = self.exactly(Shape::new(I8, 1, 256));
				self.push(Node::Lut { x, table }, s)
			}
			3 => {
				let (a, s) = self.any(I32);
				let b = self.same_or_row(s);
				self.push(Node::Add { a, b }, s)
			}
			4 => {
				let (x, s) = self.any(I8);
				let mult = self.vector(s.cols);
				self.push(Node::Widen { x, mult }, Shape { dtype: I32, ..s })
			}
			5 => {
				let (x, s) = self.any(I32);
				let table = self.exactly(Shape::new(I32, 1, 256));
				let (mult, shift) = (self.rng.next() as u32, self.shift(62));
				self.push(Node::RowSoftmax { x, table, mult, shift }, Shape { dtype: I8, ..s })
			}
			6 => {
				let (x, s) = self.any(I32);
				let (gain, bias, shift) =
					(self.vector(s.cols), self.vector(s.cols), self.shift(15));
				self.push(Node::RowNorm { x, gain, bias, shift }, s)
			}
			7 => {
				let (table, s) = self.any(I8);
				let index = match self.find(|s| s.dtype == I32 && s.cols == 1) {
					Some(found) => found,
					None => {
						let rows = self.dimension();
						self.leaf(Shape::new(I32, rows, 1))
					}
				};
				let rows = self.shapes[index as usize].rows;
				self.push(Node::Gather { table, index }, Shape { rows, ..s })
			}
			8 => {
				let (x, s) = self.any_type();
				self.push(Node::Transpose { x }, Shape::new(s.dtype, s.cols, s.rows))
			}
			9 => {
				let (x, s) = self.any_type();
				let (start, len) = self.slice(s.cols);
				self.push(Node::SliceCols { x, start, len }, Shape { cols: len, ..s })
			}
			10 => {
				let (x, s) = self.any_type();
				let (start, len) = self.slice(s.rows);
				self.push(Node::SliceRows { x, start, len }, Shape { rows: len, ..s })
			}
			11 => {
				let (first, mut s) = self.any_type();
				let mut parts = vec![first];
				for _ in 0..self.rng.range(0, 3) {
					let cols = self.dimension();
					parts.push(self.exactly(Shape { cols, ..s }));
				}
				s.cols = parts.iter().map(|p| self.shapes[*p as usize].cols).sum();
				self.push(Node::ConcatCols { parts }, s)
			}
			12 => {
				let (first, mut s) = self.any_type();
				let mut parts = vec![first];
				for _ in 0..self.rng.range(0, 3) {
					let rows = self.dimension();
					parts.push(self.exactly(Shape { rows, ..s }));
				}
				s.rows = parts.iter().map(|p| self.shapes[*p as usize].rows).sum();
				self.push(Node::ConcatRows { parts }, s)
			}
			13 => {
				let (x, s) = self.any_type();
				self.push(Node::RowArgmax { x }, Shape::new(I32, s.rows, 1))
			}
			14 => {
				let (a, s) = self.any(I8);
				let b = self.same_or_row(s);
				self.push(Node::Mul { a, b }, Shape { dtype: I32, ..s })
			}
			15 => {
				let (x, s) = self.any(I32);
				let (gain, shift) = (self.vector(s.cols), self.shift(15));
				self.push(Node::RowRms { x, gain, shift }, s)
			}
			16 => {
				let (x, s) = self.any(I32);
				self.push(Node::RowAbsmax { x }, Shape::new(I32, s.rows, 1))
			}
			17 => {
				let (x, s) = self.any(I32);
				self.push(Node::RowQuant { x }, Shape { dtype: I8, ..s })
			}
			18 => {
				let (x, s) = self.any(I32);
				let (scale, shift) = (self.exactly(Shape::new(I32, s.rows, 1)), self.shift(62));
				self.push(Node::RowScale { x, scale, shift }, s)
			}
			_ => {
				let (x, s) = self.any(I32);
				let (mult, shift) = (self.vector(s.cols), self.shift(62));
				self.push(Node::ColScale { x, mult, shift }, s)
			}
		}
	}

	/// Nodes that no later one uses.
	fn unused(&self) -> Vec<u32> {
		let mut unused: Vec<u32> = (0..self.nodes.len() as u32).collect();
		for node in &self.nodes {
			let operands: Vec<u32> = node.operands().collect();
			unused.retain(|index| !operands.contains(index));
		}
		unused
	}

	/// Brings all loose ends together in one last row.
	fn finish(mut self) -> Case {
		let last = self.nodes.len() as u32 - 1;
		if self.unused() != [last] {
			let mut ends = Vec::new();
			for x in self.unused() {
				let s = self.shapes[x as usize];
				let x = self.push(Node::RowArgmax { x }, Shape::new(I32, s.rows, 1));
				ends.push(
					self.push(Node::SliceRows { x, start: 0, len: 1 }, Shape::new(I32, 1, 1)),
				);
			}
			while ends.len() > 1 {
				let parts: Vec<u32> = ends.drain(..ends.len().min(64)).collect();
				let cols = parts.iter().map(|part| self.shapes[*part as usize].cols).sum();
				ends.push(self.push(Node::ConcatCols { parts }, Shape::new(I32, 1, cols)));
			}
		}
		let program = Program { nodes: self.nodes }.validate();
		let program = program.unwrap_or_else(|error| panic!("the generator is wrong: {error}"));
		assert_eq!(program.shapes(), self.shapes, "declared and inferred shapes agree");
		Case { program, tensors: self.tensors }
	}
}

/// A random place in a tensor: row, column, and the offset of its bytes.
pub fn random_place(rng: &mut Rng, shape: Shape) -> (u32, u32, usize) {
	let (row, col) = (rng.range(0, shape.rows - 1), rng.range(0, shape.cols - 1));
	let element = row as usize * shape.cols as usize + col as usize;
	(row, col, element * shape.dtype.size() as usize)
}
