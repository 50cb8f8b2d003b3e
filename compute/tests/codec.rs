//! The encoding of programs: canonical, bounded, and total on any bytes.

mod common;

use assay_compute::{
	program::Malformed, Dtype, Node, Program, MAX_NODES, MAX_NODE_BYTES, MAX_PROGRAM_BYTES,
};
use codec::{Decode, Encode};
use common::random_case;
use proptest::prelude::*;

fn reason(bytes: &[u8]) -> Malformed {
	Program::decode(bytes).unwrap_err().reason
}

proptest! {
	#![proptest_config(ProptestConfig::with_cases(400))]

	#[test]
	fn programs_survive_their_encoding(seed: u64, size in 1u32..24) {
		let program = random_case(seed, size).program;
		let bytes = program.encode();
		let decoded = Program::decode(&bytes).unwrap();
		prop_assert_eq!(&decoded.nodes[..], program.nodes());
		prop_assert_eq!(decoded.encode(), bytes.clone());
		prop_assert_eq!(decoded.validate().unwrap(), program.clone());
		for node in program.nodes() {
			prop_assert!(node.encoded_size() <= MAX_NODE_BYTES);
			prop_assert_eq!(&Node::decode(&mut &node.encode()[..]).unwrap(), node);
		}
		// Every shorter string and every longer one is refused.
		for end in 0..bytes.len() {
			prop_assert!(Program::decode(&bytes[..end]).is_err());
		}
		let mut longer = bytes;
		longer.push(0);
		prop_assert_eq!(reason(&longer), Malformed::Trailing);
	}

	/// Whatever is decoded encodes to the same bytes again: there is no second encoding.
	#[test]
	fn any_bytes_decode_canonically_or_not_at_all(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
		if let Ok(program) = Program::decode(&bytes) {
			prop_assert_eq!(program.encode(), bytes);
			let _ = program.validate();
		}
	}

	/// Damaged encodings reach deeper into the decoder and the validator than random ones.
	#[test]
	fn damaged_programs_do_not_panic(
		seed: u64,
		size in 1u32..16,
		damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
	) {
		let mut bytes = random_case(seed, size).program.encode();
		for (at, value) in damage {
			let at = at.index(bytes.len());
			bytes[at] = value;
		}
		if let Ok(program) = Program::decode(&bytes) {
			prop_assert_eq!(program.encode(), bytes);
			let _ = program.validate();
		}
	}
}

#[test]
fn indices_are_the_published_ones() {
	let mut seen = [false; 23];
	for seed in 0..100 {
		for node in random_case(seed, 16).program.nodes() {
			seen[usize::from(node.encode()[0])] = true;
		}
	}
	assert!(seen.iter().all(|seen| *seen));
	let input = Node::Input { dtype: Dtype::I32, rows: 2, cols: 3 };
	assert_eq!(input.encode(), [0, 1, 2, 0, 0, 0, 3, 0, 0, 0]);
	let scale = Node::ColScale { x: 1, mult: 2, shift: 3 };
	assert_eq!(scale.encode(), [22, 1, 0, 0, 0, 2, 0, 0, 0, 3]);
	let concat = Node::ConcatRows { parts: vec![5] };
	assert_eq!(concat.encode(), [15, 4, 5, 0, 0, 0]);
	let softmax = Node::RowSoftmax { x: 1, table: 2, mult: 3, shift: 4 };
	assert_eq!(softmax.encode(), [8, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4]);
}

#[test]
fn what_is_refused_and_why() {
	// One `transpose` of node 0, with its length in the four compact forms.
	let node = [11, 0, 0, 0, 0];
	let with = |length: &[u8]| [length, &node].concat();
	assert!(Program::decode(&with(&[4])).is_ok());
	assert_eq!(reason(&with(&[5, 0])), Malformed::Compact);
	assert_eq!(reason(&with(&[6, 0, 0, 0])), Malformed::Compact);
	assert_eq!(reason(&with(&[3, 1, 0, 0, 0])), Malformed::Compact);
	assert_eq!(reason(&with(&[7, 1, 0, 0, 0, 0])), Malformed::Compact);
	assert_eq!(reason(&[]), Malformed::Compact);
	assert_eq!(reason(&[4]), Malformed::Truncated);
	assert_eq!(reason(&[4, 23, 0, 0, 0, 0]), Malformed::UnknownOp(23));
	assert_eq!(reason(&[4, 0, 2, 1, 0, 0, 0, 1, 0, 0, 0]), Malformed::UnknownDtype(2));
	// A length that is not minimal within a node.
	assert_eq!(reason(&[4, 13, 5, 0, 0, 0, 0, 0]), Malformed::Compact);
	assert_eq!(reason(&vec![0; MAX_PROGRAM_BYTES + 1]), Malformed::TooLong);
}

/// A length is refused before anything is allocated for it.
#[test]
fn lengths_are_bounded_first() {
	let count = codec::Compact(MAX_NODES as u32 + 1).encode();
	assert_eq!(reason(&count), Malformed::TooManyNodes(MAX_NODES as u32 + 1));
	let huge = codec::Compact(u32::MAX).encode();
	assert_eq!(reason(&huge), Malformed::TooManyNodes(u32::MAX));
	let parts = [&[4u8, 13][..], &codec::Compact(65u32).encode()].concat();
	assert_eq!(reason(&parts), Malformed::TooManyParts(65));
	let error = Program::decode(&[8, 11, 0, 0, 0, 0, 99]).unwrap_err();
	assert_eq!((error.offset, error.node), (7, 1));
	assert_eq!(error.to_string(), "byte 7, node 1: unknown operation 99");
}
