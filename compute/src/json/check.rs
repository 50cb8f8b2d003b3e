//! Holding this implementation against a test vector.

use super::case::{Case, Expect};
use crate::{execute, Costs, Program, Root, Tensor, ValidProgram};
use std::{collections::BTreeMap, fmt::Display};

/// What was found to be right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseReport {
	/// The case's name.
	pub name: String,
	/// Why the program was rejected, for cases that expect it.
	pub rejected: Option<String>,
	/// The costs, for cases that were executed.
	pub costs: Option<Costs>,
	/// Values that were compared and agreed.
	pub compared: usize,
}

/// The first disagreement with a case.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("case {name}: {what}")]
pub struct CaseFailure {
	/// The case's name.
	pub name: String,
	/// What is wrong.
	pub what: String,
}

/// Checks a case: every value that it expects, and that it expects all there are. Decoding is
/// checked along the way: the program must survive its own encoding.
pub fn check_case(case: &Case) -> Result<CaseReport, CaseFailure> {
	let report = match &case.expect {
		Expect { invalid: Some(true), .. } => check_invalid(case),
		Expect { invalid: Some(false), .. } => Err("`invalid` must be true or absent".into()),
		Expect { invalid: None, .. } => check_valid(case),
	};
	report.map_err(|what| CaseFailure { name: case.name.clone(), what })
}

fn check_invalid(case: &Case) -> Result<CaseReport, String> {
	let Expect { invalid: _, costs, program_id, tensor_roots, trace_root, output } = &case.expect;
	let others = costs.is_some()
		|| program_id.is_some()
		|| tensor_roots.is_some()
		|| trace_root.is_some()
		|| output.is_some();
	if others {
		return Err("an invalid program has no other answers".into());
	}
	let reason = match Program::decode(&case.program.encode()) {
		Err(error) => error.to_string(),
		Ok(program) => match program.validate() {
			Err(error) => error.to_string(),
			Ok(_) => return Err("the program was accepted, but is to be rejected".into()),
		},
	};
	let name = case.name.clone();
	Ok(CaseReport { name, rejected: Some(reason), costs: None, compared: 1 })
}

fn check_valid(case: &Case) -> Result<CaseReport, String> {
	let Expect { invalid: _, costs, program_id, tensor_roots, trace_root, output } = &case.expect;
	let missing = |key: &str| format!("`expect` lacks `{key}`");
	let costs = costs.as_ref().ok_or_else(|| missing("costs"))?;
	let program_id = program_id.as_ref().ok_or_else(|| missing("program_id"))?;
	let tensor_roots = tensor_roots.as_ref().ok_or_else(|| missing("tensor_roots"))?;
	let trace_root = trace_root.as_ref().ok_or_else(|| missing("trace_root"))?;
	let output = output.as_ref().ok_or_else(|| missing("output"))?;

	let decoded = Program::decode(&case.program.encode())
		.map_err(|error| format!("its own encoding is rejected: {error}"))?;
	if decoded != case.program {
		return Err("its own encoding decodes to another program".into());
	}
	let program = decoded.validate().map_err(|error| format!("rejected: {error}"))?;
	let mut compared = 0;
	let mut compare = |what: &str, holds: bool, got: &dyn Display, want: &dyn Display| {
		compared += 1;
		if holds {
			Ok(())
		} else {
			Err(format!("{what} is {got}, expected {want}"))
		}
	};
	let got = program.costs();
	compare("costs.macs", got.macs == costs.macs, &got.macs, &costs.macs)?;
	compare("costs.elements", got.elements == costs.elements, &got.elements, &costs.elements)?;
	let (bytes, want) = (got.trace_bytes, costs.trace_bytes);
	compare("costs.trace_bytes", bytes == want, &bytes, &want)?;
	let (bytes, want) = (got.const_bytes, costs.const_bytes);
	compare("costs.const_bytes", bytes == want, &bytes, &want)?;
	compare("costs.leaves", got.leaves == costs.leaves, &got.leaves, &costs.leaves)?;
	let id = program.id();
	compare("program_id", id == *program_id, &hex::encode(id), &hex::encode(program_id))?;

	let trace = execute(&program, &tensors(case, &program)?).map_err(|error| error.to_string())?;
	let commitment = trace.commit();
	let (got, want) = (commitment.tensor_roots.len(), tensor_roots.len());
	compare("number of tensor_roots", got == want, &got, &want)?;
	for (node, (got, want)) in commitment.tensor_roots.iter().zip(tensor_roots).enumerate() {
		let what = format!("tensor_roots[{node}] ({})", program.nodes()[node].name());
		compare(&what, got == want, &hex::encode(got), &hex::encode(want))?;
	}
	let got: Root = commitment.trace_root;
	compare("trace_root", got == *trace_root, &hex::encode(got), &hex::encode(trace_root))?;
	let got = trace.output().map_or(&[][..], Tensor::data);
	compare("output", got == &output[..], &hex::encode(got), &hex::encode(output))?;
	Ok(CaseReport {
		name: case.name.clone(),
		rejected: None,
		costs: Some(*program.costs()),
		compared,
	})
}

fn tensors(case: &Case, program: &ValidProgram) -> Result<BTreeMap<u32, Tensor>, String> {
	let mut tensors = BTreeMap::new();
	for (&node, bytes) in &case.tensors.0 {
		let shape = program.shapes().get(node as usize);
		let shape = shape.ok_or_else(|| format!("tensor {node}: there is no such node"))?;
		let tensor = Tensor::new(*shape, bytes.clone());
		tensors.insert(node, tensor.map_err(|error| format!("tensor {node}: {error}"))?);
	}
	Ok(tensors)
}
