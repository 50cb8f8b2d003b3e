//! The metadata that clients are generated from is that of this runtime.

use std::path::Path;

/// Version of the metadata format that is committed.
const FORMAT: u32 = 15;

#[test]
fn clients_are_generated_from_this_runtime() {
	let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../client/metadata.scale");
	let current = assay_runtime::Runtime::metadata_at_version(FORMAT).expect("a known format");
	let committed = std::fs::read(&path).expect("client/metadata.scale is committed");
	assert!(
		committed == *current,
		"client/metadata.scale is not this runtime's: run `scripts/metadata`"
	);
}
