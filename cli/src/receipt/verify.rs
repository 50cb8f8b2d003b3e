//! `assay receipt verify`.

use super::outputs;
use crate::{context::Context, failure::NotTrue, output::table};
use anyhow::Context as _;
use assay_client::{address, Amount};
use assay_primitives::Hash;
use assay_receipt::{verify, Check, Checked, Outcome, Receipt};
use serde::Serialize;
use std::{fs, path::Path};

/// What came of it, for JSON.
#[derive(Serialize)]
struct Report<'a> {
	ok: bool,
	#[serde(skip_serializing_if = "Option::is_none")]
	job: Option<u64>,
	#[serde(skip_serializing_if = "Option::is_none")]
	genesis: Option<Hash>,
	checks: &'a [Check],
	proved: Vec<String>,
	trusted: Vec<String>,
}

/// Checks a receipt and says what came of it.
pub fn run(
	context: &Context,
	file: &Path,
	genesis: Option<Hash>,
	data: Option<&Path>,
) -> anyhow::Result<()> {
	let text = fs::read_to_string(file)
		.with_context(|| format!("cannot read the receipt {}", file.display()))?;
	let mut outcome = verify(&text, genesis);
	if let (Some(receipt), Some(dir)) = (outcome.receipt.clone(), data) {
		outcome.add("outputs", outputs::check(&receipt, dir));
	}
	let ok = outcome.ok();
	let receipt = outcome.receipt.as_ref();
	let report = Report {
		ok,
		job: receipt.map(|receipt| receipt.job),
		genesis: receipt.map(|receipt| receipt.genesis),
		checks: &outcome.checks,
		// What a receipt says is repeated only once it is proved.
		proved: receipt.filter(|_| ok).map(|r| proved(r, data)).unwrap_or_default(),
		trusted: receipt.filter(|_| ok).map(|r| trusted(r, &outcome, genesis)).unwrap_or_default(),
	};
	context.output.result(&report, || human(&report));
	match ok {
		true => Ok(()),
		false => Err(NotTrue.into()),
	}
}

fn amount(planck: u128) -> String {
	Amount(planck).to_string()
}

/// What the receipt proves, in words.
fn proved(receipt: &Receipt, data: Option<&Path>) -> Vec<String> {
	let Receipt { job, block, money, counts, .. } = receipt;
	let mut proved = vec![
		format!(
			"{} posted job {job} of program {:#x} in block {}; {}",
			address(&receipt.owner),
			receipt.program,
			receipt.posted_at,
			match receipt.closed_at {
				Some(at) => format!("it closed in block {at}"),
				None => format!("as of block {} it is not closed", block.number),
			}
		),
		format!(
			"as of block {} of {} tasks {} are settled and {} refunded; of {} in escrow {} went to \
			 providers, {} to the network, {} to auditors, {} back to the buyer, and {} is held",
			block.number,
			receipt.tasks.len(),
			counts.settled,
			counts.refunded,
			amount(money.escrow),
			amount(money.paid),
			amount(money.fees),
			amount(money.audit),
			amount(money.refunded),
			amount(money.held),
		),
	];
	proved.extend(receipt.tasks.iter().filter_map(|task| {
		let (at, provider, output) = (task.settled_at?, task.provider.as_ref()?, task.output_root?);
		let price = task.price.as_ref()?.parse().ok()?;
		Some(format!(
			"task {} was settled in block {at}: {} committed to the output {output:#x}, at a price of {}",
			task.index,
			address(provider),
			amount(price),
		))
	}));
	proved.extend(data.map(|dir| format!("the outputs in {} are those", dir.display())));
	proved
}

/// What a reader of a proved receipt still takes on trust.
fn trusted(receipt: &Receipt, outcome: &Outcome, genesis: Option<Hash>) -> Vec<String> {
	let sets = outcome.votes.map_or(0, |votes| votes.set);
	let authorities = match sets {
		0 => "the authorities of genesis".into(),
		sets => {
			format!("each of the {} sets of authorities from genesis on", sets.saturating_add(1))
		}
	};
	vec![
		match genesis {
			Some(hash) => format!("that {hash:#x}, which you named, is the chain's first block"),
			None => format!(
				"that {:#x} is the first block of the chain you mean: nothing was compared with it, \
				 and anybody can make up a chain; name it with --genesis",
				receipt.genesis
			),
		},
		format!(
			"that of {authorities} fewer than a third signed for a block of another history, and that \
			 the keys of no two thirds have been stolen since"
		),
		"that the chain's code, which its validators ran, recorded what happened: that the outputs \
		 are right is what its audits and fraud proofs are for"
			.into(),
		"that BLAKE2, BLAKE3 and Ed25519 are not broken, and this program".into(),
	]
}

fn human(report: &Report) -> String {
	let checks = table(
		&["check", "", "what was found"],
		&[],
		report.checks.iter().map(|check| {
			let result = match check.result {
				Checked::Passed => "holds",
				Checked::Failed => "FAILS",
				Checked::Skipped => "–",
			};
			vec![check.check.into(), result.into(), crate::output::plain(&check.text)]
		}),
	);
	if !report.ok {
		return format!("{checks}\nthe receipt is NOT proved");
	}
	let list = |lines: &[String]| {
		lines.iter().map(|line| format!("  - {line}")).collect::<Vec<_>>().join("\n")
	};
	format!("{checks}\nproved:\n{}\ntrusted:\n{}", list(&report.proved), list(&report.trusted))
}
