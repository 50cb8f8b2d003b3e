//! Running the command.

use serde_json::Value;
use std::{
	path::PathBuf,
	process::{Command, Output},
};

/// Runs `assay` with these arguments and no settings from outside.
pub fn assay(arguments: &[&str]) -> Output {
	Command::new(env!("CARGO_BIN_EXE_assay"))
		.args(arguments)
		.env_remove("ASSAY_URL")
		.env_remove("ASSAY_SURI")
		.env_remove("ASSAY_KEY_FILE")
		.output()
		.unwrap()
}

/// Runs `assay --json`; the exit code and the last line of stdout.
pub fn json(arguments: &[&str]) -> (i32, Value) {
	let output = assay(&[&["--json"], arguments].concat());
	let text = String::from_utf8(output.stdout).unwrap();
	let last = text.lines().last().unwrap_or_else(|| {
		panic!("nothing on stdout; stderr: {}", String::from_utf8_lossy(&output.stderr))
	});
	(output.status.code().unwrap(), serde_json::from_str(last).unwrap())
}

/// A file of test vectors.
// Each test binary compiles this file, and not each needs the vectors.
#[allow(dead_code)]
pub fn vectors(name: &str) -> PathBuf {
	PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../compute/tests/vectors").join(name)
}
