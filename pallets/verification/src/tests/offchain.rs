//! The off-chain worker: what it asks, what it submits, and what it leaves alone.

use crate::{mock::*, Custodians, Demands};
use assay_compute::{
	audit::{Claim as ComputeClaim, MemorySource},
	proof::{demand, OpenNode},
};
use assay_primitives::{
	auditor::{
		Access, AuditId, AuditReply, AuditRequest, AuditorId, Demanded, Finding, ACCESS_KEY,
		KEY_TYPE,
	},
	demand::answer_key,
	traits::Audits as _,
	work::{AuditOutcome, Claim, Depth, TaskId, Verdict},
	Root,
};
use codec::{Decode, Encode};
use frame_support::{
	assert_ok,
	storage::{with_transaction, TransactionOutcome},
	traits::Hooks,
};
use parking_lot::RwLock;
use sp_application_crypto::RuntimeAppPublic;
use sp_core::offchain::{
	testing::{OffchainState, PendingRequest, PoolState, TestOffchainExt, TestTransactionPoolExt},
	OffchainDbExt, OffchainWorkerExt, StorageKind, TransactionPoolExt,
};
use sp_io::{hashing::blake2_256, offchain::local_storage_set};
use sp_keystore::{testing::MemoryKeystore, Keystore, KeystoreExt};
use sp_runtime::{offchain::storage::StorageValueRef, DispatchError};
use std::sync::Arc;

const TOKEN: &str = "c0ffee";
const URL: &str = "http://127.0.0.1:4949";

/// A node beside the chain: its HTTP client, local storage and pool. A request that is not expected
/// panics, and so does an expected one that is not made.
struct Node {
	offchain: Arc<RwLock<OffchainState>>,
	pool: Arc<RwLock<PoolState>>,
}

impl Node {
	fn expect_raw(&self, task: TaskId, response: Vec<u8>) {
		self.expect_of(task, claim(), response);
	}

	/// As [`Node::expect_raw`], where the task's claim is this.
	fn expect_of(&self, task: TaskId, claim: Claim, response: Vec<u8>) {
		self.expect_with(task, claim, vec![], response);
	}

	/// As [`Node::expect_of`], where the worker has opened this on the chain.
	fn expect_with(&self, task: TaskId, claim: Claim, answers: Vec<Vec<u8>>, response: Vec<u8>) {
		let (audit, voting) = (audit(task), voting(task).expect("drawn"));
		let request = AuditRequest {
			audit: AuditId {
				task,
				submitted_at: audit.submitted_at,
				provider: PROVIDER.encode(),
				claim,
				depth: Depth::Projection,
			},
			endpoint: b"http://worker.example:8080".to_vec(),
			buyer: b"http://buyer.example".to_vec(),
			answers,
			now: now(),
			deadline: voting.seals_until - 3,
			keep_for: params().custody_period,
		};
		self.offchain.write().expect_request(PendingRequest {
			method: "POST".into(),
			uri: format!("{URL}/v1/audits"),
			headers: vec![
				("authorization".into(), format!("Bearer {TOKEN}")),
				("content-type".into(), "application/octet-stream".into()),
			],
			body: request.encode(),
			sent: true,
			response: Some(response),
			..Default::default()
		});
	}

	/// The next request must be for this task, and is answered so.
	fn expect(&self, task: TaskId, reply: AuditReply) {
		self.expect_raw(task, reply.encode());
	}

	/// Takes what was submitted to the pool.
	fn submitted(&self) -> Vec<Extrinsic> {
		std::mem::take(&mut self.pool.write().transactions)
			.into_iter()
			.map(|bytes| Extrinsic::decode(&mut &bytes[..]).expect("an extrinsic of this chain"))
			.collect()
	}
}

