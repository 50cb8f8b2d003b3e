//! Writes the metadata that clients are generated from: `metadata [FILE]`.

/// Version of the metadata format.
const FORMAT: u32 = 15;

fn main() {
	let path = std::env::args().nth(1).unwrap_or_else(|| "client/metadata.scale".into());
	let metadata = assay_runtime::Runtime::metadata_at_version(FORMAT).expect("a known format");
	std::fs::write(&path, &*metadata).expect("the file can be written");
}
