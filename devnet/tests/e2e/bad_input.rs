//! What cannot be done is refused with a reason, and moves no money but the transaction's fee.

use crate::{
	common::*,
	fakes::{input, root, serve, Behaviour, Fake},
};
use assay_client::{Client, Error, JobSpec, Profile, Signer, Submitter};
use assay_compute::tasks_root;
use assay_devnet::{planck, Failure, Net};
use assay_primitives::{
	market::{MachineClass, Requirements},
	work::{Assurance, Commitment, Mode, TaskId},
	Balance, Root, ASY,
};
use tokio::runtime::Runtime;

fn failure(net: &Net, args: &[&str]) -> Failure {
	match net.cli.attempt(args).unwrap() {
		Ok(value) => panic!("`{}` succeeded: {value}", args.join(" ")),
		Err(failure) => failure,
	}
}

fn spec(program: Root) -> JobSpec {
	JobSpec {
		program,
		tasks_root: tasks_root(&[vec![input().0]]).into(),
		tasks: 1,
		data_url: "http://127.0.0.1:9".into(),
		requirements: Requirements { class: MachineClass::Cpu, min_memory_mib: 0, region: None },
		mode: Mode::BestAsk,
		assurance: Assurance::every_task(1),
		max_price: 2 * ASY,
		value: 0,
		deadline: 60,
		lifetime: 600,
	}
}

#[test]
fn to_the_command_line() {
	let net = start();
	let program = program().display().to_string();
	let input = batches(1)[0].display().to_string();
	let labels = example().join("labels.json").display().to_string();
	let submit = |more: &[&str]| {
		let args = [&["--suri", BUYER, "job", "submit"], more].concat();
		failure(&net, &args)
	};
	let before = wealth(&net.cli, BUYER);
	for (args, code, part) in [
		(vec![&program[..], "--inputs", &labels], 1, "labels.json"),
		(vec![&program, "--inputs", "nowhere.bin"], 1, "nowhere.bin"),
		(vec![&labels, "--inputs", &input], 1, "labels.json"),
		(vec!["nowhere.json", "--inputs", &input], 1, "nowhere.json"),
		(vec![&program, "--inputs", &input, "--max-price", "-1"], 2, "-1"),
		(vec![&program, "--inputs", &input, "--max-price", "1.5"], 2, "no amount"),
		(vec![&program, "--inputs", &input, "--max-price", "0"], 1, "ZeroPrice"),
		(
			vec![
				&program,
				"--inputs",
				&input,
				"--max-price",
				"340282366920938463463374607431768211455",
			],
			1,
			"more than can exist",
		),
		(vec![&program, "--inputs", &input, "--max-price", "99999999ASY"], 1, "escrow"),
		(
			vec![&program, "--inputs", &input, "--max-price", "1ASY", "--auditors", "200"],
			1,
			"auditors",
		),
		(
			vec![&program, "--inputs", &input, "--max-price", "1ASY", "--deadline", "1"],
			1,
			"Deadline",
		),
		(vec![&program, "--inputs", &input], 1, "machine"),
		(
			vec![&program, "--inputs", &input, "--public-url", "ftp://x", "--max-price", "1ASY"],
			1,
			"URL",
		),
	] {
		let failure = submit(&args);
		assert_eq!(failure.code, Some(code), "{args:?}: {failure:?}");
		assert!(failure.error.contains(part), "{args:?}: {failure:?}");
	}
	let stats = net.cli.run(&["network"]).unwrap();
	assert_eq!(stats["jobs_posted"], 0, "{stats}");
	assert_eq!(planck(&stats["escrow"]), 0, "{stats}");
	assert!(before - wealth(&net.cli, BUYER) < ASY, "only fees of transactions are gone");

	for (args, part) in [
		(vec!["job", "status", "7"], "no job 7"),
		(vec!["job", "watch", "18446744073709551615"], "no job"),
		(vec!["job", "status", "seven"], "seven"),
		(vec!["job", "receipt", "7"], "no job 7"),
		(vec!["job", "result", "7", "--out", "/nonexistent/out"], "no job 7"),
		(vec!["--suri", BUYER, "job", "cancel", "7"], "no job 7"),
		(vec!["--suri", "//", "job", "cancel", "7"], "key"),
		(vec!["job", "cancel", "7"], "--key-file"),
		(vec!["provider", "show", "//Ferdie"], "provider"),
		(vec!["provider", "show", "5Grw"], "5Grw"),
		(vec!["--suri", "//Ferdie", "provider", "unbond", "1ASY"], "NotRegistered"),
	] {
		let failure = failure(&net, &args);
		assert!(failure.error.contains(part), "{args:?}: {failure:?}");
	}
}

