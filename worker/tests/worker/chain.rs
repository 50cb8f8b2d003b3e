//! A chain in memory that keeps the pallets' rules as far as a worker meets them.

use assay_client::DispatchError;
use assay_compute::verify_task;
use assay_primitives::{
	demand::DemandView,
	market::{MachineClass, Requirements},
	replication::seal,
	views::{JobView, MachineView, MatchView, ProviderView, TaskView},
	work::{Assurance, JobId, Reason, TaskId, TaskStatus},
	AccountId, Balance, BlockNumber, Root, ASY,
};
use assay_worker::chain::{Call, Chain, ChainError};
use std::{
	collections::{BTreeMap, BTreeSet},
	sync::{Arc, Mutex, MutexGuard},
	time::Duration,
};
use tokio::sync::watch;

pub const DEADLINE: BlockNumber = 100;
pub const BLOCK_TIME: Duration = Duration::from_secs(1);

pub fn provider() -> AccountId {
	AccountId::new([1; 32])
}

pub fn hot_key() -> AccountId {
	AccountId::new([2; 32])
}

#[derive(Default)]
pub struct State {
	pub providers: BTreeMap<AccountId, ProviderView>,
	pub balances: BTreeMap<AccountId, Balance>,
	pub jobs: BTreeMap<JobId, JobView>,
	pub tasks: BTreeMap<TaskId, TaskView>,
	/// Calls that succeeded.
	pub calls: Vec<Call>,
	/// Calls that failed.
	pub failed: Vec<(Call, String)>,
	/// No node answers.
	pub down: bool,
	/// Calls succeed, but the answer never arrives.
	pub mute: bool,
	/// What the provider's tasks are shown as, instead of what they are.
	pub shown: Option<Vec<TaskView>>,
	/// Demands that wait for an answer.
	pub demands: Vec<DemandView>,
	/// What an accept fails with.
	pub refuse_accept: Option<&'static str>,
	/// The assurance of jobs that are posted, if not audits.
	pub assurance: Option<Assurance>,
	/// What is sealed.
	pub seals: BTreeMap<TaskId, Root>,
}

/// Clones are one chain, seen by the account they sign as.
#[derive(Clone)]
pub struct FakeChain {
	state: Arc<Mutex<State>>,
	heights: Arc<watch::Sender<BlockNumber>>,
	account: AccountId,
}

impl FakeChain {
	/// Without providers.
	pub fn empty() -> Self {
		let heights = Arc::new(watch::channel(10).0);
		Self { state: Arc::default(), heights, account: hot_key() }
	}

	/// With one provider.
	pub fn new() -> Self {
		let chain = Self::empty();
		chain.state().providers.insert(provider(), provider_view());
		chain
	}

	pub fn signing_as(&self, account: AccountId) -> Self {
		Self { account, ..self.clone() }
	}

