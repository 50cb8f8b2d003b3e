//! The JSON form: nothing in a vector is ignored, and failures name their case.

use assay_compute::json::{check_case, load_cases};
use serde_json::{json, Value};

fn ops() -> Vec<Value> {
	serde_json::from_str(include_str!("vectors/ops.json")).unwrap()
}

/// The failure of a single changed case, from reading or from checking it.
fn failure(case: &Value) -> String {
	let text = Value::Array(vec![case.clone()]).to_string();
	match load_cases(&text) {
		Err(error) => error.to_string(),
		Ok(cases) => check_case(&cases[0]).expect_err("the case is wrong").to_string(),
	}
}

/// Another value of the same form.
fn altered(value: &Value) -> Value {
	match value {
		Value::Number(n) => json!(n.as_u64().unwrap() + 1),
		Value::String(text) => {
			let first = if text.starts_with('0') { "1" } else { "0" };
			json!(format!("{first}{}", &text[1..]))
		}
		other => panic!("{other}"),
	}
}

#[test]
fn every_expected_value_is_compared() {
	for case in ops() {
		let name = case["name"].as_str().unwrap();
		for key in ["program_id", "trace_root", "output"] {
			let mut wrong = case.clone();
			wrong["expect"][key] = altered(&case["expect"][key]);
			let failure = failure(&wrong);
			assert!(failure.contains(name) && failure.contains(key), "{failure}");
		}
		for (key, value) in case["expect"]["costs"].as_object().unwrap() {
			let mut wrong = case.clone();
			wrong["expect"]["costs"][key] = altered(value);
			let failure = failure(&wrong);
			assert!(failure.contains(name) && failure.contains(key), "{failure}");
		}
		for node in 0..case["expect"]["tensor_roots"].as_array().unwrap().len() {
			let mut wrong = case.clone();
			wrong["expect"]["tensor_roots"][node] = altered(&case["expect"]["tensor_roots"][node]);
			let failure = failure(&wrong);
			assert!(failure.contains(&format!("tensor_roots[{node}]")), "{failure}");
		}
		let mut short = case.clone();
		short["expect"]["tensor_roots"].as_array_mut().unwrap().pop();
		assert!(failure(&short).contains("number of tensor_roots"));
	}
}

#[test]
fn missing_and_unknown_keys_are_errors() {
	let case = &ops()[0];
	let name = case["name"].as_str().unwrap();
	for key in ["costs", "program_id", "tensor_roots", "trace_root", "output"] {
		let mut missing = case.clone();
		missing["expect"].as_object_mut().unwrap().remove(key);
		let failure = failure(&missing);
		assert!(failure.contains(name) && failure.contains(key), "{failure}");
	}
	for at in ["", "/program", "/program/nodes/0", "/expect", "/expect/costs"] {
		let mut unknown = case.clone();
		unknown.pointer_mut(at).unwrap()["surprise"] = json!(1);
		let failure = failure(&unknown);
		assert!(failure.contains(name) && failure.contains("surprise"), "{at}: {failure}");
	}
	for at in ["/program", "/expect", "/program/nodes/0/rows", "/expect/costs/macs"] {
		let (parent, key) = at.rsplit_once('/').unwrap();
		let mut missing = case.clone();
		missing.pointer_mut(parent).unwrap().as_object_mut().unwrap().remove(key);
		let failure = failure(&missing);
		assert!(failure.contains(name) && failure.contains(key), "{at}: {failure}");
	}
	let mut null = case.clone();
	null["expect"]["output"] = Value::Null;
	assert!(failure(&null).contains(name));
}

#[test]
fn tensors_are_those_of_inputs_and_consts() {
	let case = &ops()[0];
	let with = |key: &str, value: Value| {
		let mut changed = case.clone();
		changed["tensors"][key] = value;
		failure(&changed)
	};
	assert!(with("99", json!("00")).contains("no such node"));
	assert!(with("00", json!("00")).contains("not a node index"));
	assert!(with("0", json!("00")).contains("takes"));
	assert!(with("0", json!("0G")).contains("hexadecimal"));
	let upper = case["tensors"]["0"].as_str().unwrap().to_uppercase();
	assert!(with("0", json!(upper)).contains("lower case"));
	let mut missing = case.clone();
	missing["tensors"].as_object_mut().unwrap().remove("0");
	assert!(failure(&missing).contains("no tensor was given"));
	let twice = format!(
		r#"[{{"name": "twice", "program": {}, "tensors": {{"0": "00", "0": "01"}}, "expect": {}}}]"#,
		case["program"], case["expect"]
	);
	let error = load_cases(&twice).unwrap_err().to_string();
	assert!(error.contains("twice)") && error.contains("given twice"), "{error}");
}

#[test]
fn invalid_cases_must_be_rejected() {
	let case = &ops()[0];
	let mut accepted = case.clone();
	accepted["expect"] = json!({ "invalid": true });
	assert!(failure(&accepted).contains("was accepted"));
	let mut both = case.clone();
	both["expect"]["invalid"] = json!(true);
	assert!(failure(&both).contains("no other answers"));
	let mut neither = case.clone();
	neither["expect"]["invalid"] = json!(false);
	assert!(failure(&neither).contains("true or absent"));
}

#[test]
fn programs_survive_json() {
	for case in ops() {
		let program: assay_compute::Program =
			serde_json::from_value(case["program"].clone()).unwrap();
		assert_eq!(serde_json::to_value(&program).unwrap(), case["program"]);
	}
}
