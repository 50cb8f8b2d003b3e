//! One tensor on disk.

use assay_compute::{audit::OpenRow, GroupTree, Shape};
use std::{
	fs::File,
	io::{self, Read, Seek, SeekFrom},
	ops::Range,
};
use tempfile::TempPath;

/// A tensor on disk that was hashed as it was written. Whoever reads it hashes it again.
#[derive(Debug)]
pub struct Spooled {
	/// Open only while it is read: of a trace there may be more files than can be open.
	path: TempPath,
	shape: Shape,
}

impl Spooled {
	pub fn new(path: TempPath, shape: Shape) -> Self {
		Self { path, shape }
	}

	/// Bytes on disk, where a small file takes more than it has.
	pub fn bytes(&self) -> u64 {
		self.shape.bytes().max(4_096)
	}

	/// Opens it to be read from its beginning.
	pub fn read(&self) -> io::Result<File> {
		File::open(&self.path)
	}

	/// What rows are opened with. Reads the whole tensor, of which some rows are in memory at a time.
	pub fn tree(&self) -> io::Result<GroupTree> {
		let mut file = self.read()?;
		GroupTree::build(self.shape, |rows| self.rows(&mut file, rows))
	}

	/// A row and its path, by the tensor's tree; none if there is no such row.
	pub fn open(&self, tree: &GroupTree, row: u32) -> io::Result<Option<OpenRow>> {
		if row >= self.shape.rows {
			return Ok(None);
		}
		let rows = tree.group_of(row);
		let width = self.shape.row_bytes() as usize;
		let start = (row.saturating_sub(rows.start) as usize).saturating_mul(width);
		let group = self.rows(&mut self.read()?, rows)?;
		let bytes = group.get(start..start.saturating_add(width)).map(<[u8]>::to_vec);
		Ok(bytes.zip(tree.prove(row, &group)).map(|(bytes, path)| OpenRow { bytes, path }))
	}

	/// The bytes of some rows.
	fn rows(&self, file: &mut File, rows: Range<u32>) -> io::Result<Vec<u8>> {
		let width = u64::from(self.shape.row_bytes());
		let mut bytes = vec![0; rows.len().saturating_mul(width as usize)];
		file.seek(SeekFrom::Start(u64::from(rows.start).saturating_mul(width)))?;
		file.read_exact(&mut bytes)?;
		Ok(bytes)
	}
}

#[cfg(test)]
mod tests {
	use super::*;
	use assay_compute::{verify_row, Dtype, RowTree, Tensor};
	use std::io::Write;

	#[test]
	fn rows_are_opened_as_by_a_tree_in_memory() {
		// Several groups, the last of them not whole.
		let shape = Shape::new(Dtype::I32, 5_000, 9);
		let data: Vec<u8> = (0..shape.bytes()).map(|at| (at.wrapping_mul(77) >> 3) as u8).collect();
		let tensor = Tensor::new(shape, data).unwrap();
		let mut file = tempfile::NamedTempFile::new().unwrap();
		file.write_all(tensor.data()).unwrap();
		let spooled = Spooled::new(file.into_temp_path(), shape);
		let (tree, right) = (spooled.tree().unwrap(), RowTree::new(&tensor));
		assert_eq!(tree.root(), right.root());
		for row in [0, 1, 1_023, 1_024, 2_500, 4_999] {
			let opened = spooled.open(&tree, row).unwrap().unwrap();
			assert_eq!(opened.bytes, tensor.row(row));
			assert_eq!(Some(opened.path.clone()), right.prove(row));
			assert!(verify_row(&tree.root(), shape, row, &opened.bytes, &opened.path));
		}
		assert!(spooled.open(&tree, 5_000).unwrap().is_none());
		let mut whole = Vec::new();
		spooled.read().unwrap().read_to_end(&mut whole).unwrap();
		assert_eq!(whole, tensor.data());
		// A file that is too short is an error and no row.
		std::fs::write(&spooled.path, [0; 100]).unwrap();
		assert!(spooled.tree().is_err() && spooled.open(&tree, 4_999).is_err());
	}
}
