//! Accounts and their addresses on this chain.

use crate::Error;
use assay_primitives::{AccountId, SS58_PREFIX};
use sp_core::crypto::{set_default_ss58_version, Ss58AddressFormat, Ss58Codec};

fn format() -> Ss58AddressFormat {
	Ss58AddressFormat::custom(SS58_PREFIX)
}

/// Has every account that is printed or serialised in this process use the chain's prefix.
pub fn use_chain_addresses() {
	set_default_ss58_version(format());
}

/// The account's address on this chain.
pub fn address(account: &AccountId) -> String {
	account.to_ss58check_with_version(format())
}

/// Reads an address of this chain, or a public key as `0x` and 64 hex digits.
///
/// # Errors
/// [`Error::Address`]: addresses of other chains are refused, with the same account's address here.
pub fn parse_account(text: &str) -> Result<AccountId, Error> {
	if let Some(digits) = text.strip_prefix("0x") {
		let mut key = [0; 32];
		hex::decode_to_slice(digits, &mut key)
			.map_err(|_| Error::Address(format!("\"{text}\" is not 0x and 64 hex digits")))?;
		return Ok(key.into());
	}
	let (account, version) = AccountId::from_ss58check_with_version(text)
		.map_err(|error| Error::Address(format!("\"{text}\" is not an address: {error:?}")))?;
	let prefix = u16::from(version);
	if prefix != SS58_PREFIX {
		return Err(Error::Address(format!(
			"\"{text}\" is an address of another chain (prefix {prefix}, not {SS58_PREFIX}); that \
			 account's address here is {}",
			address(&account)
		)));
	}
	Ok(account)
}

#[cfg(test)]
mod tests {
	use super::*;

	/// The key of Alice, written out, so that this does not rest on the signer.
	const ALICE: &str = "0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d";

	#[test]
	fn addresses_of_this_chain_come_back() {
		let alice = parse_account(ALICE).unwrap();
		let text = address(&alice);
		assert_eq!(parse_account(&text).unwrap(), alice);
		// Independent of the codec: two bytes of prefix 4224, the key, two bytes of checksum.
		assert!(text.len() > 48 && text.len() < 51, "{text}");
	}

	#[test]
	fn others_are_refused_with_the_right_one() {
		let alice = parse_account(ALICE).unwrap();
		let foreign = "5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY";
		let error = parse_account(foreign).unwrap_err().to_string();
		assert!(
			error.contains("prefix 42, not 4224") && error.contains(&address(&alice)),
			"{error}"
		);
		let broken = foreign.replace("GKutQY", "GKutQZ");
		for bad in ["", "0x12", "Alice", broken.as_str()] {
			assert!(matches!(parse_account(bad), Err(Error::Address(_))), "{bad}");
		}
	}
}
