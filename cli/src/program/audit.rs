//! `assay program audit`: a lie on purpose, found and proved as it would be on chain.

use crate::{
	context::Context,
	failure::{NotTrue, Usage},
	output::facts,
};
use anyhow::{anyhow, Context as _};
use assay_compute::{
	audit::{projection, Claim, FaultKind, MemorySource, Verdict},
	execute,
	json::{load_cases, Case},
	proof::{prove, verify, FraudProof, Statement},
	Dtype, Tensor, Trace, ValidProgram,
};
use clap::Args;
use codec::{Decode, Encode};
use rand::{rngs::OsRng, RngCore};
use serde::Serialize;
use std::{collections::BTreeMap, fs, path::PathBuf, str::FromStr};

/// Arguments.
#[derive(Args)]
pub struct Arguments {
	/// File of test vectors.
	vectors: PathBuf,
	/// Which case of the file; the first that has the element unless given.
	#[arg(long, value_name = "NAME")]
	case: Option<String>,
	/// Add DELTA to this element of what the worker would commit to, wrapping.
	#[arg(long, value_name = "NODE:ROW:COL:DELTA")]
	sabotage: Lie,
}

/// One wrong element.
#[derive(Clone, Copy, Debug)]
struct Lie {
	node: u32,
	row: u32,
	col: u32,
	delta: i64,
}

impl FromStr for Lie {
	type Err = String;

	fn from_str(text: &str) -> Result<Self, String> {
		let malformed = || "expected NODE:ROW:COL:DELTA, for example 9:37:5:1".to_owned();
		let parts: Vec<&str> = text.split(':').collect();
		let [node, row, col, delta] = parts[..] else { return Err(malformed()) };
		let number = |part: &str| part.parse().map_err(|_| malformed());
		let delta = delta.parse().map_err(|_| malformed())?;
		Ok(Self { node: number(node)?, row: number(row)?, col: number(col)?, delta })
	}
}

#[derive(Serialize)]
struct Report {
	case: String,
	node: u32,
	op: &'static str,
	row: u32,
	col: u32,
	/// What the proof shows: `element`, or `root` where the tensor is declared and not computed.
	fault: &'static str,
	proof_bytes: usize,
	/// What the runtime's code says of the proof.
	verdict: String,
	caught: bool,
}

/// Lies, looks for the lie without knowing where it is, proves it, and decides the proof.
pub fn run(context: &Context, arguments: &Arguments) -> anyhow::Result<()> {
	let Arguments { vectors, case, sabotage: lie } = arguments;
	let name = vectors.display();
	let text = fs::read_to_string(vectors).with_context(|| format!("cannot read {name}"))?;
	let cases = load_cases(&text).map_err(|error| anyhow!("{name}: {error}"))?;
	let (case, program) = choose(cases, case.as_deref(), lie)?;
	let report = audit(&case, &program, lie)?;
	context.output.result(&report, || {
		facts([
			("case", report.case.clone()),
			("fault", format!("{} of node {} ({})", report.fault, report.node, report.op)),
			("place", format!("row {}, column {}", report.row, report.col)),
			("proof", format!("{} bytes", report.proof_bytes)),
			("verdict", report.verdict.clone()),
		])
	});
	if report.caught {
		Ok(())
	} else {
		Err(NotTrue.into())
	}
}

/// The case to lie about, and its program.
fn choose(cases: Vec<Case>, name: Option<&str>, lie: &Lie) -> anyhow::Result<(Case, ValidProgram)> {
	let Lie { node, row, col, delta } = *lie;
	for case in cases {
		if name.is_some_and(|name| name != case.name) {
			continue;
		}
		let Ok(program) = case.program.clone().validate() else { continue };
		let Some(shape) = program.shapes().get(node as usize).copied() else { continue };
		if row >= shape.rows || col >= shape.cols {
			continue;
		}
		let is_change = match shape.dtype {
			Dtype::I8 => delta as u8 != 0,
			Dtype::I32 => delta as u32 != 0,
		};
		if !is_change {
			return Err(Usage(format!("{delta} is nought in {}", shape.dtype)).into());
		}
		return Ok((case, program));
	}
	let which = name.map_or("no valid case".into(), |name| format!("no valid case \"{name}\""));
	Err(Usage(format!("{which} has an element ({row}, {col}) of a node {node}")).into())
}

