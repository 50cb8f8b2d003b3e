//! Tasks done by several providers, who vote: honest ones are paid, a liar is not and pays a little.

use crate::common::*;
use assay_devnet::{planck, WorkerOptions};

/// Of the workers' asks for a task of the example: one token, and as much as its operations cost.
const PRICE: u128 = 1_001_100_000_000;
/// What the one custodian of each output that is paid costs, and what is in escrow for it.
const CUSTODY: u128 = 1_010_000_000;
const ESCROW: u128 = PRICE + 3 * 2 * CUSTODY;
const TASKS: u128 = 2;

/// Three real workers, one of which lies about the output of every task.
#[test]
fn a_liar_among_replicas_is_outvoted() {
	let mut net = start();
	let cli = net.cli.clone();
	let issuance = Issuance::at_genesis(&cli);
	// The first to be asked is the liar, whose ask is the oldest of three that are the same.
	let lying =
		WorkerOptions { sabotage: Some("18:99:0:1".into()), ..WorkerOptions::honest("//Dave") };
	let _liar = net.worker(&lying).unwrap();
	let _honest = [
		net.worker(&WorkerOptions::honest("//Bob")).unwrap(),
		net.worker(&WorkerOptions::honest("//Eve")).unwrap(),
	];
	let names = ["//Dave", "//Bob", "//Eve"];
	let before = names.map(|name| wealth(&cli, name));
	let buyer = wealth(&cli, BUYER);

	let watched = follow(&net, TASKS as usize, &["--replicas", "3"]);
	assert_eq!(watched["ok"], true, "{watched}");
	let (job, slots) = (&watched["job"], watched["tasks"].as_array().unwrap());
	check_sums(job);
	assert_eq!(slots.len() as u128, 3 * TASKS, "{watched}");
	for (index, slot) in slots.iter().enumerate() {
		let by = slot["match"]["provider"].as_str().unwrap_or_default();
		match slot["state"].as_str() {
			Some("settled") => {
				assert_eq!(slot["commitment"]["output_root"], claim(index / 3)[1], "{slot}");
				assert_ne!(by, "", "{slot}");
			}
			Some("refunded") => assert_eq!(slot["reason"], "outvoted", "{slot}"),
			other => panic!("{other:?}: {watched}"),
		}
	}

	// Of three replicas of each task two are paid, to the planck.
	let fee = PRICE / 20;
	let money = |part: &str| planck(&job["money"][part]);
	assert_eq!(money("escrow"), 3 * TASKS * ESCROW, "{watched}");
	assert_eq!(money("paid"), 2 * TASKS * (PRICE - fee), "{watched}");
	assert_eq!(money("fees"), 2 * TASKS * fee, "{watched}");
	assert_eq!(money("refunded"), 3 * TASKS * ESCROW - 2 * TASKS * (PRICE + CUSTODY), "{watched}");
	assert_eq!(events(&watched, "sealed").len() as u128, 3 * TASKS, "{watched}");
	assert_eq!(events(&watched, "opened").len() as u128, 3 * TASKS, "{watched}");
	let agreed = events(&watched, "agreed");
	assert!(agreed.iter().all(|event| event["replicas"] == 2), "{watched}");
	assert_eq!(agreed.len() as u128, TASKS, "{watched}");

	// The liar loses a twentieth of what it put at risk, and nobody is the richer for it.
	let collateral = (PRICE + (PRICE * 3).div_ceil(100)) * 20;
	let slashed = events(&watched, "slashed");
	let burned: u128 = slashed.iter().map(|event| planck(&event["burned"])).sum();
	assert_eq!((slashed.len() as u128, burned), (TASKS, TASKS * (collateral / 20)), "{watched}");
	let [dave, bob, eve] = names.map(|name| wealth(&cli, name));
	assert_eq!(before[0] - dave, burned, "the liar is not paid");
	for gained in [bob - before[1], eve - before[2]] {
		let paid = TASKS * (PRICE - fee);
		// What emission adds is less than what was burned of the fees.
		assert!((paid..paid + TASKS * fee).contains(&gained), "{gained} planck gained");
	}
	let spent = buyer - wealth(&cli, BUYER);
	// But for the fees of transactions; the program's deposit is held, and counts.
	assert!((2 * TASKS * PRICE..2 * TASKS * PRICE + PRICE / 10).contains(&spent), "{spent}");
	let stats = cli.run(&["network"]).unwrap();
	assert_eq!(planck(&stats["forfeited"]), burned, "{stats}");
	assert_eq!(planck(&stats["destroyed"]), burned, "{stats}");
	assert_eq!(planck(&stats["escrow"]), 0, "{stats}");
	assert_eq!(stats["convictions"], 0, "a vote convicts nobody: {stats}");
	let liar = cli.run(&["provider", "show", "//Dave"]).unwrap();
	assert_eq!((liar["failed"].as_u64(), liar["settled"].as_u64()), (Some(2), Some(0)), "{liar}");
	assert_eq!(planck(&liar["locked"]), 0, "{liar}");

	// Any of the replicas that agree has the result.
	let out = net.folder().join("results");
	let out_text = out.display().to_string();
	let report = cli.run(&["job", "result", "0", "--out", &out_text]).unwrap();
	let counts = ["fetched", "failed", "unsettled"].map(|name| report[name].as_u64());
	assert_eq!(counts, [Some(2), Some(0), Some(0)], "{report}");
	assert!((0..TASKS).all(|task| out.join(format!("task-{task:05}.bin")).exists()));
	issuance.check(&cli);
}
