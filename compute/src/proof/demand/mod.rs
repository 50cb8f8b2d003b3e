//! Demands for data (spec §5): a worker that has committed to a trace opens the place of it that is
//! named, or is at fault for not doing so. What a place opens to is decided by the commitment
//! alone, so anyone tells a right answer from a wrong one, and [`Walk`] gets from answers alone to
//! a fraud proof.
//!
//! As with fraud proofs, numbers of hashes and lengths follow from the program, the opened shape
//! and the place, never from the answer.

mod convict;
mod holder;
mod open;
mod opening;
mod size;
mod walk;
mod wanted;

pub use holder::TraceHolder;
pub use open::open;
pub use opening::{verify_opening, Opening};
pub use size::largest_opening;
pub use walk::{Next, Walk};
pub use wanted::Wanted;
