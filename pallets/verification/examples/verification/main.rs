//! What verification costs, as ratios to the work itself, one thread each, all measured in one run.
//!
//! ```text
//! verification [--json | --markdown] [--quick]
//!     --json       one object
//!     --markdown   the tables of docs/verification.md
//!     --quick      leaves out the largest product and shortens the block's sequence
//! ```
//!
//! A goal that is missed is printed as missed. Figures mean something on a quiet machine only: the
//! load before the run is printed with them.

mod block;
mod chain;
mod digits;
mod economics;
mod figure;
mod lie;
mod measure;
mod memory;
mod noise;
mod product;
mod report;
mod source;
mod spot;
mod suite;
mod task;

use report::{Format, Report};
use std::process::ExitCode;

const USAGE: &str = "usage: verification [--json | --markdown] [--quick]";

fn main() -> ExitCode {
	let (mut format, mut quick) = (Format::Text, false);
	for argument in std::env::args().skip(1) {
		match argument.as_str() {
			"--json" => format = Format::Json,
			"--markdown" => format = Format::Markdown,
			"--quick" => quick = true,
			"--help" | "-h" => {
				println!("{USAGE}");
				return ExitCode::SUCCESS;
			}
			other => {
				eprintln!("unknown argument {other:?}\n{USAGE}");
				return ExitCode::from(2);
			}
		}
	}
	match run(quick) {
		Ok(report) => {
			print!("{}", report.show(format));
			ExitCode::SUCCESS
		}
		Err(error) => {
			eprintln!("error: {error}");
			ExitCode::FAILURE
		}
	}
}

fn run(quick: bool) -> Result<Report, String> {
	let machine = report::Machine::look();
	let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
	let pool = pool.map_err(|error| format!("no pool of one thread: {error}"))?;
	let tables = pool.install(|| suite::run(quick))?;
	Ok(Report { machine, tables })
}

/// Says on stderr what is being measured, for it takes minutes.
fn progress(what: &str) {
	eprintln!("measuring {what} ...");
}