/// Runs a test on a node that holds the keys of these auditors.
fn test_node(keys: &[AccountId], run: impl FnOnce(&Node)) {
	let mut ext = new_test_ext();
	let (offchain, state) = TestOffchainExt::new();
	let (pool, pool_state) = TestTransactionPoolExt::new();
	let keystore = MemoryKeystore::new();
	for account in keys {
		keystore
			.sr25519_generate_new(KEY_TYPE, Some(&format!("//Auditor//{account}")))
			.expect("a new key");
	}
	ext.register_extension(OffchainDbExt::new(offchain.clone()));
	ext.register_extension(OffchainWorkerExt::new(offchain));
	ext.register_extension(TransactionPoolExt::new(pool));
	ext.register_extension(KeystoreExt::new(keystore));
	ext.execute_with(|| {
		run(&Node { offchain: state, pool: pool_state });
		Verification::do_try_state().expect("the state holds together");
	});
}

fn grant_access() {
	grant_access_to(KEPT_AT);
}

/// Where the service keeps outputs there.
fn grant_access_to(keeps_at: &[u8]) {
	let keeps_at = String::from_utf8(keeps_at.to_vec()).unwrap();
	let access = Access { url: URL.into(), token: TOKEN.into(), keeps_at };
	StorageValueRef::persistent(ACCESS_KEY).set(&access);
}

fn worker() {
	Verification::offchain_worker(now());
}

#[test]
fn a_duty_is_asked_about_once_sealed_and_opened() {
	test_node(&(1..=9).collect::<Vec<_>>(), |node| {
		grant_access();
		open_and_draw(task(1), 3);
		for _ in 0..3 {
			node.expect(task(1), AuditReply::Done(Finding::Right));
		}
		worker();
		// As they come from the pool, through the true pipeline.
		let sealed = node.submitted();
		assert_eq!(sealed.len(), 3);
		for transaction in sealed {
			assert_ok!(apply(transaction).unwrap());
		}
		// All are sealed: they are opened, and nothing is asked again.
		next_block();
		worker();
		let opened = node.submitted();
		assert_eq!(opened.len(), 3);
		for transaction in opened {
			assert_ok!(apply(transaction).unwrap());
		}
		assert_eq!(outcomes(task(1)), [AuditOutcome::Passed]);
		// Nothing is owed any more.
		next_block();
		worker();
	});
}

#[test]
fn a_proof_is_kept_and_convicts() {
	test_node(&(1..=9).collect::<Vec<_>>(), |node| {
		grant_access();
		open_and_draw(task(1), 1);
		node.expect(task(1), AuditReply::Done(Finding::Wrong(proof())));
		worker();
		assert_ok!(apply(node.submitted().remove(0)).unwrap());
		// Not in the same block: pools elsewhere do not know of the seal yet.
		worker();
		assert!(node.submitted().is_empty());
		next_block();
		worker();
		assert_ok!(apply(node.submitted().remove(0)).unwrap());
		assert_eq!(Convicted::get().len(), 1);
	});
}

#[test]
fn what_an_audit_needs_is_demanded_and_handed_on() {
	test_node(&(1..=9).collect::<Vec<_>>(), |node| {
		grant_access();
		let drawn = open_and_draw(task(1), 1);
		let place = demand::Wanted::Row { node: 2, row: 0 };
		let program = program(1).validate().unwrap();
		let opened = OpenNode::of(&program, 2).unwrap().encode();
		let demanded = AuditReply::Demand(Demanded { wanted: place.into(), opened });
		node.expect(task(1), demanded.clone());
		worker();
		assert_ok!(apply(node.submitted().remove(0)).unwrap());
		assert!(Demands::<Test>::contains_key(task(1), drawn[0]));
		// While it waits it is not demanded again.
		next_block();
		node.expect(task(1), demanded);
		worker();
		assert!(node.submitted().is_empty());

		let trace = lie();
		let lying = ComputeClaim::new(vec![trace.roots()[0]], &trace.commit());
		let opening = demand::open(&program, &lying, &place, &mut MemorySource::new(&trace));
		let answer = opening.unwrap().encode();
		let bytes = answer.clone().try_into().unwrap();
		let hot = RuntimeOrigin::signed(HOT);
		assert_ok!(Verification::answer(hot, task(1), drawn[0], bytes));
		// Where it is not indexed, nothing is said rather than something wrong.
		next_block();
		worker();
		assert!(node.submitted().is_empty());
		let key = answer_key(&seat(task(1), 0), &Root::from(blake2_256(&answer)));
		local_storage_set(StorageKind::PERSISTENT, &key, &answer);
		let done = AuditReply::Done(Finding::Wrong(proof())).encode();
		node.expect_with(task(1), claim(), vec![answer], done);
		worker();
		assert_ok!(apply(node.submitted().remove(0)).unwrap());
		next_block();
		worker();
		assert_ok!(apply(node.submitted().remove(0)).unwrap());
		assert_eq!(Convicted::get().len(), 1);
	});
}

