//! The example's job and what is right about it, known from elsewhere: `claims.json` is made in
//! NumPy, `labels.json` by people.

use assay_devnet::{planck, Cli, Net, Options};
use serde_json::Value;
use std::{
	fs,
	path::{Path, PathBuf},
	time::{Duration, Instant},
};

/// The buyer's key.
pub const BUYER: &str = "//Charlie";
/// Time that anything in these tests may take.
pub const PATIENCE: Duration = Duration::from_secs(240);

pub fn example() -> PathBuf {
	Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/digits")
}

pub fn program() -> PathBuf {
	example().join("program.json")
}

/// The inputs of the first `count` tasks.
pub fn batches(count: usize) -> Vec<PathBuf> {
	(0..count).map(|i| example().join(format!("inputs/batch-{i:02}.bin"))).collect()
}

fn read(name: &str) -> Value {
	serde_json::from_slice(&fs::read(example().join(name)).unwrap()).unwrap()
}

/// What the independent computation says of a task: input, output and trace root, with `0x`.
pub fn claim(task: usize) -> [String; 3] {
	let claim = &read("claims.json")["tasks"][task];
	["input_root", "output_root", "trace_root"]
		.map(|name| format!("0x{}", claim[name].as_str().unwrap()))
}

/// The digits that people saw.
pub fn labels() -> Vec<i64> {
	read("labels.json").as_array().unwrap().iter().map(|label| label.as_i64().unwrap()).collect()
}

pub fn start() -> Net {
	Net::start(Options { block_time: 300, ..Options::default() }).unwrap()
}

/// Has every task audited, so that what happens does not hang on a lot.
pub const EVERY_TASK: [&str; 2] = ["--audit-rate", "100"];

/// A job of the first `tasks` batches, every one of them audited, followed to its end.
pub fn follow(net: &Net, tasks: usize, more: &[&str]) -> Value {
	let more = [&EVERY_TASK[..], more].concat();
	net.cli.follow(BUYER, &program(), &batches(tasks), &more).unwrap()
}

/// All that an account has, held or free.
pub fn wealth(cli: &Cli, account: &str) -> u128 {
	let shown = cli.run(&["account", "show", account]).unwrap();
	["free", "held"].iter().map(|part| planck(&shown["balance"][part])).sum()
}

/// The money that exists is what genesis made, and minted, less what was burned of fees, forfeits and
/// bonds.
pub struct Issuance(u128);

impl Issuance {
	pub fn at_genesis(cli: &Cli) -> Self {
		Self(Self::outside(cli))
	}

	fn outside(cli: &Cli) -> u128 {
		let stats = cli.run(&["network"]).unwrap();
		let [issuance, minted, burned, destroyed] =
			["issuance", "minted", "burned", "destroyed"].map(|name| planck(&stats[name]));
		issuance + burned + destroyed - minted
	}

	pub fn check(&self, cli: &Cli) {
		assert_eq!(Self::outside(cli), self.0, "issuance is genesis + minted - burned");
	}
}

/// What happened of one kind, in order.
pub fn events<'a>(watched: &'a Value, event: &str) -> Vec<&'a Value> {
	let history = watched["history"].as_array().unwrap();
	history.iter().filter(|happened| happened["event"] == event).collect()
}

/// Every planck of a closed job's escrow went somewhere.
pub fn check_sums(job: &Value) {
	let money = &job["money"];
	let [escrow, paid, fees, audit, refunded, held] =
		["escrow", "paid", "fees", "audit", "refunded", "held"].map(|name| planck(&money[name]));
	assert_eq!(held, 0, "{money}");
	assert_eq!(escrow, paid + fees + audit + refunded, "{money}");
	assert!(planck(&money["burned"]) <= fees, "{money}");
}

/// Waits until something is so.
pub fn until(what: &str, mut so: impl FnMut() -> bool) {
	let start = Instant::now();
	while !so() {
		assert!(start.elapsed() < PATIENCE, "waited over {PATIENCE:?} for {what}");
		std::thread::sleep(Duration::from_millis(100));
	}
}
