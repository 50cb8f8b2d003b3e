//! Where two JSON values differ.

use serde_json::Value;

/// Names every place at which `found` is not as `right`, with both values.
pub(crate) fn differences(found: &Value, right: &Value) -> Vec<String> {
	let mut all = Vec::new();
	walk("", Some(found), Some(right), &mut all);
	all
}

fn walk(place: &str, found: Option<&Value>, right: Option<&Value>, all: &mut Vec<String>) {
	match (found, right) {
		(Some(Value::Object(a)), Some(Value::Object(b))) => {
			let extra = a.keys().filter(|key| !b.contains_key(*key));
			for key in b.keys().chain(extra) {
				let dot = if place.is_empty() { "" } else { "." };
				walk(&format!("{place}{dot}{key}"), a.get(key), b.get(key), all);
			}
		}
		(Some(Value::Array(a)), Some(Value::Array(b))) => {
			for i in 0..a.len().max(b.len()) {
				walk(&format!("{place}[{i}]"), a.get(i), b.get(i), all);
			}
		}
		(Some(a), Some(b)) if a == b => {}
		(Some(a), Some(b)) => all.push(format!("{place} is {a}, but the chain has {b}")),
		(Some(a), None) => all.push(format!("{place} is {a}, of which the chain has nothing")),
		(None, Some(b)) => all.push(format!("{place} is missing; the chain has {b}")),
		(None, None) => {}
	}
}

#[cfg(test)]
mod tests {
	use super::differences;
	use serde_json::json;

	#[test]
	fn every_difference_is_named() {
		let right = json!({ "a": 1, "b": { "c": [1, 2] }, "d": null });
		assert!(differences(&right, &right).is_empty());
		let found = json!({ "a": 2, "b": { "c": [1, 3, 4], "e": "x" } });
		assert_eq!(
			differences(&found, &right),
			[
				"a is 2, but the chain has 1",
				"b.c[1] is 3, but the chain has 2",
				"b.c[2] is 4, of which the chain has nothing",
				"b.e is \"x\", of which the chain has nothing",
				"d is missing; the chain has null",
			]
		);
	}
}
