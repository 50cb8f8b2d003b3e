//! Readers: pages past the end, what is not there, and what makes no sense.

use crate::common::*;
use assay_devnet::{Net, WorkerOptions};
use serde_json::{json, Value};
use tokio::runtime::Runtime;

/// Asks a node as anybody would.
pub fn call(net: &Net, method: &str, params: Value) -> Value {
	let url = net.url.replace("ws://", "http://");
	let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
	let text = Runtime::new().unwrap().block_on(async {
		let request = reqwest::Client::new().post(url).header("Content-Type", "application/json");
		request.body(body.to_string()).send().await.unwrap().text().await.unwrap()
	});
	serde_json::from_str(&text).unwrap()
}

#[test]
fn get_answers_or_reasons() {
	let net = start();
	let provider = net.register(&WorkerOptions::honest("//Bob"), None).unwrap();
	let program = program().display().to_string();
	let input = batches(1)[0].display().to_string();
	for _ in 0..3 {
		let post = ["--suri", BUYER, "job", "submit", &program, "--max-price", "1", "--inputs"];
		net.cli.run(&[&post[..], &[&input]].concat()).unwrap();
	}
	let result = |method, params| {
		let answer = call(&net, method, params);
		assert!(answer["error"].is_null(), "{method}: {answer}");
		answer["result"].clone()
	};
	let ids = |params| -> Vec<u64> {
		let jobs = result("assay_listJobs", params);
		jobs["jobs"].as_array().unwrap().iter().map(|job| job["id"].as_u64().unwrap()).collect()
	};
	assert_eq!(ids(json!([])), [2, 1, 0]);
	assert_eq!(ids(json!([null, 2])), [2, 1]);
	assert_eq!(result("assay_listJobs", json!([null, 2]))["next"], 1);
	assert_eq!(result("assay_listJobs", json!([1, 2]))["next"], Value::Null);
	assert_eq!(ids(json!([1, 2])), [0]);
	assert!(ids(json!([0, 100])).is_empty(), "past the end");
	assert_eq!(ids(json!([u64::MAX, 100])), [2, 1, 0]);
	let listed = net.cli.run(&["job", "list", "--limit", "2"]).unwrap();
	let listed: Vec<_> = listed["jobs"].as_array().unwrap().iter().map(|job| &job["id"]).collect();
	assert_eq!(listed, [2, 1]);
	assert_eq!(result("assay_getJob", json!([2]))["id"], 2);
	assert_eq!(result("assay_getJob", json!([3])), Value::Null);
	assert_eq!(result("assay_listTasks", json!([2, 1])), json!([]), "past the end");
	assert_eq!(result("assay_listTasks", json!([9])), json!([]), "of no job");
	let address = &provider.address;
	assert_eq!(result("assay_getProvider", json!([address]))["name"], "bob");
	assert_eq!(result("assay_listProviders", json!([]))[0]["account"], json!(address));
	assert_eq!(result("assay_listProviders", json!([address])), json!([]), "past the end");
	let stats = result("assay_networkStats", json!([]));
	assert_eq!((&stats["providers"], &stats["jobs_posted"]), (&json!(1), &json!(3)));

	for (method, params, part) in [
		("assay_listJobs", json!([null, 101]), "100"),
		("assay_listJobs", json!([null, 0]), "1"),
		("assay_listJobs", json!([-1]), "nvalid"),
		("assay_getJob", json!([]), "nvalid"),
		("assay_getJob", json!(["two"]), "nvalid"),
		("assay_getProvider", json!(["5Grw"]), "no address"),
		("assay_getProvider", json!(["5".repeat(100_000)]), "at most 64"),
		("assay_getJob", json!([2, format!("0x{}", "00".repeat(32))]), "no block"),
		("assay_getNothing", json!([]), "not found"),
	] {
		let answer = call(&net, method, params.clone());
		assert!(answer["error"].to_string().contains(part), "{method}{params}: {answer}");
	}
}
