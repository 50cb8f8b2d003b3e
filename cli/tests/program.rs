//! `assay program` from outside.

mod common;

use common::{assay, json, vectors};
use serde_json::Value;
use std::{fs, path::Path};

const FILES: [&str; 5] =
	["graphs.json", "invalid.json", "ops.json", "ops_edge.json", "pointed.json"];

fn text(path: &Path) -> &str {
	path.to_str().unwrap()
}

#[test]
fn all_vectors_are_right() {
	let files = FILES.map(vectors);
	let cases: usize = files
		.iter()
		.map(|file| {
			let cases: Vec<Value> =
				serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
			cases.len()
		})
		.sum();
	let mut arguments = vec!["program", "check"];
	arguments.extend(files.iter().map(|file| text(file)));
	let (code, report) = json(&arguments);
	assert_eq!(code, 0, "{report}");
	assert_eq!(report["ok"], true);
	assert_eq!(report["cases"], cases);
	assert_eq!(report["right"], cases);
	let invalid = &report["files"][1];
	assert_eq!(invalid["rejected"].as_array().unwrap().len(), invalid["cases"]);
	assert!(invalid["rejected"][0]["reason"].as_str().is_some_and(|reason| !reason.is_empty()));

	let human = assay(&arguments);
	assert!(human.status.success());
	let said = String::from_utf8(human.stdout).unwrap();
	assert!(said.contains(&format!("{cases} of {cases} cases right in 5 files")), "{said}");
}

/// Any expected value that is changed is found, and the case named.
#[test]
fn a_changed_value_is_found() {
	let dir = tempfile::tempdir().unwrap();
	let original: Vec<Value> =
		serde_json::from_str(&fs::read_to_string(vectors("ops.json")).unwrap()).unwrap();
	let flip = |value: &mut Value| {
		let hex = value.as_str().unwrap().to_owned();
		let last = if hex.ends_with('0') { '1' } else { '0' };
		*value = Value::from(format!("{}{last}", &hex[..hex.len() - 1]));
	};
	let changes: [(&str, &dyn Fn(&mut Value)); 7] = [
		("costs.macs", &|case| {
			let macs = &mut case["expect"]["costs"]["macs"];
			*macs = Value::from(macs.as_u64().unwrap() + 1);
		}),
		("program_id", &|case| flip(&mut case["expect"]["program_id"])),
		("trace_root", &|case| flip(&mut case["expect"]["trace_root"])),
		("tensor_roots[1]", &|case| flip(&mut case["expect"]["tensor_roots"][1])),
		("output", &|case| flip(&mut case["expect"]["output"])),
		("lacks `output`", &|case| {
			case["expect"].as_object_mut().unwrap().remove("output");
		}),
		("is to be rejected", &|case| case["expect"] = serde_json::json!({ "invalid": true })),
	];
	for (number, (what, change)) in changes.iter().enumerate() {
		let mut cases = original.clone();
		let at = cases.len() / 2;
		change(&mut cases[at]);
		let path = dir.path().join(format!("{number}.json"));
		fs::write(&path, serde_json::to_string(&cases).unwrap()).unwrap();
		let (code, report) = json(&["program", "check", text(&path)]);
		assert_eq!(code, 1, "{what}: {report}");
		assert_eq!(report["ok"], false);
		assert_eq!(report["right"], cases.len() - 1, "{what}");
		let failure = &report["files"][0]["failures"][0];
		assert_eq!(failure["case"], cases[at]["name"], "{what}");
		assert!(failure["what"].as_str().unwrap().contains(what), "{what}: {failure}");
		let human = assay(&["program", "check", text(&path)]);
		assert_eq!(human.status.code(), Some(1));
		let said = String::from_utf8(human.stdout).unwrap();
		assert!(said.contains(&format!("WRONG {}: case", text(&path))), "{said}");
	}
}

