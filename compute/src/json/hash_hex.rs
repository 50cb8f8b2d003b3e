//! Lower-case hexadecimal without a prefix, and nothing else.

use serde::{de::Error, Deserialize, Deserializer, Serializer};

/// The bytes of a lower-case hexadecimal string.
pub(crate) fn decode(text: &str) -> Result<Vec<u8>, String> {
	if text.bytes().any(|c| c.is_ascii_uppercase()) {
		return Err("hexadecimal must be lower case".into());
	}
	hex::decode(text).map_err(|error| format!("not hexadecimal: {error}"))
}

/// The 32 bytes of a hash.
pub(crate) fn hash(text: &str) -> Result<[u8; 32], String> {
	let bytes = decode(text)?;
	let len = bytes.len();
	bytes.try_into().map_err(|_| format!("a hash has 32 bytes, not {len}"))
}

pub(crate) fn serialize<S: Serializer>(hash: &[u8; 32], to: S) -> Result<S::Ok, S::Error> {
	to.serialize_str(&hex::encode(hash))
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<[u8; 32], D::Error> {
	hash(&String::deserialize(from)?).map_err(D::Error::custom)
}
