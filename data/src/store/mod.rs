//! A folder of programs, tensors, traces and task lists, each named by its commitment.
//!
//! A thing is written to a temporary file, forced to disk and renamed, so it is there whole or not
//! at all. Reading hashes it again: what turns out damaged is removed and reported, never handed
//! out, and may then be put again. All methods block on the disk; clones share one store.

mod collect;
mod file;
mod read;
mod rows;
mod write;

pub use collect::{Keep, Removed};
pub use file::Kind;
pub use read::TensorReader;
pub use rows::Row;
pub use write::TensorWriter;

use crate::{root_hex, Tasks};
use assay_compute::{
	tasks_root, tensor_root, trace_root, Program, Root, Shape, Tensor, ValidProgram,
};
use codec::{DecodeAll, Encode};
use file::{Header, Staged};
use std::{
	fs::{self, File},
	io,
	path::{Path, PathBuf},
	sync::Arc,
	time::{Duration, SystemTime},
};

/// Default bound on the hash trees kept in memory.
const TREE_CACHE_BYTES: u64 = 256 * 1024 * 1024;
/// Tensors forced to disk together.
const BATCH: usize = 128;
/// Age from which a temporary file is taken for a leftover.
const STALE: Duration = Duration::from_secs(24 * 3600);

/// Why the store could not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
	/// The disk failed.
	#[error("{}: {error}", path.display())]
	Io {
		/// The file or folder.
		path: PathBuf,
		/// What happened.
		error: io::Error,
	},
	/// The file was not what its name says. It has been removed.
	#[error("the stored {kind} {} was damaged and has been removed", root_hex(root))]
	Damaged {
		/// What it should have been.
		kind: Kind,
		/// Its name.
		root: Root,
	},
	/// The bytes are not a valid program, trace or task list.
	#[error("not a valid {kind}: {reason}")]
	Invalid {
		/// What it should have been.
		kind: Kind,
		/// What is wrong with it.
		reason: String,
	},
}

/// A content-addressed store in one folder.
#[derive(Clone)]
pub struct Store {
	inner: Arc<Inner>,
}

struct Inner {
	dir: PathBuf,
	trees: rows::Trees,
}

impl Store {
	/// Opens the store in a folder, which is made if need be.
	pub fn open(dir: impl Into<PathBuf>) -> Result<Self, StoreError> {
		Self::open_with(dir, TREE_CACHE_BYTES)
	}

	/// Opens a store that keeps hash trees of at most `tree_cache` bytes in memory.
	pub fn open_with(dir: impl Into<PathBuf>, tree_cache: u64) -> Result<Self, StoreError> {
		let trees = rows::Trees::new(tree_cache);
		let store = Self { inner: Arc::new(Inner { dir: dir.into(), trees }) };
		let folders =
			Kind::ALL.map(Kind::folder).into_iter().map(|name| store.inner.dir.join(name));
		for folder in folders.chain([store.tmp()]) {
			fs::create_dir_all(&folder).map_err(|error| store.io_error(&folder, error))?;
		}
		store.sweep().map_err(|error| store.io_error(&store.tmp(), error))?;
		Ok(store)
	}

	/// The folder.
	pub fn dir(&self) -> &Path {
		&self.inner.dir
	}

	/// Keeps a tensor and names it.
	pub fn put_tensor(&self, tensor: &Tensor) -> Result<Root, StoreError> {
		let root = tensor_root(tensor);
		self.put_tensor_as(root, tensor)?;
		Ok(root)
	}

	/// Keeps a tensor whose root the caller has already computed. Under a wrong root it will be
	/// found damaged when read.
	pub fn put_tensor_as(&self, root: Root, tensor: &Tensor) -> Result<(), StoreError> {
		self.put_tensors([(root, tensor)])
	}

	/// Begins a tensor that comes piece by piece and is to have that root.
	pub fn write_tensor(&self, root: Root, shape: Shape) -> Result<TensorWriter, StoreError> {
		TensorWriter::new(self.clone(), root, shape)
	}

