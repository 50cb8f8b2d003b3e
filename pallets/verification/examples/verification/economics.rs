//! Costs that are expected, at the rates at which the chain has tasks audited.

use crate::{
	chain::{rate, AUDITORS, COLLATERALS},
	figure::{heads, numbers, percent, rounded, verdict, Row, Table},
	measure::{Audits, Measured},
};
use serde_json::{json, Map, Value};

/// Most that verification may cost beside the work, computed, and against how much stake.
const MOST: f64 = 0.05;
const MOST_AT: u32 = 100;

/// How often tasks are audited, by one auditor or by three.
pub fn rates() -> Result<Table, String> {
	let mut rows = Vec::new();
	for auditors in [AUDITORS, 3] {
		for collateral in COLLATERALS {
			let rate = rate(collateral, auditors)?;
			let audits = rate * f64::from(auditors);
			let mut json = numbers([("rate", rate), ("audits", audits)]);
			json.insert("auditors".into(), auditors.into());
			json.insert("stake".into(), collateral.into());
			let cells = vec![
				auditors.to_string(),
				format!("{collateral} ×"),
				percent(rate),
				format!("{audits:.4}"),
			];
			rows.push(Row { cells, json, missed: Vec::new(), goals: Vec::new() });
		}
	}
	Ok(Table {
		key: "rates",
		title: "How often the chain has a task audited",
		note:
			"The chain's own function (primitives/src/honesty.rs). Stake: what a proof costs the \
			liar ÷ what the lie gains. One auditor is the default of `assay job submit`, and the \
			least work: each further one adds more audits than it saves."
				.into(),
		head: heads(["auditors", "stake", "tasks audited", "audits a task"]),
		rows,
	})
}

/// Expected cost of verifying one task, all auditors together.
pub fn expected(tasks: &[&Measured]) -> Result<Table, String> {
	let mut rows = Vec::new();
	for task in tasks {
		for collateral in COLLATERALS {
			let audits = rate(collateral, AUDITORS)? * f64::from(AUDITORS);
			rows.push(expected_row(task, collateral, audits));
		}
	}
	Ok(Table {
		key: "expected",
		title: "Expected cost of verifying a task",
		note: format!(
			"Audits a task × cost of one, with {AUDITORS} auditor, for each depth. Computation ÷ \
			execution; bytes moved ÷ the job's own inputs, constants and output. In brackets: for \
			an auditor that does not hold the constants yet. Goal at {MOST_AT} times the gain: \
			computation ≤ {}, in both cases.",
			percent(MOST)
		),
		head: heads([
			"task",
			"stake",
			"projection, computation",
			"replay, computation",
			"spot, computation",
			"projection, bytes",
			"replay, bytes",
			"spot, bytes",
			"goal",
		]),
		rows,
	})
}

fn expected_row(task: &Measured, collateral: u32, audits: f64) -> Row {
	let depths =
		[("projection", task.projection()), ("replay", task.replay()), ("spot", task.spot())];
	let mut json = Map::new();
	json.insert("task".into(), task.name.clone().into());
	json.insert("stake".into(), collateral.into());
	json.insert("auditors".into(), AUDITORS.into());
	json.insert("audits".into(), rounded(audits).into());
	let (mut compute, mut bytes) = (Vec::new(), Vec::new());
	let (mut goals, mut missed) = (Vec::new(), Vec::new());
	for (depth, Audits { held, fresh }) in depths {
		let costs = [
			("compute", audits * held.compute),
			("compute_constants_new", audits * fresh.compute),
			("bytes", audits * held.bytes),
			("bytes_constants_new", audits * fresh.bytes),
		];
		let [(_, c), (_, c_new), (_, b), (_, b_new)] = costs;
		let mut of_depth: Map<String, Value> = numbers(costs);
		if collateral == MOST_AT {
			let met = c.max(c_new) <= MOST;
			of_depth.insert("at_most".into(), json!(MOST));
			of_depth.insert("met".into(), met.into());
			goals.push(met);
			if !met {
				let which =
					if c <= MOST { format!("{depth} with new constants") } else { depth.into() };
				missed.push(which);
			}
		}
		json.insert(depth.into(), of_depth.into());
		compute.push(both(c, c_new));
		bytes.push(both(b, b_new));
	}
	let mut cells = vec![task.name.clone(), format!("{collateral} ×")];
	cells.extend(compute);
	cells.extend(bytes);
	cells.push(match (collateral == MOST_AT, missed.is_empty()) {
		(false, _) => String::new(),
		(true, true) => "met".into(),
		(true, false) => format!("MISSED: {}", missed.join(", ")),
	});
	let missed = missed
		.into_iter()
		.map(|which| {
			format!("expected computation, {}, {which}: above {}", task.name, percent(MOST))
		})
		.collect();
	Row { cells, json, missed, goals }
}

