//! Checking a receipt, step by step, and saying of each what came of it.

use crate::{
	difference::differences, AuthoritySet, Block, Error, Proof, Receipt, Records, Votes, VERSION,
};
use assay_primitives::{Hash, Header};
use serde::Serialize;
use serde_json::Value;

/// Differences named one by one.
const NAMED: usize = 8;

/// What came of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Checked {
	/// It holds.
	Passed,
	/// It does not.
	Failed,
	/// What it builds on does not hold.
	Skipped,
}

/// One check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Check {
	/// Its name.
	pub check: &'static str,
	/// What came of it.
	pub result: Checked,
	/// What that means, or why it failed.
	pub text: String,
}

/// What came of all checks of a receipt.
#[derive(Clone, Debug)]
pub struct Outcome {
	/// The checks, in order.
	pub checks: Vec<Check>,
	/// The receipt, if the text is one.
	pub receipt: Option<Receipt>,
	/// The votes that made the last block final.
	pub votes: Option<Votes>,
}

impl Outcome {
	/// Whether every check passed.
	pub fn ok(&self) -> bool {
		!self.checks.is_empty() && self.checks.iter().all(|c| c.result == Checked::Passed)
	}

	/// Adds a check that passed, with what that means, or failed, and why.
	pub fn add<E: ToString>(&mut self, check: &'static str, result: Result<String, E>) {
		let (result, text) = match result {
			Ok(text) => (Checked::Passed, text),
			Err(reason) => (Checked::Failed, reason.to_string()),
		};
		self.checks.push(Check { check, result, text });
	}

	fn skip(&mut self, check: &'static str, needed: &str) {
		let text = format!("not checked: it builds on {needed}");
		self.checks.push(Check { check, result: Checked::Skipped, text });
	}

	/// Adds a check and hands on what it found.
	fn found<T>(
		&mut self,
		check: &'static str,
		result: Result<T, Error>,
		text: impl FnOnce(&T) -> String,
	) -> Option<T> {
		match result {
			Ok(value) => {
				self.add::<Error>(check, Ok(text(&value)));
				Some(value)
			}
			Err(error) => {
				self.add::<Error>(check, Err(error));
				None
			}
		}
	}
}

/// Checks a receipt, as written, without asking anybody. `genesis` names the chain that it must be
/// of; without it, it may be of any.
pub fn verify(text: &str, genesis: Option<Hash>) -> Outcome {
	let mut outcome = Outcome { checks: Vec::new(), receipt: None, votes: None };
	let (receipt, written) = match read(text) {
		Ok(read) => read,
		Err(reason) => {
			outcome.add("form", Err(reason));
			return outcome;
		}
	};
	outcome.add::<String>("form", Ok(format!("a receipt of form {VERSION}")));
	match &receipt.proof {
		Some(proof) => check(&mut outcome, &receipt, written, proof, genesis),
		None => outcome.add("proof", Err(
			"the receipt carries no proof: it repeats what a node said of a chain on which nobody \
			 votes on finality, and nothing in it can be checked",
		)),
	}
	outcome.receipt = Some(receipt);
	outcome
}

