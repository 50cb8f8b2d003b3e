//! Demands: what a worker does not serve is demanded on the chain, and whoever does not open it there
//! forfeits what a lie would.

use crate::{
	challenges::look,
	common::*,
	fakes::{root, serve, Behaviour, Fake},
};
use assay_devnet::{planck, Net, WorkerOptions};
use assay_primitives::{
	demand::Wanted,
	work::{Commitment, TaskId},
};
use serde_json::Value;

fn one_task(net: &Net, provider: &str, more: &[&str]) -> Value {
	let to = ["--provider", provider, "--machine", "0"];
	follow(net, 1, &[more, &to[..]].concat())
}

/// Made-up roots, and not a byte to show for them. Auditors find out from what the buyer serves, and
/// demand to be shown where the lie is; the liar's silence costs all of its collateral.
#[test]
fn a_liar_that_says_nothing_forfeits_everything() {
	let net = start();
	let cli = net.cli.clone();
	let issuance = Issuance::at_genesis(&cli);
	let (url, _) = serve(Behaviour::Closed);
	let fake = Fake::register(&net, "//Eve", &url);
	let (before, auditor) = (wealth(&cli, "//Eve"), wealth(&cli, "//Alice"));
	let watched = std::thread::scope(|scope| {
		let told = scope.spawn(|| one_task(&net, &fake.provider.address, &["--value", "7ASY"]));
		let task = fake.accept(0);
		fake.submit(task, root(&claim(0)[1]), root(&claim(1)[2]));
		told.join().unwrap()
	});
	let withheld = &watched["tasks"][0]["reason"]["convicted"]["withheld"];
	assert!(withheld["tensors"].is_object(), "{watched}");
	check_sums(&watched["job"]);
	let conviction = events(&watched, "convicted")[0];
	let [forfeit, compensation, reward, burned] =
		["forfeit", "compensation", "reward", "burned"].map(|part| planck(&conviction[part]));
	// Nobody is the richer for it but the buyer, who is made whole.
	assert_eq!((compensation, reward), (7_000_000_000_000, 0), "{watched}");
	assert_eq!(burned, forfeit - compensation);
	assert_eq!(before - wealth(&cli, "//Eve"), forfeit);
	assert_eq!(planck(&watched["job"]["money"]["paid"]), 0);
	assert_eq!(planck(&watched["job"]["money"]["compensated"]), 7_000_000_000_000);
	let earned = wealth(&cli, "//Alice") - auditor;
	assert!(earned < 1_000_000_000_000, "{earned} planck but for fees of transactions");
	assert_eq!(planck(&cli.run(&["network"]).unwrap()["destroyed"]), burned);
	issuance.check(&cli);
}

/// The same where nobody is drawn to look: a stranger demands what he is not served, has back what that
/// cost him, and nothing else.
#[test]
fn a_stranger_has_a_silent_liar_convicted() {
	let net = start();
	let cli = net.cli.clone();
	let issuance = Issuance::at_genesis(&cli);
	let (url, _) = serve(Behaviour::Closed);
	let fake = Fake::register(&net, "//Eve", &url);
	let (before, stranger) = (wealth(&cli, "//Eve"), wealth(&cli, "//Ferdie"));
	let to = ["--optimistic", "--provider", &fake.provider.address, "--machine", "0"];
	let more = [&to[..], &["--value", "7ASY", "--lifetime", "20"]].concat();
	let watched = std::thread::scope(|scope| {
		let told = scope.spawn(|| cli.follow(BUYER, &program(), &batches(1), &more).unwrap());
		let task = fake.accept(0);
		fake.submit(task, root(&claim(0)[1]), root(&claim(1)[2]));
		let audit = ["--suri", "//Ferdie", "audit", "task", "0:0", "--report"];
		let (code, found) = look(cli.command(&audit));
		assert_eq!((code, &found["finding"]), (Some(1), &"owed".into()), "{found}");
		assert_eq!(found["reported"], "convicted: withheld", "{found}");
		told.join().unwrap()
	});
	let withheld = &watched["tasks"][0]["reason"]["convicted"]["withheld"];
	assert!(withheld.is_object(), "{watched}");
	check_sums(&watched["job"]);
	let conviction = events(&watched, "convicted")[0];
	let [forfeit, compensation, reward, burned] =
		["forfeit", "compensation", "reward", "burned"].map(|part| planck(&conviction[part]));
	// The value, and what custodians were paid meanwhile if any were asked.
	let spent = planck(&watched["job"]["money"]["audit"]);
	assert_eq!((compensation, reward), (7_000_000_000_000 + spent, 0), "{watched}");
	assert_eq!(burned, forfeit - compensation);
	assert_eq!(before - wealth(&cli, "//Eve"), forfeit);
	let lost = stranger - wealth(&cli, "//Ferdie");
	assert!(lost < 100_000_000_000, "{lost} planck beside fees of transactions");
	issuance.check(&cli);
}

