//! What happened to a job's tasks, for people.

use super::{
	replicas::label,
	status::{audit, delivery, offence, reason},
};
use crate::output::short;
use assay_client::{address, Amount};
use assay_primitives::{
	views::{JobEvent, JobEventKind},
	work::Assurance,
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
	pub fn line(&self, assurance: &Assurance) -> String {
		line(self.block, &self.event, assurance)
	}
}

fn line(height: BlockNumber, event: &JobEvent, assurance: &Assurance) -> String {
	let what = match &event.kind {
		JobEventKind::Posted => "posted".into(),
		JobEventKind::Offered { provider, machine, price } => {
			format!("offered to machine {machine} of {} for {}", address(provider), Amount(*price))
		}
		JobEventKind::Accepted { due, .. } => format!("accepted, due in block {due}"),
		JobEventKind::Submitted { commitment, .. } => {
			format!("submitted, output {}", short(&commitment.output_root))
		}
		JobEventKind::Sealed { .. } => "sealed".into(),
		JobEventKind::Replicating { until } => {
			format!("its replicas are sought, until block {until}")
		}
		JobEventKind::Trusted => "spared by the lot: one replica is enough".into(),
		JobEventKind::Opened { commitment, .. } => {
			format!("opened, output {}", short(&commitment.output_root))
		}
		JobEventKind::Agreed { replicas } => format!("decided: {replicas} replicas are to be paid"),
		JobEventKind::Slashed { provider, burned } => {
			format!("{} of the collateral of {} burned", Amount(*burned), address(provider))
		}
		JobEventKind::Acknowledged => "the buyer has the output".into(),
		JobEventKind::Delivered { found, fee } => {
			format!("{}; custodians are paid {}", delivery(found), Amount(*fee))
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
		Some(slot) => format!("block {height}: task {}: {what}", label(assurance, slot)),
		None => format!("block {height}: job {}: {what}", event.job),
	}
}
