//! Which tensors of a trace are on disk when: it is audited node by node, and what no later node
//! needs makes room for what the next ones do.

use assay_compute::{Node, Root, Shape, ValidProgram};
use std::collections::{BTreeSet, HashMap};

/// A tensor of a trace: nodes that committed to the same one share it.
pub type Slot = usize;

/// What the audit of each node reads.
pub struct Plan {
	slots: Vec<Named>,
	/// By node: its tensor.
	of_node: Vec<Slot>,
	/// By node: what is read of whole.
	steps: Vec<Step>,
	/// By tensor: the nodes at which it is read, in order.
	uses: Vec<Vec<u32>>,
	/// By tensor: whether it is a constant, and one that is needed otherwise than as weights.
	constant: Vec<Constant>,
}

type Named = (Root, Shape);

#[derive(Clone, Default)]
struct Step {
	needs: Vec<Slot>,
	/// The constant that a product is with: read only if no projection of it is kept.
	weights: Option<Slot>,
}

#[derive(Clone, Copy, Default)]
struct Constant {
	is: bool,
	read: bool,
}

/// What is to be done before an audit goes on.
#[derive(Debug, PartialEq, Eq)]
pub struct Change {
	pub drop: Vec<Slot>,
	pub fetch: Vec<Slot>,
}

impl Plan {
	/// For a trace with these roots, as many as there are nodes.
	pub fn new(program: &ValidProgram, roots: &[Root]) -> Self {
		let mut plan = Plan {
			slots: Vec::new(),
			of_node: Vec::new(),
			steps: Vec::new(),
			uses: Vec::new(),
			constant: Vec::new(),
		};
		let mut known = HashMap::<Named, Slot>::new();
		let is_const =
			|node: u32| matches!(program.nodes().get(node as usize), Some(Node::Const { .. }));
		let nodes = program.nodes().iter().zip(roots.iter().zip(program.shapes()));
		for (index, (node, (root, shape))) in (0u32..).zip(nodes) {
			let own = *known.entry((*root, *shape)).or_insert_with(|| {
				plan.slots.push((*root, *shape));
				plan.uses.push(Vec::new());
				plan.constant.push(Constant::default());
				plan.slots.len().saturating_sub(1)
			});
			plan.of_node.push(own);
			let mut step = Step::default();
			match node {
				Node::Input { .. } => {}
				Node::Const { .. } => plan.constant[own].is = true,
				_ => {
					let weights = match node {
						Node::MatmulT { b, .. } if is_const(*b) => plan.slot(*b),
						_ => None,
					};
					let operands: Vec<u32> = match node {
						// Whatever else is needed of it comes first.
						Node::MatmulT { a, .. } if weights.is_some() => vec![*a],
						node => node.operands().collect(),
					};
					let operands = operands.iter().filter_map(|node| plan.slot(*node));
					let needs: BTreeSet<Slot> = operands.chain([own]).collect();
					step.weights = weights.filter(|weights| !needs.contains(weights));
					for slot in &needs {
						plan.constant[*slot].read = true;
					}
					for slot in needs.iter().chain(&step.weights) {
						plan.uses[*slot].push(index);
					}
					step.needs = needs.into_iter().collect();
				}
			}
			plan.steps.push(step);
		}
		plan
	}

	/// The tensor of a node.
	pub fn slot(&self, node: u32) -> Option<Slot> {
		self.of_node.get(node as usize).copied()
	}

	pub fn named(&self, slot: Slot) -> Option<Named> {
		self.slots.get(slot).copied()
	}

	/// Whether it is a constant, which its buyer has to serve as well.
	pub fn is_constant(&self, slot: Slot) -> bool {
		self.constant.get(slot).is_some_and(|constant| constant.is)
	}

	/// Whether it is a constant whose bytes are needed in every audit.
	pub fn is_table(&self, slot: Slot) -> bool {
		self.constant.get(slot).is_some_and(|constant| constant.is && constant.read)
	}

	/// Bytes of everything that is read, but for what there is already.
	pub fn total(&self, is_there: impl Fn(Slot) -> bool) -> u64 {
		let read = (0..self.slots.len()).filter(|slot| !self.uses_of(*slot).is_empty());
		let read = read.filter(|slot| !is_there(*slot));
		read.map(|slot| self.bytes(slot)).fold(0, u64::saturating_add)
	}

	/// Bytes of the most that one node needs at once, below which there is no auditing it.
	pub fn least(&self) -> u64 {
		let of = |step: &Step| {
			let all = step.needs.iter().chain(&step.weights);
			all.map(|slot| self.bytes(*slot)).fold(0, u64::saturating_add)
		};
		self.steps.iter().map(of).max().unwrap_or(0)
	}

