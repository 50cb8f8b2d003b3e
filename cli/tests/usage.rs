//! Keys, usage and nodes that are not there, from outside.

mod common;

use common::{assay, json};
use std::{fs, net::TcpListener};

const ALICE: &str = "0xd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d";

#[test]
fn keys_are_made_and_looked_at() {
	let (code, alice) = json(&["key", "inspect", "//Alice"]);
	assert_eq!((code, alice["public_key"].as_str().unwrap()), (0, ALICE));
	let (_, again) = json(&["--suri", "//Alice", "key", "inspect"]);
	assert_eq!(again, alice);

	let (code, made) = json(&["key", "generate"]);
	let mnemonic = made["mnemonic"].as_str().unwrap();
	assert_eq!((code, mnemonic.split(' ').count()), (0, 12));
	let (_, inspected) = json(&["key", "inspect", mnemonic]);
	assert_eq!(inspected["address"], made["address"]);

	let dir = tempfile::tempdir().unwrap();
	let path = dir.path().join("key");
	let file = path.to_str().unwrap();
	let (code, made) = json(&["key", "generate", "--file", file]);
	assert_eq!(code, 0);
	assert_eq!(made.get("mnemonic"), None);
	#[cfg(unix)]
	{
		use std::os::unix::fs::PermissionsExt;
		assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
	}
	let (_, inspected) = json(&["key", "inspect", "--file", file]);
	assert_eq!(inspected["address"], made["address"]);
	let before = fs::read(&path).unwrap();
	let (code, error) = json(&["key", "generate", "--file", file]);
	assert_eq!(code, 1);
	assert!(error["error"].as_str().unwrap().contains("exists"), "{error}");
	assert_eq!(fs::read(&path).unwrap(), before);

	for bad in ["nonsense", "0x12"] {
		let (code, error) = json(&["key", "inspect", bad]);
		assert_eq!(code, 1);
		assert!(error["error"].as_str().unwrap().contains("not a key"), "{error}");
	}
}

#[test]
fn wrong_usage_is_told_apart() {
	let foreign = "5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY";
	let too_much = "340282366920938463463374607431768211456";
	for (arguments, why) in [
		(&["nonsense"][..], "unrecognized subcommand"),
		(&["job", "status", "x"], "invalid value 'x'"),
		(&["job", "status", "-1"], "unexpected argument"),
		(&["provider", "show", foreign], "prefix 42, not 4224"),
		(&["provider", "bond", "1.5"], "no amount"),
		(&["provider", "bond", too_much], "more than can exist"),
		(&["provider", "machine", "add", "--model", "m", "--memory", "0"], "not in 1.."),
		(&["job", "submit", "p", "--inputs", "a,,b"], "empty file"),
		(&["job", "submit", "p", "--inputs", "a", "--machine", "1"], "--provider"),
		(&["job", "submit", "p", "--inputs", "a", "--region", "ch"], "two letters"),
		(&["job", "submit", "p", "--inputs", "a", "--auditors", "0"], "not in 1.."),
		(&["provider", "withdraw"], "needs a key"),
		(&["account", "show"], "give a key"),
	] {
		let (code, report) = json(arguments);
		let error = report["error"].as_str().unwrap();
		assert_eq!(code, 2, "{arguments:?}: {error}");
		assert!(error.contains(why), "{arguments:?}: {error}");
		let human = assay(arguments);
		assert_eq!(human.status.code(), Some(2));
		assert!(human.stdout.is_empty() && !human.stderr.is_empty());
	}
	let help = assay(&["--help"]);
	assert!(help.status.success() && String::from_utf8_lossy(&help.stdout).contains("Exit codes"));
}

/// Nothing listens, something else listens, or it is no such URL.
#[test]
fn a_node_that_is_not_there_is_told_apart() {
	let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
	let closed = format!("ws://{closed}");
	for url in [closed.as_str(), "http://127.0.0.1:1", "nonsense"] {
		let (code, report) = json(&["--url", url, "network"]);
		let error = report["error"].as_str().unwrap();
		assert_eq!(code, 3, "{url}: {error}");
		assert!(error.contains(&format!("cannot reach the node at {url}")), "{error}");
		assert!(report["advice"].as_str().unwrap().contains("--url"));
	}
	let (code, report) = json(&["--url", &closed, "--wait", "1", "network"]);
	assert_eq!(code, 3, "{report}");
}

/// Wrong files are found before a node is asked for.
#[test]
fn a_job_is_checked_before_it_is_sent() {
	let arguments = [
		"--suri",
		"//Alice",
		"job",
		"submit",
		"/nowhere/program.json",
		"--inputs",
		"/nowhere/a.bin",
	];
	let (code, report) = json(&arguments);
	assert_eq!(code, 1);
	let error = report["error"].as_str().unwrap();
	assert!(error.contains("cannot read the program /nowhere/program.json"), "{error}");
}
