//! The HTTP service.

use crate::{
	audit::Auditing,
	config::Config,
	custody::{check_url, Custody, CustodyError, Serving},
	jobs::{Active, Asked, Bounds, Entry, Jobs},
	metrics::Snapshot,
	results::Results,
};
use assay_data::server::{serve_router, HttpError, Limits};
use assay_primitives::{
	auditor::{Access, AuditReply, AuditRequest, PATH},
	demand::{MAX_ANSWER_BYTES, MAX_SEAT_DEMANDS},
	work::Depth,
};
use axum::{
	body::Bytes,
	extract::{DefaultBodyLimit, Request, State},
	http::{header, StatusCode},
	middleware::{from_fn_with_state, Next},
	response::{IntoResponse, Response},
	routing::{get, post},
	Router,
};
use codec::{DecodeAll, Encode};
use futures::future::OptionFuture;
use rand::{rngs::OsRng, RngCore};
use std::{io, net::SocketAddr, sync::Arc, time::Duration};
use subtle::ConstantTimeEq;
use tokio::{
	net::TcpListener,
	sync::watch,
	task::{spawn_blocking, JoinHandle, JoinSet},
};

/// Longest request: a claim with all its inputs and two endpoints is far shorter, beside the answers.
const MAX_BODY: usize = 16 * 1024 + MAX_SEAT_DEMANDS as usize * MAX_ANSWER_BYTES as usize;

/// How often what is kept no more is looked for: once a block, within these bounds.
const SWEEP: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(60)];

/// Why the service could not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
	/// It serves nobody but its own machine.
	#[error("the auditor listens on loopback addresses only, not on {0}")]
	NotLoopback(SocketAddr),
	/// The address could not be bound.
	#[error("cannot listen on {address}: {error}")]
	Listen {
		/// The address.
		address: SocketAddr,
		/// What happened.
		error: io::Error,
	},
	/// What is kept must outlive a restart.
	#[error("outputs are kept in the service's folder, and there is none")]
	NoFolder,
	/// The URL of what is kept is not one to announce.
	#[error("what is kept cannot be served at {url}: {why}")]
	CustodyUrl {
		/// The URL.
		url: String,
		/// What is wrong with it.
		why: String,
	},
	/// The folder of what is kept could not be opened.
	#[error("what is kept is not to be read: {0}")]
	Custody(CustodyError),
	/// The operating system gave no randomness for the token.
	#[error("no randomness: {0}")]
	Random(rand::Error),
}

/// The audit service.
pub struct Auditor;

/// A running service; it stops when this is dropped.
pub struct Handle {
	/// Base URL, without a trailing slash.
	pub url: String,
	/// Secret to be sent as a bearer token.
	pub token: String,
	/// Base URL at which what is kept is served, without a trailing slash; empty if nothing is.
	pub keeps_at: String,
	service: Arc<Service>,
	stop: watch::Sender<bool>,
	server: JoinHandle<()>,
}

/// What the requests share.
struct Service {
	token: String,
	jobs: Arc<Jobs>,
	auditing: Arc<Auditing>,
	/// Audits at work; they end with the service.
	running: std::sync::Mutex<JoinSet<()>>,
}

impl Auditor {
	/// Starts the service on the current tokio runtime.
	pub async fn start(config: Config) -> Result<Handle, StartError> {
		let address = config.listen;
		if !address.ip().is_loopback() {
			return Err(StartError::NotLoopback(address));
		}
		let failed = |error| StartError::Listen { address, error };
		let listener = TcpListener::bind(address).await.map_err(failed)?;
		let url = format!("http://{}", listener.local_addr().map_err(failed)?);
		let token = match &config.token {
			Some(token) => token.clone(),
			None => random_token().map_err(StartError::Random)?,
		};
		let (custody, serving) = custody(&config).await?.unzip();
		let every = config.block_time.clamp(SWEEP[0], SWEEP[1]);
		let bounds = Bounds {
			max_active: config.max_active,
			max_results: config.max_results,
			retry_after: config.retry_after,
			longest: config.audit_time,
			patience: config.patience,
		};
		let service = Arc::new(Service {
			token: token.clone(),
			jobs: Arc::new(Jobs::new(bounds, results(&config))),
			auditing: Arc::new(Auditing::new(config, custody.clone())),
			running: Default::default(),
		});
		let (stop, mut stopped) = watch::channel(false);
		let router = service.clone().router();
		tracing::info!("auditor listens on {url}");
		let keeps_at = serving.as_ref().map(|serving| serving.url.clone()).unwrap_or_default();
		let keeping = custody.zip(serving).map(|(custody, serving)| {
			let held = custody.held();
			tracing::info!(
				"outputs that are kept for buyers are served at {keeps_at}, {} of them now",
				held.outputs
			);
			custody.serve(serving, every, stopped.clone())
		});
		let server = tokio::spawn(async move {
			// An error means that the handle is gone.
			let shutdown = async { drop(stopped.wait_for(|stop| *stop).await) };
			let auditing = serve_router(listener, router, Limits::default(), shutdown);
			tokio::join!(auditing, OptionFuture::from(keeping));
		});
		Ok(Handle { url, token, keeps_at, service, stop, server })
	}
}

impl Handle {
	/// What the node leaves in its off-chain storage for the off-chain worker.
	pub fn access(&self) -> Access {
		let (url, token) = (self.url.clone(), self.token.clone());
		Access { url, token, keeps_at: self.keeps_at.clone() }
	}

