//! What the receipt says, against the records.

use crate::chain::*;
use assay_primitives::{work::Assurance, work::Reason};
use assay_receipt::{verify, Receipt};
use serde_json::{json, Value};

#[test]
fn facts_are_those_of_the_records() {
	let receipt = World::new().receipt();
	assert_eq!(receipt.money.held, 30, "what the tasks hold");
	let [first, second, third] = &receipt.tasks[..] else { panic!() };
	assert_eq!(
		(first.settled_at, second.settled_at, third.settled_at),
		(Some(100), Some(101), None)
	);
	assert_eq!((third.refunded_at, third.refund_reason), (Some(110), Some(Reason::Expired)));
	assert_eq!(first.price.as_deref(), Some("1000"));
	assert_eq!((first.inputs[0], first.output_root), (root(20), Some(root(30))));
}

/// A lie about one thing, and the place at which it is named.
#[test]
fn every_lie_is_named() {
	type Lie = fn(&mut Receipt);
	let lies: [(Lie, &str); 16] = [
		(|r| r.owner = account(99), "owner is"),
		(|r| r.program = root(99), "program is"),
		(|r| r.tasks_root = root(99), "tasks_root is"),
		(|r| r.assurance = Assurance::Optimistic, "assurance is"),
		(|r| r.value += 1, "value is \"51\", but the chain has \"50\""),
		(|r| r.posted_at -= 1, "posted_at is 19"),
		(|r| r.closed_at = None, "closed_at is null"),
		(|r| r.money.paid += 1, "money.paid is \"1901\", but the chain has \"1900\""),
		(|r| r.counts.settled = 3, "counts.settled is 3"),
		(|r| r.tasks[1].provider = Some(account(99)), "tasks[1].provider is"),
		(|r| r.tasks[0].price = Some("1".into()), "tasks[0].price is \"1\""),
		(|r| r.tasks[0].inputs[0] = root(99), "tasks[0].inputs[0] is"),
		(|r| r.tasks[1].output_root = Some(root(99)), "tasks[1].output_root is"),
		(|r| r.tasks[2].settled_at = Some(110), "tasks[2].settled_at is 110"),
		(|r| drop(r.tasks.pop()), "tasks[2] is missing"),
		(|r| r.runtime = 2, "runtime is 2"),
	];
	for (lie, named) in lies {
		let mut receipt = World::new().receipt();
		lie(&mut receipt);
		fails_at(&receipt, "facts", named);
	}
	// Of another block or job it is another proof as well.
	let mut receipt = World::new().receipt();
	receipt.block.number += 1;
	fails_at(&receipt, "facts", "block.number is 121");
	receipt.block.hash = root(1);
	assert_eq!(
		failures(&receipt).iter().map(|(c, _)| *c).collect::<Vec<_>>(),
		["finality", "facts"]
	);
	let mut receipt = World::new().receipt();
	receipt.job += 1;
	assert_eq!(failures(&receipt)[0].0, "state");
}

/// The outcome of a receipt with another text.
fn bent(bend: impl FnOnce(&mut Value)) -> String {
	let receipt = World::new().receipt();
	let mut value = serde_json::to_value(&receipt).unwrap();
	bend(&mut value);
	let outcome = verify(&value.to_string(), Some(receipt.genesis));
	assert!(!outcome.ok());
	outcome.checks.iter().map(|check| format!("{}: {}\n", check.check, check.text)).collect()
}

#[test]
fn there_are_no_facts_beside_those_proved() {
	let found = bent(|value| value["bonus"] = "1000".into());
	assert!(found.contains("form: ") && found.contains("unknown field `bonus`"), "{found}");
	let found = bent(|value| value["money"]["bonus"] = "1000".into());
	assert!(found.contains("money.bonus is \"1000\", of which the chain has nothing"), "{found}");
	let found = bent(|value| value["tasks"][0]["grade"] = 1.into());
	assert!(found.contains("unknown field `grade`"), "{found}");
	let found = bent(|value| drop(value.as_object_mut().unwrap().remove("closed_at")));
	assert!(found.contains("closed_at is missing"), "{found}");
}

/// A reader may see the first of two, and this program the second.
#[test]
fn no_field_stands_twice() {
	let receipt = World::new().receipt();
	let text = serde_json::to_string(&receipt).unwrap();
	for (field, twice) in [
		(r#""runtime":1"#, r#""runtime":9,"runtime":1"#),
		(r#""paid":"1900""#, r#""paid":"9","paid":"1900""#),
		(r#""settled":2"#, r#""settled":9,"settled":2"#),
		(r#""price":"1000""#, r#""price":"9","price":"1000""#),
		(r#""auditors":3"#, r#""auditors":9,"auditors":3"#),
		(r#""state":["#, r#""state":[],"state":["#),
	] {
		assert!(text.contains(field), "{field}");
		let outcome = verify(&text.replacen(field, twice, 1), None);
		assert!(!outcome.ok(), "{field}");
		assert!(outcome.checks[0].text.contains("duplicate field"), "{:?}", outcome.checks);
	}
}

#[test]
fn what_is_no_receipt_or_has_no_proof_says_so() {
	for (text, why) in [
		("", "no receipt"),
		("[]", "no `version`"),
		(r#"{"version":"2"}"#, "no `version`"),
		(r#"{"version":1}"#, "form 1 carry no proof"),
		(r#"{"version":3}"#, "form 3"),
		(r#"{"version":2}"#, "missing field"),
	] {
		let outcome = verify(text, None);
		assert!(!outcome.ok() && outcome.checks[0].text.contains(why), "{text}: {outcome:?}");
	}
	fails_at(&World::new().receipt().facts(), "proof", "carries no proof");
	assert!(bent(|value| value["proof"] = json!({})).contains("missing field"));
}
