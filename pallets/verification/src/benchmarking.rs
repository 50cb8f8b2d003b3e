//! Benchmarks of calls, of the steps of audits and of what runs in every block.

use crate::{pallet::*, *};
use alloc::{vec, vec::Vec};
use assay_compute::{
	audit::{self as audits, MemorySource},
	execute,
	proof::{self, demand},
	Dtype, Node, Tensor,
};
use assay_primitives::{
	auditor::{seal, AuditorId, Salt, SeatId},
	demand::{Wanted, MAX_OPEN_NODE_BYTES},
	traits::{Cast, Lots as _, Programs as _},
	url::{Url, MAX_URL},
	work::{Commitment, Depth, Place, TaskId, Verdict},
	Balance, BlockNumber, Root, ASY,
};
use codec::Encode;
use frame_benchmarking::v2::*;
use frame_support::{
	pallet_prelude::ConstU32,
	traits::{fungible::Mutate, Authorize, Get},
	weights::WeightMeter,
	BoundedVec,
};
use frame_system::RawOrigin;
use sp_application_crypto::RuntimeAppPublic;
use sp_runtime::{transaction_validity::TransactionSource, Perquintill};

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

/// A result with the most inputs.
fn case<T: Config>() -> Case<T::AccountId> {
	Case {
		program: Root::repeat_byte(1),
		inputs: BoundedVec::truncate_from(vec![Root::repeat_byte(2); 16]),
		commitment: Commitment {
			output_root: Root::repeat_byte(3),
			trace_root: Some(Root::repeat_byte(4)),
		},
		given: None,
		submitted_at: 1,
		closes_at: NOW + 1_000,
		moved: 0,
		moved_by_buyer: 0,
		pending: 0,
		strangers: 0,
		vouched: Default::default(),
	}
}

fn audit<T: Config>(stage: Stage<T::AccountId>, round: u8) -> AuditStep {
	Cases::<T>::insert(TASK, case::<T>());
	Audits::<T>::insert(
		TASK,
		Audit {
			auditors: MAX_DRAWN as u8,
			depth: Depth::Projection,
			rate: Perquintill::one(),
			submitted_at: 1,
			round,
			stage,
		},
	);
	AuditStep { task: TASK, submitted_at: 1, round }
}

/// An account with a bond of an auditor, of which `at_risk` is.
fn bonded<T: Config>(i: u32, at_risk: Balance) -> T::AccountId {
	let who: T::AccountId = account("auditor", i, 0);
	T::Currency::set_balance(&who, 100 * ASY);
	Pallet::<T>::do_bond(who.clone(), DEPOSIT).expect("has enough");
	Bonds::<T>::insert(&who, Bond { amount: DEPOSIT, at_risk });
	who
}

const SEAT: SeatId = SeatId { task: TASK, submitted_at: 1, round: 0, number: MAX_DRAWN as u8 - 1 };
const DEPOSIT: Balance = ASY;
const SALT: Salt = [7; 32];

/// A vote of the most seats, the last of them held by `last`, in which all have sealed the same and
/// these have opened it.
fn vote<T: Config>(last: AuditorId, seals_until: BlockNumber, votes: &[Verdict], seal: Root) {
	let seats = (0..MAX_DRAWN)
		.map(|i| {
			let id = if i == MAX_DRAWN - 1 { last.clone() } else { auditor(i) };
			let vote = votes.get(i as usize).copied();
			if vote.is_none() {
				Duties::<T>::insert(&id, TASK, ());
			}
			let account = bonded::<T>(i, DEPOSIT);
			let sealed = (seal != Root::zero()).then_some((seal, 1));
			Seat { sealed, vote, ..Seat::new(id, account, DEPOSIT) }
		})
		.collect::<Vec<_>>();
	let seats = BoundedVec::truncate_from(seats);
	let opens_until = seals_until + 10;
	audit::<T>(Stage::Voting(Voting { seals_until, opens_until, seats }), 0);
}

