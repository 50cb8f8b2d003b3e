//! Benchmarks of calls, of the steps of audits and of what runs in every block.

use crate::{pallet::*, *};
use alloc::{vec, vec::Vec};
use assay_compute::{Dtype, Node};
use assay_primitives::{
	auditor::AuditorId,
	traits::Programs as _,
	work::{Commitment, Place, TaskId, Verdict},
	Balance, BlockNumber, Root,
};
use codec::Encode;
use frame_benchmarking::v2::*;
use frame_support::{
	traits::{fungible::Mutate, Authorize, Get},
	weights::WeightMeter,
	BoundedVec,
};
use frame_system::RawOrigin;
use sp_application_crypto::RuntimeAppPublic;
use sp_runtime::transaction_validity::TransactionSource;

/// What benchmarks need of the runtime.
pub trait BenchmarkHelper {
	/// Makes the current block one with an output, where blocks do not have one anyway.
	fn give_output();
}

const TASK: TaskId = TaskId { job: 1, index: 2 };
const NOW: BlockNumber = 1_000;
/// Bytes of a program with the most nodes that bytes can pay for: nodes of 5 bytes, the fewest.
const MAX_DENSE: u32 = 14 + 5 * 16_383;

/// A valid program of at most `bytes`, made of as many nodes as fit: an input, transposed over and
/// over. Nodes cost more than bytes, so that a longer program of longer nodes costs less a byte.
fn dense(bytes: u32) -> Vec<u8> {
	let mut nodes = vec![Node::Input { dtype: Dtype::I8, rows: 1, cols: 1 }];
	let more = bytes.saturating_sub(14) / 5;
	nodes.extend((0..more).map(|x| Node::Transpose { x }));
	assay_compute::Program { nodes }.encode()
}

fn rich<T: Config>() -> T::AccountId {
	let account = account("owner", 0, 0);
	T::Currency::set_balance(&account, Balance::MAX / 4);
	account
}

fn auditor(i: u32) -> AuditorId {
	let mut raw = [0; 32];
	raw[..4].copy_from_slice(&i.to_le_bytes());
	sp_core::sr25519::Public::from_raw(raw).into()
}

fn begin<T: Config>() {
	frame_system::Pallet::<T>::set_block_number(NOW.into());
	// So that no benchmark works off a thousand empty blocks.
	AgendaCursor::<T>::put((NOW, 0));
	let params = Params {
		inclusion_depth: 2,
		distinct_authors: MAX_DISTINCT_AUTHORS as u8,
		draw_timeout: 200,
		max_rounds: MAX_ROUNDS as u8,
		..Params::default()
	};
	Parameters::<T>::put(params);
}

fn audit<T: Config>(stage: Stage<T::AccountId>, round: u8) -> Step {
	Audits::<T>::insert(
		TASK,
		Audit {
			program: Root::repeat_byte(1),
			inputs: BoundedVec::truncate_from(vec![Root::repeat_byte(2); 16]),
			commitment: Commitment {
				output_root: Root::repeat_byte(3),
				trace_root: Root::repeat_byte(4),
			},
			auditors: MAX_DRAWN as u8,
			submitted_at: 1,
			round,
			stage,
		},
	);
	Step { task: TASK, submitted_at: 1, round }
}

/// A vote of the most seats, the last of them held by `last`, with these votes in.
fn vote<T: Config>(last: AuditorId, deadline: BlockNumber, votes: &[Verdict]) -> Step {
	let seats = (0..MAX_DRAWN)
		.map(|i| {
			let id = if i == MAX_DRAWN - 1 { last.clone() } else { auditor(i) };
			let vote = votes.get(i as usize).copied();
			if vote.is_none() {
				Duties::<T>::insert(&id, TASK, ());
			}
			Seat { auditor: id, account: account("auditor", i, 0), vote }
		})
		.collect::<Vec<_>>();
	let seats = BoundedVec::truncate_from(seats);
	audit::<T>(Stage::Voting(Voting { deadline, seats }), 0)
}

#[benchmarks]
mod benchmarks {
	use super::*;

	#[benchmark]
	fn register_program(b: Linear<14, MAX_DENSE>) {
		let owner = rich::<T>();
		let bytes = BoundedVec::truncate_from(dense(b));

		#[extrinsic_call]
		_(RawOrigin::Signed(owner), bytes);

		assert_eq!(Programs::<T>::iter().count(), 1);
	}

	#[benchmark]
	fn remove_program() -> Result<(), BenchmarkError> {
		let owner = rich::<T>();
		let bytes = dense(20);
		Pallet::<T>::do_register_program(owner.clone(), &bytes)?;
		let program = Programs::<T>::iter_keys().next().ok_or("registered")?;

		#[extrinsic_call]
		_(RawOrigin::Signed(owner), program);

		assert_eq!(Programs::<T>::iter().count(), 0);
		Ok(())
	}

