#![doc = include_str!("../README.md")]
#![cfg_attr(not(feature = "std"), no_std)]
#![deny(missing_docs, unsafe_code)]

extern crate alloc;

#[macro_use]
mod vectorised;

pub mod audit;
pub mod commit;
pub mod exec;
#[cfg(feature = "std")]
pub mod json;
pub mod matmul;
mod node;
mod ops;
pub mod program;
pub mod proof;
pub mod reference;
mod rows;
mod shape;
mod tensor;

pub use commit::*;
pub use exec::{execute, execute_with, Commitment, ExecError, Observer, Prepared, Trace};
pub use node::{Node, MAX_NODE_BYTES, MAX_NORM_SHIFT, MAX_PARTS, MAX_SHIFT};
pub use program::{
	Costs, DecodeError, Invalid, InvalidProgram, Program, ValidProgram, MAX_NODES,
	MAX_PROGRAM_BYTES,
};
pub use rows::{RowError, Step};
pub use shape::{Dtype, Shape, ShapeError, MAX_MATMUL_K, MAX_ROWS, MAX_ROW_BYTES};
pub use tensor::{Tensor, TensorError};