	/// The counters.
	pub fn metrics(&self) -> Snapshot {
		let auditing = &self.service.auditing;
		let active = self.service.jobs.active();
		let (queues, held) = (auditing.queues(active), auditing.held());
		auditing.metrics.snapshot(queues, held, auditing.fetcher.bytes_received())
	}

	/// Stops the service: no further requests are taken, audits are broken off.
	pub async fn stop(mut self) {
		let _ = self.stop.send(true);
		self.service.abort_audits();
		let _ = (&mut self.server).await;
	}
}

impl Drop for Handle {
	fn drop(&mut self) {
		let _ = self.stop.send(true);
		self.service.abort_audits();
	}
}

impl Service {
	fn router(self: Arc<Self>) -> Router {
		Router::new()
			.route(PATH, post(audit))
			.layer(DefaultBodyLimit::max(MAX_BODY))
			.layer(from_fn_with_state(self.clone(), authorise))
			.route("/healthz", get(|| async { "ok" }))
			.fallback(|| async { HttpError::new(StatusCode::NOT_FOUND, "no such path") })
			.with_state(self)
	}

	fn start(&self, active: Active, request: AuditRequest) {
		let auditing = self.auditing.clone();
		let mut running = self.running();
		// Forget those that have ended.
		while running.try_join_next().is_some() {}
		running.spawn(async move {
			let reply = auditing.run(request, active.watch()).await;
			active.finish(reply);
		});
	}

	/// What the table of audits has to know of a request. Where it is served and when it is asked for
	/// make no other audit of it: a worker that moves about, or a later block, begins nothing anew. An
	/// answer on the chain makes it go on. What is kept is so for a while only.
	fn asked(&self, request: &AuditRequest) -> Asked {
		let blocks = request.deadline.saturating_sub(request.now);
		Asked {
			key: *blake3::hash(&request.audit.encode()).as_bytes(),
			provider: request.audit.provider.as_slice().into(),
			deadline: request.deadline,
			left: self.auditing.config.block_time.saturating_mul(blocks),
			answers: *blake3::hash(&request.answers.encode()).as_bytes(),
			lasts: (request.audit.depth == Depth::Custody).then(|| self.auditing.keep_for(request)),
		}
	}

	fn abort_audits(&self) {
		self.running().abort_all();
	}

	fn running(&self) -> std::sync::MutexGuard<'_, JoinSet<()>> {
		self.running.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
	}
}

/// `POST /v1/audits`: SCALE [`AuditRequest`] in, SCALE [`AuditReply`] out.
async fn audit(
	State(service): State<Arc<Service>>,
	body: Result<Bytes, axum::extract::rejection::BytesRejection>,
) -> Result<Response, HttpError> {
	let body = body.map_err(|error| HttpError::new(error.status(), error.body_text()))?;
	let request = AuditRequest::decode_all(&mut &body[..])
		.map_err(|_| HttpError::new(StatusCode::BAD_REQUEST, "the body is not an audit request"))?;
	let reply = match service.jobs.enter(service.asked(&request)) {
		Entry::Reply(reply) => reply,
		Entry::Full => {
			service.auditing.metrics.turned_away();
			AuditReply::Pending
		}
		Entry::Start(active) => {
			service.start(active, request);
			AuditReply::Pending
		}
	};
	Ok(([(header::CONTENT_TYPE, "application/octet-stream")], reply.encode()).into_response())
}

/// Nobody without the token gets further than this.
async fn authorise(
	State(service): State<Arc<Service>>,
	request: Request,
	next: Next,
) -> Result<Response, HttpError> {
	let given = request.headers().get(header::AUTHORIZATION);
	let given = given.and_then(|value| value.as_bytes().strip_prefix(b"Bearer "));
	// Slices of different lengths are never equal; the length is no secret.
	let right = given.is_some_and(|given| given.ct_eq(service.token.as_bytes()).into());
	if !right {
		return Err(HttpError::new(StatusCode::UNAUTHORIZED, "a valid bearer token is needed"));
	}
	Ok(next.run(request).await)
}

/// What is kept, and what serves it, if anything is to be.
async fn custody(config: &Config) -> Result<Option<(Arc<Custody>, Serving)>, StartError> {
	let Some(custody) = &config.custody else { return Ok(None) };
	let folder = config.folder.as_ref().ok_or(StartError::NoFolder)?.join("custody");
	if let Some(url) = &custody.url {
		let checked = check_url(url, config.fetch.allow_local);
		checked.map_err(|why| StartError::CustodyUrl { url: url.clone(), why })?;
	}
	let most = custody.bytes;
	let opened = spawn_blocking(move || Custody::open(&folder, most)).await;
	let opened = opened.unwrap_or_else(|error| Err(CustodyError::Broken(error.to_string())));
	let kept = Arc::new(opened.map_err(StartError::Custody)?);
	let failed = |error| StartError::Listen { address: custody.listen, error };
	let serving = kept.listen(custody).await.map_err(failed)?;
	Ok(Some((kept, serving)))
}

/// What is known from earlier starts. A service without is as good, only slower.
fn results(config: &Config) -> Option<Results> {
	let folder = config.folder.as_ref()?.join("results");
	let opened = Results::open(folder.clone(), config.max_results);
	opened.inspect_err(|error| tracing::warn!("no results in {}: {error}", folder.display())).ok()
}

fn random_token() -> Result<String, rand::Error> {
	let mut secret = [0; 32];
	OsRng.try_fill_bytes(&mut secret)?;
	Ok(hex::encode(secret))
}
