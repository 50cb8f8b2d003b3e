//! Audits: is a committed trace the one exact execution of its program, and if not, where is the
//! first lie?
//!
//! Each node is held against the operands *as committed*. The lie is the first node, in node order,
//! whose operands are what they claim to be while one of its elements is not the exact result;
//! later nodes that only carry the error on are not blamed.

mod claim;
mod exact;
mod fetch;
mod field;
mod fold;
mod folded;
mod kept;
pub mod projection;
pub mod replay;
mod source;
pub mod spot;
pub mod stream;
mod verdict;

pub use claim::Claim;
pub use exact::{audit as full, Place};
pub use fetch::fetch_trace;
pub use folded::Projection;
pub use kept::{Keep, Kept};
pub use source::{MemorySource, OpenRow, TraceSource};
pub use verdict::{Fault, FaultKind, Verdict};
