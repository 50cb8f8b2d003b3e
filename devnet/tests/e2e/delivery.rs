//! Delivery: the buyer has the output or custodians have had it, or nobody is paid.

use crate::{
	common::*,
	fakes::{root, serve, Behaviour, Fake},
};
use assay_devnet::{planck, Net, WorkerOptions};
use serde_json::Value;
use std::process::Stdio;

/// Of the workers' asks for a task of the example: one token, and as much as its operations cost.
const PRICE: u128 = 1_001_100_000_000;
/// What a custodian of the example's output is paid in this chain: the base and one mebibyte begun.
const CUSTODY: u128 = 1_000_000_000 + 10_000_000;

fn optimistic(net: &Net, provider: &str, more: &[&str]) -> Value {
	let to = ["--optimistic", "--provider", provider, "--machine", "0"];
	net.cli.follow(BUYER, &program(), &batches(1), &[more, &to[..]].concat()).unwrap()
}

fn money(watched: &Value, part: &str) -> u128 {
	planck(&watched["job"]["money"][part])
}

/// The buyer says nothing, and the provider is paid all the same, once a custodian has had the output.
#[test]
fn custodians_have_what_nobody_acknowledges() {
	let mut net = start();
	let cli = net.cli.clone();
	let issuance = Issuance::at_genesis(&cli);
	let bob = net.register(&WorkerOptions::honest("//Bob"), None).unwrap();
	let _worker = net.start_worker(&bob, None).unwrap();
	let (before, custodian) = (wealth(&cli, "//Bob"), wealth(&cli, "//Alice"));
	let watched = optimistic(&net, &bob.address, &[]);
	assert_eq!(watched["ok"], true, "{watched}");
	check_sums(&watched["job"]);
	let delivered = events(&watched, "delivered");
	assert_eq!(delivered.len(), 1, "{watched}");
	assert_eq!(delivered[0]["found"], "held", "{watched}");
	// Runs: three. Custodians of each: one, and another if need be.
	assert_eq!(money(&watched, "escrow"), PRICE + 3 * 2 * CUSTODY, "{watched}");
	assert_eq!(money(&watched, "audit"), CUSTODY, "{watched}");
	assert_eq!(money(&watched, "paid"), PRICE - PRICE / 20, "{watched}");
	assert_eq!(wealth(&cli, "//Bob") - before, money(&watched, "paid"));
	// She has fees of transactions too, as the author of all blocks.
	let earned = wealth(&cli, "//Alice") - custodian;
	assert!((CUSTODY..PRICE / 10).contains(&earned), "{earned}");
	issuance.check(&cli);
}

/// Whoever fetches what it bought acknowledges it, and pays no custodian.
#[test]
fn a_buyer_who_fetches_its_results_pays_no_custodian() {
	let mut net = start();
	let cli = net.cli.clone();
	let issuance = Issuance::at_genesis(&cli);
	let bob = net.register(&WorkerOptions::honest("//Bob"), None).unwrap();
	let _worker = net.start_worker(&bob, None).unwrap();
	let to = ["--optimistic", "--provider", &bob.address, "--machine", "0"];
	let mut submission = net.cli.submission(BUYER, &program(), &batches(1), &to);
	let submission = submission.stdout(Stdio::piped()).spawn().unwrap();
	until("a result that stands", || {
		let status = cli.attempt(&["job", "status", "0"]).unwrap();
		status.is_ok_and(|job| job["tasks"][0]["state"] == "passed")
	});
	let out = net.folder().join("results").display().to_string();
	// Whoever else fetches it acknowledges nothing.
	for (who, acknowledged) in [("//Eve", vec![]), (BUYER, vec![0]), (BUYER, vec![])] {
		let report = cli.run(&["--suri", who, "job", "result", "0", "--out", &out]).unwrap();
		assert_eq!((&report["fetched"], &report["failed"]), (&1.into(), &0.into()), "{report}");
		assert_eq!(report["acknowledged"], Value::from(acknowledged), "{who}: {report}");
	}
	let output = submission.wait_with_output().unwrap();
	let text = String::from_utf8(output.stdout).unwrap();
	let watched: Value = serde_json::from_str(text.lines().next_back().unwrap()).unwrap();
	assert_eq!(watched["ok"], true, "{watched}");
	check_sums(&watched["job"]);
	assert_eq!(events(&watched, "acknowledged").len(), 1, "{watched}");
	assert_eq!(events(&watched, "delivered").len(), 0, "{watched}");
	assert_eq!(money(&watched, "audit"), 0, "{watched}");
	issuance.check(&cli);
}

/// The right roots, and not a byte of the output: not paid. One validator is no two quorums, so
/// nothing is burned either.
#[test]
fn what_is_not_served_is_not_paid() {
	let net = start();
	let cli = net.cli.clone();
	let issuance = Issuance::at_genesis(&cli);
	let (url, _) = serve(Behaviour::Closed);
	let fake = Fake::register(&net, "//Eve", &url);
	let before = wealth(&cli, "//Eve");
	let watched = std::thread::scope(|scope| {
		let told = scope.spawn(|| optimistic(&net, &fake.provider.address, &["--lifetime", "20"]));
		let task = fake.accept(0);
		fake.submit(task, root(&claim(0)[1]), root(&claim(0)[2]));
		told.join().unwrap()
	});
	assert_eq!(watched["tasks"][0]["reason"], "no_custody", "{watched}");
	let found: Vec<_> =
		events(&watched, "delivered").into_iter().map(|event| event["found"].clone()).collect();
	assert_eq!(found, ["doubted", "inconclusive"], "{watched}");
	assert_eq!(money(&watched, "paid"), 0, "{watched}");
	check_sums(&watched["job"]);
	assert_eq!(wealth(&cli, "//Eve"), before);
	issuance.check(&cli);
}
