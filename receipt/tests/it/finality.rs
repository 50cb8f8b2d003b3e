//! Genesis, handoffs and votes.

use crate::chain::*;
use assay_receipt::{verify, Checked, Votes};
use codec::{Decode, Encode};
use sp_consensus_grandpa::{ConsensusLog, GrandpaJustification, ScheduledChange};
use sp_core::Bytes;

#[test]
fn a_chain_of_handoffs_leads_from_genesis_to_the_records() {
	let world = World::new();
	let outcome = checked(&world.receipt());
	assert!(outcome.ok(), "{:#?}", outcome.checks);
	let names: Vec<_> = outcome.checks.iter().map(|check| check.check).collect();
	let all = ["form", "genesis", "authorities", "handoffs", "finality", "state", "facts"];
	assert_eq!(names, all);
	assert_eq!(outcome.votes, Some(Votes { set: 2, voted: 3, authorities: 3 }));
	assert_eq!(outcome.receipt, Some(world.receipt()));
	// It holds on its own as well, but does not say that anybody compared the chain.
	let alone = verify(&text(&world.receipt()), None);
	assert!(alone.ok() && alone.checks[1].text.contains("nobody compared"), "{alone:?}");
}

#[test]
fn authorities_that_never_changed_need_no_handoff() {
	let mut world = World::new();
	world.handoffs.clear();
	let receipt = world.receipt_by(voted(&world.block, 0, "abc"));
	assert!(checked(&receipt).ok(), "{:?}", checked(&receipt));
}

#[test]
fn a_receipt_of_another_chain_is_refused() {
	let receipt = World::new().receipt();
	let outcome = verify(&text(&receipt), Some(root(0xaa)));
	let failed: Vec<_> =
		outcome.checks.iter().filter(|c| c.result == Checked::Failed).map(|c| c.check).collect();
	assert_eq!(failed, ["genesis"]);
	assert!(!outcome.ok());
	// A chain made up from the first block on holds, and only the name tells it from the real one.
	let mut forged = World::new();
	forged.genesis = World::genesis("xyz");
	forged.handoffs.clear();
	let receipt = forged.receipt_by(voted(&forged.block, 0, "xyz"));
	assert!(checked(&receipt).ok());
	assert!(!verify(&text(&receipt), Some(World::new().hash())).ok());
}

#[test]
fn genesis_is_the_block_that_the_hash_names() {
	let mut world = World::new();
	let genesis = World::genesis("xyz");
	world.handoffs.clear();
	let mut receipt = world.receipt_by(voted(&world.block, 0, "xyz"));
	// Other authorities, with a proof of their own, under the right hash.
	receipt.proof.as_mut().unwrap().genesis = genesis.clone();
	fails_at(&receipt, "genesis", "hashes to");
	// Their proof beside the right header.
	receipt.proof.as_mut().unwrap().genesis.header = world.genesis.header.clone();
	fails_at(&receipt, "authorities", "state proof");
	// A later block in the place of the first.
	world.genesis.header = Bytes(header(1, root(0), None).encode());
	fails_at(&world.receipt(), "genesis", "of block 1");
}

#[test]
fn more_than_two_thirds_must_vote() {
	let world = World::new();
	for names in ["hi", "h", ""] {
		fails_at(&world.receipt_by(voted(&world.block, 2, names)), "finality", "two thirds");
	}
	// One vote does not count three times.
	let block = &world.block;
	let thrice = votes(2, block, &[('h', block), ('h', block), ('h', block)], &[]);
	fails_at(&world.receipt_by(finalised(block, thrice)), "finality", "two thirds");
	// Three of four do.
	let mut four = World::new();
	four.handoffs[0] = voted(&header(50, root(1), Some(change("defg"))), 0, "abc");
	four.handoffs[1] = voted(&header(90, root(2), Some(change("hij"))), 1, "deg");
	assert!(checked(&four.receipt()).ok());
	four.handoffs[1] = voted(&header(90, root(2), Some(change("hij"))), 1, "de");
	fails_at(&four.receipt(), "handoffs", "two thirds of authority set 1");
}

#[test]
fn only_members_of_the_set_vote_and_only_in_its_time() {
	let world = World::new();
	let by = |set, names| world.receipt_by(voted(&world.block, set, names));
	fails_at(&by(2, "hix"), "finality", "not of authority set 2");
	fails_at(&by(2, "hijx"), "finality", "not of authority set 2");
	fails_at(&by(2, "abc"), "finality", "not of authority set 2");
	fails_at(&by(1, "hij"), "finality", "signature");
	fails_at(&by(0, "hij"), "finality", "signature");
}

