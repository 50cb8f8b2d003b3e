//! Running a whole program.

use super::{compute, Trace};
use crate::{tensor_root, Node, Root, Shape, Tensor, ValidProgram};
use alloc::{collections::BTreeMap, vec, vec::Vec};

/// Told of progress, and able to stop the run.
pub trait Observer {
	/// Node `node` of `total` is done; `false` stops the run.
	fn node_done(&mut self, node: u32, total: u32) -> bool;
}

impl Observer for () {
	fn node_done(&mut self, _: u32, _: u32) -> bool {
		true
	}
}

impl<F: FnMut(u32, u32) -> bool> Observer for F {
	fn node_done(&mut self, node: u32, total: u32) -> bool {
		self(node, total)
	}
}

/// Why a valid program could not be executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExecError {
	/// No tensor was given for an input or const.
	#[error("node {node}: no tensor was given")]
	Missing {
		/// The input or const.
		node: u32,
	},
	/// A tensor was given for a node that is neither input nor const.
	#[error("node {node}: a tensor was given, but this is no input or const")]
	Unexpected {
		/// The node.
		node: u32,
	},
	/// The tensor given has another shape than declared.
	#[error("node {node}: the tensor given is {got}, declared is {want}")]
	Shape {
		/// The input or const.
		node: u32,
		/// Declared shape.
		want: Shape,
		/// Shape of the tensor given.
		got: Shape,
	},
	/// The bytes given for a const do not hash to its declared root.
	#[error("node {node}: the tensor given does not have the declared root")]
	Root {
		/// The const.
		node: u32,
		/// Root of the tensor given.
		got: Root,
	},
	/// There is not enough memory for a result.
	#[error("node {node}: no memory for {bytes} bytes")]
	Memory {
		/// The node.
		node: u32,
		/// Size of its result.
		bytes: u64,
	},
	/// The observer stopped the run.
	#[error("stopped after node {node}")]
	Stopped {
		/// The last node that was done.
		node: u32,
	},
}

/// Executes a program on its inputs and consts, by node index. Exact: every machine gives the same
/// bits. Checks all shapes and the roots of consts; the caller checks the roots of inputs against
/// its task.
pub fn execute(
	program: &ValidProgram,
	tensors: &BTreeMap<u32, Tensor>,
) -> Result<Trace, ExecError> {
	execute_with(program, tensors, &mut ())
}

/// [`execute`] with progress and a way to stop.
pub fn execute_with(
	program: &ValidProgram,
	tensors: &BTreeMap<u32, Tensor>,
	observer: &mut dyn Observer,
) -> Result<Trace, ExecError> {
	let is_const =
		|node: &u32| matches!(program.nodes().get(*node as usize), Some(Node::Const { .. }));
	let (consts, inputs) = tensors
		.iter()
		.map(|(node, tensor)| (*node, tensor.clone()))
		.partition(|(node, _)| is_const(node));
	Prepared::new(program, consts)?.execute(inputs, observer)
}

/// A program with its consts, their roots checked once for any number of executions.
#[derive(Clone, Debug)]
pub struct Prepared<'p> {
	program: &'p ValidProgram,
	consts: BTreeMap<u32, Tensor>,
}

impl<'p> Prepared<'p> {
	/// Takes the consts by node index and checks shapes and roots.
	pub fn new(
		program: &'p ValidProgram,
		consts: BTreeMap<u32, Tensor>,
	) -> Result<Self, ExecError> {
		let declared = program.consts();
		check_shapes(&consts, declared.iter().map(|(node, shape, _)| (*node, *shape)))?;
		for (node, _, root) in declared {
			let got = consts.get(&node).map(tensor_root).ok_or(ExecError::Missing { node })?;
			if got != root {
				return Err(ExecError::Root { node, got });
			}
		}
		Ok(Prepared { program, consts })
	}

	/// The program.
	pub fn program(&self) -> &'p ValidProgram {
		self.program
	}

	/// Executes on inputs by node index and keeps every tensor.
	pub fn execute(
		&self,
		inputs: BTreeMap<u32, Tensor>,
		observer: &mut dyn Observer,
	) -> Result<Trace, ExecError> {
		let total = self.program.len();
		let mut tensors = Vec::with_capacity(total as usize);
		self.run(inputs, &mut |node, tensor| {
			tensors.push(tensor.clone());
			observer.node_done(node, total)
		})?;
		Ok(Trace { tensors })
	}

	/// Executes and shows each tensor once, in node order; `sink` returns `false` to stop. A tensor is
	/// freed after its last use, so this needs memory for the live ones only.
	pub fn run(
		&self,
		inputs: BTreeMap<u32, Tensor>,
		sink: &mut dyn FnMut(u32, &Tensor) -> bool,
	) -> Result<(), ExecError> {
		check_shapes(&inputs, self.program.inputs().into_iter())?;
		let nodes = self.program.nodes();
		let mut last_use = vec![0u32; nodes.len()];
		for (index, node) in (0u32..).zip(nodes) {
			for operand in node.operands() {
				if let Some(last) = last_use.get_mut(operand as usize) {
					*last = index;
				}
			}
		}
		let mut live: BTreeMap<u32, Tensor> = inputs;
		for index in 0..self.program.len() {
			let step = self.program.step(index).ok_or(ExecError::Missing { node: index })?;
			let tensor = match step.node {
				Node::Input { .. } => live.get(&index).cloned(),
				Node::Const { .. } => self.consts.get(&index).cloned(),
				node => {
					let operands: Option<Vec<&Tensor>> =
						node.operands().map(|operand| live.get(&operand)).collect();
					let operands = operands.ok_or(ExecError::Missing { node: index })?;
					let result = compute(&step, &operands);
					let bytes = step.out.bytes();
					Some(result.ok_or(ExecError::Memory { node: index, bytes })?)
				}
			};
			let tensor = tensor.ok_or(ExecError::Missing { node: index })?;
			let proceed = sink(index, &tensor);
			live.insert(index, tensor);
			for operand in step.node.operands() {
				if last_use.get(operand as usize) == Some(&index) {
					live.remove(&operand);
				}
			}
			if !proceed {
				return Err(ExecError::Stopped { node: index });
			}
		}
		Ok(())
	}
}

/// Each declared tensor is there with its shape, and no other.
fn check_shapes(
	tensors: &BTreeMap<u32, Tensor>,
	declared: impl Iterator<Item = (u32, Shape)>,
) -> Result<(), ExecError> {
	let declared: BTreeMap<u32, Shape> = declared.collect();
	if let Some(node) = tensors.keys().find(|node| !declared.contains_key(node)) {
		return Err(ExecError::Unexpected { node: *node });
	}
	for (node, want) in declared {
		let got = tensors.get(&node).ok_or(ExecError::Missing { node })?.shape();
		if got != want {
			return Err(ExecError::Shape { node, want, got });
		}
	}
	Ok(())
}
