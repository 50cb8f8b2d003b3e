//! What programs are executed on.

mod cpu;

pub use cpu::Cpu;

use assay_compute::{Tensor, Trace, ValidProgram};
use std::{
	collections::BTreeMap,
	sync::{
		atomic::{AtomicBool, Ordering},
		Arc,
	},
};

/// A device, or a set of them, that executes programs.
pub trait Backend: Send + Sync + 'static {
	/// Name for logs, as `cpu`.
	fn name(&self) -> String;

	/// Executes a program on its inputs and consts, by node index, and returns every tensor: the
	/// same bits as [`assay_compute::execute`]. Blocks. Looks at `cancel` often enough to stop
	/// within seconds.
	fn execute(
		&self,
		program: &ValidProgram,
		tensors: &BTreeMap<u32, Tensor>,
		cancel: &Cancel,
	) -> Result<Trace, BackendError>;
}

/// Why an execution ended without a trace.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BackendError {
	/// It was told to stop.
	#[error("stopped")]
	Cancelled,
	/// The device cannot do it now; later, or after another try, it may.
	#[error("{0}")]
	Failed(String),
}

/// Tells an execution that nobody waits for it any more.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
	/// Stops the execution.
	pub fn cancel(&self) {
		self.0.store(true, Ordering::Relaxed);
	}

	/// Whether it is to stop.
	pub fn is_cancelled(&self) -> bool {
		self.0.load(Ordering::Relaxed)
	}

	/// Stops the execution when dropped: whoever waited for it is gone.
	pub fn on_drop(&self) -> impl Drop + Send {
		OnDrop(self.clone())
	}
}

struct OnDrop(Cancel);

impl Drop for OnDrop {
	fn drop(&mut self) {
		self.0.cancel();
	}
}
