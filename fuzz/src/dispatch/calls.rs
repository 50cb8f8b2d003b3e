//! Steps, and the calls that they are: all kinds that the chain's own pallets have, mostly about
//! something that there is and by whoever may, so that many of them do something.

use super::{
	chain::{validator, By},
	corrupt,
	subject::{account, ask, cut, hot, machine, subject_of, subjects, Subject, PROVIDERS},
	MAX_DEPTH, STEP,
};
use crate::word;
use assay_primitives::{
	auditor::{self, AuditorId, SeatId, SignedDemand, SignedSeal},
	demand::Wanted,
	market::{MachineClass, Requirements},
	replication::{self, Outcome},
	work::{Assurance, Commitment, Depth, Mode, Place, TaskId, Verdict},
	Permill, Root, ASY,
};
use assay_runtime::{
	AccountId, Balance, JobEscrow, ProviderRegistry, Runtime, RuntimeCall, System,
	EXISTENTIAL_DEPOSIT,
};
use codec::{DecodeLimit, Encode};
use pallet_emissions::Call as Emissions;
use pallet_job_escrow::{Call as Jobs, JobSpec};
use pallet_provider_registry::Call as Providers;
use pallet_verification::{
	report_seal, Audits, Call as Verification, Cases, Demands, Reports, Seat, Stage,
};
use sp_core::Pair as _;

/// Keeps seals from being guessed; here they are to be.
const SALT: [u8; 32] = [9; 32];

/// One step. The letters are what its kind takes them for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Step {
	/// Which kind of step.
	pub kind: u8,
	/// Who sends the call: 0 is whoever may, n is account n − 1.
	pub who: u8,
	pub a: u8,
	pub b: u8,
	pub c: u8,
	pub d: u8,
	/// Where the encoded call is changed.
	pub at: u8,
	/// Bits that are changed there.
	pub change: u8,
}

macro_rules! kinds {
	($($name:ident)*) => {
		/// Kinds of steps.
		#[allow(non_camel_case_types)]
		#[derive(Clone, Copy, Debug, PartialEq, Eq)]
		pub enum Kind { $($name),* }
		const KINDS: &[Kind] = &[$(Kind::$name),*];
	};
}

kinds! {
	Blocks EmptySlots Raw Wrap
	Register SetProfile SetHotKey BondExtra Unbond WithdrawUnbonded AddMachine RemoveMachine SetAsk
	ClearAsk Deregister
	Post Cancel Advance Accept Decline Submit Abandon Claim Acknowledge SealResult OpenResult
	RegisterProgram RemoveProgram SealVerdict OpenVerdict Bond BondLess CommitReport ReportFraud Demand
	DemandAsAuditor Answer
	ClaimEmission SetParameters Transfer Other
}

impl Step {
	/// A step of a kind, by whoever may.
	pub fn new(kind: Kind, [a, b, c, d]: [u8; 4]) -> Self {
		Self { kind: kind as u8, a, b, c, d, ..Default::default() }
	}

	/// Reads one off the front; none if too few bytes are left.
	pub fn read(bytes: &mut &[u8]) -> Option<Self> {
		let (step, rest) = bytes.split_first_chunk::<STEP>()?;
		let [kind, who, a, b, c, d, at, change] = *step;
		*bytes = rest;
		Some(Self { kind, who, a, b, c, d, at, change })
	}

	/// What is read.
	pub fn bytes(&self) -> [u8; STEP] {
		[self.kind, self.who, self.a, self.b, self.c, self.d, self.at, self.change]
	}

	fn kind(&self) -> Kind {
		KINDS[usize::from(self.kind) % KINDS.len()]
	}

	/// How many blocks it is, and how many empty slots come before each.
	pub fn blocks(&self) -> Option<(u32, u64)> {
		match self.kind() {
			Kind::Blocks => Some((u32::from(self.a % 64) + 1, 0)),
			Kind::EmptySlots => Some((1, u64::from(self.a) * 8)),
			_ => None,
		}
	}

	fn by(&self, whoever: AccountId) -> By {
		match self.who {
			0 => By::Signed(whoever),
			255 => By::None,
			254 => By::General,
			who => By::Signed(account(who - 1)),
		}
	}

	fn amount(&self, by: u8) -> Balance {
		match by % 12 {
			0 => 1_000 * ASY,
			1 => ASY,
			2 => 0,
			3 => 1,
			4 => EXISTENTIAL_DEPOSIT,
			5 => 100 * ASY,
			6 => 10_000 * ASY,
			7 => 989_999 * ASY,
			8 => 1_000_000 * ASY,
			9 => Balance::MAX,
			10 => Balance::MAX / 3,
			_ => Balance::from(by) * ASY / 7,
		}
	}

