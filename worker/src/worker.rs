//! The loop: looks at the chain's state, does for each task what is next, and serves the store.

use crate::{
	backend::Backend,
	backlog::Backlog,
	chain::{Chain, ChainError},
	config::{Config, Times},
	journal::Journal,
	quota::Quota,
	runner::{Limits, ProgramRunner, Supply},
	speed::Speed,
	stop::Stop,
	tally::Tally,
	tasks::{self, Answers, Context, Outcome, StepError},
};
use anyhow::{bail, Context as _};
use assay_data::{fetch::Retry, Fetcher, Limits as ServerLimits, Policy, Server, Store};
use assay_primitives::{
	views::TaskView,
	work::{TaskId, TaskStatus},
	AccountId,
};
use fs2::FileExt;
use std::{
	collections::{BTreeMap, BTreeSet, HashMap},
	fs::{self, File},
	net::SocketAddr,
	sync::Arc,
	time::Duration,
};
use tokio::{
	sync::RwLock,
	task::{Id, JoinError, JoinHandle, JoinSet},
	time::{sleep_until, timeout, Instant},
};
use tracing::Instrument;

/// Time for one look at the chain.
const LOOK: Duration = Duration::from_secs(60);

/// A worker that has its folder and its address, and is not yet at work.
pub struct Worker<C> {
	context: Arc<Context<C>>,
	server: Server,
	endpoint: Option<String>,
	/// Whoever holds this file's lock owns the folder.
	_lock: File,
}

impl<C: Chain> Worker<C> {
	/// Opens the folder, which nobody else may be using, and binds the data plane's address. The
	/// backend is as fast as `speed` says.
	pub async fn open(
		config: &Config,
		chain: C,
		backend: Arc<dyn Backend>,
		speed: Speed,
		stop: Stop,
	) -> anyhow::Result<Self> {
		let dir = &config.data_dir;
		fs::create_dir_all(dir).with_context(|| format!("cannot make {}", dir.display()))?;
		let lock = lock(dir)?;
		let store = Store::open(config.store_dir())?;
		let journal = Journal::open(config.journal_dir())
			.with_context(|| format!("cannot open the journal in {}", dir.display()))?;
		let quota = Arc::new(Quota::new(config.store_dir(), config.max_store_bytes));
		let server_limits = ServerLimits {
			connections: config.max_connections,
			connections_per_client: config.max_connections_per_client,
			..ServerLimits::default()
		};
		let server = Server::bind(config.listen, store.clone(), server_limits)
			.await
			.with_context(|| format!("cannot listen on {}", config.listen))?;
		let policy = Policy {
			allow_local: config.allow_local,
			max_tensor_bytes: config.max_trace_bytes,
			per_origin: config.parallel_fetches,
			..Policy::default()
		};
		let retry = Retry { pause: config.times.pause, ..Retry::default() };
		let supply =
			Supply::new(store.clone(), Fetcher::new(policy), retry, config.parallel_fetches);
		let limits = Limits {
			trace_bytes: config.max_trace_bytes,
			macs: config.max_macs,
			elements: config.max_elements,
		};
		tracing::info!("computes on {}", backend.name());
		let times = config.times;
		let (backlog, collecting) = (Backlog::new(speed), Arc::new(RwLock::new(())));
		let runner = ProgramRunner::new(
			supply,
			quota.clone(),
			backlog.clone(),
			backend,
			limits,
			times.fetch,
			collecting.clone(),
		)
		.with_sabotage(config.sabotage);
		let context = Context {
			chain,
			runner: Box::new(runner),
			journal,
			store,
			quota,
			backlog,
			tally: Tally::open(config.tally_file()),
			collecting,
			times,
			stop,
		};
		Ok(Self {
			context: Arc::new(context),
			server,
			endpoint: config.endpoint.as_ref().map(|endpoint| endpoint.as_str().into()),
			_lock: lock,
		})
	}

	/// Address of the data plane.
	pub fn local_addr(&self) -> std::io::Result<SocketAddr> {
		self.server.local_addr()
	}

	/// Works and serves until it is told to stop: then takes on nothing more, lets calls that are
	/// under way end, leaves the rest to the next start, and closes the data plane.
	pub async fn run(self) -> anyhow::Result<()> {
		let Self { context, server, endpoint, _lock, .. } = self;
		let stop = context.stop.clone();
		tracing::info!("serves {} on {}", context.store.dir().display(), server.local_addr()?);
		let stopped = stop.clone();
		let mut server = tokio::spawn(server.run(async move { stopped.wait().await }));
		let mut work = Work::new(context.clone(), endpoint);
		let result = work.go(&stop, &mut server).await;
		work.finish().await;
		if !server.is_finished() {
			let _ = server.await;
		}
		result
	}
}

