//! The file of a pallet's weights.

use crate::measure::{Effort, Measurement};
use anyhow::{bail, ensure, Context, Result};
use frame_benchmarking::{Analysis, BenchmarkMetadata};
use frame_support::traits::StorageInfo;
use std::fmt::Write as _;

/// Where measurements come from.
pub struct Origin {
	/// When they were made.
	pub date: String,
	/// On what.
	pub machine: String,
	/// How.
	pub effort: Effort,
}

/// The functions a pallet wants weights of.
pub struct Functions {
	/// The trait that declares them, with its documentation.
	text: String,
	/// Their names and parameters, in order.
	list: Vec<(String, Vec<String>)>,
}

impl Functions {
	/// Takes the trait `WeightInfo` out of a file of weights.
	pub fn find(file: &str) -> Result<Self> {
		let start = file.find("/// Weight functions").context("no trait of weight functions")?;
		let length = file[start..].find("\n}\n").context("the trait has no end")? + 3;
		let text = file[start..start + length].to_string();
		let list = text
			.lines()
			.filter_map(|line| line.trim().strip_prefix("fn "))
			.map(|function| {
				let (name, rest) = function.split_once('(').context("no parameters")?;
				let (parameters, _) = rest.split_once(')').context("no end of parameters")?;
				let parameters = parameters
					.split(',')
					.filter_map(|parameter| parameter.split_once(':'))
					.map(|(name, _)| name.trim().to_string())
					.collect();
				Ok((name.to_string(), parameters))
			})
			.collect::<Result<_>>()?;
		Ok(Self { text, list })
	}

	/// Checks that there is a benchmark for each function, and no other, with the same parameters.
	pub fn match_benchmarks(&self, benchmarks: &[BenchmarkMetadata]) -> Result<()> {
		for (name, parameters) in &self.list {
			let Some(benchmark) = benchmarks.iter().find(|b| b.name == name.as_bytes()) else {
				bail!("no benchmark of {name}");
			};
			let components: Vec<_> =
				benchmark.components.iter().map(|(name, ..)| name.to_string()).collect();
			ensure!(components == *parameters, "{name} has other parameters than its benchmark");
		}
		ensure!(self.list.len() == benchmarks.len(), "there are benchmarks without a function");
		Ok(())
	}
}

/// The new file of weights.
pub fn write(
	pallet: &str,
	functions: &Functions,
	measurements: &[Measurement],
	storage: &[StorageInfo],
	origin: &Origin,
) -> Result<String> {
	let Origin { date, machine, effort } = origin;
	let mut out = format!(
		"//! Weights of `{pallet}`, measured on {date}.\n\
		 //!\n\
		 //! Written by `scripts/bench weights`; run it to measure anew.\n\
		 //!\n\
		 //! - Machine: {machine}.\n\
		 //! - Method: {} values of each component, {} times each in each of {} passes, a line through \
		 the\n//!   middle half of the times by least squares. Reads and writes are counted; what one \
		 costs is the\n//!   runtime's to say.\n\
		 //! - Proof sizes are nought: the chain records no proofs, and its blocks have no limit of \
		 them.\n\n\
		 #![allow(missing_docs)]\n\n\
		 use core::marker::PhantomData;\n\
		 use frame_support::{{\n\ttraits::Get,\n\tweights::{{constants::ParityDbWeight, \
		 Weight}},\n}};\n\n",
		effort.steps, effort.repeat, effort.passes
	);
	out += &functions.text;
	out += "\n/// Weights with the runtime's database costs.\n\
		pub struct SubstrateWeight<T>(PhantomData<T>);\n\
		impl<T: frame_system::Config> WeightInfo for SubstrateWeight<T> {\n";
	for measured in in_order(functions, measurements)? {
		out += &comment(measured, storage);
		out += &function(measured, "T::DbWeight::get()")?;
	}
	out += "}\n\n// For tests.\nimpl WeightInfo for () {\n";
	for measured in in_order(functions, measurements)? {
		out += &function(measured, "ParityDbWeight::get()")?;
	}
	out += "}\n";
	Ok(out)
}

fn in_order<'a>(
	functions: &Functions,
	measurements: &'a [Measurement],
) -> Result<Vec<&'a Measurement>> {
	functions
		.list
		.iter()
		.map(|(name, _)| {
			measurements.iter().find(|m| m.name == *name).with_context(|| format!("no {name}"))
		})
		.collect()
}

