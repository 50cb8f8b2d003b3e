//! Programs and tensors from files.

use anyhow::{bail, Context as _};
use assay_compute::{tensor_root, Node, Program, Root, Shape, Tensor, ValidProgram};
use std::{
	collections::BTreeMap,
	fs,
	path::{Path, PathBuf},
};

/// Name of the folder of constants beside a program.
const TENSORS: &str = "tensors";

/// Reads a program, `{"nodes": […]}`, and validates it.
pub fn program(path: &Path) -> anyhow::Result<ValidProgram> {
	let text = fs::read_to_string(path)
		.with_context(|| format!("cannot read the program {}", path.display()))?;
	let program: Program = serde_json::from_str(&text)
		.with_context(|| format!("{} is not a program in JSON", path.display()))?;
	// The chain and the workers see it in its encoding, whose bounds are checked here.
	let program = Program::decode(&program.encode())
		.with_context(|| format!("{} cannot be encoded", path.display()))?;
	program
		.validate()
		.map_err(|error| anyhow::anyhow!("the program {} is not valid: {error}", path.display()))
}

/// The folder of a program's constants: the one given, or `tensors` beside the program.
pub fn tensors_dir(program: &Path, given: Option<&Path>) -> PathBuf {
	match given {
		Some(dir) => dir.to_owned(),
		None => program.parent().unwrap_or(Path::new("")).join(TENSORS),
	}
}

/// A program's constants by node, each from `<root>.bin` in the folder, checked against its root.
pub fn consts(program: &ValidProgram, dir: &Path) -> anyhow::Result<BTreeMap<u32, Tensor>> {
	let mut read: BTreeMap<Root, Tensor> = BTreeMap::new();
	let mut consts = BTreeMap::new();
	for (node, shape, root) in program.consts() {
		let tensor = match read.get(&root) {
			Some(tensor) => tensor.clone(),
			None => {
				let path = dir.join(format!("{}.bin", hex::encode(root)));
				let tensor = tensor(&path, shape).with_context(|| format!("constant {node}"))?;
				if tensor_root(&tensor) != root {
					bail!(
						"constant {node}: {} holds other bytes than its name says",
						path.display()
					);
				}
				read.insert(root, tensor.clone());
				tensor
			}
		};
		consts.insert(node, tensor);
	}
	Ok(consts)
}

/// A tensor of that shape from a file of its bytes.
pub fn tensor(path: &Path, shape: Shape) -> anyhow::Result<Tensor> {
	let name = path.display();
	let metadata = fs::metadata(path).with_context(|| format!("cannot read {name}"))?;
	if !metadata.is_file() {
		bail!("{name} is not a file");
	}
	// Before reading it, for it may be anything.
	if metadata.len() != shape.bytes() {
		bail!("{name} has {} bytes, but {shape} takes {}", metadata.len(), shape.bytes());
	}
	let data = fs::read(path).with_context(|| format!("cannot read {name}"))?;
	Tensor::new(shape, data).with_context(|| name.to_string())
}

/// A task's inputs from one file for each `input` node, in node order.
pub fn inputs(program: &ValidProgram, files: &[PathBuf]) -> anyhow::Result<BTreeMap<u32, Tensor>> {
	let declared = program.inputs();
	if declared.len() != files.len() {
		let shapes: Vec<String> =
			declared.iter().map(|(node, shape)| format!("node {node}: {shape}")).collect();
		bail!(
			"the program takes {} inputs ({}), but {} files are given",
			declared.len(),
			shapes.join(", "),
			files.len()
		);
	}
	declared
		.iter()
		.zip(files)
		.map(|((node, shape), file)| {
			let tensor = tensor(file, *shape).with_context(|| format!("input {node}"))?;
			Ok((*node, tensor))
		})
		.collect()
}

/// What is special about a node, in a word or two.
pub fn detail(node: &Node) -> String {
	let operands: Vec<String> = node.operands().map(|operand| format!("%{operand}")).collect();
	match node {
		Node::Const { root, .. } => format!("root {}", &hex::encode(root)[..16]),
		Node::Fill { seed, .. } => format!("seed {}", &hex::encode(seed)[..16]),
		Node::Requant { shift, .. }
		| Node::RowSoftmax { shift, .. }
		| Node::RowNorm { shift, .. }
		| Node::RowRms { shift, .. }
		| Node::RowScale { shift, .. }
		| Node::ColScale { shift, .. } => format!("{} shift {shift}", operands.join(" ")),
		Node::SliceCols { start, len, .. } | Node::SliceRows { start, len, .. } => {
			format!("{} {start}..{}", operands.join(" "), u64::from(*start) + u64::from(*len))
		}
		_ => operands.join(" "),
	}
}
