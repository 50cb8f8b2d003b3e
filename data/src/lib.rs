#![doc = include_str!("../README.md")]
#![deny(missing_docs, unsafe_code)]

pub mod fetch;
pub mod lru;
pub mod server;
pub mod store;

pub use fetch::{FetchError, Fetcher, Policy};
pub use server::{router, serve, Limits, Server};
pub use store::{Store, StoreError};

/// Roots of the inputs of every task of a job: one list a task, in node order.
pub type Tasks = Vec<Vec<assay_compute::Root>>;

/// A root in lower-case hex, as file names and paths have it.
pub(crate) fn root_hex(root: &assay_compute::Root) -> String {
	hex::encode(root)
}

/// The root that exactly 64 lower-case hex digits name.
pub(crate) fn parse_root(text: &str) -> Option<assay_compute::Root> {
	let lower = text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
	let mut root = [0; 32];
	(lower && hex::decode_to_slice(text, &mut root).is_ok()).then_some(root)
}
