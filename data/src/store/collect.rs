//! Removing what nothing refers to any more.

use super::{Kind, Store, StoreError};
use crate::{parse_root, root_hex};
use assay_compute::Root;
use std::{
	collections::HashSet,
	fs, io,
	time::{Duration, SystemTime},
};

/// What must stay.
#[derive(Clone, Debug, Default)]
pub struct Keep {
	/// Tensors.
	pub tensors: HashSet<Root>,
	/// Programs.
	pub programs: HashSet<Root>,
	/// Traces.
	pub traces: HashSet<Root>,
	/// Task lists.
	pub tasks: HashSet<Root>,
}

impl Keep {
	/// Keeps a program and its constants.
	pub fn add_program(&mut self, store: &Store, id: Root) -> Result<(), StoreError> {
		self.programs.insert(id);
		if let Some(program) = store.program(&id)? {
			self.tensors.extend(program.consts().into_iter().map(|(_, _, root)| root));
		}
		Ok(())
	}

	/// Keeps a trace and all its tensors.
	pub fn add_trace(&mut self, store: &Store, root: Root) -> Result<(), StoreError> {
		self.traces.insert(root);
		self.tensors.extend(store.trace(&root)?.unwrap_or_default());
		Ok(())
	}

	/// Keeps a task list and the inputs that it names.
	pub fn add_tasks(&mut self, store: &Store, root: Root) -> Result<(), StoreError> {
		self.tasks.insert(root);
		self.tensors.extend(store.tasks(&root)?.unwrap_or_default().into_iter().flatten());
		Ok(())
	}

	fn of(&self, kind: Kind) -> &HashSet<Root> {
		match kind {
			Kind::Tensor => &self.tensors,
			Kind::Program => &self.programs,
			Kind::Trace => &self.traces,
			Kind::Tasks => &self.tasks,
		}
	}
}

/// What was removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Removed {
	/// Number of files.
	pub files: u64,
	/// Their bytes.
	pub bytes: u64,
}

impl Store {
	/// Removes everything that is not in `keep` and was last put more than `min_age` ago.
	///
	/// The age protects what is being put while `keep` is gathered: let it be longer than that
	/// takes.
	pub fn collect(&self, keep: &Keep, min_age: Duration) -> Result<Removed, StoreError> {
		let mut removed = Removed::default();
		for kind in Kind::ALL {
			self.collect_kind(kind, keep.of(kind), min_age, &mut removed)
				.map_err(|error| self.io_error(&self.inner.dir.join(kind.folder()), error))?;
		}
		Ok(removed)
	}

	fn collect_kind(
		&self,
		kind: Kind,
		keep: &HashSet<Root>,
		min_age: Duration,
		removed: &mut Removed,
	) -> io::Result<()> {
		let now = SystemTime::now();
		for entry in fs::read_dir(self.inner.dir.join(kind.folder()))? {
			let entry = entry?;
			// Files that are not ours stay.
			let Some(root) = entry.file_name().to_str().and_then(parse_root) else { continue };
			let metadata = entry.metadata()?;
			// A clock that was set back makes files from the future: they are young.
			let age = now.duration_since(metadata.modified()?).unwrap_or_default();
			if keep.contains(&root) || age < min_age || !metadata.is_file() {
				continue;
			}
			match fs::remove_file(entry.path()) {
				Ok(()) => {
					removed.files += 1;
					removed.bytes += metadata.len();
					self.inner.trees.forget(&root);
					tracing::debug!("removed {kind} {}", root_hex(&root));
				}
				Err(error) if error.kind() == io::ErrorKind::NotFound => {}
				Err(error) => return Err(error),
			}
		}
		Ok(())
	}
}
