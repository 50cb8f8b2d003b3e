//! From a wrong trace root to the first lie, by demands alone.

use super::{
	convict::{convict, named},
	verify_opening, Opening, TraceHolder, Wanted,
};
use crate::{
	audit::Claim,
	commit::Position,
	proof::{
		make::{held_roots, with_statement},
		maker::{unavailable, Maker, Named, Roots},
		verify, CannotProve, FraudProof, Rejected,
	},
	Node, Root, ValidProgram,
};

/// What an auditor does that has executed a task again and finds another trace root, while the
/// worker serves nothing: it has place after place opened, each holding the first difference, until
/// a wrong row is open. Of the claimed trace it needs nothing but the root and the answers.
///
/// Two demands find the first wrong tensor of 2^14 nodes, and three its first wrong row of 2^24;
/// one more opens that row.
#[derive(Clone, Debug)]
pub struct Walk<'a> {
	program: &'a ValidProgram,
	claim: &'a Claim,
	/// Of the exact trace.
	roots: Roots,
	stage: Stage,
}

#[derive(Clone, Debug)]
enum Stage {
	/// The first difference lies in this subtree of the trace.
	Tensors(Position),
	/// It lies in these rows of the first wrong tensor.
	Rows(Named, Position),
	/// It lies in this row.
	Row(Named, u32),
	Over(Option<FraudProof>),
}

/// What a walk needs, or where it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next<'w> {
	/// This place is to be opened next; hand the answer to [`Walk::answer`].
	Wanted(Wanted),
	/// The lie is proved; the proof is verified.
	Proved(&'w FraudProof),
	/// There is nothing to prove: the claim is the exact one.
	Agreed,
}

impl<'a> Walk<'a> {
	/// Begins with the claim and the exact trace for the claim's inputs.
	pub fn new<H: TraceHolder>(
		program: &'a ValidProgram,
		claim: &'a Claim,
		exact: &mut H,
	) -> Result<Self, CannotProve> {
		let roots = held_roots(program, exact)?;
		let mut inputs = 0;
		for ((index, node), root) in (0..).zip(program.nodes()).zip(&roots.roots) {
			let given = matches!(node, Node::Input { .. } | Node::Const { .. });
			if given && claim.declared(node, &mut inputs) != Some(*root) {
				return Err(unavailable(index, &"the exact trace has not the declared tensor"));
			}
		}
		let stage = Stage::Tensors(Position::root(program.len()));
		let mut walk = Walk { program, claim, roots, stage };
		if walk.roots.trace.root() == claim.trace_root {
			let wrong = walk.roots.roots.last() != Some(&claim.output_root);
			let maker = Maker::new(program, &walk.roots, exact);
			walk.stage = match wrong {
				true => walk.proved(maker.output()?)?,
				false => Stage::Over(None),
			};
		}
		Ok(walk)
	}

	/// What to do now.
	pub fn next(&self) -> Next<'_> {
		match &self.stage {
			Stage::Tensors(at) => Next::Wanted(Wanted::tensors(*at)),
			Stage::Rows(wrong, at) => Next::Wanted(Wanted::rows(wrong.node, *at)),
			Stage::Row(wrong, row) => Next::Wanted(Wanted::Row { node: wrong.node, row: *row }),
			Stage::Over(Some(proof)) => Next::Proved(proof),
			Stage::Over(None) => Next::Agreed,
		}
	}

	/// Goes on with the answer to what was wanted, and the same exact trace. An answer that does
	/// not verify is refused and changes nothing.
	pub fn answer<H: TraceHolder>(
		&mut self,
		opening: &Opening,
		exact: &mut H,
	) -> Result<(), CannotProve> {
		let Next::Wanted(wanted) = self.next() else { return Err(Rejected::Opening.into()) };
		with_statement(self.program, self.claim, |statement| {
			verify_opening(statement, &wanted, opening)
		})?;
		self.stage = match (&self.stage, opening) {
			(Stage::Tensors(at), Opening::Tensors { below, path }) => {
				self.after_tensors(*at, below, path, exact)?
			}
			(Stage::Rows(wrong, at), Opening::Rows { below, .. }) => {
				let tree = exact.tree(wrong.node).map_err(|why| unavailable(wrong.node, &why))?;
				let tree = tree.tree();
				let own = |place: Position| tree.node(place.level.into(), place.index);
				rows_from(wrong.clone(), differing(*at, tree.leaves(), below, own)?)
			}
			(Stage::Row(wrong, row), Opening::Row { tensor, .. }) => {
				let proof = convict(self.program, &self.roots, wrong, *row, tensor, exact)?;
				self.proved(proof)?
			}
			_ => return Err(Rejected::Opening.into()),
		};
		Ok(())
	}

	/// Goes down in the tree over tensor roots, and on into the first wrong tensor.
	fn after_tensors<H: TraceHolder>(
		&self,
		at: Position,
		below: &[Root],
		path: &[Root],
		exact: &mut H,
	) -> Result<Stage, CannotProve> {
		let (program, roots) = (self.program, &self.roots);
		let own = |place: Position| match at.shows_leaves() {
			true => roots.roots.get(place.index as usize).copied(),
			false => roots.trace.node(place.level.into(), place.index),
		};
		let next = differing(at, program.len(), below, own)?;
		if !at.shows_leaves() {
			return Ok(Stage::Tensors(next));
		}
		let node = next.index;
		let wrong = named(at, node, below, path).ok_or(CannotProve::NoPlace)?;
		let step = program.step(node).ok_or(CannotProve::NoPlace)?;
		if !matches!(step.node, Node::Input { .. } | Node::Const { .. }) {
			return Ok(rows_from(wrong, Position::root(step.out.rows)));
		}
		let mut maker = Maker::new(program, roots, exact);
		maker.wrong = Some(&wrong);
		self.proved(maker.declared(node)?)
	}

	fn proved(&self, proof: FraudProof) -> Result<Stage, CannotProve> {
		with_statement(self.program, self.claim, |statement| verify(statement, &proof))?;
		Ok(Stage::Over(Some(proof)))
	}
}

/// Goes on in these rows; a single one is wanted itself.
fn rows_from(wrong: Named, at: Position) -> Stage {
	match at.level {
		0 => Stage::Row(wrong, at.index),
		_ => Stage::Rows(wrong, at),
	}
}

/// The first place shown below `at` that differs from the exact one.
fn differing(
	at: Position,
	count: u32,
	below: &[Root],
	exact: impl Fn(Position) -> Option<Root>,
) -> Result<Position, CannotProve> {
	let first = at.first_below();
	let places = (first.index..).map(|index| Position { index, ..first });
	let found = places.zip(below).find(|(place, theirs)| exact(*place).as_ref() != Some(*theirs));
	// What is above differs, so something here does.
	let (place, _) = found.ok_or(Rejected::NoFault)?;
	Ok(place.canonical(count))
}
