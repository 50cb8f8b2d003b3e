//! Tensors on disk: those of a trace while it is audited, which is read as streams of rows.

mod file;
mod plan;
mod trace;

pub use file::Spooled;
pub use plan::Plan;
pub use trace::{SpoolTrace, Supply, Tables};

use assay_compute::{Root, Shape};
use assay_data::{
	fetch::{FetchError, Reason},
	Fetcher,
};
use std::{
	fs,
	io::{self, Write},
	path::{Path, PathBuf},
	sync::{Arc, Mutex, PoisonError},
};
use tempfile::{NamedTempFile, TempDir};
use tokio::task::spawn_blocking;

/// Bytes of a tensor that are held before they are written.
const BATCH: usize = 256 << 10;
/// Bytes of memory that fetching one tensor takes: a batch being written, the next one, and what is
/// on its way.
pub const FETCH_BYTES: u64 = 1 << 20;
/// Begins the name of the folder that one start of the service has its files in.
const PREFIX: &str = "spool-";

/// A folder for tensors, which are gone once nobody reads them.
#[derive(Clone, Debug)]
pub struct Spool {
	inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
	/// The service's own folder. None: where the operating system has temporary files.
	within: Option<PathBuf>,
	/// This start's folder in it, once there is something to keep.
	folder: Mutex<Option<TempDir>>,
}

impl Spool {
	/// In a folder of the service alone.
	pub fn new(within: Option<PathBuf>) -> Self {
		Self { inner: Arc::new(Inner { within, folder: Mutex::default() }) }
	}

	/// Fetches a tensor, hashed as it arrives.
	pub async fn fetch(
		&self,
		fetcher: Fetcher,
		base: String,
		root: Root,
		shape: Shape,
	) -> Result<Arc<Spooled>, FetchError> {
		let mut pieces = fetcher.tensor_pieces(&base, &root, shape).await?;
		let spool = self.clone();
		let mut file =
			on_disk(move || spool.create()).await.map_err(|reason| pieces.error(reason))?;
		let mut batch = Vec::with_capacity(BATCH);
		while let Some(piece) = pieces.next().await? {
			batch.extend_from_slice(&piece);
			if batch.len() >= BATCH {
				let full = std::mem::replace(&mut batch, Vec::with_capacity(BATCH));
				file = written(file, full).await.map_err(|reason| pieces.error(reason))?;
			}
		}
		let file = written(file, batch).await.map_err(|reason| pieces.error(reason))?;
		Ok(Arc::new(Spooled::new(file.into_temp_path(), shape)))
	}

	fn create(&self) -> io::Result<NamedTempFile> {
		let mut folder = self.inner.folder.lock().unwrap_or_else(PoisonError::into_inner);
		// It may have been swept as one of those that nobody has used for long.
		if let Some(own) = folder.take_if(|own| !own.path().exists()) {
			tracing::warn!("{} is gone", own.path().display());
		}
		let own = match &mut *folder {
			Some(own) => own,
			none => none.insert(make(self.inner.within.as_deref())?),
		};
		NamedTempFile::new_in(own.path())
	}
}

/// Makes this start's folder, and removes what earlier ones had no time to.
fn make(within: Option<&Path>) -> io::Result<TempDir> {
	let mut builder = tempfile::Builder::new();
	let Some(within) = within else { return builder.prefix("assay-auditor-").tempdir() };
	fs::create_dir_all(within)?;
	for entry in fs::read_dir(within)? {
		let entry = entry?;
		if entry.file_name().to_string_lossy().starts_with(PREFIX) {
			if let Err(error) = fs::remove_dir_all(entry.path()) {
				tracing::warn!("{} is not removed: {error}", entry.path().display());
			}
		}
	}
	builder.prefix(PREFIX).tempdir_in(within)
}

/// Writes what has come, off the threads that wait for the network.
async fn written(mut file: NamedTempFile, bytes: Vec<u8>) -> Result<NamedTempFile, Reason> {
	on_disk(move || file.write_all(&bytes).map(|()| file)).await
}

async fn on_disk<T: Send + 'static>(
	work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> Result<T, Reason> {
	let done = spawn_blocking(work).await.map_err(|error| Reason::Unkept(error.to_string()))?;
	done.map_err(|error| Reason::Unkept(error.to_string()))
}

#[cfg(test)]
mod tests {
	use super::*;

	fn names(folder: &Path) -> Vec<String> {
		let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
		let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
		names.sort();
		names
	}

	#[test]
	fn nothing_is_left_behind() {
		let dir = tempfile::tempdir().unwrap();
		let within = dir.path().join("auditor");
		// A start that was broken off, and what is none of the spool's.
		fs::create_dir_all(within.join("spool-old")).unwrap();
		fs::write(within.join("spool-old").join("tensor"), [1; 100]).unwrap();
		fs::create_dir(within.join("results")).unwrap();
		let spool = Spool::new(Some(within.clone()));
		// Nothing is done before there is something to keep.
		assert_eq!(names(&within), ["results", "spool-old"]);
		let mut files: Vec<_> = (0..3).map(|_| spool.create().unwrap().into_temp_path()).collect();
		let folders = names(&within);
		assert_eq!((folders.len(), &folders[0][..]), (2, "results"));
		let own = within.join(&folders[1]);
		assert!(folders[1] != "spool-old" && names(&own).len() == 3);
		files.pop();
		assert_eq!(names(&own).len(), 2);
		// Somebody swept it: files that come are not in it, and all else goes on.
		fs::remove_dir_all(&own).unwrap();
		let file = spool.create().unwrap();
		assert!(file.path().exists());
		drop((files, file, spool));
		assert_eq!(names(&within), ["results"]);
		// Without a folder of its own there is one all the same.
		let file = Spool::new(None).create();
		assert!(file.is_ok());
	}
}
