//! Three validators with real BABE and GRANDPA: auditors are drawn by their VRF outputs.

use crate::common::*;
use assay_devnet::{planck, Net, WorkerOptions};

#[test]
fn draw_audit_and_finalise() {
	let mut net = Net::validators().unwrap();
	let cli = net.cli.clone();
	let issuance = Issuance::at_genesis(&cli);
	let _worker = net.worker(&WorkerOptions::honest("//Dave")).unwrap();
	let more = [&EVERY_TASK[..], &["--auditors", "3"]].concat();
	let watched = cli.follow("//Eve", &program(), &batches(1), &more).unwrap();
	assert_eq!(watched["ok"], true, "{watched}");
	check_sums(&watched["job"]);
	assert_eq!(watched["tasks"][0]["commitment"]["trace_root"], claim(0)[2], "{watched}");
	assert!(planck(&watched["job"]["money"]["audit"]) > 0, "{watched}");
	issuance.check(&cli);
}
