//! Final replies on disk: an audit that was done before a restart is not done again after it.

use assay_primitives::auditor::{AuditReply, Finding};
use codec::{DecodeAll, Encode};
use std::{
	collections::VecDeque,
	fs::{self, File},
	io::{self, Read, Write},
	path::{Path, PathBuf},
	time::SystemTime,
};

/// Hash of what makes an audit the same one.
type Key = [u8; 32];

/// Begins every file; its last byte is the version of the format.
const MAGIC: [u8; 8] = *b"assay-r\x01";
/// Longest file that is read: a proof is shorter.
const MAX_BYTES: u64 = 2 << 20;
/// Begins the names of files that are being written.
const DRAFT: &str = ".draft";

/// A folder of final replies, by audit, of which the oldest make room for new ones. A file that is not
/// what was written is as good as none.
pub struct Results {
	folder: PathBuf,
	most: usize,
	/// The oldest first.
	known: VecDeque<Key>,
}

impl Results {
	/// Those in a folder, which is made if need be; at most so many are kept.
	pub fn open(folder: PathBuf, most: usize) -> io::Result<Self> {
		fs::create_dir_all(&folder)?;
		let mut found = Vec::new();
		for entry in fs::read_dir(&folder)? {
			let entry = entry?;
			let name = entry.file_name();
			let Some(name) = name.to_str() else { continue };
			if name.starts_with(DRAFT) {
				// An earlier start was broken off while it wrote this.
				remove(&entry.path());
			} else if let Some(key) = key_of(name) {
				let age = entry.metadata().and_then(|of| of.modified());
				found.push((age.unwrap_or(SystemTime::UNIX_EPOCH), key));
			}
		}
		found.sort_unstable();
		let known = found.into_iter().map(|(_, key)| key).collect();
		let mut results = Self { folder, most, known };
		results.make_room();
		Ok(results)
	}

	/// The reply to an audit, if it is known.
	pub fn get(&mut self, key: &Key) -> Option<AuditReply> {
		if !self.known.contains(key) {
			return None;
		}
		let path = self.path(key);
		let reply = read(&path).ok().and_then(|bytes| decode(key, &bytes));
		if reply.is_none() {
			tracing::warn!("{} is damaged: the audit is done again", path.display());
			remove(&path);
			self.known.retain(|known| known != key);
		}
		reply
	}

	/// Keeps a reply if it is final. What cannot be kept is only forgotten.
	pub fn put(&mut self, key: &Key, reply: &AuditReply) {
		if !is_final(reply) || self.most == 0 {
			return;
		}
		if let Err(error) = self.write(key, reply) {
			tracing::warn!("a result is not kept: {}: {error}", self.folder.display());
			return;
		}
		self.known.retain(|known| known != key);
		self.known.push_back(*key);
		self.make_room();
	}

	fn write(&self, key: &Key, reply: &AuditReply) -> io::Result<()> {
		let draft = tempfile::Builder::new().prefix(DRAFT).tempfile_in(&self.folder)?;
		draft.as_file().write_all(&encode(key, reply))?;
		// There whole or not at all; after a loss of power perhaps damaged, which is noticed.
		draft.persist(self.path(key))?;
		Ok(())
	}

	fn make_room(&mut self) {
		while self.known.len() > self.most {
			let Some(oldest) = self.known.pop_front() else { break };
			remove(&self.path(&oldest));
		}
	}

	fn path(&self, key: &Key) -> PathBuf {
		self.folder.join(hex::encode(key))
	}
}

/// Whether the same audit would end in the same way for ever.
pub fn is_final(reply: &AuditReply) -> bool {
	matches!(reply, AuditReply::Done(Finding::Right | Finding::Wrong(_)))
}

fn encode(key: &Key, reply: &AuditReply) -> Vec<u8> {
	let body = reply.encode();
	[&MAGIC[..], &sum(key, &body), &body].concat()
}

fn decode(key: &Key, bytes: &[u8]) -> Option<AuditReply> {
	let rest = bytes.strip_prefix(&MAGIC)?;
	let (found, body) = rest.split_first_chunk::<32>()?;
	if *found != sum(key, body) {
		return None;
	}
	AuditReply::decode_all(&mut &body[..]).ok().filter(is_final)
}

