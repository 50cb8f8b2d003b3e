//! Benchmarks of the calls and of the steps others take, each along its longest path, through the
//! pallets that the runtime puts behind the traits.

use crate::*;
use alloc::{vec, vec::Vec};
use assay_primitives::{
	market::{MachineClass, Requirements},
	replication::{seal, Outcome, MAX_REPLICAS, MAX_SUMMARY},
	traits::{AuditSink, Audits},
	url::{Url, MAX_URL},
	work::{Assurance, Custody, Delivery, Fault, FaultKind, Mode, Offence, Place, TaskStatus},
	Root, ASY,
};
use frame_benchmarking::v2::*;
use frame_support::BoundedVec;
use frame_system::RawOrigin;
use sp_runtime::{DispatchError, Permill};

/// What benchmarks need of the pallets behind the traits of [`Config`].
pub trait BenchmarkHelper<AccountId> {
	/// Registers a program of as many inputs as a task may have, and makes all auditors there may
	/// be.
	fn subject() -> Subject;

	/// Registers provider number `n` with an idle machine 0 that takes any task for `price`, and
	/// returns it with its hot key. Its machine is to be listed for as little as `price` when all
	/// providers before it ask for more.
	fn provider(n: u32, price: Balance) -> (AccountId, AccountId);

	/// Lists machines of as many providers beside number 0 as may be, and makes the next offer that
	/// `provider` lets lapse one too many.
	fn exhaust(provider: &AccountId);
}

/// What the benchmarks' jobs are about.
pub struct Subject {
	/// A registered program.
	pub program: Root,
	/// Inputs of a task.
	pub inputs: InputRoots,
	/// Root of a job of one task with these inputs.
	pub tasks_root: Root,
	/// Most auditors of a task.
	pub auditors: u8,
}

const JOB: JobId = 0;
const TASK: TaskId = TaskId { job: JOB, index: 0 };
const NOW: BlockNumber = 1_000;
/// Providers ask for this much at most.
const PRICE: Balance = ASY;
/// Most auditors that `conclude` is measured with.
const ATTESTERS: u32 = 15;

fn url() -> Url {
	let mut url = b"https://".to_vec();
	url.resize(MAX_URL as usize, b'x');
	BoundedVec::truncate_from(url)
}

fn commitment() -> Commitment {
	Commitment { output_root: Root::repeat_byte(1), trace_root: Some(Root::repeat_byte(2)) }
}

fn buyer<T: Config>() -> T::AccountId {
	let buyer = account("buyer", 0, 0);
	T::Currency::set_balance(&buyer, 1_000_000 * ASY);
	buyer
}

/// A job that lasts as long as it may.
fn spec<T: Config>(subject: &Subject, tasks: u32) -> JobSpec<T::AccountId> {
	frame_system::Pallet::<T>::set_block_number(NOW.into());
	let params = Parameters::<T>::get();
	JobSpec {
		program: subject.program,
		tasks_root: subject.tasks_root,
		tasks,
		data_url: url(),
		requirements: Requirements { class: MachineClass::Cpu, min_memory_mib: 1, region: None },
		mode: Mode::BestAsk,
		assurance: Assurance::every_task(subject.auditors),
		max_price: PRICE,
		value: PRICE,
		deadline: params.max_deadline,
		lifetime: params.max_lifetime,
	}
}

fn change<T: Config>(index: TaskIndex, to: impl FnOnce(&mut Task<T>)) {
	Tasks::<T>::mutate(JOB, index, |task| task.as_mut().map(to));
}

/// Posts a job whose tasks have been refused as often as is remembered.
fn posted<T: Config>(tasks: u32) -> Result<Subject, DispatchError> {
	let subject = T::Helper::subject();
	Pallet::<T>::do_post(buyer::<T>(), spec::<T>(&subject, tasks))?;
	let refused = (0..T::MaxRefused::get()).map(|n| account("refused", n, 0)).collect::<Vec<_>>();
	for index in 0..tasks {
		let refused = refused.clone();
		change::<T>(index, |task| task.refused = BoundedVec::truncate_from(refused));
	}
	Ok(subject)
}

