//! Honest jobs, and what can happen to them.

use crate::common::*;
use assay_devnet::{planck, WorkerOptions};
use serde_json::Value;
use std::fs;

const PROVIDER: &str = "//Bob";

/// Every task is settled with the commitment that the independent computation has.
fn check_settled(watched: &Value, tasks: usize) {
	assert_eq!(watched["ok"], true, "{watched}");
	let job = &watched["job"];
	assert_eq!(job["counts"]["settled"], tasks, "{watched}");
	check_sums(job);
	for (i, task) in watched["tasks"].as_array().unwrap().iter().enumerate() {
		let [input, output, trace] = claim(i);
		assert_eq!(task["inputs"][0], input, "task {i}");
		assert_eq!(task["commitment"]["output_root"], output, "task {i}");
		assert_eq!(task["commitment"]["trace_root"], trace, "task {i}");
	}
}

#[test]
fn is_settled_paid_and_fetched() {
	let mut net = start();
	let cli = net.cli.clone();
	let issuance = Issuance::at_genesis(&cli);
	let _worker = net.worker(&WorkerOptions::honest(PROVIDER)).unwrap();
	let before = wealth(&cli, PROVIDER);
	let buyer_before = wealth(&cli, BUYER);

	let watched = follow(&net, 3, &[]);
	check_settled(&watched, 3);
	let job = &watched["job"];
	let paid = planck(&job["money"]["paid"]);
	assert!(paid > 0);
	// Fees of transactions come from the hot key, so the account has exactly its pay, and what was
	// minted to it if an era has ended meanwhile.
	let minted = || planck(&cli.run(&["network"]).unwrap()["minted"]);
	let (earned, emission) = loop {
		let (emission, now) = (minted(), wealth(&cli, PROVIDER));
		// Else an era has ended between the two.
		if minted() == emission {
			break (now - before, emission);
		}
	};
	assert_eq!(earned, paid + emission);
	let spent = planck(&job["money"]["escrow"]) - planck(&job["money"]["refunded"]);
	let fees = buyer_before - wealth(&cli, BUYER) - spent;
	assert!(fees < 1_000_000_000_000, "more than an ASY of transaction fees: {fees}");
	issuance.check(&cli);

	let id = job["id"].to_string();
	let out = net.folder().join("results");
	cli.run(&["job", "result", &id, "--out", &out.display().to_string()]).unwrap();
	let labels = labels();
	let mut right = 0;
	for task in 0..3 {
		let bytes = fs::read(out.join(format!("task-{task:05}.bin"))).unwrap();
		assert_eq!(bytes.len(), 400);
		let seen = bytes.chunks_exact(4).map(|b| i32::from_le_bytes(b.try_into().unwrap()));
		right += seen.zip(&labels[task * 100..]).filter(|(a, b)| i64::from(*a) == **b).count();
	}
	assert!(right >= 285, "{right} of 300 digits are right");

	// Nobody votes on a sealed chain: a receipt of it is the node's word, and passes for nothing else.
	let failure = cli.attempt(&["job", "receipt", &id]).unwrap().unwrap_err();
	assert!(failure.error.contains("no finality that could be proved"), "{failure:?}");
	let path = net.folder().join("receipt.json").display().to_string();
	let receipt = cli.run(&["job", "receipt", &id, "--unproved", "--out", &path]).unwrap();
	assert!(cli.attempt(&["receipt", "verify", &path]).unwrap().is_err());
	assert_eq!(receipt["money"], job["money"]);
	for task in 0..3 {
		let [input, output, trace] = claim(task);
		let told = &receipt["tasks"][task];
		assert_eq!(
			[&told["inputs"][0], &told["output_root"], &told["trace_root"]],
			[&Value::from(input), &Value::from(output), &Value::from(trace)]
		);
	}

	// At the era's end the work pool mints, and no more than was burned for it allows.
	let burned = planck(&job["money"]["burned"]);
	let stats = cli
		.until("the era's emission", &["network"], PATIENCE, |stats| planck(&stats["minted"]) > 0)
		.unwrap();
	assert!(planck(&stats["minted"]) <= burned, "demand caps what is minted: {stats}");
	issuance.check(&cli);
}

#[test]
fn goes_on_after_its_worker_and_its_node_were_killed() {
	let mut net = start();
	let cli = net.cli.clone();
	let provider = net.register(&WorkerOptions::honest(PROVIDER), None).unwrap();
	let mut worker = net.start_worker(&provider, None).unwrap();
	let mut submission = cli.submission(BUYER, &program(), &batches(4), &[]);
	let submission = submission.stdout(std::process::Stdio::piped()).spawn().unwrap();
	let accepted = |cli: &assay_devnet::Cli| match cli.attempt(&["job", "status", "0"]).unwrap() {
		Ok(job) => {
			job["tasks"].as_array().unwrap().iter().any(|task| task["inputs"][0].is_string())
		}
		Err(_) => false,
	};
	until("a task to be accepted", || accepted(&cli));
	worker.kill();
	net.restart_node().unwrap();
	let _worker = net.start_worker(&provider, None).unwrap();
	let output = submission.wait_with_output().unwrap();
	let text = String::from_utf8(output.stdout).unwrap();
	let watched: Value = serde_json::from_str(text.lines().next_back().unwrap()).unwrap();
	check_settled(&watched, 4);
	// One run each: the kills cost nobody anything.
	for task in watched["tasks"].as_array().unwrap() {
		assert_eq!(task["attempts"], 0, "{task}");
	}
}

#[test]
fn is_taken_back_while_nobody_works() {
	let net = start();
	let cli = net.cli.clone();
	let issuance = Issuance::at_genesis(&cli);
	let program = program().display().to_string();
	let input = batches(1)[0].display().to_string();
	let post = ["--suri", BUYER, "job", "submit", &program, "--max-price", "1ASY"];
	let posted = cli.run(&[&post[..], &["--inputs", &input]].concat()).unwrap();
	let id = posted["job"].to_string();
	let status = cli.run(&["job", "status", &id]).unwrap();
	assert_eq!(status["job"]["counts"]["live"], 1, "{status}");

	let failure = cli.attempt(&["--suri", "//Dave", "job", "cancel", &id]).unwrap().unwrap_err();
	assert!(failure.error.contains("NotOwner"), "{failure:?}");
	cli.run(&["--suri", BUYER, "job", "cancel", &id]).unwrap();
	let status = cli.run(&["job", "status", &id]).unwrap();
	assert_eq!(status["job"]["money"]["refunded"], posted["escrow"], "{status}");
	check_sums(&status["job"]);
	issuance.check(&cli);
}
