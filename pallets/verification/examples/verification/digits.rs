//! The job of examples/digits: its first batch.

use crate::{measure::execute, task::Task};
use assay_compute::{Node, Program, Shape, Tensor};
use serde_json::Value;
use std::{
	fs,
	path::{Path, PathBuf},
};

fn folder() -> PathBuf {
	Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/digits")
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
	fs::read(path).map_err(|error| format!("{}: {error}", path.display()))
}

fn json<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T, String> {
	serde_json::from_slice(&read(path)?).map_err(|error| format!("{}: {error}", path.display()))
}

/// The task, once its trace root turned out to be the published one.
pub fn task() -> Result<Task, String> {
	let folder = folder();
	let program: Program = json(&folder.join("program.json"))?;
	let mut tensors = std::collections::BTreeMap::new();
	for (node, index) in program.nodes.iter().zip(0u32..) {
		let (shape, path) = match node {
			Node::Input { dtype, rows, cols } => {
				(Shape::new(*dtype, *rows, *cols), folder.join("inputs/batch-00.bin"))
			}
			Node::Const { dtype, rows, cols, root } => {
				let name: String = root.iter().map(|byte| format!("{byte:02x}")).collect();
				let file = folder.join(format!("tensors/{name}.bin"));
				(Shape::new(*dtype, *rows, *cols), file)
			}
			_ => continue,
		};
		let tensor = Tensor::new(shape, read(&path)?);
		tensors.insert(index, tensor.map_err(|error| format!("{}: {error}", path.display()))?);
	}
	let task = Task::new("digits, 100 images", program, tensors)?;
	let root = execute(&task)?.1.commit().trace_root;
	let root: String = root.iter().map(|byte| format!("{byte:02x}")).collect();
	let claims: Value = json(&folder.join("claims.json"))?;
	if claims["tasks"][0]["trace_root"] != Value::String(root) {
		return Err("the digits' trace is not the published one".into());
	}
	Ok(task)
}