/// A worker that lies, whose data plane nobody reaches, and that answers every demand on the chain:
/// it is walked to its lie and convicted of that.
#[test]
fn a_liar_that_answers_on_the_chain_alone_is_walked_to_its_lie() {
	let mut net = start();
	let cli = net.cli.clone();
	let issuance = Issuance::at_genesis(&cli);
	let (url, _) = serve(Behaviour::Closed);
	let lying =
		WorkerOptions { sabotage: Some("7:50:200:-3".into()), ..WorkerOptions::honest("//Dave") };
	let provider = net.register(&lying, Some(&url)).unwrap();
	let _worker = net.start_worker(&provider, lying.sabotage.as_deref()).unwrap();
	let watched = one_task(&net, &provider.address, &[]);
	let wrong = &watched["tasks"][0]["reason"]["convicted"]["wrong"];
	assert_eq!([&wrong["node"], &wrong["row"], &wrong["col"]], [7, 50, 200], "{watched}");
	assert_eq!(planck(&watched["job"]["money"]["paid"]), 0);
	check_sums(&watched["job"]);
	issuance.check(&cli);
}

/// Where auditors execute again, nothing but the output is committed to. The trace is owed all the
/// same: to an auditor who finds another output, and to anyone who pays for it.
#[test]
fn a_trace_is_given_on_demand() {
	let mut net = start();
	let cli = net.cli.clone();
	let issuance = Issuance::at_genesis(&cli);
	let honest = WorkerOptions::honest("//Bob");
	let bob = net.register(&honest, None).unwrap();
	let _worker = net.start_worker(&bob, None).unwrap();
	let replayed = ["--depth", "replay"];
	let before = wealth(&cli, "//Bob");
	let watched = std::thread::scope(|scope| {
		let told = scope.spawn(|| one_task(&net, &bob.address, &replayed));
		let task = TaskId { job: 0, index: 0 };
		let runtime = tokio::runtime::Runtime::new().unwrap();
		runtime.block_on(async {
			let client = assay_client::Client::connect(&net.url).await.unwrap();
			let challenge = loop {
				match client.challenge(task).await.unwrap() {
					Some(challenge) => break challenge,
					None => tokio::time::sleep(std::time::Duration::from_millis(50)).await,
				}
			};
			let output_root = root(&claim(0)[1]);
			assert_eq!(challenge.commitment, Commitment { output_root, trace_root: None });
			let signer = assay_client::Signer::from_uri("//Eve").unwrap();
			let stranger = assay_client::Submitter::new(&client, signer);
			stranger.demand(task, Wanted::Trace, vec![]).await.unwrap();
			loop {
				let known = client.challenge(task).await.unwrap().expect("waits for the answer");
				if let Some(trace_root) = known.commitment.trace_root {
					break assert_eq!(trace_root, root(&claim(0)[2]));
				}
				tokio::time::sleep(std::time::Duration::from_millis(50)).await;
			}
		});
		told.join().unwrap()
	});
	assert_eq!(watched["ok"], true, "{watched}");
	check_sums(&watched["job"]);
	let paid = planck(&watched["job"]["money"]["paid"]);
	let earned = wealth(&cli, "//Bob") - before;
	assert_eq!(earned, paid, "the answer is paid to the key that gave it");

	let lying =
		WorkerOptions { sabotage: Some("18:99:0:1".into()), ..WorkerOptions::honest("//Dave") };
	let dave = net.register(&lying, None).unwrap();
	let _liar = net.start_worker(&dave, lying.sabotage.as_deref()).unwrap();
	let watched = one_task(&net, &dave.address, &replayed);
	let wrong = &watched["tasks"][0]["reason"]["convicted"]["wrong"];
	assert_eq!([&wrong["node"], &wrong["row"], &wrong["col"]], [18, 99, 0], "{watched}");
	issuance.check(&cli);
}
