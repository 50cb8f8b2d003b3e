//! Challenges by people whom nobody drew: who looks, proves a lie and is paid; who accuses falsely
//! and pays; and the ways in which a liar might hope to lose less.

use crate::{
	common::*,
	fakes::{root, Fake},
};
use assay_client::{report_seal, Judgement, Signer, Submitter};
use assay_devnet::{planck, Net, Provider, WorkerOptions};
use assay_primitives::work::TaskId;
use serde_json::Value;
use std::process::{Child, Command, Stdio};

/// Somebody who looks at what others submit.
const CHALLENGER: &str = "//Eve";
const TASK: TaskId = TaskId { job: 0, index: 0 };
/// Bond of a report in this chain.
const BOND: u128 = 10_000_000_000_000;

/// Posts a job of one task to one machine, with this assurance.
pub fn post(net: &Net, provider: &Provider, more: &[&str]) -> Child {
	let to = ["--provider", &provider.address, "--machine", "0"];
	let more = [more, &to[..]].concat();
	let mut submission = net.cli.submission(BUYER, &program(), &batches(1), &more);
	submission.stdout(Stdio::piped()).spawn().unwrap()
}

pub fn ended(submission: Child) -> Value {
	let output = submission.wait_with_output().unwrap();
	let text = String::from_utf8(output.stdout).unwrap();
	serde_json::from_str(text.lines().next_back().unwrap()).unwrap()
}

fn wait_for_submission(net: &Net) {
	until("a result to be submitted", || {
		let status = net.cli.attempt(&["job", "status", "0"]).unwrap();
		status.is_ok_and(|job| job["tasks"][0]["commitment"].is_object())
	});
}

/// Runs a command that prints what it found and may exit with 1.
pub fn look(mut command: Command) -> (Option<i32>, Value) {
	let output = command.output().unwrap();
	let text = String::from_utf8(output.stdout).unwrap();
	let errors = String::from_utf8_lossy(&output.stderr);
	let last = text.lines().next_back().unwrap_or_else(|| panic!("nothing but: {errors}"));
	(output.status.code(), serde_json::from_str(last).unwrap())
}

/// Nobody is drawn to look at an optimistic task; whoever does, and finds a lie, is paid half of what
/// the provider forfeits, the rest of it is burned, and the buyer is whole: to the planck.
#[test]
fn a_stranger_proves_a_lie_and_is_paid() {
	let mut net = start();
	let cli = net.cli.clone();
	let issuance = Issuance::at_genesis(&cli);
	// Nothing but the output is committed to here. The trace is given when the challenger demands it.
	let lying =
		WorkerOptions { sabotage: Some("18:37:0:1".into()), ..WorkerOptions::honest("//Dave") };
	let provider = net.register(&lying, None).unwrap();
	let _worker = net.start_worker(&provider, lying.sabotage.as_deref()).unwrap();
	let before = ["//Dave", CHALLENGER, BUYER].map(|who| wealth(&cli, who));
	let value = 7_000_000_000_000;
	let submission = post(&net, &provider, &["--optimistic", "--value", "7ASY"]);
	wait_for_submission(&net);
	// Leaving does not help: what is at risk stays.
	let stake = cli.run(&["provider", "show", "//Dave"]).unwrap();
	let locked = planck(&stake["locked"]);
	let free = format!("{}", planck(&stake["stake"]) - locked + 1);
	let run = cli.attempt(&["--suri", "//Dave", "provider", "unbond", &free]).unwrap();
	assert!(run.is_err_and(|e| e.error.contains("StakeLocked")), "stake at risk was unbonded");

	let audit = ["--suri", CHALLENGER, "audit", "task", "0:0", "--report"];
	let (code, found) = look(cli.command(&audit));
	assert_eq!((code, &found["finding"], &found["reported"]), {
		(Some(1), &"wrong".into(), &"convicted".into())
	});
	assert_eq!([&found["node"], &found["row"], &found["col"]], [18, 37, 0], "{found}");

	let watched = ended(submission);
	assert_eq!(planck(&watched["job"]["money"]["paid"]), 0, "{watched}");
	check_sums(&watched["job"]);
	let conviction = events(&watched, "convicted")[0];
	let [forfeit, compensation, reward, burned] =
		["forfeit", "compensation", "reward", "burned"].map(|part| planck(&conviction[part]));
	assert_eq!(forfeit, locked);
	assert_eq!(compensation, value);
	assert_eq!(reward, (forfeit - value) / 2);
	assert_eq!(burned, forfeit - value - reward);
	assert_eq!(planck(&watched["job"]["money"]["compensated"]), value);
	until("the reward", || wealth(&cli, CHALLENGER) > before[1]);
	// Each but for the fees of its transactions, which go to the treasury.
	let after = ["//Dave", CHALLENGER, BUYER].map(|who| wealth(&cli, who));
	let fees = |more: u128, less: u128| {
		let fees = more - less;
		assert!(fees < 1_000_000_000_000, "{fees} planck of transaction fees");
	};
	// The attempt to unbond cost the liar a fee too.
	fees(before[0] - forfeit, after[0]);
	fees(before[1] + reward, after[1]);
	fees(before[2] + value, after[2]);
	issuance.check(&cli);
	// Nothing of it is left.
	let stats = cli.run(&["network"]).unwrap();
	assert_eq!(planck(&stats["escrow"]), 0, "{stats}");
	assert_eq!(planck(&stats["destroyed"]), burned, "{stats}");
}

