//! How many offers were declined, in a small file, so that `status` can tell.

use serde::{Deserialize, Serialize};
use std::{
	fs,
	io::{self, Write},
	path::{Path, PathBuf},
	sync::{Mutex, PoisonError},
};

/// Offers declined since the worker's folder was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Declined {
	/// All of them.
	pub offers: u64,
	/// Those whose deadline was out of reach.
	pub out_of_reach: u64,
}

/// Counts, in memory and on disk.
pub struct Tally {
	path: PathBuf,
	declined: Mutex<Declined>,
}

impl Tally {
	/// Goes on counting in a file. One that cannot be read is begun anew, with a warning.
	pub fn open(path: PathBuf) -> Self {
		let declined = Self::peek(&path).unwrap_or_else(|error| {
			tracing::warn!("{}: {error}; counting from nothing", path.display());
			Declined::default()
		});
		Self { path, declined: Mutex::new(declined) }
	}

	/// Reads a file that another process may be using.
	pub fn peek(path: &Path) -> io::Result<Declined> {
		match fs::read(path) {
			Ok(text) => Ok(serde_json::from_slice(&text)?),
			Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Declined::default()),
			Err(error) => Err(error),
		}
	}

	/// One more. The file is small and not forced to the disk; should it not be written, the worker
	/// goes on.
	pub fn add(&self, out_of_reach: bool) {
		let mut declined = self.declined.lock().unwrap_or_else(PoisonError::into_inner);
		declined.offers = declined.offers.saturating_add(1);
		declined.out_of_reach = declined.out_of_reach.saturating_add(out_of_reach.into());
		if let Err(error) = self.write(&declined) {
			tracing::warn!("cannot write {}: {error}", self.path.display());
		}
	}

	fn write(&self, declined: &Declined) -> io::Result<()> {
		let dir = self.path.parent().unwrap_or(Path::new("."));
		let mut file = tempfile::Builder::new().prefix(".new-").tempfile_in(dir)?;
		serde_json::to_writer(&mut file, declined)?;
		file.write_all(b"\n")?;
		file.persist(&self.path).map_err(|failed| failed.error)?;
		Ok(())
	}
}
