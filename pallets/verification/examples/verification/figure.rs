//! Measured values, their goals, and the tables that they stand in.

use serde_json::{json, Map, Value};

/// What a value is to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Goal {
	AtMost(f64),
	AtLeast(f64),
	/// Printed to make sense of the others.
	None,
}

impl Goal {
	pub fn met(self, value: f64) -> Option<bool> {
		match self {
			Goal::AtMost(most) => Some(value <= most),
			Goal::AtLeast(least) => Some(value >= least),
			Goal::None => None,
		}
	}

	fn text(self) -> String {
		match self {
			Goal::AtMost(most) => format!("≤ {}", rounded(most)),
			Goal::AtLeast(least) => format!("≥ {}", rounded(least)),
			Goal::None => String::new(),
		}
	}
}

/// Four or five digits: what is below is noise.
pub fn rounded(value: f64) -> f64 {
	let decimals = match value.abs() {
		size if size >= 1_000.0 => 0,
		size if size >= 100.0 => 1,
		size if size >= 10.0 => 2,
		size if size >= 0.01 => 4,
		_ => 6,
	};
	let scale = 10f64.powi(decimals);
	(value * scale).round() / scale
}

pub fn percent(part: f64) -> String {
	let percent = part * 100.0;
	match percent {
		small if small < 0.001 => "< 0.001 %".into(),
		small if small < 0.1 => format!("{small:.3} %"),
		_ => format!("{percent:.2} %"),
	}
}

pub fn verdict(met: bool) -> &'static str {
	if met {
		"met"
	} else {
		"MISSED"
	}
}

/// One row of a table: what is printed, and the same for machines.
pub struct Row {
	pub cells: Vec<String>,
	pub json: Map<String, Value>,
	/// What is missed here, in words.
	pub missed: Vec<String>,
	/// Of each goal held against something here, whether it is met.
	pub goals: Vec<bool>,
}

/// Rows under a title.
pub struct Table {
	/// Name in JSON.
	pub key: &'static str,
	pub title: &'static str,
	/// What has to be known to read it.
	pub note: String,
	pub head: Vec<String>,
	pub rows: Vec<Row>,
}

impl Table {
	/// A table of single figures.
	pub fn of_figures(key: &'static str, title: &'static str, note: impl Into<String>) -> Self {
		let head = heads(["", "measured", "goal", ""]);
		Table { key, title, note: note.into(), head, rows: Vec::new() }
	}

	/// Adds a figure.
	pub fn figure(&mut self, name: impl Into<String>, value: f64, goal: Goal) {
		let name = name.into();
		let met = goal.met(value);
		let mut json = Map::new();
		json.insert("name".into(), name.clone().into());
		json.insert("value".into(), rounded(value).into());
		match goal {
			Goal::AtMost(most) => json.insert("at_most".into(), rounded(most).into()),
			Goal::AtLeast(least) => json.insert("at_least".into(), rounded(least).into()),
			Goal::None => None,
		};
		if let Some(met) = met {
			json.insert("met".into(), met.into());
		}
		let said = met.map_or("", verdict);
		let missed = (met == Some(false))
			.then(|| format!("{name}: {}, goal {}", rounded(value), goal.text()))
			.into_iter()
			.collect();
		let cells = vec![name, rounded(value).to_string(), goal.text(), said.into()];
		self.rows.push(Row { cells, json, missed, goals: met.into_iter().collect() });
	}

	/// Adds a figure without a goal, one for each column.
	pub fn side_by_side(&mut self, name: &str, values: &[f64]) {
		self.texts(name, values, values.iter().map(|value| rounded(*value).to_string()));
	}

	/// The same with something to say of each.
	pub fn texts(&mut self, name: &str, values: &[f64], said: impl Iterator<Item = String>) {
		let mut json = Map::new();
		json.insert("name".into(), name.into());
		for (column, value) in self.head.iter().skip(1).zip(values) {
			json.insert(column.clone(), rounded(*value).into());
		}
		let cells = [name.to_string()].into_iter().chain(said).collect();
		self.rows.push(Row { cells, json, missed: Vec::new(), goals: Vec::new() });
	}

	pub fn json(&self) -> Value {
		self.rows.iter().map(|row| Value::Object(row.json.clone())).collect()
	}

	pub fn missed(&self) -> impl Iterator<Item = &String> {
		self.rows.iter().flat_map(|row| &row.missed)
	}
}

pub fn heads<const N: usize>(names: [&str; N]) -> Vec<String> {
	names.map(String::from).into()
}

/// A JSON object of numbers.
pub fn numbers<const N: usize>(values: [(&str, f64); N]) -> Map<String, Value> {
	values.into_iter().map(|(key, value)| (key.into(), json!(rounded(value)))).collect()
}

#[cfg(test)]
mod tests {
	use super::*;

	#[test]
	fn small_values_keep_their_digits() {
		assert_eq!(rounded(1_734.987), 1_735.0);
		assert_eq!(rounded(1.026_44), 1.0264);
		assert_eq!(rounded(0.001_777_7), 0.001_778);
		assert_eq!(percent(0.000_002), "< 0.001 %");
		assert_eq!(percent(0.000_043), "0.004 %");
		assert_eq!(percent(0.0441), "4.41 %");
	}

	#[test]
	fn a_miss_is_never_hidden() {
		let mut table = Table::of_figures("t", "T", "");
		table.figure("low", 0.4, Goal::AtLeast(0.5));
		table.figure("right", 0.5, Goal::AtLeast(0.5));
		table.figure("high", 2.0, Goal::AtMost(1.0));
		table.figure("no goal", 9.0, Goal::None);
		// Not a number meets no goal.
		table.figure("lost", f64::NAN, Goal::AtMost(1.0));
		let said: Vec<&str> = table.rows.iter().map(|row| row.cells[3].as_str()).collect();
		assert_eq!(said, ["MISSED", "met", "MISSED", "", "MISSED"]);
		assert_eq!(table.missed().count(), 3);
		assert_eq!(table.rows[0].json["met"], false);
		assert!(!table.rows[3].json.contains_key("met"));
	}
}
