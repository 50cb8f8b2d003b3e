//! Bytes without a pattern, the same in every run: splitmix64.

use assay_compute::{Dtype, Shape, Tensor};

pub struct Noise(u64);

impl Noise {
	pub fn new(seed: u64) -> Self {
		Noise(seed)
	}

	fn next(&mut self) -> u64 {
		self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
		let mut z = self.0;
		z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
		z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
		z ^ (z >> 31)
	}

	/// A tensor of any bytes.
	pub fn tensor(&mut self, shape: Shape) -> Result<Tensor, String> {
		let mut bytes = vec![0; shape.bytes() as usize];
		for chunk in bytes.chunks_mut(8) {
			chunk.copy_from_slice(&self.next().to_le_bytes()[..chunk.len()]);
		}
		Tensor::new(shape, bytes).map_err(|error| error.to_string())
	}

	/// An i32 tensor of values in `from..to`.
	pub fn between(&mut self, rows: u32, cols: u32, from: i32, to: i32) -> Result<Tensor, String> {
		let shape = Shape::new(Dtype::I32, rows, cols);
		let span = u64::from(from.abs_diff(to).max(1));
		let mut bytes = Vec::with_capacity(shape.bytes() as usize);
		for _ in 0..shape.elements() {
			let value = from.wrapping_add((self.next() % span) as i32);
			bytes.extend(value.to_le_bytes());
		}
		Tensor::new(shape, bytes).map_err(|error| error.to_string())
	}
}
