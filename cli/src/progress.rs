//! Progress on stderr, while someone looks at it.

use crate::output::Output;
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::time::Duration;

/// Where bars are drawn: nowhere unless stderr is a terminal.
fn target(output: Output) -> ProgressDrawTarget {
	match output.is_talkative() {
		true => ProgressDrawTarget::stderr(),
		false => ProgressDrawTarget::hidden(),
	}
}

fn style(template: &str) -> ProgressStyle {
	// The templates are this file's own; a wrong one shows as the default bar.
	ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

/// A bar of `length` steps.
pub fn bar(output: Output, what: &str, length: u64) -> ProgressBar {
	let bar = ProgressBar::with_draw_target(Some(length), target(output));
	bar.set_style(style("{msg:<24} {bar:32} {pos}/{len} {elapsed}"));
	bar.set_message(what.to_owned());
	bar
}

/// A sign that something is being waited for.
pub fn spinner(output: Output, what: impl Into<String>) -> ProgressBar {
	let spinner = ProgressBar::with_draw_target(None, target(output));
	spinner.set_style(style("{spinner} {msg} {elapsed}"));
	spinner.set_message(what.into());
	spinner.enable_steady_tick(Duration::from_millis(120));
	spinner
}

/// Several bars of the same length below one another, in this order.
pub struct Bars {
	all: MultiProgress,
	bars: Vec<ProgressBar>,
}

impl Bars {
	/// One bar for each name.
	pub fn new(output: Output, names: &[&str], length: u64) -> Self {
		let all = MultiProgress::with_draw_target(target(output));
		let bars = names
			.iter()
			.map(|name| {
				let bar = all.add(ProgressBar::new(length));
				bar.set_style(style("{msg:<10} {bar:40} {pos}/{len}"));
				bar.set_message((*name).to_owned());
				bar
			})
			.collect();
		Self { all, bars }
	}

	/// Whether nobody sees them.
	pub fn are_hidden(&self) -> bool {
		self.all.is_hidden()
	}

	/// Sets the bars' positions.
	pub fn set(&self, positions: &[u64]) {
		for (bar, position) in self.bars.iter().zip(positions) {
			bar.set_position(*position);
		}
	}

	/// A line above the bars.
	pub fn say(&self, text: &str) {
		let _ = self.all.println(text);
	}

	/// Leaves the bars as they stand.
	pub fn finish(&self) {
		for bar in &self.bars {
			bar.abandon();
		}
	}
}
