//! Demands: what a place opens to, and from answers alone to a fraud proof.

mod common;

use assay_compute::{
	audit::{self, Claim, Fault, FaultKind, MemorySource, Verdict},
	execute, height,
	proof::{
		demand::{largest_opening, open, verify_opening, Next, Opening, Walk, Wanted},
		verify, CannotProve, FraudProof, OpenNode, Rejected, Statement,
	},
	width, Dtype, Node, Program, Root, Shape, Tensor, Trace, ValidProgram,
};
use codec::{Decode, Encode, MaxEncodedLen};
use common::{random_case, random_place, Case, Rng};
use proptest::prelude::*;

fn honest(case: &Case) -> (Trace, Vec<Root>) {
	let trace = execute(&case.program, &case.tensors).unwrap();
	let roots = trace.roots();
	let inputs = case.program.inputs().iter().map(|(node, _)| roots[*node as usize]).collect();
	(trace, inputs)
}

/// Asks the chain, which knows nothing but the id, the number of nodes, the inputs and the claim.
fn ask<T>(program: &ValidProgram, claim: &Claim, ask: impl FnOnce(&Statement<'_>) -> T) -> T {
	let inputs: Vec<u32> = program.inputs().into_iter().map(|(node, _)| node).collect();
	let id = program.id();
	ask(&Statement { program: &id, nodes: program.len(), inputs: &inputs, claim })
}

fn decide(
	program: &ValidProgram,
	claim: &Claim,
	wanted: &Wanted,
	opening: &Opening,
) -> Result<(), Rejected> {
	ask(program, claim, |statement| verify_opening(statement, wanted, opening))
}

/// Every place of a trace, each by its one name: what the tree's definition splits into. `None` in
/// the place of a node stands for the tree over tensor roots.
fn every_place(program: &ValidProgram) -> Vec<Wanted> {
	let mut all = Vec::new();
	subtrees(0, program.len(), &mut |level, index| all.push(Wanted::Tensors { level, index }));
	for (node, shape) in (0..).zip(program.shapes()) {
		subtrees(0, shape.rows, &mut |level, index| all.push(Wanted::Rows { node, level, index }));
		all.extend((0..shape.rows).map(|row| Wanted::Row { node, row }));
	}
	all
}

/// RFC 6962 read literally: n leaves split at the largest power of two below n.
fn subtrees(start: u32, count: u32, each: &mut dyn FnMut(u8, u32)) {
	let mut level = 0;
	while 1 << level < count {
		level += 1;
	}
	each(level, start >> level);
	if count > 1 {
		let left = 1 << (level - 1);
		subtrees(start, left, each);
		subtrees(start + left, count - left, each);
	}
}

fn pick(rng: &mut Rng, places: &[Wanted]) -> Wanted {
	places[rng.range(0, places.len() as u32 - 1) as usize]
}

fn shape_of(program: &ValidProgram, wanted: &Wanted) -> Option<Shape> {
	wanted.node().and_then(|node| program.shapes().get(node as usize).copied())
}

/// Every list of hashes or bytes in an opening, to change its length.
fn lists(opening: &mut Opening) -> Vec<&mut Vec<Root>> {
	match opening {
		Opening::Row { opened, tensor } => {
			vec![&mut opened.path, &mut tensor.path, &mut tensor.row.path]
		}
		Opening::Tensors { below, path } => vec![below, path],
		Opening::Rows { opened, trace_path, below, path, .. } => {
			vec![&mut opened.path, trace_path, below, path]
		}
	}
}

/// The trace with other bytes in one place.
fn wrong_at(trace: &Trace, node: u32, at: usize, change: u8) -> Trace {
	let mut trace = trace.clone();
	let tensor = &trace.tensors[node as usize];
	let mut data = tensor.data().to_vec();
	data[at] ^= change;
	trace.tensors[node as usize] = Tensor::new(tensor.shape(), data).unwrap();
	trace
}

/// Walks with a worker that answers every demand from `committed`. Says what was proved and how
/// many demands it took.
fn walk(
	case: &Case,
	exact: &Trace,
	claim: &Claim,
	committed: &Trace,
) -> (Option<FraudProof>, Vec<Wanted>) {
	let program = &case.program;
	let (mut own, mut theirs) = (MemorySource::new(exact), MemorySource::new(committed));
	let mut walk = Walk::new(program, claim, &mut own).unwrap();
	let mut demands = Vec::new();
	loop {
		let wanted = match walk.next() {
			Next::Wanted(wanted) => wanted,
			Next::Proved(proof) => return (Some(proof.clone()), demands),
			Next::Agreed => return (None, demands),
		};
		assert!(wanted.exists(program.len(), shape_of(program, &wanted)));
		let opening = open(program, claim, &wanted, &mut theirs).unwrap();
		let bytes = opening.encode();
		let opening = Opening::decode(&mut &bytes[..]).unwrap();
		// An answer that does not verify is refused, and the walk goes on with the next one.
		let mut bad = opening.clone();
		lists(&mut bad)[0].push([0; 32]);
		assert!(matches!(walk.answer(&bad, &mut own), Err(CannotProve::Rejected(_))));
		assert_eq!(walk.next(), Next::Wanted(wanted));
		walk.answer(&opening, &mut own).unwrap();
		demands.push(wanted);
	}
}

/// The first place, in node order, in which two traces differ.
fn first_difference(program: &ValidProgram, right: &Trace, wrong: &Trace) -> Option<Fault> {
	for (node, (right, wrong)) in (0u32..).zip(right.tensors.iter().zip(&wrong.tensors)) {
		if right == wrong {
			continue;
		}
		if matches!(program.nodes()[node as usize], Node::Input { .. } | Node::Const { .. }) {
			return Some(Fault { node, row: 0, col: 0, kind: FaultKind::Root });
		}
		let shape = right.shape();
		let places = (0..shape.rows).flat_map(|row| (0..shape.cols).map(move |col| (row, col)));
		let mut places = places.filter(|(row, col)| right.get(*row, *col) != wrong.get(*row, *col));
		let (row, col) = places.next().unwrap();
		return Some(Fault { node, row, col, kind: FaultKind::Element });
	}
	None
}

proptest! {
	#![proptest_config(ProptestConfig::with_cases(150))]

	/// Every place of an honest trace opens, within the size that is priced.
	#[test]
	fn honest_answers_verify(seed: u64, size in 1u32..12) {
		let case = random_case(seed, size);
		let program = &case.program;
		let (trace, inputs) = honest(&case);
		let claim = Claim::new(inputs, &trace.commit());
		let mut source = MemorySource::new(&trace);
		let mut rng = Rng(seed ^ 1);
		let places = every_place(program);
		for _ in 0..24 {
			let wanted = pick(&mut rng, &places);
			let opening = open(program, &claim, &wanted, &mut source).unwrap();
			let bytes = opening.encode();
			prop_assert_eq!(&Opening::decode(&mut &bytes[..]).unwrap(), &opening);
			prop_assert_eq!(decide(program, &claim, &wanted, &opening), Ok(()));
			let shape = shape_of(program, &wanted).unwrap_or(program.output_shape());
			prop_assert!(bytes.len() as u64 <= largest_opening(program.len(), shape));
			prop_assert!(wanted.encoded_size() <= Wanted::max_encoded_len());
			// What is shown are the committed tensors and rows themselves.
			match (&wanted, &opening) {
				(Wanted::Row { node, row }, Opening::Row { tensor, .. }) => {
					prop_assert_eq!(&tensor.row.bytes[..], trace.tensors[*node as usize].row(*row));
				}
				(Wanted::Tensors { level, index }, Opening::Tensors { below, .. }) if *level <= 8 => {
					let first = (*index as usize) << level;
					let roots = trace.roots();
					prop_assert_eq!(&below[..], &roots[first..(first + below.len())]);
					prop_assert!(below.len() == 1 << level || first + below.len() == roots.len());
				}
				_ => {}
			}
		}
	}

	/// An opening opens its own place of its own trace only, and not with one byte changed.
	#[test]
	fn nothing_else_verifies(seed: u64, size in 1u32..12) {
		let case = random_case(seed, size);
		let program = &case.program;
		let (trace, inputs) = honest(&case);
		let claim = Claim::new(inputs, &trace.commit());
		let mut source = MemorySource::new(&trace);
		let mut rng = Rng(seed ^ 2);
		let places = every_place(program);
		let wanted = pick(&mut rng, &places);
		let opening = open(program, &claim, &wanted, &mut source).unwrap();

		let bytes = opening.encode();
		for _ in 0..64 {
			let mut changed = bytes.clone();
			let at = rng.range(0, bytes.len() as u32 - 1) as usize;
			changed[at] ^= 1 << rng.range(0, 7);
			if let Ok(changed) = Opening::decode(&mut &changed[..]) {
				prop_assert!(decide(program, &claim, &wanted, &changed).is_err(), "byte {}", at);
			}
		}
		for list in 0..lists(&mut opening.clone()).len() {
			let mut longer = opening.clone();
			let hashes = &mut lists(&mut longer)[list];
			hashes.push(hashes.last().copied().unwrap_or([0; 32]));
			prop_assert!(decide(program, &claim, &wanted, &longer).is_err());
			let mut shorter = opening.clone();
			if lists(&mut shorter)[list].pop().is_some() {
				prop_assert!(decide(program, &claim, &wanted, &shorter).is_err());
			}
		}
		if let Opening::Row { opened, tensor } = &opening {
			for cut in [1, 0] {
				let mut tensor = tensor.clone();
				match cut {
					1 => { tensor.row.bytes.pop(); }
					_ => tensor.row.bytes.push(0),
				}
				let changed = Opening::Row { opened: opened.clone(), tensor };
				prop_assert!(decide(program, &claim, &wanted, &changed).is_err());
			}
		}
		// Equal neighbours, and only they, have one opening for two places.
		let refused_or_same = |other: &Wanted, source: &mut MemorySource| {
			decide(program, &claim, other, &opening).is_err()
				|| open(program, &claim, other, source).as_ref() == Ok(&opening)
		};
		for other in &places {
			if *other != wanted {
				prop_assert!(refused_or_same(other, &mut source), "{:?}", other);
			}
		}
		let shifted = [(1i64, 0i64), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1), (32, 0), (200, 0)];
		for (up, along) in shifted {
			let level = |level: u8| (i64::from(level) + up) as u8;
			let index = |index: u32| (i64::from(index) + along) as u32;
			let other = match wanted {
				Wanted::Row { node, row } => Wanted::Row { node, row: index(row) },
				Wanted::Tensors { level: l, index: i } => {
					Wanted::Tensors { level: level(l), index: index(i) }
				}
				Wanted::Rows { node, level: l, index: i } => {
					Wanted::Rows { node, level: level(l), index: index(i) }
				}
			};
			if other != wanted {
				prop_assert!(refused_or_same(&other, &mut source), "{:?}", other);
			}
		}
		let another = Claim { trace_root: [1; 32], ..claim };
		prop_assert!(decide(program, &another, &wanted, &opening).is_err());
		let refused = open(program, &another, &wanted, &mut source);
		prop_assert!(matches!(refused, Err(CannotProve::Rejected(_))));
	}

	/// Demands are taken for the places that there are, and for no others.
	#[test]
	fn only_what_exists_may_be_demanded(seed: u64, size in 1u32..10) {
		let case = random_case(seed, size);
		let program = &case.program;
		let (trace, inputs) = honest(&case);
		let claim = Claim::new(inputs, &trace.commit());
		let places: std::collections::BTreeSet<Wanted> = every_place(program).into_iter().collect();
		let node = |node: u32| {
			let opened = program.nodes().get(node as usize)?.clone();
			let (shape, path) = (program.shapes()[node as usize], assay_compute::prove_node(program, node)?);
			Some(OpenNode { node: opened, shape, path })
		};
		let mut rng = Rng(seed ^ 3);
		for _ in 0..200 {
			let tensor = rng.range(0, program.len());
			let rows = program.shapes().get(tensor as usize).map_or(3, |shape| shape.rows);
			let level = |rng: &mut Rng, of: u32| rng.range(0, u32::from(height(of)) + 1) as u8;
			let wanted = match rng.range(0, 2) {
				0 => Wanted::Row { node: tensor, row: rng.range(0, rows + 1) },
				1 => {
					let level = level(&mut rng, program.len());
					Wanted::Tensors { level, index: rng.range(0, width(program.len(), level)) }
				}
				_ => {
					let level = level(&mut rng, rows);
					Wanted::Rows { node: tensor, level, index: rng.range(0, width(rows, level)) }
				}
			};
			let opened = wanted.node().and_then(node);
			let checked =
				ask(program, &claim, |statement| wanted.check(statement, opened.as_ref()));
			prop_assert_eq!(checked.is_ok(), places.contains(&wanted), "{:?}: {:?}", wanted, checked);
			prop_assert_eq!(
				wanted.exists(program.len(), shape_of(program, &wanted)),
				places.contains(&wanted)
			);
			// A node is opened where it is needed, and only there.
			let surplus = match opened {
				Some(_) => None,
				None => node(0),
			};
			let checked =
				ask(program, &claim, |statement| wanted.check(statement, surplus.as_ref()));
			prop_assert!(checked.is_err());
			// With another shape than the program's it does not open.
			if let Some(mut opened) = opened {
				opened.shape.rows += 1;
				let checked =
					ask(program, &claim, |statement| wanted.check(statement, Some(&opened)));
				prop_assert_eq!(checked, Err(Rejected::Program(tensor)));
			}
		}
	}

	/// The first wrong element of any trace is found and proved by answers alone.
	#[test]
	fn answers_alone_prove_the_first_lie(seed: u64, size in 1u32..16, lies in 1usize..4) {
		let case = random_case(seed, size);
		let program = &case.program;
		let (right, inputs) = honest(&case);
		let mut rng = Rng(seed ^ 4);
		let mut wrong = right.clone();
		for _ in 0..lies {
			let node = rng.range(0, program.len() - 1);
			let (_, _, at) = random_place(&mut rng, right.tensors[node as usize].shape());
			wrong = wrong_at(&wrong, node, at, rng.range(1, 255) as u8);
		}
		let claim = Claim::new(inputs, &wrong.commit());
		let (proof, demands) = walk(&case, &right, &claim, &wrong);
		match first_difference(program, &right, &wrong) {
			None => prop_assert_eq!((proof, demands), (None, vec![])),
			Some(fault) => {
				let proof = proof.unwrap();
				let convicts = ask(program, &claim, |statement| verify(statement, &proof));
				prop_assert_eq!(convicts, Ok(fault));
				prop_assert_eq!(Verdict::Invalid(fault), audit::full(program, &claim, &wrong));
				prop_assert!(demands.len() <= 2 + 2 + 1, "{:?}", demands);
			}
		}
	}
}

