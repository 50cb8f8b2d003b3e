//! Answering a demand.

use super::{verify_opening, Opening, TraceHolder, Wanted};
use crate::{
	audit::Claim,
	commit::Position,
	proof::{
		make::{held_roots, with_statement},
		maker::{unavailable, Maker},
		CannotProve,
	},
	ValidProgram,
};

/// Opens a place of a committed trace. What is returned is verified against the claim.
pub fn open<H: TraceHolder>(
	program: &ValidProgram,
	claim: &Claim,
	wanted: &Wanted,
	holder: &mut H,
) -> Result<Opening, CannotProve> {
	let roots = held_roots(program, holder)?;
	let mut maker = Maker::new(program, &roots, holder);
	let opening = match *wanted {
		Wanted::Row { node, row } => {
			Opening::Row { opened: maker.node(node)?, tensor: maker.row(node, row)? }
		}
		Wanted::Tensors { level, index } => {
			let at = Position { level, index };
			let (hashes, path) = roots.trace.open(at).ok_or(CannotProve::NoPlace)?;
			let shown = if at.shows_leaves() { roots.shown(at) } else { Some(&hashes[..]) };
			Opening::Tensors { below: shown.ok_or(CannotProve::NoPlace)?.to_vec(), path }
		}
		Wanted::Rows { node, level, index } => {
			let (root, trace_path) = maker.tensor(node)?;
			let tree = maker.source.tree(node).map_err(|error| unavailable(node, &error))?;
			let opened = tree.tree().open(Position { level, index });
			let (below, path) = opened.ok_or(CannotProve::NoPlace)?;
			Opening::Rows { opened: maker.node(node)?, root, trace_path, below, path }
		}
	};
	with_statement(program, claim, |statement| verify_opening(statement, wanted, &opening))?;
	Ok(opening)
}