	pub fn state(&self) -> MutexGuard<'_, State> {
		self.state.lock().unwrap()
	}

	pub fn tick(&self) -> BlockNumber {
		self.heights.send_modify(|height| *height += 1);
		*self.heights.borrow()
	}

	/// Offers every task of a job to the provider.
	pub fn post(&self, program: Root, tasks_root: Root, tasks: u32, data_url: &str) -> Vec<TaskId> {
		let height = self.tick();
		let mut state = self.state();
		let id = state.jobs.len() as JobId + 1;
		let assurance = state.assurance.unwrap_or(Assurance::every_task(1));
		state.jobs.insert(
			id,
			JobView {
				id,
				owner: AccountId::new([3; 32]),
				program,
				tasks_root,
				tasks,
				data_url: data_url.into(),
				requirements: Requirements {
					class: MachineClass::Cpu,
					min_memory_mib: 0,
					region: None,
				},
				assurance,
				max_price: ASY,
				audit_fee: 0,
				custody: Default::default(),
				value: 0,
				deadline: DEADLINE,
				posted_at: height,
				expires_at: height + 1_000,
				closed_at: None,
				money: Default::default(),
				counts: Default::default(),
			},
		);
		let slots = tasks * assurance.slots();
		let ids: Vec<TaskId> = (0..slots).map(|index| TaskId { job: id, index }).collect();
		for id in &ids {
			let view = TaskView {
				id: *id,
				status: TaskStatus::Offered { until: height + 50 },
				attempts: 0,
				matched: Some(MatchView {
					provider: provider(),
					machine: 0,
					price: ASY,
					endpoint: "http://127.0.0.1:1".into(),
				}),
				inputs: Vec::new(),
				commitment: None,
				delivered: false,
				held: ASY,
			};
			state.tasks.insert(*id, view);
		}
		drop(state);
		self.tick();
		ids
	}

	pub fn view(&self, task: TaskId) -> TaskView {
		self.state().tasks[&task].clone()
	}

	pub fn status(&self, task: TaskId) -> TaskStatus {
		self.view(task).status
	}

	pub fn set_status(&self, task: TaskId, status: TaskStatus) {
		self.state().tasks.get_mut(&task).unwrap().status = status;
		self.tick();
	}

	/// How many of its calls of a kind succeeded.
	pub fn count(&self, kind: fn(&Call) -> bool) -> usize {
		self.state().calls.iter().filter(|call| kind(call)).count()
	}

	fn check_up(&self) -> Result<(), ChainError> {
		match self.state().down {
			true => Err(unreachable()),
			false => Ok(()),
		}
	}

	fn apply(&self, call: &Call) -> Result<(), String> {
		let height = *self.heights.borrow();
		let state = &mut *self.state();
		let hot = state.providers.values().any(|provider| provider.hot_key == self.account);
		match call {
			Call::Accept { task, inputs, path } => {
				let view = own(state, hot, *task)?;
				let TaskStatus::Offered { until } = view.status else {
					return Err("WrongState".into());
				};
				if height > until {
					return Err("OfferLapsed".into());
				}
				let job = &state.jobs[&task.job];
				let inputs: Vec<_> = inputs.iter().map(|root| root.0).collect();
				let path: Vec<_> = path.iter().map(|root| root.0).collect();
				let root = &job.tasks_root.0;
				let (index, _) = job.assurance.place(task.index);
				if !verify_task(root, job.tasks, index, &inputs, &path) {
					return Err("WrongInputs".into());
				}
				if let Some(refusal) = state.refuse_accept {
					return Err(refusal.into());
				}
				let view = state.tasks.get_mut(task).unwrap();
				view.inputs = inputs.iter().map(|root| root.into()).collect();
				view.status = TaskStatus::Running { due: height + DEADLINE };
			}
			Call::Decline { task } => {
				let view = own(state, hot, *task)?;
				if !matches!(view.status, TaskStatus::Offered { .. }) {
					return Err("WrongState".into());
				}
				end(state, *task, Reason::Declined, height);
			}
			Call::Submit { task, commitment } => {
				let view = own(state, hot, *task)?;
				if state.jobs[&task.job].assurance.slots() > 1 {
					return Err("MustBeSealed".into());
				}
				match view.status {
					TaskStatus::Running { due } if height <= due => {}
					TaskStatus::Running { .. } => return Err("DeadlinePassed".into()),
					_ => return Err("WrongState".into()),
				}
				let view = state.tasks.get_mut(task).unwrap();
				view.commitment = Some(*commitment);
				view.status = TaskStatus::Auditing { submitted_at: height };
			}
			Call::Seal { task, seal } => {
				let view = own(state, hot, *task)?;
				match view.status {
					TaskStatus::Running { due } if height <= due => {}
					TaskStatus::Running { .. } => return Err("DeadlinePassed".into()),
					_ => return Err("WrongState".into()),
				}
				state.seals.insert(*task, *seal);
				state.tasks.get_mut(task).unwrap().status = TaskStatus::Sealed { at: height };
			}
			Call::Open { task, outcome, salt } => {
				let view = own(state, hot, *task)?;
				match view.status {
					TaskStatus::Opening { until } if height <= until => {}
					TaskStatus::Opening { .. } => return Err("DeadlinePassed".into()),
					_ => return Err("WrongState".into()),
				}
				if view.commitment.is_some() {
					return Err("AlreadyOpened".into());
				}
				if seal(&provider(), *task, outcome, salt) != state.seals[task] {
					return Err("WrongSeal".into());
				}
				let view = state.tasks.get_mut(task).unwrap();
				view.commitment = Some(outcome.commitment);
			}
			Call::Abandon { task } => {
				own(state, hot, *task)?;
				end(state, *task, Reason::Abandoned, height);
			}
			Call::Answer { task, by, .. } => {
				let open = state.demands.len();
				state.demands.retain(|demand| demand.task != *task || demand.by != *by);
				if state.demands.len() == open {
					return Err("NoDemand".into());
				}
			}
			Call::Register { hot_key, stake, profile } => {
				if state.providers.contains_key(&self.account) {
					return Err("AlreadyRegistered".into());
				}
				let view = ProviderView {
					account: self.account.clone(),
					hot_key: hot_key.clone(),
					name: profile.name.clone(),
					endpoint: profile.endpoint.clone(),
					region: profile.region,
					stake: *stake,
					machines: Vec::new(),
					..provider_view()
				};
				state.providers.insert(self.account.clone(), view);
			}
			other => {
				let own = state.providers.get_mut(&self.account).ok_or("NotRegistered")?;
				match other.clone() {
					Call::SetProfile(profile) => {
						own.name = profile.name;
						own.endpoint = profile.endpoint;
						own.region = profile.region;
					}
					Call::SetHotKey(hot_key) => own.hot_key = hot_key,
					Call::BondExtra(amount) => own.stake += amount,
					Call::AddMachine(spec) => own.machines.push(MachineView {
						id: own.machines.len() as u32,
						class: spec.class,
						model: spec.model,
						memory_mib: spec.memory_mib,
						ask: None,
						busy: 0,
					}),
					Call::SetAsk(machine, ask) => {
						let machine = own.machines.get_mut(machine as usize);
						machine.ok_or("UnknownMachine")?.ask = Some(ask);
					}
					Call::Transfer(to, amount) => *state.balances.entry(to).or_default() += amount,
					// The arms of the match around this one take every other call.
					_ => unreachable!("handled above"),
				}
			}
		}
		Ok(())
	}
}

