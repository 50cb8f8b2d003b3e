//! The wish that everything stops, made once.

use std::sync::Arc;
use tokio::sync::watch;

/// Makes the wish.
#[derive(Clone, Debug)]
pub struct Stopper(Arc<watch::Sender<bool>>);

/// Hears of it.
#[derive(Clone, Debug)]
pub struct Stop(watch::Receiver<bool>);

/// Both ends.
pub fn channel() -> (Stopper, Stop) {
	let (sender, receiver) = watch::channel(false);
	(Stopper(Arc::new(sender)), Stop(receiver))
}

impl Stopper {
	/// Everything is to stop.
	pub fn stop(&self) {
		self.0.send_replace(true);
	}
}

impl Stop {
	/// Resolves when everything is to stop, or nobody is left to say so.
	pub async fn wait(&self) {
		let _ = self.0.clone().wait_for(|stop| *stop).await;
	}

	/// Whether everything is to stop.
	pub fn is_set(&self) -> bool {
		*self.0.borrow()
	}
}
