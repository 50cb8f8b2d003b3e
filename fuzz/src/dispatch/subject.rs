//! What the calls are about: accounts, and programs with a right and a wrong result of each.

use super::chain::{send, By};
use assay_compute::{
	audit::{full, Claim, MemorySource, Verdict},
	execute,
	proof::{demand, prove, OpenNode},
	prove_task, tasks_root, Dtype, Node, Program, Shape, Tensor, Trace, ValidProgram,
};
use assay_primitives::{
	demand::Wanted,
	market::{Ask, MachineClass},
	work::{Commitment, Place},
	Root, ASY,
};
use assay_runtime::{AccountId, Balance, RuntimeCall};
use codec::Encode;
use frame_support::{traits::Get, BoundedVec};
use pallet_provider_registry::MachineSpec;
use sp_keyring::Sr25519Keyring;
use std::sync::OnceLock;

/// Accounts that have money, and then some that have none.
pub fn account(number: u8) -> AccountId {
	match number % 16 {
		funded @ 0..12 => {
			let key = Sr25519Keyring::well_known().nth(funded.into()).expect("there are twelve");
			key.to_account_id()
		}
		poor => AccountId::new([poor; 32]),
	}
}

/// Those that are providers where something has happened, by number of account.
pub const PROVIDERS: std::ops::Range<u8> = 1..4;

/// The account with which a provider's worker signs.
pub fn hot(provider: u8) -> AccountId {
	account(provider + 6)
}

/// A list cut to the most that it may hold.
pub fn cut<T, S: Get<u32>>(items: impl Into<Vec<T>>) -> BoundedVec<T, S> {
	BoundedVec::truncate_from(items.into())
}

/// A program with one task.
pub struct Subject {
	pub program: ValidProgram,
	pub id: Root,
	pub inputs: Vec<Root>,
	/// Right, and wrong.
	traces: [Trace; 2],
	/// Where the second is wrong, and the proof of it.
	pub wrong: Place,
	pub proof: Vec<u8>,
}

impl Subject {
	fn new(rows: u32) -> Self {
		let nodes = vec![
			Node::Input { dtype: Dtype::I8, rows, cols: 4 },
			Node::Fill { rows: 3, cols: 4, seed: [7; 32] },
			Node::MatmulT { a: 0, b: 1 },
		];
		let program = Program { nodes }.validate().expect("it is valid");
		let shape = Shape::new(Dtype::I8, rows, 4);
		let input = Tensor::new(shape, vec![1; 4 * rows as usize]).expect("it fits");
		let right = execute(&program, &[(0, input)].into()).expect("it runs");
		let mut lie = right.clone();
		let product = &right.tensors[2];
		let mut data = product.data().to_vec();
		data[4] ^= 1;
		lie.tensors[2] = Tensor::new(product.shape(), data).expect("the same shape");
		let inputs = vec![right.roots()[0]];
		let claim = Claim::new(inputs.clone(), &lie.commit());
		let Verdict::Invalid(fault) = full(&program, &claim, &lie) else {
			panic!("the lie is not found")
		};
		let proof = prove(&program, &claim, &fault, &mut MemorySource::new(&lie));
		Subject {
			id: program.id().into(),
			inputs: inputs.into_iter().map(Root::from).collect(),
			traces: [right, lie],
			wrong: Place { node: fault.node, row: fault.row, col: fault.col },
			proof: proof.expect("a lie has a proof").encode(),
			program,
		}
	}

	/// The result, right or wrong.
	pub fn commitment(&self, lie: bool) -> Commitment {
		let commitment = self.traces[usize::from(lie)].commit();
		Commitment {
			output_root: commitment.output_root.into(),
			trace_root: Some(commitment.trace_root.into()),
		}
	}

	fn tasks(&self, count: u32) -> Vec<Vec<[u8; 32]>> {
		vec![self.inputs.iter().map(|root| root.0).collect(); count as usize]
	}

	/// The root over so many tasks, all with the same inputs.
	pub fn tasks_root(&self, count: u32) -> Root {
		tasks_root(&self.tasks(count)).into()
	}

	/// The path to one of them.
	pub fn path(&self, count: u32, index: u32) -> Vec<Root> {
		let path = prove_task(&self.tasks(count), index).unwrap_or_default();
		path.into_iter().map(Root::from).collect()
	}

	/// Opens what is wanted of a claim, if the claim is one of the two.
	pub fn open(&self, known: &Commitment, wanted: &Wanted) -> Option<Vec<u8>> {
		let lie = known.output_root == self.commitment(true).output_root;
		let trace = &self.traces[usize::from(lie)];
		let Some(place) = wanted.place() else { return Some(trace.commit().trace_root.encode()) };
		let inputs = self.inputs.iter().map(|root| root.0).collect();
		let claim = Claim::new(inputs, &trace.commit());
		let opening =
			demand::open(&self.program, &claim, &place, &mut MemorySource::new(trace)).ok()?;
		Some(opening.encode())
	}

	/// What shows that there is such a place.
	pub fn shown(&self, wanted: &Wanted) -> Vec<u8> {
		let node = wanted.place().and_then(|place| place.node());
		let opened = node.and_then(|node| OpenNode::of(&self.program, node));
		opened.map(|opened| opened.encode()).unwrap_or_default()
	}
}

/// The programs.
pub fn subjects() -> &'static [Subject; 2] {
	static SUBJECTS: OnceLock<[Subject; 2]> = OnceLock::new();
	SUBJECTS.get_or_init(|| [Subject::new(1), Subject::new(9)])
}

/// The one of this id.
pub fn subject_of(program: &Root) -> Option<&'static Subject> {
	subjects().iter().find(|subject| subject.id == *program)
}

/// Terms on which a machine takes any task.
pub fn ask(price: Balance) -> Ask {
	Ask {
		base: price,
		per_gmac: price,
		per_melement: price,
		per_value_block: 1,
		max_value: 1_000 * ASY,
		max_macs: u128::MAX,
		max_trace_bytes: u128::MAX,
		min_deadline: 0,
		slots: 2,
		stake_percent: 2_000,
	}
}

/// A machine.
pub fn machine(class: MachineClass) -> MachineSpec {
	MachineSpec { class, model: cut(*b"model"), memory_mib: 1_024 }
}

/// Has the programs registered, and providers whose machines take work.
pub fn prepare() {
	use pallet_provider_registry::Call as Providers;
	let ok = |who: AccountId, call: RuntimeCall| {
		let sent = send(By::Signed(who), call);
		assert!(matches!(sent, Ok(Ok(_))), "{sent:?}");
	};
	for subject in subjects() {
		let bytes = cut(subject.program.encode());
		ok(account(0), pallet_verification::Call::register_program { bytes }.into());
	}
	for provider in PROVIDERS {
		let register = Providers::register {
			hot_key: hot(provider),
			stake: 10_000 * ASY,
			name: cut(*b"name"),
			endpoint: cut(*b"http://worker.example"),
			region: None,
		};
		ok(account(provider), register.into());
		let spec = machine(MachineClass::Cpu);
		ok(account(provider), Providers::add_machine { spec }.into());
		let ask = ask(ASY / 10 * Balance::from(provider));
		ok(account(provider), Providers::set_ask { machine: 0, ask }.into());
	}
}