/// Killed between sealing its report and opening it, a challenger has all on disk that it takes.
#[test]
fn a_report_is_opened_after_a_kill() {
	let mut net = start();
	let cli = net.cli.clone();
	let issuance = Issuance::at_genesis(&cli);
	let lying =
		WorkerOptions { sabotage: Some("18:3:0:1".into()), ..WorkerOptions::honest("//Dave") };
	let provider = net.register(&lying, None).unwrap();
	let _worker = net.start_worker(&provider, lying.sabotage.as_deref()).unwrap();
	let before = wealth(&cli, CHALLENGER);
	let submission = post(&net, &provider, &["--optimistic"]);
	wait_for_submission(&net);
	let out = net.folder().join("proof");
	let sealed = net.folder().join("proof.sealed");
	let (out, sealed_text) = (out.display().to_string(), sealed.display().to_string());
	let mut audit =
		cli.command(&["--suri", CHALLENGER, "audit", "task", "0:0", "--report", "--out", &out]);
	let mut killed = audit.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
	until("the report to be kept", || sealed.exists());
	killed.kill().unwrap();
	killed.wait().unwrap();
	// Nobody else can open it.
	let other = cli.attempt(&["--suri", BUYER, "audit", "resume", &sealed_text]).unwrap();
	assert!(other.is_err_and(|e| e.error.contains("give that key")));
	let report = cli.run(&["--suri", CHALLENGER, "audit", "resume", &sealed_text]).unwrap();
	assert_eq!(report["reported"], "convicted", "{report}");
	assert!(!sealed.exists());
	let watched = ended(submission);
	check_sums(&watched["job"]);
	let reward = planck(&events(&watched, "convicted")[0]["reward"]);
	assert!(reward > 0, "{watched}");
	until("the reward", || wealth(&cli, CHALLENGER) > before);
	assert!(wealth(&cli, CHALLENGER) + 1_000_000_000_000 > before + reward);
	issuance.check(&cli);
}

/// An honest result is found right from outside, and whoever accuses it pays for that.
#[test]
fn a_false_report_costs_its_sender_and_the_worker_nothing() {
	let mut net = start();
	let cli = net.cli.clone();
	let issuance = Issuance::at_genesis(&cli);
	let options = WorkerOptions::honest("//Bob");
	let provider = net.register(&options, None).unwrap();
	let _worker = net.start_worker(&provider, None).unwrap();
	let (provider_before, challenger_before) = (wealth(&cli, "//Bob"), wealth(&cli, CHALLENGER));
	let submission = post(&net, &provider, &["--optimistic"]);
	wait_for_submission(&net);

	let runtime = tokio::runtime::Runtime::new().unwrap();
	let judgement = runtime.block_on(async {
		let client = assay_client::Client::connect(&net.url).await.unwrap();
		let challenger = Submitter::new(&client, Signer::from_uri(CHALLENGER).unwrap());
		let challenge = client.challenge(TASK).await.unwrap().expect("open to challenges");
		let (account, junk, salt) = (challenger.account().clone(), vec![3; 500], [5; 32]);
		let seal = report_seal(&account, TASK, challenge.submitted_at, &junk, &salt);
		let sealed = challenger.commit_report(TASK, seal).await.unwrap();
		while client.block().await.unwrap().number < sealed.block.number + challenge.delay {
			tokio::time::sleep(std::time::Duration::from_millis(50)).await;
		}
		challenger.report_fraud(TASK, junk, salt).await.unwrap().0
	});
	assert_eq!(judgement, Judgement::Rejected);
	for depth in ["projection", "replay", "spot"] {
		let (code, found) = look(cli.command(&["audit", "task", "0:0", "--depth", depth]));
		assert_eq!((code, &found["finding"]), (Some(0), &"right".into()), "{depth}: {found}");
	}

	let watched = ended(submission);
	assert_eq!(watched["ok"], true, "{watched}");
	check_sums(&watched["job"]);
	let paid = planck(&watched["job"]["money"]["paid"]);
	assert_eq!(wealth(&cli, "//Bob") - provider_before, paid, "the worker has its pay");
	let lost = challenger_before - wealth(&cli, CHALLENGER);
	assert!(lost > BOND && lost < BOND + 1_000_000_000_000, "{lost} planck lost");
	assert_eq!(planck(&cli.run(&["network"]).unwrap()["destroyed"]), BOND);
	issuance.check(&cli);
}

