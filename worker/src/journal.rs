//! What this worker has done about each task, one small file a task.
//!
//! A step that others may hold it to is written down, and is on the disk, before it is taken. After
//! a kill at any point the worker goes on from the chain's state and this.

use crate::task_name;
use assay_primitives::{
	views::{JobView, TaskView},
	work::{Commitment, TaskId},
	BlockNumber, Root,
};
use serde::{Deserialize, Serialize};
use std::{
	collections::BTreeMap,
	fs::{self, File},
	io::{self, Write},
	path::{Path, PathBuf},
	sync::{Arc, Mutex, MutexGuard, PoisonError},
	time::{SystemTime, UNIX_EPOCH},
};
use tokio::task::spawn_blocking;

/// How far a task has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "is", content = "commitment")]
pub enum Stage {
	/// All it needs is in the store and checked.
	Prepared,
	/// It is executed, the trace is in the store, and this and nothing else will be submitted.
	Committed(Commitment),
	/// This was submitted.
	Submitted(Commitment),
}

/// One task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
	/// Which task.
	pub task: TaskId,
	/// Failed runs of the task before this one: with `due` it tells this run from any other.
	pub attempts: u8,
	/// Last block to submit in, once accepted.
	pub due: Option<BlockNumber>,
	/// The program.
	pub program: Root,
	/// Root of the job's list of tasks.
	pub tasks_root: Root,
	/// Roots of the task's inputs, in node order.
	pub inputs: Vec<Root>,
	/// How far it has come.
	pub stage: Stage,
	/// The trace root, where the commitment has none and it was worked out since: nothing else will
	/// be given to whoever demands it.
	#[serde(default)]
	pub trace: Option<Root>,
	/// When the task was first seen to have ended, in seconds since 1970.
	pub ended_at: Option<u64>,
	/// What it takes to open what was sealed, if the task is a replica.
	#[serde(default, skip_serializing_if = "Option::is_none")]
	pub sealed: Option<Secret>,
}

/// What is in the seal of a replica, beside what was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Secret {
	/// Keeps others from guessing what is sealed.
	pub salt: Root,
	/// What is compared within a tolerance.
	pub summary: Vec<i32>,
}

impl Entry {
	/// A task about to be accepted with these inputs.
	pub fn prepared(job: &JobView, view: &TaskView, inputs: Vec<Root>) -> Self {
		Self {
			task: view.id,
			attempts: view.attempts,
			due: None,
			program: job.program,
			tasks_root: job.tasks_root,
			inputs,
			stage: Stage::Prepared,
			trace: None,
			ended_at: None,
			sealed: None,
		}
	}

	/// What is to be, or was, submitted.
	pub fn commitment(&self) -> Option<Commitment> {
		match self.stage {
			Stage::Prepared => None,
			Stage::Committed(commitment) | Stage::Submitted(commitment) => Some(commitment),
		}
	}

	/// What is or may be owed to others: the trace root with it, if it is known.
	pub fn owed(&self) -> Option<Commitment> {
		let Commitment { output_root, trace_root } = self.commitment()?;
		Some(Commitment { output_root, trace_root: trace_root.or(self.trace) })
	}

	/// Whether this is about the same run as `prepared`, and its result is written down already.
	pub fn is_further(&self, prepared: &Entry) -> bool {
		let begun = Entry {
			due: None,
			stage: Stage::Prepared,
			trace: None,
			ended_at: None,
			sealed: None,
			..self.clone()
		};
		self.commitment().is_some() && begun == *prepared
	}

	/// Whether this is about the run that the chain shows as accepted and due at that block.
	pub fn is_run(&self, job: &JobView, view: &TaskView, due: BlockNumber) -> bool {
		self.attempts == view.attempts
			&& self.due.is_none_or(|known| known == due)
			&& self.program == job.program
			&& self.inputs == view.inputs
	}
}

