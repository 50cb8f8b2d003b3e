//! One stored thing as a file: a header that tells kind, shape and length, then the bytes.

use assay_compute::{Dtype, Shape};
use std::{
	fs::File,
	io::{self, BufReader, Read, Write},
	path::Path,
	thread,
};
use tempfile::NamedTempFile;

/// Begins every file; its last byte is the format's version.
const MAGIC: [u8; 8] = *b"assay-o\x01";
/// Bytes of the header: magic, kind, shape, length.
pub const HEADER_BYTES: usize = 8 + 1 + 9 + 8;
/// Threads that force files to disk.
const SYNC_THREADS: usize = 8;

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Kind {
	/// A tensor, by tensor root.
	Tensor = 0,
	/// A program, by program id.
	Program = 1,
	/// The tensor roots of a trace, by trace root.
	Trace = 2,
	/// The input roots of a job's tasks, by tasks root.
	Tasks = 3,
}

impl Kind {
	/// All of them.
	pub const ALL: [Kind; 4] = [Kind::Tensor, Kind::Program, Kind::Trace, Kind::Tasks];

	/// Name of the folder.
	pub const fn folder(self) -> &'static str {
		match self {
			Kind::Tensor => "tensors",
			Kind::Program => "programs",
			Kind::Trace => "traces",
			Kind::Tasks => "tasks",
		}
	}
}

impl std::fmt::Display for Kind {
	fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
		f.write_str(match self {
			Kind::Tensor => "tensor",
			Kind::Program => "program",
			Kind::Trace => "trace",
			Kind::Tasks => "task list",
		})
	}
}

/// The head of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
	/// What follows.
	pub kind: Kind,
	/// The shape, of a tensor only.
	pub shape: Option<Shape>,
	/// Bytes that follow.
	pub length: u64,
}

impl Header {
	fn encode(&self) -> [u8; HEADER_BYTES] {
		let mut bytes = [0; HEADER_BYTES];
		bytes[..8].copy_from_slice(&MAGIC);
		bytes[8] = self.kind as u8;
		bytes[9..18].copy_from_slice(&self.shape.map_or([0; 9], |shape| shape.header()));
		bytes[18..].copy_from_slice(&self.length.to_le_bytes());
		bytes
	}

	fn decode(kind: Kind, bytes: &[u8; HEADER_BYTES]) -> Option<Self> {
		let word = |at: usize| bytes[at..at + 4].try_into().map(u32::from_le_bytes).ok();
		let length = u64::from_le_bytes(bytes[18..].try_into().ok()?);
		let shape = match kind {
			Kind::Tensor => {
				let dtype = [Dtype::I8, Dtype::I32].into_iter().find(|d| *d as u8 == bytes[9])?;
				Some(Shape::new(dtype, word(10)?, word(14)?).check().ok()?)
			}
			_ => None,
		};
		let header = Self { kind, shape, length };
		// Encoding again checks the magic, the kind and the zeros at once.
		(header.encode() == *bytes && shape.is_none_or(|shape| shape.bytes() == length))
			.then_some(header)
	}
}

/// Opens a file and checks its header and its length. `None`: there is no such file.
pub fn open(path: &Path, kind: Kind) -> io::Result<Option<Result<(Header, File), Damage>>> {
	let mut file = match File::open(path) {
		Ok(file) => file,
		Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
		Err(error) => return Err(error),
	};
	let found = file.metadata()?.len();
	let mut bytes = [0; HEADER_BYTES];
	if found < HEADER_BYTES as u64 {
		return Ok(Some(Err(Damage)));
	}
	file.read_exact(&mut bytes)?;
	Ok(Some(match Header::decode(kind, &bytes) {
		Some(header) if header.length == found - HEADER_BYTES as u64 => Ok((header, file)),
		_ => Err(Damage),
	}))
}

/// The file is not what its name says.
#[derive(Clone, Copy, Debug)]
pub struct Damage;

/// A file written under a temporary name, perhaps not yet on the disk.
pub struct Staged {
	name: String,
	file: NamedTempFile,
}

impl Staged {
	/// Adds bytes.
	pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
		self.file.write_all(bytes)
	}
}

/// Writes a file under a temporary name.
pub fn stage(tmp: &Path, name: String, header: Header, bytes: &[u8]) -> io::Result<Staged> {
	let mut file = tempfile::Builder::new().prefix(&name).tempfile_in(tmp)?;
	file.write_all(&header.encode())?;
	file.write_all(bytes)?;
	Ok(Staged { name, file })
}

/// Forces files to disk and gives them their names: each is there whole or not at all, even if the
/// machine stops half-way.
pub fn settle(dir: &Path, staged: Vec<Staged>) -> io::Result<()> {
	if staged.is_empty() {
		return Ok(());
	}
	// Together, because a file system commits what is asked of it at the same time at once.
	let sync = |some: &[Staged]| some.iter().try_for_each(|one| one.file.as_file().sync_all());
	let share = staged.len().div_ceil(SYNC_THREADS).max(1);
	thread::scope(|scope| {
		let threads: Vec<_> =
			staged.chunks(share).skip(1).map(|some| scope.spawn(move || sync(some))).collect();
		let first = staged.chunks(share).next().map_or(Ok(()), sync);
		threads.into_iter().fold(first, |result, thread| {
			let failed = |_| Err(io::Error::other("a thread that writes has panicked"));
			result.and(thread.join().unwrap_or_else(failed))
		})
	})?;
	for Staged { name, file } in staged {
		file.persist(dir.join(name)).map_err(|failed| failed.error)?;
	}
	File::open(dir)?.sync_all()
}

/// Reads what follows the header of a small file.
pub fn read_rest(header: Header, file: File) -> io::Result<Vec<u8>> {
	let mut bytes = Vec::new();
	BufReader::new(file).take(header.length).read_to_end(&mut bytes)?;
	Ok(bytes)
}
