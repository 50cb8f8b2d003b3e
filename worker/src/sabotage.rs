//! For development only: a worker that lies about one element, so that others can show that they
//! find it.

use assay_compute::{matmul, Dtype, Node, Shape, Step, Tensor, Trace, ValidProgram};
use std::{convert::Infallible, str::FromStr};

/// The lie: `delta` is added to one element of a trace, wrapping in the element's type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sabotage {
	/// Node of the program.
	pub node: u32,
	/// Row of its tensor.
	pub row: u32,
	/// Column of its tensor.
	pub col: u32,
	/// What is added.
	pub delta: i32,
}

/// Why there can be no such lie.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SabotageError {
	/// Not of the form.
	#[error(
		"\"{0}\" is not NODE:ROW:COL:DELTA: three numbers from 0 and a whole number other than 0"
	)]
	Malformed(String),
	/// The program has fewer nodes.
	#[error("sabotage: there is no node {node}; the program has nodes 0 to {last}")]
	NoNode {
		/// The node named.
		node: u32,
		/// The program's last one.
		last: u32,
	},
	/// Inputs and constants are given: their roots are known to everybody.
	#[error("sabotage: node {node} is {op}; name one that is computed")]
	Given {
		/// The node named.
		node: u32,
		/// Its operation.
		op: &'static str,
	},
	/// The tensor is smaller.
	#[error("sabotage: node {node} has no element ({row}, {col}); it is {shape}")]
	NoElement {
		/// The node named.
		node: u32,
		/// The row named.
		row: u32,
		/// The column named.
		col: u32,
		/// The node's shape.
		shape: Shape,
	},
	/// Adding it would change nothing.
	#[error("sabotage: {delta} is nought in {dtype}")]
	NoChange {
		/// What would be added.
		delta: i32,
		/// The element's type.
		dtype: Dtype,
	},
	/// The trace is not the program's.
	#[error("sabotage: the trace does not fit the program")]
	Trace,
}

impl FromStr for Sabotage {
	type Err = SabotageError;

	fn from_str(text: &str) -> Result<Self, SabotageError> {
		let malformed = || SabotageError::Malformed(text.into());
		let parts: Vec<&str> = text.split(':').collect();
		let [node, row, col, delta] = parts[..] else { return Err(malformed()) };
		let number = |part: &str| part.parse::<u32>().map_err(|_| malformed());
		let delta = delta.parse::<i32>().ok().filter(|d| *d != 0).ok_or_else(malformed)?;
		Ok(Self { node: number(node)?, row: number(row)?, col: number(col)?, delta })
	}
}

impl Sabotage {
	/// Whether the program has such an element, and it would become wrong.
	pub fn check(&self, program: &ValidProgram) -> Result<(), SabotageError> {
		let Self { node, row, col, delta } = *self;
		let last = program.output();
		let step = program.step(node).ok_or(SabotageError::NoNode { node, last })?;
		if let Node::Input { .. } | Node::Const { .. } = step.node {
			return Err(SabotageError::Given { node, op: step.node.name() });
		}
		let shape = step.out;
		if row >= shape.rows || col >= shape.cols {
			return Err(SabotageError::NoElement { node, row, col, shape });
		}
		if shape.dtype == Dtype::I8 && delta as i8 == 0 {
			return Err(SabotageError::NoChange { delta, dtype: shape.dtype });
		}
		Ok(())
	}

	/// Makes the element wrong and computes everything that depends on it from the wrong value: of
	/// the whole trace this one element is not the exact result of its operands.
	pub fn apply(&self, program: &ValidProgram, trace: &mut Trace) -> Result<(), SabotageError> {
		self.check(program)?;
		if trace.tensors.len() != program.nodes().len() {
			return Err(SabotageError::Trace);
		}
		let tensor = trace.tensors.get_mut(self.node as usize).ok_or(SabotageError::Trace)?;
		*tensor = self.corrupt(tensor)?;
		let mut changed = vec![false; trace.tensors.len()];
		changed[self.node as usize] = true;
		for index in self.node.saturating_add(1)..program.len() {
			let step = program.step(index).ok_or(SabotageError::Trace)?;
			let operands: Vec<usize> = step.node.operands().map(|o| o as usize).collect();
			if !operands.iter().any(|o| changed[*o]) {
				continue;
			}
			let operands: Vec<&Tensor> = operands.iter().map(|o| &trace.tensors[*o]).collect();
			let tensor = recompute(&step, &operands)?;
			let at = index as usize;
			changed[at] = trace.tensors.get(at) != Some(&tensor);
			*trace.tensors.get_mut(at).ok_or(SabotageError::Trace)? = tensor;
		}
		Ok(())
	}

	fn corrupt(&self, tensor: &Tensor) -> Result<Tensor, SabotageError> {
		let shape = tensor.shape();
		let mut data = tensor.data().to_vec();
		let start = self.row as usize * shape.row_bytes() as usize
			+ self.col as usize * shape.dtype.size() as usize;
		match shape.dtype {
			Dtype::I8 => {
				let byte = data.get_mut(start).ok_or(SabotageError::Trace)?;
				*byte = byte.wrapping_add(self.delta as u8);
			}
			Dtype::I32 => {
				let bytes = data.get_mut(start..start + 4).ok_or(SabotageError::Trace)?;
				let old = i32::from_le_bytes(bytes.try_into().map_err(|_| SabotageError::Trace)?);
				bytes.copy_from_slice(&old.wrapping_add(self.delta).to_le_bytes());
			}
		}
		Tensor::new(shape, data).map_err(|_| SabotageError::Trace)
	}
}

/// A computed node's exact result, by its rows.
fn recompute(step: &Step<'_>, operands: &[&Tensor]) -> Result<Tensor, SabotageError> {
	let data = match (step.node, operands) {
		// By rows this would take every row of b for every row of a.
		(Node::MatmulT { .. }, [a, b]) => {
			let (m, n, k) = (a.shape().rows, b.shape().rows, a.shape().cols);
			let mut data = vec![0; step.out.bytes() as usize];
			let [m, n, k] = [m, n, k].map(|length| length as usize);
			matmul::matmul_t(a.as_i8(), b.as_i8(), m, n, k, &mut data);
			data
		}
		_ => {
			let fetch = |slot: u32, row: u32| Ok::<_, Infallible>(operands[slot as usize].row(row));
			let rows = (0..step.out.rows).map(|row| step.row(row, fetch));
			let rows: Result<Vec<_>, _> = rows.collect();
			rows.map_err(|_| SabotageError::Trace)?.concat()
		}
	};
	Tensor::new(step.out, data).map_err(|_| SabotageError::Trace)
}
