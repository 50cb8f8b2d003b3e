//! `assay program inspect`.

use super::load;
use crate::{
	context::Context,
	output::{bytes, facts, table},
};
use assay_compute::{Node, Shape, ValidProgram};
use assay_primitives::work::Costs;
use serde::Serialize;
use std::path::Path;

/// A program for JSON.
#[derive(Serialize)]
struct Report {
	program_id: String,
	bytes: usize,
	costs: Costs,
	inputs: Vec<Place>,
	consts: Vec<Place>,
	output: String,
	nodes: Vec<NodeReport>,
}

#[derive(Serialize)]
struct Place {
	node: u32,
	shape: String,
	#[serde(skip_serializing_if = "Option::is_none")]
	root: Option<String>,
}

#[derive(Serialize)]
struct NodeReport {
	#[serde(flatten)]
	node: Node,
	shape: String,
}

fn report(program: &ValidProgram) -> Report {
	let place = |node: u32, shape: Shape, root: Option<String>| Place {
		node,
		shape: shape.to_string(),
		root,
	};
	let nodes = program.nodes().iter().zip(program.shapes());
	Report {
		program_id: hex::encode(program.id()),
		bytes: program.encode().len(),
		costs: program.costs().into(),
		inputs: program
			.inputs()
			.into_iter()
			.map(|(node, shape)| place(node, shape, None))
			.collect(),
		consts: program
			.consts()
			.into_iter()
			.map(|(node, shape, root)| place(node, shape, Some(hex::encode(root))))
			.collect(),
		output: program.output_shape().to_string(),
		nodes: nodes
			.map(|(node, shape)| NodeReport { node: node.clone(), shape: shape.to_string() })
			.collect(),
	}
}

/// Shows a program.
pub fn run(context: &Context, path: &Path) -> anyhow::Result<()> {
	let program = load::program(path)?;
	context.output.result(&report(&program), || human(&program));
	Ok(())
}

fn human(program: &ValidProgram) -> String {
	let nodes = table(
		&["node", "op", "of", "result", "bytes"],
		&["node", "bytes"],
		(0..).zip(program.nodes().iter().zip(program.shapes())).map(
			|(index, (node, shape)): (u32, _)| {
				vec![
					format!("%{index}"),
					node.name().into(),
					load::detail(node),
					shape.to_string(),
					bytes(shape.bytes().into()),
				]
			},
		),
	);
	format!("{nodes}\n{}", summary(program))
}

/// Id, size and costs of a program.
pub fn summary(program: &ValidProgram) -> String {
	let costs = program.costs();
	facts([
		("program id", hex::encode(program.id())),
		("encoding", bytes(program.encode().len() as u128)),
		("multiply–accumulates", costs.macs.to_string()),
		("other elements", costs.elements.to_string()),
		("trace", bytes(costs.trace_bytes)),
		("constants", bytes(costs.const_bytes)),
		("rows committed to", costs.leaves.to_string()),
	])
}
