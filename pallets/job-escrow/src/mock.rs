//! A runtime with stand-ins for the other pallets, each of which can be told what to answer.

use crate::{self as pallet_job_escrow, JobSpec, Params, Replication};
use assay_primitives::{
	market::{MachineClass, MachineId, MatchEnd, Quote, Requirements, Work},
	traits::{AuditSink, Audits, Cast, Lots, Programs, Supply, Terms, WorkLedger},
	work::{
		Assurance, AuditOutcome, Claim, Commitment, Costs, Custody, Delivery, Fault, FaultKind,
		Mode, Offence, Place, ProgramInfo, TaskId,
	},
	Balance, BlockNumber, Root, ASY,
};
use frame_support::{
	derive_impl, parameter_types,
	traits::{fungible::Mutate, tokens::Preservation, ConstU128, ConstU32, OnPoll},
	weights::{Weight, WeightMeter},
	PalletId,
};
use sp_runtime::{BuildStorage, DispatchError, DispatchResult, Permill, Perquintill};
use std::{cell::RefCell, collections::BTreeMap};

pub type AccountId = u64;

#[frame_support::runtime]
mod runtime {
	#[runtime::runtime]
	#[runtime::derive(
		RuntimeCall,
		RuntimeEvent,
		RuntimeError,
		RuntimeOrigin,
		RuntimeHoldReason,
		RuntimeFreezeReason,
		RuntimeTask
	)]
	pub struct Test;

	#[runtime::pallet_index(0)]
	pub type System = frame_system;
	#[runtime::pallet_index(1)]
	pub type Balances = pallet_balances;
	#[runtime::pallet_index(2)]
	pub type JobEscrow = pallet_job_escrow;
}

#[derive_impl(frame_system::config_preludes::TestDefaultConfig)]
impl frame_system::Config for Test {
	type Block = frame_system::mocking::MockBlockU32<Test>;
	type AccountId = AccountId;
	type Lookup = sp_runtime::traits::IdentityLookup<AccountId>;
	type AccountData = pallet_balances::AccountData<Balance>;
}

#[derive_impl(pallet_balances::config_preludes::TestDefaultConfig)]
impl pallet_balances::Config for Test {
	type Balance = Balance;
	type ExistentialDeposit = ConstU128<EXISTENTIAL>;
	type AccountStore = System;
	type RuntimeHoldReason = RuntimeHoldReason;
}

parameter_types! {
	pub const Pot: PalletId = PalletId(*b"asy/pots");
	pub const Treasury: AccountId = TREASURY;
}

impl crate::Config for Test {
	type RuntimeHoldReason = RuntimeHoldReason;
	type Currency = Balances;
	type Supply = World;
	type Programs = World;
	type Audits = World;
	type Lots = World;
	type Ledger = World;
	type Treasury = Treasury;
	type AdminOrigin = frame_system::EnsureRoot<AccountId>;
	type PalletId = Pot;
	type MaxTasks = ConstU32<100>;
	type MaxRefused = ConstU32<2>;
	type WeightInfo = ();
	#[cfg(feature = "runtime-benchmarks")]
	type Helper = World;
}

pub const EXISTENTIAL: Balance = ASY / 1_000;
pub const BUYER: AccountId = 1;
pub const OTHER: AccountId = 2;
pub const TREASURY: AccountId = 9;
/// Providers are 100, 101, …; their hot keys 200, 201, ….
pub const PROVIDER: AccountId = 100;
pub const HOT: AccountId = 200;
pub const AUDITOR: AccountId = 300;
/// Where the stand-in keeps what is staked.
pub const VAULT: AccountId = 400;
/// Collateral for each planck of price.
pub const STAKE_RATIO: Balance = 10;
/// Blocks from submission to the end of the window.
pub const WINDOW: BlockNumber = 10;
pub const PROGRAM: Root = Root::repeat_byte(7);
pub const TASKS_ROOT: Root = Root::repeat_byte(8);
pub const PRICE: Balance = 2 * ASY;
pub const FEE: Balance = ASY / 10;
pub const STAKE: Balance = 1_000 * ASY;

