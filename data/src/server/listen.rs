//! Accepting connections within limits.

use super::{
	client::Client,
	paced::Paced,
	seats::{Seat, Seats},
	watched::Watched,
	HttpError,
};
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
};
use std::{future::Future, pin::Pin, sync::Arc, time::Duration};
use tokio::{
	net::{TcpListener, TcpStream},
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

/// What one server lets clients take. A client is an IPv4 address or a /64 network of IPv6; those of
/// one /48 network share as one, and take as much as four at most.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
	/// Connections at a time. For a further one the longest idle of a client that has more is
	/// closed or, if none is idle, one of the client that has most.
	pub connections: usize,
	/// Connections at a time from one client. For a further one its own longest idle is closed; if
	/// none is idle, the further one.
	pub connections_per_client: usize,
	/// Connections for which there is no room that wait for some at a time. Further ones are closed.
	pub waiting: usize,
	/// Time that they wait.
	pub seat_wait: Duration,
	/// Time to send a request's head, also counted between requests: an idle connection is closed
	/// after it.
	pub header_timeout: Duration,
	/// Time that a read or a write may make no progress at all.
	pub stall_timeout: Duration,
	/// Bytes a second that a client must take of a response while the server waits for it.
	pub min_rate: u64,
	/// Time waited for a client over which that rate is measured.
	pub rate_window: Duration,
	/// Time to the head of a response, the reading of a request's body included.
	pub response_timeout: Duration,
}

impl Default for Limits {
	fn default() -> Self {
		Self {
			connections: 512,
			connections_per_client: 64,
			waiting: 128,
			seat_wait: Duration::from_secs(10),
			header_timeout: Duration::from_secs(15),
			stall_timeout: Duration::from_secs(30),
			min_rate: 16 * 1024,
			rate_window: Duration::from_secs(20),
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
	let seats = Seats::new(limits.connections, limits.connections_per_client, limits.waiting);
	let graceful = GracefulShutdown::new();
	let mut connections = JoinSet::new();
	let mut shutdown = std::pin::pin!(shutdown);
	loop {
		let (stream, client) = tokio::select! {
			() = &mut shutdown => break,
			Some(_) = connections.join_next() => continue,
			accepted = listener.accept() => match accepted {
				Ok((stream, peer)) => (stream, Client::from(peer.ip())),
				Err(error) => {
					tracing::warn!("cannot accept a connection: {error}");
					sleep(ACCEPT_PAUSE).await;
					continue;
				},
			},
		};
		let Some(claim) = seats.claim(client) else {
			tracing::debug!("no room for another connection of {client}");
			continue;
		};
		let (router, watcher) = (router.clone(), graceful.watcher());
		connections.spawn(async move {
			let Some(seat) = claim.granted(limits.seat_wait).await else {
				tracing::debug!("no room for another connection of {client} in time");
				return;
			};
			let connection = watcher.watch(connect(stream, router, limits, client, seat.clone()));
			tokio::select! {
				ended = connection => if let Err(error) = ended {
					tracing::debug!("connection from {client}: {error}");
				},
				() = seat.lost() => tracing::debug!("a connection of {client} makes room"),
			}
		});
	}
	drop(listener);
	if timeout(GRACE, graceful.shutdown()).await.is_err() {
		tracing::debug!("closing connections that are still busy");
	}
}

type Io = TokioIo<Paced<Pin<Box<TimeoutStream<TcpStream>>>>>;

/// A connection with its time-outs set.
fn connect(
	stream: TcpStream,
	router: Router,
	limits: Limits,
	client: Client,
	seat: Arc<Seat>,
) -> http1::Connection<Io, Watched> {
	let _ = stream.set_nodelay(true);
	let mut stream = TimeoutStream::new(stream);
	stream.set_write_timeout(Some(limits.stall_timeout));
	// While a slow response is being made nothing is read; that is `response_timeout`'s business.
	stream.set_read_timeout(Some(limits.stall_timeout.max(limits.response_timeout)));
	let stream = Paced::new(Box::pin(stream), limits.min_rate, limits.rate_window);
	http1::Builder::new()
		.timer(TokioTimer::new())
		.header_read_timeout(limits.header_timeout)
		.max_buf_size(BUFFER_BYTES)
		.serve_connection(TokioIo::new(stream), Watched::new(router, client, seat))
}

async fn answer_in_time(State(limit): State<Duration>, request: Request, next: Next) -> Response {
	match timeout(limit, next.run(request)).await {
		Ok(response) => response,
		Err(_) => {
			HttpError::new(StatusCode::SERVICE_UNAVAILABLE, "this took too long").into_response()
		}
	}
}