#[test]
fn an_accusation_without_a_proof_is_never_made() {
	test_node(&(1..=9).collect::<Vec<_>>(), |node| {
		grant_access();
		assert_eq!(Verification::open(task(1), claim_of(&trace()), &terms(1)), Ok(true));
		run_until_drawn(task(1));
		node.expect_of(
			task(1),
			claim_of(&trace()),
			AuditReply::Done(Finding::Wrong(proof())).encode(),
		);
		worker();
		assert!(node.submitted().is_empty());
	});
}

#[test]
fn pending_is_asked_again() {
	test_node(&(1..=9).collect::<Vec<_>>(), |node| {
		grant_access();
		open_and_draw(task(1), 1);
		for _ in 0..3 {
			node.expect(task(1), AuditReply::Pending);
			worker();
			assert!(node.submitted().is_empty());
			next_block();
		}
		node.expect(task(1), AuditReply::Done(Finding::Unavailable));
		worker();
		assert_ok!(apply(node.submitted().remove(0)).unwrap());
		next_block();
		worker();
		assert_ok!(apply(node.submitted().remove(0)).unwrap());
		assert_eq!(outcomes(task(1)), [AuditOutcome::Failed(Verdict::Unavailable)]);
	});
}

/// Silence would cost the deposit.
#[test]
fn who_comes_to_no_verdict_in_time_abstains() {
	for reply in [AuditReply::Pending, AuditReply::Expired, AuditReply::Refused("no".into())] {
		test_node(&(1..=9).collect::<Vec<_>>(), |node| {
			grant_access();
			open_and_draw(task(1), 1);
			run_to(voting(task(1)).unwrap().seals_until - 4);
			node.expect(task(1), reply.clone());
			worker();
			assert!(node.submitted().is_empty());
			next_block();
			// Nobody is asked any more.
			worker();
			assert_ok!(apply(node.submitted().remove(0)).unwrap());
			next_block();
			worker();
			assert_ok!(apply(node.submitted().remove(0)).unwrap());
			assert_eq!(audit(task(1)).round, 1);
			assert_eq!(Destroyed::get(), 0);
		});
	}
}

#[test]
fn what_was_sent_is_sent_again_only_after_some_blocks() {
	test_node(&(1..=9).collect::<Vec<_>>(), |node| {
		grant_access();
		open_and_draw(task(1), 1);
		node.expect(task(1), AuditReply::Done(Finding::Right));
		worker();
		assert_eq!(node.submitted().len(), 1);
		for _ in 0..4 {
			next_block();
			worker();
		}
		assert!(node.submitted().is_empty());
		// It was not included within five blocks. What was found is kept: nobody is asked again.
		next_block();
		worker();
		assert_eq!(node.submitted().len(), 1);
	});
}

#[test]
fn after_a_fork_what_was_sent_is_sent_again() {
	test_node(&(1..=9).collect::<Vec<_>>(), |node| {
		grant_access();
		open_and_draw(task(1), 1);
		node.expect(task(1), AuditReply::Done(Finding::Right));
		worker();
		System::set_block_number(now() - 1);
		worker();
		System::set_block_number(now() + 1);
		assert_eq!(node.submitted().len(), 2);
	});
}

#[test]
fn without_keys_nothing_is_done() {
	test_node(&[], |_| {
		grant_access();
		open_and_draw(task(1), 3);
		worker();
	});
}