/// State of the stand-ins.
#[derive(Default, Clone)]
pub struct State {
	/// Ask of each provider's only machine; none if it takes no work.
	pub asks: BTreeMap<AccountId, Balance>,
	pub locked: BTreeMap<AccountId, Balance>,
	pub reserved: BTreeMap<AccountId, u32>,
	/// Tasks that a machine takes at once; nought is any number.
	pub slots: u32,
	pub ends: Vec<(AccountId, MatchEnd)>,
	pub program_users: i64,
	pub burned: Balance,
	pub destroyed: Balance,
	pub audits: Vec<(TaskId, Claim)>,
	/// Terms of the last result.
	pub terms: Option<Terms>,
	/// Whether lots fall; while it is not known, they are waited for.
	pub lot: Option<bool>,
	/// Rates at which lots were cast.
	pub rates: Vec<Perquintill>,
	/// Fee of each of three custodians.
	pub custody_fee: Balance,
	/// What custodians find, and nothing as long as it is not known; by default that they hold it.
	pub custodians_find: Option<Option<Delivery>>,
	/// Tasks that custodians are to look for.
	pub custodies: Vec<TaskId>,
	/// Open windows: the first block in which each is over.
	pub windows: BTreeMap<TaskId, BlockNumber>,
}

thread_local! {
	pub static STATE: RefCell<State> = RefCell::new(State::default());
}

pub fn state<R>(f: impl FnOnce(&mut State) -> R) -> R {
	STATE.with(|s| f(&mut s.borrow_mut()))
}

pub struct World;

impl Supply<AccountId> for World {
	fn provider_of(hot: &AccountId) -> Option<AccountId> {
		(200..300).contains(hot).then(|| hot - 100)
	}
	fn quote(
		provider: &AccountId,
		machine: MachineId,
		_: &Requirements,
		_: &Work,
	) -> Result<Quote<AccountId>, DispatchError> {
		let price = state(|s| s.asks.get(provider).copied()).ok_or("no ask")?;
		Ok(Quote { provider: *provider, machine, price, collateral: price * STAKE_RATIO })
	}
	fn best(
		_: &Requirements,
		_: &Work,
		max_price: Balance,
		refused: &[AccountId],
	) -> Option<Quote<AccountId>> {
		state(|s| {
			s.asks
				.iter()
				.filter(|(who, price)| **price <= max_price && !refused.contains(who))
				.filter(|(who, _)| {
					s.slots == 0 || s.reserved.get(who).copied().unwrap_or(0) < s.slots
				})
				.min_by_key(|(_, price)| **price)
				.map(|(who, price)| Quote {
					provider: *who,
					machine: 0,
					price: *price,
					collateral: *price * STAKE_RATIO,
				})
		})
	}
	fn best_weight(_: &Requirements) -> Weight {
		Self::most_weight()
	}
	fn most_weight() -> Weight {
		Weight::from_parts(1_000, 0)
	}
	fn reserve(provider: &AccountId, _: MachineId) -> DispatchResult {
		state(|s| *s.reserved.entry(*provider).or_default() += 1);
		Ok(())
	}
	fn lock(provider: &AccountId, collateral: Balance) -> DispatchResult {
		state(|s| {
			let locked = s.locked.entry(*provider).or_default();
			if *locked + collateral > STAKE {
				return Err("stake too small".into());
			}
			*locked += collateral;
			Ok(())
		})
	}
	fn forfeit(provider: &AccountId, collateral: Balance, to: &AccountId) -> Balance {
		state(|s| {
			let locked = s.locked.get_mut(provider).unwrap();
			let amount = collateral.min(*locked);
			*locked -= amount;
			// The stand-in keeps its providers' stakes on one account.
			Balances::transfer(&VAULT, to, amount, Preservation::Preserve).unwrap();
			amount
		})
	}
	fn release(provider: &AccountId, _: MachineId, collateral: Balance, end: MatchEnd) {
		state(|s| {
			*s.reserved.get_mut(provider).unwrap() -= 1;
			*s.locked.entry(*provider).or_default() -= collateral;
			s.ends.push((*provider, end));
		})
	}
}

impl Programs for World {
	fn info(program: &Root) -> Option<ProgramInfo> {
		(*program == PROGRAM).then_some(ProgramInfo {
			costs: Costs::default(),
			nodes: 2,
			inputs: 1,
			bytes: 10,
			output_bytes: 64,
		})
	}
	fn hold(_: &Root) -> DispatchResult {
		state(|s| s.program_users += 1);
		Ok(())
	}
	fn unhold(_: &Root) {
		state(|s| s.program_users -= 1);
	}
	fn verify_inputs(root: &Root, _: u32, index: u32, inputs: &[Root], _: &[Root]) -> bool {
		*root == TASKS_ROOT && inputs == [input(index)]
	}
	fn verify_inputs_weight(_: u32, _: u32) -> Weight {
		Weight::from_parts(1_000, 0)
	}
}