fn audit(case: &Case, program: &ValidProgram, lie: &Lie) -> anyhow::Result<Report> {
	let mut given = BTreeMap::new();
	for (node, bytes) in &case.tensors.0 {
		let shape = program.shapes().get(*node as usize).copied();
		let shape = shape.with_context(|| format!("tensor {node}: there is no such node"))?;
		given.insert(*node, Tensor::new(shape, bytes.clone())?);
	}
	let mut trace = execute(program, &given)?;
	let roots = trace.roots();
	let inputs: Vec<u32> = program.inputs().into_iter().map(|(node, _)| node).collect();
	let input_roots = inputs.iter().filter_map(|node| roots.get(*node as usize).copied());
	let input_roots: Vec<_> = input_roots.collect();
	apply(&mut trace, lie)?;
	let claim = Claim::new(input_roots, &trace.commit());

	let node = program.nodes().get(lie.node as usize);
	let op = node.map_or("", |node| node.name());
	let mut report = Report {
		case: case.name.clone(),
		node: lie.node,
		op,
		row: 0,
		col: 0,
		fault: "none",
		proof_bytes: 0,
		verdict: "nothing found".into(),
		caught: false,
	};
	let mut secret = [0; 32];
	OsRng.try_fill_bytes(&mut secret)?;
	let fault = match projection::audit(program, &claim, &trace, &secret) {
		Verdict::Invalid(fault) => fault,
		Verdict::Valid => return Ok(report),
		Verdict::Unavailable(why) => return Err(anyhow!(why)),
	};
	let proof = prove(program, &claim, &fault, &mut MemorySource::new(&trace))?.encode();
	let id = program.id();
	let statement =
		Statement { program: &id, nodes: program.len(), inputs: &inputs, claim: &claim };
	let decided = verify(&statement, &FraudProof::decode(&mut &proof[..])?);
	// The root of a declared tensor is wrong as a whole; who has it can say where.
	let place = match fault.kind {
		FaultKind::Element => Some((fault.row, fault.col)),
		FaultKind::Root => given
			.get(&fault.node)
			.zip(trace.tensors.get(fault.node as usize))
			.and_then(|(declared, committed)| first_difference(declared, committed)),
		FaultKind::Output => None,
	};
	let (row, col) = place.unwrap_or_default();
	report.caught = decided == Ok(fault) && (fault.node, row, col) == (lie.node, lie.row, lie.col);
	report.node = fault.node;
	(report.row, report.col) = (row, col);
	report.fault = match fault.kind {
		FaultKind::Element => "element",
		FaultKind::Root => "root",
		FaultKind::Output => "output",
	};
	report.proof_bytes = proof.len();
	report.verdict = match decided {
		Ok(fault) => format!("fraud: {fault}"),
		Err(rejected) => format!("rejected: {rejected}"),
	};
	Ok(report)
}

fn apply(trace: &mut Trace, lie: &Lie) -> anyhow::Result<()> {
	let tensor = trace.tensors.get_mut(lie.node as usize).context("no such node")?;
	let shape = tensor.shape();
	let size = shape.dtype.size() as usize;
	let start = lie.row as usize * shape.row_bytes() as usize + lie.col as usize * size;
	let mut data = tensor.data().to_vec();
	let element = data.get_mut(start..start + size).context("no such element")?;
	let delta = lie.delta.to_le_bytes();
	let mut carry = 0u16;
	// Little-endian addition that wraps in the element's width.
	for (byte, delta) in element.iter_mut().zip(delta) {
		let sum = u16::from(*byte) + u16::from(delta) + carry;
		*byte = sum as u8;
		carry = sum >> 8;
	}
	*tensor = Tensor::new(shape, data)?;
	Ok(())
}

fn first_difference(a: &Tensor, b: &Tensor) -> Option<(u32, u32)> {
	let shape = a.shape();
	let byte = a.data().iter().zip(b.data()).position(|(a, b)| a != b)?;
	let element = byte as u64 / u64::from(shape.dtype.size());
	let cols = u64::from(shape.cols);
	Some(((element / cols) as u32, (element % cols) as u32))
}
