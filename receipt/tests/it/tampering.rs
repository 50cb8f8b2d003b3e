//! A receipt with anything at all in it changed.

use crate::chain::*;
use assay_receipt::verify;
use serde_json::Value;

/// Every place of a value.
fn places(value: &Value, place: String, all: &mut Vec<String>) {
	match value {
		Value::Object(fields) => {
			for (key, value) in fields {
				places(value, format!("{place}/{key}"), all);
			}
		}
		Value::Array(values) => {
			for (i, value) in values.iter().enumerate() {
				places(value, format!("{place}/{i}"), all);
			}
		}
		_ => {}
	}
	all.push(place);
}

/// Other values in the place of one.
fn others(value: &Value) -> Vec<Value> {
	match value {
		Value::Null => vec![0.into(), "0".into(), false.into()],
		Value::Bool(flag) => vec![(!flag).into()],
		Value::Number(number) => {
			let number = number.as_u64().unwrap();
			vec![(number + 1).into(), number.wrapping_sub(1).into(), Value::Null]
		}
		// Another character at each place: another digit in numbers in any base.
		Value::String(text) => (0..text.len())
			.map(|i| {
				let mut bytes = text.clone().into_bytes();
				bytes[i] = if bytes[i] == b'1' { b'2' } else { b'1' };
				String::from_utf8(bytes).unwrap().into()
			})
			.chain([Value::Null, "".into()])
			.collect(),
		Value::Array(values) => {
			let without = (0..values.len()).map(|i| {
				let mut values = values.clone();
				values.remove(i);
				Value::from(values)
			});
			let twice = values.iter().map(|value| {
				let mut values = values.clone();
				values.push(value.clone());
				Value::from(values)
			});
			without.chain(twice).collect()
		}
		Value::Object(fields) => {
			let without = fields.keys().map(|key| {
				let mut fields = fields.clone();
				fields.remove(key);
				Value::from(fields)
			});
			let mut more = fields.clone();
			more.insert("more".into(), Value::Null);
			without.chain([more.into()]).collect()
		}
	}
}

#[test]
fn anything_changed_is_found() {
	let receipt = World::new().receipt();
	let whole = serde_json::to_value(&receipt).unwrap();
	assert!(verify(&whole.to_string(), Some(receipt.genesis)).ok());
	let mut all = Vec::new();
	places(&whole, String::new(), &mut all);
	let mut tried = 0;
	for place in all {
		for other in others(whole.pointer(&place).unwrap()) {
			let mut bent = whole.clone();
			*bent.pointer_mut(&place).unwrap() = other.clone();
			// Without the chain's name: naming it only makes more fail.
			assert!(!verify(&bent.to_string(), None).ok(), "{place} as {other} passes");
			tried += 1;
		}
	}
	assert!(tried > 5_000, "only {tried} changes were tried");
}
