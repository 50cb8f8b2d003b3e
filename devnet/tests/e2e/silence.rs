//! Providers that do not give what they owe: dead, slow, or sending without end. None is paid, none
//! holds up the buyer's money, and the node is no worse for it.

use crate::{
	common::*,
	fakes::{root, serve, Behaviour, Fake},
};
use assay_devnet::planck;
use serde_json::Value;
use std::{process::Stdio, sync::atomic::Ordering};

/// Posts a job of one task to `fake`, lets `act` do the provider's part, and returns what
/// `job watch` says in the end.
fn job(cli: &assay_devnet::Cli, fake: &Fake, id: u64, more: &[&str], act: impl FnOnce()) -> Value {
	let mut args = vec!["--provider", &fake.provider.address, "--machine", "0"];
	args.extend(EVERY_TASK);
	args.extend(more);
	let mut submission = cli.submission(BUYER, &program(), &batches(1), &args);
	let submission = submission.stdout(Stdio::piped()).spawn().unwrap();
	until("the job to be posted", || {
		cli.attempt(&["job", "status", &id.to_string()]).unwrap().is_ok()
	});
	act();
	let output = submission.wait_with_output().unwrap();
	let text = String::from_utf8(output.stdout).unwrap();
	serde_json::from_str(text.lines().next_back().unwrap()).unwrap()
}

/// All of the escrow went back, but for what the auditors were paid.
fn check_unpaid(watched: &Value, reason: &str) {
	let money = &watched["job"]["money"];
	assert_eq!(planck(&money["paid"]), 0, "{watched}");
	assert_eq!(planck(&money["burned"]), 0, "{watched}");
	check_sums(&watched["job"]);
	let told = &watched["tasks"][0]["reason"];
	assert!(told.to_string().contains(reason), "{reason} is not {told}");
}

#[test]
fn costs_the_offer_then_the_deadline() {
	let net = start();
	let cli = net.cli.clone();
	let (url, _) = serve(Behaviour::Closed);
	let fake = Fake::register(&net, "//Eve", &url);
	let issuance = Issuance::at_genesis(&cli);
	let watched = job(&cli, &fake, 0, &[], || {});
	check_unpaid(&watched, "lapsed");
	let watched = job(&cli, &fake, 1, &["--deadline", "10"], || {
		fake.accept(1);
	});
	check_unpaid(&watched, "deadline_missed");
	let provider = cli.run(&["provider", "show", &fake.provider.address]).unwrap();
	assert_eq!(provider["missed"], 1, "{provider}");
	assert_eq!(planck(&provider["locked"]), 0, "{provider}");
	issuance.check(&cli);
}

/// The right roots, but nothing to show for them.
#[test]
fn under_audit_is_not_paid() {
	let net = start();
	let cli = net.cli.clone();
	let fakes = [
		("//Eve", Behaviour::Closed),
		("//Ferdie", Behaviour::Endless),
		("//Dave", Behaviour::Trickle),
	];
	for (id, (controller, behaviour)) in (0..).zip(fakes) {
		let (url, sent) = serve(behaviour);
		let fake = Fake::register(&net, controller, &url);
		let watched = job(&cli, &fake, id, &[], || {
			let task = fake.accept(id);
			let [_, output, trace] = claim(0);
			fake.submit(task, root(&output), root(&trace));
		});
		check_unpaid(&watched, "audit");
		// Bounded by what was declared, not by what is sent.
		let sent = sent.load(Ordering::Relaxed);
		assert!(sent < 64 << 20, "{sent} bytes were taken from a provider that sends without end");
	}
	let figures = cli.run(&["network"]).unwrap();
	assert_eq!(planck(&figures["escrow"]), 0, "{figures}");
}