impl Audits for World {
	fn fee(_: &Costs, assurance: &Assurance, _: Balance) -> Result<Balance, DispatchError> {
		match assurance {
			Assurance::Optimistic | Assurance::Replicated { .. } => Ok(0),
			Assurance::Audited { auditors: auditors @ 1..=3, .. } => {
				Ok(FEE * Balance::from(*auditors))
			}
			_ => Err("no such assurance".into()),
		}
	}
	fn least_stake_percent(_: &Assurance) -> Option<u32> {
		Some(250)
	}
	fn open(task: TaskId, claim: Claim, terms: &Terms) -> Result<bool, DispatchError> {
		state(|s| {
			s.audits.push((task, claim));
			s.terms = Some(*terms);
			s.windows.insert(task, System::block_number() + WINDOW);
		});
		Ok(matches!(terms.assurance, Assurance::Audited { .. }))
	}
	fn open_until(task: TaskId) -> Option<BlockNumber> {
		let closes_at = state(|s| s.windows.get(&task).copied())?;
		(System::block_number() < closes_at).then_some(closes_at)
	}
	fn custody(_: &ProgramInfo) -> Result<Custody, DispatchError> {
		Ok(Custody { custodians: 3, fee: state(|s| s.custody_fee) })
	}
	fn deliver(task: TaskId, custodians: u8) -> DispatchResult {
		assert_eq!(custodians, 3);
		state(|s| {
			assert!(s.windows.contains_key(&task), "custody of a result that stands");
			s.custodies.push(task);
		});
		Ok(())
	}
	fn deliver_weight() -> Weight {
		Weight::from_parts(1_000, 0)
	}
	fn close(task: TaskId) {
		state(|s| s.windows.remove(&task)).expect("closed once, and only if open");
	}
	fn close_weight() -> Weight {
		Weight::from_parts(1_000, 0)
	}
}

impl Lots for World {
	type Lot = BlockNumber;
	fn begin() -> BlockNumber {
		System::block_number()
	}
	fn cast(since: &mut BlockNumber, _: TaskId, rate: Perquintill) -> Cast {
		let now = System::block_number();
		assert!(*since <= now);
		match state(|s| s.lot) {
			Some(falls) if now > *since => {
				state(|s| s.rates.push(rate));
				Cast::Fell(falls)
			}
			_ => Cast::Wait(now + 1),
		}
	}
	fn cast_weight() -> Weight {
		Weight::from_parts(1_000, 0)
	}
}

impl WorkLedger<AccountId> for World {
	fn burned(_: &AccountId, amount: Balance) {
		state(|s| s.burned += amount);
	}
	fn destroyed(amount: Balance) {
		state(|s| s.destroyed += amount);
	}
}

#[cfg(feature = "runtime-benchmarks")]
impl crate::BenchmarkHelper<AccountId> for World {
	fn subject() -> crate::Subject {
		crate::Subject {
			program: PROGRAM,
			inputs: vec![input(0)].try_into().unwrap(),
			tasks_root: TASKS_ROOT,
			auditors: 3,
		}
	}
	fn provider(n: u32, price: Balance) -> (AccountId, AccountId) {
		let n = AccountId::from(n);
		Balances::set_balance(&(PROVIDER + n), ASY);
		state(|s| s.asks.insert(PROVIDER + n, price));
		(PROVIDER + n, HOT + n)
	}
	fn exhaust(_: &AccountId) {}
}

/// The input root of task `index`.
pub fn input(index: u32) -> Root {
	Root::from_low_u64_be(index as u64 + 1)
}

pub fn params() -> Params {
	Params {
		offer_window: 5,
		match_interval: 3,
		min_deadline: 2,
		max_deadline: 100,
		max_lifetime: 1_000,
		retention: 20,
		runs: 2,
		fee: Permill::from_percent(5),
		burned: Permill::from_percent(60),
		undelivered: Permill::from_percent(4),
		replication: Replication {
			seek_window: 30,
			opening_window: 8,
			floor: Permill::from_percent(5),
			slash: Permill::from_percent(5),
		},
	}
}