	/// Keeps many tensors whose roots are known, as of a trace: much faster than one by one, since
	/// they are forced to disk together.
	pub fn put_tensors<'a>(
		&self,
		tensors: impl IntoIterator<Item = (Root, &'a Tensor)>,
	) -> Result<(), StoreError> {
		let dir = self.inner.dir.join(Kind::Tensor.folder());
		let settle = |staged: &mut Vec<Staged>| {
			file::settle(&dir, std::mem::take(staged)).map_err(|error| self.io_error(&dir, error))
		};
		let mut staged = Vec::new();
		for (root, tensor) in tensors {
			staged.extend(self.stage(Kind::Tensor, &root, Some(tensor.shape()), tensor.data())?);
			// Each holds a file open.
			if staged.len() >= BATCH {
				settle(&mut staged)?;
			}
		}
		settle(&mut staged)
	}

	/// Keeps a program, which must be valid and canonically encoded, and names it.
	pub fn put_program(&self, bytes: &[u8]) -> Result<Root, StoreError> {
		let program = decode_program(bytes)
			.map_err(|reason| StoreError::Invalid { kind: Kind::Program, reason })?;
		let id = program.id();
		self.put(Kind::Program, &id, bytes)?;
		Ok(id)
	}

	/// Keeps the tensor roots of a trace, in node order, and names it.
	pub fn put_trace(&self, roots: &[Root]) -> Result<Root, StoreError> {
		non_empty(Kind::Trace, roots)?;
		let root = trace_root(roots);
		self.put(Kind::Trace, &root, roots.as_flattened())?;
		Ok(root)
	}

	/// Keeps the input roots of a job's tasks and names them.
	pub fn put_tasks(&self, tasks: &[Vec<Root>]) -> Result<Root, StoreError> {
		non_empty(Kind::Tasks, tasks)?;
		let root = tasks_root(tasks);
		self.put(Kind::Tasks, &root, &tasks.encode())?;
		Ok(root)
	}

	/// Whether there is such a thing, judged by its header and length.
	pub fn has(&self, kind: Kind, root: &Root) -> Result<bool, StoreError> {
		Ok(self.open_file(kind, root)?.is_some())
	}

	/// A tensor's shape.
	pub fn shape(&self, root: &Root) -> Result<Option<Shape>, StoreError> {
		Ok(self.open_file(Kind::Tensor, root)?.and_then(|(header, _)| header.shape))
	}

	/// A tensor, whole.
	pub fn tensor(&self, root: &Root) -> Result<Option<Tensor>, StoreError> {
		let Some(mut reader) = self.read_tensor(root)? else { return Ok(None) };
		let mut data = Vec::with_capacity(reader.shape().bytes() as usize);
		while let Some(chunk) = reader.next_chunk()? {
			data.extend_from_slice(&chunk);
		}
		match Tensor::new(reader.shape(), data) {
			Ok(tensor) => Ok(Some(tensor)),
			Err(_) => Err(self.damaged(Kind::Tensor, root)),
		}
	}

	/// A tensor, piece by piece.
	pub fn read_tensor(&self, root: &Root) -> Result<Option<TensorReader>, StoreError> {
		let Some((header, file)) = self.open_file(Kind::Tensor, root)? else { return Ok(None) };
		let reader = |shape| TensorReader::new(self.clone(), *root, shape, file);
		Ok(header.shape.map(reader))
	}

	/// A program.
	pub fn program(&self, id: &Root) -> Result<Option<ValidProgram>, StoreError> {
		let parse = |bytes: &[u8]| decode_program(bytes).ok().filter(|p| p.id() == *id);
		self.get(Kind::Program, id, parse)
	}

	/// A program's canonical encoding.
	pub fn program_bytes(&self, id: &Root) -> Result<Option<Vec<u8>>, StoreError> {
		let parse = |bytes: &[u8]| {
			decode_program(bytes).ok().filter(|p| p.id() == *id).map(|_| bytes.to_vec())
		};
		self.get(Kind::Program, id, parse)
	}

	/// The tensor roots of a trace, in node order.
	pub fn trace(&self, root: &Root) -> Result<Option<Vec<Root>>, StoreError> {
		let parse = |bytes: &[u8]| {
			let (roots, rest) = bytes.as_chunks::<32>();
			let right = rest.is_empty() && !roots.is_empty() && trace_root(roots) == *root;
			right.then(|| roots.to_vec())
		};
		self.get(Kind::Trace, root, parse)
	}

