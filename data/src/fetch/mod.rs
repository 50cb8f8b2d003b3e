//! Fetching from strangers' data planes.
//!
//! A [`Fetcher`] resolves a name once, refuses it if any of its addresses is not public, talks to
//! just those addresses, follows no redirects, takes no more bytes than the thing asked for can
//! have, and hands out nothing that does not hash to the root it was asked for.

mod address;
mod error;
mod origin;
mod policy;
mod retry;

pub use address::forbidden;
pub use error::{FetchError, Reason};
pub use origin::{Resolver, SystemResolver};
pub use policy::Policy;
pub use retry::Retry;

use crate::{
	root_hex,
	store::{decode_program, Row},
	Tasks,
};
use assay_compute::{
	tasks_root, trace_root, verify_row, Root, Shape, Tensor, TensorHasher, ValidProgram, MAX_NODES,
	MAX_PROGRAM_BYTES,
};
use codec::{Compact, CompactLen, DecodeAll};
use futures::StreamExt;
use lru::LruCache;
use origin::Base;
use reqwest::{Client, StatusCode};
use std::{
	num::NonZeroUsize,
	sync::{
		atomic::{AtomicU64, Ordering},
		Arc, Mutex, PoisonError,
	},
};
use tokio::{
	sync::OnceCell,
	time::{timeout, timeout_at, Instant},
};

/// Origins whose addresses are kept.
const MAX_PINNED: NonZeroUsize = NonZeroUsize::new(64).unwrap();
/// Longest path in a tree of rows or tasks.
const MAX_PATH: u64 = 32;

/// Fetches verified things. Clones share pinned addresses and counters.
#[derive(Clone)]
pub struct Fetcher {
	inner: Arc<Inner>,
}

struct Inner {
	policy: Policy,
	resolver: Box<dyn Resolver>,
	pinned: Mutex<LruCache<String, Pin>>,
	received: AtomicU64,
}

/// A client bound to checked addresses, made once even if many ask at the same time.
#[derive(Clone)]
struct Pin {
	since: Instant,
	client: Arc<OnceCell<Client>>,
}

/// How many bytes a body may have.
#[derive(Clone, Copy)]
enum Size {
	Exactly(u64),
	AtMost(u64),
}

impl Size {
	fn most(self) -> u64 {
		match self {
			Size::Exactly(bytes) | Size::AtMost(bytes) => bytes,
		}
	}
}

impl Fetcher {
	/// A fetcher that resolves names as the operating system does.
	pub fn new(policy: Policy) -> Self {
		Self::with_resolver(policy, SystemResolver)
	}

	/// A fetcher with a resolver of its own.
	pub fn with_resolver(policy: Policy, resolver: impl Resolver) -> Self {
		Self {
			inner: Arc::new(Inner {
				policy,
				resolver: Box::new(resolver),
				pinned: Mutex::new(LruCache::new(MAX_PINNED)),
				received: AtomicU64::new(0),
			}),
		}
	}

	/// The policy.
	pub fn policy(&self) -> &Policy {
		&self.inner.policy
	}

	/// Bytes of bodies received so far, whether they were good or not.
	pub fn bytes_received(&self) -> u64 {
		self.inner.received.load(Ordering::Relaxed)
	}

	/// A tensor, hashed as it arrives.
	pub async fn tensor(
		&self,
		base: &str,
		root: &Root,
		shape: Shape,
	) -> Result<Tensor, FetchError> {
		let path = format!("v1/tensors/{}", root_hex(root));
		let failed = |reason| self.error(base, &path, reason);
		let declared = self.checked_bytes(shape).map_err(failed)?;
		// Memory is taken as it is filled, so a claim alone costs nothing.
		let mut data = Vec::new();
		let length = usize::try_from(declared).ok();
		if length.is_none_or(|length| data.try_reserve_exact(length).is_err()) {
			return Err(failed(Reason::Setup(format!("no memory for {declared} bytes"))));
		}
		let mut hasher = TensorHasher::new(shape)
			.map_err(|_| failed(Reason::BadRequest("no tensor has that shape")))?;
		self.download(base, &path, Size::Exactly(declared), |chunk| {
			data.extend_from_slice(chunk);
			hasher.push(chunk).map_err(|_| Reason::TooLong { allowed: declared })
		})
		.await?;
		match (hasher.finish(), Tensor::new(shape, data)) {
			(Ok(found), Ok(tensor)) if found == *root => Ok(tensor),
			_ => Err(failed(Reason::WrongBytes)),
		}
	}