/// Places in the tree are exactly the subtrees that the definition splits into.
#[test]
fn positions_are_the_subtrees_of_the_definition() {
	for count in (1..70).chain([255, 256, 257, 511, 512, 513, 700]) {
		let mut want = std::collections::BTreeSet::new();
		subtrees(0, count, &mut |level, index| {
			assert!(want.insert((level, index)), "{level} {index} of {count} twice")
		});
		for level in 0..=height(count) + 2 {
			for index in 0..=width(count, level) + 1 {
				let exists = Wanted::Tensors { level, index }.exists(count, None);
				assert_eq!(exists, want.contains(&(level, index)), "{level} {index} of {count}");
			}
		}
	}
}

/// A program with more nodes and rows than one opening shows: `nodes` slices of a tensor of `rows`.
fn large(rows: u32, nodes: u32) -> Case {
	let mut list = vec![Node::Fill { rows, cols: 3, seed: [5; 32] }];
	for x in 0..nodes {
		list.push(Node::SliceCols { x, start: 0, len: 3 });
	}
	Case { program: Program { nodes: list }.validate().unwrap(), tensors: Default::default() }
}

/// With trees higher than one opening shows, the walk goes down in steps of eight levels.
#[test]
fn walks_through_high_trees() {
	// Sizes with promoted odd nodes on many levels.
	for (rows, nodes) in [(257, 256), (513, 300), (70_000, 2), (1 << 16, 2), ((1 << 16) + 1, 2)] {
		let case = large(rows, nodes);
		let (right, inputs) = honest(&case);
		let last = rows - 1;
		for (node, row) in [
			(0, 0),
			(1, last),
			(nodes, last),
			(nodes / 2, 255.min(last)),
			(nodes, 256),
			(1, rows / 2),
		] {
			let wrong = wrong_at(&right, node, row as usize * 3 + 2, 1);
			let claim = Claim::new(inputs.clone(), &wrong.commit());
			let (proof, demands) = walk(&case, &right, &claim, &wrong);
			let convicts =
				ask(&case.program, &claim, |statement| verify(statement, &proof.unwrap()));
			let fault = Fault { node, row, col: 2, kind: FaultKind::Element };
			assert_eq!(convicts, Ok(fault), "{rows} rows, {nodes} nodes");
			let steps = |count: u32| usize::from(height(count)).div_ceil(8);
			assert!(demands.len() <= steps(nodes + 1) + steps(rows) + 1, "{demands:?}");
		}
	}
}

