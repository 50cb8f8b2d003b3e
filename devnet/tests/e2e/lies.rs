//! Wrong results: found, proved, not paid, and paid for.

use crate::common::*;
use assay_devnet::{planck, WorkerOptions};

fn liar(place: &str, price: &str) -> WorkerOptions {
	WorkerOptions {
		sabotage: Some(place.into()),
		price: price.into(),
		..WorkerOptions::honest("//Dave")
	}
}

#[test]
fn are_located_and_the_task_goes_to_another() {
	let mut net = start();
	let cli = net.cli.clone();
	let issuance = Issuance::at_genesis(&cli);
	let _liar = net.worker(&liar("15:99:3:-1", "1ASY")).unwrap();
	let _honest =
		net.worker(&WorkerOptions { price: "2ASY".into(), ..WorkerOptions::honest("//Bob") });
	let (liars, auditors) = (wealth(&cli, "//Dave"), wealth(&cli, "//Alice"));

	// The liar is cheaper, so it is asked first.
	let watched = follow(&net, 2, &["--max-price", "3ASY"]);
	assert_eq!(watched["ok"], true, "{watched}");
	check_sums(&watched["job"]);
	for (i, task) in watched["tasks"].as_array().unwrap().iter().enumerate() {
		assert_eq!(task["attempts"], 1, "{task}");
		assert_eq!(task["commitment"]["output_root"], claim(i)[1], "{task}");
	}
	let convicted = events(&watched, "convicted");
	assert_eq!(convicted.len(), 2, "{watched}");
	let mut forfeited = 0;
	let mut rewards = 0;
	for (conviction, offer) in convicted.iter().zip(events(&watched, "offered")) {
		let wrong = &conviction["offence"]["wrong"];
		assert_eq!([&wrong["node"], &wrong["row"], &wrong["col"]], [15, 99, 3], "{watched}");
		assert_eq!(wrong["kind"], "element", "{watched}");
		let [forfeit, compensation, reward, burned] =
			["forfeit", "compensation", "reward", "burned"].map(|part| planck(&conviction[part]));
		// Twenty times the price and the most that emission could add to it, 3 %.
		let price = planck(&offer["price"]);
		assert_eq!(forfeit, (price + (price * 3).div_ceil(100)) * 20, "{watched}");
		// No value was declared and no audit fee spent, so the challenger has half.
		assert_eq!((compensation, reward), (0, forfeit / 2), "{watched}");
		assert_eq!(burned, forfeit - reward, "{watched}");
		forfeited += forfeit;
		rewards += reward;
	}
	assert_eq!(liars - wealth(&cli, "//Dave"), forfeited, "the liar is not paid, and pays");
	// The auditor is paid for both lies, and its fee for both honest results.
	let fees = planck(&watched["job"]["money"]["audit"]);
	let due = auditors + rewards + fees;
	until("the rewards", || wealth(&cli, "//Alice") >= due);
	// As author of the blocks she also has a part of the fees of transactions.
	let more = wealth(&cli, "//Alice") - due;
	assert!(more < 100_000_000_000, "{more} planck beyond what is due");
	let stats = cli.run(&["network"]).unwrap();
	assert_eq!(planck(&stats["forfeited"]), forfeited, "{stats}");
	assert_eq!(planck(&stats["destroyed"]), forfeited - rewards, "{stats}");
	assert_eq!(stats["convictions"], 2, "{stats}");
	let liar = cli.run(&["provider", "show", "//Dave"]).unwrap();
	assert_eq!((&liar["failed"], &liar["settled"]), (&2.into(), &0.into()), "{liar}");
	assert_eq!(planck(&liar["locked"]), 0, "{liar}");
	issuance.check(&cli);
}

/// In a product, in what is recomputed, in the output: whichever node is false is named.
#[test]
fn are_found_in_every_kind_of_node() {
	let mut net = start();
	let options = liar("9:0:0:1", "1ASY");
	let provider = net.register(&options, None).unwrap();
	for place in ["2:0:0:1", "7:50:200:-3", "18:99:0:1"] {
		let mut worker = net.start_worker(&provider, Some(place)).unwrap();
		let watched = follow(&net, 1, &["--provider", &provider.address, "--machine", "0"]);
		worker.kill();
		let task = &watched["tasks"][0];
		let found = &task["reason"]["convicted"]["wrong"];
		let found = format!("{}:{}:{}", found["node"], found["row"], found["col"]);
		assert!(place.starts_with(&format!("{found}:")), "{place} was told, {found} found: {task}");
		assert_eq!(planck(&watched["job"]["money"]["paid"]), 0, "{watched}");
		check_sums(&watched["job"]);
	}
}
