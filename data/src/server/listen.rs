//! Accepting connections within limits.

use super::HttpError;
use axum::{
	extract::{Request, State},
	http::StatusCode,
	middleware::{from_fn_with_state, Next},
	response::{IntoResponse, Response},
	Router,
};
use hyper::server::conn::http1;
use hyper_util::{
	rt::{TokioIo, TokioTimer},
	server::graceful::GracefulShutdown,
	service::TowerToHyperService,
};
use std::{
	collections::HashMap,
	future::Future,
	net::IpAddr,
	sync::{Arc, Mutex, PoisonError},
	time::Duration,
};
use tokio::{
	net::{TcpListener, TcpStream},
	sync::{OwnedSemaphorePermit, Semaphore},
	task::JoinSet,
	time::{sleep, timeout},
};
use tokio_io_timeout::TimeoutStream;

/// Most bytes of a request's line and headers, and of hyper's buffers for one connection.
const BUFFER_BYTES: usize = 64 * 1024;
/// How long open requests may go on after the shutdown.
const GRACE: Duration = Duration::from_secs(5);
/// Pause after a failed accept, as when file descriptors have run out.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// What one server lets clients take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
	/// Connections at a time; further ones wait in the kernel's queue.
	pub connections: usize,
	/// Connections at a time from one address; further ones are closed.
	pub connections_per_address: usize,
	/// Time to send a request's head, also counted between requests.
	pub header_timeout: Duration,
	/// Time that a read or a write may make no progress at all.
	pub stall_timeout: Duration,
	/// Time to the head of a response, the reading of a request's body included.
	pub response_timeout: Duration,
}

impl Default for Limits {
	fn default() -> Self {
		Self {
			connections: 512,
			connections_per_address: 64,
			header_timeout: Duration::from_secs(15),
			stall_timeout: Duration::from_secs(30),
			response_timeout: Duration::from_secs(60),
		}
	}
}

/// Serves a router over HTTP/1 within limits until `shutdown` resolves, then lets open requests
/// finish for a few seconds. Dropping the future closes everything at once.
pub async fn serve_router(
	listener: TcpListener,
	router: Router,
	limits: Limits,
	shutdown: impl Future<Output = ()>,
) {
	let router = router.layer(from_fn_with_state(limits.response_timeout, answer_in_time));
	let slots = Arc::new(Semaphore::new(limits.connections));
	let addresses = Arc::new(Addresses::default());
	let graceful = GracefulShutdown::new();
	let mut connections = JoinSet::new();
	let mut shutdown = std::pin::pin!(shutdown);
	loop {
		let next = async {
			// The semaphore is never closed.
			let slot = slots.clone().acquire_owned().await.ok();
			(slot, listener.accept().await)
		};
		let (slot, stream, peer) = tokio::select! {
			() = &mut shutdown => break,
			Some(_) = connections.join_next() => continue,
			(slot, accepted) = next => match accepted {
				Ok((stream, peer)) => (slot, stream, peer.ip()),
				Err(error) => {
					tracing::warn!("cannot accept a connection: {error}");
					sleep(ACCEPT_PAUSE).await;
					continue;
				},
			},
		};
		let Some(share) = addresses.clone().enter(peer, limits.connections_per_address) else {
			tracing::debug!("{peer} has too many connections");
			continue;
		};
		let connection = graceful.watch(connect(stream, router.clone(), limits));
		connections.spawn(async move {
			let _held: (Option<OwnedSemaphorePermit>, Share) = (slot, share);
			if let Err(error) = connection.await {
				tracing::debug!("connection from {peer}: {error}");
			}
		});
	}
	drop(listener);
	if timeout(GRACE, graceful.shutdown()).await.is_err() {
		tracing::debug!("closing connections that are still busy");
	}
}

type Io = TokioIo<std::pin::Pin<Box<TimeoutStream<TcpStream>>>>;

/// A connection with its time-outs set.
fn connect(
	stream: TcpStream,
	router: Router,
	limits: Limits,
) -> http1::Connection<Io, TowerToHyperService<Router>> {
	let _ = stream.set_nodelay(true);
	let mut stream = TimeoutStream::new(stream);
	stream.set_write_timeout(Some(limits.stall_timeout));
	// While a slow response is being made nothing is read; that is `response_timeout`'s business.
	stream.set_read_timeout(Some(limits.stall_timeout.max(limits.response_timeout)));
	http1::Builder::new()
		.timer(TokioTimer::new())
		.header_read_timeout(limits.header_timeout)
		.max_buf_size(BUFFER_BYTES)
		.serve_connection(TokioIo::new(Box::pin(stream)), TowerToHyperService::new(router))
}

async fn answer_in_time(State(limit): State<Duration>, request: Request, next: Next) -> Response {
	match timeout(limit, next.run(request)).await {
		Ok(response) => response,
		Err(_) => {
			HttpError::new(StatusCode::SERVICE_UNAVAILABLE, "this took too long").into_response()
		}
	}
}

/// Connections open from each address.
#[derive(Default)]
struct Addresses {
	open: Mutex<HashMap<IpAddr, usize>>,
}

/// One connection of an address, until dropped.
struct Share {
	addresses: Arc<Addresses>,
	peer: IpAddr,
}

impl Addresses {
	fn enter(self: Arc<Self>, peer: IpAddr, most: usize) -> Option<Share> {
		// A v4 client of a v6 socket is the same client.
		let peer = peer.to_canonical();
		let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
		let count = open.get(&peer).copied().unwrap_or(0);
		if count >= most {
			return None;
		}
		open.insert(peer, count + 1);
		drop(open);
		Some(Share { addresses: self, peer })
	}
}

impl Drop for Share {
	fn drop(&mut self) {
		let mut open = self.addresses.open.lock().unwrap_or_else(PoisonError::into_inner);
		match open.get_mut(&self.peer) {
			Some(count) if *count > 1 => *count -= 1,
			_ => {
				open.remove(&self.peer);
			}
		}
	}
}