/// The hashes of neighbours in pairs, an odd last one as it is: what stands one level higher.
fn pairs(hashes: &[Root]) -> Vec<Root> {
	let pair = |pair: &[Root]| match pair {
		[left, right] => *blake3::hash(&[&[1], &left[..], &right[..]].concat()).as_bytes(),
		odd => odd[0],
	};
	hashes.chunks(2).map(pair).collect()
}

/// Hashes of other levels lead to the same root, but are not an answer: a worker that showed none
/// but the ones above would give nothing away.
#[test]
fn hashes_of_another_level_are_no_answer() {
	let case = large(600, 700);
	let program = &case.program;
	let (trace, inputs) = honest(&case);
	let claim = Claim::new(inputs, &trace.commit());
	let mut source = MemorySource::new(&trace);
	let rows = (0..=10).map(|level| Wanted::Rows { node: 3, level, index: 0 });
	// Below level 9 the tree over tensor roots shows those, which are no hashes of the tree.
	let tensors = [9, 10].map(|level| Wanted::Tensors { level, index: 0 });
	for wanted in rows.chain(tensors) {
		let opening = open(program, &claim, &wanted, &mut source).unwrap();
		let (below, finer) = match &opening {
			Opening::Rows { below, .. } => {
				let Wanted::Rows { level, .. } = wanted else { panic!("{wanted:?}") };
				let tree = assay_compute::RowTree::new(&trace.tensors[3]);
				let shown = u32::from(level.saturating_sub(8));
				let last = ((1u32 << level) >> shown.saturating_sub(1)).min(600);
				let finer: Option<Vec<Root>> = shown
					.checked_sub(1)
					.map(|level| (0..last).map_while(|i| tree.tree().node(level, i)).collect());
				(below.clone(), finer)
			}
			Opening::Tensors { below, .. } => (below.clone(), None),
			other => panic!("{other:?}"),
		};
		let mut others: Vec<Vec<Root>> = finer.into_iter().collect();
		// It is one level below: its pairs are what is shown.
		assert!(others.iter().all(|finer| pairs(finer) == below && *finer != below));
		let mut coarser = below.clone();
		while coarser.len() > 1 {
			coarser = pairs(&coarser);
			others.push(coarser.clone());
		}
		for other in others {
			let mut changed = opening.clone();
			match &mut changed {
				Opening::Rows { below, .. } | Opening::Tensors { below, .. } => *below = other,
				// Only of these two is there anything finer or coarser.
				_ => unreachable!("rows have no hashes below them"),
			}
			let decided = decide(program, &claim, &wanted, &changed);
			assert_eq!(decided, Err(Rejected::Hashes), "{wanted:?}");
		}
	}
}

