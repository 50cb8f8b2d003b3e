//! What is printed.

use crate::figure::Table;
use assay_compute::matmul::Kernel;
use serde_json::{json, Value};
use std::fmt::Write;

/// Load below which a machine is quiet.
const QUIET: f64 = 0.3;

pub enum Format {
	Text,
	Markdown,
	Json,
}

/// Where the figures come from.
pub struct Machine {
	kernel: &'static str,
	processor: String,
	cores: usize,
	/// Of the minute before.
	load: Option<f64>,
}

impl Machine {
	pub fn look() -> Self {
		let processor = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
		let processor = processor.lines().find_map(|line| line.strip_prefix("model name"));
		let processor =
			processor.map_or("unknown processor", |name| name.trim_matches([' ', '\t', ':']));
		let load = std::fs::read_to_string("/proc/loadavg").ok();
		Machine {
			kernel: Kernel::detect().name(),
			processor: processor.into(),
			cores: std::thread::available_parallelism().map_or(1, usize::from),
			load: load.and_then(|load| load.split_whitespace().next()?.parse().ok()),
		}
	}

	fn text(&self) -> String {
		let load = self.load.map_or("unknown".into(), |load| load.to_string());
		let busy = match self.load {
			Some(load) if load < QUIET => "",
			_ => ". The machine was not known to be quiet, so ratios of times are unsure",
		};
		format!(
			"one thread of {} ({} cores), kernel {}, load before {load}{busy}",
			self.processor, self.cores, self.kernel
		)
	}
}

pub struct Report {
	pub machine: Machine,
	pub tables: Vec<Table>,
}

impl Report {
	pub fn show(&self, format: Format) -> String {
		match format {
			Format::Json => format!("{}\n", self.json()),
			Format::Text => self.text(),
			Format::Markdown => self.markdown(),
		}
	}

	fn missed(&self) -> Vec<&String> {
		self.tables.iter().flat_map(Table::missed).collect()
	}

	/// How many goals there are, and how many are missed.
	fn goals(&self) -> (usize, usize) {
		let rows = self.tables.iter().flat_map(|table| &table.rows);
		let goals: Vec<bool> = rows.flat_map(|row| row.goals.iter().copied()).collect();
		(goals.len(), goals.iter().filter(|met| !**met).count())
	}

	fn json(&self) -> Value {
		let Machine { kernel, processor, cores, load } = &self.machine;
		let mut all = json!({
			"machine": { "processor": processor, "cores": cores, "kernel": kernel, "load": load },
			"goals": self.goals().0,
			"goals_missed": self.goals().1,
			"missed": self.missed(),
		});
		for table in &self.tables {
			all[table.key] = table.json();
		}
		all
	}

	fn text(&self) -> String {
		let mut out = format!("{}\n", self.machine.text());
		for table in &self.tables {
			let _ = writeln!(out, "\n{}", table.title);
			if !table.note.is_empty() {
				let _ = writeln!(out, "  {}", table.note);
			}
			let mut widths: Vec<usize> =
				table.head.iter().map(|cell| cell.chars().count()).collect();
			for row in &table.rows {
				for (width, cell) in widths.iter_mut().zip(&row.cells) {
					*width = (*width).max(cell.chars().count());
				}
			}
			let mut line = |cells: &mut dyn Iterator<Item = &str>| {
				let mut text = String::from(" ");
				for (column, (cell, width)) in cells.zip(&widths).enumerate() {
					let _ = match column {
						0 => write!(text, " {cell:<width$}"),
						_ => write!(text, "  {cell:>width$}"),
					};
				}
				let _ = writeln!(out, "{}", text.trim_end());
			};
			line(&mut table.head.iter().map(String::as_str));
			for row in &table.rows {
				line(&mut row.cells.iter().map(String::as_str));
			}
		}
		let (goals, count) = self.goals();
		let _ = writeln!(out, "\n{goals} goals, {count} missed");
		for missed in self.missed() {
			let _ = writeln!(out, "  MISSED  {missed}");
		}
		out
	}

	fn markdown(&self) -> String {
		let mut out = format!("Measured on {}.\n", self.machine.text());
		for table in &self.tables {
			let _ = writeln!(out, "\n### {}\n", table.title);
			if !table.note.is_empty() {
				let _ = writeln!(out, "{}\n", table.note);
			}
			let _ = writeln!(out, "| {} |", table.head.join(" | "));
			let _ = writeln!(out, "|{}", "---|".repeat(table.head.len()));
			for row in &table.rows {
				let cells = row.cells.join(" | ").replace("MISSED", "**MISSED**");
				let _ = writeln!(out, "| {cells} |");
			}
		}
		let (goals, count) = self.goals();
		let _ = writeln!(out, "\n### Goals\n\n{goals} goals, {count} missed.");
		for (index, missed) in self.missed().iter().enumerate() {
			let _ = writeln!(out, "{}- {missed}", if index == 0 { "\n" } else { "" });
		}
		out
	}
}
