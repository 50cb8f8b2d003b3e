//! Results on stdout: tables for people, one JSON object a line for programs.

use comfy_table::{presets::UTF8_FULL_CONDENSED, Cell, CellAlignment, ContentArrangement, Table};
use serde::Serialize;
use serde_json::{json, Value};
use std::io::{self, Write};

/// Where and in which form results go.
#[derive(Clone, Copy, Debug)]
pub struct Output {
	json: bool,
	quiet: bool,
}

impl Output {
	/// JSON instead of text; no notes or progress on stderr.
	pub fn new(json: bool, quiet: bool) -> Self {
		Self { json, quiet }
	}

	/// Whether progress and notes may be shown on stderr.
	pub fn is_talkative(self) -> bool {
		!self.quiet
	}

	/// A result: `value` as JSON, or `text`.
	pub fn result(self, value: &impl Serialize, text: impl FnOnce() -> String) {
		let text = match self.json {
			false => text(),
			true => serde_json::to_string(value)
				.unwrap_or_else(|error| json!({ "error": error.to_string() }).to_string()),
		};
		print(&mut io::stdout(), &text);
	}

	/// A remark on stderr, of no interest to programs.
	pub fn note(self, text: &str) {
		if self.is_talkative() {
			print(&mut io::stderr(), text);
		}
	}

	/// An error: in JSON on stdout, where the result would be, else on stderr.
	pub fn error(self, text: &str, kind: Option<&str>, advice: Option<&str>) {
		if self.json {
			let mut value = json!({ "error": text });
			for (key, text) in [("kind", kind), ("advice", advice)] {
				if let Some(text) = text {
					value[key] = Value::from(text);
				}
			}
			print(&mut io::stdout(), &value.to_string());
		} else {
			print(&mut io::stderr(), &format!("error: {text}"));
			if let Some(advice) = advice {
				print(&mut io::stderr(), &format!("  → {advice}"));
			}
		}
	}
}

/// A reader that has left is no error of ours.
fn print(to: &mut impl Write, text: &str) {
	let _ = writeln!(to, "{}", text.trim_end_matches('\n'));
	let _ = to.flush();
}

/// A table with a header; columns named in `right` are aligned right.
pub fn table(
	header: &[&str],
	right: &[&str],
	rows: impl IntoIterator<Item = Vec<String>>,
) -> String {
	let mut table = Table::new();
	table.load_preset(UTF8_FULL_CONDENSED).set_content_arrangement(ContentArrangement::Disabled);
	table.set_header(header);
	table.add_rows(rows);
	for (name, column) in header.iter().zip(table.column_iter_mut()) {
		if right.contains(name) {
			column.set_cell_alignment(CellAlignment::Right);
		}
	}
	table.to_string()
}

/// A table of names and values.
pub fn facts<'a>(facts: impl IntoIterator<Item = (&'a str, String)>) -> String {
	let mut table = Table::new();
	table.load_preset(UTF8_FULL_CONDENSED).set_content_arrangement(ContentArrangement::Disabled);
	for (name, value) in facts {
		table.add_row([Cell::new(name), Cell::new(value)]);
	}
	table.to_string()
}

/// The first digits of a root, enough to recognise it.
pub fn short(root: &assay_primitives::Root) -> String {
	format!("{}…", &hex::encode(root)[..12])
}

/// A stranger's text for a terminal: what would steer it or hide text is escaped.
pub fn plain(text: &str) -> String {
	let steers = |c: char| {
		c.is_control()
			|| matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
	};
	let mut plain = String::with_capacity(text.len());
	for c in text.chars() {
		match steers(c) {
			true => plain.extend(c.escape_unicode()),
			false => plain.push(c),
		}
	}
	plain
}

/// A number of bytes in binary units.
pub fn bytes(count: u128) -> String {
	indicatif::BinaryBytes(u64::try_from(count).unwrap_or(u64::MAX)).to_string()
}

#[cfg(test)]
mod tests {
	use super::plain;

	#[test]
	fn text_cannot_steer_the_terminal() {
		assert_eq!(plain("Bob's box, Zürich"), "Bob's box, Zürich");
		assert_eq!(plain("a\u{1b}[2Jb\nc"), "a\\u{1b}[2Jb\\u{a}c");
		assert_eq!(plain("a\u{202e}b"), "a\\u{202e}b");
	}
}
