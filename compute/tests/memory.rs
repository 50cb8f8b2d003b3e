//! The streaming audit's memory is bounded by rows: it does not grow with their number.

use assay_compute::{
	audit::{
		stream::{self, Limits},
		Claim, Fault, FaultKind, MemorySource, Verdict,
	},
	execute, tensor_root, Dtype, Node, Program, Shape, Tensor, Trace, ValidProgram,
};
use std::{
	alloc::{GlobalAlloc, Layout, System},
	collections::BTreeMap,
	sync::atomic::{AtomicUsize, Ordering::SeqCst},
};

/// Counts what is allocated, and the most that ever was.
struct Counting;

static NOW: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: everything is passed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
	unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
		let now = NOW.fetch_add(layout.size(), SeqCst) + layout.size();
		PEAK.fetch_max(now, SeqCst);
		unsafe { System.alloc(layout) }
	}

	unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
		NOW.fetch_sub(layout.size(), SeqCst);
		unsafe { System.dealloc(place, layout) }
	}
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The most memory that `work` needs beyond what there was before.
fn peak(work: impl FnOnce()) -> usize {
	let before = NOW.load(SeqCst);
	PEAK.store(before, SeqCst);
	work();
	PEAK.load(SeqCst) - before
}

fn constant(nodes: &mut Vec<Node>, tensors: &mut BTreeMap<u32, Tensor>, shape: Shape) -> u32 {
	let mut data = vec![0; shape.bytes() as usize];
	blake3::Hasher::new().finalize_xof().fill(&mut data);
	let tensor = Tensor::new(shape, data).unwrap();
	let Shape { dtype, rows, cols } = shape;
	nodes.push(Node::Const { dtype, rows, cols, root: tensor_root(&tensor) });
	tensors.insert(nodes.len() as u32 - 1, tensor);
	nodes.len() as u32 - 1
}

/// Products and every other kind of streamed operation on tensors of `rows` rows and a thousand
/// columns.
fn program(rows: u32) -> (ValidProgram, BTreeMap<u32, Tensor>) {
	let (mut nodes, mut tensors) = (Vec::new(), BTreeMap::new());
	let cols = 1_024;
	let vector = Shape::new(Dtype::I32, 1, cols);
	let weights = constant(&mut nodes, &mut tensors, Shape::new(Dtype::I8, cols, cols));
	let gain = constant(&mut nodes, &mut tensors, vector);
	let index = constant(&mut nodes, &mut tensors, Shape::new(Dtype::I32, rows, 1));
	let mut push = |node| {
		nodes.push(node);
		nodes.len() as u32 - 1
	};
	let x = push(Node::Fill { rows, cols, seed: [1; 32] });
	let y = push(Node::MatmulT { a: x, b: weights });
	let z = push(Node::RowRms { x: y, gain, shift: 3 });
	let q = push(Node::RowQuant { x: z });
	let both = push(Node::ConcatRows { parts: vec![q, x] });
	let half = push(Node::SliceRows { x: both, start: rows / 2, len: rows });
	let wide = push(Node::ConcatCols { parts: vec![half, q] });
	let left = push(Node::SliceCols { x: wide, start: 3, len: cols });
	let picked = push(Node::Gather { table: left, index });
	// Rows of these results grow with `rows`, their number does not.
	let product = push(Node::MatmulT { a: weights, b: picked });
	let largest = push(Node::RowAbsmax { x: product });
	let turned = push(Node::Transpose { x: y });
	let first = push(Node::RowArgmax { x: turned });
	push(Node::ConcatCols { parts: vec![largest, first] });
	(Program { nodes }.validate().unwrap(), tensors)
}

/// Bytes of the row and path that the source returns of a table.
fn opened(program: &ValidProgram) -> u64 {
	program.shapes().iter().map(|shape| u64::from(shape.row_bytes())).max().unwrap() + 1_024
}

