//! Outputs on disk, hashed against a receipt.

use assay_compute::{tensor_root, Dtype, Shape, Tensor};
use assay_primitives::work::TaskIndex;
use assay_receipt::{Receipt, TaskReceipt};
use serde::Deserialize;
use std::{collections::BTreeMap, fs, path::Path};

/// What `assay job result` says of the files beside it. Nothing of it is trusted: a tensor's root is
/// also one of its shape, so that another shape makes another root.
#[derive(Deserialize)]
struct Described {
	dtype: Dtype,
	rows: u32,
	cols: u32,
}

/// Whether the output of every settled task is there and is the one in the receipt.
pub fn check(receipt: &Receipt, dir: &Path) -> Result<String, String> {
	// Any of a task's replicas will do: all that are paid agree.
	let mut settled = BTreeMap::<TaskIndex, Vec<&TaskReceipt>>::new();
	for slot in receipt.tasks.iter().filter(|task| task.settled_at.is_some()) {
		settled.entry(receipt.assurance.place(slot.index).0).or_default().push(slot);
	}
	if settled.is_empty() {
		return Err("no task of the receipt is settled, so there is no output to compare".into());
	}
	let shape = shape(&dir.join("result.json"))?;
	let wrong: Vec<String> =
		settled.iter().filter_map(|(task, of)| compare(*task, of, shape, dir).err()).collect();
	match wrong.is_empty() {
		true => Ok(format!(
			"the {} outputs in {} hash to the roots of the receipt",
			settled.len(),
			dir.display()
		)),
		false => Err(wrong.join("; ")),
	}
}

fn shape(path: &Path) -> Result<Shape, String> {
	let failed = |error: &dyn std::fmt::Display| {
		format!("cannot read the outputs' shape from {}: {error}", path.display())
	};
	let text = fs::read_to_string(path).map_err(|error| failed(&error))?;
	let Described { dtype, rows, cols } =
		serde_json::from_str(&text).map_err(|error| failed(&error))?;
	Ok(Shape::new(dtype, rows, cols))
}

fn compare(
	task: TaskIndex,
	replicas: &[&TaskReceipt],
	shape: Shape,
	dir: &Path,
) -> Result<(), String> {
	let path = dir.join(format!("task-{task:05}.bin"));
	let bytes =
		fs::read(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
	let tensor =
		Tensor::new(shape, bytes).map_err(|error| format!("{}: {error}", path.display()))?;
	let root = tensor_root(&tensor);
	let mut right = replicas.iter().filter_map(|replica| replica.output_root);
	if right.clone().any(|right| right.0 == root) {
		return Ok(());
	}
	match right.next() {
		Some(right) => Err(format!(
			"{} hashes to 0x{}, but task {task} has the output {right:#x}",
			path.display(),
			hex::encode(root),
		)),
		None => Err(format!("task {task} has no output root")),
	}
}
