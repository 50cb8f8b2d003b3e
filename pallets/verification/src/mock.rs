//! A small chain for tests: blocks with authors and outputs chosen by the test, transactions through
//! the true pipeline.

use crate as pallet_verification;
use crate::*;
use assay_compute::{
	audit::{self as audits, MemorySource},
	execute, Dtype, Node, Tensor, Trace,
};
use assay_primitives::{
	auditor::{app, seal, AuditorId, Salt, SeatId},
	traits::{self, Audits as _, BlockEntropy, Programs as _, TaskParties, Terms},
	work::{Assurance, AuditOutcome, Claim, Commitment, Delivery, Offence, Place, TaskId, Verdict},
	Balance, BlockNumber, Root, ASY,
};
use codec::Encode;
use frame_support::{
	derive_impl,
	dispatch::GetDispatchInfo,
	parameter_types,
	traits::{ConstU128, ConstU32, OnFinalize, OnInitialize, OnPoll, OneSessionHandler},
	weights::{Weight, WeightMeter},
};
use sp_core::Pair;
use sp_io::hashing::blake2_256;
use sp_runtime::{
	generic,
	testing::UintAuthorityId,
	traits::{Applyable, BlakeTwo256, Checkable},
	transaction_validity::{TransactionSource, TransactionValidityError, ValidTransaction},
	BuildStorage,
};

pub type AccountId = u64;
pub type Extension = frame_system::AuthorizeCall<Test>;
pub type Extrinsic =
	generic::UncheckedExtrinsic<AccountId, RuntimeCall, UintAuthorityId, Extension>;
pub type Block = generic::Block<generic::Header<u32, BlakeTwo256>, Extrinsic>;

#[frame_support::runtime]
mod runtime {
	#[runtime::runtime]
	#[runtime::derive(
		RuntimeCall,
		RuntimeEvent,
		RuntimeError,
		RuntimeOrigin,
		RuntimeFreezeReason,
		RuntimeHoldReason,
		RuntimeSlashReason,
		RuntimeLockId,
		RuntimeTask
	)]
	pub struct Test;

	#[runtime::pallet_index(0)]
	pub type System = frame_system::Pallet<Test>;
	#[runtime::pallet_index(1)]
	pub type Balances = pallet_balances::Pallet<Test>;
	#[runtime::pallet_index(2)]
	pub type Verification = pallet_verification::Pallet<Test>;
}

#[derive_impl(frame_system::config_preludes::TestDefaultConfig)]
impl frame_system::Config for Test {
	type Block = Block;
	type AccountData = pallet_balances::AccountData<Balance>;
}

#[derive_impl(pallet_balances::config_preludes::TestDefaultConfig)]
impl pallet_balances::Config for Test {
	type Balance = Balance;
	type AccountStore = System;
	type ExistentialDeposit = ConstU128<1>;
}

parameter_types! {
	/// Author of block n is the entry n modulo the length; a block of `None` has no output.
	pub static BlockAuthors: Vec<Option<u64>> = vec![Some(1), Some(2), Some(3), Some(4)];
	/// What the sink was told of audits.
	pub static Concluded: Vec<(TaskId, AuditOutcome, Vec<AccountId>)> = vec![];
	/// What the sink was told of custody.
	pub static Delivered: Vec<(TaskId, Delivery, Vec<AccountId>)> = vec![];
	/// Whether the buyer has acknowledged what custodians look for.
	pub static Acknowledged: bool = false;
	/// What the sink was told of convictions, and whether somebody is to be rewarded.
	pub static Convicted: Vec<(TaskId, Offence, bool)> = vec![];
	/// Whom the sink was told to reward.
	pub static Rewarded: Vec<(AccountId, Balance)> = vec![];
	/// Burned of bonds.
	pub static Destroyed: Balance = 0;
	/// Endpoint of every task.
	pub static Endpoint: Option<Vec<u8>> = Some(b"http://worker.example:8080".to_vec());
}

pub struct MockEntropy;
impl BlockEntropy for MockEntropy {
	fn current() -> Option<(Root, Root)> {
		let block = System::block_number();
		let authors = BlockAuthors::get();
		let author = authors[block as usize % authors.len()]?;
		Some((Root::from_low_u64_be(author), output(author, block)))
	}
}

#[cfg(feature = "runtime-benchmarks")]
impl crate::BenchmarkHelper for MockEntropy {
	fn give_output() {}
}

/// The VRF output of an author in a block.
pub fn output(author: u64, block: BlockNumber) -> Root {
	Root::from(blake2_256(&(b"vrf", author, block).encode()))
}

