//! Commitments: BLAKE3, domain-separated, in the tree shape of RFC 6962.

mod beside;
mod groups;
mod hash;
mod hasher;
#[cfg(all(feature = "std", target_arch = "x86_64"))]
mod lanes;
mod many;
pub mod merkle;
mod position;
mod program;
mod task;
mod tensor;
mod trace;

pub use groups::GroupTree;
pub use hasher::{HasherError, TensorHasher};
pub use position::{height, width, Position, OPENED_LEVELS};
pub use program::{program_id, prove_node, verify_node};
pub use task::{prove_task, tasks_root, verify_task};
pub use tensor::{tensor_root, tensor_root_of, verify_row, verify_rows_at, RowTree};
pub use trace::{prove_trace, trace_root, verify_trace, verify_trace_at};

pub(crate) use beside::path_beside;
pub(crate) use hash::fill_row;
pub(crate) use program::node_tree;
pub(crate) use trace::{trace_leaf, trace_tree};

/// A BLAKE3 hash that commits to something.
pub type Root = [u8; 32];