/// Offers a task to the provider of the same number and returns its hot key.
fn offered<T: Config>(index: u32) -> Result<T::AccountId, DispatchError> {
	let (provider, hot) = T::Helper::provider(index, PRICE.saturating_sub(index.into()));
	let mut job = Jobs::<T>::get(JOB).ok_or(Error::<T>::UnknownJob)?;
	let mut task = Tasks::<T>::get(JOB, index).ok_or(Error::<T>::UnknownTask)?;
	job.spec.mode = Mode::Direct { provider, machine: 0 };
	frame_support::ensure!(
		Pallet::<T>::try_match(TaskId { job: JOB, index }, &job, &mut task)?,
		Error::<T>::NothingDue
	);
	Tasks::<T>::insert(JOB, index, task);
	Ok(hot)
}

/// A job whose only task is on its last run, accepted; returns the hot key of who works on it.
fn running<T: Config>() -> Result<T::AccountId, DispatchError> {
	let subject = posted::<T>(1)?;
	let hot = offered::<T>(0)?;
	Pallet::<T>::do_accept(hot.clone(), TASK, subject.inputs, Default::default())?;
	let runs = Parameters::<T>::get().runs;
	change::<T>(0, |task| task.attempts = runs.saturating_sub(1));
	Ok(hot)
}

/// As [`running`], but submitted.
fn submitted<T: Config>() -> DispatchResult {
	let hot = running::<T>()?;
	Pallet::<T>::do_submit(hot, TASK, commitment())
}

/// A job of one task, which so many replicas have accepted; returns their hot keys.
fn replicated<T: Config>(replicas: u32) -> Result<Vec<T::AccountId>, DispatchError> {
	let subject = T::Helper::subject();
	let (tolerance, at_least) = (1, Permill::one());
	let mut spec = spec::<T>(&subject, 1);
	spec.assurance = Assurance::Replicated { replicas: replicas as u8, tolerance, at_least };
	Pallet::<T>::do_post(buyer::<T>(), spec)?;
	(0..replicas)
		.map(|index| {
			let hot = offered::<T>(index)?;
			let (id, path) = (TaskId { job: JOB, index }, Default::default());
			Pallet::<T>::do_accept(hot.clone(), id, subject.inputs.clone(), path)?;
			Ok(hot)
		})
		.collect()
}

/// What a replica claims: one of two things, at length.
fn outcome(is_right: bool) -> Outcome {
	let summary = vec![if is_right { 0 } else { i32::MAX }; MAX_SUMMARY as usize];
	Outcome { commitment: commitment(), summary: BoundedVec::truncate_from(summary) }
}

/// As [`replicated`], but all have sealed and are to open; a majority is right.
fn sealed<T: Config>(replicas: u32) -> Result<Vec<T::AccountId>, DispatchError> {
	let keys = replicated::<T>(replicas)?;
	for (hot, index) in keys.iter().zip(0..) {
		let id = TaskId { job: JOB, index };
		let task = Pallet::<T>::task_of(hot, id)?;
		let provider = task.engaged.ok_or(Error::<T>::Inconsistent)?.provider;
		let seal = seal(&provider, id, &outcome(is_right(index, replicas)), &[0; 32]);
		Pallet::<T>::do_seal(hot.clone(), id, seal)?;
	}
	Pallet::<T>::step_group(JOB, 0)?;
	Ok(keys)
}

fn is_right(index: u32, replicas: u32) -> bool {
	index <= replicas / 2
}

fn open<T: Config>(keys: &[T::AccountId], replicas: u32) -> DispatchResult {
	for (hot, index) in keys.iter().zip(0..) {
		let (id, outcome) = (TaskId { job: JOB, index }, outcome(is_right(index, replicas)));
		Pallet::<T>::do_open(hot.clone(), id, outcome, [0; 32])?;
	}
	Ok(())
}

