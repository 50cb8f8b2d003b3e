//! The chain's calls with plain arguments.

mod claims;
mod jobs;
mod providers;
mod replicas;
mod reports;
mod transfers;

pub use claims::claimed;
pub use jobs::JobSpec;
pub use providers::{MachineSpec, Profile};
pub use reports::{report_seal, Judgement};

use crate::{chain::runtime_types::bounded_collections::bounded_vec::BoundedVec, Error};
use assay_primitives::AccountId;
use subxt::utils::AccountId32;

/// The same account in subxt's type.
pub(crate) fn id(account: &AccountId) -> AccountId32 {
	let bytes: &[u8; 32] = account.as_ref();
	AccountId32(*bytes)
}

/// The same account in the chain's type.
#[cfg(test)]
fn account(id: AccountId32) -> AccountId {
	id.0.into()
}

/// Text of at most `most` bytes.
fn text(what: &str, text: &str, most: usize) -> Result<BoundedVec<u8>, Error> {
	if text.len() > most {
		let length = text.len();
		return Err(Error::Argument(format!(
			"the {what} has {length} bytes, at most {most} are kept"
		)));
	}
	Ok(BoundedVec(text.as_bytes().to_vec()))
}

/// A base URL that the chain takes.
fn url(what: &str, url: &str) -> Result<BoundedVec<u8>, Error> {
	use assay_primitives::url::{check, UrlError, MAX_URL};
	let bytes = text(what, url, MAX_URL as usize)?;
	let wrong = match check(url.as_bytes()) {
		Ok(()) => return Ok(bytes),
		Err(UrlError::Scheme) => "it must begin with http:// or https://",
		Err(UrlError::Character) => "it holds a character that no base URL may hold",
		Err(UrlError::Host) => "it names no host",
		Err(UrlError::Port) => "its port is not a number from 1 to 65535",
	};
	Err(Error::Argument(format!("the {what} \"{}\" is no base URL: {wrong}", url.escape_debug())))
}

#[cfg(test)]
mod tests {
	use super::*;

	#[test]
	fn bounds_are_checked_before_anything_is_sent() {
		assert_eq!(text("name", "ab", 2).unwrap().0, b"ab");
		assert!(text("name", "abc", 2).unwrap_err().to_string().contains("3 bytes, at most 2"));
		assert!(url("endpoint", "http://a:1").is_ok());
		for bad in ["a:1", "http://", "http://a:0", "http://a b", &format!("http://{:0250}", 0)] {
			assert!(matches!(url("endpoint", bad), Err(Error::Argument(_))), "{bad}");
		}
		let alice = assay_primitives::AccountId::new([7; 32]);
		assert_eq!(account(id(&alice)), alice);
	}
}