	fn task(&self) -> TaskId {
		TaskId { job: u64::from(self.a % 4), index: u32::from(self.b % 8) }
	}

	/// The call and who sends it; none where there is nothing that it could be about. A raw call and
	/// one that is wrapped are read from what follows.
	pub fn call(&self, rest: &mut &[u8]) -> Option<(By, RuntimeCall)> {
		let (by, call) = match self.kind() {
			Kind::Blocks | Kind::EmptySlots => return None,
			Kind::Raw => {
				let (bytes, left) = rest.split_at(word(self.a, self.b % 2).min(rest.len()));
				*rest = left;
				let call = RuntimeCall::decode_with_depth_limit(MAX_DEPTH, &mut &bytes[..]).ok()?;
				(self.by(account(self.c)), call)
			}
			Kind::Wrap => {
				let inner = Step::read(rest)?;
				// One level: what is wrapped twice tells nothing new.
				if inner.kind() == Kind::Wrap {
					return None;
				}
				let (by, call) = inner.call(rest)?;
				self.wrap(by, call)?
			}
			Kind::SetParameters => (By::Root, self.set_parameters()),
			kind if (kind as u8) < Kind::Post as u8 => self.provider_call(kind),
			kind if (kind as u8) < Kind::RegisterProgram as u8 => self.job_call(kind)?,
			kind if (kind as u8) < Kind::ClaimEmission as u8 => self.verification_call(kind)?,
			Kind::ClaimEmission => {
				(self.by(account(0)), Emissions::claim { provider: account(self.a) }.into())
			}
			Kind::Transfer => {
				let dest = account(self.b).into();
				let value = self.amount(self.c);
				let call: RuntimeCall = match self.d % 4 {
					0 => pallet_balances::Call::transfer_allow_death { dest, value }.into(),
					1 => {
						let keep_alive = self.c % 2 == 0;
						pallet_balances::Call::transfer_all { dest, keep_alive }.into()
					}
					2 => pallet_balances::Call::transfer_keep_alive { dest, value }.into(),
					_ => frame_system::Call::remark_with_event { remark: vec![self.c] }.into(),
				};
				(self.by(account(self.a)), call)
			}
			_ => {
				let delegate = account(self.b).into();
				let (proxy_type, delay) = (Default::default(), 0);
				let call: RuntimeCall = match self.c % 4 {
					0 => pallet_proxy::Call::add_proxy { delegate, proxy_type, delay }.into(),
					1 => pallet_proxy::Call::remove_proxies {}.into(),
					2 => pallet_proxy::Call::create_pure { proxy_type, delay, index: 0 }.into(),
					_ => pallet_session::Call::purge_keys {}.into(),
				};
				(self.by(account(self.a)), call)
			}
		};
		Some((by, corrupt(call, self.at, self.change)?))
	}

	fn wrap(&self, by: By, call: RuntimeCall) -> Option<(By, RuntimeCall)> {
		let By::Signed(who) = &by else { return None };
		let call_ = Box::new(call.clone());
		let calls = vec![call.clone(), call];
		let wrapped: RuntimeCall = match self.a % 6 {
			0 => pallet_utility::Call::batch { calls }.into(),
			1 => pallet_utility::Call::batch_all { calls }.into(),
			2 => pallet_utility::Call::force_batch { calls }.into(),
			3 => pallet_utility::Call::as_derivative { index: self.b.into(), call: call_ }.into(),
			4 => {
				let other_signatories = vec![account(self.b)];
				pallet_multisig::Call::as_multi_threshold_1 { other_signatories, call: call_ }
					.into()
			}
			_ => {
				let real = who.clone().into();
				let call = pallet_proxy::Call::proxy { real, force_proxy_type: None, call: call_ };
				return Some((By::Signed(account(self.b)), call.into()));
			}
		};
		Some((by, wrapped))
	}

	/// The parameters as they are, of which a byte may be changed.
	fn set_parameters(&self) -> RuntimeCall {
		match self.a % 4 {
			0 => {
				let params = pallet_job_escrow::Parameters::<Runtime>::get();
				Jobs::set_parameters { params }.into()
			}
			1 => {
				let params = pallet_verification::Parameters::<Runtime>::get();
				Verification::set_parameters { params }.into()
			}
			2 => {
				let params = pallet_emissions::Parameters::<Runtime>::get();
				Emissions::set_parameters { params }.into()
			}
			_ => {
				let params = pallet_provider_registry::Parameters::<Runtime>::get();
				Providers::set_parameters { params }.into()
			}
		}
	}

