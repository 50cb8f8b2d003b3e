//! The processor.

use super::{Backend, BackendError, Cancel};
use assay_compute::{execute_with, ExecError, Tensor, Trace, ValidProgram};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::{collections::BTreeMap, io};

/// Executes on threads of its own.
pub struct Cpu {
	pool: ThreadPool,
}

impl Cpu {
	/// A backend with that many threads; 0 takes one for each processor.
	pub fn new(threads: usize) -> io::Result<Self> {
		let pool = ThreadPoolBuilder::new()
			.num_threads(threads)
			.thread_name(|index| format!("compute-{index}"))
			.build()
			.map_err(io::Error::other)?;
		Ok(Self { pool })
	}
}

impl Backend for Cpu {
	fn name(&self) -> String {
		format!("cpu, {} threads", self.pool.current_num_threads())
	}

	fn execute(
		&self,
		program: &ValidProgram,
		tensors: &BTreeMap<u32, Tensor>,
		cancel: &Cancel,
	) -> Result<Trace, BackendError> {
		let mut observer = |node: u32, total: u32| {
			tracing::trace!("node {node} of {total} is done");
			!cancel.is_cancelled()
		};
		let result = self.pool.install(|| execute_with(program, tensors, &mut observer));
		result.map_err(|error| match error {
			ExecError::Stopped { .. } => BackendError::Cancelled,
			other => BackendError::Failed(other.to_string()),
		})
	}
}
