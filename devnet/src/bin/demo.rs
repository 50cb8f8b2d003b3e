//! The main job, from nothing to paid: a throw-away chain, a worker, 1,000 handwritten digits as ten
//! tasks; then the same job on a worker that falsifies one element.

use anyhow::{bail, ensure, Context, Result};
use assay_devnet::{planck, Cli, Net, Options, WorkerOptions};
use clap::Parser;
use serde_json::{json, Value};
use std::{
	fs,
	path::{Path, PathBuf},
	process::ExitCode,
	time::{Duration, Instant},
};

/// The buyer's key.
const BUYER: &str = "//Charlie";
/// The honest provider's account.
const HONEST: &str = "//Bob";
/// The liar's account.
const LIAR: &str = "//Dave";

/// Buyers may leave it to the chain how many tasks are audited; here all are, so that the lie is
/// sure to be looked at.
const EVERY_TASK: [&str; 2] = ["--audit-rate", "100"];

/// Runs Assay's main job on a throw-away local chain.
#[derive(Parser)]
struct Args {
	/// End with one JSON object and say nothing else on standard output.
	#[arg(long)]
	json: bool,
	/// Folder of the example.
	#[arg(long, value_name = "DIR", default_value = "examples/digits")]
	example: PathBuf,
	/// The element that the lying worker falsifies, and by how much.
	#[arg(long, value_name = "NODE:ROW:COL:DELTA", default_value = "9:37:5:1")]
	sabotage: String,
	/// Milliseconds between blocks.
	#[arg(long, default_value_t = 400)]
	block_time: u64,
}

fn main() -> ExitCode {
	let args = Args::parse();
	match run(&args) {
		Ok(report) => {
			if args.json {
				println!("{report}");
			}
			ExitCode::SUCCESS
		}
		Err(error) => {
			eprintln!("demo: {error:#}");
			if args.json {
				println!("{}", json!({ "error": format!("{error:#}") }));
			}
			ExitCode::FAILURE
		}
	}
}

/// Tells a person what happens, on standard error.
fn say(text: impl AsRef<str>) {
	eprintln!("demo: {}", text.as_ref());
}

fn run(args: &Args) -> Result<Value> {
	let start = Instant::now();
	let labels = labels(&args.example)?;
	say("starting a chain of one validator");
	let mut net = Net::start(Options { block_time: args.block_time, ..Default::default() })?;
	let cli = net.cli.clone();
	let before = Money::read(&cli)?;

	say("registering a provider with a stake, starting its worker");
	let honest = net.worker(&WorkerOptions::honest(HONEST))?;
	say("posting 1,000 digits as a job of ten tasks, following it to settlement");
	let posted = submit(&cli, &args.example, &EVERY_TASK)?;
	let job = &posted["job"];
	let id = job["id"].as_u64().context("the job has no number")?.to_string();
	ensure!(posted["ok"] == true, "the job was not settled: {posted}");

	say("fetching the results and checking them against the chain");
	let out = net.folder().join("results");
	cli.run(&["job", "result", &id, "--out", &out.display().to_string()])?;
	let digits = predictions(&out)?;
	ensure!(digits.len() == labels.len(), "{} results for {} digits", digits.len(), labels.len());
	let right = digits.iter().zip(&labels).filter(|(a, b)| a == b).count();
	let accuracy = right as f64 / labels.len() as f64;

	let receipt = net.folder().join("receipt.json");
	// The demonstration's chain is sealed: no votes are there to prove its receipts by.
	cli.run(&["job", "receipt", &id, "--unproved", "--out", &receipt.display().to_string()])?;
	let receipt: Value = serde_json::from_slice(&fs::read(&receipt)?)?;

	say("waiting for the era's end, when the work's emission is minted");
	cli.until("the era's emission", &["network"], Duration::from_secs(60), |stats| {
		planck(&stats["minted"]) > 0
	})?;
	drop(honest);

	say(format!("the same job on a worker that falsifies {}", args.sabotage));
	let mut lie = WorkerOptions::honest(LIAR);
	lie.sabotage = Some(args.sabotage.clone());
	let liar = net.register(&lie, None)?;
	let _liar = net.start_worker(&liar, lie.sabotage.as_deref())?;
	let to_liar = ["--provider", &liar.address, "--machine", "0"];
	let caught = submit(&cli, &args.example, &[&EVERY_TASK[..], &to_liar].concat())?;
	let place = verdict(&caught)?;

	let after = Money::read(&cli)?;
	let issuance_ok =
		after.issuance == before.issuance + after.minted - after.burned - after.destroyed;
	let money = &job["money"];
	let report = json!({
		"accuracy": accuracy,
		"digits": labels.len(),
		"tasks_settled": job["counts"]["settled"],
		"paid": money["paid"],
		"refunded": money["refunded"],
		"audit_fees": money["audit"],
		"burned": money["burned"],
		"minted": after.minted.to_string(),
		"issuance_ok": issuance_ok,
		"sabotage": {
			"caught": place.is_some() && planck(&caught["job"]["money"]["paid"]) == 0,
			"paid": planck(&caught["job"]["money"]["paid"]) as u64,
			"refunded": caught["job"]["money"]["refunded"],
			"compensated": caught["job"]["money"]["compensated"],
			"forfeited": after.forfeited.to_string(),
			"destroyed": after.destroyed.to_string(),
			"node": place.map(|p| p.0),
			"row": place.map(|p| p.1),
			"col": place.map(|p| p.2),
		},
		"seconds": start.elapsed().as_secs(),
	});
	tell(&report, &receipt);
	ensure!(issuance_ok, "the total issuance does not add up: {before:?} then {after:?}");
	ensure!(report["sabotage"]["caught"] == true, "the lie was not caught: {caught}");
	Ok(report)
}