	/// The input roots of a job's tasks.
	pub fn tasks(&self, root: &Root) -> Result<Option<Tasks>, StoreError> {
		let parse = |mut bytes: &[u8]| {
			let tasks = Tasks::decode_all(&mut bytes).ok()?;
			(!tasks.is_empty() && tasks_root(&tasks) == *root).then_some(tasks)
		};
		self.get(Kind::Tasks, root, parse)
	}

	/// Reads a small thing; `parse` returns `None` unless the bytes are what the root says.
	fn get<T>(
		&self,
		kind: Kind,
		root: &Root,
		parse: impl FnOnce(&[u8]) -> Option<T>,
	) -> Result<Option<T>, StoreError> {
		let Some((header, file)) = self.open_file(kind, root)? else { return Ok(None) };
		let bytes =
			file::read_rest(header, file).map_err(|error| self.failed(kind, root, error))?;
		parse(&bytes).map(Some).ok_or_else(|| self.damaged(kind, root))
	}

	/// Keeps a small thing.
	fn put(&self, kind: Kind, root: &Root, bytes: &[u8]) -> Result<(), StoreError> {
		let staged = self.stage(kind, root, None, bytes)?;
		file::settle(&self.inner.dir.join(kind.folder()), staged.into_iter().collect())
			.map_err(|error| self.failed(kind, root, error))
	}

	/// Writes a thing under a temporary name, unless it is there.
	fn stage(
		&self,
		kind: Kind,
		root: &Root,
		shape: Option<Shape>,
		bytes: &[u8],
	) -> Result<Option<Staged>, StoreError> {
		let present = match self.open_file(kind, root) {
			// Makes it young again, so that it outlives a collection already under way.
			Ok(Some((_, file))) => file.set_modified(SystemTime::now()).is_ok(),
			Ok(None) | Err(StoreError::Damaged { .. }) => false,
			Err(error) => return Err(error),
		};
		if present {
			return Ok(None);
		}
		let header = Header { kind, shape, length: bytes.len() as u64 };
		file::stage(&self.tmp(), root_hex(root), header, bytes)
			.map(Some)
			.map_err(|error| self.failed(kind, root, error))
	}

	fn open_file(&self, kind: Kind, root: &Root) -> Result<Option<(Header, File)>, StoreError> {
		match file::open(&self.path(kind, root), kind) {
			Ok(None) => Ok(None),
			Ok(Some(Ok(found))) => Ok(Some(found)),
			Ok(Some(Err(file::Damage))) => Err(self.damaged(kind, root)),
			Err(error) => Err(self.failed(kind, root, error)),
		}
	}

	/// Removes a damaged file, so that the thing may be put again.
	fn damaged(&self, kind: Kind, root: &Root) -> StoreError {
		self.inner.trees.forget(root);
		let error = StoreError::Damaged { kind, root: *root };
		tracing::warn!("{error}");
		match fs::remove_file(self.path(kind, root)) {
			Err(failed) if failed.kind() != io::ErrorKind::NotFound => {
				self.failed(kind, root, failed)
			}
			_ => error,
		}
	}

	fn failed(&self, kind: Kind, root: &Root, error: io::Error) -> StoreError {
		self.io_error(&self.path(kind, root), error)
	}

	fn io_error(&self, path: &Path, error: io::Error) -> StoreError {
		StoreError::Io { path: path.to_owned(), error }
	}

	fn path(&self, kind: Kind, root: &Root) -> PathBuf {
		self.inner.dir.join(kind.folder()).join(root_hex(root))
	}

	fn tmp(&self) -> PathBuf {
		self.inner.dir.join("tmp")
	}

	/// Removes what earlier runs left half-written.
	fn sweep(&self) -> io::Result<()> {
		let now = SystemTime::now();
		for entry in fs::read_dir(self.tmp())? {
			let entry = entry?;
			let age = now.duration_since(entry.metadata()?.modified()?).unwrap_or_default();
			if age > STALE {
				fs::remove_file(entry.path())?;
			}
		}
		Ok(())
	}
}

/// A program from its canonical encoding.
pub(crate) fn decode_program(bytes: &[u8]) -> Result<ValidProgram, String> {
	let program = Program::decode(bytes).map_err(|error| error.to_string())?;
	program.validate().map_err(|error| error.to_string())
}

fn non_empty<T>(kind: Kind, items: &[T]) -> Result<(), StoreError> {
	if items.is_empty() {
		return Err(StoreError::Invalid { kind, reason: "it is empty".into() });
	}
	Ok(())
}
