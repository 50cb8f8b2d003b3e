//! The plain meaning of every operation, element by element in 128-bit arithmetic: what the row
//! kernels and the matrix product are tested against. Slow, and in no hurry.

use crate::{Dtype, Node, Step, Tensor, TensorError};
use alloc::{vec, vec::Vec};

/// Σ a\[i, t\]·b\[j, t\], row-major m × n, for a: m × k and b: n × k.
pub fn matmul_t(a: &[i8], b: &[i8], m: usize, n: usize, k: usize) -> Vec<i32> {
	let mut out = Vec::with_capacity(m * n);
	for i in 0..m {
		for j in 0..n {
			let sum: i128 =
				(0..k).map(|t| i128::from(a[i * k + t]) * i128::from(b[j * k + t])).sum();
			out.push(sum as i32);
		}
	}
	out
}

/// t if s = 0, else (t + 2^(s−1)) >> s.
fn rshr(t: i128, s: u8) -> i128 {
	if s == 0 {
		t
	} else {
		(t + (1 << (s - 1))) >> s
	}
}

fn clamp8(t: i128) -> i128 {
	t.clamp(-128, 127)
}

fn clamp32(t: i128) -> i128 {
	t.clamp(-(1 << 31), (1 << 31) - 1)
}

/// t mod 2^32 as a signed value.
fn wrap32(t: i128) -> i128 {
	i128::from(t as u32 as i32)
}

/// floor(a / b) for b > 0.
fn floor_div(a: i128, b: i128) -> i128 {
	a.div_euclid(b)
}

fn isqrt(t: i128) -> i128 {
	let (mut low, mut high) = (0i128, 1i128 << 32);
	while high - low > 1 {
		let middle = (low + high) / 2;
		if middle * middle <= t {
			low = middle;
		} else {
			high = middle;
		}
	}
	low
}

fn absmax(row: &[i128]) -> i128 {
	row.iter().map(|x| x.abs()).max().unwrap_or(0).clamp(1, (1 << 31) - 1)
}

/// A tensor as integers of infinite width, row by row.
struct Matrix {
	rows: Vec<Vec<i128>>,
}

impl Matrix {
	fn new(tensor: &Tensor) -> Self {
		let shape = tensor.shape();
		let at = |i, j| i128::from(tensor.get(i, j).unwrap_or(0));
		let rows = (0..shape.rows).map(|i| (0..shape.cols).map(|j| at(i, j)).collect()).collect();
		Matrix { rows }
	}

	/// Row i, or the only row.
	fn broadcast(&self, i: usize) -> &[i128] {
		&self.rows[if self.rows.len() == 1 { 0 } else { i }]
	}
}

/// The result of one node from whole operands in slot order, which must have the step's shapes.
/// `None` for inputs and consts.
pub fn compute(step: &Step<'_>, operands: &[&Tensor]) -> Option<Result<Tensor, TensorError>> {
	let x: Vec<Matrix> = operands.iter().map(|t| Matrix::new(t)).collect();
	let mut rows = Vec::new();
	for i in 0..step.out.rows as usize {
		rows.push(row(step, &x, i)?);
	}
	let elements = rows.into_iter().flatten();
	let data = match step.out.dtype {
		Dtype::I8 => elements.map(|v| v as i8 as u8).collect(),
		Dtype::I32 => elements.flat_map(|v| (v as i32).to_le_bytes()).collect(),
	};
	Some(Tensor::new(step.out, data))
}

