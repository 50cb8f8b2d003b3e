//! How much of the disk the store may take.

use assay_primitives::work::TaskId;
use std::{
	collections::{BTreeMap, BTreeSet},
	fs, io,
	path::{Path, PathBuf},
	sync::{Mutex, MutexGuard, PoisonError},
};

/// Room for tasks that are taken on but have not yet written all they will.
pub struct Quota {
	dir: PathBuf,
	limit: u64,
	reserved: Mutex<BTreeMap<TaskId, u64>>,
}

/// Why there is no room.
#[derive(Debug, thiserror::Error)]
pub enum NoRoom {
	/// The store is too full.
	#[error(
		"the task may take {needed} bytes; of {limit} bytes (max_store_bytes) {used} are used and \
		 {reserved} are promised to other tasks"
	)]
	Full {
		/// Bytes the task may take.
		needed: u64,
		/// Bytes the store may take.
		limit: u64,
		/// Bytes it takes.
		used: u64,
		/// Bytes kept for other tasks.
		reserved: u64,
	},
	/// The store cannot be measured.
	#[error("cannot measure the store: {0}")]
	Io(#[from] io::Error),
}

impl Quota {
	/// At most `limit` bytes in the store's folder.
	pub fn new(dir: impl Into<PathBuf>, limit: u64) -> Self {
		Self { dir: dir.into(), limit, reserved: Mutex::default() }
	}

	/// Keeps room for a task. Blocks on the disk.
	pub fn reserve(&self, task: TaskId, needed: u64) -> Result<(), NoRoom> {
		let used = usage(&self.dir)?;
		let mut reserved = self.lock();
		let others: u64 = reserved
			.iter()
			.filter(|(other, _)| **other != task)
			.fold(0, |sum, (_, bytes)| sum.saturating_add(*bytes));
		if used.saturating_add(others).saturating_add(needed) > self.limit {
			return Err(NoRoom::Full { needed, limit: self.limit, used, reserved: others });
		}
		reserved.insert(task, needed);
		Ok(())
	}

	/// Keeps room for a task that is already taken on, whether there is room or not.
	pub fn insist(&self, task: TaskId, needed: u64) {
		self.lock().entry(task).or_insert(needed);
	}

	/// The task has written all it will, or is gone.
	pub fn release(&self, task: TaskId) {
		self.lock().remove(&task);
	}

	/// Gives back what is kept for any but these tasks.
	pub fn retain(&self, live: &BTreeSet<TaskId>) {
		self.lock().retain(|task, _| live.contains(task));
	}

	fn lock(&self) -> MutexGuard<'_, BTreeMap<TaskId, u64>> {
		self.reserved.lock().unwrap_or_else(PoisonError::into_inner)
	}
}

/// Bytes of all files below a folder.
pub fn usage(dir: &Path) -> io::Result<u64> {
	let mut sum = 0u64;
	for entry in fs::read_dir(dir)? {
		let entry = entry?;
		// Files come and go meanwhile.
		let bytes = match entry.metadata() {
			Ok(metadata) if metadata.is_dir() => usage(&entry.path())?,
			Ok(metadata) => metadata.len(),
			Err(error) if error.kind() == io::ErrorKind::NotFound => 0,
			Err(error) => return Err(error),
		};
		sum = sum.saturating_add(bytes);
	}
	Ok(sum)
}
