//! Measures the runtime's benchmarks and writes the pallets' weights: `scripts/bench weights`.
//!
//! The runtime is executed as a node executes it, as WASM compiled by wasmtime, on the development
//! chain's genesis in memory. What the database costs is not measured but counted, and priced by
//! the runtime's `DbWeight`.

mod file;
mod measure;
mod runtime;

use anyhow::{bail, Context, Result};
use clap::Parser;
use frame_benchmarking::BenchmarkList;
use frame_support::traits::StorageInfo;
use measure::{Effort, Measurement, Run};
use runtime::Runtime;
use std::path::PathBuf;

#[derive(Parser)]
struct Args {
	/// The runtime, built with the feature `runtime-benchmarks`.
	wasm: PathBuf,
	/// Folder of the pallets, whose `NAME/src/weights.rs` are written.
	#[arg(long, default_value = "pallets")]
	pallets: PathBuf,
	/// Only pallets of these names, like `job-escrow`.
	#[arg(long = "pallet")]
	only: Vec<String>,
	/// Values of each component to measure at.
	#[arg(long, default_value_t = 25, value_parser = clap::value_parser!(u32).range(3..))]
	steps: u32,
	/// Passes through all benchmarks of a pallet.
	#[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
	passes: u32,
	/// Measurements at each value in each pass.
	#[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
	repeat: u32,
	/// The date to write down.
	#[arg(long)]
	date: String,
}

fn main() -> Result<()> {
	let args = Args::parse();
	let effort = Effort { steps: args.steps, passes: args.passes, repeat: args.repeat };
	let runtime = Runtime::load(&args.wasm)?;
	let (pallets, storage): (Vec<BenchmarkList>, Vec<StorageInfo>) =
		runtime.call(&runtime.state(false)?, "Benchmark_benchmark_metadata", &false)?;
	let origin = file::Origin { date: args.date.clone(), machine: machine()?, effort };
	let mut found = 0;
	for list in pallets {
		let pallet = String::from_utf8(list.pallet.clone())?;
		let name = pallet.trim_start_matches("pallet_").replace('_', "-");
		if !args.only.is_empty() && !args.only.contains(&name) {
			continue;
		}
		found += 1;
		let path = args.pallets.join(&name).join("src/weights.rs");
		let old = std::fs::read_to_string(&path)
			.with_context(|| format!("{} cannot be read", path.display()))?;
		let functions = file::Functions::find(&old).with_context(|| path.display().to_string())?;
		functions.match_benchmarks(&list.benchmarks).with_context(|| pallet.clone())?;
		let measurements = measure(&runtime, &list, effort).with_context(|| pallet.clone())?;
		let text = file::write(&pallet, &functions, &measurements, &storage, &origin)?;
		std::fs::write(&path, text)
			.with_context(|| format!("{} cannot be written", path.display()))?;
	}
	if found == 0 {
		bail!("no such pallet has benchmarks");
	}
	Ok(())
}

/// Measures all benchmarks of a pallet, saying how far it is.
fn measure(runtime: &Runtime, list: &BenchmarkList, effort: Effort) -> Result<Vec<Measurement>> {
	let pallet = String::from_utf8_lossy(&list.pallet);
	eprintln!("{pallet}: checking and counting");
	let mut runs = list
		.benchmarks
		.iter()
		.map(|benchmark| Run::start(runtime, list, benchmark, effort.steps))
		.collect::<Result<Vec<_>>>()?;
	for pass in 1..=effort.passes {
		eprintln!("{pallet}: pass {pass} of {}", effort.passes);
		for run in &mut runs {
			run.time(effort.repeat)?;
		}
	}
	let measurements = runs.into_iter().map(Run::finish).collect::<Result<Vec<_>>>()?;
	for measured in &measurements {
		println!("{pallet}::{}", measured.summary());
	}
	Ok(measurements)
}

/// What this machine's processor calls itself.
fn machine() -> Result<String> {
	let info = std::fs::read_to_string("/proc/cpuinfo").context("/proc/cpuinfo cannot be read")?;
	let value = |name: &str| {
		info.lines()
			.filter_map(|line| line.split_once(':'))
			.find(|(key, _)| key.trim() == name)
			.map(|(_, value)| value.trim().to_string())
	};
	let cores = info.lines().filter(|line| line.starts_with("processor")).count();
	let model = value("model name").unwrap_or_else(|| "a processor without a name".into());
	Ok(format!("{model}, {cores} cores"))
}
