//! A sealed report on disk: without its salt it cannot be opened, and its bond is lost.

use super::usage;
use anyhow::Context as _;
use assay_primitives::{work::TaskId, BlockNumber, Hash};
use directories::ProjectDirs;
use serde::{Deserialize, Serialize};
use std::{
	ffi::OsString,
	fs::{self, OpenOptions},
	io::Write,
	path::{Path, PathBuf},
};

/// Names the folder of sealed reports below the user's data folder.
const REPORTS: &str = "reports";

/// What is kept of a report from before it is sealed until it is opened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sealed {
	/// Which chain.
	pub genesis: Hash,
	/// Which task.
	pub task: TaskId,
	/// Which attempt at it.
	pub submitted_at: BlockNumber,
	/// Whose report it is.
	pub reporter: String,
	/// Block in which it was sealed, once that is known.
	pub sealed_at: Option<BlockNumber>,
	/// Blocks that must lie between sealing and opening.
	pub delay: BlockNumber,
	/// The proof, in hexadecimal.
	pub proof: String,
	/// The secret, in hexadecimal.
	pub salt: String,
}

impl Sealed {
	/// Where it is kept: beside the proof, if that is written somewhere.
	pub fn path(&self, out: Option<&Path>) -> anyhow::Result<PathBuf> {
		if let Some(out) = out {
			let mut name: OsString = out.into();
			name.push(".sealed");
			return Ok(name.into());
		}
		let dirs = ProjectDirs::from("", "", "assay").context(
			"the user has no home folder to keep the report in until it is opened; name a file \
			 with --out",
		)?;
		let TaskId { job, index } = self.task;
		// Neither another chain nor another account has the same name.
		let (chain, attempt) = (&hex::encode(self.genesis)[..8], self.submitted_at);
		let name = format!("{chain}-{job}-{index}-{attempt}-{}.json", self.reporter);
		Ok(dirs.data_dir().join(REPORTS).join(name))
	}

	/// Whether both are reports of one account on one attempt at a task.
	pub fn is_about_the_same(&self, other: &Self) -> bool {
		let about = |of: &Self| (of.genesis, of.task, of.submitted_at, of.reporter.clone());
		about(self) == about(other)
	}

	/// Writes it where only its owner reads it, and whole or not at all.
	pub fn write(&self, path: &Path) -> anyhow::Result<()> {
		self.try_write(path)
			.with_context(|| format!("cannot keep the report in {}", path.display()))
	}

	fn try_write(&self, path: &Path) -> anyhow::Result<()> {
		if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
			fs::create_dir_all(folder)?;
		}
		let mut new: OsString = path.into();
		new.push(".new");
		let mut options = OpenOptions::new();
		options.write(true).create(true).truncate(true);
		#[cfg(unix)]
		std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
		let mut file = options.open(&new)?;
		file.write_all(&serde_json::to_vec_pretty(self)?)?;
		file.sync_all()?;
		Ok(fs::rename(new, path)?)
	}

	/// Reads one.
	pub fn read(path: &Path) -> anyhow::Result<Self> {
		let text = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
		let sealed: Self = serde_json::from_slice(&text)
			.map_err(|error| usage(format!("{} is no sealed report: {error}", path.display())))?;
		sealed.opens_with().with_context(|| format!("{} is damaged", path.display()))?;
		Ok(sealed)
	}

	/// The proof and the salt.
	pub fn opens_with(&self) -> anyhow::Result<(Vec<u8>, [u8; 32])> {
		let salt = hex::decode(&self.salt)?.try_into().ok().context("the salt has not 32 bytes")?;
		Ok((hex::decode(&self.proof)?, salt))
	}
}

#[cfg(test)]
mod tests {
	use super::*;

	fn sealed() -> Sealed {
		Sealed {
			genesis: Hash::repeat_byte(7),
			task: TaskId { job: 3, index: 1 },
			submitted_at: 90,
			reporter: "someone".into(),
			sealed_at: None,
			delay: 2,
			proof: hex::encode([1; 40]),
			salt: hex::encode([2; 32]),
		}
	}

	#[test]
	fn it_comes_back_from_disk_as_it_was() {
		let folder = tempfile::tempdir().unwrap();
		let path = sealed().path(Some(&folder.path().join("deep/proof"))).unwrap();
		assert!(path.ends_with("deep/proof.sealed"));
		let mut report = sealed();
		report.write(&path).unwrap();
		report.sealed_at = Some(100);
		report.write(&path).unwrap();
		assert_eq!(Sealed::read(&path).unwrap(), report);
		assert_eq!(report.opens_with().unwrap(), (vec![1; 40], [2; 32]));
		assert!(report.is_about_the_same(&sealed()));
		let later = Sealed { submitted_at: 91, ..sealed() };
		assert!(!report.is_about_the_same(&later));
		// Nothing else is left there, and nobody else reads it.
		assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
		#[cfg(unix)]
		{
			use std::os::unix::fs::PermissionsExt;
			assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
		}
	}

	#[test]
	fn what_is_none_is_told() {
		let folder = tempfile::tempdir().unwrap();
		let path = folder.path().join("file");
		assert!(Sealed::read(&path).unwrap_err().to_string().contains("cannot read"));
		fs::write(&path, "{}").unwrap();
		assert!(Sealed::read(&path).unwrap_err().to_string().contains("no sealed report"));
		for (proof, salt) in [("0x", &sealed().salt[..]), ("00", "00"), ("00", "zz")] {
			let damaged = Sealed { proof: proof.into(), salt: salt.into(), ..sealed() };
			damaged.write(&path).unwrap();
			assert!(Sealed::read(&path).unwrap_err().to_string().contains("damaged"));
		}
	}
}
