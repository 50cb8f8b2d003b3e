//! How the program ends when it does not succeed.

use crate::output::Output;
use assay_client::Error;
use std::{fmt, process::ExitCode};

const FAILED: u8 = 1;
const USAGE: u8 = 2;
const UNREACHABLE: u8 = 3;

/// What was asked for is not so; the report has been printed.
#[derive(Debug)]
pub struct NotTrue;

impl fmt::Display for NotTrue {
	fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
		f.write_str("not all is as it should be")
	}
}

impl std::error::Error for NotTrue {}

/// Arguments that do not go together.
#[derive(Debug)]
pub struct Usage(pub String);

impl fmt::Display for Usage {
	fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
		f.write_str(&self.0)
	}
}

impl std::error::Error for Usage {}

/// Prints the error and says with which code to exit.
pub fn report(error: &anyhow::Error, output: Output) -> ExitCode {
	if error.is::<NotTrue>() {
		return ExitCode::from(FAILED);
	}
	let chain_error = error.chain().find_map(|cause| cause.downcast_ref::<Error>());
	let advice = chain_error.and_then(advice);
	let kind = chain_error.and_then(Error::module_error);
	output.error(&format!("{error:#}"), kind, advice);
	ExitCode::from(if chain_error.is_some_and(Error::is_unreachable) {
		UNREACHABLE
	} else if error.is::<Usage>() {
		USAGE
	} else {
		FAILED
	})
}

/// Prints what the parser of arguments says: help, the version, or an error.
pub fn usage(error: clap::Error) -> ExitCode {
	if !error.use_stderr() {
		let _ = error.print();
		return ExitCode::SUCCESS;
	}
	if std::env::args_os().any(|argument| argument == "--json") {
		let text = error.to_string();
		let text = text.trim().trim_start_matches("error: ");
		let text = text.trim_end_matches("For more information, try '--help'.").trim_end();
		Output::new(true, true).error(text, None, None);
	} else {
		let _ = error.print();
	}
	ExitCode::from(USAGE)
}

/// What to do about an error of the chain.
fn advice(error: &Error) -> Option<&'static str> {
	Some(match error {
		Error::Unreachable { .. } => {
			"start a node with `assay-node --dev`, or name another with --url ws://…"
		}
		Error::NotReady { .. } => "wait until the node has caught up with the chain",
		Error::UnknownBlock(_) => "ask an archive node for old blocks",
		Error::NoFinality => {
			"run the job on a chain with validators, such as `scripts/devnet` or `assay-node --dev` \
			 without `--seal`; `--unproved` writes down what the node says, for nobody to check"
		}
		Error::NoProofs(_) => "ask a node of this version that follows finality",
		Error::NoVotes(_) => "try again; see whether the chain finalises blocks (`assay network`)",
		Error::Key(_) => "make a key with `assay key generate --file key`",
		Error::NotFinalised { .. } => {
			"see whether the chain finalises blocks (`assay network`), then look at what changed \
			 before trying again"
		}
		Error::Expired { .. } => "try again",
		Error::Dispatch(_) => match error.module_error() {
			Some("NotRegistered") => "register first: `assay provider register`",
			Some("UnknownProgram") => "register it first: `assay program register`",
			Some("UnknownJob") => "see `assay job list`",
			Some("StakeTooLow") => {
				"give more: with --stake, or `assay provider bond` if registered"
			}
			Some("InsufficientStake") => "the provider must add stake: `assay provider bond`",
			Some("NotEnoughAuditors") => {
				"ask for fewer with --auditors; `assay network` counts them"
			}
			Some("DeadlineOutOfRange") => "choose another --deadline",
			Some("LifetimeOutOfRange") => "choose another --lifetime",
			_ if error.to_string().contains("Funds are unavailable") => {
				"see `assay account show` for the balance"
			}
			_ => return None,
		},
		_ => return None,
	})
}