#[test]
fn without_access_nothing_is_done() {
	test_node(&(1..=9).collect::<Vec<_>>(), |_| {
		open_and_draw(task(1), 3);
		worker();
	});
}

#[test]
fn others_duties_are_theirs() {
	test_node(&[20, 21], |_| {
		grant_access();
		open_and_draw(task(1), 9);
		worker();
	});
}

#[test]
fn only_one_worker_runs_at_a_time() {
	test_node(&(1..=9).collect::<Vec<_>>(), |node| {
		use sp_runtime::offchain::storage_lock::{BlockAndTime, StorageLock};
		grant_access();
		open_and_draw(task(1), 1);
		let mut lock = StorageLock::<BlockAndTime<System>>::with_block_and_time_deadline(
			b"assay::audit::lock",
			2,
			sp_core::offchain::Duration::from_millis(15_000),
		);
		let Ok(guard) = lock.try_lock() else { panic!("the lock is free") };
		worker();
		drop(guard);
		node.expect(task(1), AuditReply::Pending);
		worker();
	});
}

#[test]
fn replies_that_are_no_replies_submit_nothing() {
	test_node(&(1..=9).collect::<Vec<_>>(), |node| {
		grant_access();
		open_and_draw(task(1), 1);
		let mut trailing = AuditReply::Done(Finding::Right).encode();
		trailing.push(0);
		let replies = [
			vec![],
			vec![9],
			trailing,
			vec![0; 3_000_000],
			AuditReply::Refused("no".into()).encode(),
			AuditReply::Expired.encode(),
		];
		for reply in replies {
			node.expect_raw(task(1), reply);
			worker();
			assert!(node.submitted().is_empty());
			next_block();
		}
		assert!(seats(task(1)).is_some(), "the window is still open");
	});
}

#[test]
fn a_task_without_endpoint_is_put_off() {
	test_node(&(1..=9).collect::<Vec<_>>(), |_| {
		grant_access();
		open_and_draw(task(1), 1);
		Endpoint::set(None);
		worker();
	});
}

/// In the last block of the window it is too late to be heard: nothing is asked any more.
#[test]
fn what_would_come_too_late_is_not_asked() {
	test_node(&(1..=9).collect::<Vec<_>>(), |node| {
		grant_access();
		open_and_draw(task(1), 1);
		run_to(voting(task(1)).unwrap().seals_until);
		worker();
		assert!(node.submitted().is_empty());
	});
}

#[test]
fn many_duties_have_their_turns() {
	test_node(&(1..=9).collect::<Vec<_>>(), |node| {
		grant_access();
		for job in 0..10 {
			open(task(job), 1);
		}
		for job in 0..10 {
			run_until_drawn(task(job));
		}
		let mut turns = std::collections::BTreeSet::new();
		for _ in 0..5 {
			let duties = Verification::own_duties(&AuditorId::all());
			assert_eq!(duties.len(), 4);
			for duty in duties {
				node.expect(duty.seat.task, AuditReply::Pending);
				turns.insert(duty.seat.task);
			}
			worker();
			next_block();
		}
		assert_eq!(turns.len(), 10, "everyone had a turn");
	});
}

/// Opens audits of these jobs, all by one auditor, and runs until it has to attest to all of them.
fn draw_all(jobs: impl Iterator<Item = u64> + Clone) {
	// Far from the end of the round, when all would abstain.
	let params = crate::Params { audit_window: 40, ..params() };
	assert_ok!(Verification::set_parameters(RuntimeOrigin::root(), params));
	set_auditors([1]);
	jobs.clone().for_each(|job| open(task(job), 1));
	jobs.for_each(|job| drop(run_until_drawn(task(job))));
}

/// The jobs whose audits have a turn in the next blocks.
fn turns(blocks: u32) -> Vec<u64> {
	let keys = AuditorId::all();
	let mut jobs = Vec::new();
	for _ in 0..blocks {
		let duties = Verification::own_duties(&keys);
		assert!(duties.len() <= 4, "no more are seen to in a block");
		Verification::seen_to(&keys, &duties);
		jobs.extend(duties.iter().map(|duty| duty.seat.task.job));
		next_block();
	}
	jobs
}