	/// One row of a tensor.
	pub async fn row(
		&self,
		base: &str,
		root: &Root,
		shape: Shape,
		index: u32,
	) -> Result<Vec<u8>, FetchError> {
		Ok(self.row_with_path(base, root, shape, index).await?.bytes)
	}

	/// One row of a tensor and its path, which proves it to others too.
	pub async fn row_with_path(
		&self,
		base: &str,
		root: &Root,
		shape: Shape,
		index: u32,
	) -> Result<Row, FetchError> {
		let path = format!("v1/tensors/{}/rows/{index}", root_hex(root));
		let failed = |reason| self.error(base, &path, reason);
		self.checked_shape(shape).map_err(failed)?;
		if index >= shape.rows {
			return Err(failed(Reason::BadRequest("there is no such row")));
		}
		let most = prefixed(u64::from(shape.row_bytes())) + prefixed(MAX_PATH) + 31 * MAX_PATH;
		let body = self.small(base, &path, Size::AtMost(most)).await?;
		let row = Row::decode_all(&mut &body[..])
			.map_err(|error| failed(Reason::Malformed(error.to_string())))?;
		if row.bytes.len() != shape.row_bytes() as usize
			|| !verify_row(root, shape, index, &row.bytes, &row.path)
		{
			return Err(failed(Reason::WrongBytes));
		}
		Ok(row)
	}

	/// The tensor roots of a trace over `nodes` nodes.
	pub async fn trace(
		&self,
		base: &str,
		root: &Root,
		nodes: u32,
	) -> Result<Vec<Root>, FetchError> {
		let path = format!("v1/traces/{}", root_hex(root));
		let failed = |reason| self.error(base, &path, reason);
		if nodes == 0 || nodes as usize > MAX_NODES {
			return Err(failed(Reason::BadRequest("no program has that many nodes")));
		}
		let body = self.small(base, &path, Size::Exactly(u64::from(nodes) * 32)).await?;
		let (roots, _) = body.as_chunks::<32>();
		if trace_root(roots) != *root {
			return Err(failed(Reason::WrongBytes));
		}
		Ok(roots.to_vec())
	}

	/// A program, valid and canonically encoded.
	pub async fn program(&self, base: &str, id: &Root) -> Result<ValidProgram, FetchError> {
		let path = format!("v1/programs/{}", root_hex(id));
		let failed = |reason| self.error(base, &path, reason);
		let body = self.small(base, &path, Size::AtMost(MAX_PROGRAM_BYTES as u64)).await?;
		let program = decode_program(&body).map_err(|error| failed(Reason::Malformed(error)))?;
		if program.id() != *id {
			return Err(failed(Reason::WrongBytes));
		}
		Ok(program)
	}

	/// The input roots of `count` tasks with at most `max_inputs` inputs each.
	pub async fn tasks(
		&self,
		base: &str,
		root: &Root,
		count: u32,
		max_inputs: u32,
	) -> Result<Tasks, FetchError> {
		let path = format!("v1/tasks/{}", root_hex(root));
		let failed = |reason| self.error(base, &path, reason);
		let a_task = prefixed(u64::from(max_inputs)).saturating_add(31 * u64::from(max_inputs));
		let most = u64::from(count).saturating_mul(a_task).saturating_add(5);
		let allowed = self.policy().max_tensor_bytes;
		if count == 0 {
			return Err(failed(Reason::BadRequest("a job has at least one task")));
		}
		if most > allowed {
			return Err(failed(Reason::TooLarge { declared: most, allowed }));
		}
		let body = self.small(base, &path, Size::AtMost(most)).await?;
		let tasks = Tasks::decode_all(&mut &body[..])
			.map_err(|error| failed(Reason::Malformed(error.to_string())))?;
		let fits = tasks.len() == count as usize
			&& tasks.iter().all(|inputs| inputs.len() <= max_inputs as usize);
		if !fits || tasks_root(&tasks) != *root {
			return Err(failed(Reason::WrongBytes));
		}
		Ok(tasks)
	}

	fn checked_shape(&self, shape: Shape) -> Result<Shape, Reason> {
		shape.check().map_err(|_| Reason::BadRequest("no tensor has that shape"))
	}