/// A liar that is its own buyer and reports itself gets half of its collateral back, and so loses.
#[test]
fn reporting_oneself_loses() {
	let mut net = start();
	let cli = net.cli.clone();
	let issuance = Issuance::at_genesis(&cli);
	let lying = WorkerOptions { sabotage: Some("18:0:0:1".into()), ..WorkerOptions::honest(BUYER) };
	let provider = net.register(&lying, None).unwrap();
	let _worker = net.start_worker(&provider, lying.sabotage.as_deref()).unwrap();
	let before = wealth(&cli, BUYER);
	let submission = post(&net, &provider, &["--optimistic"]);
	wait_for_submission(&net);
	let locked = planck(&cli.run(&["provider", "show", BUYER]).unwrap()["locked"]);
	let (_, found) = look(cli.command(&["--suri", BUYER, "audit", "task", "0:0", "--report"]));
	assert_eq!(found["reported"], "convicted", "{found}");
	let watched = ended(submission);
	check_sums(&watched["job"]);
	let destroyed = planck(&cli.run(&["network"]).unwrap()["destroyed"]);
	assert_eq!(destroyed, locked - locked / 2);
	until("the reward", || before - wealth(&cli, BUYER) < locked);
	let lost = before - wealth(&cli, BUYER);
	assert!(lost >= destroyed, "{lost} planck lost of {locked}");
	issuance.check(&cli);
}

/// Roots that are simply made up: the output is not that of the trace, which takes no row to prove.
#[test]
fn a_wrong_output_root_is_proved_without_a_row() {
	let mut net = start();
	let cli = net.cli.clone();
	let issuance = Issuance::at_genesis(&cli);
	// The honest worker's data under a liar's key: its roots are right, what is claimed is not.
	let honest = net.register(&WorkerOptions::honest("//Bob"), None).unwrap();
	let _worker = net.start_worker(&honest, None).unwrap();
	assert_eq!(follow(&net, 1, &["--provider", &honest.address, "--machine", "0"])["ok"], true);
	let liar = Fake::register(&net, "//Ferdie", &honest.endpoint);
	let before = wealth(&cli, "//Ferdie");
	let (output, trace) = (root(&claim(1)[1]), root(&claim(0)[2]));
	let more = [&EVERY_TASK[..], &["--deadline", "50"]].concat();
	let submission = post(&net, &liar.provider, &more);
	let task = liar.accept(1);
	liar.submit(task, output, trace);
	let watched = ended(submission);
	let wrong = &watched["tasks"][0]["reason"]["convicted"]["wrong"];
	assert_eq!((&wrong["kind"], &wrong["node"]), (&"output".into(), &18.into()), "{watched}");
	let forfeit = planck(&events(&watched, "convicted")[0]["forfeit"]);
	assert_eq!(before - wealth(&cli, "//Ferdie"), forfeit);
	issuance.check(&cli);
}

/// A validator that does not audit loses its deposit for every seat, and nothing is paid unseen.
#[test]
fn absent_auditors_pay_and_nothing_is_paid_unseen() {
	let mut net =
		assay_devnet::Net::start(assay_devnet::Options { block_time: 150, auditor: false })
			.unwrap();
	let cli = net.cli.clone();
	let issuance = Issuance::at_genesis(&cli);
	let _worker = net.worker(&WorkerOptions::honest("//Bob")).unwrap();
	let provider = wealth(&cli, "//Bob");
	let before = wealth(&cli, "//Alice");
	let watched = follow(&net, 1, &["--lifetime", "20"]);
	let reason = &watched["tasks"][0]["reason"]["audit"];
	assert_eq!(reason, "inconclusive", "{watched}");
	assert_eq!(planck(&watched["job"]["money"]["paid"]), 0, "{watched}");
	// Four rounds, a deposit of one ASY each.
	// But for what she earns as author of the blocks, of the fees of transactions.
	let lost = before - wealth(&cli, "//Alice");
	assert!((3_900_000_000_000..=4_000_000_000_000).contains(&lost), "{lost} planck lost");
	assert_eq!(wealth(&cli, "//Bob"), provider);
	assert_eq!(planck(&cli.run(&["network"]).unwrap()["destroyed"]), 4_000_000_000_000);
	issuance.check(&cli);
}