/// However many duties one provider makes, and wherever they are in the list.
#[test]
fn nobodys_duties_hide_behind_anothers() {
	test_node(&[1], |_| {
		let few = JOBS_EACH..JOBS_EACH + 3;
		draw_all((0..600).chain(few.clone()));
		// The list is read in three parts, in each of which are some of the few, or none.
		let turns = turns(9);
		assert!(few.clone().all(|job| turns.contains(&job)), "{turns:?}");
	});
}

#[test]
fn providers_have_their_turns_whatever_they_have() {
	test_node(&[1], |_| {
		let jobs = |provider: u64| (0..30).map(move |job| provider * JOBS_EACH + job);
		draw_all((0..5).flat_map(jobs).chain([5 * JOBS_EACH]));
		let turns = turns(9);
		let distinct = turns.iter().collect::<std::collections::BTreeSet<_>>();
		for provider in 0..5 {
			let had = turns.iter().filter(|job| **job / JOBS_EACH == provider).count();
			let of_its = distinct.iter().filter(|job| ***job / JOBS_EACH == provider).count();
			assert_eq!((had, of_its), (6, 6), "of {provider} in {turns:?}");
		}
		// Who has but one is asked about it as often as others are about all of theirs.
		assert_eq!(turns.iter().filter(|job| **job == 5 * JOBS_EACH).count(), 6);
	});
}

/// However many seats a node holds, it need not be silent in any: abstaining asks nobody.
#[test]
fn an_overloaded_auditor_abstains_from_what_it_does_not_come_to() {
	test_node(&(1..=9).collect::<Vec<_>>(), |node| {
		grant_access();
		for job in 0..60 {
			open(task(job), 1);
		}
		for job in 0..60 {
			run_until_drawn(task(job));
		}
		// They may not all have been drawn in the same block.
		let until = (0..60).map(|job| voting(task(job)).unwrap().seals_until).max().unwrap();
		run_to(until - 3);
		worker();
		let sealed = node.submitted();
		assert_eq!(sealed.len(), 60);
		for transaction in sealed {
			assert_ok!(apply(transaction).unwrap());
		}
		next_block();
		worker();
		for transaction in node.submitted() {
			assert_ok!(apply(transaction).unwrap());
		}
		run(params().audit_window + params().opening_window);
		assert_eq!(Destroyed::get(), 0);
	});
}

/// On another fork a seat of the same name may be about another claim.
#[test]
fn a_verdict_is_kept_for_its_claim_only() {
	test_node(&(1..=9).collect::<Vec<_>>(), |node| {
		grant_access();
		open_and_draw(task(1), 1);
		node.expect(task(1), AuditReply::Done(Finding::Wrong(proof())));
		worker();
		assert_eq!(node.submitted().len(), 1);
		// The same seat, the truth claimed.
		let honest = claim_of(&trace());
		crate::Cases::<Test>::mutate_extant(task(1), |case| {
			case.commitment = honest.commitment;
		});
		run(5);
		node.expect_of(task(1), honest, AuditReply::Done(Finding::Right).encode());
		worker();
		assert_ok!(apply(node.submitted().remove(0)).unwrap());
		next_block();
		worker();
		assert_ok!(apply(node.submitted().remove(0)).unwrap());
		assert_eq!(outcomes(task(1)), [AuditOutcome::Passed]);
		assert_eq!(Destroyed::get(), 0);
	});
}

/// Blocks that the chain takes back: its state is as it was, and what the node keeps beside it remains.
fn taken_back<T>(blocks: impl FnOnce() -> T) -> T {
	let mut of_them = None;
	let rolled_back = with_transaction(|| {
		of_them = Some(blocks());
		TransactionOutcome::Rollback(Ok::<_, DispatchError>(()))
	});
	assert_ok!(rolled_back);
	of_them.expect("they were run")
}