/// Posts the example's job, serves its inputs and follows it until it closes.
fn submit(cli: &Cli, example: &Path, more: &[&str]) -> Result<Value> {
	let mut inputs: Vec<_> = fs::read_dir(example.join("inputs"))
		.with_context(|| format!("{} has no inputs", example.display()))?
		.map(|entry| Ok(entry?.path()))
		.collect::<Result<_>>()?;
	inputs.sort();
	cli.follow(BUYER, &example.join("program.json"), &inputs, more)
}

/// Where a job's results were proved wrong, if all its tasks were refunded for the same place.
fn verdict(job: &Value) -> Result<Option<(u64, u64, u64)>> {
	let tasks = job["tasks"].as_array().context("the job lists no tasks")?;
	let mut places = Vec::new();
	for task in tasks {
		let place = &task["reason"]["convicted"]["wrong"];
		match (place["node"].as_u64(), place["row"].as_u64(), place["col"].as_u64()) {
			(Some(node), Some(row), Some(col)) => places.push((node, row, col)),
			_ => bail!("a task of the lying worker ended otherwise: {task}"),
		}
	}
	places.dedup();
	Ok((places.len() == 1).then(|| places[0]))
}

/// What the network's figures say of issuance, in planck.
#[derive(Debug)]
struct Money {
	issuance: u128,
	minted: u128,
	burned: u128,
	forfeited: u128,
	destroyed: u128,
}

impl Money {
	fn read(cli: &Cli) -> Result<Self> {
		let stats = cli.run(&["network"])?;
		Ok(Self {
			issuance: planck(&stats["issuance"]),
			minted: planck(&stats["minted"]),
			burned: planck(&stats["burned"]),
			forfeited: planck(&stats["forfeited"]),
			destroyed: planck(&stats["destroyed"]),
		})
	}
}

fn labels(example: &Path) -> Result<Vec<i64>> {
	let path = example.join("labels.json");
	let text = fs::read(&path).with_context(|| format!("{} is missing", path.display()))?;
	let value: Value = serde_json::from_slice(&text)?;
	let list = value.as_array().or_else(|| value["labels"].as_array());
	list.context("labels.json holds no list")?
		.iter()
		.map(|label| label.as_i64().context("a label is no number"))
		.collect()
}

/// The outputs of all tasks in order, each a column of i32.
fn predictions(folder: &Path) -> Result<Vec<i64>> {
	let mut files: Vec<_> = fs::read_dir(folder)?
		.map(|entry| Ok(entry?.path()))
		.collect::<Result<Vec<_>>>()?
		.into_iter()
		.filter(|path| path.extension().is_some_and(|e| e == "bin"))
		.collect();
	files.sort();
	let mut all = Vec::new();
	for file in files {
		let bytes = fs::read(&file)?;
		all.extend(
			bytes.chunks_exact(4).map(|b| i64::from(i32::from_le_bytes([b[0], b[1], b[2], b[3]]))),
		);
	}
	Ok(all)
}

/// The outcome for a person.
fn tell(report: &Value, receipt: &Value) {
	let asy = |value: &Value| format!("{:.6} ASY", planck(value) as f64 / 1e12);
	let s = &report["sabotage"];
	eprintln!();
	eprintln!(
		"  accuracy        {:.2} % of {}",
		report["accuracy"].as_f64().unwrap_or(0.0) * 100.0,
		report["digits"]
	);
	eprintln!("  tasks settled   {}", report["tasks_settled"]);
	for task in receipt["tasks"].as_array().into_iter().flatten().take(3) {
		eprintln!(
			"    task {}: {} to {}, output {}",
			task["index"],
			asy(&task["price"]),
			task["provider"].as_str().unwrap_or("?"),
			task["output_root"].as_str().unwrap_or("?")
		);
	}
	eprintln!("    … the rest is in the receipt");
	eprintln!("  provider paid   {}", asy(&report["paid"]));
	eprintln!("  auditors paid   {}", asy(&report["audit_fees"]));
	eprintln!("  buyer refunded  {}", asy(&report["refunded"]));
	eprintln!("  burned          {}", asy(&report["burned"]));
	eprintln!("  minted          {}", asy(&report["minted"]));
	eprintln!("  issuance adds up: {}", report["issuance_ok"]);
	eprintln!(
		"  the lie at node {}, row {}, column {}: caught {}, paid {}, refunded {}",
		s["node"],
		s["row"],
		s["col"],
		s["caught"],
		s["paid"],
		asy(&s["refunded"])
	);
	eprintln!();
}
