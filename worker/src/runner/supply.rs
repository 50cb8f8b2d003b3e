//! Getting programs, task lists and tensors: from the store, or from the buyer into the store.

use assay_compute::{Root, Shape, Tensor, ValidProgram};
use assay_data::{fetch::Retry, FetchError, Fetcher, Store, StoreError, Tasks};
use futures::{stream, StreamExt, TryStreamExt};
use std::{
	collections::BTreeMap,
	future::Future,
	sync::{Arc, Mutex, PoisonError},
};
use tokio::{
	sync::OwnedMutexGuard,
	task::spawn_blocking,
	time::{timeout_at, Instant},
};

/// Why something is not to be had.
#[derive(Debug, thiserror::Error)]
pub enum Missing {
	/// The last try to fetch it failed.
	#[error("{0}")]
	Fetch(FetchError),
	/// Time was up before it was there.
	#[error("{0}: it did not come in time")]
	TooLate(String),
	/// The tensor of that root has another shape, so no bytes can be what is asked for.
	#[error("tensor {}: its root is that of {found}, declared is {declared}", hex::encode(root))]
	Shape {
		/// The root.
		root: Root,
		/// Shape of the tensor with that root.
		found: Shape,
		/// Shape that the program declares.
		declared: Shape,
	},
	/// The store failed.
	#[error("{0}")]
	Store(#[from] StoreError),
}

/// Where things are fetched from, and until when.
#[derive(Clone, Copy)]
pub struct Source<'a> {
	/// Base URL of the data plane.
	pub base: &'a str,
	/// Time at which to give up.
	pub deadline: Instant,
}

/// The store, and the way to fill it.
pub struct Supply {
	store: Store,
	fetcher: Fetcher,
	retry: Retry,
	parallel: usize,
	under_way: Mutex<UnderWay>,
}

/// What is being fetched, and from where: tasks of one job need the same things once. A slow buyer
/// holds up nobody who can have the same thing elsewhere.
type UnderWay = BTreeMap<(Root, String), Arc<tokio::sync::Mutex<()>>>;

impl Supply {
	/// Fetches at most `parallel` tensors at a time for each task. They go to the disk as they come,
	/// and each task's fetches wait for nothing but their own source, so a slow one holds up nobody
	/// else.
	pub fn new(store: Store, fetcher: Fetcher, retry: Retry, parallel: usize) -> Self {
		Self { store, fetcher, retry, parallel: parallel.max(1), under_way: Mutex::default() }
	}

	/// The store.
	pub fn store(&self) -> &Store {
		&self.store
	}

	/// A program.
	pub async fn program(&self, from: Source<'_>, id: Root) -> Result<ValidProgram, Missing> {
		let stored = || self.read(move |store| store.program(&id));
		if let Some(program) = stored().await? {
			return Ok(program);
		}
		let _turn = self.turn(from, id).await?;
		if let Some(program) = stored().await? {
			return Ok(program);
		}
		let program = self.get(from, || self.fetcher.program(from.base, &id)).await?;
		let bytes = program.encode();
		self.write(move |store| store.put_program(&bytes)).await?;
		Ok(program)
	}

	/// The input roots of all tasks of a job.
	pub async fn tasks(
		&self,
		from: Source<'_>,
		root: Root,
		count: u32,
		inputs: u32,
	) -> Result<Tasks, Missing> {
		let stored = || self.read(move |store| store.tasks(&root));
		if let Some(tasks) = stored().await? {
			return Ok(tasks);
		}
		let _turn = self.turn(from, root).await?;
		if let Some(tasks) = stored().await? {
			return Ok(tasks);
		}
		let fetch = || self.fetcher.tasks(from.base, &root, count, inputs);
		let tasks = self.get(from, fetch).await?;
		let kept = tasks.clone();
		self.write(move |store| store.put_tasks(&kept)).await?;
		Ok(tasks)
	}