fn check(
	outcome: &mut Outcome,
	receipt: &Receipt,
	written: Value,
	proof: &Proof,
	genesis: Option<Hash>,
) {
	let header = outcome.found("genesis", first(receipt, proof, genesis), |_| {
		let named = match genesis {
			Some(_) => "the chain that was named",
			None => "which nobody compared with the chain that is meant",
		};
		format!("the chain's first block hashes to {:#x}, {named}", receipt.genesis)
	});
	let set = match header {
		None => skipped(outcome, "authorities", "genesis"),
		Some(header) => outcome.found("authorities", proof.genesis.authorities(&header), |set| {
			format!("the state of the first block names {} authorities", set.len())
		}),
	};
	let set = match set {
		None => skipped(outcome, "handoffs", "authorities"),
		Some(set) => outcome.found("handoffs", proof.last_set(set), |set| match set.id {
			0 => "the authorities of the first block are still those of the last".into(),
			id => format!("{id} times a set handed over to the next, each by its own votes"),
		}),
	};
	let finality = match set {
		None => skipped(outcome, "finality", "handoffs"),
		Some(set) => outcome.found("finality", finality(receipt, proof, &set), |votes| {
			let Votes { set, voted, authorities } = votes;
			let Block { number, hash } = receipt.block;
			format!(
				"block {number} ({hash:#x}) is final by {voted} of {authorities} votes of \
				 authority set {set}"
			)
		}),
	};
	outcome.votes = finality;
	let records = outcome.found("state", proof.records(receipt.job), |records| {
		format!(
			"the state of block {} holds job {} and its {} tasks, under runtime {}",
			receipt.block.number,
			receipt.job,
			records.tasks.len(),
			records.runtime
		)
	});
	match records {
		None => drop(skipped::<()>(outcome, "facts", "state")),
		Some(records) => outcome.add("facts", facts(receipt, written, records)),
	}
}

fn skipped<T>(outcome: &mut Outcome, check: &'static str, needed: &str) -> Option<T> {
	outcome.skip(check, needed);
	None
}

/// The receipt, and the JSON it was read from. The types find what is missing or stands twice, the
/// JSON keeps what they would pass over.
fn read(text: &str) -> Result<(Receipt, Value), String> {
	let bad = |error: serde_json::Error| format!("this is no receipt: {error}");
	let written: Value = serde_json::from_str(text).map_err(bad)?;
	// Another version's fields are others: what is wrong is the version, not a field.
	match written.get("version").and_then(Value::as_u64) {
		Some(version) if version == u64::from(VERSION) => {}
		Some(1) => return Err("receipts of form 1 carry no proof".into()),
		Some(version) => {
			return Err(format!("this is a receipt of form {version}; form {VERSION} is read here"))
		}
		None => return Err("this is no receipt: it has no `version`".into()),
	}
	let receipt = serde_json::from_str(text).map_err(bad)?;
	Ok((receipt, written))
}

/// The first block's header, if it is of the chain named.
fn first(receipt: &Receipt, proof: &Proof, genesis: Option<Hash>) -> Result<Header, Error> {
	match genesis {
		Some(named) if named != receipt.genesis => {
			Err(Error::OtherHeader { is: receipt.genesis, named })
		}
		_ => proof.genesis.header(receipt.genesis),
	}
}

/// The votes, if they are for the block that the receipt names.
fn finality(receipt: &Receipt, proof: &Proof, set: &AuthoritySet) -> Result<Votes, Error> {
	let (header, votes) = proof.finality(set)?;
	match header.hash() == receipt.block.hash {
		true => Ok(votes),
		false => Err(Error::OtherHeader { is: header.hash(), named: receipt.block.hash }),
	}
}

/// Every fact is as the records have it, and there is no other.
fn facts(receipt: &Receipt, mut written: Value, records: Records) -> Result<String, String> {
	let header = receipt.proof.as_ref().map(|proof| proof.block.header()).transpose();
	let header = header.map_err(|error| error.to_string())?.ok_or("there is no proof")?;
	let block = Block { number: header.number, hash: header.hash() };
	let right = Receipt::new(receipt.genesis, block, receipt.job, records);
	let right = serde_json::to_value(right).map_err(|error| error.to_string())?;
	// The proof is checked for itself.
	if let Some(proof) = written.get_mut("proof") {
		*proof = Value::Null;
	}
	let wrong = differences(&written, &right);
	if wrong.is_empty() {
		return Ok("every amount, root, account and height is as that state has it".into());
	}
	let more = match wrong.len().saturating_sub(NAMED) {
		0 => String::new(),
		more => format!("; and {more} more"),
	};
	let named: Vec<_> = wrong.into_iter().take(NAMED).collect();
	Err(format!("{}{more}", named.join("; ")))
}