#[test]
fn files_that_are_no_vectors_are_named() {
	let dir = tempfile::tempdir().unwrap();
	let write = |name: &str, content: &str| {
		let path = dir.path().join(name);
		fs::write(&path, content).unwrap();
		path
	};
	for (name, content, why) in [
		("none", "[]", "no cases"),
		("object", "{}", "not an array of cases"),
		("half", "[{", "not an array of cases"),
		("typo", r#"[{"name":"x","program":{"nodes":[]},"expct":{}}]"#, "case 0 (x)"),
	] {
		let path = write(name, content);
		let good = vectors("ops.json");
		let (code, report) = json(&["program", "check", text(&path), text(&good)]);
		assert_eq!(code, 1, "{name}");
		assert!(report["files"][0]["error"].as_str().unwrap().contains(why), "{name}: {report}");
		// The other file is checked all the same.
		assert_eq!(report["files"][1]["cases"], report["files"][1]["right"]);
		assert!(report["files"][1]["right"].as_u64().unwrap() > 0);
	}
	let (code, report) = json(&["program", "check", "/nowhere/vectors.json"]);
	assert_eq!(code, 1);
	assert!(report["files"][0]["error"].as_str().unwrap().contains("No such file"), "{report}");
}

/// A case of the vectors as program, constants and inputs on disk; what it expects.
fn unpack(dir: &Path) -> (Value, Vec<String>) {
	let cases: Vec<Value> =
		serde_json::from_str(&fs::read_to_string(vectors("graphs.json")).unwrap()).unwrap();
	let has = |case: &Value, op: &str| {
		case["program"]["nodes"].as_array().unwrap().iter().any(|node| node["op"] == op)
	};
	let case = cases.into_iter().find(|case| has(case, "input") && has(case, "const")).unwrap();
	fs::create_dir(dir.join("tensors")).unwrap();
	fs::write(dir.join("program.json"), case["program"].to_string()).unwrap();
	let mut inputs = Vec::new();
	for (index, node) in case["program"]["nodes"].as_array().unwrap().iter().enumerate() {
		let bytes =
			case["tensors"][index.to_string()].as_str().map(|hex| hex::decode(hex).unwrap());
		match node["op"].as_str().unwrap() {
			"const" => {
				let name = format!("tensors/{}.bin", node["root"].as_str().unwrap());
				fs::write(dir.join(name), bytes.unwrap()).unwrap();
			}
			"input" => {
				let path = dir.join(format!("input-{index}.bin"));
				fs::write(&path, bytes.unwrap()).unwrap();
				inputs.push(text(&path).to_owned());
			}
			_ => {}
		}
	}
	(case["expect"].clone(), inputs)
}

#[test]
fn a_program_runs_from_its_files() {
	let dir = tempfile::tempdir().unwrap();
	let (expect, inputs) = unpack(dir.path());
	let program = dir.path().join("program.json");
	let inputs: Vec<&str> = inputs.iter().map(String::as_str).collect();
	let run = |inputs: &[&str], more: &[&str]| {
		let head = ["program", "run", text(&program), "--input"];
		json(&[&head, inputs, more].concat())
	};

	let (code, report) = run(&inputs, &[]);
	assert_eq!(code, 0, "{report}");
	for key in ["trace_root", "tensor_roots", "program_id", "output"] {
		assert_eq!(report[key], expect[key], "{key}");
	}
	let out = dir.path().join("out.bin");
	let (code, report) = run(&inputs, &["--output", text(&out)]);
	assert_eq!(code, 0, "{report}");
	assert_eq!(hex::encode(fs::read(&out).unwrap()), expect["output"]);
	let (code, report) = json(&["program", "inspect", text(&program)]);
	assert_eq!((code, &report["program_id"]), (0, &expect["program_id"]));
	assert_eq!(report["costs"]["macs"], expect["costs"]["macs"].to_string());

	// One byte too many or too few, none at all, a folder.
	let bad = dir.path().join("bad.bin");
	let good = fs::read(inputs[0]).unwrap();
	for bytes in [&good[..good.len() - 1], &[&good[..], &[0]].concat(), &[]] {
		fs::write(&bad, bytes).unwrap();
		let mut wrong = inputs.clone();
		wrong[0] = text(&bad);
		let (code, report) = run(&wrong, &[]);
		let error = report["error"].as_str().unwrap();
		assert_eq!(code, 1);
		assert!(error.contains(&format!("has {} bytes, but", bytes.len())), "{error}");
	}
	let (code, report) = run(&[&inputs[..], &[inputs[0]]].concat(), &[]);
	assert_eq!(code, 1);
	assert!(report["error"].as_str().unwrap().contains("files are given"), "{report}");

	// A constant with other bytes than its name says, then none.
	let tensors = dir.path().join("tensors");
	let first = fs::read_dir(&tensors).unwrap().next().unwrap().unwrap().path();
	let mut bytes = fs::read(&first).unwrap();
	bytes[0] ^= 1;
	fs::write(&first, &bytes).unwrap();
	let (code, report) = run(&inputs, &[]);
	assert_eq!(code, 1);
	assert!(report["error"].as_str().unwrap().contains("other bytes than its name"), "{report}");
	fs::remove_file(&first).unwrap();
	let (code, report) = run(&inputs, &[]);
	assert_eq!(code, 1);
	assert!(report["error"].as_str().unwrap().contains("cannot read"), "{report}");
}

#[test]
fn programs_that_are_not_valid_are_refused_with_the_reason() {
	let dir = tempfile::tempdir().unwrap();
	let path = dir.path().join("program.json");
	let seed = "00".repeat(32);
	let dead = format!(
		r#"{{"nodes":[{{"op":"fill","rows":1,"cols":1,"seed":"{seed}"}},{{"op":"fill","rows":1,"cols":1,"seed":"{seed}"}}]}}"#
	);
	for (program, why) in [
		("", "not a program in JSON"),
		("[]", "not a program in JSON"),
		(r#"{"nodes":[]}"#, "not valid"),
		(r#"{"nodes":[{"op":"fil"}]}"#, "unknown variant `fil`"),
		(r#"{"nodes":[],"x":1}"#, "unknown field `x`"),
		(&dead, "node 0"),
	] {
		fs::write(&path, program).unwrap();
		let (code, report) = json(&["program", "inspect", text(&path)]);
		let error = report["error"].as_str().unwrap();
		assert!(code == 1 && error.contains(why), "{program}: {error}");
	}
}

/// Each node of a case with most operations, at its last element, and the exit codes.
#[test]
fn a_lie_anywhere_is_found_and_proved() {
	let path = vectors("graphs.json");
	let cases: Vec<Value> = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
	let nodes = |case: &Value| case["program"]["nodes"].as_array().unwrap().len();
	let case = cases.iter().max_by_key(|case| nodes(case)).unwrap();
	let name = case["name"].as_str().unwrap();
	for node in 0..nodes(case) {
		let lie = format!("{node}:0:0:-1");
		let arguments = ["program", "audit", text(&path), "--case", name, "--sabotage", &lie];
		let (code, report) = json(&arguments);
		assert_eq!((code, &report["caught"]), (0, &Value::Bool(true)), "{lie}: {report}");
		assert_eq!(
			(&report["node"], &report["row"], &report["col"]),
			(&node.into(), &0.into(), &0.into())
		);
		assert!(report["proof_bytes"].as_u64().unwrap() > 64, "{report}");
		assert!(report["verdict"].as_str().unwrap().starts_with("fraud"), "{report}");
	}
	// Not a lie, or nowhere.
	for lie in ["0:0:0:0", "9999:0:0:1", "0:0:9999:1", "0:0:0"] {
		let (code, _) = json(&["program", "audit", text(&path), "--sabotage", lie]);
		assert_ne!(code, 0, "{lie}");
	}
}
