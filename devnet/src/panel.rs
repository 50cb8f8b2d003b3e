//! A development chain with several auditors, whose keys one node holds: blocks come as fast as on any
//! development chain, and there are enough auditors for quorums with nobody in both.

use crate::Net;
use anyhow::{ensure, Context, Result};
use serde_json::{json, Value};
use std::{fs, path::Path, process::Command};

/// Balance that each auditor has at genesis, in planck.
const ENDOWMENT: u64 = 1_000_000_000_000_000_000;
/// Bond of each auditor, in planck.
const BOND: u64 = 10_000_000_000_000_000;
/// Longer than any test: an era's end would mint in the midst of it.
const ERA: u32 = 1_000_000;
/// Key of the node's network, which none of its peers has to know.
const NODE_KEY: &str = "0000000000000000000000000000000000000000000000000000000000000001";

/// How to start such a chain.
#[derive(Clone, Debug)]
pub struct Panel {
	/// Auditors, who are the chain's validators.
	pub auditors: u8,
	/// Custodians of a quorum.
	pub custodians: u8,
	/// Blocks from submission to the earliest settlement.
	pub challenge_window: u32,
	/// Milliseconds between blocks.
	pub block_time: u64,
	/// Whether the node starts its own auditor service.
	pub service: bool,
}

impl Default for Panel {
	fn default() -> Self {
		Self { auditors: 3, custodians: 1, challenge_window: 24, block_time: 300, service: true }
	}
}

/// Public keys of one auditor, as addresses.
struct Keys {
	sr25519: String,
	ed25519: String,
}

impl Panel {
	/// Secrets of the auditors' accounts, in the order in which BABE numbers them.
	pub fn secrets(&self) -> Vec<String> {
		(1..=self.auditors).map(|number| format!("//Auditor//{number}")).collect()
	}

	/// Starts the chain and waits until it answers.
	pub fn start(&self) -> Result<Net> {
		Net::prepared(|programs, folder| {
			let node = programs.join("assay-node");
			let spec = folder.join("chain.json");
			fs::write(&spec, self.spec(&node)?.to_string())?;
			let base = folder.join("chain");
			for secret in self.secrets() {
				insert(&node, &base, &spec, &secret, "babe")?;
				insert(&node, &base, &spec, &secret, "audi")?;
			}
			Ok(self.flags(&spec))
		})
	}

	/// All that the node is told beside where its data and ports are.
	fn flags(&self, spec: &Path) -> Vec<String> {
		let service = if self.service { "on" } else { "off" };
		let (spec, block_time) = (spec.display().to_string(), self.block_time.to_string());
		let flags = [
			["--chain", &spec],
			["--node-key", NODE_KEY],
			["--seal", &block_time],
			["--auditor", service],
			// Balances are read at past blocks.
			["--state-pruning", "archive"],
		];
		["--validator"].iter().chain(flags.as_flattened()).map(|flag| flag.to_string()).collect()
	}

	/// The development chain, with other validators and parameters at genesis.
	fn spec(&self, node: &Path) -> Result<Value> {
		let exported = output(Command::new(node).args(["export-chain-spec", "--chain", "dev"]))?;
		let mut spec: Value = serde_json::from_str(&exported)?;
		let genesis = &mut spec["genesis"]["runtimeGenesis"]["patch"];
		let balances = genesis["balances"]["balances"].as_array_mut();
		let balances = balances.context("the development chain has no balances")?;
		let (mut sessions, mut bonds) = (Vec::new(), Vec::new());
		for secret in self.secrets() {
			let Keys { sr25519: key, ed25519: grandpa } = keys(node, &secret)?;
			balances.push(json!([key, ENDOWMENT]));
			bonds.push(json!([key, BOND]));
			let session = json!({ "babe": key, "grandpa": grandpa, "auditor": key });
			sessions.push(json!([key, key, session]));
		}
		genesis["session"]["keys"] = sessions.into();
		let audits = &mut genesis["verification"];
		audits["bonds"] = bonds.into();
		audits["params"]["custodians"] = self.custodians.into();
		audits["params"]["challengeWindow"] = self.challenge_window.into();
		genesis["emissions"]["params"]["eraLength"] = ERA.into();
		Ok(spec)
	}
}

/// The public keys of a secret.
fn keys(node: &Path, secret: &str) -> Result<Keys> {
	let key = |scheme| -> Result<String> {
		let json = ["--output-type", "json", "--scheme", scheme, secret];
		let shown = output(Command::new(node).args(["key", "inspect"]).args(json))?;
		let shown: Value = serde_json::from_str(&shown)?;
		Ok(shown["ss58PublicKey"].as_str().context("a key without a public key")?.into())
	};
	Ok(Keys { sr25519: key("sr25519")?, ed25519: key("ed25519")? })
}

/// Puts a secret into the node's keystore.
fn insert(node: &Path, base: &Path, spec: &Path, secret: &str, kind: &str) -> Result<()> {
	let key = ["--scheme", "sr25519", "--suri", secret, "--key-type", kind];
	let mut command = Command::new(node);
	command.args(["key", "insert"]).args(key);
	command.arg("--base-path").arg(base).arg("--chain").arg(spec);
	output(&mut command).map(|_| ())
}

fn output(command: &mut Command) -> Result<String> {
	let output = command.output()?;
	let error = String::from_utf8_lossy(&output.stderr);
	ensure!(output.status.success(), "{command:?} failed: {error}");
	Ok(String::from_utf8(output.stdout)?)
}
