//! Until when each thing is kept, on disk: a restart forgets none of it.

use assay_compute::Root;
use codec::{Decode, DecodeAll, Encode};
use std::{
	collections::BTreeMap,
	fs::{self, File},
	io::{self, Read, Write},
	path::{Path, PathBuf},
};

/// Begins every file; its last byte is the version of the format.
const MAGIC: [u8; 8] = *b"assay-k\x01";
/// Longest file that is read: any that is written is shorter.
const MAX_BYTES: u64 = 4_096;
/// Begins the names of files that are being written.
const DRAFT: &str = ".draft";

/// What is kept: an output, and the program that says how to read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Encode)]
pub struct Named {
	/// Root of the output.
	pub output: Root,
	/// Id of the program.
	pub program: Root,
}

/// Until when it is kept, and how large it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode)]
pub struct Term {
	/// Milliseconds since 1970.
	pub until: u64,
	/// Bytes of the output.
	pub output_bytes: u64,
	/// Bytes of the program.
	pub program_bytes: u64,
}

/// A folder of terms, one a file, which is there whole or not at all.
pub struct Terms {
	folder: PathBuf,
	known: BTreeMap<Named, Term>,
}

impl Terms {
	/// Those in a folder, which is made if need be. A file that is not what was written is as good as
	/// none, and removed.
	pub fn open(folder: PathBuf) -> io::Result<Self> {
		fs::create_dir_all(&folder)?;
		let mut known = BTreeMap::new();
		for entry in fs::read_dir(&folder)? {
			let entry = entry?;
			let name = entry.file_name();
			let Some(name) = name.to_str() else { continue };
			if name.starts_with(DRAFT) {
				remove(&entry.path());
			} else if let Some(named) = Named::parse(name) {
				match decode(&named, &read(&entry.path())?) {
					Some(term) => drop(known.insert(named, term)),
					None => {
						tracing::warn!("{} is damaged", entry.path().display());
						remove(&entry.path());
					}
				}
			}
		}
		Ok(Self { folder, known })
	}

	/// The term of a thing, if it is kept.
	pub fn get(&self, named: &Named) -> Option<Term> {
		self.known.get(named).copied()
	}

	/// All that is kept.
	pub fn iter(&self) -> impl Iterator<Item = (&Named, &Term)> {
		self.known.iter()
	}

	/// Keeps a thing until then, or longer if that was said before. On disk when this returns.
	pub fn put(&mut self, named: Named, term: Term) -> io::Result<()> {
		let before = self.get(&named).map_or(0, |known| known.until);
		let term = Term { until: term.until.max(before), ..term };
		let mut draft = tempfile::Builder::new().prefix(DRAFT).tempfile_in(&self.folder)?;
		draft.write_all(&encode(&named, &term))?;
		draft.as_file().sync_all()?;
		draft.persist(self.folder.join(named.file()))?;
		File::open(&self.folder)?.sync_all()?;
		self.known.insert(named, term);
		Ok(())
	}

	/// Forgets what was to be kept until then, and says whether there was any.
	pub fn expire(&mut self, now: u64) -> bool {
		let over = |term: &Term| term.until <= now;
		for (named, _) in self.known.iter().filter(|(_, term)| over(term)) {
			remove(&self.folder.join(named.file()));
		}
		let before = self.known.len();
		self.known.retain(|_, term| !over(term));
		self.known.len() < before
	}
}

impl Named {
	fn file(&self) -> String {
		format!("{}-{}", hex::encode(self.output), hex::encode(self.program))
	}

	fn parse(name: &str) -> Option<Self> {
		let (output, program) = name.split_once('-')?;
		let mut named = Self { output: [0; 32], program: [0; 32] };
		hex::decode_to_slice(output, &mut named.output).ok()?;
		hex::decode_to_slice(program, &mut named.program).ok()?;
		// In the one spelling that is written.
		(named.file() == name).then_some(named)
	}
}

fn encode(named: &Named, term: &Term) -> Vec<u8> {
	let body = term.encode();
	[&MAGIC[..], &sum(named, &body), &body].concat()
}

fn decode(named: &Named, bytes: &[u8]) -> Option<Term> {
	let rest = bytes.strip_prefix(&MAGIC)?;
	let (found, body) = rest.split_first_chunk::<32>()?;
	if *found != sum(named, body) {
		return None;
	}
	Term::decode_all(&mut &body[..]).ok()
}

fn sum(named: &Named, body: &[u8]) -> [u8; 32] {
	*blake3::Hasher::new().update(&named.encode()).update(body).finalize().as_bytes()
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
	let mut bytes = Vec::new();
	File::open(path)?.take(MAX_BYTES).read_to_end(&mut bytes)?;
	Ok(bytes)
}

fn remove(path: &Path) {
	match fs::remove_file(path) {
		Err(error) if error.kind() != io::ErrorKind::NotFound => {
			tracing::warn!("{} is not removed: {error}", path.display());
		}
		_ => {}
	}
}

#[cfg(test)]
mod tests {
	use super::*;

	fn named(output: u8, program: u8) -> Named {
		Named { output: [output; 32], program: [program; 32] }
	}

	fn term(until: u64) -> Term {
		Term { until, output_bytes: 10, program_bytes: 20 }
	}

	#[test]
	fn terms_outlive_a_restart_and_never_shrink() {
		let dir = tempfile::tempdir().unwrap();
		let mut terms = Terms::open(dir.path().join("terms")).unwrap();
		terms.put(named(1, 9), term(100)).unwrap();
		terms.put(named(1, 8), term(300)).unwrap();
		terms.put(named(1, 9), term(200)).unwrap();
		terms.put(named(1, 9), term(50)).unwrap();
		let mut terms = Terms::open(dir.path().join("terms")).unwrap();
		assert_eq!(terms.get(&named(1, 9)), Some(term(200)));
		assert_eq!((terms.get(&named(1, 8)), terms.get(&named(2, 9))), (Some(term(300)), None));
		assert!(!terms.expire(199));
		assert!(terms.expire(200));
		assert_eq!(terms.iter().collect::<Vec<_>>(), [(&named(1, 8), &term(300))]);
		let terms = Terms::open(dir.path().join("terms")).unwrap();
		assert_eq!(terms.iter().count(), 1);
	}

	#[test]
	fn what_is_damaged_is_not_known() {
		let dir = tempfile::tempdir().unwrap();
		let mut terms = Terms::open(dir.path().into()).unwrap();
		terms.put(named(1, 9), term(100)).unwrap();
		let path = dir.path().join(named(1, 9).file());
		let whole = fs::read(&path).unwrap();
		let mut damaged =
			vec![vec![], whole[..whole.len() - 1].to_vec(), [&whole[..], b"x"].concat()];
		for at in 0..whole.len() {
			let mut flipped = whole.clone();
			flipped[at] ^= 1;
			damaged.push(flipped);
		}
		for bytes in damaged {
			fs::write(&path, bytes).unwrap();
			assert_eq!(Terms::open(dir.path().into()).unwrap().iter().count(), 0);
			assert!(!path.exists());
		}
		// Another's file, one that was not finished, and what is none of these.
		fs::write(dir.path().join(named(2, 9).file()), &whole).unwrap();
		fs::write(dir.path().join(".draftAb12"), &whole).unwrap();
		fs::write(dir.path().join("notes"), b"mine").unwrap();
		assert_eq!(Terms::open(dir.path().into()).unwrap().iter().count(), 0);
		let left: Vec<_> = fs::read_dir(dir.path()).unwrap().map(|it| it.unwrap()).collect();
		assert_eq!(left.len(), 1);
	}
}