	fn provider_call(&self, kind: Kind) -> (By, RuntimeCall) {
		let who = PROVIDERS.start + self.a % 4;
		let machine_ = u32::from(self.b % 4);
		let region = (self.d % 4 == 3).then_some(*b"DE");
		let urls: [&[u8]; 3] = [b"http://worker.example", b"https://[2001:db8::1]:9/x", b"ftp://x"];
		let endpoint = cut(urls[usize::from(self.c % 3)]);
		let classes = [MachineClass::Cpu, MachineClass::ConsumerGpu, MachineClass::DatacenterGpu];
		let call = match kind {
			Kind::Register => Providers::register {
				hot_key: hot(who + self.d / 4 % 4),
				stake: self.amount(self.b),
				name: cut(*b"name"),
				endpoint,
				region,
			},
			Kind::SetProfile => Providers::set_profile { name: cut(*b"new"), endpoint, region },
			Kind::SetHotKey => Providers::set_hot_key { new: account(self.b) },
			Kind::BondExtra => Providers::bond_extra { amount: self.amount(self.b) },
			Kind::Unbond => Providers::unbond { amount: self.amount(self.b) },
			Kind::WithdrawUnbonded => Providers::withdraw_unbonded {},
			Kind::AddMachine => {
				Providers::add_machine { spec: machine(classes[usize::from(self.c % 3)]) }
			}
			Kind::RemoveMachine => Providers::remove_machine { machine: machine_ },
			Kind::SetAsk => {
				let mut ask = ask(self.amount(self.c));
				ask.slots = u32::from(self.d % 4);
				ask.stake_percent = 500 * u32::from(self.d / 4);
				Providers::set_ask { machine: machine_, ask }
			}
			Kind::ClearAsk => Providers::clear_ask { machine: machine_ },
			_ => Providers::deregister {},
		};
		(self.by(account(who)), call.into())
	}

	fn job_call(&self, kind: Kind) -> Option<(By, RuntimeCall)> {
		let TaskId { job, index } = self.task();
		let record = JobEscrow::buyer_of(job);
		let owner = record.map(|(owner, _)| owner).unwrap_or(account(4));
		let hot = || {
			let provider = JobEscrow::provider_on(self.task());
			provider.and_then(|p| ProviderRegistry::hot_key_of(&p)).unwrap_or(hot(1))
		};
		Some(match kind {
			Kind::Post => {
				(self.by(account(4 + self.d / 64)), Jobs::post { spec: self.spec() }.into())
			}
			Kind::Cancel => (self.by(owner), Jobs::cancel { job }.into()),
			Kind::Advance => (self.by(account(self.c)), Jobs::advance { job, index }.into()),
			Kind::Accept => {
				let spec = pallet_job_escrow::Jobs::<Runtime>::get(job)?.spec;
				let subject = subject_of(&spec.program)?;
				let inputs = cut(subject.inputs.clone());
				let path = cut(subject.path(spec.tasks, spec.assurance.place(index).0));
				(self.by(hot()), Jobs::accept { job, index, inputs, path }.into())
			}
			Kind::Decline => (self.by(hot()), Jobs::decline { job, index }.into()),
			Kind::Submit => {
				let commitment = self.commitment()?;
				(self.by(hot()), Jobs::submit { job, index, commitment }.into())
			}
			Kind::Abandon => (self.by(hot()), Jobs::abandon { job, index }.into()),
			Kind::Claim => (self.by(account(self.a)), Jobs::claim {}.into()),
			Kind::Acknowledge => {
				let tasks = cut(vec![index; usize::from(self.c % 3) + 1]);
				(self.by(owner), Jobs::acknowledge { job, tasks }.into())
			}
			Kind::SealResult => {
				let provider = JobEscrow::provider_on(self.task())?;
				let seal = replication::seal(&provider, self.task(), &self.outcome()?, &SALT);
				(self.by(hot()), Jobs::seal_result { job, index, seal }.into())
			}
			_ => {
				let outcome = self.outcome()?;
				(self.by(hot()), Jobs::open_result { job, index, outcome, salt: SALT }.into())
			}
		})
	}

