//! Keys that sign transactions.

use crate::address;
use assay_primitives::AccountId;
use std::{fmt, fs, io, path::Path, str::FromStr};
use subxt_signer::{sr25519::Keypair, SecretUri};

/// Longest key file that is read, in bytes.
const MAX_FILE_BYTES: u64 = 4_096;

/// An sr25519 key.
#[derive(Clone)]
pub struct Signer {
	pub(crate) keypair: Keypair,
	account: AccountId,
}

/// Something that is not a key.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
	/// Not a mnemonic, seed or derivation path.
	#[error(
		"not a key: {0}; expected a mnemonic, a seed as 0x and 64 hex digits, or a development key \
		 as //Alice"
	)]
	Uri(String),
	/// The file cannot be read.
	#[error("cannot read the key file {path}: {error}")]
	File {
		/// Which.
		path: String,
		/// Why.
		error: io::Error,
	},
	/// The file is not one line of text.
	#[error("{0} is no key file: it must hold a key on its first line and nothing else")]
	Content(String),
}

impl Signer {
	/// The key that a secret URI names: a mnemonic or hex seed with derivations, or just
	/// derivations of the development phrase, as `//Alice`.
	pub fn from_uri(uri: &str) -> Result<Self, KeyError> {
		// Nothing at all would name the development phrase, whose key everyone has.
		let uri = uri.trim();
		if uri.is_empty() {
			return Err(KeyError::Uri("it is empty".into()));
		}
		// Errors never repeat the secret.
		let secret =
			SecretUri::from_str(uri).map_err(|_| KeyError::Uri("the form is not known".into()))?;
		let keypair =
			Keypair::from_uri(&secret).map_err(|error| KeyError::Uri(error.to_string()))?;
		let account = keypair.public_key().0.into();
		Ok(Self { keypair, account })
	}

	/// The key whose URI is the one line of a file. A file that others may read is used with a
	/// warning.
	pub fn from_file(path: impl AsRef<Path>) -> Result<Self, KeyError> {
		let path = path.as_ref();
		let name = path.display().to_string();
		let failed = |error| KeyError::File { path: name.clone(), error };
		let metadata = fs::metadata(path).map_err(failed)?;
		if metadata.len() > MAX_FILE_BYTES {
			return Err(KeyError::Content(name));
		}
		#[cfg(unix)]
		{
			use std::os::unix::fs::PermissionsExt;
			if metadata.permissions().mode() & 0o077 != 0 {
				tracing::warn!("others may read the key file {name}; chmod 600 it");
			}
		}
		let text = fs::read_to_string(path).map_err(failed)?;
		let mut lines = text.lines();
		let uri = lines.next().unwrap_or_default();
		if uri.trim().is_empty() || lines.any(|line| !line.trim().is_empty()) {
			return Err(KeyError::Content(name));
		}
		Self::from_uri(uri)
	}

	/// The account it signs for.
	pub fn account(&self) -> &AccountId {
		&self.account
	}

	/// That account's address on this chain.
	pub fn address(&self) -> String {
		address(&self.account)
	}
}

impl FromStr for Signer {
	type Err = KeyError;

	fn from_str(uri: &str) -> Result<Self, KeyError> {
		Self::from_uri(uri)
	}
}

/// Shows the address, never the secret.
impl fmt::Debug for Signer {
	fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
		f.debug_tuple("Signer").field(&self.address()).finish()
	}
}

#[cfg(test)]
mod tests {
	use super::*;

	const PHRASE: &str = "bottom drive obey lake curtain smoke basket hold race lonely fit walk";
	const ALICE: &str = "d43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d";

	#[test]
	fn keys_are_those_of_other_tools() {
		for uri in ["//Alice", &format!("{PHRASE}//Alice"), " //Alice\n"] {
			assert_eq!(hex::encode(Signer::from_uri(uri).unwrap().account()), ALICE, "{uri}");
		}
		let root = "46ebddef8cd9bb167dc30878d7113b7e168e6f0646beffd77d69d39bad76b47a";
		assert_eq!(hex::encode(Signer::from_uri(PHRASE).unwrap().account()), root);
	}

	#[test]
	fn bad_keys_are_refused_without_being_shown() {
		for bad in ["", "alice", "bottom drive obey", "0x12", &PHRASE.replace("walk", "wolk")] {
			let error = Signer::from_uri(bad).unwrap_err().to_string();
			assert!(bad.len() < 5 || !error.contains(bad), "{error}");
		}
		assert!(!format!("{:?}", Signer::from_uri(PHRASE).unwrap()).contains("bottom"));
	}

	#[test]
	fn files_hold_one_key() {
		let dir = tempfile::tempdir().unwrap();
		let path = dir.path().join("key");
		let write = |text: &str| fs::write(&path, text).unwrap();
		write("//Alice\n");
		assert_eq!(hex::encode(Signer::from_file(&path).unwrap().account()), ALICE);
		for bad in ["", "\n//Alice", "//Alice\n//Bob"] {
			write(bad);
			assert!(matches!(Signer::from_file(&path), Err(KeyError::Content(_))), "{bad:?}");
		}
		assert!(matches!(Signer::from_file(dir.path().join("none")), Err(KeyError::File { .. })));
	}
}