/// A program of these nodes whose run on some input is claimed with its last element wrong, and the
/// proof of it.
struct Lie {
	program: Vec<u8>,
	inputs: Vec<Root>,
	commitment: Commitment,
	proof: Vec<u8>,
}

fn lie(nodes: Vec<Node>) -> Lie {
	let program = assay_compute::Program { nodes }.validate().expect("valid");
	let tensors = program
		.inputs()
		.into_iter()
		.map(|(node, shape)| {
			let data = (0..shape.bytes()).map(|i| (i % 251) as u8).collect();
			(node, Tensor::new(shape, data).expect("of its shape"))
		})
		.collect();
	let mut trace = execute(&program, &tensors).expect("executes");
	let inputs = program.inputs().iter().map(|(node, _)| trace.roots()[*node as usize]).collect();
	let output = trace.tensors.pop().expect("there is one");
	let mut data = output.data().to_vec();
	let at = data.len() - (output.shape().row_bytes() / output.shape().cols) as usize;
	data[at] ^= 1;
	trace.tensors.push(Tensor::new(output.shape(), data).expect("of the same shape"));
	let claim = audits::Claim::new(inputs, &trace.commit());
	let fault = audits::Fault {
		node: program.output(),
		row: output.shape().rows - 1,
		col: output.shape().cols - 1,
		kind: audits::FaultKind::Element,
	};
	let proof = proof::prove(&program, &claim, &fault, &mut MemorySource::new(&trace));
	Lie {
		program: assay_compute::Program { nodes: program.nodes().to_vec() }.encode(),
		inputs: claim.input_roots.iter().map(|root| Root::from(*root)).collect(),
		commitment: Commitment {
			output_root: claim.output_root.into(),
			trace_root: Some(claim.trace_root.into()),
		},
		proof: proof.expect("a lie").encode(),
	}
}

/// Registers the lie's program.
fn register<T: Config>(lie: &Lie) -> Result<Root, BenchmarkError> {
	Pallet::<T>::do_register_program(rich::<T>(), &lie.program)?;
	Ok(Programs::<T>::iter_keys().next().ok_or("registered")?)
}

/// The smallest lie.
fn small() -> Lie {
	let input = |cols| Node::Input { dtype: Dtype::I32, rows: 1, cols };
	lie(vec![input(1), Node::RowQuant { x: 0 }])
}

/// A case against the smallest lie, for which the most auditors have vouched.
fn vouched<T: Config>(lie: &Lie) -> Result<Case<T::AccountId>, BenchmarkError> {
	let auditors = (0..MAX_DRAWN).map(|i| (bonded::<T>(i, DEPOSIT), DEPOSIT)).collect();
	Ok(Case {
		program: register::<T>(lie)?,
		inputs: BoundedVec::truncate_from(lie.inputs.clone()),
		commitment: lie.commitment,
		vouched: BoundedVec::truncate_from(auditors),
		..case::<T>()
	})
}

/// A report on [`TASK`] that was sealed long enough ago.
fn sealed<T: Config>(
	case: Case<T::AccountId>,
	proof: &[u8],
) -> Result<T::AccountId, BenchmarkError> {
	let reporter: T::AccountId = account("reporter", 0, 0);
	T::Currency::set_balance(&reporter, 1_000 * ASY);
	Cases::<T>::insert(TASK, case);
	let seal = report_seal(&reporter, TASK, 1, proof, &SALT);
	Pallet::<T>::do_commit_report(reporter.clone(), TASK, seal)?;
	let later = NOW + Parameters::<T>::get().report_delay;
	frame_system::Pallet::<T>::set_block_number(later.into());
	Ok(reporter)
}

/// Holds a proof against what it was sealed and claimed for.
fn decide<T: Config>(lie: &Lie) -> Result<(), BenchmarkError> {
	let program = Programs::<T>::iter_keys().next().ok_or("registered")?;
	let reporter: T::AccountId = account("reporter", 0, 0);
	report_seal(&reporter, TASK, 1, &lie.proof, &SALT);
	Pallet::<T>::judge(&program, &lie.inputs, &lie.commitment, &lie.proof).map_err(|_| "a lie")?;
	Ok(())
}

