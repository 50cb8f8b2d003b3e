//! Three validators with real BABE and GRANDPA: auditors are drawn by their VRF outputs, and what was
//! settled is proved by their votes.

use crate::{common::*, rpc::call};
use assay_devnet::{planck, Cli, Net, WorkerOptions};
use serde_json::{json, Value};
use std::{
	fs,
	path::{Path, PathBuf},
};

#[test]
fn draw_audit_finalise_and_prove() {
	let mut net = Net::validators().unwrap();
	let cli = net.cli.clone();
	let issuance = Issuance::at_genesis(&cli);
	let worker = net.worker(&WorkerOptions::honest("//Dave")).unwrap();
	let more = [&EVERY_TASK[..], &["--auditors", "3"]].concat();
	let watched = cli.follow("//Eve", &program(), &batches(1), &more).unwrap();
	assert_eq!(watched["ok"], true, "{watched}");
	check_sums(&watched["job"]);
	assert_eq!(watched["tasks"][0]["commitment"]["trace_root"], claim(0)[2], "{watched}");
	assert!(planck(&watched["job"]["money"]["audit"]) > 0, "{watched}");
	issuance.check(&cli);

	// The receipt is proved, and kept when all that made it is gone.
	let kept = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("receipt");
	let results = kept.join("results").display().to_string();
	let path = kept.join("receipt.json").display().to_string();
	let id = watched["job"]["id"].to_string();
	cli.run(&["job", "result", &id, "--out", &results]).unwrap();
	cli.run(&["job", "receipt", &id, "--out", &path]).unwrap();
	let genesis = call(&net, "chain_getBlockHash", json!([0]))["result"].clone();
	pages_lead_to_the_last_votes(&net);
	drop((worker, net));
	let receipt: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
	assert_eq!(receipt["genesis"], genesis);
	assert_eq!(receipt["money"], watched["job"]["money"]);
	let [input, output, trace] = claim(0);
	let task = &receipt["tasks"][0];
	assert_eq!(task["inputs"], json!([input]));
	assert_eq!((&task["output_root"], &task["trace_root"]), (&json!(output), &json!(trace)));
	is_proved(&cli, &kept, genesis.as_str().unwrap());
}

/// The way from the first block on ends in a block with votes; there is none after it.
fn pages_lead_to_the_last_votes(net: &Net) {
	let page = call(net, "assay_proveFinality", json!([]))["result"].clone();
	assert_eq!(page["finished"], true, "{page}");
	assert_eq!(page["blocks"].as_array().unwrap().len(), 1, "the authorities never changed");
	let unknown = format!("0x{}", "11".repeat(32));
	let answer = call(net, "assay_proveFinality", json!([unknown]));
	assert!(answer["error"].to_string().contains("start block"), "{answer}");
	let genesis = call(net, "assay_proveGenesis", json!([]));
	assert!(!genesis["result"]["authorities"].as_array().unwrap().is_empty(), "{genesis}");
}

/// Without a node, the receipt and its outputs hold, and no others do.
fn is_proved(cli: &Cli, kept: &Path, genesis: &str) {
	let path = kept.join("receipt.json").display().to_string();
	let results = kept.join("results").display().to_string();
	let verify = ["receipt", "verify", &path, "--genesis", genesis, "--data", &results];
	let report = cli.run(&verify).unwrap();
	assert_eq!(report["ok"], true, "{report}");
	let checks = report["checks"].as_array().unwrap();
	let found: Vec<_> = checks.iter().map(|check| check["check"].as_str().unwrap()).collect();
	assert_eq!(
		found,
		["form", "genesis", "authorities", "handoffs", "finality", "state", "facts", "outputs"]
	);
	assert!(checks[4]["text"].to_string().contains("3 of 3 votes"), "{report}");

	let good = fs::read_to_string(&path).unwrap();
	let output = kept.join("results/task-00000.bin");
	let bytes = fs::read(&output).unwrap();
	let fails = || assert!(cli.attempt(&verify).unwrap().is_err());
	fs::write(&path, good.replacen("\"paid\": \"", "\"paid\": \"1", 1)).unwrap();
	fails();
	fs::write(&path, &good).unwrap();
	fs::write(&output, [&bytes[1..], &[!bytes[0]]].concat()).unwrap();
	fails();
	fs::write(&output, &bytes).unwrap();
	assert!(cli.run(&verify).is_ok());
}
