//! What this machine keeps as a custodian: outputs, and the programs that say how to read them, each
//! for a while, within a bound of bytes, and served to whoever asks.

mod terms;
mod url;

pub use terms::Named;
pub use url::check_url;

use crate::config::CustodyConfig;
use assay_compute::{Root, Shape};
use assay_data::{
	fetch::Reason,
	server::{Limits, Server},
	store::{Keep, StoreError, TensorWriter},
	Store,
};
use std::{
	collections::{BTreeSet, HashMap, HashSet},
	fs, io,
	path::{Path, PathBuf},
	sync::{
		atomic::{AtomicU64, Ordering::Relaxed},
		Arc, Mutex, PoisonError, Weak,
	},
	time::{Duration, Instant, SystemTime},
};
use terms::{Term, Terms};
use tokio::{sync::watch, task::spawn_blocking, time::sleep};

/// Disks are handed out in blocks of so many bytes.
const BLOCK: u64 = 4_096;
/// More than the bytes that a file has beside its content.
const HEADER: u64 = 64;
/// Time after which what nobody keeps is looked for, even if none is known of.
const LOOK: Duration = Duration::from_secs(600);

/// Why something is not kept.
#[derive(Debug, thiserror::Error)]
pub enum CustodyError {
	/// There is no room.
	#[error("{needed} bytes more are not kept: {used} of {most} bytes are taken")]
	Full {
		/// Bytes that it would take.
		needed: u64,
		/// Bytes that are taken.
		used: u64,
		/// Bytes that may be.
		most: u64,
	},
	/// The store failed.
	#[error(transparent)]
	Store(#[from] StoreError),
	/// The folder failed.
	#[error("{}: {error}", path.display())]
	Io {
		/// The folder.
		path: PathBuf,
		/// What happened.
		error: io::Error,
	},
	/// A thread that waited for the disk has ended early.
	#[error("{0}")]
	Broken(String),
}

/// How much is kept at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Held {
	/// Outputs.
	pub outputs: u64,
	/// Bytes of disk that they take, with their programs.
	pub bytes: u64,
}

/// A folder of what is kept.
pub struct Custody {
	store: Store,
	/// Bytes of disk that may be taken.
	most: u64,
	/// Locked for as long as the disk takes: on threads that may wait for it only.
	state: Mutex<State>,
	outputs: AtomicU64,
	bytes: AtomicU64,
}

struct State {
	terms: Terms,
	/// What is on its way. Not collected, and room is set aside for it.
	places: Vec<Weak<Place>>,
	/// Whether there may be something that nobody keeps.
	litter: bool,
	/// When that was removed last.
	collected: Instant,
}

/// Room for one thing on its way, until this is dropped.
#[derive(Debug)]
pub struct Place {
	named: Named,
	output_bytes: u64,
	program_bytes: u64,
}

/// What serves the things that are kept.
pub struct Serving {
	server: Server,
	/// Base URL that is announced, without a trailing slash.
	pub url: String,
}

