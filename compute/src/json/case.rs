//! Test vectors as they stand in a file.

use super::hash_hex;
use crate::{Costs, Program, Root};
use serde::{
	de::{Error, MapAccess, Visitor},
	Deserialize, Deserializer,
};
use serde_json::value::RawValue;
use std::{collections::BTreeMap, fmt};

/// One test vector.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
	/// What the case is about.
	pub name: String,
	/// The program, valid or not.
	pub program: Program,
	/// Bytes of inputs and consts.
	#[serde(default)]
	pub tensors: CaseTensors,
	/// The right answers.
	pub expect: Expect,
}

/// Row-major bytes of inputs and consts by node index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CaseTensors(pub BTreeMap<u32, Vec<u8>>);

/// The right answers: `invalid`, or all the others.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expect {
	/// The program is to be rejected.
	pub invalid: Option<bool>,
	/// The costs.
	pub costs: Option<Costs>,
	/// The program's id.
	#[serde(default, deserialize_with = "optional_hash")]
	pub program_id: Option<Root>,
	/// The tensor root of every node.
	#[serde(default, deserialize_with = "optional_hashes")]
	pub tensor_roots: Option<Vec<Root>>,
	/// The root over them.
	#[serde(default, deserialize_with = "optional_hash")]
	pub trace_root: Option<Root>,
	/// The output tensor's bytes.
	#[serde(default, deserialize_with = "optional_bytes")]
	pub output: Option<Vec<u8>>,
}

/// A file of cases that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
	/// The file is not an array of objects.
	#[error("not an array of cases: {0}")]
	File(serde_json::Error),
	/// A case is malformed.
	#[error("case {index} ({name}): {error}")]
	Case {
		/// Position in the array, from 0.
		index: usize,
		/// The case's name, as far as it has one.
		name: String,
		/// What is wrong.
		error: serde_json::Error,
	},
}

/// Reads an array of cases; every field must be known.
pub fn load_cases(json: &str) -> Result<Vec<Case>, LoadError> {
	#[derive(Deserialize)]
	struct Named {
		name: String,
	}
	let raw: Vec<&RawValue> = serde_json::from_str(json).map_err(LoadError::File)?;
	let case = |(index, raw): (usize, &RawValue)| {
		serde_json::from_str(raw.get()).map_err(|error| {
			let name = serde_json::from_str::<Named>(raw.get());
			let name = name.map_or_else(|_| "without a name".into(), |named| named.name);
			LoadError::Case { index, name, error }
		})
	};
	raw.into_iter().enumerate().map(case).collect()
}

fn optional_hash<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Root>, D::Error> {
	hash_hex::deserialize(from).map(Some)
}

fn optional_hashes<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Vec<Root>>, D::Error> {
	let hashes = Vec::<String>::deserialize(from)?;
	let hashes: Result<_, _> = hashes.iter().map(|text| hash_hex::hash(text)).collect();
	hashes.map(Some).map_err(D::Error::custom)
}

fn optional_bytes<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Vec<u8>>, D::Error> {
	hash_hex::decode(&String::deserialize(from)?).map(Some).map_err(D::Error::custom)
}

impl<'de> Deserialize<'de> for CaseTensors {
	fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
		from.deserialize_map(TensorsVisitor)
	}
}

struct TensorsVisitor;

impl<'de> Visitor<'de> for TensorsVisitor {
	type Value = CaseTensors;

	fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
		f.write_str("an object of hexadecimal tensors by node index")
	}

	fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<CaseTensors, A::Error> {
		let mut tensors = BTreeMap::new();
		while let Some((key, text)) = map.next_entry::<String, String>()? {
			let node: u32 = match key.parse::<u32>() {
				Ok(node) if node.to_string() == key => node,
				_ => return Err(A::Error::custom(format!("\"{key}\" is not a node index"))),
			};
			let bytes = hash_hex::decode(&text)
				.map_err(|error| A::Error::custom(format!("tensor {node}: {error}")))?;
			if tensors.insert(node, bytes).is_some() {
				return Err(A::Error::custom(format!("tensor {node} is given twice")));
			}
		}
		Ok(CaseTensors(tensors))
	}
}
