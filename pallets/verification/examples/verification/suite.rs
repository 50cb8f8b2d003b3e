//! All that is measured, in order.

use crate::{
	block, chain, digits, economics,
	figure::{rounded, Goal, Table},
	lie,
	measure::{measure, turns, Measured},
	memory, product, progress, spot,
	task::Task,
};

/// Sides of products, with the goal for execution ÷ projection and that for what execution and
/// commitment may cost over execution.
const PRODUCTS: [(u32, Option<f64>, Option<f64>); 4] = [
	(1_024, Some(3.0), None),
	(2_048, None, Some(1.15)),
	(4_096, Some(12.0), Some(1.08)),
	(8_192, Some(30.0), None),
];
/// The side of which spot audits and proofs are shown.
const SHOWN: u32 = 4_096;
/// Tokens of the block, and with `--quick`.
const TOKENS: (u32, u32) = (512, 128);
/// The small batch against kept weights: rows, and the weights' side.
const BATCH: (u32, u32) = (16, 4_096);

/// Bytes to copy that no cache holds.
const MAIN_MEMORY: usize = 512 << 20;

const KIB: f64 = 1_024.0;
const MIB: f64 = KIB * KIB;

pub fn run(quick: bool) -> Result<Vec<Table>, String> {
	let mut products = Table::of_figures(
		"products",
		"Projection of a product",
		"Products of two int8 matrices of n × n. Projection: of a trace that was hashed as it came.",
	);
	let mut commitments = Table::of_figures(
		"commitment",
		"Commitment to the whole trace",
		"Roots of constants are known from an earlier task.",
	);
	let mut spots = Table::of_figures(
		"spot",
		"Spot audit",
		format!("{} rows of the product, {} elements of each.", spot::DEEP.rows, spot::DEEP.cols),
	);
	let mut proofs = Table::of_figures(
		"proofs",
		"Fraud proof on the chain",
		"One wrong element, proved in one transaction. Milliseconds are those of the pallet's \
		weights, measured in WASM by `scripts/bench weights`: `verify_product`, and with it \
		`report_fraud`, the longest way through, without the database's share. What is charged has \
		that share, and the operation that costs most a byte.",
	);
	let mut measured: Vec<Measured> = Vec::new();
	for (n, projected, committed) in PRODUCTS {
		if quick && n > SHOWN {
			continue;
		}
		progress(&format!("a product, n = {n}"));
		let task = product::task(n, n)?;
		let mut of = measure(&task)?;
		product_figures(&mut products, n, projected, &of);
		commitment_figures(&mut commitments, &format!("n = {n}"), committed, &of);
		if n == SHOWN {
			progress("a spot audit and a fraud proof");
			spot_figures(&mut spots, &task, &mut of)?;
			proof_figures(&mut proofs, &task, &mut of)?;
		}
		measured.push(of);
	}
	progress("a small batch against kept weights");
	batch_figures(&mut products)?;

	let mut of_jobs = Vec::new();
	let mut tasks = Vec::new();
	let tokens = if quick { TOKENS.1 } else { TOKENS.0 };
	for task in [digits::task(), block::task(tokens)] {
		let task = task?;
		progress(&task.name);
		of_jobs.push(measure(&task)?);
		tasks.push(task);
	}
	let mut jobs = Table {
		key: "jobs",
		title: "Whole jobs",
		note: format!(
			"A batch of examples/digits, and the decoder block of the published vectors at the width \
			of Llama 2 with 7 billion parameters (but with one key–value head, as there) and the head \
			after it. Constants are held and their roots known. Spot: {} rows of each tensor, the \
			auditor's default. There are no goals for these but those of the expected costs below.",
			spot::DEFAULT.rows
		),
		head: [String::new()]
			.into_iter()
			.chain(tasks.iter().map(|task| task.name.clone()))
			.collect(),
		rows: Vec::new(),
	};
	job_figures(&mut jobs, &tasks, &mut of_jobs)?;
	measured.extend(of_jobs);

	let all: Vec<&Measured> = measured.iter().collect();
	let on_demand = economics::on_demand(&all)?;
	let expected = economics::expected(&all)?;
	Ok(vec![products, commitments, on_demand, spots, proofs, jobs, economics::rates()?, expected])
}

fn product_figures(table: &mut Table, n: u32, goal: Option<f64>, of: &Measured) {
	let times = of.times;
	let name = |what: &str| format!("{what}, n = {n}");
	table.figure(name("execution, ms"), times.execution * 1e3, Goal::None);
	let rate = f64::from(n).powi(3) / times.execution / 1e9;
	table.figure(name("execution, 10^9 multiply–accumulates a second"), rate, Goal::None);
	let ratio = times.projection / times.execution;
	let goal = goal.map_or(Goal::None, |goal| Goal::AtMost(1.0 / goal));
	table.figure(name("projection ÷ execution"), ratio, goal);
	let read = of.sizes.trace / times.projection;
	let copied = memory::copied(of.sizes.trace as usize);
	let goal = if goal == Goal::None { Goal::None } else { Goal::AtLeast(0.5) };
	table.figure(name("projection, bytes a second ÷ copying as many"), read / copied, goal);
	let copied = memory::copied(MAIN_MEMORY);
	table.figure(name("the same ÷ copying main memory"), read / copied, Goal::None);
	let whole = of.projection().held.compute;
	table.figure(name("hashing and projection ÷ execution"), whole, Goal::None);
	table.figure(name("replay ÷ execution"), of.replay().held.compute, Goal::None);
}

