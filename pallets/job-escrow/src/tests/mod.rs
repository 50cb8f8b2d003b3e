//! Tests by topic. Each ends with `do_try_state` and a check of total issuance.

mod any_bytes;
mod bad_input;
mod convictions;
mod delivery;
mod exits;
mod life;
mod money;
mod random;
mod replicas;

use crate::{mock::*, Engaged, Error, Event, Jobs, Task, Tasks};
use assay_primitives::{
	market::MatchEnd,
	traits::AuditSink,
	work::{AuditOutcome, Mode, Place, Reason, TaskId, TaskStatus, Verdict},
	Balance, ASY,
};
use frame_support::{assert_noop, assert_ok, traits::fungible::InspectHold};

fn task(index: u32) -> Task<Test> {
	Tasks::<Test>::get(0, index).unwrap()
}

fn held() -> Balance {
	Balances::balance_on_hold(&crate::HoldReason::Escrow.into(), &BUYER)
}

fn post(tasks: u32) {
	assert_ok!(JobEscrow::post(RuntimeOrigin::signed(BUYER), spec(tasks)));
}

fn accept(index: u32) {
	let inputs = vec![input(index)].try_into().unwrap();
	assert_ok!(JobEscrow::accept(RuntimeOrigin::signed(HOT), 0, index, inputs, Default::default()));
}

fn submit(index: u32) {
	assert_ok!(JobEscrow::submit(RuntimeOrigin::signed(HOT), 0, index, commitment()));
}

/// Brings a fresh job of one task to the audit.
fn to_audit() {
	post(1);
	pass(1);
	accept(0);
	submit(0);
}

const WRONG: AuditOutcome =
	AuditOutcome::Failed(Verdict::Invalid(Place { node: 3, row: 1, col: 4 }));
