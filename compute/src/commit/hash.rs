//! The hash with its domain tags.

use super::Root;

/// First byte of everything hashed, so that no hash of one kind can stand for another.
#[derive(Clone, Copy, Debug)]
#[repr(u8)]
pub(super) enum Tag {
	/// One row of a tensor.
	Row = 0x00,
	/// An inner node of a Merkle tree.
	Inner = 0x01,
	/// A whole tensor: header and tree of rows.
	Tensor = 0x02,
	/// A row of a `fill`.
	Fill = 0x03,
	/// One tensor of a trace.
	TraceLeaf = 0x04,
	/// A whole program.
	Program = 0x05,
	/// One node of a program.
	ProgramLeaf = 0x06,
	/// One task of a job.
	TaskLeaf = 0x07,
	/// All tasks of a job.
	Tasks = 0x08,
}

pub(super) fn hash(tag: Tag, parts: &[&[u8]]) -> Root {
	let mut hasher = blake3::Hasher::new();
	hasher.update(&[tag as u8]);
	for part in parts {
		hasher.update(part);
	}
	*hasher.finalize().as_bytes()
}

/// Row `row` of the `fill` with `seed`, as many bytes as `out` has.
pub(crate) fn fill_row(seed: &[u8; 32], row: u32, out: &mut [u8]) {
	let mut hasher = blake3::Hasher::new();
	hasher.update(&[Tag::Fill as u8]).update(seed).update(&row.to_le_bytes());
	hasher.finalize_xof().fill(out);
}