pub struct MockSink;
impl traits::AuditSink<AccountId> for MockSink {
	fn concluded(task: TaskId, outcome: AuditOutcome, attesters: Vec<AccountId>) {
		Concluded::mutate(|c| c.push((task, outcome, attesters)));
	}
	fn concluded_weight(attesters: u32) -> Weight {
		Weight::from_parts(1_000_000, 0).saturating_mul(attesters.into())
	}
	fn delivered(task: TaskId, found: Delivery, custodians: Vec<AccountId>) -> bool {
		Delivered::mutate(|d| d.push((task, found, custodians)));
		matches!(found, Delivery::Held | Delivery::Doubted) || Acknowledged::get()
	}
	fn delivered_weight(custodians: u32) -> Weight {
		Weight::from_parts(1_000_000, 0).saturating_mul(custodians.into())
	}
	fn convicted(task: TaskId, offence: Offence, challenged: bool) -> Balance {
		Convicted::mutate(|c| c.push((task, offence, challenged)));
		if challenged {
			REWARD
		} else {
			0
		}
	}
	fn convicted_weight() -> Weight {
		Weight::from_parts(1_000_000, 0)
	}
	fn reward(challenger: &AccountId, amount: Balance) {
		Rewarded::mutate(|r| r.push((*challenger, amount)));
	}
	fn reward_weight() -> Weight {
		Weight::from_parts(1_000_000, 0)
	}
}

/// What the sink sets aside for a challenger.
pub const REWARD: Balance = 5 * ASY;

pub struct MockLedger;
impl traits::WorkLedger<AccountId> for MockLedger {
	fn burned(_: &AccountId, _: Balance) {}
	fn destroyed(amount: Balance) {
		Destroyed::mutate(|d| *d += amount);
	}
}

/// Whose work the tasks of jobs below [`JOBS_EACH`] are; the next one's are as many that follow.
pub const PROVIDER: AccountId = 77;
pub const JOBS_EACH: u64 = 1_000;

pub struct MockEndpoints;
impl TaskParties<AccountId> for MockEndpoints {
	fn parties(task: TaskId) -> Option<traits::Parties<AccountId>> {
		let provider = PROVIDER + task.job / JOBS_EACH;
		Endpoint::get().map(|url| traits::Parties {
			provider,
			hot: HOT,
			url,
			buyer: BUYER,
			buyer_url: b"http://buyer.example".to_vec(),
		})
	}
}

impl pallet_verification::Config for Test {
	type Currency = Balances;
	type RuntimeHoldReason = RuntimeHoldReason;
	type Entropy = MockEntropy;
	type Sink = MockSink;
	type Ledger = MockLedger;
	type Endpoints = MockEndpoints;
	type MaxAuditors = ConstU32<1_000>;
	type EntropyKept = ConstU32<64>;
	type WeightInfo = ();
	#[cfg(feature = "runtime-benchmarks")]
	type Helper = MockEntropy;
}

impl frame_system::offchain::CreateTransactionBase<pallet_verification::Call<Test>> for Test {
	type Extrinsic = Extrinsic;
	type RuntimeCall = RuntimeCall;
}

impl frame_system::offchain::CreateTransaction<pallet_verification::Call<Test>> for Test {
	type Extension = Extension;
	fn create_transaction(call: RuntimeCall, extension: Extension) -> Extrinsic {
		Extrinsic::new_transaction(call, extension)
	}
}

impl frame_system::offchain::CreateAuthorizedTransaction<pallet_verification::Call<Test>> for Test {
	fn create_extension() -> Extension {
		Extension::new()
	}
}

pub const OWNER: AccountId = 1_000;
pub const POOR: AccountId = 1_001;
pub const REPORTER: AccountId = 1_002;
pub const OTHER: AccountId = 1_003;
/// The worker's key.
pub const HOT: AccountId = 1_005;
pub const BUYER: AccountId = 1_006;
/// Owner of the program that claims are about.
pub const FOUNDER: AccountId = 1_004;
/// At risk in each seat.
pub const DEPOSIT: Balance = ASY;
/// Bond of a report.
pub const BOND: Balance = 10 * ASY;
/// Where each of the auditors 1 to 60 keeps outputs.
pub const KEPT_AT: &[u8] = b"http://custodian.example";
/// Bond of each of the auditors 1 to 60.
pub const AUDITOR_BOND: Balance = 100 * ASY;