#[test]
fn a_vote_is_for_its_block_in_its_round() {
	let world = World::new();
	let good = votes(2, &world.block, &['h', 'i', 'j'].map(|name| (name, &world.block)), &[]);
	let with = |bend: &dyn Fn(&mut GrandpaJustification<_>)| {
		let mut bent = good.clone();
		bend(&mut bent);
		world.receipt_by(finalised(&world.block, bent))
	};
	assert!(checked(&with(&|_| ())).ok());
	fails_at(&with(&|votes| votes.round += 1), "finality", "signature");
	fails_at(&with(&|votes| votes.commit.target_number += 1), "finality", "block 121");
	fails_at(&with(&|votes| votes.commit.target_hash = root(1)), "finality", "not for this header");
	fails_at(
		&with(&|votes| votes.commit.precommits[1].precommit.target_number += 1),
		"finality",
		"signature",
	);
	fails_at(
		&with(&|votes| {
			let other = votes.commit.precommits[0].signature.clone();
			votes.commit.precommits[1].signature = other;
		}),
		"finality",
		"signature",
	);
	// Votes for one block do not make another final, whoever cast them.
	let other = header(121, world.block.state_root, None);
	let receipt =
		world.receipt_by(finalised(&world.block, votes(2, &other, &[('h', &other)], &[])));
	fails_at(&receipt, "finality", "not for this header");
	let elsewhere = votes(2, &world.block, &['h', 'i', 'j'].map(|name| (name, &other)), &[]);
	fails_at(&world.receipt_by(finalised(&world.block, elsewhere)), "finality", "two thirds");
}

#[test]
fn votes_for_descendants_count_with_the_headers_that_lead_to_them() {
	let world = World::new();
	let mut child = header(121, root(5), None);
	child.parent_hash = world.block.hash();
	let mut grandchild = header(122, root(6), None);
	grandchild.parent_hash = child.hash();
	let cast = [('h', &world.block), ('i', &child), ('j', &grandchild)];
	let with = |ancestry: &[_]| {
		let votes = votes(2, &world.block, &cast, ancestry);
		world.receipt_by(finalised(&world.block, votes))
	};
	let (child, grandchild) = (child.clone(), grandchild.clone());
	assert!(checked(&with(&[child.clone(), grandchild.clone()])).ok());
	fails_at(&with(std::slice::from_ref(&grandchild)), "finality", "two thirds");
	fails_at(&with(&[]), "finality", "two thirds");
	let stray = header(123, root(7), None);
	fails_at(&with(&[child, grandchild, stray]), "finality", "not those needed");
}

#[test]
fn every_handoff_is_needed_and_in_order() {
	let world = World::new();
	let with = |bend: &dyn Fn(&mut World)| {
		let mut bent = World::new();
		bend(&mut bent);
		bent.receipt()
	};
	fails_at(&with(&|w| drop(w.handoffs.pop())), "finality", "not of authority set 1");
	fails_at(&with(&|w| drop(w.handoffs.remove(0))), "handoffs", "not of authority set 0");
	fails_at(&with(&|w| w.handoffs.swap(0, 1)), "handoffs", "not of authority set 0");
	fails_at(&with(&|w| w.handoffs.insert(1, w.handoffs[0].clone())), "handoffs", "not of");
	// The votes of the right set on what hands over to nobody.
	let plain = voted(&header(50, root(1), None), 0, "abc");
	fails_at(&with(&|w| w.handoffs[0] = plain.clone()), "handoffs", "hands over to no other");
	// Back in time.
	let early = voted(&header(50, root(1), Some(change("hij"))), 1, "defg");
	fails_at(&with(&|w| w.handoffs[1] = early.clone()), "handoffs", "does not come after");
	let late = voted(&header(120, root(1), Some(change("hij"))), 1, "defg");
	fails_at(&with(&|w| w.handoffs[1] = late.clone()), "finality", "does not come after");
	assert!(checked(&world.receipt()).ok());
}

#[test]
fn a_handoff_names_the_next_set_itself() {
	let with = |log: ConsensusLog<u32>| {
		let mut world = World::new();
		world.handoffs[1] = voted(&header(90, root(2), Some(log)), 1, "defg");
		world.receipt()
	};
	assert!(checked(&with(change("hij"))).ok());
	fails_at(&with(change("xyz")), "finality", "not of authority set 2");
	fails_at(&with(change("")), "handoffs", "no possible set");
	fails_at(&with(ConsensusLog::Pause(0)), "handoffs", "hands over to no other");
	let next = ScheduledChange { next_authorities: list("hij"), delay: 3 };
	fails_at(&with(ConsensusLog::ScheduledChange(next.clone())), "handoffs", "hands over to no");
	fails_at(&with(ConsensusLog::ForcedChange(80, next)), "handoffs", "forces another");
	// A forced change counts before a scheduled one, as nodes have it.
	let mut block = header(90, root(2), Some(change("hij")));
	let forced = ScheduledChange { next_authorities: list("xyz"), delay: 0 };
	let forced = header(90, root(2), Some(ConsensusLog::ForcedChange(80, forced)));
	block.digest.logs.extend(forced.digest.logs);
	let mut world = World::new();
	world.handoffs[1] = voted(&block, 1, "defg");
	fails_at(&world.receipt(), "handoffs", "forces another");
}

#[test]
fn justifications_are_read_to_their_last_byte() {
	let world = World::new();
	let mut receipt = world.receipt();
	receipt.proof.as_mut().unwrap().block.justification.0.push(0);
	fails_at(&receipt, "finality", "cannot be decoded");
	let bytes = &world.receipt().proof.unwrap().block.justification.0[..];
	assert!(GrandpaJustification::<assay_primitives::Header>::decode(&mut &bytes[..]).is_ok());
	let mut receipt = world.receipt();
	receipt.proof.as_mut().unwrap().block.header.0.push(0);
	assert!(failures(&receipt).iter().any(|(check, _)| *check == "finality"));
}