impl Custody {
	/// Opens what was kept before in a folder, where at most so many bytes of disk may be taken. Blocks
	/// on the disk.
	pub fn open(folder: &Path, most: u64) -> Result<Self, CustodyError> {
		let failed = |path: PathBuf| |error| CustodyError::Io { path, error };
		// What an earlier start was writing when it ended: no other writes here.
		let drafts = folder.join("tmp");
		match fs::remove_dir_all(&drafts) {
			Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed(drafts)(error))?,
			_ => {}
		}
		let store = Store::open(folder)?;
		let folder = folder.join("terms");
		let terms = Terms::open(folder.clone()).map_err(failed(folder))?;
		let state = State { terms, places: Vec::new(), litter: true, collected: Instant::now() };
		let (outputs, bytes) = Default::default();
		let custody = Self { store, most, state: Mutex::new(state), outputs, bytes };
		custody.sweep()?;
		Ok(custody)
	}

	/// Listens where the settings say, and says which URL is announced.
	pub async fn listen(&self, config: &CustodyConfig) -> io::Result<Serving> {
		let server = Server::bind(config.listen, self.store.clone(), Limits::default()).await?;
		let url = match &config.url {
			Some(url) => url.trim_end_matches('/').to_owned(),
			None => format!("http://{}", server.local_addr()?),
		};
		Ok(Serving { server, url })
	}

	/// Serves what is kept, and removes `every` so often what is no more, until that is stopped.
	pub async fn serve(
		self: Arc<Self>,
		serving: Serving,
		every: Duration,
		mut stopped: watch::Receiver<bool>,
	) {
		// An error means that nobody is left to stop it.
		let shutdown = async move { drop(stopped.wait_for(|stop| *stop).await) };
		let sweep = async {
			loop {
				sleep(every).await;
				if let Err(error) = self.on_disk(|custody| custody.sweep()).await {
					tracing::warn!("what is kept no more is not removed: {error}");
				}
			}
		};
		tokio::select! {
			served = serving.server.run(shutdown) => if let Err(error) = served {
				tracing::error!("what is kept is not served any more: {error}");
			},
			() = sweep => {}
		}
	}

	/// How much is kept.
	pub fn held(&self) -> Held {
		Held { outputs: self.outputs.load(Relaxed), bytes: self.bytes.load(Relaxed) }
	}

	/// The place of a thing that is kept already, if it is there undamaged.
	pub async fn present(
		self: &Arc<Self>,
		named: Named,
	) -> Result<Option<Arc<Place>>, CustodyError> {
		let known = self.on_disk(move |custody| custody.place_of(named)).await?;
		let Some(place) = known else { return Ok(None) };
		let program = self.on_disk(move |custody| custody.store.program(&named.program)).await;
		let whole = found(program)?.flatten().is_some() && self.has(named.output).await?;
		Ok(whole.then_some(place))
	}

	/// Sets room aside for a thing, unless there is none.
	pub async fn reserve(
		self: &Arc<Self>,
		named: Named,
		shape: Shape,
		program_bytes: u64,
	) -> Result<Arc<Place>, CustodyError> {
		let place = Place { named, output_bytes: shape.bytes(), program_bytes };
		self.on_disk(move |custody| custody.set_aside(place)).await
	}

	/// Whether an output is there: all of it is read and hashed.
	pub async fn has(self: &Arc<Self>, output: Root) -> Result<bool, CustodyError> {
		let opened = self.on_disk(move |custody| custody.store.read_tensor(&output)).await;
		let Some(mut reader) = found(opened)?.flatten() else { return Ok(false) };
		// In pieces: whoever gives up meanwhile waits for no more than one.
		loop {
			let read = move |_: &Self| reader.next_chunk().map(|chunk| (chunk.is_some(), reader));
			match found(self.on_disk(read).await)? {
				Some((true, next)) => reader = next,
				Some((false, _)) => return Ok(true),
				None => return Ok(false),
			}
		}
	}

	/// Begins to write an output for which there is a place.
	pub async fn begin(self: &Arc<Self>, output: Root, shape: Shape) -> Result<Writing, Reason> {
		let begun = self.on_disk(move |custody| custody.store.write_tensor(output, shape)).await;
		let writer = begun.map_err(|error| Reason::Unkept(error.to_string()))?;
		Ok(Writing { writer, custody: self.clone() })
	}

	/// Keeps for so long what has its output in the store and this program.
	pub async fn keep(
		self: &Arc<Self>,
		place: Arc<Place>,
		program: Option<Vec<u8>>,
		lasts: Duration,
	) -> Result<(), CustodyError> {
		self.on_disk(move |custody| {
			if let Some(program) = program {
				custody.store.put_program(&program)?;
			}
			custody.stay(&place, lasts)
		})
		.await
	}

	/// Runs what waits for the disk on a thread that may.
	async fn on_disk<T: Send + 'static, E: Into<CustodyError> + Send + 'static>(
		self: &Arc<Self>,
		work: impl FnOnce(&Self) -> Result<T, E> + Send + 'static,
	) -> Result<T, CustodyError> {
		let custody = self.clone();
		match spawn_blocking(move || work(&custody)).await {
			Ok(done) => done.map_err(Into::into),
			Err(error) => Err(CustodyError::Broken(error.to_string())),
		}
	}

	/// The place of a thing that is kept. It stays at least for as long as that is held.
	fn place_of(&self, named: Named) -> Result<Option<Arc<Place>>, CustodyError> {
		let state = &mut *self.lock();
		let Some(Term { output_bytes, program_bytes, .. }) = state.terms.get(&named) else {
			return Ok(None);
		};
		Ok(Some(state.enter(Place { named, output_bytes, program_bytes })))
	}

	fn set_aside(&self, place: Place) -> Result<Arc<Place>, CustodyError> {
		let state = &mut *self.lock();
		self.clean(state)?;
		let used = state.used();
		let place = state.enter(place);
		let needed = state.used().saturating_sub(used);
		// What is kept already takes no more.
		if needed > 0 && used.saturating_add(needed) > self.most {
			state.places.pop();
			return Err(CustodyError::Full { needed, used, most: self.most });
		}
		Ok(place)
	}

	fn stay(&self, place: &Arc<Place>, lasts: Duration) -> Result<(), CustodyError> {
		let state = &mut *self.lock();
		let Place { named, output_bytes, program_bytes } = **place;
		let lasts = u64::try_from(lasts.as_millis()).unwrap_or(u64::MAX);
		let until = now().saturating_add(lasts);
		let put = state.terms.put(named, Term { until, output_bytes, program_bytes });
		let path = || self.store.dir().join("terms");
		put.map_err(|error| CustodyError::Io { path: path(), error })?;
		// Dropped from now on it leaves no litter.
		state.places.retain(|other| other.as_ptr() != Arc::as_ptr(place));
		self.count(state);
		Ok(())
	}

	/// Removes what is kept no more.
	fn sweep(&self) -> Result<(), CustodyError> {
		let state = &mut *self.lock();
		self.clean(state)?;
		self.count(state);
		Ok(())
	}

	fn clean(&self, state: &mut State) -> Result<(), CustodyError> {
		let before = state.places.len();
		state.places.retain(|place| place.strong_count() > 0);
		state.litter |= state.places.len() < before;
		state.litter |= state.terms.expire(now());
		if state.litter || state.collected.elapsed() >= LOOK {
			let mut keep = Keep::default();
			for named in state.named() {
				keep.tensors.insert(named.output);
				keep.programs.insert(named.program);
			}
			// Nothing is put without a place, and no place is given meanwhile: no age protects.
			let removed = self.store.collect(&keep, Duration::ZERO)?;
			if removed.files > 0 {
				tracing::info!("{} bytes are kept no more", removed.bytes);
			}
			(state.litter, state.collected) = (false, Instant::now());
		}
		Ok(())
	}

	/// Counts what is kept.
	fn count(&self, state: &State) {
		let kept = state.terms.iter().map(|(named, _)| named.output);
		let outputs = kept.collect::<HashSet<Root>>().len();
		self.outputs.store(outputs as u64, Relaxed);
		self.bytes.store(state.kept(), Relaxed);
	}

	fn lock(&self) -> std::sync::MutexGuard<'_, State> {
		self.state.lock().unwrap_or_else(PoisonError::into_inner)
	}
}