/// What a function's weight was measured over, and what storage it touches.
fn comment(measured: &Measurement, storage: &[StorageInfo]) -> String {
	let mut words = Vec::new();
	for (name, low, high) in &measured.components {
		words.push(format!("`{name}` in `[{low}, {high}]`."));
	}
	if !measured.components.is_empty() && !measured.keys.is_empty() {
		words.push("At the highest:".into());
	}
	let last = measured.keys.len().saturating_sub(1);
	for (i, (prefix, reads, writes, _)) in measured.keys.iter().enumerate() {
		let name = storage
			.iter()
			.find(|info| prefix.starts_with(&info.prefix))
			.map(|info| {
				let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
				format!("`{}::{}`", text(&info.pallet_name), text(&info.storage_name))
			})
			.unwrap_or_else(|| format!("`0x{}`", sp_core::hexdisplay::HexDisplay::from(prefix)));
		let end = if i == last { "." } else { "," };
		words.push(format!("{name} (r:{reads} w:{writes}){end}"));
	}
	let (mut out, mut line) = (String::new(), String::new());
	for word in words {
		if !line.is_empty() && line.len() + word.len() > 90 {
			out += &format!("\t///{line}\n");
			line.clear();
		}
		line += " ";
		line += &word;
	}
	if !line.is_empty() {
		out += &format!("\t///{line}\n");
	}
	out
}

/// A function that returns what was measured. `db` is what prices the database's work.
fn function(measured: &Measurement, db: &str) -> Result<String> {
	let Measurement { name, time, reads, writes, .. } = measured;
	let slopes: Vec<_> = measured
		.components
		.iter()
		.enumerate()
		.map(|(i, (name, ..))| (name, slope(time, i), slope(reads, i), slope(writes, i)))
		.collect();
	let parameters: Vec<_> = slopes
		.iter()
		.map(|(name, time, reads, writes)| {
			let unused = if time + reads + writes == 0 { "_" } else { "" };
			format!("{unused}{name}: u32")
		})
		.collect();
	let mut out = format!("\tfn {name}({}) -> Weight {{\n", parameters.join(", "));
	write!(out, "\t\tWeight::from_parts({}, 0)", grouped(time.base))?;
	for (name, time, ..) in &slopes {
		if *time > 0 {
			let time = grouped(*time);
			write!(
				out,
				".saturating_add(Weight::from_parts({time}, 0).saturating_mul({name}.into()))"
			)?;
		}
	}
	if reads.base + writes.base > 0 {
		write!(out, ".saturating_add({db}.reads_writes({}, {}))", reads.base, writes.base)?;
	}
	for (name, _, reads, writes) in &slopes {
		if reads + writes > 0 {
			write!(
				out,
				".saturating_add({db}.reads_writes({reads}, {writes}).saturating_mul({name}.into()))"
			)?;
		}
	}
	out += "\n\t}\n";
	Ok(out)
}

fn slope(analysis: &Analysis, component: usize) -> u128 {
	analysis.slopes.get(component).copied().unwrap_or_default()
}

/// A number with its digits in groups of three.
fn grouped(number: u128) -> String {
	let digits = number.to_string();
	let mut out = String::new();
	for (i, digit) in digits.chars().enumerate() {
		if i > 0 && (digits.len() - i).is_multiple_of(3) {
			out.push('_');
		}
		out.push(digit);
	}
	out
}

#[cfg(test)]
mod tests {
	use super::*;

	#[test]
	fn functions_are_found() {
		let file = "//! x\n\n/// Weight functions.\npub trait WeightInfo {\n\t/// One.\n\tfn \
			one() -> Weight;\n\tfn two(a: u32, b: u32) -> Weight;\n}\n\n/// y\nstruct Y {\n}\n";
		let functions = Functions::find(file).expect("there is a trait");
		assert!(functions.text.starts_with("/// Weight") && functions.text.ends_with("}\n"));
		let names = |list: &[&str]| list.iter().map(|s| s.to_string()).collect::<Vec<_>>();
		assert_eq!(
			functions.list,
			[("one".to_string(), vec![]), ("two".to_string(), names(&["a", "b"]))]
		);
	}

	#[test]
	fn digits_are_grouped() {
		assert_eq!(
			[0, 12, 123, 1_234, 1_234_567].map(grouped),
			["0", "12", "123", "1_234", "1_234_567"]
		);
	}
}
