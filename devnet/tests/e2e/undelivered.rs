//! A right result that nobody can have.

use crate::{
	books::Books,
	common::*,
	dues::{collateral, paid, price, Paid, ASY, CUSTODY, RUNS},
	fakes::{serve, Behaviour},
};
use assay_devnet::{planck, Panel, WorkerOptions};

/// Does the work and keeps it.
const MISER: &str = "//Dave";
/// Serves what it has done.
const OTHER: &str = "//Bob";
/// Custodians of a quorum.
const QUORUM: u128 = 3;

/// The right output is served to nobody, and the buyer says nothing. Two quorums with nobody in both
/// cannot have it: the provider is unpaid and loses 5 % of its collateral, and the task goes to
/// another, whose output custodians have, and who is paid: to the planck.
#[test]
fn is_unpaid_and_done_again_by_another() {
	let panel = Panel { auditors: 6, custodians: QUORUM as u8, ..Panel::default() };
	let mut net = panel.start().unwrap();
	let cli = net.cli.clone();
	// Its data plane is where nobody looks for it; on the chain it does all that it should.
	let (url, _) = serve(Behaviour::Closed);
	let miser = net.register(&WorkerOptions::honest(MISER), Some(&url)).unwrap();
	let other = WorkerOptions { price: "2ASY".into(), ..WorkerOptions::honest(OTHER) };
	let other = net.register(&other, None).unwrap();
	let _miser = net.start_worker(&miser, None).unwrap();
	let _other = net.start_worker(&other, None).unwrap();
	let books = Books::open(&net, &panel, &[MISER, OTHER]);
	let issuance = Issuance::at_genesis(&cli);
	let more = ["--optimistic", "--max-price", "3ASY"];
	let watched = cli.follow(BUYER, &program(), &batches(1), &more).unwrap();
	assert_eq!(watched["ok"], true, "{watched}");

	let (first, second) = (price(ASY, 0, 100), price(2 * ASY, 0, 100));
	let slash = collateral(first, 0) * 5 / 100;
	let Paid { provider, treasury, burned } = paid(second);
	let custody = 3 * QUORUM * CUSTODY;

	let submitted = events(&watched, "submitted");
	assert_eq!(submitted.len(), 2, "{watched}");
	for result in submitted {
		assert_eq!(result["commitment"]["output_root"], claim(0)[1], "{watched}");
	}
	let offered = events(&watched, "offered");
	let offered: Vec<_> =
		offered.iter().map(|offer| (&offer["provider"], planck(&offer["price"]))).collect();
	let [to_miser, to_other] = [&miser.address, &other.address].map(|who| who.as_str().into());
	assert_eq!(offered, [(&to_miser, first), (&to_other, second)], "{watched}");
	let found: Vec<_> = events(&watched, "delivered")
		.into_iter()
		.map(|delivered| (delivered["found"].as_str().unwrap(), planck(&delivered["fee"])))
		.collect();
	let fee = QUORUM * CUSTODY;
	assert_eq!(found, [("doubted", fee), ("undelivered", fee), ("held", fee)], "{watched}");
	let slashed = events(&watched, "slashed");
	assert_eq!(slashed.len(), 1, "{watched}");
	assert_eq!(slashed[0]["provider"], to_miser, "{watched}");
	assert_eq!(planck(&slashed[0]["burned"]), slash, "{watched}");
	let requeued = events(&watched, "requeued");
	assert_eq!(requeued.len(), 1, "{watched}");
	assert_eq!(requeued[0]["reason"], "undelivered", "{watched}");
	for nothing in ["acknowledged", "convicted", "audited"] {
		assert!(events(&watched, nothing).is_empty(), "{nothing}: {watched}");
	}

	check_sums(&watched["job"]);
	let escrow = 3 * ASY + RUNS * 2 * fee;
	for (part, due) in [
		("escrow", escrow),
		("paid", provider),
		("fees", treasury + burned),
		("burned", burned),
		("audit", custody),
		("refunded", escrow - second - custody),
		("compensated", 0),
	] {
		assert_eq!(planck(&watched["job"]["money"][part]), due, "{part}: {watched}");
	}

	let mut changes = books.changes();
	let signed = |amount: u128| amount as i128;
	// All six were in one of the first two quorums, and half of them once more in the third.
	let mut earned = panel
		.secrets()
		.iter()
		.map(|auditor| changes.accounts.remove(auditor).unwrap_or(0))
		.collect::<Vec<_>>();
	earned.sort();
	let [once, twice] = [signed(CUSTODY), signed(2 * CUSTODY)];
	assert_eq!(earned, [once, once, once, twice, twice, twice], "{changes:?}");
	let others = [
		(BUYER, -signed(second + custody)),
		(MISER, -signed(slash)),
		(OTHER, signed(provider)),
		("treasury", signed(treasury)),
	];
	let others = others.map(|(name, change)| (name.to_string(), change));
	assert_eq!(changes.accounts, others.into(), "{changes:?}");
	assert_eq!(changes.issuance, -signed(slash + burned), "{changes:?}");
	issuance.check(&cli);

	let stats = cli.run(&["network"]).unwrap();
	for (figure, due) in [
		("forfeited", slash),
		("destroyed", slash),
		("burned", burned),
		("minted", 0),
		("escrow", 0),
		("paid", provider),
	] {
		assert_eq!(planck(&stats[figure]), due, "{figure}: {stats}");
	}
	let miser = cli.run(&["provider", "show", MISER]).unwrap();
	assert_eq!((&miser["failed"], &miser["settled"]), (&1.into(), &0.into()), "{miser}");
	assert_eq!((planck(&miser["stake"]), planck(&miser["locked"])), (5_000 * ASY - slash, 0));
}
