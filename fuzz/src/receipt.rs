//! Changes of a kept receipt: whatever is changed, only what the chain recorded is believed.
//!
//! The first byte chooses what the rest changes: the text, the fields of the proof, or the facts; or it
//! is a receipt itself.

use crate::{edit, word, Seed};
use assay_receipt::{verify, Receipt};
use serde_json::Value;
use std::sync::OnceLock;

const KEPT: &str = include_str!("../../cli/tests/receipt/receipt.json");

struct Kept {
	receipt: Receipt,
	written: Value,
	/// JSON pointers to the bytes of the proof, and to all else that is no list or object.
	proof: Vec<String>,
	facts: Vec<String>,
}

/// Verifies what comes of the changes.
pub fn run(bytes: &[u8]) {
	let [kind, rest @ ..] = bytes else { return };
	let text = match kind % 4 {
		0 => String::from_utf8_lossy(rest).into_owned(),
		1 => with_text(rest),
		2 => with_proof(rest),
		_ => with_facts(rest),
	};
	let genuine = &kept().receipt;
	let outcome = verify(&text, Some(genuine.genesis));
	if outcome.ok() {
		let read = outcome.receipt.expect("what holds was read");
		assert_eq!(read.facts(), genuine.facts(), "another receipt holds");
	}
}

fn with_text(edits: &[u8]) -> String {
	let mut text = KEPT.as_bytes().to_vec();
	for edit_ in edits.chunks_exact(4) {
		edit(&mut text, word(edit_[0], edit_[1]), edit_[2], edit_[3]);
	}
	String::from_utf8_lossy(&text).into_owned()
}

fn with_proof(edits: &[u8]) -> String {
	let Kept { written, proof, .. } = kept();
	let mut written = written.clone();
	for edit_ in edits.chunks_exact(5) {
		let place = &proof[usize::from(edit_[0]) % proof.len()];
		let Some(Value::String(hex)) = written.pointer_mut(place) else { continue };
		let mut bytes = sp_core::bytes::from_hex(hex).unwrap_or_default();
		edit(&mut bytes, word(edit_[1], edit_[2]), edit_[3], edit_[4]);
		*hex = sp_core::bytes::to_hex(&bytes, false);
	}
	written.to_string()
}

fn with_facts(edits: &[u8]) -> String {
	let Kept { written, facts, .. } = kept();
	let mut written = written.clone();
	for edit_ in edits.chunks_exact(3) {
		let [place, how, value] = *edit_ else { continue };
		let place = &facts[usize::from(place) % facts.len()];
		let Some(fact) = written.pointer_mut(place) else { continue };
		*fact = match (fact.take(), how % 4) {
			(Value::String(text), 0) => {
				let mut text = text.into_bytes();
				edit(&mut text, usize::from(how) / 4, 1, value);
				Value::String(String::from_utf8_lossy(&text).into_owned())
			}
			(_, 1) => Value::Null,
			(_, 2) => Value::from(value.to_string()),
			_ => Value::from(value),
		};
	}
	written.to_string()
}

fn kept() -> &'static Kept {
	static KEPT_: OnceLock<Kept> = OnceLock::new();
	KEPT_.get_or_init(|| {
		sp_core::crypto::set_default_ss58_version(assay_primitives::SS58_PREFIX.into());
		let written: Value = serde_json::from_str(KEPT).expect("the kept receipt is JSON");
		let receipt: Receipt = serde_json::from_str(KEPT).expect("it is a receipt");
		assert!(verify(KEPT, Some(receipt.genesis)).ok(), "the kept receipt holds");
		let mut places = Vec::new();
		leaves(&written, String::new(), &mut places);
		let (proof, facts) = places.into_iter().partition(|place| place.starts_with("/proof"));
		Kept { receipt, written, proof, facts }
	})
}

fn leaves(value: &Value, at: String, places: &mut Vec<String>) {
	match value {
		Value::Array(items) => {
			for (index, item) in items.iter().enumerate() {
				leaves(item, format!("{at}/{index}"), places);
			}
		}
		Value::Object(fields) => {
			for (name, field) in fields {
				leaves(field, format!("{at}/{name}"), places);
			}
		}
		_ => places.push(at),
	}
}

/// The receipt as it is, and each of its parts changed a little.
pub fn seeds() -> Vec<Seed> {
	let Kept { proof, facts, .. } = kept();
	let mut seeds = vec![
		("genuine".into(), [&[0], KEPT.as_bytes()].concat()),
		("text".into(), vec![1]),
		("text-changed".into(), vec![1, 40, 2, 0, 1]),
	];
	seeds.extend((0..proof.len() as u8).flat_map(|place| {
		[
			(format!("proof-{place}-same"), vec![2, place, 9, 0, 0, 0]),
			(format!("proof-{place}-changed"), vec![2, place, 40, 0, 0, 1]),
		]
	}));
	seeds.extend(
		(0..facts.len() as u8).map(|place| (format!("fact-{place}"), vec![3, place, 3, 1])),
	);
	seeds
}