	fn checked_bytes(&self, shape: Shape) -> Result<u64, Reason> {
		let declared = self.checked_shape(shape)?.bytes();
		let allowed = self.policy().max_tensor_bytes;
		if declared > allowed {
			return Err(Reason::TooLarge { declared, allowed });
		}
		Ok(declared)
	}

	/// Downloads a small body whole.
	async fn small(&self, base: &str, path: &str, size: Size) -> Result<Vec<u8>, FetchError> {
		let mut body = Vec::new();
		self.download(base, path, size, |chunk| {
			body.extend_from_slice(chunk);
			Ok(())
		})
		.await?;
		Ok(body)
	}

	/// Downloads a body of the given size into a sink.
	async fn download(
		&self,
		base: &str,
		path: &str,
		size: Size,
		sink: impl FnMut(&[u8]) -> Result<(), Reason>,
	) -> Result<(), FetchError> {
		self.try_download(base, path, size, sink)
			.await
			.map_err(|reason| self.error(base, path, reason))
	}

	async fn try_download(
		&self,
		base: &str,
		path: &str,
		size: Size,
		mut sink: impl FnMut(&[u8]) -> Result<(), Reason>,
	) -> Result<(), Reason> {
		let policy = &self.inner.policy;
		let base = Base::parse(base)?;
		let client = self.client(&base).await?;
		let end = Instant::now() + policy.total_for(size.most());
		let first_byte = policy.connect_timeout.saturating_add(policy.idle_timeout);
		let response = timeout(first_byte, client.get(base.join(path)).send())
			.await
			.map_err(|_| Reason::Timeout("waiting for an answer"))?
			.map_err(transport)?;
		match response.status() {
			StatusCode::OK => {}
			StatusCode::NOT_FOUND => return Err(Reason::NotFound),
			status if status.is_redirection() => return Err(Reason::Redirect(status.as_u16())),
			status => return Err(Reason::Status(status.as_u16())),
		}
		let too_long = Reason::TooLong { allowed: size.most() };
		if response.content_length().is_some_and(|length| length > size.most()) {
			return Err(too_long);
		}
		let mut body = response.bytes_stream();
		let mut got = 0u64;
		loop {
			let idle = Instant::now() + policy.idle_timeout;
			let slow = if idle < end { "waiting for more" } else { "before all had arrived" };
			let Some(chunk) = timeout_at(idle.min(end), body.next())
				.await
				.map_err(|_| Reason::Timeout(slow))?
				.transpose()
				.map_err(transport)?
			else {
				break;
			};
			let length = chunk.len() as u64;
			self.inner.received.fetch_add(length, Ordering::Relaxed);
			got = got.saturating_add(length);
			if got > size.most() {
				return Err(too_long);
			}
			sink(&chunk)?;
		}
		match size {
			Size::Exactly(expected) if got != expected => Err(Reason::TooShort { expected, got }),
			_ => Ok(()),
		}
	}

	/// The client pinned to an origin's addresses.
	async fn client(&self, base: &Base) -> Result<Client, Reason> {
		let policy = &self.inner.policy;
		let pin = {
			let mut pinned = self.inner.pinned.lock().unwrap_or_else(PoisonError::into_inner);
			let fresh = || Pin { since: Instant::now(), client: Default::default() };
			let pin = pinned.get_or_insert_mut(base.origin(), fresh);
			if pin.since.elapsed() > policy.pin_for {
				*pin = fresh();
			}
			pin.clone()
		};
		let client =
			pin.client.get_or_try_init(|| base.pin(policy, self.inner.resolver.as_ref())).await?;
		Ok(client.clone())
	}

	fn error(&self, base: &str, path: &str, reason: Reason) -> FetchError {
		let url = match Base::parse(base) {
			Ok(base) => base.join(path),
			// A stranger's text: enough of it to recognise it.
			Err(_) => base.chars().take(80).flat_map(char::escape_debug).collect(),
		};
		FetchError { url, reason }
	}
}

fn transport(error: reqwest::Error) -> Reason {
	if error.is_timeout() {
		return Reason::Timeout("connecting");
	}
	// The innermost error says what happened; the outer ones repeat the URL.
	let error = error.without_url();
	let mut inner: &dyn std::error::Error = &error;
	while let Some(source) = inner.source() {
		inner = source;
	}
	Reason::Connection(inner.to_string())
}

/// Bytes of a SCALE vector of that many bytes; of that many items if each adds its size less one.
fn prefixed(count: u64) -> u64 {
	Compact::<u64>::compact_len(&count) as u64 + count
}
