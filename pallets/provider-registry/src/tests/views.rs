use crate::{mock::*, Figures};
use assay_primitives::traits::Supply;
use frame_support::assert_ok;
use std::collections::BTreeSet;

#[test]
fn a_provider_is_shown_whole() {
	build_and_execute(|| {
		assert_eq!(Registry::provider_view(&account(1)), None);
		provider(1, 5_000, 10);
		assert_ok!(Registry::add_machine(origin(1), spec()));
		assert_ok!(Registry::unbond(origin(1), 500));
		assert_ok!(Registry::lock(&account(1), 100));
		assert_ok!(Registry::reserve(&account(1), 0));
		let view = Registry::provider_view(&account(1)).unwrap();
		assert_eq!((view.stake, view.locked, view.unbonding), (4_500, 100, 500));
		assert_eq!((view.account, view.hot_key), (account(1), hot(1)));
		assert_eq!(view.endpoint, "http://127.0.0.1:9000");
		let machines: Vec<_> = view.machines.iter().map(|m| (m.id, m.busy, m.ask)).collect();
		assert_eq!(machines, vec![(0, 1, Some(ask(10))), (1, 0, None)]);
		assert_eq!(view.machines[0].model, "RTX 4090");
	});
}

#[test]
fn pages_hold_every_provider_once() {
	build_and_execute(|| {
		for n in 1..=7 {
			register(n, MIN_STAKE);
		}
		let mut seen = BTreeSet::new();
		let mut last = None;
		let mut pages = 0;
		loop {
			let page = Registry::providers_page(last.as_ref(), 3);
			assert!(page.len() <= 3);
			let Some(provider) = page.last() else { break };
			last = Some(provider.account.clone());
			assert!(page.into_iter().all(|provider| seen.insert(provider.account)));
			pages += 1;
		}
		assert_eq!((seen.len(), pages), (7, 3));
		assert!(Registry::providers_page(None, 0).is_empty());
		assert_eq!(Registry::providers_page(None, u32::MAX).len(), 7);
	});
}

#[test]
fn figures_count() {
	build_and_execute(|| {
		provider(1, 5_000, 10);
		provider(2, 3_000, 10);
		assert_ok!(Registry::add_machine(origin(2), spec()));
		assert_eq!(
			Registry::figures(),
			Figures { providers: 2, machines: 3, asks: 2, staked: 8_000 }
		);
	});
}
