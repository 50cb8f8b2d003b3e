//! Validity and costs, from declared shapes alone.

use assay_compute::{
	program::ShapeRule, Costs, Dtype::I32, Dtype::I8, Invalid, InvalidProgram, Node, Program,
	Shape, ShapeError, MAX_NODES,
};

fn refused(nodes: Vec<Node>) -> InvalidProgram {
	Program { nodes }.validate().unwrap_err()
}

/// Forty-one bytes declare eight tebibytes: valid, and priced before anyone allocates them.
#[test]
fn a_small_program_can_cost_much() {
	let fill = Node::Fill { rows: 1 << 24, cols: 1 << 19, seed: [0; 32] };
	let program = Program { nodes: vec![fill] };
	assert_eq!(program.encode().len(), 1 + 41);
	let valid = program.validate().unwrap();
	let costs =
		Costs { macs: 0, elements: 1 << 43, trace_bytes: 1 << 43, const_bytes: 0, leaves: 1 << 24 };
	assert_eq!(*valid.costs(), costs);
}

/// The most expensive program there is does not overflow its costs.
#[test]
fn costs_of_the_largest_products() {
	let mut nodes = vec![
		Node::Fill { rows: 1 << 24, cols: 131_071, seed: [0; 32] },
		Node::Fill { rows: 131_072, cols: 131_071, seed: [1; 32] },
	];
	while nodes.len() < 8_000 {
		nodes.push(Node::MatmulT { a: 0, b: 1 });
	}
	// One node that joins all products would be too wide: each is cut to one column first.
	let products: Vec<u32> = (2..nodes.len() as u32).collect();
	let count = products.len() as u128;
	let mut ends: Vec<u32> = Vec::new();
	for x in products {
		nodes.push(Node::SliceCols { x, start: 0, len: 1 });
		ends.push(nodes.len() as u32 - 1);
	}
	while ends.len() > 1 {
		let parts: Vec<u32> = ends.drain(..ends.len().min(64)).collect();
		nodes.push(Node::ConcatCols { parts });
		ends.push(nodes.len() as u32 - 1);
	}
	let valid = Program { nodes }.validate().unwrap();
	let macs = (1u128 << 24) * 131_072 * 131_071;
	assert_eq!(valid.costs().macs, count * macs);
}

#[test]
fn reasons_are_precise() {
	let input = |dtype, rows, cols| Node::Input { dtype, rows, cols };
	let at = |node, reason| InvalidProgram { node: Some(node), reason };
	assert_eq!(refused(vec![]), InvalidProgram { node: None, reason: Invalid::NoNodes });
	assert_eq!(
		refused(vec![input(I8, 1, 1); MAX_NODES + 1]),
		InvalidProgram { node: None, reason: Invalid::TooManyNodes(MAX_NODES as u64 + 1) }
	);
	assert_eq!(refused(vec![Node::Transpose { x: 0 }]), at(0, Invalid::NotEarlier(0)));
	assert_eq!(
		refused(vec![input(I8, 2, 3), Node::Transpose { x: u32::MAX }]),
		at(1, Invalid::NotEarlier(u32::MAX))
	);
	assert_eq!(
		refused(vec![input(I8, 2, 3), input(I8, 1, 1), Node::Transpose { x: 0 }]),
		at(1, Invalid::Unused)
	);
	assert_eq!(
		refused(vec![input(I32, 1, 131_073)]),
		at(0, Invalid::Result(ShapeError::RowTooWide(524_292)))
	);
	let got = Shape::new(I8, 2, 4);
	assert_eq!(
		refused(vec![input(I8, 2, 3), input(I8, 2, 4), Node::MatmulT { a: 0, b: 1 }]),
		at(2, Invalid::Operand { slot: 1, got, rule: ShapeRule::Cols(3) })
	);
	assert_eq!(
		refused(vec![input(I8, 2, 3), Node::SliceCols { x: 0, start: u32::MAX, len: u32::MAX }]),
		at(1, Invalid::Slice { start: u32::MAX, len: u32::MAX, available: 3 })
	);
	let many = Node::ConcatCols { parts: vec![0; 65] };
	assert_eq!(refused(vec![input(I8, 2, 3), many]), at(1, Invalid::Parts(65)));
	// Sixty-four parts of the widest rows do not wrap around.
	let wide = Node::ConcatCols { parts: vec![0; 64] };
	assert_eq!(
		refused(vec![input(I8, 1, 524_288), wide]),
		at(1, Invalid::Result(ShapeError::RowTooWide(64 * 524_288)))
	);
	let tall = Node::ConcatRows { parts: vec![0; 2] };
	assert_eq!(
		refused(vec![input(I8, 1 << 24, 1), tall]),
		at(1, Invalid::Result(ShapeError::TooManyRows(1 << 25)))
	);
}