	/// The vote after which no quorum is possible any more.
	#[benchmark]
	fn attest() -> Result<(), BenchmarkError> {
		begin::<T>();
		let wrong = Verdict::Invalid(Place { node: 1, row: 1, col: 1 });
		let mut votes = vec![Verdict::Valid; 5];
		votes.extend([wrong; 4]);
		vote::<T>(auditor(14), NOW, &votes);
		let key = AuditorId::generate_pair(None);
		let signature = key.sign(b"not looked at").ok_or("signs")?;

		#[extrinsic_call]
		_(RawOrigin::Authorized, TASK, 1, 0, 14, wrong, signature);

		assert_eq!(Audits::<T>::get(TASK).map(|a| a.round), Some(1));
		Ok(())
	}

	#[benchmark]
	fn authorize_attest() -> Result<(), BenchmarkError> {
		begin::<T>();
		let key = AuditorId::generate_pair(None);
		vote::<T>(key.clone(), NOW, &[]);
		let verdict = Verdict::Invalid(Place { node: 1, row: 1, col: 1 });
		let message = Pallet::<T>::attestation(TASK, 1, 0, verdict).encode();
		let signature = key.sign(&message).ok_or("signs")?;
		let call = Call::<T>::attest {
			task: TASK,
			submitted_at: 1,
			round: 0,
			seat: MAX_DRAWN as u8 - 1,
			verdict,
			signature,
		};

		#[block]
		{
			call.authorize(TransactionSource::External)
				.ok_or("Call must give some authorization")??;
		}
		Ok(())
	}

	#[benchmark]
	fn set_parameters() {
		#[extrinsic_call]
		_(RawOrigin::Root, Params::default());

		assert_eq!(Parameters::<T>::get(), Params::default());
	}

	#[benchmark]
	fn record_entropy() {
		begin::<T>();
		let oldest = NOW.saturating_sub(T::EntropyKept::get());
		let some = Contribution { author: Root::zero(), output: Root::zero() };
		Entropy::<T>::insert(oldest, some);
		T::Helper::give_output();

		#[block]
		{
			Pallet::<T>::record_entropy();
		}

		assert!(!Entropy::<T>::contains_key(oldest));
		assert!(Entropy::<T>::contains_key(NOW));
	}

	/// One item that is void.
	#[benchmark]
	fn agenda_overhead() {
		begin::<T>();
		let step = Step { task: TASK, submitted_at: 1, round: 0 };
		Steps::<T>::put(NOW - 1, NOW, step);
		let mut meter = WeightMeter::new();

		#[block]
		{
			Pallet::<T>::work_off_steps(&mut meter);
		}

		assert!(AgendaCursor::<T>::get().0 > NOW);
	}

	/// A step that looks at the most blocks and then draws the most auditors, the most of them
	/// having been drawn before.
	#[benchmark]
	fn step_draw(a: Linear<15, 1_000>) {
		begin::<T>();
		let a = a.min(T::MaxAuditors::get());
		let set = (0..a)
			.map(|i| Auditor { id: auditor(i), account: account("auditor", i, 0) })
			.collect::<Vec<_>>();
		Auditors::<T>::put(BoundedVec::truncate_from(set));
		let earlier = (0..MAX_EARLIER).map(|i| account("auditor", i, 0)).collect::<Vec<_>>();
		Earlier::<T>::insert(TASK, BoundedVec::<_, _>::truncate_from(earlier));
		let seen = (1..MAX_DISTINCT_AUTHORS)
			.map(|i| Contribution {
				author: Root::repeat_byte(i as u8),
				output: Root::repeat_byte(i as u8),
			})
			.collect::<Vec<_>>();
		let first = NOW - crate::impls::draw::BLOCKS_PER_STEP;
		for block in first..NOW {
			// All known but the last.
			let author = Root::repeat_byte(if block == NOW - 1 { 0xff } else { 1 });
			Entropy::<T>::insert(block, Contribution { author, output: author });
		}
		let seen = BoundedVec::truncate_from(seen);
		let drawing = Drawing { since: NOW - 100, next: first, seen };
		let step = audit::<T>(Stage::Drawing(drawing), MAX_ROUNDS as u8 - 1);

		#[block]
		{
			Pallet::<T>::step(NOW, step);
		}

		assert_eq!(Duties::<T>::iter().count() as u32, MAX_DRAWN);
	}

	/// Nobody attested; the next round begins.
	#[benchmark]
	fn step_deadline() {
		begin::<T>();
		let step = vote::<T>(auditor(14), NOW - 1, &[]);

		#[block]
		{
			Pallet::<T>::step(NOW, step);
		}

		assert_eq!(Audits::<T>::get(TASK).map(|a| a.round), Some(1));
	}

	#[benchmark]
	fn verify_inputs(i: Linear<0, 16>, h: Linear<0, 31>) {
		let inputs = vec![Root::repeat_byte(1); i as usize];
		let path = vec![Root::repeat_byte(2); h as usize];
		let verified;

		#[block]
		{
			// A path of the right length under another root: every hash is made.
			verified = Pallet::<T>::verify_inputs(&Root::zero(), 1u32 << h, 0, &inputs, &path);
		}

		assert!(!verified);
	}

	impl_benchmark_test_suite!(Pallet, crate::mock::new_benchmark_ext(), crate::mock::Test);
}