	/// What to do so that `wanted` is there, and all else that is needed at node `at`, and as much of
	/// what comes then as `budget` has room for. `has_projection` says of which weights.
	pub fn change(
		&self,
		at: u32,
		wanted: Slot,
		held: &BTreeSet<Slot>,
		budget: u64,
		has_projection: impl Fn(Slot) -> bool,
	) -> Change {
		let step = |index: u32| self.steps.get(index as usize);
		// Inputs and constants are not looked at themselves.
		let is_idle = |index: &u32| step(*index).is_some_and(|step| step.needs.is_empty());
		let at = (at..).find(|index| !is_idle(index)).unwrap_or(at);
		let needs =
			|index: u32| step(index).into_iter().flat_map(|step| step.needs.iter().copied());
		// Weights of this node are asked for if they are read at all: their projection may have been
		// used for the last time.
		let must: BTreeSet<Slot> = needs(at).chain([wanted]).collect();
		let stays = |slot: &Slot| must.contains(slot) || self.next(*slot, at).is_some();
		let mut keep: BTreeSet<Slot> = held.iter().copied().filter(stays).collect();
		let mut drop: Vec<Slot> = held.difference(&keep).copied().collect();
		let mut fetch: Vec<Slot> = must.difference(&keep).copied().collect();
		let size = |slots: &mut dyn Iterator<Item = &Slot>| {
			slots.map(|slot| self.bytes(*slot)).fold(0, u64::saturating_add)
		};
		let mut used = size(&mut keep.iter().chain(&fetch));
		// What is needed last leaves first.
		while used > budget {
			let others = keep.iter().filter(|slot| !must.contains(*slot));
			let Some(last) = others.max_by_key(|slot| self.next(**slot, at)).copied() else {
				break;
			};
			keep.remove(&last);
			drop.push(last);
			used = used.saturating_sub(self.bytes(last));
		}
		let mut coming: BTreeSet<Slot> = fetch.iter().copied().collect();
		'ahead: for index in at.saturating_add(1)..self.steps.len() as u32 {
			let weights = step(index).and_then(|step| step.weights);
			for slot in needs(index).chain(weights.filter(|slot| !has_projection(*slot))) {
				if keep.contains(&slot) || coming.contains(&slot) {
					continue;
				}
				used = used.saturating_add(self.bytes(slot));
				// Not what was dropped for want of room, either.
				if used > budget || drop.contains(&slot) {
					break 'ahead;
				}
				coming.insert(slot);
				fetch.push(slot);
			}
		}
		Change { drop, fetch }
	}

	fn uses_of(&self, slot: Slot) -> &[u32] {
		self.uses.get(slot).map_or(&[], |uses| uses)
	}

	/// The next node at which it is read, from `at` on.
	fn next(&self, slot: Slot, at: u32) -> Option<u32> {
		let uses = self.uses_of(slot);
		uses.get(uses.partition_point(|index| *index < at)).copied()
	}

	fn bytes(&self, slot: Slot) -> u64 {
		self.slots.get(slot).map_or(0, |(_, shape)| shape.bytes())
	}
}

#[cfg(test)]
mod tests {
	use super::*;
	use assay_compute::{Dtype, Program};

	const I8: Dtype = Dtype::I8;

	/// Two layers of a model with a table, all tensors of another size; node 2 is used again at the
	/// end.
	fn program() -> (ValidProgram, Vec<Root>) {
		let constant =
			|rows, cols, root: u8| Node::Const { dtype: I8, rows, cols, root: [root; 32] };
		let nodes = vec![
			Node::Input { dtype: I8, rows: 2, cols: 10 },
			constant(30, 10, 1),
			Node::MatmulT { a: 0, b: 1 },
			Node::RowQuant { x: 2 },
			constant(50, 30, 4),
			Node::MatmulT { a: 3, b: 4 },
			constant(1, 256, 6),
			Node::RowQuant { x: 5 },
			Node::Lut { x: 7, table: 6 },
			Node::ConcatCols { parts: vec![2, 5] },
			Node::RowQuant { x: 9 },
			Node::ConcatCols { parts: vec![8, 10] },
		];
		let program = Program { nodes }.validate().unwrap();
		let roots = (0..program.len() as u8).map(|node| [node; 32]).collect();
		(program, roots)
	}