/// Leaves no time for another match, so that a task that comes back is refunded and its job closed.
fn expire<T: Config>() {
	Jobs::<T>::mutate_extant(JOB, |job| job.expires_at = NOW);
}

fn status<T: Config>() -> Option<TaskStatus> {
	Tasks::<T>::get(JOB, 0).map(|task| task.status)
}

fn closed<T: Config>() -> bool {
	Jobs::<T>::get(JOB).is_some_and(|job| job.closed_at.is_some())
}

#[benchmarks]
mod benchmarks {
	use super::*;

	#[benchmark]
	fn post(n: Linear<1, { T::MaxTasks::get() }>) {
		let subject = T::Helper::subject();
		let spec = spec::<T>(&subject, n);
		let owner = buyer::<T>();

		#[extrinsic_call]
		_(RawOrigin::Signed(owner), spec);

		assert_eq!(Tasks::<T>::iter_prefix(JOB).count() as u32, n);
	}

	/// Every task is offered, each to another provider.
	#[benchmark]
	fn cancel(n: Linear<1, { T::MaxTasks::get() }>) -> Result<(), BenchmarkError> {
		posted::<T>(n)?;
		for index in 0..n {
			offered::<T>(index)?;
		}
		let owner = account("buyer", 0, 0);

		#[extrinsic_call]
		_(RawOrigin::Signed(owner), JOB);

		assert!(closed::<T>());
		Ok(())
	}

	/// The outputs of all tasks.
	#[benchmark]
	fn acknowledge(n: Linear<1, { T::MaxTasks::get() }>) -> Result<(), BenchmarkError> {
		let subject = posted::<T>(n)?;
		for index in 0..n {
			let engaged = Engagement {
				provider: account("provider", index, 0),
				machine: 0,
				price: PRICE,
				pledge: 0,
				collateral: 0,
				audit_paid: 0,
				inputs: subject.inputs.clone(),
				commitment: Some(commitment()),
				delivered: false,
			};
			change::<T>(index, |task| {
				task.engaged = Some(engaged);
				task.status = TaskStatus::Passed { settles_at: NOW };
			});
		}
		let owner = account("buyer", 0, 0);
		let tasks = BoundedVec::truncate_from((0..n).collect());

		#[extrinsic_call]
		_(RawOrigin::Signed(owner), JOB, tasks);

		assert!(Tasks::<T>::iter_values().all(|task| task.engaged.is_some_and(|e| e.delivered)));
		Ok(())
	}

	/// The last task of a job is settled.
	#[benchmark]
	fn advance() -> Result<(), BenchmarkError> {
		submitted::<T>()?;
		Pallet::<T>::concluded(TASK, AuditOutcome::Passed, vec![]);
		let due = T::Audits::open_until(TASK).ok_or("a window")?;
		frame_system::Pallet::<T>::set_block_number(due.into());
		let anyone = account("anyone", 0, 0);

		#[extrinsic_call]
		_(RawOrigin::Signed(anyone), JOB, 0);

		assert_eq!(status::<T>(), Some(TaskStatus::Settled { at: due }));
		assert!(closed::<T>());
		Ok(())
	}

	/// The task is refunded and the job closed, and the machine no longer offered work.
	#[benchmark]
	fn lapse() -> Result<(), BenchmarkError> {
		posted::<T>(1)?;
		offered::<T>(0)?;
		let engaged = Tasks::<T>::get(JOB, 0).and_then(|task| task.engaged).ok_or("offered")?;
		T::Helper::exhaust(&engaged.provider);
		expire::<T>();
		let due = NOW.saturating_add(Parameters::<T>::get().offer_window).saturating_add(1);
		frame_system::Pallet::<T>::set_block_number(due.into());

		#[block]
		{
			Pallet::<T>::do_advance(TASK)?;
		}

		assert!(closed::<T>());
		Ok(())
	}

