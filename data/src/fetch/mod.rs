//! Fetching from strangers' data planes.
//!
//! A [`Fetcher`] resolves a name once, refuses it if any of its addresses is not public, talks to
//! just those addresses, follows no redirects, takes no more bytes than the thing asked for can
//! have, and hands out nothing that does not hash to the root it was asked for.

mod address;
mod download;
mod error;
mod origin;
mod pieces;
mod policy;
mod rate;
mod retry;
mod turns;

pub use address::forbidden;
pub use error::{FetchError, Reason};
pub use origin::{Resolver, SystemResolver};
pub use pieces::TensorPieces;
pub use policy::Policy;
pub use retry::Retry;

use crate::{
	root_hex,
	store::{decode_program, Row, Store, StoreError, TensorWriter},
	Tasks,
};
use assay_compute::{
	tasks_root, trace_root, verify_row, Root, Shape, Tensor, ValidProgram, MAX_NODES,
	MAX_PROGRAM_BYTES,
};
use axum::body::Bytes;
use codec::{Compact, CompactLen, DecodeAll};
use download::{Download, Size};
use lru::LruCache;
use origin::Base;
use reqwest::Client;
use std::{
	num::NonZeroUsize,
	sync::{
		atomic::{AtomicU64, Ordering},
		Arc, Mutex, PoisonError,
	},
};
use tokio::{sync::OnceCell, task::spawn_blocking, time::Instant};
use turns::Turns;

/// Origins whose addresses are kept.
const MAX_PINNED: NonZeroUsize = NonZeroUsize::new(64).unwrap();
/// Longest path in a tree of rows or tasks.
const MAX_PATH: u64 = 32;
/// Bytes of a tensor that are held before they are written to disk.
const BATCH_BYTES: usize = 1 << 20;

/// Fetches verified things. Clones share pinned addresses and counters.
#[derive(Clone)]
pub struct Fetcher {
	inner: Arc<Inner>,
}

struct Inner {
	policy: Policy,
	resolver: Box<dyn Resolver>,
	pinned: Mutex<LruCache<String, Pin>>,
	turns: Turns,
	received: AtomicU64,
}

/// A client bound to checked addresses, made once even if many ask at the same time.
#[derive(Clone)]
struct Pin {
	since: Instant,
	client: Arc<OnceCell<Client>>,
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
				turns: Turns::new(policy.per_origin),
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
		let mut pieces = self.tensor_pieces(base, root, shape).await?;
		// Memory is taken as it is filled, so a claim alone costs nothing.
		let mut data = Vec::new();
		let length = usize::try_from(shape.bytes()).ok();
		if length.is_none_or(|length| data.try_reserve_exact(length).is_err()) {
			let why = format!("no memory for {} bytes", shape.bytes());
			return Err(pieces.error(Reason::Setup(why)));
		}
		while let Some(piece) = pieces.next().await? {
			data.extend_from_slice(&piece);
		}
		Tensor::new(shape, data).map_err(|_| pieces.error(Reason::WrongBytes))
	}

	/// Has a store hold a tensor, hashed as it arrives and written piece by piece: no more than a
	/// mebibyte or two of it is in memory, whatever shape is declared.
	pub async fn tensor_into(
		&self,
		base: &str,
		root: &Root,
		shape: Shape,
		store: &Store,
	) -> Result<(), FetchError> {
		let path = format!("v1/tensors/{}", root_hex(root));
		let failed = |reason| self.error(base, &path, reason);
		self.checked_bytes(shape).map_err(failed)?;
		let (store, root) = (store.clone(), *root);
		let begun = on_disk(move || store.write_tensor(root, shape));
		let mut writer = begun.await.map_err(failed)?;
		let mut batch = Vec::new();
		let mut body =
			self.begin(base, &path, Size::Exactly(shape.bytes())).await.map_err(failed)?;
		while let Some(chunk) = self.piece(&mut body).await.map_err(failed)? {
			batch.extend_from_slice(&chunk);
			if batch.len() >= BATCH_BYTES {
				writer = written(writer, std::mem::take(&mut batch)).await.map_err(failed)?;
			}
		}
		let writer = written(writer, batch).await.map_err(failed)?;
		match on_disk(move || writer.finish()).await.map_err(failed)? {
			true => Ok(()),
			false => Err(failed(Reason::WrongBytes)),
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
		self.try_small(base, path, size).await.map_err(|reason| self.error(base, path, reason))
	}

	async fn try_small(&self, base: &str, path: &str, size: Size) -> Result<Vec<u8>, Reason> {
		let mut bytes = Vec::new();
		let mut body = self.begin(base, path, size).await?;
		while let Some(chunk) = self.piece(&mut body).await? {
			bytes.extend_from_slice(&chunk);
		}
		Ok(bytes)
	}

	/// Begins a download once it is its turn.
	async fn begin(&self, base: &str, path: &str, size: Size) -> Result<Download, Reason> {
		let base = Base::parse(base)?;
		let turn = self.inner.turns.wait(base.origin()).await;
		let client = self.client(&base).await?;
		let answer = client.get(base.join(path)).send();
		Download::begin(&self.inner.policy, answer, size, turn).await
	}

	/// The next piece of a download.
	async fn piece(&self, body: &mut Download) -> Result<Option<Bytes>, Reason> {
		let chunk = body.next().await?;
		let bytes = chunk.as_ref().map_or(0, |chunk| chunk.len() as u64);
		self.inner.received.fetch_add(bytes, Ordering::Relaxed);
		Ok(chunk)
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

/// Writes what has come, off the threads that wait for the network.
async fn written(mut writer: TensorWriter, bytes: Vec<u8>) -> Result<TensorWriter, Reason> {
	on_disk(move || writer.push(&bytes).map(|()| writer)).await
}

async fn on_disk<T: Send + 'static>(
	work: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
) -> Result<T, Reason> {
	let done = spawn_blocking(work).await.map_err(|error| Reason::Unkept(error.to_string()))?;
	done.map_err(|error| Reason::Unkept(error.to_string()))
}

/// Bytes of a SCALE vector of that many bytes; of that many items if each adds its size less one.
fn prefixed(count: u64) -> u64 {
	Compact::<u64>::compact_len(&count) as u64 + count
}