pub fn params() -> Params {
	Params {
		program_deposit_base: 1_000,
		program_deposit_per_byte: 10,
		inclusion_depth: 2,
		distinct_authors: 3,
		draw_timeout: 40,
		audit_window: 10,
		max_rounds: 4,
		fee_base: 100,
		fee_per_gmac: 10,
		fee_per_mib_trace: 1,
		max_audit_macs: 1_000_000_000_000,
		max_audit_trace_bytes: 1 << 30,
		auditor_deposit: DEPOSIT,
		custodians: 3,
		custody_base: 50,
		custody_per_mib: 7,
		max_output_bytes: 1 << 20,
		custody_period: 100,
		opening_window: 4,
		challenge_window: 60,
		report_bond: BOND,
		report_delay: 2,
		report_window: 8,
		report_grace: 5,
		max_moves: 3,
		demand_window: 20,
		demand_base: ASY,
		demand_per_byte: 1_000,
	}
}

pub fn new_test_ext() -> sp_io::TestExternalities {
	BlockAuthors::set(vec![Some(1), Some(2), Some(3), Some(4)]);
	Concluded::set(vec![]);
	Delivered::set(vec![]);
	Acknowledged::set(false);
	Convicted::set(vec![]);
	Rewarded::set(vec![]);
	Destroyed::set(0);
	Endpoint::set(Some(b"http://worker.example:8080".to_vec()));
	let mut ext: sp_io::TestExternalities = RuntimeGenesisConfig {
		balances: pallet_balances::GenesisConfig {
			balances: [
				(OWNER, 1_000 * ASY),
				(POOR, 10),
				(REPORTER, 100 * ASY),
				(OTHER, 100 * ASY),
				(FOUNDER, ASY),
				(HOT, ASY),
				(BUYER, 100 * ASY),
			]
			.into_iter()
			.chain((1..=60).map(|auditor| (auditor, AUDITOR_BOND + 1)))
			.collect(),
			..Default::default()
		},
		verification: pallet_verification::GenesisConfig {
			params: params(),
			bonds: (1..=60).map(|auditor| (auditor, AUDITOR_BOND)).collect(),
		},
		..Default::default()
	}
	.build_storage()
	.unwrap()
	.into();
	ext.execute_with(|| {
		// Something to be bound to: a hash of genesis.
		frame_system::BlockHash::<Test>::insert(0, Root::repeat_byte(0x6e));
		System::set_block_number(1);
		for auditor in 1..=60 {
			let url = KEPT_AT.to_vec().try_into().unwrap();
			Custodians::<Test>::insert(auditor, Custodian { url, at: 1 });
		}
		set_auditors(1..=9);
		// Every claim of the tests is about this program.
		let program = register_as(FOUNDER, 1);
		// As a job that names it does.
		assert_eq!(Verification::hold(&program), Ok(()));
	});
	ext
}

/// Runs a test in a fresh chain and checks the invariants and the sum of all money after it.
pub fn test(run: impl FnOnce()) {
	new_test_ext().execute_with(|| {
		let genesis = Balances::total_issuance();
		run();
		Verification::do_try_state().expect("the state holds together");
		assert_eq!(Balances::total_issuance() + Destroyed::get(), genesis);
	})
}

/// The key pair of an auditor.
pub fn pair(account: AccountId) -> app::Pair {
	app::Pair::from_string(&format!("//Auditor//{account}"), None).expect("a static path")
}

/// The session key of an auditor.
pub fn key(account: AccountId) -> AuditorId {
	pair(account).public()
}

/// Begins a session with these auditors.
pub fn set_auditors(accounts: impl IntoIterator<Item = AccountId>) {
	let set = accounts.into_iter().map(|a| (a, key(a))).collect::<Vec<_>>();
	let iter = || set.iter().map(|(a, k)| (a, k.clone())).collect::<Vec<_>>().into_iter();
	<Verification as OneSessionHandler<AccountId>>::on_new_session(true, iter(), iter());
}

pub fn now() -> BlockNumber {
	System::block_number()
}

/// Ends the current block and begins the next, with `weight` for what is not mandatory.
pub fn next_block_with(weight: Weight) {
	let n = now();
	AllPalletsWithSystem::on_finalize(n);
	System::set_block_number(n + 1);
	AllPalletsWithSystem::on_initialize(n + 1);
	AllPalletsWithSystem::on_poll(n + 1, &mut WeightMeter::with_limit(weight));
}

pub fn next_block() {
	next_block_with(Weight::MAX);
}

pub fn run_to(n: BlockNumber) {
	while now() < n {
		next_block();
	}
}