impl State {
	fn enter(&mut self, place: Place) -> Arc<Place> {
		let place = Arc::new(place);
		self.places.push(Arc::downgrade(&place));
		place
	}

	/// What is kept or on its way.
	fn named(&self) -> Vec<Named> {
		let kept = self.terms.iter().map(|(named, _)| *named);
		kept.chain(self.places.iter().filter_map(Weak::upgrade).map(|place| place.named)).collect()
	}

	/// Bytes of disk that what is kept takes.
	fn kept(&self) -> u64 {
		let mut room = Room::default();
		self.terms.iter().for_each(|(named, term)| room.add_term(named, term));
		room.bytes()
	}

	/// The same with what is on its way.
	fn used(&self) -> u64 {
		let mut room = Room::default();
		self.terms.iter().for_each(|(named, term)| room.add_term(named, term));
		for place in self.places.iter().filter_map(Weak::upgrade) {
			room.add_place(&place);
		}
		room.bytes()
	}
}

/// Bytes of disk, in which an output or program that is there for several things counts once.
#[derive(Default)]
struct Room {
	terms: BTreeSet<Named>,
	/// Bytes of each output, how often it is fetched, and whether it is kept.
	outputs: HashMap<Root, (u64, u64, bool)>,
	programs: HashMap<Root, u64>,
}

impl Room {
	fn add_term(&mut self, named: &Named, term: &Term) {
		self.terms.insert(*named);
		self.outputs.insert(named.output, (in_blocks(term.output_bytes), 0, true));
		self.programs.insert(named.program, in_blocks(term.program_bytes));
	}

	fn add_place(&mut self, place: &Place) {
		self.terms.insert(place.named);
		let bytes = in_blocks(place.output_bytes);
		let output = self.outputs.entry(place.named.output).or_insert((bytes, 0, false));
		output.1 = output.1.saturating_add(1);
		self.programs.insert(place.named.program, in_blocks(place.program_bytes));
	}

	fn bytes(&self) -> u64 {
		// Each fetch has a file of its own until it is done. Of what is kept none is fetched.
		let outputs = self.outputs.values().map(|(bytes, fetches, kept)| {
			bytes.saturating_mul(if *kept { 1 } else { (*fetches).max(1) })
		});
		let programs = self.programs.values().copied();
		let terms = BLOCK.saturating_mul(self.terms.len() as u64);
		outputs.chain(programs).fold(terms, u64::saturating_add)
	}
}

/// An output that is being written. Nothing is left of it unless it is finished.
pub struct Writing {
	writer: TensorWriter,
	custody: Arc<Custody>,
}

impl Writing {
	/// Adds bytes.
	pub async fn push(self, bytes: Vec<u8>) -> Result<Self, Reason> {
		let Self { mut writer, custody } = self;
		let pushed = custody.on_disk(move |_| writer.push(&bytes).map(|()| writer)).await;
		let writer = pushed.map_err(|error| Reason::Unkept(error.to_string()))?;
		Ok(Self { writer, custody })
	}

	/// Forces it to disk. `false`: the bytes are not the output.
	pub async fn finish(self) -> Result<bool, CustodyError> {
		let Self { writer, custody } = self;
		custody.on_disk(move |_| writer.finish()).await
	}
}

/// What was read; `None` if it has turned out to be damaged, and is gone.
fn found<T>(read: Result<T, CustodyError>) -> Result<Option<T>, CustodyError> {
	match read {
		Ok(found) => Ok(Some(found)),
		Err(CustodyError::Store(StoreError::Damaged { .. })) => Ok(None),
		Err(error) => Err(error),
	}
}

fn in_blocks(bytes: u64) -> u64 {
	bytes.saturating_add(HEADER).div_ceil(BLOCK).saturating_mul(BLOCK)
}

/// Milliseconds since 1970.
fn now() -> u64 {
	let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
	u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