/// The right to use a folder.
fn lock(dir: &std::path::Path) -> anyhow::Result<File> {
	let path = dir.join("lock");
	let file = File::create(&path).with_context(|| format!("cannot make {}", path.display()))?;
	match file.try_lock_exclusive() {
		Ok(()) => Ok(file),
		Err(error) if error.kind() == fs2::lock_contended_error().kind() => {
			bail!("another worker uses {}", dir.display())
		}
		Err(error) => Err(error).with_context(|| format!("cannot lock {}", path.display())),
	}
}

/// Where a task stood when it was last looked at: as long as it stands there, what was done about
/// it holds.
type Stand = (TaskStatus, u8);

/// One task's turn.
struct Turn {
	stand: Stand,
	failures: u32,
	/// When it may be looked at again; `None`: not as long as it stands there.
	next: Option<Instant>,
}

struct Work<C> {
	context: Arc<Context<C>>,
	endpoint: Option<String>,
	/// What was last said of the provider, so as to say it once.
	said: Option<String>,
	turns: BTreeMap<TaskId, Turn>,
	steps: JoinSet<Outcome>,
	running: HashMap<Id, TaskId>,
	answers: Answers,
	/// Looks that failed in a row.
	failures: u32,
	collect_at: Instant,
}

impl<C: Chain> Work<C> {
	fn new(context: Arc<Context<C>>, endpoint: Option<String>) -> Self {
		Self {
			context,
			endpoint,
			said: None,
			turns: BTreeMap::new(),
			steps: JoinSet::new(),
			running: HashMap::new(),
			answers: Answers::default(),
			failures: 0,
			collect_at: Instant::now(),
		}
	}

	async fn go(
		&mut self,
		stop: &Stop,
		server: &mut JoinHandle<std::io::Result<()>>,
	) -> anyhow::Result<()> {
		let mut heights = self.context.chain.heights();
		loop {
			let look = async {
				match timeout(LOOK, self.look()).await {
					Ok(Ok(())) => self.failures = 0,
					Ok(Err(error)) => self.failed(error.to_string()),
					Err(_) => self.failed(format!("no answer within {LOOK:?}")),
				}
			};
			tokio::select! {
				() = look => {},
				() = stop.wait() => return Ok(()),
			}
			let wake = self.wake();
			tokio::select! {
				// First: told to stop, the data plane ends too, and that is no fault.
				biased;
				() = stop.wait() => return Ok(()),
				ended = &mut *server => match ended {
					_ if stop.is_set() => return Ok(()),
					Ok(Ok(())) => bail!("the data plane ended"),
					Ok(Err(error)) => return Err(error).context("the data plane failed"),
					Err(error) => return Err(error).context("the data plane failed"),
				},
				Some(step) = self.steps.join_next_with_id() => self.note(step),
				// While the chain does not answer, each block that comes is no reason to ask again.
				Ok(()) = heights.changed(), if self.failures == 0 => {},
				() = sleep_until(wake) => {},
			}
		}
	}

	/// One look at the chain's state.
	async fn look(&mut self) -> Result<(), StepError> {
		let context = self.context.clone();
		let chain = &context.chain;
		let hot_key = chain.account();
		let Some(provider) = chain.provider_of(&hot_key).await? else {
			self.say(format!(
				"{hot_key} is no provider's hot key yet: register it with assay-worker register"
			));
			return Ok(());
		};
		self.greet(&provider).await?;
		let mut tasks = chain.tasks_of(&provider).await?;
		// What is taken on comes first: offers are judged by the time that it leaves. Of each the most
		// urgent.
		tasks.sort_by_key(|view| match view.status {
			TaskStatus::Running { due } => (1, due),
			TaskStatus::Offered { until } => (2, until),
			_ => (0, 0),
		});
		let live: BTreeSet<TaskId> = tasks.iter().map(|view| view.id).collect();
		context.quota.retain(&live);
		context.backlog.retain(&live);
		tasks::note_ended(&context, &live).await?;
		let busy: BTreeSet<TaskId> = self.running.values().copied().collect();
		self.turns.retain(|task, _| live.contains(task) || busy.contains(task));
		for view in tasks {
			if !busy.contains(&view.id) && self.is_due(&view) {
				self.start(view);
			}
		}
		let demands = chain.demands_on(&provider).await?;
		self.answers.look(&context, demands);
		self.collect().await
	}

