//! The read-only HTTP data plane over a [`Store`].

mod client;
mod error;
mod listen;
mod makers;
mod paced;
mod queue;
mod routes;
mod seats;
mod watched;

pub use error::HttpError;
pub use listen::{serve_router, Limits};
pub use routes::router;

use crate::Store;
use std::{future::Future, io, net::SocketAddr};
use tokio::net::TcpListener;

/// A data plane bound to its address but not yet serving.
pub struct Server {
	listener: TcpListener,
	store: Store,
	limits: Limits,
}

impl Server {
	/// Binds the address; port 0 takes any free one.
	pub async fn bind(addr: SocketAddr, store: Store, limits: Limits) -> io::Result<Self> {
		Ok(Self { listener: TcpListener::bind(addr).await?, store, limits })
	}

	/// The address bound.
	pub fn local_addr(&self) -> io::Result<SocketAddr> {
		self.listener.local_addr()
	}

	/// Serves until `shutdown` resolves, then lets open requests finish for a few seconds.
	pub async fn run(self, shutdown: impl Future<Output = ()>) -> io::Result<()> {
		let router = router(self.store);
		serve_router(self.listener, router, self.limits, shutdown).await;
		Ok(())
	}
}

/// Serves a store at an address with the default limits until `shutdown` resolves.
pub async fn serve(
	addr: SocketAddr,
	store: Store,
	shutdown: impl Future<Output = ()>,
) -> io::Result<()> {
	Server::bind(addr, store, Limits::default()).await?.run(shutdown).await
}
