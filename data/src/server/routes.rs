//! Paths and their answers.

use super::{client::Client, makers::Makers, HttpError};
use crate::{
	parse_root,
	store::{Store, StoreError, TensorReader},
};
use assay_compute::Root;
use axum::{
	body::Body,
	extract::{rejection::RawPathParamsRejection, RawPathParams, Request, State},
	http::{header, HeaderName, StatusCode},
	middleware::{from_fn, Next},
	response::{IntoResponse, Response},
	routing::get,
	Router,
};
use codec::Encode;
use futures::stream;
use std::sync::Arc;
use tokio::{sync::Semaphore, task::spawn_blocking};

const DTYPE: HeaderName = HeaderName::from_static("x-assay-dtype");
const ROWS: HeaderName = HeaderName::from_static("x-assay-rows");
const COLS: HeaderName = HeaderName::from_static("x-assay-cols");

/// Row requests at work at a time.
const ROW_REQUESTS: usize = 8;

#[derive(Clone)]
struct DataPlane {
	store: Store,
	rows: Arc<Semaphore>,
	/// The first row request for a tensor hashes all of it.
	makers: Arc<Makers>,
}

type Answer = Result<Response, HttpError>;
type Params = Result<RawPathParams, RawPathParamsRejection>;

/// The data plane as an axum router.
pub fn router(store: Store) -> Router {
	Router::new()
		.route("/healthz", get(|| async { "ok" }))
		.route("/v1/tensors/{root}", get(tensor))
		.route("/v1/tensors/{root}/rows/{index}", get(row))
		.route("/v1/traces/{root}", get(trace))
		.route("/v1/programs/{root}", get(program))
		.route("/v1/tasks/{root}", get(tasks))
		.fallback(|| async { HttpError::new(StatusCode::NOT_FOUND, "no such path") })
		.method_not_allowed_fallback(|| async {
			HttpError::new(StatusCode::METHOD_NOT_ALLOWED, "only GET and HEAD are served")
		})
		.layer(from_fn(refuse_queries))
		.with_state(DataPlane {
			store,
			rows: Arc::new(Semaphore::new(ROW_REQUESTS)),
			makers: Makers::new(),
		})
}

async fn tensor(State(plane): State<DataPlane>, params: Params) -> Answer {
	let root = root_param(&params)?;
	let reader = blocking(move || plane.store.read_tensor(&root)).await?;
	let reader = reader.ok_or_else(|| unknown("tensor"))?;
	let shape = reader.shape();
	let headers = [
		(header::CONTENT_TYPE, "application/octet-stream".to_owned()),
		(header::CONTENT_LENGTH, shape.bytes().to_string()),
		(DTYPE, shape.dtype.to_string()),
		(ROWS, shape.rows.to_string()),
		(COLS, shape.cols.to_string()),
	];
	let chunks = stream::try_unfold(reader, |mut reader: TensorReader| async move {
		let read = move || reader.next_chunk().map(|chunk| chunk.map(|chunk| (chunk, reader)));
		blocking(read).await.map_err(|error| error.message)
	});
	Ok((headers, Body::from_stream(chunks)).into_response())
}

async fn row(State(plane): State<DataPlane>, params: Params, request: Request) -> Answer {
	let root = root_param(&params)?;
	let index = index_param(&params)?;
	let store = plane.store.clone();
	if !blocking(move || store.has_row(&root, index)).await? {
		return Err(unknown("tensor or row"));
	}
	let making = if plane.store.has_tree(&root) {
		None
	} else {
		let site = request.extensions().get::<Client>().map(|client| client.site());
		Some(plane.makers.turn(site).await.ok_or_else(busy)?)
	};
	let permit = plane.rows.acquire_owned().await.ok();
	let row = blocking(move || {
		// They go along into the blocking thread: a client that leaves does not free them early.
		let _held = (making, permit);
		plane.store.row(&root, index)
	});
	Ok(bytes(row.await?.ok_or_else(|| unknown("tensor or row"))?.encode()))
}

async fn trace(State(plane): State<DataPlane>, params: Params) -> Answer {
	let root = root_param(&params)?;
	let roots = blocking(move || plane.store.trace(&root)).await?;
	Ok(bytes(roots.ok_or_else(|| unknown("trace"))?.as_flattened().to_vec()))
}

async fn program(State(plane): State<DataPlane>, params: Params) -> Answer {
	let id = root_param(&params)?;
	let program = blocking(move || plane.store.program_bytes(&id)).await?;
	Ok(bytes(program.ok_or_else(|| unknown("program"))?))
}

async fn tasks(State(plane): State<DataPlane>, params: Params) -> Answer {
	let root = root_param(&params)?;
	let tasks = blocking(move || plane.store.tasks(&root)).await?;
	Ok(bytes(tasks.ok_or_else(|| unknown("task list"))?.encode()))
}

async fn refuse_queries(request: Request, next: Next) -> Response {
	if request.uri().query().is_some() {
		return HttpError::new(StatusCode::BAD_REQUEST, "no path takes a query").into_response();
	}
	next.run(request).await
}

/// Runs what waits for the disk away from the threads that serve.
async fn blocking<T: Send + 'static>(
	work: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
) -> Result<T, HttpError> {
	let internal = |message: String| {
		tracing::error!("{message}");
		HttpError::new(StatusCode::INTERNAL_SERVER_ERROR, "the store failed")
	};
	match spawn_blocking(work).await {
		Ok(Ok(value)) => Ok(value),
		// It has been removed: from now on it is unknown.
		Ok(Err(StoreError::Damaged { kind, .. })) => Err(unknown(&kind.to_string())),
		Ok(Err(error)) => Err(internal(error.to_string())),
		Err(error) => Err(internal(error.to_string())),
	}
}

fn bytes(body: Vec<u8>) -> Response {
	([(header::CONTENT_TYPE, "application/octet-stream")], body).into_response()
}

fn busy() -> HttpError {
	let why = "a row of another tensor is being made ready for you: ask again";
	HttpError::new(StatusCode::SERVICE_UNAVAILABLE, why)
}

fn unknown(what: &str) -> HttpError {
	HttpError::new(StatusCode::NOT_FOUND, format!("no such {what}"))
}

fn root_param(params: &Params) -> Result<Root, HttpError> {
	param(params, "root").and_then(parse_root).ok_or_else(|| {
		HttpError::new(StatusCode::BAD_REQUEST, "a root is 64 lower-case hexadecimal digits")
	})
}

/// A row number: decimal digits without sign or leading zeros.
fn index_param(params: &Params) -> Result<u32, HttpError> {
	param(params, "index")
		.and_then(|text| text.parse::<u32>().ok().filter(|index| index.to_string() == text))
		.ok_or_else(|| {
			HttpError::new(StatusCode::BAD_REQUEST, "a row number is a decimal below 2^32")
		})
}

/// `None`: it is not there, or not even UTF-8.
fn param<'a>(params: &'a Params, name: &str) -> Option<&'a str> {
	params.as_ref().ok()?.iter().find_map(|(key, value)| (key == name).then_some(value))
}