	fn spec(&self) -> JobSpec<AccountId> {
		let subject = &subjects()[usize::from(self.a % 2)];
		let tasks = u32::from(self.a / 2 % 3) + 1;
		let audited = |auditors, depth, at_least| Assurance::Audited { auditors, depth, at_least };
		let replicated =
			|replicas, tolerance, at_least| Assurance::Replicated { replicas, tolerance, at_least };
		let (all, none) = (Permill::one(), Permill::zero());
		let assurance = match self.b % 8 {
			0 => Assurance::every_task(1),
			1 => Assurance::Optimistic,
			2 => audited(1, Depth::Replay, none),
			3 => audited(1, Depth::Spot, all),
			4 => replicated(2, 0, all),
			5 => replicated(3, 0, none),
			6 => replicated(2, 5, all),
			_ => Assurance::every_task(3),
		};
		let mode = match self.d % 4 {
			3 => Mode::Direct { provider: account(PROVIDERS.start), machine: 0 },
			_ => Mode::BestAsk,
		};
		JobSpec {
			program: subject.id,
			tasks_root: subject.tasks_root(tasks),
			tasks,
			data_url: cut(*b"http://buyer.example"),
			requirements: Requirements {
				class: MachineClass::Cpu,
				min_memory_mib: 4,
				region: None,
			},
			mode,
			assurance,
			max_price: [2 * ASY, ASY / 5, 100 * ASY, Balance::MAX / 5][usize::from(self.c / 2 % 4)],
			value: if self.c % 2 == 1 { ASY } else { 0 },
			deadline: [40, 5, 200, 10_000][usize::from(self.d / 4 % 4)],
			lifetime: [1_000, 1, 20, 100_000][usize::from(self.d / 16 % 4)],
		}
	}

	/// The program of the task's job.
	fn subject(&self) -> Option<&'static Subject> {
		let job = pallet_job_escrow::Jobs::<Runtime>::get(self.task().job)?;
		subject_of(&job.spec.program)
	}

	fn commitment(&self) -> Option<Commitment> {
		let subject = self.subject()?;
		let mut commitment = subject.commitment(self.c % 2 == 1);
		match self.c / 2 % 4 {
			1 => commitment.trace_root = None,
			2 => commitment.trace_root = Some(Root::repeat_byte(self.d)),
			3 => commitment.output_root = Root::repeat_byte(self.d),
			_ => {}
		}
		Some(commitment)
	}

	fn outcome(&self) -> Option<Outcome> {
		let job = pallet_job_escrow::Jobs::<Runtime>::get(self.task().job)?;
		let close = matches!(job.spec.assurance, Assurance::Replicated { tolerance: 1.., .. });
		let summary = if close { vec![i32::from(self.d)] } else { vec![] };
		Some(Outcome { commitment: self.commitment()?, summary: cut(summary) })
	}
}