fn own(state: &State, hot: bool, task: TaskId) -> Result<&TaskView, String> {
	if !hot {
		return Err("NotHotKey".into());
	}
	let view = state.tasks.get(&task).ok_or("UnknownTask")?;
	match &view.matched {
		Some(matched) if matched.provider == provider() => Ok(view),
		_ => Err("NotYours".into()),
	}
}

fn end(state: &mut State, task: TaskId, reason: Reason, at: BlockNumber) {
	let view = state.tasks.get_mut(&task).unwrap();
	view.matched = None;
	view.status = TaskStatus::Refunded { at, reason };
}

fn provider_view() -> ProviderView {
	ProviderView {
		account: provider(),
		hot_key: hot_key(),
		name: "tests".into(),
		endpoint: "http://127.0.0.1:1".into(),
		region: None,
		stake: 1_000 * ASY,
		locked: 0,
		unbonding: 0,
		settled: 0,
		missed: 0,
		failed: 0,
		registered_at: 1,
		machines: Vec::new(),
	}
}

fn unreachable() -> ChainError {
	ChainError::Unreachable { url: "ws://nowhere".into(), reason: "it is down".into() }
}

fn is_live(view: &TaskView) -> bool {
	!matches!(
		view.status,
		TaskStatus::Open | TaskStatus::Settled { .. } | TaskStatus::Refunded { .. }
	)
}

impl Chain for FakeChain {
	fn account(&self) -> AccountId {
		self.account.clone()
	}

	fn heights(&self) -> watch::Receiver<BlockNumber> {
		self.heights.subscribe()
	}

	fn block_time(&self) -> Duration {
		BLOCK_TIME
	}

	async fn provider_of(&self, hot_key: &AccountId) -> Result<Option<AccountId>, ChainError> {
		self.check_up()?;
		let state = self.state();
		let found = state.providers.values().find(|provider| provider.hot_key == *hot_key);
		Ok(found.map(|provider| provider.account.clone()))
	}

	async fn provider(&self, account: &AccountId) -> Result<Option<ProviderView>, ChainError> {
		self.check_up()?;
		Ok(self.state().providers.get(account).cloned())
	}

	async fn tasks_of(&self, provider: &AccountId) -> Result<Vec<TaskView>, ChainError> {
		self.check_up()?;
		let state = self.state();
		if let Some(shown) = &state.shown {
			return Ok(shown.clone());
		}
		let matched = |view: &&TaskView| {
			view.matched.as_ref().is_some_and(|matched| matched.provider == *provider)
		};
		Ok(state.tasks.values().filter(matched).filter(|view| is_live(view)).cloned().collect())
	}

	async fn demands_on(&self, _: &AccountId) -> Result<Vec<DemandView>, ChainError> {
		self.check_up()?;
		Ok(self.state().demands.clone())
	}

	async fn task(&self, id: TaskId) -> Result<Option<TaskView>, ChainError> {
		self.check_up()?;
		Ok(self.state().tasks.get(&id).cloned())
	}

	async fn job(&self, id: JobId) -> Result<Option<JobView>, ChainError> {
		self.check_up()?;
		Ok(self.state().jobs.get(&id).cloned())
	}

	async fn balance(&self, account: &AccountId) -> Result<Balance, ChainError> {
		self.check_up()?;
		Ok(self.state().balances.get(account).copied().unwrap_or(0))
	}

	async fn send(&self, call: Call) -> Result<(), ChainError> {
		self.check_up()?;
		tokio::task::yield_now().await;
		let result = self.apply(&call);
		match result {
			Ok(()) => {
				self.state().calls.push(call);
				self.tick();
				if self.state().mute {
					std::future::pending::<()>().await;
				}
				Ok(())
			}
			Err(name) => {
				self.state().failed.push((call, name.clone()));
				self.tick();
				Err(ChainError::Dispatch(DispatchError::Module {
					pallet: "JobEscrow".into(),
					name,
					docs: String::new(),
				}))
			}
		}
	}
}

/// All roots of tensors that files are named after.
pub fn stored(dir: &std::path::Path) -> BTreeSet<String> {
	let names = std::fs::read_dir(dir.join("store").join("tensors")).unwrap();
	names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}