pub fn spec(tasks: u32) -> JobSpec<AccountId> {
	JobSpec {
		program: PROGRAM,
		tasks_root: TASKS_ROOT,
		tasks,
		data_url: b"http://buyer.example:9000".to_vec().try_into().unwrap(),
		requirements: Requirements { class: MachineClass::Cpu, min_memory_mib: 0, region: None },
		mode: Mode::BestAsk,
		assurance: Assurance::every_task(1),
		max_price: 3 * ASY,
		value: 0,
		deadline: 10,
		lifetime: 200,
	}
}

pub fn commitment() -> Commitment {
	Commitment { output_root: Root::repeat_byte(1), trace_root: Some(Root::repeat_byte(2)) }
}

pub const OFFENCE: Offence =
	Offence::Wrong(Fault { place: Place { node: 3, row: 1, col: 4 }, kind: FaultKind::Element });

/// A fresh chain.
pub fn new_test_ext() -> sp_io::TestExternalities {
	STATE.with(|s| *s.borrow_mut() = State::default());
	let mut storage = frame_system::GenesisConfig::<Test>::default().build_storage().unwrap();
	pallet_balances::GenesisConfig::<Test> {
		balances: vec![
			(BUYER, 10_000 * ASY),
			(OTHER, 100 * ASY),
			(TREASURY, ASY),
			(AUDITOR, ASY),
			(AUDITOR + 1, ASY),
			(VAULT, STAKE),
		],
		..Default::default()
	}
	.assimilate_storage(&mut storage)
	.unwrap();
	crate::GenesisConfig::<Test> { params: params(), ..Default::default() }
		.assimilate_storage(&mut storage)
		.unwrap();
	let mut ext = sp_io::TestExternalities::from(storage);
	ext.execute_with(|| System::set_block_number(1));
	ext
}

/// Runs `test` on a fresh chain, then checks all invariants and the sum of all money.
pub fn build_and_execute(test: impl FnOnce()) {
	new_test_ext().execute_with(|| {
		let genesis = Balances::total_issuance();
		state(|s| {
			s.asks.insert(PROVIDER, PRICE);
		});
		test();
		JobEscrow::do_try_state().unwrap();
		assert_eq!(
			Balances::total_issuance() + state(|s| s.burned + s.destroyed),
			genesis,
			"issuance is genesis less what was burned"
		);
	});
}

/// Lets `blocks` pass, running the agenda in each and checking the invariants.
pub fn pass(blocks: u32) {
	for _ in 0..blocks {
		System::set_block_number(System::block_number() + 1);
		JobEscrow::on_poll(System::block_number(), &mut WeightMeter::new());
		custodians_report();
		JobEscrow::do_try_state().unwrap();
	}
}

/// Custodians that are drawn say what they find, if that is known.
fn custodians_report() {
	let Some(found) = state(|s| s.custodians_find).unwrap_or(Some(Delivery::Held)) else { return };
	for task in state(|s| std::mem::take(&mut s.custodies)) {
		match found {
			// Then others look, and come to an end.
			Delivery::Doubted => {
				deliver_of(task, Delivery::Doubted);
				deliver_of(task, Delivery::Undelivered);
			}
			found => deliver_of(task, found),
		}
	}
}

/// Custodians say what they find of a task.
pub fn deliver(index: u32, found: Delivery) {
	deliver_of(TaskId { job: 0, index }, found);
}

fn deliver_of(task: TaskId, found: Delivery) {
	if !JobEscrow::delivered(task, found, vec![AUDITOR, AUDITOR + 1]) {
		state(|s| s.windows.remove(&task));
	}
}

pub fn conclude(index: u32, outcome: AuditOutcome, attesters: Vec<AccountId>) {
	let task = TaskId { job: 0, index };
	if !matches!(outcome, AuditOutcome::Passed | AuditOutcome::Spared) {
		state(|s| s.windows.remove(&task));
	}
	JobEscrow::concluded(task, outcome, attesters);
}

/// Convicts whoever works on a task; returns what is set aside for the challenger.
pub fn convict(index: u32, challenged: bool) -> Balance {
	let task = TaskId { job: 0, index };
	state(|s| s.windows.remove(&task));
	JobEscrow::convicted(task, OFFENCE, challenged)
}
