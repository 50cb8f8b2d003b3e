//! Where a submitted job's content is kept.

use anyhow::Context as _;
use assay_compute::Root;
use assay_data::Store;
use directories::ProjectDirs;
use std::{
	fs,
	path::{Path, PathBuf},
};

/// Names the folder of all jobs below the user's data folder.
const JOBS: &str = "jobs";

/// The folder of one job's program, constants, inputs and list of tasks.
pub struct Folder {
	path: PathBuf,
}

impl Folder {
	/// The folder given, or one of the user's that the job's tasks name.
	pub fn of(given: Option<PathBuf>, tasks_root: &Root) -> anyhow::Result<Self> {
		let path = match given {
			Some(path) => path,
			None => jobs_dir()?.join(&hex::encode(tasks_root)[..16]),
		};
		let path = std::path::absolute(&path)
			.with_context(|| format!("{} is no folder", path.display()))?;
		Ok(Self { path })
	}

	/// The path.
	pub fn path(&self) -> &Path {
		&self.path
	}

	/// The content in it.
	pub fn store(&self) -> anyhow::Result<Store> {
		Ok(Store::open(&self.path)?)
	}

	/// Folders of all jobs submitted from here, by name.
	pub fn all() -> anyhow::Result<Vec<PathBuf>> {
		let dir = jobs_dir()?;
		if !dir.exists() {
			return Ok(Vec::new());
		}
		let entries =
			fs::read_dir(&dir).with_context(|| format!("cannot read {}", dir.display()))?;
		let mut folders: Vec<PathBuf> = entries
			.filter_map(|entry| entry.ok().map(|entry| entry.path()))
			.filter(|path| path.is_dir())
			.collect();
		folders.sort();
		Ok(folders)
	}
}

fn jobs_dir() -> anyhow::Result<PathBuf> {
	let dirs = ProjectDirs::from("", "", "assay")
		.context("the user has no home folder to keep content in; name one with --data")?;
	Ok(dirs.data_dir().join(JOBS))
}