pub fn run(blocks: BlockNumber) {
	run_to(now() + blocks);
}

pub fn task(job: u64) -> TaskId {
	TaskId { job, index: 0 }
}

/// The trace of [`program`] on one row of ones.
pub fn trace() -> Trace {
	let input = Tensor::new(assay_compute::Shape::new(Dtype::I8, 1, 4), vec![1; 4]).unwrap();
	execute(&program(1).validate().unwrap(), &[(0, input)].into()).unwrap()
}

/// The trace with its product's second element wrong by one.
pub fn lie() -> Trace {
	let mut trace = trace();
	let product = &trace.tensors[2];
	let mut data = product.data().to_vec();
	data[4] ^= 1;
	trace.tensors[2] = Tensor::new(product.shape(), data).unwrap();
	trace
}

/// Where [`lie`] is wrong.
pub const WRONG: Place = Place { node: 2, row: 0, col: 1 };

pub fn claim_of(trace: &Trace) -> Claim {
	let roots = trace.roots();
	let commitment = trace.commit();
	Claim {
		program: program(1).validate().unwrap().id().into(),
		inputs: vec![roots[0].into()],
		commitment: Commitment {
			output_root: commitment.output_root.into(),
			trace_root: Some(commitment.trace_root.into()),
		},
	}
}

/// The claim of most tests: it is a lie.
pub fn claim() -> Claim {
	claim_of(&lie())
}

/// The proof that [`claim`] is a lie.
pub fn proof() -> Vec<u8> {
	let program = program(1).validate().unwrap();
	let trace = lie();
	let inputs = vec![trace.roots()[0]];
	let claim = audits::Claim::new(inputs, &trace.commit());
	let audits::Verdict::Invalid(fault) = audits::full(&program, &claim, &trace) else {
		panic!("the lie is not found");
	};
	let mut source = MemorySource::new(&trace);
	assay_compute::proof::prove(&program, &claim, &fault, &mut source).unwrap().encode()
}

/// Terms under which every task is audited.
pub fn terms(auditors: u8) -> Terms {
	Terms { assurance: Assurance::every_task(auditors), gain: ASY, collateral: 100 * ASY }
}

/// Opens a submitted lie that is audited by so many.
pub fn open(task: TaskId, auditors: u8) {
	assert_eq!(Verification::open(task, claim(), &terms(auditors)), Ok(true));
}

/// Opens an audit and runs until its auditors are drawn.
pub fn open_and_draw(task: TaskId, auditors: u8) -> Vec<AccountId> {
	open(task, auditors);
	run_until_drawn(task)
}

pub fn run_until_drawn(task: TaskId) -> Vec<AccountId> {
	for _ in 0..params().draw_timeout {
		if let Some(seats) = seats(task) {
			return seats.into_iter().map(|s| s.account).collect();
		}
		next_block();
	}
	panic!("not drawn");
}

pub fn audit(task: TaskId) -> Audit<AccountId> {
	Audits::<Test>::get(task).expect("under audit")
}

pub fn case(task: TaskId) -> Case<AccountId> {
	Cases::<Test>::get(task).expect("open to challenges")
}

/// The open vote.
pub fn voting(task: TaskId) -> Option<Voting<AccountId>> {
	match Audits::<Test>::get(task)?.stage {
		Stage::Voting(voting) => Some(voting),
		_ => None,
	}
}

/// The seats of the open vote.
pub fn seats(task: TaskId) -> Option<Vec<Seat<AccountId>>> {
	voting(task).map(|voting| voting.seats.into_inner())
}

/// A seat in the audit as it stands.
pub fn seat(task: TaskId, number: u8) -> SeatId {
	let audit = audit(task);
	SeatId { task, submitted_at: audit.submitted_at, round: audit.round, number }
}

/// Who holds a seat.
pub fn holder(seat: SeatId) -> AccountId {
	seats(seat.task).expect("drawn")[usize::from(seat.number)].account
}

pub const SALT: Salt = [9; 32];

/// The proof that belongs to a verdict on [`claim`].
pub fn proof_for(verdict: &Verdict) -> Vec<u8> {
	match verdict {
		Verdict::Invalid(place) if *place == WRONG => proof(),
		_ => vec![],
	}
}

/// The call by which `signer` seals a verdict in a seat.
pub fn seal_call(seat: SeatId, verdict: Verdict, signer: AccountId) -> RuntimeCall {
	let seal = seal(&key(signer), &seat, &verdict, &proof_for(&verdict), &SALT);
	let signature = pair(signer).sign(&Verification::signed_seal(seat, seal).encode());
	Call::<Test>::seal_verdict { seat, seal, signature }.into()
}

