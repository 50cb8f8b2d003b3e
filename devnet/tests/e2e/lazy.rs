//! Auditors that say *valid* and have looked at nothing.

use crate::{
	books::Books,
	challenges::{ended, look, post},
	common::*,
	dues::{collateral, price, ASY, AUDIT, CUSTODY, DEPOSIT, RUNS},
	unseen::Unseen,
};
use assay_devnet::{planck, Panel, WorkerOptions};

const LIAR: &str = "//Dave";
/// Somebody whom nobody drew.
const STRANGER: &str = "//Eve";
/// Auditors drawn.
const DRAWN: u128 = 2;

/// Two of three auditors are drawn for a lie and let it pass unseen. A stranger proves it before the
/// window is over. The liar forfeits all, the buyer is made whole, the stranger is paid, and both who
/// vouched for the lie lose their deposits, while the third loses nothing: to the planck.
#[test]
fn vouch_for_a_lie_and_lose_their_deposits() {
	let panel = Panel { auditors: 3, challenge_window: 60, service: false, ..Panel::default() };
	let mut net = panel.start().unwrap();
	let cli = net.cli.clone();
	let auditors = Unseen::start();
	auditors.serve(&net);
	let lying =
		WorkerOptions { sabotage: Some("7:50:200:-3".into()), ..WorkerOptions::honest(LIAR) };
	let provider = net.register(&lying, None).unwrap();
	let _worker = net.start_worker(&provider, lying.sabotage.as_deref()).unwrap();
	let books = Books::open(&net, &panel, &[LIAR]);
	let issuance = Issuance::at_genesis(&cli);

	let audited = [&EVERY_TASK[..], &["--auditors", "2", "--value", "7ASY", "--deadline", "100"]];
	let submission = post(&net, &provider, &audited.concat());
	until("the lie to pass its audit", || {
		let status = cli.attempt(&["job", "status", "0"]).unwrap();
		status.is_ok_and(|job| job["tasks"][0]["state"] == "passed")
	});
	assert!(auditors.asked() > 0, "somebody else has audited it");
	let report = ["--suri", STRANGER, "audit", "task", "0:0", "--report"];
	let (code, found) = look(cli.command(&report));
	assert_eq!((code, &found["reported"]), (Some(1), &"convicted".into()), "{found}");
	assert_eq!([&found["node"], &found["row"], &found["col"]], [7, 50, 200], "{found}");
	let watched = ended(submission);

	let value = 7 * ASY;
	let price = price(ASY, value, 100);
	let collateral = collateral(price, value);
	let audit = DRAWN * AUDIT;
	let compensation = value + audit;
	let reward = (collateral - compensation) / 2;
	let burned = collateral - compensation - reward;

	let audits = events(&watched, "audited");
	assert_eq!(audits.len(), 1, "{watched}");
	assert_eq!(audits[0]["outcome"], "passed", "{watched}");
	let convicted = events(&watched, "convicted");
	assert_eq!(convicted.len(), 1, "{watched}");
	for (part, due) in [
		("forfeit", collateral),
		("compensation", compensation),
		("reward", reward),
		("burned", burned),
	] {
		assert_eq!(planck(&convicted[0][part]), due, "{part}: {watched}");
	}
	check_sums(&watched["job"]);
	// One custodian in each of two quorums, none of whom was asked.
	let escrow = price + RUNS * (audit + 2 * CUSTODY);
	for (part, due) in [
		("escrow", escrow),
		("paid", 0),
		("fees", 0),
		("burned", 0),
		("audit", audit),
		("refunded", escrow - audit),
		("compensated", compensation),
	] {
		assert_eq!(planck(&watched["job"]["money"][part]), due, "{part}: {watched}");
	}

	until("the reward", || {
		planck(&cli.run(&["network"]).unwrap()["destroyed"]) > 0 && {
			books.changes().accounts.contains_key(STRANGER)
		}
	});
	let mut changes = books.changes();
	let signed = |amount: u128| amount as i128;
	let mut changed = panel
		.secrets()
		.iter()
		.map(|auditor| changes.accounts.remove(auditor).unwrap_or(0))
		.collect::<Vec<_>>();
	changed.sort();
	let lost = signed(AUDIT) - signed(DEPOSIT);
	assert_eq!(changed, [lost, lost, 0], "{changes:?}");
	let others = [
		(BUYER, signed(compensation) - signed(audit)),
		(LIAR, -signed(collateral)),
		(STRANGER, signed(reward)),
	];
	let others = others.map(|(name, change)| (name.to_string(), change));
	assert_eq!(changes.accounts, others.into(), "{changes:?}");
	assert_eq!(changes.issuance, -signed(burned + DRAWN * DEPOSIT), "{changes:?}");
	issuance.check(&cli);

	let stats = cli.run(&["network"]).unwrap();
	for (figure, due) in [
		("forfeited", collateral),
		("destroyed", burned + DRAWN * DEPOSIT),
		("burned", 0),
		("minted", 0),
		("escrow", 0),
		("paid", 0),
	] {
		assert_eq!(planck(&stats[figure]), due, "{figure}: {stats}");
	}
	let liar = cli.run(&["provider", "show", LIAR]).unwrap();
	assert_eq!((&liar["failed"], &liar["settled"]), (&1.into(), &0.into()), "{liar}");
	assert_eq!((planck(&liar["stake"]), planck(&liar["locked"])), (5_000 * ASY - collateral, 0));
}