	/// Says for whom this worker works, and whether others can find it.
	async fn greet(&mut self, provider: &AccountId) -> Result<(), ChainError> {
		let Some(view) = self.context.chain.provider(provider).await? else { return Ok(()) };
		let registered = view.endpoint.trim_end_matches('/');
		match &self.endpoint {
			Some(own) if own != registered => self.say(format!(
				"works for {provider}, but auditors and buyers will look for it at {registered}, \
				 which is registered, not at {own}: run assay-worker register, or mend the \
				 configuration"
			)),
			_ => self.say(format!("works for {provider}, registered at {registered}")),
		}
		Ok(())
	}

	fn say(&mut self, what: String) {
		if self.said.as_ref() != Some(&what) {
			tracing::info!("{what}");
			self.said = Some(what);
		}
	}

	fn is_due(&mut self, view: &TaskView) -> bool {
		let stand = (view.status, view.attempts);
		match self.turns.get(&view.id) {
			Some(turn) if turn.stand == stand => {
				turn.next.is_some_and(|next| next <= Instant::now())
			}
			_ => {
				let turn = Turn { stand, failures: 0, next: None };
				self.turns.insert(view.id, turn);
				true
			}
		}
	}

	fn start(&mut self, view: TaskView) {
		let (context, id, span) = (self.context.clone(), view.id, tasks::span(&view));
		let step = async move { context.advance(view).await };
		let handle = self.steps.spawn(step.instrument(span));
		self.running.insert(handle.id(), id);
	}

	/// A step has ended: decides when the task may be looked at again.
	fn note(&mut self, step: Result<(Id, Outcome), JoinError>) {
		let (id, outcome) = match step {
			Ok(step) => step,
			Err(error) => {
				tracing::error!("a task's step broke down: {error}");
				(error.id(), Outcome::Failed)
			}
		};
		let Some(turn) = self.running.remove(&id).and_then(|task| self.turns.get_mut(&task)) else {
			return;
		};
		let times = &self.context.times;
		turn.next = match outcome {
			Outcome::Acted => Some(Instant::now() + times.settle),
			Outcome::Waits => None,
			Outcome::Failed => {
				turn.failures = turn.failures.saturating_add(1);
				Some(Instant::now() + pause(times, turn.failures))
			}
		};
	}

	fn failed(&mut self, why: String) {
		self.failures = self.failures.saturating_add(1);
		if self.failures == 1 {
			tracing::warn!("cannot look at the chain: {why}; will go on trying");
		} else {
			tracing::debug!("cannot look at the chain: {why}");
		}
	}

	/// When to look without news.
	fn wake(&self) -> Instant {
		let times = &self.context.times;
		let now = Instant::now();
		if self.failures > 0 {
			return now + pause(times, self.failures);
		}
		let turns = self.turns.values().filter_map(|turn| turn.next).filter(|next| *next > now);
		turns.min().map_or(now + times.poll, |next| next.min(now + times.poll))
	}

	async fn collect(&mut self) -> Result<(), StepError> {
		if Instant::now() < self.collect_at {
			return Ok(());
		}
		if let Some(removed) = tasks::collect(&self.context).await? {
			if removed.files > 0 {
				let assay_data::store::Removed { files, bytes } = removed;
				tracing::info!("removed {files} files, {bytes} bytes, that nothing needs any more");
			}
			self.collect_at = Instant::now() + self.context.times.collect;
		}
		Ok(())
	}

	/// Lets calls under way end, for a while.
	async fn finish(&mut self) {
		self.answers.finish(self.context.times.grace).await;
		if self.steps.is_empty() {
			return;
		}
		tracing::info!("stopping; {} tasks go on after the next start", self.steps.len());
		let all = async { while self.steps.join_next().await.is_some() {} };
		if timeout(self.context.times.grace, all).await.is_err() {
			self.steps.shutdown().await;
		}
	}
}

fn pause(times: &Times, failures: u32) -> Duration {
	let doublings = failures.saturating_sub(1).min(16);
	times.pause.saturating_mul(1 << doublings).min(times.longest_pause)
}