fn wealthy<T: Config>() -> T::AccountId {
	let who = account("wealthy", 0, 0);
	T::Currency::set_balance(&who, 1_000_000 * ASY);
	who
}

/// A case about the program of the most nodes, whose places are the longest to show.
struct Deep<T: Config> {
	case: Case<T::AccountId>,
	opened: Vec<u8>,
}

fn deep<T: Config>() -> Result<Deep<T>, BenchmarkError> {
	let bytes = dense(MAX_DENSE);
	Pallet::<T>::do_register_program(rich::<T>(), &bytes)?;
	let program = assay_compute::Program::decode(&bytes).map_err(|_| "decodes")?;
	let program = program.validate().map_err(|_| "valid")?;
	let opened = proof::OpenNode::of(&program, program.output()).ok_or("there is one")?;
	let case = Case { program: Root::from(program.id()), ..case::<T>() };
	Cases::<T>::insert(TASK, case.clone());
	Ok(Deep { case, opened: opened.encode() })
}

impl<T: Config> Deep<T> {
	/// The one row of the last node.
	fn wanted(&self) -> (Wanted, BoundedVec<u8, ConstU32<MAX_OPEN_NODE_BYTES>>) {
		let node = MAX_DENSE.saturating_sub(14) / 5;
		(Wanted::Row { node, row: 0 }, BoundedVec::truncate_from(self.opened.clone()))
	}
}

/// A case about a row of `bytes`; what to demand of it, and the answer.
fn wide_row<T: Config>(bytes: u32) -> Result<(Wanted, Vec<u8>, Vec<u8>), BenchmarkError> {
	let nodes = vec![Node::Input { dtype: Dtype::I8, rows: 1, cols: bytes }];
	let program = assay_compute::Program { nodes }.validate().map_err(|_| "valid")?;
	Pallet::<T>::do_register_program(rich::<T>(), &program.encode())?;
	let input = Tensor::new(program.output_shape(), vec![1; bytes as usize]);
	let trace = execute(&program, &[(0, input.map_err(|_| "of its shape")?)].into());
	let trace = trace.map_err(|_| "executes")?;
	let claim = audits::Claim::new(trace.roots(), &trace.commit());
	let wanted = demand::Wanted::Row { node: 0, row: 0 };
	let opening = demand::open(&program, &claim, &wanted, &mut MemorySource::new(&trace));
	let commitment = Commitment {
		output_root: claim.output_root.into(),
		trace_root: Some(claim.trace_root.into()),
	};
	let inputs = BoundedVec::truncate_from(vec![Root::from(claim.input_roots[0])]);
	let case = Case { program: Root::from(program.id()), inputs, commitment, ..case::<T>() };
	Cases::<T>::insert(TASK, case);
	let opened = proof::OpenNode::of(&program, 0).ok_or("there is one")?;
	Ok((wanted.into(), opened.encode(), opening.map_err(|_| "opens")?.encode()))
}

/// Entropy of which the most blocks are to be looked at, and the last of them has what is missing.
fn gathered<T: Config>() -> Drawing {
	let one =
		|byte| Contribution { author: Root::repeat_byte(byte), output: Root::repeat_byte(byte) };
	let first = NOW - crate::impls::draw::BLOCKS_PER_STEP;
	for block in first..NOW {
		// All known but the last.
		Entropy::<T>::insert(block, one(if block == NOW - 1 { 0xff } else { 1 }));
	}
	let seen = (1..MAX_DISTINCT_AUTHORS).map(|i| one(i as u8)).collect::<Vec<_>>();
	Drawing { since: NOW - 100, next: first, seen: BoundedVec::truncate_from(seen) }
}