/// Peak of one audit, for a trace that is right or wrong in the last row of the first product.
fn audit(rows: u32, wrong: bool) -> (usize, u64) {
	let (program, tensors) = program(rows);
	let mut trace: Trace = execute(&program, &tensors).unwrap();
	let mut want = Verdict::Valid;
	if wrong {
		let node = (0..).zip(program.nodes()).find(|(_, n)| matches!(n, Node::MatmulT { .. }));
		let node = node.unwrap().0;
		let shape = program.shapes()[node as usize];
		let mut data = trace.tensors[node as usize].data().to_vec();
		*data.last_mut().unwrap() ^= 1;
		trace.tensors[node as usize] = Tensor::new(shape, data).unwrap();
		let (row, col) = (shape.rows - 1, shape.cols - 1);
		want = Verdict::Invalid(Fault { node, row, col, kind: FaultKind::Element });
	}
	let claim = Claim::new(vec![], &trace.commit());
	let mut source = MemorySource::new(&trace);
	let limits = Limits { block_bytes: 64 << 10, table_bytes: 64 << 10 };
	let used = peak(|| {
		let verdict =
			stream::audit_with(&program, &claim, &[1; 32], &mut source, limits, &mut (), &mut ());
		assert_eq!(verdict, want);
	});
	// What an auditor sets aside for it, not counting what the source opens rows with.
	let bound = limits.memory(&program, 1) + opened(&program);
	assert!(used as u64 <= bound, "{used} bytes, {bound} were promised");
	assert!(bound < used as u64 + (3 << 20), "{used} bytes, {bound} were set aside");
	(used, program.shapes().iter().map(|shape| shape.bytes()).max().unwrap())
}

/// One test, so that nothing else allocates meanwhile.
#[test]
fn memory_does_not_grow_with_rows() {
	narrow_rows_are_not_many();
	let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
	pool.install(|| {
		for wrong in [false, true] {
			let (few, _) = audit(1_024, wrong);
			let (many, largest) = audit(4_096, wrong);
			// Some rows are four times as wide: r and its digits, and a row of each of three
			// streams.
			let wider = 3_072 * (8 + 8 + 12 + 3 * 4);
			println!("wrong: {wrong}: {few} bytes, {many} bytes; largest tensor {largest}");
			assert!(many <= few + wider, "{few} bytes for 1,024 rows, {many} for 4,096");
			assert!((many as u64) < largest / 8, "{many} bytes against tensors of {largest}");
		}
	});
}

/// Of a table with rows of one byte no more are kept than there is memory for, all told.
fn narrow_rows_are_not_many() {
	let rows = 1 << 14;
	let nodes = vec![
		Node::Fill { rows, cols: 1, seed: [1; 32] },
		Node::Input { dtype: Dtype::I32, rows, cols: 1 },
		Node::Gather { table: 0, index: 1 },
	];
	let program = Program { nodes }.validate().unwrap();
	let index = Tensor::from_i32(rows, 1, &(0..rows as i32).collect::<Vec<_>>()).unwrap();
	let trace = execute(&program, &BTreeMap::from([(1, index)])).unwrap();
	let claim = Claim::new(vec![trace.roots()[1]], &trace.commit());
	let limits = Limits { block_bytes: 4 << 10, table_bytes: 8 << 10 };
	let mut source = MemorySource::new(&trace);
	let mut used = [0; 2];
	for (used, table_bytes) in used.iter_mut().zip([8 << 10, 1 << 20]) {
		let limits = Limits { table_bytes, ..limits };
		let (keep, observer) = (&mut (), &mut ());
		*used = peak(|| {
			let secret = [1; 32];
			let verdict =
				stream::audit_with(&program, &claim, &secret, &mut source, limits, keep, observer);
			assert_eq!(verdict, Verdict::Valid);
		});
	}
	let [few, whole] = used;
	println!("narrow rows: {few} bytes; the table whole: {whole}");
	assert!(few < 512 << 10, "{few} bytes");
}