fn sum(key: &Key, body: &[u8]) -> Key {
	*blake3::Hasher::new_keyed(key).update(body).finalize().as_bytes()
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

fn key_of(name: &str) -> Option<Key> {
	let mut key = [0; 32];
	hex::decode_to_slice(name, &mut key).ok()?;
	// In the one spelling that is written.
	(hex::encode(key) == name).then_some(key)
}

#[cfg(test)]
mod tests {
	use super::*;

	const RIGHT: AuditReply = AuditReply::Done(Finding::Right);

	fn wrong(proof: u8) -> AuditReply {
		AuditReply::Done(Finding::Wrong(vec![proof; 700]))
	}

	fn names(folder: &Path) -> usize {
		fs::read_dir(folder).unwrap().count()
	}

	#[test]
	fn what_is_final_is_known_after_a_restart() {
		let dir = tempfile::tempdir().unwrap();
		let folder = dir.path().join("results");
		let mut results = Results::open(folder.clone(), 10).unwrap();
		assert_eq!(results.get(&[1; 32]), None);
		results.put(&[1; 32], &RIGHT);
		results.put(&[2; 32], &wrong(7));
		let others = [
			AuditReply::Pending,
			AuditReply::Expired,
			AuditReply::Refused("no".into()),
			AuditReply::Done(Finding::Unavailable),
		];
		for other in others {
			results.put(&[3; 32], &other);
			assert_eq!(results.get(&[3; 32]), None);
		}
		drop(results);
		let mut results = Results::open(folder.clone(), 10).unwrap();
		assert_eq!(results.get(&[1; 32]), Some(RIGHT));
		assert_eq!(results.get(&[2; 32]), Some(wrong(7)));
		assert_eq!((results.get(&[3; 32]), names(&folder)), (None, 2));
	}

	/// Any byte changed, any part missing, or another audit's file: as if there were none.
	#[test]
	fn damage_is_noticed_and_swept() {
		let dir = tempfile::tempdir().unwrap();
		let mut results = Results::open(dir.path().into(), 10).unwrap();
		results.put(&[1; 32], &wrong(7));
		let path = dir.path().join(hex::encode([1; 32]));
		let whole = fs::read(&path).unwrap();
		let mut damaged =
			vec![vec![], whole[..whole.len() - 1].to_vec(), [&whole[..], b"x"].concat()];
		for at in (0..whole.len()).step_by(13) {
			let mut flipped = whole.clone();
			flipped[at] ^= 1;
			damaged.push(flipped);
		}
		for bytes in damaged {
			fs::write(&path, &bytes).unwrap();
			let mut results = Results::open(dir.path().into(), 10).unwrap();
			assert_eq!(results.get(&[1; 32]), None);
			assert!(!path.exists());
			// It may be found anew.
			results.put(&[1; 32], &RIGHT);
			assert_eq!(results.get(&[1; 32]), Some(RIGHT));
		}
		fs::write(dir.path().join(hex::encode([2; 32])), &whole).unwrap();
		// Left by a start that was broken off, and what is none of this service's.
		fs::write(dir.path().join(".draftAb12"), &whole).unwrap();
		fs::write(dir.path().join("notes"), b"mine").unwrap();
		fs::create_dir(dir.path().join(hex::encode([3; 32]))).unwrap();
		let mut results = Results::open(dir.path().into(), 10).unwrap();
		assert_eq!((results.get(&[2; 32]), results.get(&[3; 32])), (None, None));
		assert!(!dir.path().join(".draftAb12").exists() && dir.path().join("notes").exists());
	}

	#[test]
	fn the_oldest_make_room() {
		let dir = tempfile::tempdir().unwrap();
		let mut results = Results::open(dir.path().into(), 3).unwrap();
		for key in 1..=5 {
			results.put(&[key; 32], &wrong(key));
		}
		let known = |results: &mut Results| -> Vec<u8> {
			(1..=5).filter(|key| results.get(&[*key; 32]).is_some()).collect()
		};
		assert_eq!((known(&mut results), names(dir.path())), (vec![3, 4, 5], 3));
		// One that is put again is young again.
		results.put(&[3; 32], &RIGHT);
		results.put(&[1; 32], &RIGHT);
		assert_eq!(known(&mut results), [1, 3, 5]);
		let mut fewer = Results::open(dir.path().into(), 1).unwrap();
		assert_eq!((known(&mut fewer).len(), names(dir.path())), (1, 1));
		let mut none = Results::open(dir.path().into(), 0).unwrap();
		none.put(&[1; 32], &RIGHT);
		assert_eq!((known(&mut none).len(), names(dir.path())), (0, 0));
	}
}
