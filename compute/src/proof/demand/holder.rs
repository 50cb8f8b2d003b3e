//! Who holds a whole trace.

use crate::{audit::TraceSource, RowTree};
use alloc::sync::Arc;

/// A trace with the trees over its rows: a worker's own, to answer demands from, or an auditor's,
/// to compare answers with.
pub trait TraceHolder: TraceSource {
	/// The tree over the rows of a node's tensor.
	fn tree(&mut self, node: u32) -> Result<Arc<RowTree>, Self::Error>;
}