/// Now, in seconds since 1970.
pub fn unix_now() -> u64 {
	SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// All entries, on disk and in memory. Clones share them.
#[derive(Clone)]
pub struct Journal {
	dir: Arc<Path>,
	entries: Arc<Mutex<BTreeMap<TaskId, Entry>>>,
}

impl Journal {
	/// Opens the journal in a folder, which is made if need be. Files that cannot be read are set
	/// aside with a warning: the chain tells what is to be done, at worst again.
	pub fn open(dir: impl Into<PathBuf>) -> io::Result<Self> {
		let dir = dir.into();
		fs::create_dir_all(&dir)?;
		let entries = read(&dir, |path, reason| {
			tracing::warn!("{} is set aside: {reason}", path.display());
			fs::rename(path, path.with_extension("damaged"))
		})?;
		let entries = entries.into_iter().map(|entry| (entry.task, entry)).collect();
		Ok(Self { dir: dir.into(), entries: Arc::new(Mutex::new(entries)) })
	}

	/// Reads the entries of a folder that another process may be using.
	pub fn peek(dir: &Path) -> io::Result<Vec<Entry>> {
		match read(dir, |_, _| Ok(())) {
			Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
			result => result,
		}
	}

	/// A task's entry.
	pub fn get(&self, task: TaskId) -> Option<Entry> {
		self.lock().get(&task).cloned()
	}

	/// All entries.
	pub fn all(&self) -> Vec<Entry> {
		self.lock().values().cloned().collect()
	}

	/// Writes an entry down: when this returns it is on the disk.
	pub async fn save(&self, entry: Entry) -> io::Result<()> {
		if self.get(entry.task).as_ref() == Some(&entry) {
			return Ok(());
		}
		let journal = self.clone();
		let saved = spawn_blocking(move || {
			journal.write(&entry)?;
			journal.lock().insert(entry.task, entry);
			Ok(())
		});
		saved.await.map_err(io::Error::other)?
	}

	/// Forgets a task.
	pub async fn remove(&self, task: TaskId) -> io::Result<()> {
		let journal = self.clone();
		let removed = spawn_blocking(move || {
			match fs::remove_file(journal.path(task)) {
				Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
				_ => {}
			}
			journal.lock().remove(&task);
			Ok(())
		});
		removed.await.map_err(io::Error::other)?
	}

	fn write(&self, entry: &Entry) -> io::Result<()> {
		let mut file = tempfile::Builder::new().prefix(".new-").tempfile_in(&self.dir)?;
		serde_json::to_writer_pretty(&mut file, entry)?;
		file.write_all(b"\n")?;
		file.as_file().sync_all()?;
		file.persist(self.path(entry.task)).map_err(|failed| failed.error)?;
		File::open(&self.dir)?.sync_all()
	}

	fn path(&self, task: TaskId) -> PathBuf {
		self.dir.join(format!("{}.json", task_name(task)))
	}

	fn lock(&self) -> MutexGuard<'_, BTreeMap<TaskId, Entry>> {
		self.entries.lock().unwrap_or_else(PoisonError::into_inner)
	}
}

fn read(
	dir: &Path,
	mut unreadable: impl FnMut(&Path, String) -> io::Result<()>,
) -> io::Result<Vec<Entry>> {
	let mut entries = Vec::new();
	for file in fs::read_dir(dir)? {
		let path = file?.path();
		if path.extension().is_none_or(|extension| extension != "json") {
			continue;
		}
		let text = match fs::read(&path) {
			Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
			text => text?,
		};
		match serde_json::from_slice::<Entry>(&text) {
			Ok(entry) if path.file_stem() == Some(task_name(entry.task).as_ref()) => {
				entries.push(entry)
			}
			Ok(entry) => unreadable(&path, format!("it is about task {}", task_name(entry.task)))?,
			Err(error) => unreadable(&path, error.to_string())?,
		}
	}
	entries.sort_by_key(|entry| entry.task);
	Ok(entries)
}