	/// Has the store hold tensors, each distinct one fetched once.
	pub async fn keep(
		&self,
		from: Source<'_>,
		wanted: impl IntoIterator<Item = (Root, Shape)>,
	) -> Result<(), Missing> {
		let wanted = wanted.into_iter().map(|(root, shape)| ((root, shape.header()), shape));
		let distinct: BTreeMap<_, Shape> = wanted.collect();
		let fetches =
			distinct.into_iter().map(|((root, _), shape)| self.keep_one(from, root, shape));
		stream::iter(fetches).buffer_unordered(self.parallel).try_collect().await
	}

	/// Tensors by node, read from the store and verified; those that turn out missing or damaged are
	/// fetched again.
	pub async fn load(
		&self,
		from: Source<'_>,
		wanted: &[(u32, Shape, Root)],
	) -> Result<BTreeMap<u32, Tensor>, Missing> {
		let mut tensors = BTreeMap::new();
		for (node, shape, root) in wanted.iter().copied() {
			let tensor = loop {
				self.keep_one(from, root, shape).await?;
				if let Some(tensor) = self.read(move |store| store.tensor(&root)).await? {
					break tensor;
				}
				if Instant::now() >= from.deadline {
					return Err(Missing::TooLate(from.base.into()));
				}
			};
			tensors.insert(node, tensor);
		}
		Ok(tensors)
	}

	async fn keep_one(&self, from: Source<'_>, root: Root, shape: Shape) -> Result<(), Missing> {
		if self.has(root, shape).await? {
			return Ok(());
		}
		let _turn = self.turn(from, root).await?;
		if self.has(root, shape).await? {
			return Ok(());
		}
		self.get(from, || self.fetcher.tensor_into(from.base, &root, shape, &self.store)).await
	}

	async fn has(&self, root: Root, declared: Shape) -> Result<bool, Missing> {
		match self.read(move |store| store.shape(&root)).await? {
			Some(found) if found != declared => Err(Missing::Shape { root, found, declared }),
			found => Ok(found.is_some()),
		}
	}

	/// Waits until nobody else fetches the same thing from there.
	async fn turn(&self, from: Source<'_>, root: Root) -> Result<OwnedMutexGuard<()>, Missing> {
		let turn = {
			let mut under_way = self.under_way.lock().unwrap_or_else(PoisonError::into_inner);
			// Forget those that nobody waits for.
			under_way.retain(|_, turn| Arc::strong_count(turn) > 1);
			under_way.entry((root, from.base.into())).or_default().clone()
		};
		self.in_time(from, turn.lock_owned()).await
	}

	async fn get<T, F: Future<Output = Result<T, FetchError>>>(
		&self,
		from: Source<'_>,
		fetch: impl FnMut() -> F,
	) -> Result<T, Missing> {
		self.retry.run(from.deadline, fetch).await.map_err(|error| match error {
			Some(error) => Missing::Fetch(error),
			None => Missing::TooLate(from.base.into()),
		})
	}

	async fn in_time<T>(
		&self,
		from: Source<'_>,
		future: impl Future<Output = T>,
	) -> Result<T, Missing> {
		timeout_at(from.deadline, future).await.map_err(|_| Missing::TooLate(from.base.into()))
	}

	/// Reads off the threads that wait for the network. What is damaged is not there.
	async fn read<T: Send + 'static>(
		&self,
		read: impl FnOnce(&Store) -> Result<Option<T>, StoreError> + Send + 'static,
	) -> Result<Option<T>, Missing> {
		match on_disk(&self.store, read).await {
			Err(StoreError::Damaged { .. }) => Ok(None),
			result => Ok(result?),
		}
	}

	async fn write<T: Send + 'static>(
		&self,
		write: impl FnOnce(&Store) -> Result<T, StoreError> + Send + 'static,
	) -> Result<T, Missing> {
		Ok(on_disk(&self.store, write).await?)
	}
}

/// Runs what waits for the disk away from the threads that wait for the network.
pub async fn on_disk<T: Send + 'static>(
	store: &Store,
	work: impl FnOnce(&Store) -> Result<T, StoreError> + Send + 'static,
) -> Result<T, StoreError> {
	let (store, dir) = (store.clone(), store.dir().to_owned());
	let result = spawn_blocking(move || work(&store)).await;
	let panicked = |error| StoreError::Io { path: dir, error: std::io::Error::other(error) };
	result.map_err(panicked)?
}
