//! What the fuzz targets do with their bytes (scripts/fuzz).
//!
//! Each target is a module with `run`, which must not panic whatever it is given, and `seeds`, inputs
//! to begin with. Seeds are made rather than kept, so that they are never of an older format.

pub mod dispatch;
pub mod program;
pub mod proof;
pub mod receipt;

/// An input to begin with, and its name.
pub type Seed = (String, Vec<u8>);

/// Writes the seeds into the folder that `ASSAY_FUZZ_SEEDS` names, if it names one.
pub fn write_seeds(seeds: fn() -> Vec<Seed>) {
	let Some(folder) = std::env::var_os("ASSAY_FUZZ_SEEDS") else { return };
	let folder = std::path::Path::new(&folder);
	std::fs::create_dir_all(folder).expect("the folder for seeds can be made");
	for (name, bytes) in seeds() {
		std::fs::write(folder.join(name), bytes).expect("a seed can be written");
	}
}

/// A little-endian number of two bytes.
pub(crate) fn word(low: u8, high: u8) -> usize {
	usize::from(u16::from_le_bytes([low, high]))
}

/// Changes `bytes` at a place: 0 flips bits, 1 sets, 2 inserts, 3 removes.
pub(crate) fn edit(bytes: &mut Vec<u8>, place: usize, how: u8, value: u8) {
	if bytes.is_empty() {
		return;
	}
	let place = place % bytes.len();
	match how % 4 {
		0 => bytes[place] ^= value,
		1 => bytes[place] = value,
		2 => bytes.insert(place, value),
		_ => drop(bytes.remove(place)),
	}
}