fn batch_figures(table: &mut Table) -> Result<(), String> {
	let (rows, n) = BATCH;
	let times = measure(&product::task(rows, n)?)?.times;
	let name = |what: &str| format!("{what}, {rows} rows × {n} × {n}");
	let first = times.projection / times.execution;
	table.figure(name("projection ÷ execution"), first, Goal::None);
	let kept = times.kept / times.execution;
	table.figure(name("projection with kept weights ÷ execution"), kept, Goal::AtMost(1.0 / 30.0));
	Ok(())
}

fn commitment_figures(table: &mut Table, of: &str, goal: Option<f64>, measured: &Measured) {
	let goal = goal.map_or(Goal::None, Goal::AtMost);
	let name = format!("execution and commitment ÷ execution, {of}");
	table.figure(name, measured.committed(), goal);
	let hashed = (measured.sizes.trace - measured.sizes.consts) / measured.times.commitment;
	table.figure(format!("hashing, GB a second, {of}"), hashed / 1e9, Goal::None);
}

fn spot_figures(table: &mut Table, task: &Task, of: &mut Measured) -> Result<(), String> {
	let (mut time, mut bytes, mut rows) = (f64::MAX, 0, 0);
	let first = spot::turn(task, &of.claim, spot::DEEP, 0, &mut of.source)?;
	for turn in 0..turns(first) {
		time = time.min(spot::turn(task, &of.claim, spot::DEEP, turn, &mut of.source)?);
		bytes = bytes.max(of.source.bytes);
		rows = rows.max(of.source.rows.get(&task.program.output()).copied().unwrap_or(0));
	}
	let name = |what: &str| format!("{what}, n = {SHOWN}");
	table.figure(name("rows of the product"), rows.into(), Goal::AtMost(32.0));
	table.figure(name("MiB fetched"), bytes as f64 / MIB, Goal::AtMost(1.2));
	table.figure(name("ms"), time * 1e3, Goal::AtMost(30.0));
	table.figure(name("÷ execution"), time / of.times.execution, Goal::None);
	Ok(())
}

fn proof_figures(table: &mut Table, task: &Task, of: &mut Measured) -> Result<(), String> {
	let bytes = lie::longest(task, &mut of.source)?.product as u32;
	let name = |what: &str| format!("{what}, k = n = {SHOWN}");
	table.figure(name("proof, KiB"), f64::from(bytes) / KIB, Goal::AtMost(40.0));
	let verify = chain::verify_product(bytes);
	table.figure(name("verifying it, ms"), verify, Goal::None);
	let whole = chain::report() + verify;
	table.figure(name("the whole report, ms"), whole, Goal::AtMost(2.0));
	table.figure(name("charged, % of a block"), 100.0 * chain::charged(bytes), Goal::None);

	let bytes = lie::widest()? as u32;
	let name = |what: &str| format!("{what}, widest evidence");
	table.figure(name("proof, KiB"), f64::from(bytes) / KIB, Goal::None);
	let verify = chain::verify_norm(bytes);
	table.figure(name("verifying it, ms"), verify, Goal::None);
	let whole = chain::report() + verify;
	table.figure(
		name("the whole report, % of a block"),
		100.0 * chain::of_block(whole),
		Goal::None,
	);
	table.figure(name("charged, % of a block"), 100.0 * chain::charged(bytes), Goal::None);
	Ok(())
}

fn job_figures(table: &mut Table, tasks: &[Task], measured: &mut [Measured]) -> Result<(), String> {
	let mut row = |name: &str, of: &dyn Fn(&Task, &Measured) -> f64| {
		let values: Vec<f64> = tasks.iter().zip(&*measured).map(|(task, m)| of(task, m)).collect();
		table.side_by_side(name, &values);
	};
	row("10^9 multiply–accumulates", &|task, _| task.program.costs().macs as f64 / 1e9);
	row("trace, MiB", &|_, of| of.sizes.trace / MIB);
	row("of that constants, MiB", &|_, of| of.sizes.consts / MIB);
	row("execution, ms", &|_, of| of.times.execution * 1e3);
	row("execution and commitment ÷ execution", &|_, of| of.committed());
	row("projection ÷ execution", &|_, of| of.times.projection / of.times.execution);
	row("the same with kept weights", &|_, of| of.times.kept / of.times.execution);
	row("hashing and projection ÷ execution", &|_, of| of.projection().held.compute);
	row("replay ÷ execution", &|_, of| of.replay().held.compute);
	row("spot audit ÷ execution", &|_, of| of.spot().held.compute);
	row("spot audit, MiB fetched", &|_, of| of.spot_bytes / MIB);

	let proofs = tasks.iter().zip(measured).map(|(task, of)| lie::longest(task, &mut of.source));
	let proofs = proofs.collect::<Result<Vec<_>, _>>()?;
	let kib = |bytes: usize| bytes as f64 / KIB;
	let of_product: Vec<f64> = proofs.iter().map(|proof| kib(proof.product)).collect();
	table.side_by_side("longest proof about a product, KiB", &of_product);
	let whole =
		|proof: &lie::Longest| chain::report() + chain::verify_product(proof.product as u32);
	let whole: Vec<f64> = proofs.iter().map(whole).collect();
	table.side_by_side("the whole report of it in WASM, ms", &whole);
	let of_any: Vec<f64> = proofs.iter().map(|proof| kib(proof.any.0)).collect();
	let said =
		proofs.iter().map(|proof| format!("{} ({})", rounded(kib(proof.any.0)), proof.any.1));
	table.texts("longest proof of all, KiB", &of_any, said);
	Ok(())
}
