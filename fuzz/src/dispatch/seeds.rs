//! Histories to begin with: jobs from posting to their end, in each of the ways that there are.

use super::calls::{Kind, Kind::*, Step};
use crate::Seed;

/// The chains that have something on them: of one validator and of three.
const CHAINS: [u8; 2] = [0, 1];

fn step(kind: Kind, letters: [u8; 4]) -> Step {
	Step::new(kind, letters)
}

fn blocks(count: u8) -> Step {
	step(Blocks, [count - 1, 0, 0, 0])
}

/// A job of one task is posted with this assurance (by its letter) and the task accepted.
fn accepted(assurance: u8, price: u8) -> Vec<Step> {
	vec![step(Post, [0, assurance, price, 0]), blocks(3), step(Accept, [0; 4])]
}

/// As many verdicts as there may be seats, sealed and then opened.
fn vote(verdict: u8) -> Vec<Step> {
	let seats = |kind| (0..3).map(move |seat| step(kind, [0, 0, verdict, seat]));
	seats(SealVerdict).chain(seats(OpenVerdict)).collect()
}

/// A replicated job of one task; each replica is accepted, sealed with its outcome and opened.
fn replicated(assurance: u8, outcomes: &[u8]) -> Vec<Step> {
	let mut steps = vec![step(Post, [0, assurance, 0, 0]), blocks(3), step(Accept, [0; 4])];
	let each = |kind, from: usize| {
		let rest = (0u8..).zip(outcomes).skip(from);
		rest.map(move |(replica, outcome)| step(kind, [0, replica, *outcome, 0]))
	};
	steps.push(step(SealResult, [0, 0, outcomes[0], 0]));
	steps.extend([blocks(6), blocks(6)]);
	steps.extend((1..outcomes.len() as u8).map(|replica| step(Accept, [0, replica, 0, 0])));
	steps.extend(each(SealResult, 1));
	steps.push(blocks(2));
	steps.extend(each(OpenResult, 0));
	steps.extend([blocks(30), step(Acknowledge, [0; 4]), blocks(64)]);
	steps
}