/// The call that opens a verdict.
pub fn open_call(seat: SeatId, verdict: Verdict) -> RuntimeCall {
	let proof = proof_for(&verdict).try_into().unwrap();
	Call::<Test>::open_verdict { seat, verdict, proof, salt: SALT }.into()
}

/// The seat's own auditor seals a verdict.
pub fn seal_verdict(task: TaskId, number: u8, verdict: Verdict) {
	let seat = seat(task, number);
	submit(seal_call(seat, verdict, holder(seat))).expect("let in").expect("dispatched");
}

/// The seat's own auditor opens its verdict.
pub fn open_verdict(task: TaskId, number: u8, verdict: Verdict) {
	submit(open_call(seat(task, number), verdict)).expect("let in").expect("dispatched");
}

/// The auditors of the first seats all seal these verdicts, and then open them until the audit moves
/// on.
pub fn vote(task: TaskId, verdicts: &[Verdict]) {
	let round = audit(task).round;
	for (number, verdict) in (0..).zip(verdicts) {
		seal_verdict(task, number, *verdict);
	}
	if !voting(task).expect("drawn").opening(now()) {
		run_to(voting(task).expect("drawn").seals_until + 1);
	}
	for (number, verdict) in (0..).zip(verdicts) {
		if Audits::<Test>::get(task).is_some_and(|audit| audit.round == round) {
			open_verdict(task, number, *verdict);
		}
	}
}

/// Puts a call through the pool's validation alone.
pub fn validate(call: RuntimeCall) -> Result<ValidTransaction, TransactionValidityError> {
	validate_extrinsic(Extrinsic::new_transaction(call, Extension::new()))
}

pub fn validate_extrinsic(
	transaction: Extrinsic,
) -> Result<ValidTransaction, TransactionValidityError> {
	let (info, len) = (transaction.get_dispatch_info(), transaction.encoded_size());
	transaction.check(&frame_system::ChainContext::<Test>::default())?.validate::<Test>(
		TransactionSource::External,
		&info,
		len,
	)
}

/// Puts a call through validation and dispatch, as a general transaction.
pub fn submit(
	call: RuntimeCall,
) -> Result<frame_support::dispatch::DispatchResultWithPostInfo, TransactionValidityError> {
	apply(Extrinsic::new_transaction(call, Extension::new()))
}

pub fn apply(
	transaction: Extrinsic,
) -> Result<frame_support::dispatch::DispatchResultWithPostInfo, TransactionValidityError> {
	let (info, len) = (transaction.get_dispatch_info(), transaction.encoded_size());
	transaction.check(&frame_system::ChainContext::<Test>::default())?.apply::<Test>(&info, len)
}

/// What the sink heard of a task.
pub fn outcomes(task: TaskId) -> Vec<AuditOutcome> {
	Concluded::get().into_iter().filter(|c| c.0 == task).map(|c| c.1).collect()
}

/// This pallet's events of all blocks so far.
pub fn events() -> Vec<Event<Test>> {
	System::events()
		.into_iter()
		.filter_map(|r| match r.event {
			RuntimeEvent::Verification(event) => Some(event),
			_ => None,
		})
		.collect()
}

/// x · wᵀ with x: i8[rows, 4] and w: i8[3, 4] regenerated from a seed.
pub fn program(rows: u32) -> assay_compute::Program {
	assay_compute::Program {
		nodes: vec![
			Node::Input { dtype: Dtype::I8, rows, cols: 4 },
			Node::Fill { rows: 3, cols: 4, seed: [7; 32] },
			Node::MatmulT { a: 0, b: 1 },
		],
	}
}

/// Registers [`program`] and gives its id.
pub fn register(rows: u32) -> Root {
	register_as(OWNER, rows)
}

fn register_as(owner: AccountId, rows: u32) -> Root {
	let bytes = program(rows).encode();
	Verification::register_program(RuntimeOrigin::signed(owner), bytes.try_into().unwrap())
		.expect("valid");
	Root::from(program(rows).validate().unwrap().id())
}

/// The chain with a keystore, for benchmarks that sign.
#[cfg(feature = "runtime-benchmarks")]
pub fn new_benchmark_ext() -> sp_io::TestExternalities {
	let mut ext = new_test_ext();
	ext.register_extension(sp_keystore::KeystoreExt::new(
		sp_keystore::testing::MemoryKeystore::new(),
	));
	ext
}
