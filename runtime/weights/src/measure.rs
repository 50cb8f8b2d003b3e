//! One benchmark, measured over the ranges of its components.

use crate::runtime::{Runtime, State};
use anyhow::{anyhow, ensure, Context, Result};
use frame_benchmarking::{
	Analysis, BenchmarkBatch, BenchmarkConfig, BenchmarkList, BenchmarkMetadata,
	BenchmarkParameter, BenchmarkResult, BenchmarkSelector,
};

/// How thoroughly to measure.
#[derive(Clone, Copy)]
pub struct Effort {
	/// Values of each component.
	pub steps: u32,
	/// Passes through all benchmarks of a pallet: what disturbs the machine for a while disturbs few.
	pub passes: u32,
	/// Measurements at each value in each pass.
	pub repeat: u32,
}

/// What was measured of one benchmark.
pub struct Measurement {
	/// Its name.
	pub name: String,
	/// Its components and their ranges.
	pub components: Vec<(BenchmarkParameter, u32, u32)>,
	/// Picoseconds.
	pub time: Analysis,
	/// Storage items read.
	pub reads: Analysis,
	/// Storage items written.
	pub writes: Analysis,
	/// Reads and writes by prefix of the key, with all components at their highest.
	pub keys: Vec<(Vec<u8>, u32, u32, bool)>,
}

impl Measurement {
	/// All in a line.
	pub fn summary(&self) -> String {
		format!(
			"{:<20} time {:?} ps; reads {:?}; writes {:?}",
			self.name, self.time, self.reads, self.writes
		)
	}
}

/// A value for each component.
type Point = Vec<(BenchmarkParameter, u32)>;

/// A benchmark that is being measured.
pub struct Run<'a> {
	runtime: &'a Runtime,
	list: &'a BenchmarkList,
	benchmark: &'a BenchmarkMetadata,
	name: String,
	state: State,
	points: Vec<Point>,
	counts: Vec<BenchmarkResult>,
	times: Vec<BenchmarkResult>,
}

impl<'a> Run<'a> {
	/// Sees that the benchmark does what it should, and counts what storage it touches.
	pub fn start(
		runtime: &'a Runtime,
		list: &'a BenchmarkList,
		benchmark: &'a BenchmarkMetadata,
		steps: u32,
	) -> Result<Self> {
		let mut run = Self {
			runtime,
			list,
			benchmark,
			name: String::from_utf8(benchmark.name.clone())?,
			// Counting takes time: it has a state of its own.
			state: runtime.state(false)?,
			points: points(&benchmark.components, steps),
			counts: Vec::new(),
			times: Vec::new(),
		};
		let counting = runtime.state(true)?;
		for point in &run.points {
			// Apart, for what the look at the outcome touches would be counted too.
			run.dispatch(&run.state, point, true, 1)?;
			run.counts.extend(run.dispatch(&counting, point, false, 1)?);
		}
		Ok(run)
	}

	/// Takes the time, `repeat` times at each point.
	pub fn time(&mut self, repeat: u32) -> Result<()> {
		for point in &self.points {
			self.times.extend(self.dispatch(&self.state, point, false, repeat)?);
		}
		Ok(())
	}

	/// What came of it.
	pub fn finish(mut self) -> Result<Measurement> {
		Ok(Measurement {
			time: Analysis::min_squares_iqr(&self.times, BenchmarkSelector::ExtrinsicTime)?,
			reads: Analysis::min_squares_iqr(&self.counts, BenchmarkSelector::Reads)?,
			writes: Analysis::min_squares_iqr(&self.counts, BenchmarkSelector::Writes)?,
			name: self.name,
			components: self.benchmark.components.clone(),
			// The first point is the highest.
			keys: self.counts.swap_remove(0).keys,
		})
	}

	fn dispatch(
		&self,
		state: &State,
		point: &Point,
		verify: bool,
		repeat: u32,
	) -> Result<Vec<BenchmarkResult>> {
		let config = BenchmarkConfig {
			pallet: self.list.pallet.clone(),
			instance: self.list.instance.clone(),
			benchmark: self.benchmark.name.clone(),
			selected_components: point.clone(),
			verify,
			internal_repeats: repeat,
		};
		let context = || format!("{} at {point:?}", self.name);
		let batches: Result<Vec<BenchmarkBatch>, String> = self
			.runtime
			.call(state, "Benchmark_dispatch_benchmark", &config)
			.with_context(context)?;
		let batches = batches.map_err(|error| anyhow!(error)).with_context(context)?;
		let results: Vec<_> = batches.into_iter().flat_map(|batch| batch.results).collect();
		ensure!(!results.is_empty(), "{}: it was skipped", context());
		Ok(results)
	}
}

/// Where to measure: all components at their highest first, then each through its range in `steps`
/// with the others at their highest.
fn points(components: &[(BenchmarkParameter, u32, u32)], steps: u32) -> Vec<Point> {
	let highest: Point = components.iter().map(|&(name, _, high)| (name, high)).collect();
	let mut points = vec![highest.clone()];
	for (i, &(_, low, high)) in components.iter().enumerate() {
		let range = u64::from(high.saturating_sub(low));
		for step in 0..steps {
			let mut point = highest.clone();
			point[i].1 = low + (range * u64::from(step) / u64::from(steps - 1)) as u32;
			if !points.contains(&point) {
				points.push(point);
			}
		}
	}
	points
}

#[cfg(test)]
mod tests {
	use super::*;
	use BenchmarkParameter::{a, b};

	#[test]
	fn points_span_the_ranges_once() {
		assert_eq!(points(&[], 3), [vec![]]);
		let at = |x, y| vec![(a, x), (b, y)];
		assert_eq!(points(&[(a, 1, 2), (b, 0, 10)], 3), [at(2, 10), at(1, 10), at(2, 0), at(2, 5)]);
	}
}
