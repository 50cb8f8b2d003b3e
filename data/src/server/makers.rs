//! Whose turn it is to have a hash tree made: that takes reading and hashing a whole tensor, for a
//! request of a few bytes.

use super::client::Site;
use std::{
	collections::HashSet,
	sync::{Arc, Mutex, PoisonError},
};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// One tree is made at a time, and one a site waits for: so they take turns.
pub struct Makers {
	one: Arc<Semaphore>,
	/// Those for which one is made, or waited for. Requests that come from nowhere are all one's.
	sites: Mutex<HashSet<Option<Site>>>,
}

/// The right to make a tree, until dropped.
pub struct Turn {
	_site: Asking,
	_permit: Option<OwnedSemaphorePermit>,
}

struct Asking {
	makers: Arc<Makers>,
	site: Option<Site>,
}

impl Makers {
	pub fn new() -> Arc<Self> {
		Arc::new(Self { one: Arc::new(Semaphore::new(1)), sites: Mutex::default() })
	}

	/// Waits for a site's turn. `None`: it has one already, or waits for one.
	pub async fn turn(self: &Arc<Self>, site: Option<Site>) -> Option<Turn> {
		let is_first = self.sites.lock().unwrap_or_else(PoisonError::into_inner).insert(site);
		let asking = is_first.then(|| Asking { makers: self.clone(), site })?;
		// The semaphore is never closed.
		Some(Turn { _site: asking, _permit: self.one.clone().acquire_owned().await.ok() })
	}
}

impl Drop for Asking {
	fn drop(&mut self) {
		self.makers.sites.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.site);
	}
}

#[cfg(test)]
mod tests {
	use super::{super::client::Client, *};
	use futures::{poll, FutureExt};
	use std::{net::IpAddr, task::Poll};

	fn site(last: u8) -> Option<Site> {
		Some(Client::from(IpAddr::from([192, 0, 2, last])).site())
	}

	#[tokio::test]
	async fn each_site_waits_for_one_at_a_time() {
		let makers = Makers::new();
		let first = makers.turn(site(1)).await.unwrap();
		assert!(makers.turn(site(1)).await.is_none());
		let mut second = makers.turn(site(2)).boxed();
		assert!(poll!(&mut second).is_pending());
		assert!(makers.turn(site(2)).await.is_none(), "not even to wait for");
		let mut third = makers.turn(site(3)).boxed();
		assert!(poll!(&mut third).is_pending());
		drop(first);
		// Whoever had one is behind those that wait.
		let mut again = makers.turn(site(1)).boxed();
		assert!(poll!(&mut again).is_pending());
		let Poll::Ready(Some(second)) = poll!(&mut second) else { panic!("it is its turn") };
		drop(third);
		assert!(poll!(&mut again).is_pending());
		drop(second);
		assert!(poll!(&mut again).is_ready());
		// Who has left may come back.
		assert!(makers.turn(site(3)).now_or_never().is_some());
	}
}
