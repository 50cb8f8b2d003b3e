//! A job's tasks from files.

use crate::{output::Output, program::load, progress};
use anyhow::Context as _;
use assay_compute::{tensor_root, Root, ValidProgram};
use assay_data::{Store, Tasks};
use std::{collections::HashSet, path::PathBuf};

/// The files of one task's inputs, in node order.
pub type Files = Vec<PathBuf>;

/// Splits an argument as `a.bin,b.bin` into the files of one task.
pub fn files(argument: &str) -> Result<Files, String> {
	let files: Files = argument.split(',').map(PathBuf::from).collect();
	match files.iter().any(|file| file.as_os_str().is_empty()) {
		true => Err(format!("\"{argument}\" names an empty file")),
		false => Ok(files),
	}
}

/// Checks every file against the program and returns the roots of each task's inputs. Holds one
/// task in memory at a time.
pub fn roots(output: Output, program: &ValidProgram, tasks: &[Files]) -> anyhow::Result<Tasks> {
	let bar = progress::bar(output, "hashing inputs", tasks.len() as u64);
	let mut roots = Tasks::new();
	for (index, files) in tasks.iter().enumerate() {
		let tensors = load::inputs(program, files).with_context(|| format!("task {index}"))?;
		roots.push(tensors.values().map(tensor_root).collect());
		bar.inc(1);
	}
	bar.finish_and_clear();
	Ok(roots)
}

/// Keeps program, constants, inputs and list of tasks in a store. A file that has changed since
/// its root was taken is refused.
pub fn keep(
	output: Output,
	store: &Store,
	program: &ValidProgram,
	consts: &std::collections::BTreeMap<u32, assay_compute::Tensor>,
	tasks: &[Files],
	roots: &Tasks,
) -> anyhow::Result<()> {
	let declared = program.consts().into_iter();
	let consts: Vec<_> =
		declared.filter_map(|(node, _, root)| Some((root, consts.get(&node)?))).collect();
	store.put_tensors(consts)?;
	store.put_program(&program.encode())?;
	let bar = progress::bar(output, "storing inputs", tasks.len() as u64);
	let mut kept: HashSet<Root> = HashSet::new();
	for (index, (files, roots)) in tasks.iter().zip(roots).enumerate() {
		let tensors = load::inputs(program, files).with_context(|| format!("task {index}"))?;
		for (tensor, root) in tensors.values().zip(roots) {
			if !kept.insert(*root) {
				continue;
			}
			if store.put_tensor(tensor)? != *root {
				anyhow::bail!("task {index}: an input file has changed meanwhile; submit again");
			}
		}
		bar.inc(1);
	}
	bar.finish_and_clear();
	store.put_tasks(roots)?;
	Ok(())
}

#[cfg(test)]
mod tests {
	use super::files;

	#[test]
	fn tasks_name_one_file_an_input() {
		assert_eq!(files("a.bin").unwrap().len(), 1);
		assert_eq!(files("a.bin,b.bin").unwrap().len(), 2);
		for bad in ["", ",", "a,,b", "a,"] {
			assert!(files(bad).is_err(), "{bad}");
		}
	}
}