fn row(step: &Step<'_>, x: &[Matrix], i: usize) -> Option<Vec<i128>> {
	let cols = step.out.cols as usize;
	let each = |f: &dyn Fn(usize) -> i128| (0..cols).map(f).collect::<Vec<_>>();
	Some(match *step.node {
		Node::Input { .. } | Node::Const { .. } => return None,
		Node::Fill { seed, .. } => {
			let mut hasher = blake3::Hasher::new();
			hasher.update(&[0x03]).update(&seed).update(&(i as u32).to_le_bytes());
			let mut bytes = vec![0; cols];
			hasher.finalize_xof().fill(&mut bytes);
			bytes.into_iter().map(|b| i128::from(b as i8)).collect()
		}
		Node::MatmulT { .. } => each(&|j| {
			let (a, b) = (&x[0].rows[i], &x[1].rows[j]);
			a.iter().zip(b).map(|(a, b)| a * b).sum()
		}),
		Node::Requant { shift, .. } => each(&|j| {
			let (bias, mult) = (x[1].rows[0][j], x[2].rows[0][j]);
			clamp8(rshr((x[0].rows[i][j] + bias) * mult, shift))
		}),
		Node::Lut { .. } => each(&|j| x[1].rows[0][(x[0].rows[i][j] + 128) as usize]),
		Node::Add { .. } => each(&|j| wrap32(x[0].rows[i][j] + x[1].broadcast(i)[j])),
		Node::Mul { .. } => each(&|j| x[0].rows[i][j] * x[1].broadcast(i)[j]),
		Node::Widen { .. } => each(&|j| wrap32(x[0].rows[i][j] * x[1].rows[0][j])),
		Node::RowSoftmax { mult, shift, .. } => {
			let row = &x[0].rows[i];
			let max = row.iter().max()?;
			let exp = |j: usize| {
				let d = rshr((max - row[j]) * i128::from(mult), shift).min(255);
				x[1].rows[0][d as usize].clamp(0, 65_535)
			};
			let s = (0..cols).map(exp).sum::<i128>().max(1);
			each(&|j| floor_div(254 * exp(j) + s, 2 * s))
		}
		Node::RowNorm { shift, .. } => {
			let row = &x[0].rows[i];
			let n = row.len() as i128;
			let mean = floor_div(2 * row.iter().sum::<i128>() + n, 2 * n);
			let c = |j: usize| (row[j] - mean).clamp(-(1 << 23), (1 << 23) - 1);
			let squares: i128 = (0..cols).map(|j| c(j) * c(j)).sum();
			let sd = isqrt(floor_div(squares, n)).max(1);
			each(&|j| {
				let z = floor_div((c(j) << shift) + floor_div(sd, 2), sd);
				wrap32(z.clamp(-(1 << 15), (1 << 15) - 1) * x[1].rows[0][j] + x[2].rows[0][j])
			})
		}
		Node::RowRms { shift, .. } => {
			let row = &x[0].rows[i];
			let c = |j: usize| row[j].clamp(-(1 << 23), (1 << 23) - 1);
			let squares: i128 = (0..cols).map(|j| c(j) * c(j)).sum();
			let r = isqrt(floor_div(squares, row.len() as i128)).max(1);
			each(&|j| {
				let z = floor_div((c(j) << shift) + floor_div(r, 2), r);
				wrap32(z.clamp(-(1 << 15), (1 << 15) - 1) * x[1].rows[0][j])
			})
		}
		Node::Gather { .. } => {
			let last = x[0].rows.len() as i128 - 1;
			x[0].rows[x[1].rows[i][0].clamp(0, last) as usize].clone()
		}
		Node::Transpose { .. } => each(&|j| x[0].rows[j][i]),
		Node::SliceCols { start, .. } => each(&|j| x[0].rows[i][start as usize + j]),
		Node::SliceRows { start, .. } => x[0].rows[start as usize + i].clone(),
		Node::ConcatCols { .. } => x.iter().flat_map(|part| part.rows[i].clone()).collect(),
		Node::ConcatRows { .. } => x.iter().flat_map(|part| &part.rows).nth(i)?.clone(),
		Node::RowArgmax { .. } => {
			let row = &x[0].rows[i];
			let max = row.iter().max()?;
			vec![row.iter().position(|v| v == max)? as i128]
		}
		Node::RowAbsmax { .. } => vec![absmax(&x[0].rows[i])],
		Node::RowQuant { .. } => {
			let s = absmax(&x[0].rows[i]);
			each(&|j| clamp8(floor_div(254 * x[0].rows[i][j] + s, 2 * s)))
		}
		Node::RowScale { shift, .. } => {
			each(&|j| clamp32(rshr(x[0].rows[i][j] * x[1].rows[i][0], shift)))
		}
		Node::ColScale { shift, .. } => {
			each(&|j| clamp32(rshr(x[0].rows[i][j] * x[1].rows[0][j], shift)))
		}
	})
}
