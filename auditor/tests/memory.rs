//! A trace much larger than the auditor's memory. Alone in its file: it counts all that is allocated.

mod common;

use assay_auditor::{Auditor, Config};
use assay_compute::{audit::stream::Limits, Dtype, Node, Program};
use assay_primitives::{
	auditor::{AuditReply, Finding},
	work::{Depth, Place},
};
use common::{ask, config, constant, i8_tensor, nothing, worker, Work};
use std::{
	alloc::{GlobalAlloc, Layout, System},
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

const MIB: u64 = 1 << 20;
const MEMORY: u64 = 8 * MIB;

/// Two layers with everything that is read in its own way, on many rows.
fn large() -> Work {
	const ROWS: u32 = 4_096;
	let (up, down) = (i8_tensor(1_024, 256, 1), i8_tensor(512, 1_024, 2));
	let table = i8_tensor(1, 256, 3);
	let nodes = vec![
		Node::Input { dtype: Dtype::I8, rows: ROWS, cols: 256 },
		constant(&up),
		Node::MatmulT { a: 0, b: 1 },
		Node::RowQuant { x: 2 },
		constant(&table),
		Node::Lut { x: 3, table: 4 },
		constant(&down),
		Node::MatmulT { a: 5, b: 6 },
		Node::RowQuant { x: 7 },
		Node::Transpose { x: 8 },
		Node::MatmulT { a: 9, b: 9 },
		Node::ConcatCols { parts: vec![2, 7] },
		Node::RowArgmax { x: 11 },
		// Rows of a large table that another tensor names.
		Node::Gather { table: 5, index: 12 },
		Node::RowQuant { x: 10 },
		Node::MatmulT { a: 8, b: 14 },
		Node::RowQuant { x: 15 },
		Node::ConcatCols { parts: vec![8, 13, 16] },
	];
	let program = Program { nodes }.validate().unwrap();
	let given = [(0, i8_tensor(ROWS, 256, 9)), (1, up), (4, table), (6, down)];
	Work::of(program, given.into())
}

/// Memory and disk for a small part of it.
fn small(spool_bytes: u64) -> Config {
	Config {
		memory_bytes: MEMORY,
		spool_bytes,
		stream: Limits { block_bytes: 64 << 10, table_bytes: 64 << 10 },
		parallel_fetches: 2,
		threads: 1,
		// Nothing is made up for by doing without the worker.
		max_replay_macs: 0,
		table_spool_bytes: 0,
		..config()
	}
}

#[tokio::test(flavor = "multi_thread")]
async fn a_trace_larger_than_the_memory_is_audited_by_projection() {
	let honest = large();
	assert_eq!(honest.fault(), None);
	let whole = honest.program.costs().trace_bytes as u64;
	assert!(whole > 7 * MEMORY, "{whole} bytes");
	let output = honest.program.output();
	// Disk for all of it, or for little more than one node needs.
	let (ample, scarce) = (1_024 * MIB, 49 * MIB);
	let cases = [
		(None, ample),
		(None, scarce),
		// In a product, in its last row; in what only carries rows on; in a transpose; in the last node.
		(Some(Place { node: 7, row: 4_095, col: 511 }), ample),
		(Some(Place { node: 3, row: 17, col: 1_000 }), scarce),
		(Some(Place { node: 9, row: 300, col: 4_000 }), ample),
		(Some(Place { node: 13, row: 2_048, col: 7 }), scarce),
		(Some(Place { node: output, row: 4_095, col: 3 }), scarce),
	];
	for (lie, spool_bytes) in cases {
		let Work { program, trace, roots } = &honest;
		let mut work =
			Work { program: program.clone(), trace: trace.clone(), roots: roots.clone() };
		if let Some(place) = lie {
			work.corrupt(place);
		}
		let (fault, worker) = (work.fault(), worker(&work, work.inputs()).await);
		let request = worker.request(Depth::Projection);
		work.trace = Vec::new();
		let handle = Auditor::start(small(spool_bytes)).await.unwrap();
		let before = NOW.load(SeqCst);
		PEAK.store(before, SeqCst);
		let reply = ask(&handle, &request).await;
		let used = (PEAK.load(SeqCst) - before) as u64;
		match lie {
			None => assert_eq!((&reply, fault), (&AuditReply::Done(Finding::Right), None)),
			Some(place) => {
				let proved = work.proved(&request, &reply);
				assert_eq!(Some(proved), fault);
				assert_eq!(
					(proved.node, proved.row, proved.col),
					(place.node, place.row, place.col)
				);
			}
		}
		let fetched = handle.metrics().bytes_fetched;
		println!(
			"{lie:?}, {spool_bytes} bytes of disk: {used} bytes, {fetched} fetched of {whole}"
		);
		// The worker and this client are in it as well.
		assert!(used < MEMORY, "{used} bytes");
		if lie.is_none() {
			let rest = (work.program.encode().len() + 32 * work.roots.len()) as u64;
			match spool_bytes > whole {
				true => assert_eq!(fetched, whole + rest),
				// What there was no room to keep is fetched again.
				false => assert!(fetched > whole + rest && fetched < 2 * whole, "{fetched}"),
			}
		}
		handle.stop().await;
	}
	// It cannot be replayed here, and with less disk than one node needs not be projected either.
	let worker = worker(&honest, honest.inputs()).await;
	let weak = Config { max_replay_macs: u128::MAX, ..small(1_024 * MIB) };
	let cramped = small(16 * MIB);
	let poor = Config { memory_bytes: MIB, ..small(1_024 * MIB) };
	for (config, depth, what) in [
		(weak, Depth::Replay, "memory"),
		(cramped, Depth::Projection, "disk"),
		(poor, Depth::Projection, "memory"),
	] {
		let handle = Auditor::start(config).await.unwrap();
		match ask(&handle, &worker.request(depth)).await {
			AuditReply::Refused(why) => assert!(why.contains(what), "{why}"),
			other => panic!("{other:?}"),
		}
		// Before any tensor was fetched.
		assert!(handle.metrics().bytes_fetched < 100_000);
	}
	// Custodians only look: the output takes no memory however large it is.
	let silent = nothing().await;
	let handle =
		Auditor::start(Config { memory_bytes: 2 * MIB, ..small(1_024 * MIB) }).await.unwrap();
	let mut request = worker.request(Depth::Custody);
	assert_eq!(ask(&handle, &request).await, AuditReply::Done(Finding::Right));
	(request.audit.task.job, request.endpoint) = (8, silent.url.clone());
	request.buyer = worker.url.clone().into_bytes();
	assert_eq!(ask(&handle, &request).await, AuditReply::Done(Finding::Unavailable));
}