/// The seal that a transaction carries.
fn seal_in(transaction: &Extrinsic) -> Root {
	match &transaction.function {
		RuntimeCall::Verification(crate::Call::seal_verdict { seal, .. }) => *seal,
		other => panic!("{other:?}"),
	}
}

/// Runs the node block by block until it submits something.
fn submitted_soon(node: &Node) -> Extrinsic {
	for _ in 0..6 {
		worker();
		if let Some(transaction) = node.submitted().pop() {
			return transaction;
		}
		next_block();
	}
	panic!("nothing was submitted");
}

/// Two different seals of one verdict would be two verdicts: it is the same one again, which can still be
/// opened, however many blocks were taken back.
#[test]
fn a_seal_that_was_taken_back_is_sealed_again_as_it_was() {
	for (before, after) in [(0, 0), (0, 1), (1, 0), (3, 0), (0, 3)] {
		test_node(&(1..=9).collect::<Vec<_>>(), |node| {
			grant_access();
			open_and_draw(task(1), 1);
			let first = taken_back(|| {
				run(before);
				node.expect(task(1), AuditReply::Done(Finding::Right));
				worker();
				let sealed = node.submitted().remove(0);
				assert_ok!(apply(sealed.clone()).unwrap());
				next_block();
				// It opens it, too, which is not included before the fork is given up.
				worker();
				assert_eq!(node.submitted().len(), 1);
				seal_in(&sealed)
			});
			assert!(seats(task(1)).unwrap()[0].sealed.is_none());
			// Nobody is asked again: a request that is not expected panics.
			run(after);
			let again = submitted_soon(node);
			assert_eq!(seal_in(&again), first);
			assert_ok!(apply(again).unwrap());
			next_block();
			assert_ok!(apply(submitted_soon(node)).unwrap());
			assert_eq!(outcomes(task(1)), [AuditOutcome::Passed]);
			assert_eq!(Destroyed::get(), 0);
		});
	}
}

/// On another fork other blocks draw other auditors. What this node found is still so, and the one that
/// now has the seat says it.
#[test]
fn a_draw_that_moved_is_sealed_by_the_one_drawn() {
	test_node(&(1..=9).collect::<Vec<_>>(), |node| {
		grant_access();
		open(task(1), 1);
		let (sealed, before) = taken_back(|| {
			let drawn = run_until_drawn(task(1));
			node.expect(task(1), AuditReply::Done(Finding::Wrong(proof())));
			worker();
			let sealed = node.submitted().remove(0);
			assert_ok!(apply(sealed.clone()).unwrap());
			(sealed, drawn)
		});
		BlockAuthors::set(vec![Some(5), Some(6), Some(7), Some(8)]);
		assert_ne!(run_until_drawn(task(1)), before, "the draw has not moved");
		// What the other has sealed is worth nothing here.
		assert!(apply(sealed.clone()).is_err());
		let again = submitted_soon(node);
		assert_ne!(seal_in(&again), seal_in(&sealed));
		assert_ok!(apply(again).unwrap());
		next_block();
		assert_ok!(apply(submitted_soon(node)).unwrap());
		assert_eq!(Convicted::get().len(), 1);
		assert_eq!(Destroyed::get(), 0);
	});
}

/// A node whose auditor is drawn on one fork only has nothing to do on the other.
#[test]
fn a_draw_that_moved_away_leaves_nothing_to_do() {
	let drawn = new_test_ext().execute_with(|| open_and_draw(task(1), 1));
	test_node(&drawn, |node| {
		grant_access();
		open(task(1), 1);
		let sealed = taken_back(|| {
			run_until_drawn(task(1));
			node.expect(task(1), AuditReply::Done(Finding::Right));
			worker();
			node.submitted().remove(0)
		});
		BlockAuthors::set(vec![Some(5), Some(6), Some(7), Some(8)]);
		assert_ne!(run_until_drawn(task(1)), drawn, "the draw has not moved");
		for _ in 0..7 {
			worker();
			next_block();
		}
		assert!(node.submitted().is_empty());
		assert!(apply(sealed).is_err());
	});
}