/// The last of `a` auditors, who has announced before; its key, and the longest URL.
fn announcer<T: Config>(a: u32) -> (AuditorId, Url) {
	let key = AuditorId::generate_pair(None);
	let a = a.min(T::MaxAuditors::get());
	let set = (0..a)
		.map(|i| {
			let id = if i + 1 == a { key.clone() } else { auditor(i) };
			Auditor { id, account: account("auditor", i, 0), keeps: false }
		})
		.collect::<Vec<_>>();
	Auditors::<T>::put(BoundedVec::truncate_from(set));
	let mut url = b"http://".to_vec();
	url.resize(MAX_URL as usize, b'a');
	let url = Url::truncate_from(url);
	Custodians::<T>::insert(bonded::<T>(a - 1, 0), Custodian { url: url.clone(), at: 1 });
	(key, url)
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

	#[benchmark]
	fn seal_verdict() -> Result<(), BenchmarkError> {
		begin::<T>();
		vote::<T>(auditor(14), NOW, &[], Root::zero());
		let key = AuditorId::generate_pair(None);
		let signature = key.sign(b"not looked at").ok_or("signs")?;

		#[extrinsic_call]
		_(RawOrigin::Authorized, SEAT, Root::repeat_byte(1), signature);

		assert!(matches!(Audits::<T>::get(TASK).map(|a| a.stage), Some(Stage::Voting(v))
			if v.seats.last().is_some_and(|seat| seat.sealed.is_some())));
		Ok(())
	}

	#[benchmark]
	fn authorize_seal_verdict() -> Result<(), BenchmarkError> {
		begin::<T>();
		let key = AuditorId::generate_pair(None);
		vote::<T>(key.clone(), NOW, &[], Root::zero());
		let seal = Root::repeat_byte(1);
		let message = Pallet::<T>::signed_seal(SEAT, seal).encode();
		let signature = key.sign(&message).ok_or("signs")?;
		let call = Call::<T>::seal_verdict { seat: SEAT, seal, signature };

		#[block]
		{
			call.authorize(TransactionSource::External)
				.ok_or("Call must give some authorization")??;
		}
		Ok(())
	}

	/// The last verdict of a round in which no quorum agrees, an accusation that does not hold. What
	/// its proof costs is weighed apart.
	#[benchmark]
	fn open_verdict() -> Result<(), BenchmarkError> {
		begin::<T>();
		let wrong = Verdict::Invalid(Place { node: 1, row: 1, col: 1 });
		let mut votes = vec![Verdict::Valid; 7];
		votes.extend([Verdict::Unavailable; 7]);
		let sealed = seal(&auditor(14), &SEAT, &wrong, &[], &SALT);
		vote::<T>(auditor(14), NOW - 1, &votes, sealed);

		#[extrinsic_call]
		_(RawOrigin::Authorized, SEAT, wrong, Default::default(), SALT);

		assert_eq!(Audits::<T>::get(TASK).map(|a| a.round), Some(1));
		Ok(())
	}

	#[benchmark]
	fn authorize_open_verdict(b: Linear<0, 2_000_000>) -> Result<(), BenchmarkError> {
		begin::<T>();
		let proof = vec![1; b as usize];
		let verdict = Verdict::Invalid(Place { node: 1, row: 1, col: 1 });
		let sealed = seal(&auditor(14), &SEAT, &verdict, &proof, &SALT);
		vote::<T>(auditor(14), NOW - 1, &[], sealed);
		let proof = BoundedVec::truncate_from(proof);
		let call = Call::<T>::open_verdict { seat: SEAT, verdict, proof, salt: SALT };

		#[block]
		{
			call.authorize(TransactionSource::External)
				.ok_or("Call must give some authorization")??;
		}
		Ok(())
	}

	#[benchmark]
	fn bond() {
		let who = rich::<T>();

		#[extrinsic_call]
		_(RawOrigin::Signed(who.clone()), ASY);

		assert_eq!(Bonds::<T>::get(who), Some(Bond { amount: ASY, at_risk: 0 }));
	}

	#[benchmark]
	fn unbond() {
		let who = bonded::<T>(0, 0);

		#[extrinsic_call]
		_(RawOrigin::Signed(who.clone()), DEPOSIT);

		assert!(!Bonds::<T>::contains_key(who));
	}

	/// In the place of a report on an earlier attempt.
	#[benchmark]
	fn commit_report() -> Result<(), BenchmarkError> {
		begin::<T>();
		let reporter = sealed::<T>(case::<T>(), &[])?;
		Cases::<T>::insert(TASK, Case { submitted_at: 2, ..case::<T>() });

		#[extrinsic_call]
		_(RawOrigin::Signed(reporter), TASK, Root::repeat_byte(1));

		assert_eq!(Cases::<T>::get(TASK).map(|case| case.pending), Some(1));
		Ok(())
	}

	/// A conviction for which the most auditors answer. What its proof costs is weighed apart.
	#[benchmark]
	fn report_fraud() -> Result<(), BenchmarkError> {
		begin::<T>();
		let lie = small();
		let reporter = sealed::<T>(vouched::<T>(&lie)?, &lie.proof)?;
		let proof = BoundedVec::truncate_from(lie.proof);

		#[extrinsic_call]
		_(RawOrigin::Signed(reporter), TASK, proof, SALT);

		assert_eq!(Convictions::<T>::iter().count(), 1);
		Ok(())
	}

	/// A proof about a row of `b` bytes that is generated again.
	#[benchmark]
	fn verify_fill(b: Linear<1_000, 524_288>) -> Result<(), BenchmarkError> {
		let lie = lie(vec![Node::Fill { rows: 1, cols: b, seed: [1; 32] }]);
		register::<T>(&lie)?;
		#[block]
		{
			decide::<T>(&lie)?;
		}
		Ok(())
	}

	/// A proof about one element of a product, with rows of `b` bytes in all.
	#[benchmark]
	fn verify_product(b: Linear<1_000, 262_000>) -> Result<(), BenchmarkError> {
		let row = Node::Input { dtype: Dtype::I8, rows: 1, cols: b / 2 };
		let lie = lie(vec![row.clone(), row, Node::MatmulT { a: 0, b: 1 }]);
		register::<T>(&lie)?;
		#[block]
		{
			decide::<T>(&lie)?;
		}
		Ok(())
	}

	/// A proof about a row that is scaled by its largest magnitude, with `b` bytes of rows in all.
	#[benchmark]
	fn verify_quant(b: Linear<1_000, 655_360>) -> Result<(), BenchmarkError> {
		let row = Node::Input { dtype: Dtype::I32, rows: 1, cols: b / 5 };
		let lie = lie(vec![row, Node::RowQuant { x: 0 }]);
		register::<T>(&lie)?;
		#[block]
		{
			decide::<T>(&lie)?;
		}
		Ok(())
	}

	/// A proof about a row that is normalised, with `b` bytes of rows in all: the widest evidence.
	#[benchmark]
	fn verify_norm(b: Linear<1_000, 2_097_152>) -> Result<(), BenchmarkError> {
		let row = || Node::Input { dtype: Dtype::I32, rows: 1, cols: b / 16 };
		let norm = Node::RowNorm { x: 0, gain: 1, bias: 2, shift: 8 };
		let lie = lie(vec![row(), row(), row(), norm]);
		register::<T>(&lie)?;
		#[block]
		{
			decide::<T>(&lie)?;
		}
		Ok(())
	}

	/// In the place of a demand about an earlier attempt.
	#[benchmark]
	fn demand() -> Result<(), BenchmarkError> {
		begin::<T>();
		let deep = deep::<T>()?;
		let who = wealthy::<T>();
		let (wanted, opened) = deep.wanted();
		let (signer, node) = (RawOrigin::Signed(who.clone()), opened.clone());
		Pallet::<T>::demand(signer.into(), TASK, wanted, node)?;
		Cases::<T>::insert(TASK, Case { submitted_at: 2, ..deep.case });

		#[extrinsic_call]
		_(RawOrigin::Signed(who), TASK, wanted, opened);

		assert_eq!(Cases::<T>::get(TASK).map(|case| case.pending), Some(1));
		Ok(())
	}

	#[benchmark]
	fn demand_as_auditor() -> Result<(), BenchmarkError> {
		begin::<T>();
		vote::<T>(auditor(14), NOW, &[], Root::zero());
		let deep = deep::<T>()?;
		let (wanted, opened) = deep.wanted();
		let key = AuditorId::generate_pair(None);
		let signature = key.sign(b"not looked at").ok_or("signs")?;

		#[extrinsic_call]
		_(RawOrigin::Authorized, SEAT, wanted, opened, signature);

		assert_eq!(Demands::<T>::iter().count(), 1);
		Ok(())
	}

	#[benchmark]
	fn authorize_demand_as_auditor() -> Result<(), BenchmarkError> {
		begin::<T>();
		let key = AuditorId::generate_pair(None);
		vote::<T>(key.clone(), NOW, &[], Root::zero());
		let deep = deep::<T>()?;
		let (wanted, opened) = deep.wanted();
		let message = Pallet::<T>::signed_demand(SEAT, 0, wanted).encode();
		let signature = key.sign(&message).ok_or("signs")?;
		let call = Call::<T>::demand_as_auditor { seat: SEAT, wanted, opened, signature };

		#[block]
		{
			call.authorize(TransactionSource::External)
				.ok_or("Call must give some authorization")??;
		}
		Ok(())
	}

	/// The answer to an auditor's demand, a row of `b` bytes.
	#[benchmark]
	fn answer(b: Linear<1_000, 524_288>) -> Result<(), BenchmarkError> {
		begin::<T>();
		vote::<T>(auditor(14), NOW, &[], Root::zero());
		let (wanted, opened, bytes) = wide_row::<T>(b)?;
		Pallet::<T>::do_demand_as_auditor(SEAT, wanted, &opened)?;
		let opening = BoundedVec::truncate_from(bytes);
		let demander = account("auditor", MAX_DRAWN - 1, 0);

		#[extrinsic_call]
		_(RawOrigin::Signed(wealthy::<T>()), TASK, demander, opening);

		assert_eq!(Demands::<T>::iter().count(), 0);
		Ok(())
	}

	/// The sink's part is weighed by the sink.
	#[benchmark]
	fn lapse_demand() -> Result<(), BenchmarkError> {
		begin::<T>();
		vote::<T>(auditor(14), NOW, &[], Root::zero());
		let deep = deep::<T>()?;
		let who = wealthy::<T>();
		let (wanted, opened) = deep.wanted();
		Pallet::<T>::demand(RawOrigin::Signed(who.clone()).into(), TASK, wanted, opened)?;
		#[block]
		{
			Pallet::<T>::step(NOW, Step::Demand(TASK, who, NOW));
		}
		assert_eq!(Cases::<T>::iter().count(), 0);
		Ok(())
	}

	#[benchmark]
	fn lapse_report() -> Result<(), BenchmarkError> {
		begin::<T>();
		let reporter = sealed::<T>(case::<T>(), &[])?;
		#[block]
		{
			Pallet::<T>::lapse_report(TASK, reporter, NOW);
		}
		assert_eq!(Reports::<T>::iter().count(), 0);
		Ok(())
	}

	/// The sink's part is weighed by the sink.
	#[benchmark]
	fn pay_reward() -> Result<(), BenchmarkError> {
		begin::<T>();
		let program = register::<T>(&small())?;
		let Case { inputs, commitment, .. } = case::<T>();
		let challenger = account("challenger", 0, 0);
		let conviction =
			Conviction { program, inputs, commitment, challenger, since: 1, reward: 0 };
		Convictions::<T>::insert(TASK, 1, conviction);
		#[block]
		{
			Pallet::<T>::pay_reward(TASK, 1);
		}
		assert_eq!(Convictions::<T>::iter().count(), 0);
		Ok(())
	}

	#[benchmark]
	fn close_case() -> Result<(), BenchmarkError> {
		begin::<T>();
		let case = vouched::<T>(&small())?;
		Cases::<T>::insert(TASK, case);
		#[block]
		{
			Pallet::<T>::close_case(TASK);
		}
		assert!(Bonds::<T>::iter_values().all(|b| b.at_risk == 0));
		Ok(())
	}

	#[benchmark]
	fn begin_custody() -> Result<(), BenchmarkError> {
		begin::<T>();
		Cases::<T>::insert(TASK, case::<T>());
		#[block]
		{
			Pallet::<T>::begin_custody(TASK, MAX_DRAWN as u8)?;
		}
		assert!(Audits::<T>::contains_key(TASK));
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
		let step = AuditStep { task: TASK, submitted_at: 1, round: 0 };
		Steps::<T>::put(NOW - 1, NOW, Step::Audit(step));
		let mut meter = WeightMeter::new();

		#[block]
		{
			Pallet::<T>::work_off_steps(&mut meter);
		}

		assert!(AgendaCursor::<T>::get().0 > NOW);
	}

	/// A step that looks at the most blocks and then draws the most auditors, the most of them
	/// having been drawn before. Half of those looked at may have nothing free to put at risk.
	#[benchmark]
	fn step_draw(a: Linear<15, 1_000>) {
		begin::<T>();
		let a = a.min(T::MaxAuditors::get());
		let set = (0..a)
			.map(|i| Auditor { id: auditor(i), account: bonded::<T>(i, 0), keeps: true })
			.collect::<Vec<_>>();
		Auditors::<T>::put(BoundedVec::truncate_from(set));
		let earlier = (0..MAX_EARLIER).map(|i| account("auditor", i, 0)).collect::<Vec<_>>();
		Earlier::<T>::insert(TASK, BoundedVec::<_, _>::truncate_from(earlier));
		// Custodians, of whom those are looked for that keep outputs.
		let step = audit::<T>(Stage::Drawing(gathered::<T>()), 2 * MAX_ROUNDS as u8 - 1);

		#[block]
		{
			Pallet::<T>::step(NOW, Step::Audit(step));
		}

		assert_eq!(Duties::<T>::iter().count() as u32, MAX_DRAWN);
	}

	/// An attempt that looks at the most blocks and settles the lot.
	#[benchmark]
	fn cast_lot() {
		begin::<T>();
		let mut lot = gathered::<T>();
		let cast;

		#[block]
		{
			cast = Pallet::<T>::cast(&mut lot, TASK, Perquintill::one());
		}

		assert_eq!(cast, Cast::Fell(true));
	}

	/// In the place of an earlier announcement.
	#[benchmark]
	fn announce(a: Linear<1, 1_000>) -> Result<(), BenchmarkError> {
		begin::<T>();
		let (key, url) = announcer::<T>(a);
		let signature = key.sign(b"not looked at").ok_or("signs")?;

		#[extrinsic_call]
		_(RawOrigin::Authorized, key, url, NOW, signature);

		assert_eq!(Keepers::<T>::get(), 1);
		Ok(())
	}

	#[benchmark]
	fn authorize_announce(a: Linear<1, 1_000>) -> Result<(), BenchmarkError> {
		begin::<T>();
		let (auditor, url) = announcer::<T>(a);
		let message = Pallet::<T>::signed_announcement(&url, NOW).encode();
		let signature = auditor.sign(&message).ok_or("signs")?;
		let call = Call::<T>::announce { auditor, url, at: NOW, signature };

		#[block]
		{
			call.authorize(TransactionSource::External)
				.ok_or("Call must give some authorization")??;
		}
		Ok(())
	}

	/// All have sealed and nobody has opened; the next round begins.
	#[benchmark]
	fn step_deadline() {
		begin::<T>();
		vote::<T>(auditor(14), NOW - 11, &[], Root::repeat_byte(1));
		let step = AuditStep { task: TASK, submitted_at: 1, round: 0 };

		#[block]
		{
			Pallet::<T>::step(NOW, Step::Audit(step));
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