	/// Reads everything as an audit does, and says how much was fetched and the most that was held.
	fn walk(plan: &Plan, program: &ValidProgram, budget: u64, projected: &[Slot]) -> (u64, u64) {
		let (mut held, mut fetched, mut most) = (BTreeSet::new(), 0, 0);
		let mut at = 0;
		for index in 0..program.len() {
			let node = &program.nodes()[index as usize];
			if matches!(node, Node::Input { .. } | Node::Const { .. }) {
				continue;
			}
			// Of a product the right side comes first.
			let mut reads: Vec<u32> = node.operands().chain([index]).collect();
			if let Node::MatmulT { .. } = node {
				reads.swap(0, 1);
			}
			for read in reads {
				let slot = plan.slot(read).unwrap();
				let is_weights = matches!(node, Node::MatmulT { b, .. } if *b == read);
				if held.contains(&slot) || (is_weights && projected.contains(&slot)) {
					continue;
				}
				let skip = |slot| projected.contains(&slot);
				let Change { drop, fetch } = plan.change(at, slot, &held, budget, skip);
				held.retain(|slot| !drop.contains(slot));
				for slot in &fetch {
					assert!(held.insert(*slot), "fetched though it is there");
					fetched += plan.bytes(*slot);
				}
				assert!(held.contains(&slot));
				most = most.max(held.iter().map(|slot| plan.bytes(*slot)).sum());
			}
			at = index + 1;
		}
		(fetched, most)
	}

	#[test]
	fn with_room_for_all_everything_is_fetched_once() {
		let (program, roots) = program();
		let plan = Plan::new(&program, &roots);
		let all: u64 = program.shapes().iter().map(|shape| shape.bytes()).sum();
		assert_eq!(plan.total(|_| false), all);
		assert_eq!(walk(&plan, &program, all, &[]), (all, all));
		let first = plan.change(0, 1, &BTreeSet::new(), all, |_| false);
		assert_eq!((first.drop.len(), first.fetch.len()), (0, 12));
	}

	#[test]
	fn within_a_budget_what_is_not_needed_makes_room() {
		let (program, roots) = program();
		let plan = Plan::new(&program, &roots);
		// The second product: two rows of 30 and of 50 wide integers, and the weights.
		assert_eq!(plan.least(), 60 + 400 + 1_500);
		let mut before = u64::MAX;
		for budget in [plan.least(), plan.least() + 240, 2_400, 3_000, plan.total(|_| false)] {
			let (fetched, most) = walk(&plan, &program, budget, &[]);
			assert!(most <= budget, "{most} of {budget}");
			assert!(
				(plan.total(|_| false)..=before).contains(&fetched),
				"{fetched} within {budget}"
			);
			before = fetched;
		}
		// Node 2 had to be fetched again, and nothing else.
		assert_eq!(walk(&plan, &program, plan.least(), &[]).0, plan.total(|_| false) + 240);
	}

	#[test]
	fn weights_with_a_projection_are_fetched_only_if_they_are_asked_for() {
		let (program, roots) = program();
		let plan = Plan::new(&program, &roots);
		let (fetched, _) = walk(&plan, &program, u64::MAX, &[1, 4]);
		assert_eq!(fetched, plan.total(|_| false) - 300 - 1_500);
		let asked = plan.change(2, 1, &[0, 2].into(), u64::MAX, |slot| slot == 1 || slot == 4);
		assert_eq!(asked.fetch[0], 1);
		assert!(!asked.fetch.contains(&4));
		// Weights are no table, and what is no constant is neither.
		let tables: Vec<Slot> = (0..12).filter(|slot| plan.is_table(*slot)).collect();
		let constants: Vec<Slot> = (0..12).filter(|slot| plan.is_constant(*slot)).collect();
		assert_eq!((tables, constants), (vec![6], vec![1, 4, 6]));
	}

	#[test]
	fn what_is_committed_to_twice_is_fetched_once() {
		let nodes = vec![
			Node::Input { dtype: I8, rows: 2, cols: 10 },
			Node::Input { dtype: I8, rows: 2, cols: 10 },
			Node::MatmulT { a: 0, b: 1 },
		];
		let program = Program { nodes }.validate().unwrap();
		let plan = Plan::new(&program, &[[1; 32], [1; 32], [2; 32]]);
		assert_eq!((plan.total(|_| false), plan.least()), (20 + 16, 20 + 16));
		// The same root of another shape is another tensor.
		let nodes = vec![
			Node::Input { dtype: I8, rows: 2, cols: 10 },
			Node::Input { dtype: I8, rows: 5, cols: 10 },
			Node::MatmulT { a: 0, b: 1 },
		];
		let program = Program { nodes }.validate().unwrap();
		let plan = Plan::new(&program, &[[1; 32], [1; 32], [2; 32]]);
		assert_eq!(plan.total(|_| false), 20 + 50 + 40);
	}
}