/// A trace that is right with a wrong output beside it is convicted without asking.
#[test]
fn a_wrong_output_needs_no_answer() {
	let case = random_case(7, 9);
	let (right, inputs) = honest(&case);
	let claim = Claim { output_root: [9; 32], ..Claim::new(inputs, &right.commit()) };
	let (proof, demands) = walk(&case, &right, &claim, &right);
	let fault = ask(&case.program, &claim, |statement| verify(statement, &proof.unwrap()));
	assert!(matches!(fault, Ok(Fault { kind: FaultKind::Output, .. })));
	assert_eq!(demands, []);
}

/// An auditor whose inputs are not the task's accuses nobody.
#[test]
fn an_auditor_with_other_inputs_does_not_walk() {
	let nodes = vec![
		Node::Input { dtype: Dtype::I8, rows: 2, cols: 3 },
		Node::SliceRows { x: 0, start: 1, len: 1 },
	];
	let program = Program { nodes }.validate().unwrap();
	let run = |values: &[i8]| {
		let input = Tensor::from_i8(2, 3, values).unwrap();
		execute(&program, &[(0, input)].into()).unwrap()
	};
	let (theirs, own) = (run(&[1, 2, 3, 4, 5, 6]), run(&[1, 2, 3, 4, 5, 7]));
	let commitment = theirs.commit();
	let claim = Claim::new(vec![commitment.tensor_roots[0]], &commitment);
	let walk = Walk::new(&program, &claim, &mut MemorySource::new(&own));
	assert!(matches!(walk, Err(CannotProve::Unavailable { node: 0, .. })));
}