impl Step {
	fn verification_call(&self, kind: Kind) -> Option<(By, RuntimeCall)> {
		let task = self.task();
		let reporter = account(5 + self.d % 4);
		Some(match kind {
			Kind::RegisterProgram => {
				let subject = &subjects()[usize::from(self.a % 2)];
				let bytes = cut(subject.program.encode());
				(self.by(account(self.b)), Verification::register_program { bytes }.into())
			}
			Kind::RemoveProgram => {
				let program = subjects()[usize::from(self.a % 2)].id;
				(self.by(account(0)), Verification::remove_program { program }.into())
			}
			Kind::SealVerdict => {
				let (id, seat) = self.seat()?;
				let (verdict, proof) = self.verdict(self.c)?;
				let seal = auditor::seal(&seat.auditor, &id, &verdict, &proof, &SALT);
				let signed = SignedSeal { genesis: System::block_hash(0), seat: id, seal };
				let signature = sign(&seat.auditor, &signed.encode())?;
				(self.general(), Verification::seal_verdict { seat: id, seal, signature }.into())
			}
			Kind::OpenVerdict => {
				let (id, seat) = self.seat()?;
				// What was sealed, if it was one of these.
				let is = |number: &u8| {
					let sealed = self.verdict(*number).map(|(verdict, proof)| {
						auditor::seal(&seat.auditor, &id, &verdict, &proof, &SALT)
					});
					sealed.is_some() && sealed == seat.sealed.map(|(seal, _)| seal)
				};
				let (verdict, proof) = self.verdict((0..6).find(is).unwrap_or(self.c))?;
				let proof = cut(proof);
				let open = Verification::open_verdict { seat: id, verdict, proof, salt: SALT };
				(self.general(), open.into())
			}
			Kind::Bond => (
				self.by(account(self.a)),
				Verification::bond { amount: self.amount(self.c) }.into(),
			),
			Kind::BondLess => (
				self.by(account(self.a)),
				Verification::unbond { amount: self.amount(self.c) }.into(),
			),
			Kind::CommitReport => {
				let at = Cases::<Runtime>::get(task)?.submitted_at;
				let seal = report_seal(&reporter, task, at, &self.evidence(self.c)?, &SALT);
				(self.by(reporter), Verification::commit_report { task, seal }.into())
			}
			Kind::ReportFraud => {
				let report = Reports::<Runtime>::get(task, &reporter)?;
				let is = |number: &u8| {
					self.evidence(*number).is_some_and(|proof| {
						let at = report.submitted_at;
						report_seal(&reporter, task, at, &proof, &SALT) == report.seal
					})
				};
				let proof = cut(self.evidence((0..3).find(is).unwrap_or(self.c))?);
				(self.by(reporter), Verification::report_fraud { task, proof, salt: SALT }.into())
			}
			Kind::Demand => {
				let wanted = self.wanted();
				let opened = cut(self.subject()?.shown(&wanted));
				let who = match self.d % 8 {
					0 => JobEscrow::buyer_of(task.job)?.0,
					_ => reporter,
				};
				(self.by(who), Verification::demand { task, wanted, opened }.into())
			}
			Kind::DemandAsAuditor => {
				let (id, seat) = self.seat()?;
				let wanted = self.wanted();
				let opened = cut(self.subject()?.shown(&wanted));
				let genesis = System::block_hash(0);
				let signed = SignedDemand { genesis, seat: id, number: seat.demands, wanted };
				let signature = sign(&seat.auditor, &signed.encode())?;
				let demand =
					Verification::demand_as_auditor { seat: id, wanted, opened, signature };
				(self.general(), demand.into())
			}
			_ => {
				let nth = usize::from(self.c % 4);
				let (demander, demand) = Demands::<Runtime>::iter_prefix(task).nth(nth)?;
				let known = Cases::<Runtime>::get(task)?.known();
				let answer = cut(self.subject()?.open(&known, &demand.wanted)?);
				let provider = JobEscrow::provider_on(task)?;
				let hot = ProviderRegistry::hot_key_of(&provider)?;
				(self.by(hot), Verification::answer { task, demander, answer }.into())
			}
		})
	}

	fn general(&self) -> By {
		match self.who {
			0 => By::General,
			_ => self.by(account(0)),
		}
	}

	/// A seat of the task's audit.
	fn seat(&self) -> Option<(SeatId, Seat<AccountId>)> {
		let task = self.task();
		let audit = Audits::<Runtime>::get(task)?;
		let Stage::Voting(voting) = audit.stage else { return None };
		let number = self.d % voting.seats.len() as u8;
		let seat = voting.seats.get(usize::from(number))?.clone();
		let (submitted_at, round) = (audit.submitted_at, audit.round);
		Some((SeatId { task, submitted_at, round, number }, seat))
	}

	/// A verdict on the task, and what goes with it.
	fn verdict(&self, number: u8) -> Option<(Verdict, Vec<u8>)> {
		let subject = self.subject()?;
		Some(match number % 6 {
			0 => (Verdict::Valid, vec![]),
			1 => (Verdict::Unavailable, vec![]),
			2 => (Verdict::Invalid(subject.wrong), subject.proof.clone()),
			3 => (Verdict::Abstained, vec![]),
			4 => (Verdict::Invalid(Place { node: 0, row: 0, col: 0 }), subject.proof.clone()),
			_ => (Verdict::Valid, subject.proof.clone()),
		})
	}

	/// A proof that the task's result is wrong, or what is none.
	fn evidence(&self, number: u8) -> Option<Vec<u8>> {
		let proof = &self.subject()?.proof;
		Some(match number % 3 {
			0 => proof.clone(),
			1 => vec![],
			_ => proof[..proof.len() - 1].to_vec(),
		})
	}

	fn wanted(&self) -> Wanted {
		let (level, index) = (self.c / 4 % 5, u32::from(self.c / 20 % 4));
		let node = u32::from(self.d / 8 % 4);
		match self.c % 4 {
			0 => Wanted::Trace,
			1 => Wanted::Row { node, row: index },
			2 => Wanted::Tensors { level, index },
			_ => Wanted::Rows { node, level, index },
		}
	}
}

fn sign(auditor: &AuditorId, message: &[u8]) -> Option<auditor::AuditorSignature> {
	let pair = validator(|pair| AuditorId::from(pair.public()) == *auditor)?;
	Some(pair.sign(message).into())
}
