//! Reading values out of a proof of a block's state.

use crate::Error;
use assay_primitives::Hash;
use sp_core::Bytes;
use sp_runtime::traits::BlakeTwo256;
use sp_state_machine::{
	create_proof_check_backend, prove_read_on_trie_backend, Backend, StorageProof,
};
use std::collections::BTreeMap;

/// The values of these keys in the state of this root; keys without a value are left out. Nothing
/// but what leads to them may be in the proof: bytes that prove nothing could be anything.
pub(crate) fn read(
	root: Hash,
	nodes: &[Bytes],
	keys: &[Vec<u8>],
) -> Result<BTreeMap<Vec<u8>, Vec<u8>>, Error> {
	let failed = |reason: String| Error::State { root, reason };
	let proof = StorageProof::new(nodes.iter().map(|node| node.0.clone()));
	let backend = create_proof_check_backend::<BlakeTwo256>(root, proof)
		.map_err(|error| failed(error.to_string()))?;
	let mut values = BTreeMap::new();
	for key in keys {
		let value = backend.storage(key).map_err(|error| failed(error.to_string()))?;
		values.extend(value.map(|value| (key.clone(), value)));
	}
	let needed = prove_read_on_trie_backend(&backend, keys)
		.map_err(|error| failed(error.to_string()))?
		.len();
	match nodes.len().checked_sub(needed) {
		Some(0) => Ok(values),
		superfluous => Err(Error::Superfluous(superfluous.unwrap_or(0))),
	}
}