	/// A job of one task, replicated: the check of the path is weighed apart.
	#[benchmark]
	fn accept() -> Result<(), BenchmarkError> {
		let subject = T::Helper::subject();
		let mut spec = spec::<T>(&subject, 1);
		let (replicas, tolerance, at_least) = (MAX_REPLICAS as u8, 0, Permill::zero());
		spec.assurance = Assurance::Replicated { replicas, tolerance, at_least };
		Pallet::<T>::do_post(buyer::<T>(), spec)?;
		let hot = offered::<T>(0)?;

		#[extrinsic_call]
		_(RawOrigin::Signed(hot), JOB, 0, subject.inputs, Default::default());

		assert!(matches!(status::<T>(), Some(TaskStatus::Running { .. })));
		Ok(())
	}

	/// The task is refunded and the job closed.
	#[benchmark]
	fn decline() -> Result<(), BenchmarkError> {
		posted::<T>(1)?;
		let hot = offered::<T>(0)?;
		expire::<T>();

		#[extrinsic_call]
		_(RawOrigin::Signed(hot), JOB, 0);

		assert!(closed::<T>());
		Ok(())
	}

	#[benchmark]
	fn submit() -> Result<(), BenchmarkError> {
		let hot = running::<T>()?;

		#[extrinsic_call]
		_(RawOrigin::Signed(hot), JOB, 0, commitment());

		assert_eq!(status::<T>(), Some(TaskStatus::Auditing { submitted_at: NOW }));
		Ok(())
	}

	#[benchmark]
	fn seal_result() -> Result<(), BenchmarkError> {
		let keys = replicated::<T>(MAX_REPLICAS)?;
		let hot = keys.first().cloned().ok_or("a replica")?;

		#[extrinsic_call]
		_(RawOrigin::Signed(hot), JOB, 0, Root::repeat_byte(1));

		assert_eq!(status::<T>(), Some(TaskStatus::Sealed { at: NOW }));
		Ok(())
	}

	/// The last one that is opened.
	#[benchmark]
	fn open_result() -> Result<(), BenchmarkError> {
		let keys = sealed::<T>(MAX_REPLICAS)?;
		let (first, others) = keys.split_at(1);
		for (hot, index) in others.iter().zip(1..) {
			let (id, right) = (TaskId { job: JOB, index }, is_right(index, MAX_REPLICAS));
			Pallet::<T>::do_open(hot.clone(), id, outcome(right), [0; 32])?;
		}
		let hot = first.first().cloned().ok_or("a replica")?;

		#[extrinsic_call]
		_(RawOrigin::Signed(hot), JOB, 0, outcome(true), [0; 32]);

		assert!(Groups::<T>::get(JOB, 0).is_some_and(|group| group.is_open()));
		Ok(())
	}

	/// The task is decided: a majority is to be paid, the others lose a part of their collateral and
	/// their slots are refunded.
	#[benchmark]
	fn decide(n: Linear<2, { MAX_REPLICAS }>) -> Result<(), BenchmarkError> {
		let keys = sealed::<T>(n)?;
		open::<T>(&keys, n)?;

		#[block]
		{
			Pallet::<T>::step_group(JOB, 0)?;
		}

		assert!(Groups::<T>::get(JOB, 0).is_none());
		assert!(matches!(status::<T>(), Some(TaskStatus::Passed { .. })));
		Ok(())
	}

	/// The task is refunded and the job closed.
	#[benchmark]
	fn abandon() -> Result<(), BenchmarkError> {
		let hot = running::<T>()?;
		expire::<T>();

		#[extrinsic_call]
		_(RawOrigin::Signed(hot), JOB, 0);

		assert!(closed::<T>());
		Ok(())
	}

	/// The account is made by what it claims.
	#[benchmark]
	fn claim() {
		let who: T::AccountId = account("claimant", 0, 0);
		let amount = T::Currency::minimum_balance();
		T::Currency::set_balance(&Pallet::<T>::pot(), 3 * amount);
		Claimable::<T>::insert(&who, amount);

		#[extrinsic_call]
		_(RawOrigin::Signed(who.clone()));

		assert_eq!(T::Currency::balance(&who), amount);
	}