#[test]
fn to_the_chain() {
	let net = start();
	let runtime = Runtime::new().unwrap();
	let client = runtime.block_on(Client::connect(&net.url)).unwrap();
	let signer = |uri: &str| Submitter::new(&client, Signer::from_uri(uri).unwrap());
	let buyer = signer(BUYER);
	let issuance = Issuance::at_genesis(&net.cli);

	let refused = |what: &str, result: Result<(), Error>, error: &str| {
		let failed = result.expect_err(what);
		assert!(failed.to_string().contains(error), "{what}: {failed}");
	};
	let register = |bytes: Vec<u8>| runtime.block_on(buyer.register_program(bytes)).map(|_| ());
	refused("no bytes", register(vec![]), "Program");
	refused("malformed", register(vec![255; 40]), "Program");
	let json =
		net.cli.run(&["--suri", BUYER, "program", "register", &program().display().to_string()]);
	let id = json.unwrap()["program"].as_str().map(root).unwrap();

	let post = |spec: &JobSpec| runtime.block_on(buyer.post_job(spec)).map(|_| ());
	let with = |change: fn(&mut JobSpec)| {
		let mut spec = spec(id);
		change(&mut spec);
		spec
	};
	let most: Balance = Balance::MAX;
	assert_eq!(most, u128::MAX);
	for (change, error) in [
		((|s| s.program = Root::zero()) as fn(&mut JobSpec), "UnknownProgram"),
		(|s| s.tasks = 0, "TaskCount"),
		(|s| s.tasks = u32::MAX, "TaskCount"),
		(|s| s.max_price = 0, "ZeroPrice"),
		(|s| s.max_price = u128::MAX, "AmountTooLarge"),
		(|s| s.max_price = u128::MAX / 8, "Funds"),
		(|s| s.deadline = 0, "DeadlineOutOfRange"),
		(|s| s.deadline = u32::MAX, "DeadlineOutOfRange"),
		(|s| s.lifetime = 0, "LifetimeOutOfRange"),
		(|s| s.lifetime = u32::MAX, "LifetimeOutOfRange"),
		(|s| s.assurance = Assurance::every_task(0), "Audit"),
		(|s| s.assurance = Assurance::every_task(255), "Audit"),
		(|s| s.data_url = "http://user:password@host".into(), "base URL"),
	] {
		let spec = with(change);
		refused(&format!("{spec:?}"), post(&spec), error);
	}

	let (url, _) = serve(Behaviour::Closed);
	let stake = |amount: Balance| {
		let profile = Profile { name: "x".into(), endpoint: url.clone(), region: None };
		let ferdie = signer("//Ferdie");
		let hot = signer("//Ferdie//hot");
		runtime.block_on(ferdie.register_provider(hot.account(), amount, &profile)).map(|_| ())
	};
	refused("no stake", stake(0), "StakeTooLow");
	refused("more than there is", stake(u128::MAX), "Funds");

	// One job, offered to a provider that is the test's.
	let fake = Fake::register(&net, "//Eve", &url);
	post(&spec(id)).unwrap();
	let task = fake.offered(0);
	let commitment = Commitment { output_root: Root::zero(), trace_root: Some(Root::zero()) };
	let hot = &fake.hot;
	let run = |result| refused("a step out of turn", result, "WrongState");
	run(runtime.block_on(hot.submit_result(task, commitment)).map(|_| ()));
	run(runtime.block_on(hot.abandon(task)).map(|_| ()));
	let accept = |who: &Submitter, task, inputs| {
		runtime.block_on(who.accept(task, inputs, vec![])).map(|_| ())
	};
	refused("not a hot key", accept(&buyer, task, vec![input()]), "NotHotKey");
	refused("other inputs", accept(hot, task, vec![Root::zero()]), "WrongInputs");
	refused("no inputs", accept(hot, task, vec![]), "WrongInputs");
	refused("too many", accept(hot, task, vec![Root::zero(); 17]), "at most 16");
	let nowhere = TaskId { job: 99, index: 0 };
	refused("no such job", accept(hot, nowhere, vec![input()]), "Unknown");
	let beyond = TaskId { job: 0, index: 1 };
	refused("no such task", accept(hot, beyond, vec![input()]), "Unknown");
	accept(hot, task, vec![input()]).unwrap();
	refused("twice", accept(hot, task, vec![input()]), "WrongState");
	refused(
		"submitted by another",
		runtime.block_on(buyer.submit_result(task, commitment)).map(|_| ()),
		"NotHotKey",
	);
	fake.submit(task, Root::zero(), Root::zero());
	refused(
		"twice",
		runtime.block_on(hot.submit_result(task, commitment)).map(|_| ()),
		"WrongState",
	);
	refused(
		"stake that is at risk",
		{
			let eve = signer("//Eve");
			runtime.block_on(eve.unbond(5_000 * ASY)).map(|_| ())
		},
		"Stake",
	);
	issuance.check(&net.cli);
}