/// A claim that is included anew in another block is another attempt, which is asked about for itself.
#[test]
fn a_claim_that_was_submitted_anew_is_another_audit() {
	test_node(&(1..=9).collect::<Vec<_>>(), |node| {
		grant_access();
		let before = taken_back(|| {
			open_and_draw(task(1), 1);
			node.expect(task(1), AuditReply::Done(Finding::Unavailable));
			worker();
			assert_eq!(node.submitted().len(), 1);
			audit(task(1)).submitted_at
		});
		next_block();
		open_and_draw(task(1), 1);
		assert_ne!(audit(task(1)).submitted_at, before);
		node.expect(task(1), AuditReply::Done(Finding::Right));
		worker();
		assert_ok!(apply(node.submitted().remove(0)).unwrap());
		next_block();
		assert_ok!(apply(submitted_soon(node)).unwrap());
		assert_eq!(outcomes(task(1)), [AuditOutcome::Passed]);
	});
}

/// A restart loses neither what was found nor the salt: both lie in the node's storage, while the
/// service of the new start knows nothing and is not asked.
#[test]
fn a_restart_between_seal_and_opening_loses_nothing() {
	test_node(&(1..=9).collect::<Vec<_>>(), |node| {
		grant_access();
		open_and_draw(task(1), 1);
		node.expect(task(1), AuditReply::Done(Finding::Wrong(proof())));
		worker();
		assert_ok!(apply(node.submitted().remove(0)).unwrap());
		next_block();
		// Another port, another token: whoever is asked there would not be expected.
		let access = Access {
			url: "http://127.0.0.1:9".into(),
			token: "another".into(),
			keeps_at: String::from_utf8(KEPT_AT.to_vec()).unwrap(),
		};
		StorageValueRef::persistent(ACCESS_KEY).set(&access);
		assert_ok!(apply(submitted_soon(node)).unwrap());
		assert_eq!(Convicted::get().len(), 1);
	});
}

/// What the chain says of these auditors' custody, after the worker ran in each of so many blocks.
fn announced(node: &Node, blocks: u32) -> Vec<(AccountId, Vec<u8>)> {
	for _ in 0..blocks {
		next_block();
		worker();
		for transaction in node.submitted() {
			assert_ok!(apply(transaction).unwrap());
		}
	}
	let mut all = Custodians::<Test>::iter()
		.map(|(account, custodian)| (account, custodian.url.into_inner()))
		.collect::<Vec<_>>();
	all.sort();
	all
}

#[test]
fn where_outputs_are_kept_is_announced() {
	test_node(&[1, 2, 11], |node| {
		let said = |who: AccountId, all: &[(AccountId, Vec<u8>)]| {
			all.iter().find(|(account, _)| *account == who).unwrap().1.clone()
		};
		grant_access_to(b"http://elsewhere.example:1234");
		let all = announced(node, 30);
		assert_eq!(said(1, &all), b"http://elsewhere.example:1234");
		assert_eq!(said(2, &all), b"http://elsewhere.example:1234");
		// Not an auditor of the session, and not this node's.
		assert_eq!(said(11, &all), KEPT_AT);
		assert_eq!(said(3, &all), KEPT_AT);
		let times = events();
		let times = times.iter().filter(|e| matches!(e, crate::Event::CustodianAnnounced { .. }));
		assert_eq!(times.count(), 2);
		// It no longer keeps any.
		grant_access_to(b"");
		let all = announced(node, 30);
		assert_eq!(said(1, &all), b"");
		assert_eq!(Verification::custodians(100).len(), 58);
	});
}

/// Not in every block until it is in the chain, and at no URL that the chain would refuse.
#[test]
fn announcements_are_not_sent_over_and_over() {
	test_node(&[1], |node| {
		run(40);
		grant_access_to(b"http://elsewhere.example");
		let mut sent = vec![];
		for _ in 0..12 {
			next_block();
			worker();
			sent.push(node.submitted().len());
		}
		assert_eq!(sent, [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0]);
		grant_access_to(b"ftp://elsewhere.example");
		run(10);
		worker();
		assert!(node.submitted().is_empty());
	});
}
