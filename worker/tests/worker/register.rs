//! Registering says what it did and what was there, and does nothing twice.

use crate::{
	chain::{hot_key, provider, FakeChain},
	common::block_on,
};
use assay_primitives::{
	market::{Ask, MachineClass},
	AccountId, ASY,
};
use assay_worker::{
	chain::{Call, MachineSpec},
	register::{register, Wish},
};

fn wish() -> Wish {
	Wish {
		hot_key: hot_key(),
		stake: 1_000 * ASY,
		name: Some("mine".into()),
		endpoint: Some("http://worker:9955".into()),
		region: Some(*b"CH"),
		machine: MachineSpec { class: MachineClass::Cpu, model: "m".into(), memory_mib: 4_096 },
		ask: Ask {
			base: 1,
			per_gmac: 2,
			per_melement: 3,
			per_value_block: 4,
			stake_percent: 8,
			max_value: 5,
			max_macs: 6,
			max_trace_bytes: 7,
			min_deadline: 8,
			slots: 9,
		},
		replace_ask: false,
		fund: 5 * ASY,
	}
}

fn controller() -> FakeChain {
	FakeChain::empty().signing_as(provider())
}

#[test]
fn everything_is_put_there_once() {
	block_on(async {
		let chain = controller();
		let first = register(&chain, &wish()).await.unwrap();
		assert_eq!((first.done.len(), first.there.len(), first.machine), (4, 0, 0));
		let calls = chain.state().calls.clone();
		assert!(matches!(
			calls[..],
			[Call::Register { .. }, Call::AddMachine(_), Call::SetAsk(0, _), Call::Transfer(..)]
		));
		let view = chain.state().providers[&provider()].clone();
		assert_eq!(
			(view.hot_key, view.name, view.region),
			(hot_key(), "mine".into(), Some(*b"CH"))
		);
		assert_eq!(view.machines[0].ask, Some(wish().ask));
		assert_eq!(chain.state().balances[&hot_key()], 5 * ASY);

		let again = register(&chain, &wish()).await.unwrap();
		assert_eq!((again.done.len(), again.there.len()), (0, 7), "{again:?}");
		assert_eq!(chain.state().calls.len(), 4);
	});
}

#[test]
fn only_what_differs_is_changed() {
	block_on(async {
		let chain = controller();
		register(&chain, &wish()).await.unwrap();
		let other = AccountId::new([9; 32]);
		let changed = Wish {
			hot_key: other.clone(),
			stake: 1_500 * ASY,
			name: None,
			endpoint: Some("http://elsewhere".into()),
			region: None,
			ask: Ask { base: 100, ..wish().ask },
			fund: 0,
			..wish()
		};
		let done = register(&chain, &changed).await.unwrap();
		// The ask is left as it is: no terms were given.
		assert_eq!(done.done.len(), 3, "{done:?}");
		assert_eq!((done.stake, done.ask.base, done.hot_key), (1_500 * ASY, 1, other));
		let view = chain.state().providers[&provider()].clone();
		assert_eq!((view.name.as_str(), view.endpoint.as_str()), ("mine", "http://elsewhere"));
		assert_eq!(view.region, Some(*b"CH"));

		let done = register(&chain, &Wish { replace_ask: true, ..changed }).await.unwrap();
		assert_eq!((done.done.len(), done.ask.base), (1, 100));
		let larger = MachineSpec { memory_mib: 8_192, ..wish().machine };
		let done = register(&chain, &Wish { machine: larger, ..wish() }).await.unwrap();
		assert_eq!(done.machine, 1);
	});
}

#[test]
fn what_cannot_be_is_refused() {
	block_on(async {
		let chain = controller();
		let error = register(&chain, &Wish { endpoint: None, ..wish() }).await.unwrap_err();
		assert!(error.to_string().contains("--endpoint"), "{error}");
		let own = Wish { hot_key: provider(), ..wish() };
		let error = register(&chain, &own).await.unwrap_err();
		assert!(error.to_string().contains("must differ"), "{error}");
		assert!(chain.state().calls.is_empty());
	});
}
