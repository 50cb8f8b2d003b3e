//! What happened to a job's tasks, for people.

use super::status::{audit, offence, reason};
use crate::output::short;
use assay_client::{address, Amount};
use assay_primitives::{
	views::{JobEvent, JobEventKind},
	BlockNumber,
};
use serde::Serialize;

/// An event and the block it happened in.
#[derive(Serialize)]
pub struct Happened {
	/// The block's height.
	pub block: BlockNumber,
	/// What happened.
	#[serde(flatten)]
	pub event: JobEvent,
}

impl Happened {
	/// As a line.
	pub fn line(&self) -> String {
		line(self.block, &self.event)
	}
}

fn line(height: BlockNumber, event: &JobEvent) -> String {
	let what = match &event.kind {
		JobEventKind::Posted => "posted".into(),
		JobEventKind::Offered { provider, machine, price } => {
			format!("offered to machine {machine} of {} for {}", address(provider), Amount(*price))
		}
		JobEventKind::Accepted { due, .. } => format!("accepted, due in block {due}"),
		JobEventKind::Submitted { commitment, .. } => {
			format!("submitted, output {}", short(&commitment.output_root))
		}
		JobEventKind::Audited { outcome } => audit(outcome),
		JobEventKind::Convicted { offence, forfeit, compensation, reward, burned, .. } => {
			format!(
				"{}: the provider forfeits {} ({} to the buyer, {} to the challenger, {} burned)",
				self::offence(offence),
				Amount(*forfeit),
				Amount(*compensation),
				Amount(*reward),
				Amount(*burned)
			)
		}
		JobEventKind::Settled { paid, fee, burned, .. } => {
			format!(
				"paid {} (fee {}, {} of it burned)",
				Amount(*paid),
				Amount(*fee),
				Amount(*burned)
			)
		}
		JobEventKind::Requeued { reason: why } => format!("back to the market: {}", reason(why)),
		JobEventKind::Refunded { amount, reason: why } => {
			format!("refunded {}: {}", Amount(*amount), reason(why))
		}
		JobEventKind::Closed => "closed".into(),
	};
	match event.task {
		Some(task) => format!("block {height}: task {task}: {what}"),
		None => format!("block {height}: job {}: {what}", event.job),
	}
}