fn histories() -> Vec<(&'static str, Vec<Step>)> {
	let submitted = |assurance, result: u8| {
		let mut steps = accepted(assurance, 0);
		steps.push(step(Submit, [0, 0, result, 0]));
		steps
	};
	let then = |mut steps: Vec<Step>, rest: Vec<Step>| {
		steps.extend(rest);
		steps
	};
	let audited = |verdict| then(vec![blocks(6)], vote(verdict));
	vec![
		("paid", then(submitted(0, 0), then(audited(0), vec![blocks(40), blocks(40)]))),
		("acknowledged", then(submitted(1, 0), vec![step(Acknowledge, [0; 4]), blocks(40)])),
		("custody", then(submitted(1, 0), then(vec![blocks(30)], then(vote(0), vec![blocks(40)])))),
		(
			"undelivered",
			then(
				submitted(1, 0),
				[vec![blocks(30)], vote(1), vec![blocks(5)], vote(1), vec![blocks(64)]].concat(),
			),
		),
		("accused", then(submitted(0, 1), then(audited(2), vec![blocks(40)]))),
		("falsely-accused", then(submitted(0, 0), then(audited(4), vec![blocks(40)]))),
		("unavailable", then(submitted(0, 0), then(audited(1), vec![blocks(40)]))),
		(
			"nobody-looks",
			then(submitted(0, 0), vec![blocks(64), blocks(64), blocks(64), blocks(64)]),
		),
		(
			"reported",
			then(
				submitted(1, 1),
				vec![step(CommitReport, [0; 4]), blocks(3), step(ReportFraud, [0; 4]), blocks(40)],
			),
		),
		(
			"reported-falsely",
			then(
				submitted(1, 0),
				vec![step(CommitReport, [0; 4]), blocks(3), step(ReportFraud, [0; 4]), blocks(40)],
			),
		),
		(
			"reported-twice",
			then(
				submitted(1, 1),
				vec![
					step(CommitReport, [0; 4]),
					blocks(1),
					step(CommitReport, [0, 0, 0, 1]),
					blocks(3),
					step(ReportFraud, [0, 0, 0, 1]),
					step(ReportFraud, [0; 4]),
					blocks(40),
				],
			),
		),
		(
			"demanded",
			then(
				submitted(1, 0),
				vec![step(Demand, [0, 0, 1, 16]), step(Answer, [0; 4]), blocks(64)],
			),
		),
		("withheld", then(submitted(1, 0), vec![step(Demand, [0, 0, 1, 17]), blocks(64)])),
		(
			"trace-demanded",
			then(
				submitted(1, 2),
				vec![step(Demand, [0, 0, 0, 1]), step(Answer, [0; 4]), blocks(64)],
			),
		),
		(
			"auditor-demands",
			then(
				submitted(0, 0),
				then(
					vec![blocks(6), step(DemandAsAuditor, [0, 0, 1, 16]), step(Answer, [0; 4])],
					then(vote(0), vec![blocks(64)]),
				),
			),
		),
		(
			"declined",
			then(
				vec![step(Post, [4, 0, 0, 0]), blocks(3)],
				vec![
					step(Decline, [0; 4]),
					step(Decline, [0, 1, 0, 0]),
					blocks(5),
					step(Accept, [0, 2, 0, 0]),
					step(Abandon, [0, 2, 0, 0]),
					blocks(64),
				],
			),
		),
		("cancelled", vec![step(Post, [2, 0, 0, 0]), blocks(3), step(Cancel, [0; 4]), blocks(5)]),
		("deadline", then(accepted(0, 0), vec![blocks(64), step(Advance, [0; 4]), blocks(5)])),
		("replicated", replicated(4, &[0, 0])),
		("outvoted", replicated(5, &[0, 0, 1])),
		("no-majority", replicated(4, &[0, 1])),
		("close-enough", replicated(6, &[0, 0])),
		(
			"providers",
			vec![
				step(Register, [3, 0, 0, 0]),
				step(SetProfile, [0; 4]),
				step(SetHotKey, [0, 15, 0, 0]),
				step(BondExtra, [0, 1, 0, 0]),
				step(Unbond, [0, 1, 0, 0]),
				step(AddMachine, [0; 4]),
				step(SetAsk, [0, 1, 0, 250]),
				step(ClearAsk, [0, 1, 0, 0]),
				step(RemoveMachine, [0, 1, 0, 0]),
				step(Deregister, [1, 0, 0, 0]),
				blocks(41),
				step(WithdrawUnbonded, [1, 0, 0, 0]),
			],
		),
		(
			"reward-deferred",
			[
				// A price of a planck, of which the reporter's part is too little to open an account.
				vec![step(SetAsk, [0, 0, 3, 6])],
				submitted(1, 1),
				vec![step(CommitReport, [0; 4]), blocks(3), step(ReportFraud, [0; 4])],
				vec![step(Transfer, [5, 0, 1, 1]), blocks(20), step(Transfer, [4, 5, 1, 0])],
				vec![step(Claim, [5, 0, 0, 0])],
			]
			.concat(),
		),
		(
			"emission-deferred",
			[
				// Stake is free at once, so that the provider is gone before the era is paid.
				vec![Step { at: 18, change: 40, ..step(SetParameters, [3, 0, 0, 0]) }],
				vec![step(SetAsk, [0, 0, 4, 6])],
				submitted(1, 0),
				vec![step(Acknowledge, [0; 4]), blocks(25), step(Deregister, [0; 4]), blocks(1)],
				vec![step(WithdrawUnbonded, [0; 4]), step(Transfer, [1, 0, 1, 1]), blocks(25)],
				vec![step(Transfer, [4, 1, 1, 0]), step(ClaimEmission, [1, 0, 0, 0])],
			]
			.concat(),
		),
		(
			"others",
			vec![
				step(Bond, [0, 0, 0, 0]),
				step(BondLess, [0, 0, 1, 0]),
				step(RemoveProgram, [1, 0, 0, 0]),
				step(RegisterProgram, [1, 2, 0, 0]),
				step(SetParameters, [0; 4]),
				step(SetParameters, [1, 0, 0, 0]),
				step(SetParameters, [2, 0, 0, 0]),
				step(SetParameters, [3, 0, 0, 0]),
				step(Transfer, [5, 15, 1, 0]),
				step(Transfer, [6, 0, 1, 1]),
				step(Other, [5, 6, 0, 0]),
				step(Wrap, [5, 6, 0, 0]),
				step(Transfer, [5, 0, 1, 0]),
				step(Wrap, [0; 4]),
				step(Transfer, [5, 0, 1, 0]),
				step(Wrap, [1, 0, 0, 0]),
				step(Transfer, [5, 0, 1, 3]),
				step(Wrap, [3, 0, 0, 0]),
				step(Transfer, [5, 0, 1, 3]),
				step(Wrap, [4, 7, 0, 0]),
				step(Transfer, [5, 0, 1, 3]),
				step(Other, [5, 6, 1, 0]),
				step(Other, [5, 6, 2, 0]),
				step(Other, [0, 0, 3, 0]),
				step(EmptySlots, [100, 0, 0, 0]),
				step(Claim, [0; 4]),
				step(ClaimEmission, [0; 4]),
			],
		),
	]
}

/// Each history on each chain.
pub fn seeds() -> Vec<Seed> {
	let mut seeds = Vec::new();
	for chain in CHAINS {
		for (name, steps) in histories() {
			let bytes = steps.iter().flat_map(Step::bytes);
			seeds.push((format!("{name}-{chain}"), std::iter::once(chain).chain(bytes).collect()));
		}
	}
	seeds
}