	#[benchmark]
	fn set_parameters() -> Result<(), BenchmarkError> {
		let origin =
			T::AdminOrigin::try_successful_origin().map_err(|_| BenchmarkError::Weightless)?;
		let params = Params::default();

		#[extrinsic_call]
		_(origin as T::RuntimeOrigin, params.clone());

		assert_eq!(Parameters::<T>::get(), params);
		Ok(())
	}

	/// No quorum came together on the last run, so that the treasury has what the absent leave, the
	/// task is refunded and the job closed; no auditor can take its share, which is less than an
	/// account is kept for.
	#[benchmark]
	fn conclude(a: Linear<0, ATTESTERS>) -> Result<(), BenchmarkError> {
		submitted::<T>()?;
		Jobs::<T>::mutate_extant(JOB, |job| {
			job.spec.assurance = Assurance::every_task(ATTESTERS as u8);
			job.audit_fee = Balance::from(ATTESTERS).saturating_add(1);
		});
		let attesters = (0..a).map(|n| account("auditor", n, 1)).collect();

		#[block]
		{
			Pallet::<T>::concluded(TASK, AuditOutcome::Inconclusive, attesters);
		}

		assert!(closed::<T>());
		assert_eq!(Claimable::<T>::iter().count() as u32, a);
		Ok(())
	}

	/// Two quorums could not have the output of the last run: a part of the collateral is burned, the
	/// task refunded, its job closed.
	#[benchmark]
	fn deliver(n: Linear<0, ATTESTERS>) -> Result<(), BenchmarkError> {
		submitted::<T>()?;
		let custody = Custody { custodians: ATTESTERS as u8, fee: 1 };
		Jobs::<T>::mutate_extant(JOB, |job| job.custody = custody);
		change::<T>(0, |task| task.status = TaskStatus::Delivering { since: NOW });
		let custodians = (0..n).map(|n| account("custodian", n, 1)).collect();

		#[block]
		{
			Pallet::<T>::delivered(TASK, Delivery::Undelivered, custodians);
		}

		assert!(closed::<T>());
		assert_eq!(Claimable::<T>::iter().count() as u32, n);
		Ok(())
	}

	/// The last run's provider is convicted: the buyer is compensated, the task refunded, its job
	/// closed.
	#[benchmark]
	fn convict() -> Result<(), BenchmarkError> {
		submitted::<T>()?;
		let fault = Fault { place: Place { node: 1, row: 2, col: 3 }, kind: FaultKind::Element };

		#[block]
		{
			Pallet::<T>::convicted(TASK, Offence::Wrong(fault), true);
		}

		assert!(closed::<T>());
		assert_eq!(Totals::<T>::get().convictions, 1);
		Ok(())
	}

	/// The account is made by what it is paid.
	#[benchmark]
	fn reward() {
		let who: T::AccountId = account("challenger", 0, 0);
		let amount = T::Currency::minimum_balance();
		T::Currency::set_balance(&Pallet::<T>::pot(), 3 * amount);
		Totals::<T>::mutate(|totals| totals.rewards = amount);

		#[block]
		{
			Pallet::<T>::reward(&who, amount);
		}

		assert_eq!(T::Currency::balance(&who), amount);
	}

	/// A step after which more tasks are left.
	#[benchmark]
	fn purge(n: Linear<1, { crate::impls::agenda::PURGE_STEP }>) -> Result<(), BenchmarkError> {
		posted::<T>(n + 1)?;

		#[block]
		{
			Pallet::<T>::purge(JOB, 0, n)?;
		}

		assert_eq!(Tasks::<T>::iter_prefix(JOB).count(), 1);
		Ok(())
	}

	impl_benchmark_test_suite!(Pallet, crate::mock::new_test_ext(), crate::mock::Test);
}