/// A cost, and in brackets what it is with new constants, if that shows.
fn both(held: f64, fresh: f64) -> String {
	let (held, fresh) = (percent(held), percent(fresh));
	if held == fresh {
		held
	} else {
		format!("{held} ({fresh})")
	}
}

/// What a worker pays that commits to its output alone, and to the whole trace only when it is
/// audited or asked.
pub fn on_demand(tasks: &[&Measured]) -> Result<Table, String> {
	let mut rows = Vec::new();
	for task in tasks {
		let times = task.times;
		let at_once = (times.execution + times.output) / times.execution;
		let (mut kept_missed, mut again_missed) = (Vec::new(), Vec::new());
		for collateral in COLLATERALS {
			let p = rate(collateral, AUDITORS)?;
			let later = p * (times.commitment - times.output).max(0.0);
			let kept = at_once + later / times.execution;
			let again = at_once + p * (times.execution + times.commitment) / times.execution;
			let most = 1.0 + p;
			let (kept_met, again_met) = (kept <= most, again <= most);
			for (met, missed) in [(kept_met, &mut kept_missed), (again_met, &mut again_missed)] {
				if !met {
					missed.push(format!("{collateral} ×"));
				}
			}
			let cells = vec![
				task.name.clone(),
				format!("{collateral} ×"),
				rounded(at_once).to_string(),
				rounded(kept).to_string(),
				rounded(again).to_string(),
				format!("≤ {}", rounded(most)),
				format!("{}, {}", verdict(kept_met), verdict(again_met)),
			];
			let mut json = numbers([
				("output_root", at_once),
				("trace_kept", kept),
				("trace_made_again", again),
				("at_most", most),
			]);
			json.insert("task".into(), task.name.clone().into());
			json.insert("stake".into(), collateral.into());
			json.insert("trace_kept_met".into(), kept_met.into());
			json.insert("trace_made_again_met".into(), again_met.into());
			rows.push(Row { cells, json, missed: Vec::new(), goals: vec![kept_met, again_met] });
		}
		// One line for each task, with all stakes, on its last row.
		if let Some(row) = rows.last_mut() {
			let missed = [("trace kept", kept_missed), ("trace made again", again_missed)];
			let missed = missed.into_iter().filter(|(_, at)| !at.is_empty());
			row.missed = missed
				.map(|(how, at)| {
					let (name, at) = (&task.name, at.join(", "));
					format!("commitment on demand, {name}, {how}, at a stake of {at}: above 1 + p")
				})
				.collect();
		}
	}
	Ok(Table {
		key: "on_demand",
		title: "Commitment on demand",
		note: "All ÷ execution. The worker hashes its output, and with the chance p that it is \
			audited the rest of the trace: one that it kept, or one that it computes again. Goal: \
			≤ 1 + p. Whoever computes again pays p for that alone, so that only hashing which cost \
			nothing would meet the goal."
			.into(),
		head: heads([
			"task",
			"stake",
			"execution and output root",
			"expected, trace kept",
			"expected, trace made again",
			"goal",
			"",
		]),
		rows,
	})
}
