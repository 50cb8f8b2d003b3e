//! A receipt of a real network of three validators, kept beside this file. It must hold for ever:
//! whatever changes here, receipts that buyers keep are not written again.

mod common;

use common::{assay, json};
use serde_json::Value;
use std::{
	fs,
	path::{Path, PathBuf},
};

fn kept() -> PathBuf {
	Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/receipt")
}

fn read() -> Value {
	serde_json::from_slice(&fs::read(kept().join("receipt.json")).unwrap()).unwrap()
}

fn text(path: &Path) -> &str {
	path.to_str().unwrap()
}

/// Names of the checks that came to this.
fn checks(report: &Value, result: &str) -> Vec<String> {
	let checks = report["checks"].as_array().unwrap().iter();
	let checks = checks.filter(|check| check["result"] == result);
	checks.map(|check| check["check"].as_str().unwrap().into()).collect()
}

#[test]
fn a_kept_receipt_holds_without_a_node() {
	let (path, results) = (kept().join("receipt.json"), kept().join("results"));
	let receipt = read();
	let genesis = receipt["genesis"].as_str().unwrap();
	let verify = ["--url", "ws://127.0.0.1:1", "receipt", "verify", text(&path)];
	let all = [&verify[..], &["--genesis", genesis, "--data", text(&results)]].concat();
	let (code, report) = json(&all);
	assert_eq!((code, &report["ok"]), (0, &Value::Bool(true)), "{report}");
	assert_eq!(
		checks(&report, "passed"),
		["form", "genesis", "authorities", "handoffs", "finality", "state", "facts", "outputs"]
	);
	assert!(report["proved"].to_string().contains("task 0 was settled"), "{report}");
	assert!(report["trusted"].to_string().contains("which you named"), "{report}");

	let (code, report) = json(&verify);
	assert_eq!(code, 0);
	assert!(report["trusted"].to_string().contains("name it with --genesis"), "{report}");

	let human = assay(&all);
	let shown = String::from_utf8(human.stdout).unwrap();
	assert!(human.status.success() && shown.contains("proved:") && shown.contains("trusted:"));
}

#[test]
fn another_chain_is_refused() {
	let path = kept().join("receipt.json");
	let other = format!("0x{}", "11".repeat(32));
	let (code, report) = json(&["receipt", "verify", text(&path), "--genesis", &other]);
	assert_eq!(code, 1);
	assert_eq!(checks(&report, "failed"), ["genesis"]);
	assert_eq!(checks(&report, "skipped"), ["authorities", "handoffs", "finality"]);
	assert_eq!((&report["ok"], &report["proved"]), (&false.into(), &Value::Array(vec![])));
	let (code, _) = json(&["receipt", "verify", text(&path), "--genesis", "0x12"]);
	assert_eq!(code, 2);
}

#[test]
fn a_changed_receipt_fails_and_says_where() {
	let dir = tempfile::tempdir().unwrap();
	let path = dir.path().join("receipt.json");
	let fails = |receipt: &Value, check: &str, why: &str| {
		fs::write(&path, receipt.to_string()).unwrap();
		let (code, report) = json(&["receipt", "verify", text(&path)]);
		assert_eq!((code, &report["ok"]), (1, &Value::Bool(false)), "{report}");
		assert!(checks(&report, "failed").contains(&check.into()), "{report}");
		assert!(report["checks"].to_string().contains(why), "{why}: {report}");
		let human = assay(&["receipt", "verify", text(&path)]);
		let shown = String::from_utf8(human.stdout).unwrap();
		assert!(human.status.code() == Some(1) && shown.contains("NOT proved"), "{shown}");
		assert!(!shown.contains("proved:"), "nothing is repeated that is not proved");
	};
	let mut receipt = read();
	receipt["tasks"][0]["price"] = "1".into();
	fails(&receipt, "facts", "tasks[0].price is");
	let mut receipt = read();
	receipt["money"]["paid"] = "1".into();
	fails(&receipt, "facts", "money.paid is");
	let mut receipt = read();
	receipt["proof"] = Value::Null;
	fails(&receipt, "proof", "no proof");
	// A signature, which ends in the last bytes but one vote's key and the count of headers.
	let mut receipt = read();
	let votes = receipt["proof"]["block"]["justification"].as_str().unwrap();
	let at = votes.len() - 80;
	let digit = if &votes[at..=at] == "0" { "1" } else { "0" };
	let bent = format!("{}{digit}{}", &votes[..at], &votes[at + 1..]);
	receipt["proof"]["block"]["justification"] = bent.into();
	fails(&receipt, "finality", "signature");
}

#[test]
fn other_outputs_fail() {
	let path = kept().join("receipt.json");
	let dir = tempfile::tempdir().unwrap();
	let with = |why: &str| {
		let (code, report) = json(&["receipt", "verify", text(&path), "--data", text(dir.path())]);
		assert_eq!(code, 1, "{report}");
		assert_eq!(checks(&report, "failed"), ["outputs"]);
		assert!(report["checks"].to_string().contains(why), "{why}: {report}");
	};
	with("result.json");
	let copy = |name: &str| fs::copy(kept().join("results").join(name), dir.path().join(name));
	copy("result.json").unwrap();
	with("task-00000.bin: No such file");
	copy("task-00000.bin").unwrap();
	let (code, _) = json(&["receipt", "verify", text(&path), "--data", text(dir.path())]);
	assert_eq!(code, 0);

	let output = dir.path().join("task-00000.bin");
	let mut bytes = fs::read(&output).unwrap();
	bytes[0] ^= 1;
	fs::write(&output, &bytes).unwrap();
	with("but task 0 has the output");
	bytes.pop();
	fs::write(&output, &bytes).unwrap();
	with("bytes, not 399");
	// The shape beside the outputs is no way around: a root is also one of its shape.
	copy("task-00000.bin").unwrap();
	let described = fs::read_to_string(kept().join("results/result.json")).unwrap();
	let mut described: Value = serde_json::from_str(&described).unwrap();
	let (rows, cols) = (described["rows"].clone(), described["cols"].clone());
	(described["rows"], described["cols"]) = (cols, rows);
	fs::write(dir.path().join("result.json"), described.to_string()).unwrap();
	with("but task 0 has the output");
}

#[test]
fn what_is_no_receipt_is_told_apart() {
	let dir = tempfile::tempdir().unwrap();
	let path = dir.path().join("receipt.json");
	let (code, report) = json(&["receipt", "verify", text(&path)]);
	assert_eq!(code, 1);
	assert!(report["error"].as_str().unwrap().contains("cannot read the receipt"), "{report}");
	fs::write(&path, "{}").unwrap();
	let (code, report) = json(&["receipt", "verify", text(&path)]);
	assert_eq!(code, 1);
	assert_eq!(checks(&report, "failed"), ["form"]);
}