/// The bound on answers is met where the node's encoding is as long as any, and nowhere passed.
#[test]
fn the_largest_opening_is_as_large_as_said() {
	for (rows, cols) in
		[(1, 5), (2, 3), (255, 1), (256, 1), (257, 1), (300, 2), (600, 1), (3, 9_000)]
	{
		// The longest node there is: 64 parts.
		let mut nodes = vec![Node::Fill { rows, cols: 1, seed: [1; 32] }; 1];
		let parts = (0..64).map(|_| 0).collect();
		nodes.push(match cols {
			9_000 => Node::ConcatRows { parts },
			_ => Node::ConcatCols { parts },
		});
		let program = Program { nodes }.validate().unwrap();
		let case = Case { program, tensors: Default::default() };
		let (trace, inputs) = honest(&case);
		let claim = Claim::new(inputs, &trace.commit());
		let mut source = MemorySource::new(&trace);
		let program = &case.program;
		let shape = program.shapes()[1];
		let about = |wanted: &Wanted| wanted.node() == Some(1);
		let mut largest = 0;
		for wanted in every_place(program).iter().filter(|wanted| about(wanted)) {
			let opening = open(program, &claim, wanted, &mut source).unwrap();
			largest = largest.max(opening.encoded_size() as u64);
		}
		assert_eq!(largest, largest_opening(program.len(), shape), "{shape}");
	}
	// A program of many nodes and a tiny tensor: the tree over tensor roots is the largest.
	let case = large(1, 700);
	let (trace, inputs) = honest(&case);
	let claim = Claim::new(inputs, &trace.commit());
	let mut source = MemorySource::new(&trace);
	let mut sizes = Vec::new();
	subtrees(0, case.program.len(), &mut |level, index| {
		let wanted = Wanted::Tensors { level, index };
		sizes
			.push(open(&case.program, &claim, &wanted, &mut source).unwrap().encoded_size() as u64);
	});
	let largest = largest_opening(case.program.len(), case.program.output_shape());
	assert_eq!(sizes.into_iter().max(), Some(largest));
}

proptest! {
	/// Whatever bytes decode to an opening, it opens nothing.
	#[test]
	fn noise_opens_nothing(bytes in prop::collection::vec(any::<u8>(), 0..600), seed: u64) {
		let case = random_case(seed, 4);
		let (trace, inputs) = honest(&case);
		let claim = Claim::new(inputs, &trace.commit());
		if let Ok(opening) = Opening::decode(&mut &bytes[..]) {
			for wanted in every_place(&case.program) {
				prop_assert!(decide(&case.program, &claim, &wanted, &opening).is_err());
			}
		}
	}
}
